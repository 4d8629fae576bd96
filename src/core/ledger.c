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
 * Which of the findings that are known a review reports again is said by core/identity.c: those
 * told in the same words by evidence and line, the rest by how alike words and places are. Lines
 * are compared as they were reported: no event says how an edit moved them.
 *
 * 6. An entry keeps the fingerprint and the ordinal of its first report, its name in the run, when
 *    later reports use other words. */
#include "core/ledger.h"

#include "base/mem.h"
#include "core/identity.h"

#include <stdlib.h>
#include <string.h>

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
        if (one->generated > all.generated) all.generated = one->generated;
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
        .iteration_last = entry->iteration_last,
        .round_last = entry->round_last,
        .state = entry->state,
    };
}

static uint32_t entry_add(struct ledger *ledger, const struct ledger_asked *review,
                          const struct finding *finding, uint32_t ordinal)
{
    ledger->entries = mem_grow(ledger->entries, ledger->count, &ledger->cap,
                               sizeof *ledger->entries);
    ledger->slots = mem_grow(ledger->slots, ledger->count, &ledger->slot_cap,
                             sizeof *ledger->slots);
    ledger->entries[ledger->count] = (struct ledger_entry){
        .fingerprint = finding->fingerprint, .ordinal = ordinal, .line_first = finding->line,
        .lane = review->lane, .phase = review->phase, .role = review->role,
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
    slot->review = ledger->reviews;
    entry->iteration_last = review->iteration;
    entry->round_last = review->round;
    entry->state = state;
}

/* Everything that this role, lane and phase have reported so far; out has room for the lane's. */
static uint32_t list_known(const struct ledger *ledger, const struct ledger_asked *review,
                           uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = chain_of(ledger, review->lane).first; i > 0; i = ledger->slots[i - 1].next) {
        if (is_of(&ledger->entries[i - 1], review)) out[count++] = i - 1;
    }
    return count;
}

/* The findings, and behind them the notes. */
static const struct finding *reported_finding(const struct result *result, uint32_t i)
{
    return i < result->finding_count ? &result->findings[i]
                                     : &result->notes[i - result->finding_count];
}

/* An entry, or a finding that becomes one. */
struct name {
    uint64_t fingerprint;
    bool is_new;
    uint32_t line, index;
};

static int compare_prints(const void *one, const void *other)
{
    const struct name *x = one, *y = other;

    return (x->fingerprint > y->fingerprint) - (x->fingerprint < y->fingerprint);
}

static int compare_names(const void *one, const void *other)
{
    const struct name *x = one, *y = other;
    int rc = compare_prints(x, y);

    if (rc != 0) return rc;
    if (x->is_new != y->is_new) return x->is_new - y->is_new;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* One review's findings, and what is known of its role, lane and phase. */
struct triage {
    const struct result *result;
    uint32_t count, known_count;
    uint32_t *known;    /* entries */
    uint32_t *matches;  /* for each finding, of known; IDENTITY_NONE: it is new ... */
    uint32_t *ordinals; /* ... with this ordinal */
};

static void triage_match(const struct ledger *ledger, struct triage *triage)
{
    const struct finding **findings = mem_alloc((triage->count + (size_t)triage->known_count) *
                                                sizeof(void *));

    for (uint32_t i = 0; i < triage->known_count; i++) {
        findings[i] = &ledger->entries[triage->known[i]].finding;
    }
    for (uint32_t i = 0; i < triage->count; i++) {
        findings[triage->known_count + i] = reported_finding(triage->result, i);
    }
    identity_match(&(struct identity_sides){ .known = findings,
                                             .reported = findings + triage->known_count,
                                             .known_count = triage->known_count,
                                             .reported_count = triage->count }, triage->matches);
    free(findings);
}

/* The ordinal of each new one: how many of its fingerprint are before it. */
static void triage_number(const struct ledger *ledger, struct triage *triage)
{
    struct name *names = mem_alloc((triage->count + (size_t)triage->known_count) * sizeof *names);
    uint32_t count = 0, new_count, nth = 0;

    for (uint32_t i = 0; i < triage->count; i++) {
        const struct finding *finding = reported_finding(triage->result, i);

        if (triage->matches[i] != IDENTITY_NONE) continue;
        names[count++] = (struct name){ finding->fingerprint, true, finding->line, i };
    }
    new_count = count;
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < triage->known_count && new_count > 0; i++) {
        struct name name = { .fingerprint = ledger->entries[triage->known[i]].fingerprint };

        if (bsearch(&name, names, new_count, sizeof name, compare_prints)) names[count++] = name;
    }
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < count; i++) {
        nth = i > 0 && names[i].fingerprint == names[i - 1].fingerprint ? nth + 1 : 0;
        if (names[i].is_new) triage->ordinals[names[i].index] = nth;
    }
    free(names);
}

static void take_findings(struct ledger *ledger, const struct ledger_asked *review,
                          const struct result *result)
{
    struct triage triage = { .result = result,
                             .count = result->finding_count + result->note_count };
    size_t lane_count = chain_of(ledger, review->lane).count;

    if (triage.count == 0) return;
    triage.known = mem_alloc((lane_count + 2 * (size_t)triage.count) * sizeof *triage.known);
    triage.matches = triage.known + lane_count;
    triage.ordinals = triage.matches + triage.count;
    triage.known_count = list_known(ledger, review, triage.known);
    triage_match(ledger, &triage);
    triage_number(ledger, &triage);
    for (uint32_t i = 0; i < triage.count; i++) {
        enum finding_state state = i < result->finding_count ? FINDING_OPEN : FINDING_NOTED;
        const struct finding *finding = reported_finding(result, i);
        uint32_t at;

        if (triage.matches[i] != IDENTITY_NONE) at = triage.known[triage.matches[i]];
        else at = entry_add(ledger, review, finding, triage.ordinals[i]);
        entry_report(ledger, review, at, finding, state);
    }
    free(triage.known);
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
        if (is_of(entry, review) && slot->review != ledger->reviews &&
            entry->state != FINDING_FIXED && !is_twins(entry, review)) {
            remember(entry, slot, review->job);
            slot->before.texts = NULL; /* they are still the entry's own */
            entry->state = FINDING_FIXED;
        }
        if (entry->state != FINDING_OPEN) entry->doubt = DOUBT_NONE; /* found no more */
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
    uint32_t next;

    for (uint32_t i = chain_of(ledger, repair->lane).first; i > 0; i = next) {
        struct ledger_entry *entry = &ledger->entries[i - 1];
        struct ledger_slot *slot = &ledger->slots[i - 1];
        const struct doubtful *doubt = doubt_find(result, &entry->finding);
        bool shared = slot->repair_iteration == repair->iteration &&
                      slot->repair_round == repair->round;

        next = slot->next;
        if (entry->phase != repair->phase || entry->state != FINDING_OPEN) continue;
        if (shared && entry->doubt == DOUBT_NONE) continue;
        slot->repair_iteration = repair->iteration;
        slot->repair_round = repair->round;
        entry->doubt = doubt ? doubt->why : DOUBT_NONE;
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
        } else if (verdict == VERDICT_NOT_PLAYED) {
            take_coverage(ledger, &asked, &event->result.coverage);
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

/* ---- several roles ---- */

struct voter {
    uint32_t lane, phase, entry;
};

static int compare_voters(const void *one, const void *other)
{
    const struct voter *x = one, *y = other;

    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    if (x->phase != y->phase) return x->phase < y->phase ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* The entries of one lane and phase. */
static void group_panel(struct ledger *ledger, const struct voter *voters, uint32_t count)
{
    const struct finding **findings = mem_alloc(count * sizeof(void *));
    uint32_t *roles = mem_alloc(2 * (size_t)count * sizeof *roles), *groups = roles + count;

    for (uint32_t i = 0; i < count; i++) {
        findings[i] = &ledger->entries[voters[i].entry].finding;
        roles[i] = ledger->entries[voters[i].entry].role;
    }
    identity_group(&(struct identity_reports){ findings, roles, count }, groups);
    for (uint32_t i = 0; i < count; i++) {
        ledger->entries[voters[i].entry].group = voters[groups[i]].entry + 1;
    }
    free(findings);
    free(roles);
}

void ledger_group(struct ledger *ledger)
{
    struct voter *voters = mem_alloc((ledger->count + (size_t)1) * sizeof *voters);
    uint32_t first = 0;

    for (uint32_t i = 0; i < ledger->count; i++) {
        voters[i] = (struct voter){ ledger->entries[i].lane, ledger->entries[i].phase, i };
        ledger->entries[i].votes = 0;
    }
    if (ledger->count > 0) qsort(voters, ledger->count, sizeof *voters, compare_voters);
    for (uint32_t i = 1; i <= ledger->count; i++) {
        if (i < ledger->count && voters[i].lane == voters[first].lane &&
            voters[i].phase == voters[first].phase) continue;
        group_panel(ledger, voters + first, i - first);
        first = i;
    }
    for (uint32_t i = 0; i < ledger->count; i++) {
        ledger->entries[ledger->entries[i].group - 1].votes++;
    }
    for (uint32_t i = 0; i < ledger->count; i++) {
        ledger->entries[i].votes = ledger->entries[ledger->entries[i].group - 1].votes;
    }
    free(voters);
}
