/* SPDX-License-Identifier: Apache-2.0
 *
 * change.c - a change with faults that are not seen, reviewers who see some of them, and a fixer.
 *
 * A fault has a severity, a region (a file), a remit (the role that looks for its kind) and log
 * odds of being seen: one part for all reviewers, one for each backend, one for each role of each
 * backend, all fixed for the life of the fault. So a second look of the same eyes finds little of
 * what the first missed, and one of other eyes more. False findings are made up at a rate that
 * differs between changes, and come back while they are left alone.
 *
 * A repair edits for each finding that it does not decline. An edit closes the fault, or fails, or
 * puts another in its place; and any edit may add one. Regions differ in how hard they are.
 *
 * Words and places: a fault has some words of its own. A report has each of them with some
 * chance, and beside them words that all reports about its file share, and its line is off now and
 * then. What is made of that is core/identity.c's affair. An edit is a hunk in the repair's line
 * map, and moves what is behind it.
 *
 * Chances and words are two streams: another wording does not change what happens.
 *
 * The figures: severities, recall, its spread between tools, repeated false findings are those of
 * public benchmarks of reviewers (recall .29 to .63 a tool, another tool finds .29 of what one
 * missed, the same tool .12 to .16; .58 of the true findings by one of five alone). The others,
 * marked [A], are assumptions; sim_convergence.c varies each of them. */
#include "change.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const struct odds odds_base = {
    .faults = 6, .faults_shape = 1.5,                              /* [A] */
    .grave = .36, .medium = .34,
    .seen_in = .55, .seen_out = .12, .seen_general = .42,          /* the first two [A] */
    .blind = 4.5, .shared = .55, .by_eye = .5,                     /* fitted; the last [A] */
    .made_up = 1.4, .made_up_general = 2.0, .made_up_shape = 4,    /* fitted to precision */
    .again = .63, .again_min = .3,                                 /* the last [A] */
    .false_grave = .10, .false_medium = .40, .false_near = .25,    /* [A] */
    .insist = .5, .insist_told = .3, .echo = .04,                  /* [A] */
    .fixed = .85, .tiring = .6, .mutates = .7,                     /* [A] */
    .breaks = .12, .breaks_false = .12, .hard = .5,
    .broken_grave = .20, .broken_medium = .40,                     /* [A] */
    .declines_false = .35, .declines_true = .03,                   /* [A] */
    .fresh_recheck = 1.0, .fresh_look = .4, .twice = .1,           /* [A] */
    .word_kept = .62, .word_common = 8, .line_off = .4, .kin = .3, /* [A] */
};

enum { WORDS_MIN = 6, WORDS_MAX = 20, FILE_WORDS = 10, FILE_LINES = 60 };
enum { HUNK_LINES = 3, HUNK_MORE = 4 };
enum { IN_REMIT, OUT_OF_REMIT, GENERAL };

static const double weights[SEVERITY_COUNT] = { 1, 2, 5 };
/* Of the recall that all severities have: low, medium, grave. */
static const double recall_by_severity[SEVERITY_COUNT] = { .66, 1.05, 1.22 };
static const double remits[PANEL] = { .40, .25, .10, .10, .15 }; /* [A] */

/* ---- numbers ---- */

static double any(struct prng *prng)
{
    return (double)(prng_next(prng) >> 11) * 0x1p-53;
}

static bool happens(struct prng *prng, double chance)
{
    return any(prng) < chance;
}

static double normal(struct prng *prng)
{
    double radius = sqrt(-2 * log(1 - any(prng)));

    return radius * cos(6.283185307179586 * any(prng));
}

/* With a mean of 1 (Marsaglia and Tsang 2000; the shape is at least 1). */
static double gamma_one(struct prng *prng, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x = normal(prng), v = 1 + c * x;

        if (v <= 0) continue;
        v = v * v * v;
        if (log(1 - any(prng)) < x * x / 2 + d - d * v + d * log(v)) return d * v / shape;
    }
}

static uint32_t poisson(struct prng *prng, double mean)
{
    uint32_t count = 0;

    for (double sum = -log(1 - any(prng)); sum < mean; sum -= log(1 - any(prng))) count++;
    return count;
}

static double chance_of(double log_odds)
{
    return 1 / (1 + exp(-log_odds));
}

static uint32_t one_of(struct prng *prng, const double *shares, uint32_t count)
{
    double at = any(prng);
    uint32_t i = 0;

    for (; i + 1 < count && at >= shares[i]; i++) at -= shares[i];
    return i;
}

static enum severity any_severity(struct prng *prng, double grave, double medium)
{
    double at = any(prng);

    if (at < grave) return SEVERITY_HIGH;
    return at < grave + medium ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

/* What reviewers call it. [A] */
static enum severity any_label(struct prng *prng, enum severity severity)
{
    static const double shares[SEVERITY_COUNT][SEVERITY_COUNT] = {
        [SEVERITY_LOW] = { .75, .25, 0 },
        [SEVERITY_MEDIUM] = { .2, .7, .1 },
        [SEVERITY_HIGH] = { 0, .2, .8 },
    };

    return (enum severity)one_of(prng, shares[severity], SEVERITY_COUNT);
}

/* Zipf: the first has most. */
static uint32_t any_region(struct prng *prng)
{
    double sum = 0, at;
    uint32_t i;

    for (i = 0; i < REGIONS; i++) sum += 1.0 / (i + 1);
    at = any(prng) * sum;
    for (i = 0; i + 1 < REGIONS && at >= 1.0 / (i + 1); i++) at -= 1.0 / (i + 1);
    return i;
}

/* ---- a change ---- */

/* The log odds at which a share of `mean` is seen, where they spread by `sd`. */
static double level_for(double mean, double sd)
{
    double low = -40, high = 40;

    for (uint32_t i = 0; i < 60; i++) {
        double at = (low + high) / 2, seen = 0, all = 0;

        for (int k = -60; k <= 60; k++) {
            double z = k / 12.0, density = exp(-z * z / 2);

            seen += density * chance_of(at + sd * z);
            all += density;
        }
        if (seen < mean * all) low = at;
        else high = at;
    }
    return low;
}

void change_levels(struct change *change, const struct odds *odds)
{
    const double recall[] = { odds->seen_in, odds->seen_out, odds->seen_general };

    *change = (struct change){ .odds = odds };
    for (uint32_t i = 0; i < sizeof recall / sizeof *recall; i++) {
        for (uint32_t k = 0; k < SEVERITY_COUNT; k++) {
            change->level[i][k] = level_for(fmin(.97, recall[i] * recall_by_severity[k]),
                                            odds->blind);
        }
    }
}

static struct fault *fault_add(struct change *change)
{
    struct fault *fault;

    change->faults = mem_grow(change->faults, change->count, &change->cap, sizeof *change->faults);
    fault = &change->faults[change->count++];
    *fault = (struct fault){ .alive = true, .words = prng_next(&change->tongue),
                             .line = 1 + prng_below(&change->tongue, FILE_LINES) };
    return fault;
}

/* How well each reviewer will see it. */
static struct fault *fault_add_true(struct change *change)
{
    const struct odds *odds = change->odds;
    struct prng *prng = &change->chance;
    double of_all = odds->blind * sqrt(odds->shared);
    double of_eyes = odds->blind * sqrt((1 - odds->shared) * odds->by_eye);
    double of_roles = odds->blind * sqrt((1 - odds->shared) * (1 - odds->by_eye));
    struct fault *fault = fault_add(change);

    fault->all = of_all * normal(prng);
    for (uint32_t eye = 0; eye < EYES_MAX; eye++) {
        fault->eyes[eye] = of_eyes * normal(prng);
        for (uint32_t role = 0; role < REVIEWER_KINDS; role++) {
            fault->roles[eye][role] = of_roles * normal(prng);
        }
    }
    return fault;
}

void change_init(struct change *change, uint64_t seed)
{
    const struct odds *odds = change->odds;
    struct prng *prng = &change->chance;
    uint32_t count;

    change->chance = (struct prng){ seed * UINT64_C(0x9e3779b97f4a7c15) };
    change->tongue = (struct prng){ ~change->chance.state };
    change->count = change->reviews = change->tree = change->false_edits = 0;
    for (uint32_t i = 0; i < REGIONS; i++) {
        change->hardness[i] = fmin(3, exp(odds->hard * normal(prng)));
        change->edited[i] = 0;
    }
    change->rate = gamma_one(prng, odds->made_up_shape);
    count = poisson(prng, odds->faults * gamma_one(prng, odds->faults_shape));
    for (uint32_t i = 0; i < count; i++) {
        struct fault *fault = fault_add_true(change);

        fault->severity = any_severity(prng, odds->grave, odds->medium);
        fault->label = any_label(prng, fault->severity);
        fault->region = any_region(prng);
        fault->remit = one_of(prng, remits, PANEL);
    }
}

void change_release(struct change *change)
{
    free(change->faults);
    *change = (struct change){ .odds = change->odds };
}

/* ---- a review ---- */

static bool is_edited(const struct change *change, uint32_t region)
{
    return change->reviews > 1 && change->edited[region] == change->reviews - 1;
}

static double seen_false(const struct change *change, const struct fault *fault,
                         struct reviewer by, bool recheck)
{
    const struct odds *odds = change->odds;

    if (recheck && !is_edited(change, fault->region)) return 0;
    if (fault->role != by.role) return odds->echo;
    if (fault->eye != by.eye) return .1; /* [A] */
    return fault->declined ? odds->insist_told : odds->insist;
}

static double seen_true(const struct change *change, const struct fault *fault,
                        struct reviewer by, bool recheck)
{
    uint32_t before = change->reviews - 1;
    bool standing = before > 0 && fault->last == before;
    bool fresh = before > 0 && fault->made == before;
    uint32_t kind = by.role == GENERALIST ? GENERAL
                    : by.role == fault->remit ? IN_REMIT : OUT_OF_REMIT;
    double odds = change->level[kind][fault->severity] + fault->all + fault->eyes[by.eye] +
                  fault->roles[by.eye][by.role];

    if (recheck && !is_edited(change, fault->region) && !standing) return 0;
    if (fresh) odds += recheck ? change->odds->fresh_recheck : change->odds->fresh_look;
    /* Whether a repair worked is easy to see. [A] */
    return standing && fault->tries > 0 ? fmax(.8, chance_of(odds)) : chance_of(odds);
}

/* A region that the last repair edited; or any, where there is none. */
static uint32_t edited_region(struct change *change, uint32_t count)
{
    uint32_t at = count ? prng_below(&change->chance, count) : 0;

    for (uint32_t i = 0; count > 0 && i < REGIONS; i++) {
        if (is_edited(change, i) && at-- == 0) return i;
    }
    return any_region(&change->chance);
}

static void make_up(struct change *change, const struct reviewer *reviewers, uint32_t count,
                    uint32_t index, bool recheck)
{
    const struct odds *odds = change->odds;
    struct prng *prng = &change->chance;
    struct reviewer by = reviewers[index];
    double rate = change->rate * (by.role == GENERALIST ? odds->made_up_general : odds->made_up);
    uint32_t edited = 0, more;

    for (uint32_t i = 0; i < REGIONS; i++) edited += is_edited(change, i);
    if (change->reviews > 1 && recheck) {
        rate *= fmax(odds->again_min, odds->again * edited / REGIONS);
    } else if (change->reviews > 1) {
        rate *= odds->again;
    }
    more = poisson(prng, rate);
    for (uint32_t i = 0; i < more; i++) {
        struct fault *fault = fault_add(change);
        bool near = change->reviews > 1 && (recheck || happens(prng, odds->false_near));

        fault->is_false = true;
        fault->role = by.role;
        fault->eye = by.eye;
        fault->severity = fault->label = any_severity(prng, odds->false_grave, odds->false_medium);
        fault->region = near ? edited_region(change, edited) : any_region(prng);
        fault->told = 1U << index;
        for (uint32_t k = 0; k < count; k++) {
            if (k != index && happens(prng, odds->echo)) fault->told |= 1U << k;
        }
    }
}

void change_review(struct change *change, const struct reviewer *reviewers, uint32_t count,
                   bool recheck)
{
    uint32_t known = change->count;

    assert(count <= TOGETHER_MAX);
    change->reviews++;
    for (uint32_t i = 0; i < known; i++) change->faults[i].told = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < known; k++) {
            struct fault *fault = &change->faults[k];
            double chance;

            if (!fault->alive) continue;
            chance = fault->is_false ? seen_false(change, fault, reviewers[i], recheck)
                                     : seen_true(change, fault, reviewers[i], recheck);
            if (chance > 0 && happens(&change->chance, chance)) fault->told |= 1U << i;
        }
        make_up(change, reviewers, count, i, recheck);
    }
    for (uint32_t i = 0; i < change->count; i++) {
        struct fault *fault = &change->faults[i];

        if (!fault->told) continue;
        fault->last = change->reviews;
        if (!fault->first) fault->first = change->reviews;
    }
}

/* ---- a report in words ---- */

/* A word of three syllables; its end is none that identity.c cuts. */
static void word_say(struct buf *out, uint64_t number)
{
    static const char first[] = "bdfgklmnprtvz", second[] = "aou";
    struct prng prng = { number };
    uint64_t bits = prng_next(&prng);
    char word[7] = { [6] = ' ' };

    for (uint32_t i = 0; i < 6; i += 2, bits >>= 16) {
        word[i] = first[(bits & 0xff) % (sizeof first - 1)];
        word[i + 1] = second[(bits >> 8 & 0xff) % (sizeof second - 1)];
    }
    buf_add(out, (struct str){ word, sizeof word });
}

static struct str fault_say(struct change *change, const struct fault *fault, struct arena *arena)
{
    const struct odds *odds = change->odds;
    struct prng *tongue = &change->tongue;
    uint32_t words = WORDS_MIN + (uint32_t)(fault->words % (WORDS_MAX + 1 - WORDS_MIN));
    struct buf out;

    buf_init(&out, 4096);
    for (uint32_t i = 0; i < words; i++) {
        uint64_t of = fault->kin && i < odds->kin * words ? fault->kin : fault->words;

        if (happens(tongue, odds->word_kept)) word_say(&out, of + i);
    }
    for (uint32_t i = prng_below(tongue, 2 * (uint32_t)odds->word_common + 1); i > 0; i--) {
        word_say(&out, fault->region * FILE_WORDS + prng_below(tongue, FILE_WORDS));
    }
    return arena_take(arena, &out);
}

static uint32_t line_say(struct change *change, const struct fault *fault)
{
    static const double shares[] = { .6, .3 }; /* of those that are off: near, not so near, none */
    static const uint32_t far[] = { 3, 15 };
    uint32_t how, off;

    if (!happens(&change->tongue, change->odds->line_off)) return fault->line;
    how = one_of(&change->tongue, shares, 3);
    if (how == 2) return 0;
    off = prng_below(&change->tongue, 2 * far[how] + 1);
    return fault->line + off > far[how] ? fault->line + off - far[how] : 1;
}

struct result change_report(struct change *change, uint32_t index, struct arena *arena)
{
    struct finding *list = arena_alloc(arena, (change->count + 1) * sizeof *list);
    uint32_t count = 0;

    for (uint32_t i = 0; i < change->count; i++) {
        const struct fault *fault = &change->faults[i];
        struct finding *finding = &list[count];

        if (!(fault->told >> index & 1)) continue;
        *finding = (struct finding){
            .severity = fault->label,
            .file = str_of(arena_printf(arena, "src/part%" PRIu32 ".c", fault->region)),
            .line = line_say(change, fault),
            .suggestion = str_of(arena_printf(arena, "%" PRIu32, i)) };
        if (!change->mute) finding->text = fault_say(change, fault, arena);
        finding->fingerprint = finding_fingerprint(finding);
        count++;
    }
    return (struct result){ .verdict = count ? VERDICT_FINDINGS : VERDICT_CLEAN, .findings = list,
                            .finding_count = count, .proof = PROOF_READ };
}

uint32_t change_fault(const struct finding *finding)
{
    uint64_t number = 0;
    bool good = str_number(finding->suggestion, &number);

    assert(good);
    return (uint32_t)number;
}

/* ---- a repair ---- */

/* Where a repair edited, in lines of the tree before it: in one region, in all. */
struct edits {
    uint32_t *lines, count, cap;
};

struct patch {
    struct change *change;
    struct edits edits[REGIONS];
};

static void edit_add(struct patch *patch, const struct fault *fault)
{
    struct edits *edits = &patch->edits[fault->region];

    edits->lines = mem_grow(edits->lines, edits->count, &edits->cap, sizeof *edits->lines);
    edits->lines[edits->count++] = fault->line;
    patch->change->edited[fault->region] = patch->change->reviews;
}

/* Another fault in the place of this one; or, as a break, one that the edit for it adds. */
static void fault_spawn(struct change *change, uint32_t from, bool breaks)
{
    const struct odds *odds = change->odds;
    struct prng *prng = &change->chance;
    struct fault *fault = fault_add_true(change);
    const struct fault *parent = &change->faults[from];
    bool here = !breaks || happens(prng, .8), alike = !breaks || happens(prng, .5); /* [A] */

    fault->made = change->reviews;
    fault->severity = breaks ? any_severity(prng, odds->broken_grave, odds->broken_medium)
                             : parent->severity;
    fault->label = any_label(prng, fault->severity);
    fault->region = here ? parent->region : any_region(prng);
    fault->remit = alike ? parent->remit : one_of(prng, remits, PANEL);
    if (here) fault->line = parent->line;
    if (!breaks) fault->kin = parent->words;
}

static void fault_edit(struct patch *patch, uint32_t index, uint32_t times)
{
    struct change *change = patch->change;
    const struct odds *odds = change->odds;
    struct prng *prng = &change->chance;
    struct fault *fault = &change->faults[index];
    double hardness = change->hardness[fault->region];
    double breaks = fmin(.9, (fault->is_false ? odds->breaks_false : odds->breaks) * hardness);

    edit_add(patch, fault);
    if (fault->is_false) {
        fault->alive = false;
        change->false_edits++;
    } else {
        double works = (1 - fmin(.95, (1 - odds->fixed) * hardness)) *
                       pow(odds->tiring, fault->tries++);
        bool good = !happens(prng, fmin(.95, 1 - works));
        bool mutates = !good && happens(prng, odds->mutates);

        fault->alive = !good && !mutates;
        if (mutates) fault_spawn(change, index, false);
    }
    for (uint32_t i = 0; i < times; i++) {
        if (happens(prng, breaks)) fault_spawn(change, index, true);
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The edits of one file as a diff without context has them. */
static struct file_move move_make(struct patch *patch, uint32_t region, struct arena *arena)
{
    struct edits *edits = &patch->edits[region];
    struct line_hunk *hunks = arena_alloc(arena, edits->count * sizeof *hunks), *hunk = NULL;
    struct str path = str_of(arena_printf(arena, "src/part%" PRIu32 ".c", region));
    uint32_t count = 0, more = 0;

    qsort(edits->lines, edits->count, sizeof *edits->lines, by_number);
    for (uint32_t i = 0; i < edits->count; i++) {
        uint32_t start = edits->lines[i] > 1 ? edits->lines[i] - 1 : 1;

        if (!hunk || start > hunk->old_line + hunk->old_count) {
            if (hunk) more += hunk->new_count - hunk->old_count;
            hunk = &hunks[count++];
            *hunk = (struct line_hunk){ .old_line = start, .new_line = start + more };
        }
        hunk->old_count = start + HUNK_LINES - hunk->old_line;
        hunk->new_count = hunk->old_count + prng_below(&patch->change->tongue, HUNK_MORE + 1);
    }
    return (struct file_move){ .old_path = path, .new_path = path, .hunks = hunks,
                               .hunk_count = count };
}

static uint32_t line_moved(const struct file_move *move, uint32_t line)
{
    uint32_t moved = line;

    for (uint32_t i = 0; i < move->hunk_count && line >= move->hunks[i].old_line; i++) {
        const struct line_hunk *hunk = &move->hunks[i];
        uint32_t into = line - hunk->old_line;

        moved = hunk->new_line + into;
        if (into >= hunk->old_count) moved += hunk->new_count - hunk->old_count;
    }
    return moved;
}

/* All edits as a line map; the faults are moved along. */
static struct line_map patch_end(struct patch *patch, struct arena *arena)
{
    struct change *change = patch->change;
    struct file_move *files = arena_alloc(arena, REGIONS * sizeof *files);
    uint32_t count = 0;

    for (uint32_t region = 0; region < REGIONS; region++) {
        if (patch->edits[region].count == 0) continue;
        files[count] = move_make(patch, region, arena);
        for (uint32_t i = 0; i < change->count; i++) {
            struct fault *fault = &change->faults[i];

            if (fault->region == region) fault->line = line_moved(&files[count], fault->line);
        }
        count++;
        free(patch->edits[region].lines);
    }
    change->tree += count > 0;
    return (struct line_map){ .files = files, .file_count = count };
}

struct result change_repair(struct change *change, const struct finding *const *findings,
                            uint32_t count, struct arena *arena)
{
    const struct odds *odds = change->odds;
    struct prng *prng = &change->chance;
    struct patch patch = { .change = change };
    uint32_t known = change->count, *told = arena_alloc(arena, (known + 1) * sizeof *told);
    struct doubtful *doubts = arena_alloc(arena, (count + 1) * sizeof *doubts);
    struct result result = { .verdict = VERDICT_CLEAN, .doubts = doubts };

    for (uint32_t i = 0; i < count; i++) told[change_fault(findings[i])]++;
    for (uint32_t i = 0; i < known; i++) {
        uint32_t times = 1;
        bool is_false = change->faults[i].is_false;

        if (!told[i]) continue;
        for (uint32_t k = 1; k < told[i]; k++) times += happens(prng, odds->twice);
        change->faults[i].declined =
            happens(prng, is_false ? odds->declines_false : odds->declines_true);
        if (!change->faults[i].declined) fault_edit(&patch, i, times);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!change->faults[change_fault(findings[i])].declined) continue;
        doubts[result.doubt_count++] = (struct doubtful){ .fingerprint = findings[i]->fingerprint,
                                                          .line = findings[i]->line,
                                                          .why = DOUBT_DECLINED };
    }
    result.moved = patch_end(&patch, arena);
    result.unchanged = result.moved.file_count == 0;
    return result;
}

struct residue change_residue(const struct change *change)
{
    struct residue left = { .all = 0 };

    for (uint32_t i = 0; i < change->count; i++) {
        const struct fault *fault = &change->faults[i];

        if (fault->is_false || !fault->alive) continue;
        left.by_severity[fault->severity]++;
        left.all++;
        left.added += fault->made > 0;
        left.weight += weights[fault->severity];
    }
    return left;
}
