/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.c - findings over the rounds of a run.
 *
 *                      reported                 not in the next review
 *      (not known) ---------------> OPEN -------------------------------> FIXED
 *                                    ^                                      |
 *                                    '------------ reported again ----------'
 *
 * A review is known by the attempt that was asked for: its role, lane and phase. It counts when
 * it ended clean or with findings, and when the engine took it (an event that changed nothing has
 * no actions). Then every finding in it is open, every note in it is noted (the same, where it is
 * too small to fail the review), and every other one that an earlier round of the same role, lane
 * and phase reported is fixed.
 *
 * A job that is asked for again has not answered: what its earlier answer did is taken back. This
 * is how a review is void whose tree was changed under it, and it needs one step back only, since
 * the engine asks no job again whose round is over.
 *
 * 1. No two entries have the same lane, phase, role, fingerprint and ordinal.
 * 2. Where there is an ordinal n there are all below it.
 * 3. Memory is that of the findings, not of the rounds: the texts of an entry are one block, made
 *    anew with each report, kept for one step back.
 * 4. A review costs a look at each entry of its lane, and the sorting of its own and of its role's:
 *    what other lanes found costs it nothing. Taking one back that found something looks at all.
 * 5. The chain of a lane holds its entries in the order they were first reported.
 *
 * Which of the findings that are known a review reports again: complaints that are equal (one
 * fingerprint) are told apart by what is quoted and by where it is.
 *
 *   a. What has the same evidence is the same, however far it moved.
 *   b. What is on the same line is the same, even where another text is quoted.
 *   c. What is left is the same where nothing speaks against it: on one of the two sides there is
 *      no evidence, or no line.
 *
 * What has other evidence on another line is another finding. Where there are several on both
 * sides they are paired in the order of their lines, since an edit moves lines and does not
 * shuffle them; one that is known is passed over when the next is nearer and enough are left for
 * the others.
 *
 * 6. Nothing is paired twice, and only what has the same fingerprint.
 * 7. Pairing costs what sorting both sides costs. */
#include "core/ledger.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- which known finding a report is about ---- */

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_evidence(const void *a, const void *b)
{
    const struct match_side *x = a, *y = b;
    int rc = order(x->fingerprint, y->fingerprint);

    if (rc == 0) rc = order(x->evidence, y->evidence);
    if (rc == 0) rc = order(x->line, y->line);
    return rc != 0 ? rc : order(x->index, y->index);
}

static int by_line(const void *a, const void *b)
{
    const struct match_side *x = a, *y = b;
    int rc = order(x->fingerprint, y->fingerprint);

    if (rc == 0) rc = order(x->line, y->line);
    return rc != 0 ? rc : order(x->index, y->index);
}

static void pair(struct match_side *known, struct match_side *reported, struct match *out)
{
    known->paired = reported->paired = true;
    out[reported->index].entry = known->index;
}

/* Part of one side: those that nothing tells apart. */
struct block {
    struct match_side *items;
    uint32_t count;
};

/* Cuts the items from *at on that are like the first of them. */
static struct block cut(struct match_side *items, uint32_t count, uint32_t *at,
                        bool (*like)(const struct match_side *, const struct match_side *))
{
    struct block block = { .items = items + *at };

    while (*at < count && like(block.items, &items[*at])) {
        (*at)++;
        block.count++;
    }
    return block;
}

static bool same_text(const struct match_side *a, const struct match_side *b)
{
    return a->fingerprint == b->fingerprint;
}

static bool same_evidence(const struct match_side *a, const struct match_side *b)
{
    return same_text(a, b) && a->evidence == b->evidence;
}

static uint32_t gap(const struct match_side *a, const struct match_side *b)
{
    return a->line > b->line ? a->line - b->line : b->line - a->line;
}

static bool may_be_same(const struct match_side *a, const struct match_side *b)
{
    return a->evidence == b->evidence || a->evidence == 0 || b->evidence == 0 || a->line == 0 ||
           b->line == 0;
}

/* Both in the order of their lines, and none of them paired. */
static void pair_in_order(struct block known, struct block reported, struct match *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < reported.count && at < known.count; i++) {
        struct match_side *item = &reported.items[i];
        uint32_t spare = known.count - at > reported.count - i
                             ? known.count - at - (reported.count - i) : 0;

        for (; spare > 0 && gap(&known.items[at + 1], item) < gap(&known.items[at], item); spare--)
            at++;
        if (may_be_same(&known.items[at], item)) pair(&known.items[at++], item, out);
    }
}

static void pair_by_evidence(const struct match_sides *sides, struct match *out)
{
    uint32_t at = 0, other = 0;

    qsort(sides->known, sides->known_count, sizeof *sides->known, by_evidence);
    qsort(sides->reported, sides->reported_count, sizeof *sides->reported, by_evidence);
    while (at < sides->known_count && other < sides->reported_count) {
        const struct match_side *x = &sides->known[at], *y = &sides->reported[other];
        int rc = order(x->fingerprint, y->fingerprint);

        if (rc == 0) rc = order(x->evidence, y->evidence);
        if (rc < 0) {
            (void)cut(sides->known, sides->known_count, &at, same_evidence);
        } else if (rc > 0) {
            (void)cut(sides->reported, sides->reported_count, &other, same_evidence);
        } else {
            struct block known = cut(sides->known, sides->known_count, &at, same_evidence);
            struct block reported = cut(sides->reported, sides->reported_count, &other,
                                        same_evidence);

            if (known.items->evidence != 0) pair_in_order(known, reported, out);
        }
    }
}

static void pair_by_line(struct block known, struct block reported, struct match *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < reported.count; i++) {
        struct match_side *item = &reported.items[i];

        if (item->paired) continue;
        while (at < known.count && (known.items[at].paired || known.items[at].line < item->line))
            at++;
        if (at < known.count && known.items[at].line == item->line) {
            pair(&known.items[at++], item, out);
        }
    }
}

/* Those that are not paired, to the front, in their order. */
static struct block unpaired(struct block block)
{
    struct block left = { .items = block.items };

    for (uint32_t i = 0; i < block.count; i++) {
        if (!block.items[i].paired) left.items[left.count++] = block.items[i];
    }
    return left;
}

/* All that have one fingerprint. */
static void pair_rest(struct block known, struct block reported, struct match *out)
{
    uint32_t nth = known.count;

    pair_by_line(known, reported, out);
    reported = unpaired(reported);
    pair_in_order(unpaired(known), reported, out);
    for (uint32_t i = 0; i < reported.count; i++) {
        if (!reported.items[i].paired) out[reported.items[i].index].ordinal = nth++;
    }
}

void ledger_match(const struct match_sides *sides, struct match *out)
{
    uint32_t at = 0, other = 0;

    for (uint32_t i = 0; i < sides->reported_count; i++) out[i] = (struct match){ NO_ENTRY, 0 };
    pair_by_evidence(sides, out);
    qsort(sides->known, sides->known_count, sizeof *sides->known, by_line);
    qsort(sides->reported, sides->reported_count, sizeof *sides->reported, by_line);
    while (other < sides->reported_count) {
        struct block known = { .items = NULL };
        struct block reported = cut(sides->reported, sides->reported_count, &other, same_text);
        uint64_t text = reported.items->fingerprint;

        while (at < sides->known_count && sides->known[at].fingerprint < text) at++;
        if (at < sides->known_count && sides->known[at].fingerprint == text) {
            known = cut(sides->known, sides->known_count, &at, same_text);
        }
        pair_rest(known, reported, out);
    }
}

/* ---- the ledger ---- */

enum { TEXT_COUNT = 8 };

struct ledger_asked {
    uint32_t job, attempt, lane, phase, iteration, round;
    uint16_t role;
    enum purpose purpose;
};

/* An entry as it was before the last review that changed it. */
struct before {
    struct finding finding;
    char *texts;
    uint64_t evidence;
    uint32_t iteration_last, round_last;
    enum finding_state state;
};

struct ledger_look {
    uint32_t job, lane, phase;
    uint16_t role;
    struct coverage coverage;
    struct arena arena; /* of it */
};

struct ledger_slot {
    char *texts;         /* what entry.finding points to */
    uint64_t evidence;   /* evidence_fingerprint() of it */
    uint32_t repair_iteration, repair_round; /* that its doubt is of */
    uint32_t job;        /* whose review changed it last; 0: none that could be taken back */
    uint32_t review;     /* the last that reported it */
    bool fresh;          /* job's review was the first to report it */
    uint32_t next;       /* of its lane, as the number of its entry and one; 0: it is the last */
    struct before before;
};

/* Numbers of entries, and one; 0: there is none. */
struct ledger_chain {
    uint32_t first, last, count;
};

static const char *const words[FINDING_STATE_COUNT] = {
    [FINDING_OPEN] = "open",
    [FINDING_NOTED] = "noted",
    [FINDING_FIXED] = "fixed",
};

const char *finding_state_word(enum finding_state state) { return words[state]; }

bool finding_state_from_word(struct str word, enum finding_state *out)
{
    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
        if (!str_is(word, words[i])) continue;
        *out = (enum finding_state)i;
        return true;
    }
    return false;
}

void ledger_release(struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        free(ledger->slots[i].texts);
        free(ledger->slots[i].before.texts);
    }
    for (uint32_t i = 0; i < ledger->look_count; i++) arena_release(&ledger->looks[i].arena);
    free(ledger->entries);
    free(ledger->slots);
    free(ledger->looks);
    free(ledger->asked);
    free(ledger->chains);
    *ledger = (struct ledger){ 0 };
}

/* Lets the finding's texts live in a block of its own, which the caller frees. */
static char *texts_keep(struct finding *finding)
{
    struct str *const texts[TEXT_COUNT] = {
        &finding->source,   &finding->kind,       &finding->file, &finding->text,
        &finding->evidence, &finding->suggestion, &finding->fix,  &finding->tool,
    };
    size_t bytes = 0;
    char *block, *at;

    for (uint32_t i = 0; i < TEXT_COUNT; i++) bytes += texts[i]->size + 1;
    block = at = mem_alloc(bytes);
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        if (texts[i]->size > 0) memcpy(at, texts[i]->data, texts[i]->size);
        texts[i]->data = at;
        at += texts[i]->size + 1;
    }
    return block;
}

static struct ledger_chain chain_of(const struct ledger *ledger, uint32_t lane)
{
    return lane < ledger->chain_count ? ledger->chains[lane] : (struct ledger_chain){ 0 };
}

/* Entry `at` is the newest of its lane. */
static void chain_append(struct ledger *ledger, uint32_t at)
{
    uint32_t lane = ledger->entries[at].lane;
    struct ledger_chain *chain;

    while (ledger->chain_count <= lane) {
        ledger->chains = mem_grow(ledger->chains, ledger->chain_count, &ledger->chain_cap,
                                  sizeof *ledger->chains);
        ledger->chains[ledger->chain_count++] = (struct ledger_chain){ 0 };
    }
    chain = &ledger->chains[lane];
    ledger->slots[at].next = 0;
    if (chain->last) ledger->slots[chain->last - 1].next = at + 1;
    else chain->first = at + 1;
    chain->last = at + 1;
    chain->count++;
}

static bool is_of(const struct ledger_entry *entry, const struct ledger_asked *review)
{
    return entry->role == review->role && entry->lane == review->lane &&
           entry->phase == review->phase;
}

/* ---- how much was looked at ---- */

/* The row of this role, lane and phase, a new one where there is none. */
static struct ledger_look *look_of(struct ledger *ledger, const struct ledger_asked *review)
{
    struct ledger_look *look;

    for (uint32_t i = 0; i < ledger->look_count; i++) {
        look = &ledger->looks[i];
        if (look->role == review->role && look->lane == review->lane &&
            look->phase == review->phase) {
            return look;
        }
    }
    ledger->looks = mem_grow(ledger->looks, ledger->look_count, &ledger->look_cap,
                             sizeof *ledger->looks);
    look = &ledger->looks[ledger->look_count++];
    *look = (struct ledger_look){ .lane = review->lane, .phase = review->phase,
                                  .role = review->role };
    return look;
}

static void take_coverage(struct ledger *ledger, const struct ledger_asked *review,
                          const struct coverage *coverage)
{
    struct ledger_look *look = look_of(ledger, review);
    struct unlooked *list;

    arena_release(&look->arena);
    look->job = review->job;
    look->coverage = *coverage;
    list = arena_alloc(&look->arena, coverage->unlooked_count * sizeof *list);
    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        list[i].file = arena_copy(&look->arena, coverage->unlooked[i].file);
        list[i].tool = arena_copy(&look->arena, coverage->unlooked[i].tool);
        list[i].why = arena_copy(&look->arena, coverage->unlooked[i].why);
    }
    look->coverage.unlooked = list;
    look->coverage.hint = arena_copy(&look->arena, coverage->hint);
}

static int unlooked_order(const void *a, const void *b)
{
    const struct unlooked *left = a, *right = b;
    int rc = str_compare(left->file, right->file);

    return rc != 0 ? rc : str_compare(left->tool, right->tool);
}

struct coverage ledger_coverage(const struct ledger *ledger, struct arena *arena)
{
    struct coverage all = { 0 };
    struct unlooked *list;
    uint32_t most = 0, count = 0;

    for (uint32_t i = 0; i < ledger->look_count; i++) {
        const struct coverage *one = &ledger->looks[i].coverage;

        most += one->unlooked_count;
        if (one->files > all.files) all.files = one->files;
        if (one->unbuilt > all.unbuilt) all.unbuilt = one->unbuilt;
        if (all.hint.size == 0) all.hint = one->hint;
        all.older += one->older;
        all.baseline += one->baseline;
    }
    list = arena_alloc(arena, most * sizeof *list);
    for (uint32_t i = 0; i < ledger->look_count; i++) {
        const struct coverage *one = &ledger->looks[i].coverage;

        for (uint32_t k = 0; k < one->unlooked_count; k++) list[count++] = one->unlooked[k];
    }
    if (count > 0) qsort(list, count, sizeof *list, unlooked_order);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && unlooked_order(&list[i - 1], &list[i]) == 0) continue;
        list[all.unlooked_count++] = list[i];
    }
    all.unlooked = list;
    return all;
}

uint32_t coverage_unlooked(const struct coverage *coverage)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        count += i == 0 || !str_eq(coverage->unlooked[i].file, coverage->unlooked[i - 1].file);
    }
    return count;
}

/* ---- one review ---- */

/* What the review is about to change, for one step back. */
static void remember(const struct ledger_entry *entry, struct ledger_slot *slot, uint32_t job)
{
    free(slot->before.texts);
    slot->job = job;
    slot->fresh = false;
    slot->before = (struct before){
        .finding = entry->finding,
        .evidence = slot->evidence,
        .iteration_last = entry->iteration_last,
        .round_last = entry->round_last,
        .state = entry->state,
    };
}

static uint32_t entry_add(struct ledger *ledger, const struct ledger_asked *review,
                          uint32_t ordinal)
{
    ledger->entries = mem_grow(ledger->entries, ledger->count, &ledger->cap,
                               sizeof *ledger->entries);
    ledger->slots = mem_grow(ledger->slots, ledger->count, &ledger->slot_cap,
                             sizeof *ledger->slots);
    ledger->entries[ledger->count] = (struct ledger_entry){
        .ordinal = ordinal, .lane = review->lane, .phase = review->phase, .role = review->role,
        .iteration_first = review->iteration, .round_first = review->round,
    };
    ledger->slots[ledger->count] = (struct ledger_slot){ .job = review->job, .fresh = true };
    chain_append(ledger, ledger->count);
    return ledger->count++;
}

static void entry_report(struct ledger *ledger, const struct ledger_asked *review, uint32_t at,
                         const struct finding *finding, enum finding_state state)
{
    struct ledger_entry *entry = &ledger->entries[at];
    struct ledger_slot *slot = &ledger->slots[at];

    if (slot->texts) { /* else it is new, and there is nothing to go back to */
        remember(entry, slot, review->job);
        slot->before.texts = slot->texts;
    }
    entry->finding = *finding;
    slot->texts = texts_keep(&entry->finding);
    slot->evidence = evidence_fingerprint(finding);
    slot->review = ledger->reviews;
    entry->iteration_last = review->iteration;
    entry->round_last = review->round;
    entry->state = state;
}

/* Everything that this role, lane and phase have reported so far. */
static uint32_t list_known(const struct ledger *ledger, const struct ledger_asked *review,
                           struct match_side *out)
{
    uint32_t count = 0, next;

    for (uint32_t i = chain_of(ledger, review->lane).first; i > 0; i = next) {
        const struct finding *finding = &ledger->entries[i - 1].finding;

        next = ledger->slots[i - 1].next;
        if (!is_of(&ledger->entries[i - 1], review)) continue;
        out[count++] = (struct match_side){ .fingerprint = finding->fingerprint,
                                            .evidence = ledger->slots[i - 1].evidence,
                                            .line = finding->line, .index = i - 1 };
    }
    return count;
}

/* The findings, and behind them the notes. */
static const struct finding *reported_finding(const struct result *result, uint32_t i)
{
    return i < result->finding_count ? &result->findings[i]
                                     : &result->notes[i - result->finding_count];
}

static void take_findings(struct ledger *ledger, const struct ledger_asked *review,
                          const struct result *result)
{
    uint32_t count = result->finding_count + result->note_count;
    struct match_sides sides = { .reported_count = count };
    struct match *matches = mem_alloc((count + 1) * sizeof *matches);

    sides.known = mem_alloc((chain_of(ledger, review->lane).count + 1) * sizeof *sides.known);
    sides.reported = mem_alloc((count + 1) * sizeof *sides.reported);
    sides.known_count = list_known(ledger, review, sides.known);
    for (uint32_t i = 0; i < count; i++) {
        const struct finding *finding = reported_finding(result, i);

        sides.reported[i] = (struct match_side){ .fingerprint = finding->fingerprint,
                                                 .evidence = evidence_fingerprint(finding),
                                                 .line = finding->line, .index = i };
    }
    ledger_match(&sides, matches);
    for (uint32_t i = 0; i < count; i++) {
        enum finding_state state = i < result->finding_count ? FINDING_OPEN : FINDING_NOTED;
        uint32_t at = matches[i].entry;

        if (at == NO_ENTRY) {
            at = entry_add(ledger, review, matches[i].ordinal);
            ledger->entries[at].line_first = reported_finding(result, i)->line;
        }
        entry_report(ledger, review, at, reported_finding(result, i), state);
    }
    free(matches);
    free(sides.known);
    free(sides.reported);
}

/* A gate may ask one role twice in a round: neither looked again at what the other reported. */
static bool is_twins(const struct ledger_entry *entry, const struct ledger_asked *review)
{
    return review->purpose == FOR_REVIEW && entry->iteration_last == review->iteration &&
           entry->round_last == review->round;
}

static void take_review(struct ledger *ledger, const struct ledger_asked *review,
                        const struct result *result)
{
    uint32_t next;

    ledger->reviews++;
    take_coverage(ledger, review, &result->coverage);
    take_findings(ledger, review, result);
    for (uint32_t i = chain_of(ledger, review->lane).first; i > 0; i = next) {
        struct ledger_entry *entry = &ledger->entries[i - 1];
        struct ledger_slot *slot = &ledger->slots[i - 1];

        next = slot->next;
        if (!is_of(entry, review) || slot->review == ledger->reviews) continue;
        if (entry->state == FINDING_FIXED || is_twins(entry, review)) continue;
        remember(entry, slot, review->job);
        slot->before.texts = NULL; /* they are still the entry's own */
        entry->state = FINDING_FIXED;
    }
}

/* ---- taking one back ---- */

static void entry_restore(struct ledger_entry *entry, struct ledger_slot *slot)
{
    if (slot->before.texts) {
        free(slot->texts);
        slot->texts = slot->before.texts;
    }
    entry->finding = slot->before.finding;
    slot->evidence = slot->before.evidence;
    entry->iteration_last = slot->before.iteration_last;
    entry->round_last = slot->before.round_last;
    entry->state = slot->before.state;
    slot->job = 0;
    slot->before = (struct before){ .texts = NULL };
}

static bool has_changed(const struct ledger *ledger, uint32_t lane, uint32_t job)
{
    uint32_t at = chain_of(ledger, lane).first;

    while (at > 0 && ledger->slots[at - 1].job != job) at = ledger->slots[at - 1].next;
    return at > 0;
}

static void void_review(struct ledger *ledger, uint32_t lane, uint32_t job)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < ledger->look_count; i++) {
        if (ledger->looks[i].job == job) ledger->looks[i].coverage = (struct coverage){ 0 };
    }
    if (!has_changed(ledger, lane, job)) return;
    for (uint32_t i = 0; i < ledger->count; i++) {
        struct ledger_slot *slot = &ledger->slots[i];

        if (slot->job == job && slot->fresh) {
            free(slot->texts);
            free(slot->before.texts);
            continue;
        }
        if (slot->job == job) entry_restore(&ledger->entries[i], slot);
        ledger->entries[kept] = ledger->entries[i];
        ledger->slots[kept++] = *slot;
    }
    ledger->count = kept;
    for (uint32_t i = 0; i < ledger->chain_count; i++) {
        ledger->chains[i] = (struct ledger_chain){ 0 };
    }
    for (uint32_t i = 0; i < kept; i++) chain_append(ledger, i);
}

/* ---- events ---- */

static void asked_note(struct ledger *ledger, const struct action *action)
{
    uint32_t at = 0;

    while (at < ledger->asked_count && ledger->asked[at].job != action->job) at++;
    if (at == ledger->asked_count) {
        ledger->asked = mem_grow(ledger->asked, ledger->asked_count, &ledger->asked_cap,
                                 sizeof *ledger->asked);
        ledger->asked_count++;
    }
    ledger->asked[at] = (struct ledger_asked){
        .job = action->job, .attempt = action->attempt, .lane = action->lane,
        .phase = action->phase, .iteration = action->iteration, .round = action->round,
        .role = action->role, .purpose = action->purpose,
    };
}

static bool asked_take(struct ledger *ledger, const struct event *event, struct ledger_asked *out)
{
    for (uint32_t i = 0; i < ledger->asked_count; i++) {
        if (ledger->asked[i].job != event->job) continue;
        if (ledger->asked[i].attempt != event->attempt) return false;
        *out = ledger->asked[i];
        ledger->asked[i] = ledger->asked[--ledger->asked_count];
        return true;
    }
    return false;
}

/* A repair ended: what its gate has open is resolved or not, until the next review says so. Where
 * several fixers share it, in any order, one without a doubt about a finding has resolved it. */
static void take_repair(struct ledger *ledger, const struct ledger_asked *repair,
                        const struct result *result)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        struct ledger_entry *entry = &ledger->entries[i];
        struct ledger_slot *slot = &ledger->slots[i];
        const struct doubtful *doubt = doubt_find(result, &entry->finding);
        bool shared = slot->repair_iteration == repair->iteration &&
                      slot->repair_round == repair->round;

        if (entry->lane != repair->lane || entry->phase != repair->phase) continue;
        if (entry->state != FINDING_OPEN) continue;
        if (shared && entry->doubt == DOUBT_NONE) continue;
        slot->repair_iteration = repair->iteration;
        slot->repair_round = repair->round;
        entry->doubt = doubt ? doubt->why : DOUBT_NONE;
    }
}

/* What its reviewer finds no more is not unresolved. */
static void drop_doubts(struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        if (ledger->entries[i].state != FINDING_OPEN) ledger->entries[i].doubt = DOUBT_NONE;
    }
}

void ledger_note(struct ledger *ledger, const struct event *event, const struct actions *actions)
{
    enum verdict verdict = event->result.verdict;
    struct ledger_asked asked;

    if (actions->count == 0) return;
    if (event->kind == EV_ENDED && asked_take(ledger, event, &asked)) {
        if (asked.purpose == FOR_REPAIR) {
            if (verdict == VERDICT_CLEAN) take_repair(ledger, &asked, &event->result);
        } else if (verdict == VERDICT_CLEAN || verdict == VERDICT_FINDINGS) {
            take_review(ledger, &asked, &event->result);
            drop_doubts(ledger);
        }
    }
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->item[i];

        bool repair = action->purpose == FOR_REPAIR;

        if (action->kind != ACT_START) continue;
        if (action->purpose != FOR_REVIEW && action->purpose != FOR_CHECKPOINT && !repair) continue;
        if (action->attempt > 1 && !repair) void_review(ledger, action->lane, action->job);
        asked_note(ledger, action);
    }
}
