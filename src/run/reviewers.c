/* SPDX-License-Identifier: Apache-2.0
 *
 * reviewers.c - runs replayed one after the other, and what their ledgers say of each reviewer.
 *
 *   journal --> run --> events --> reviews: calls, looks, usage
 *                         '------> ledger:  who reported what, and what became of it
 *
 * 1. A fault counts once for each reviewer that reported it, in all rounds of a run.
 * 2. For the measure of what a look misses (core/measure.h) the first two looks of a gate count. A
 *    recheck is no look, and findings that the user gave a run to begin with are of no look.
 * 3. A run that cannot be read is left out and counted.
 *
 * Not here: how it is shown (cmd/reviewers.c). */
#include "run/reviewers.h"

#include "base/clock.h"
#include "base/mem.h"
#include "run/history.h"

#include <stdlib.h>
#include <string.h>

/* One look at the whole change. */
struct seen {
    uint32_t lane, phase, iteration, round, eye;
};

/* One run at work. */
struct reading {
    struct reviewers *out;
    bool given;         /* its first round is what the user chose: no reviewer reported it */
    struct history history;
    struct seen *looks; /* each once, in the order they ended */
    uint32_t look_count, look_cap;
};

static struct reviewer *reviewer_of(struct reviewers *out, const char *role, struct str by)
{
    for (uint32_t i = 0; i < out->count; i++) {
        struct reviewer *item = &out->items[i];
        if (strcmp(item->role, role) == 0 && str_is(by, item->by)) return item;
    }
    out->items = mem_grow(out->items, out->count, &out->cap, sizeof *out->items);
    out->items[out->count] = (struct reviewer){
        .role = arena_cstr(&out->arena, str_of(role)), .by = arena_cstr(&out->arena, by),
    };
    return &out->items[out->count++];
}

/* ---- its reviews ---- */

static void note_look(struct reading *reading, const struct action *start)
{
    struct seen look = { .lane = start->lane, .phase = start->phase, .round = start->round,
                         .iteration = start->iteration, .eye = start->eye };

    if (start->recheck) return;
    for (uint32_t i = 0; i < reading->look_count; i++) {
        const struct seen *known = &reading->looks[i];
        if (known->lane == look.lane && known->phase == look.phase &&
            known->iteration == look.iteration && known->round == look.round) return;
    }
    reading->looks = mem_grow(reading->looks, reading->look_count, &reading->look_cap,
                              sizeof *reading->looks);
    reading->looks[reading->look_count++] = look;
}

static bool note_event(void *context, const struct run *run, uint64_t sequence,
                       const struct event *event, const struct actions *actions)
{
    struct reading *reading = context;
    const struct result *result = &event->result;
    const struct entry *entry;
    struct reviewer *reviewer;

    (void)sequence;
    if (event->kind == EV_START) reading->given = event->result.finding_count > 0;
    history_note(&reading->history, event, actions);
    entry = event->kind == EV_ENDED && actions->count > 0
                ? history_find(&reading->history, event->job, event->attempt) : NULL;
    if (!entry || entry->start.purpose != FOR_REVIEW) return true;
    reviewer = reviewer_of(reading->out, run->plan.roles[entry->start.role].name, result->by);
    reviewer->calls++;
    usage_add(&reviewer->usage, &result->usage);
    if (result->verdict != VERDICT_CLEAN && result->verdict != VERDICT_FINDINGS) return true;
    reviewer->looked++;
    note_look(reading, &entry->start);
    return true;
}

/* ---- its ledger ---- */

static bool was_accepted(const struct ledger_entry *entry)
{
    return entry->state != FINDING_NOTED && entry->state != FINDING_WAIVED;
}

static bool is_given(const struct reading *reading, const struct ledger_entry *entry,
                     const struct vote *vote)
{
    return reading->given && entry->lane == 0 && vote->iteration == 1 && vote->round == 1;
}

static void add_entry(const struct reading *reading, const struct run *run,
                      const struct ledger_entry *entry)
{
    uint32_t votes = 0;

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        votes += !is_given(reading, entry, &entry->votes[i]);
    }
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];
        struct reviewer *reviewer;

        if (is_given(reading, entry, vote)) continue;
        reviewer = reviewer_of(reading->out, run->plan.roles[vote->role].name, vote->by);
        reviewer->found++;
        reviewer->alone += votes == 1;
        reviewer->confirmed += votes > 1;
        reviewer->accepted += was_accepted(entry);
        reviewer->declined += entry->doubt == DOUBT_DECLINED;
        reviewer->fixed += entry->state == FINDING_FIXED;
        reviewer->regressed += entry->regressions > 0;
    }
}

/* The gate's next look behind this one; NULL: there is none. */
static const struct seen *look_behind(const struct reading *reading, const struct seen *look)
{
    for (const struct seen *next = look + 1; next < reading->looks + reading->look_count; next++) {
        if (next->lane == look->lane && next->phase == look->phase &&
            next->iteration == look->iteration) return next;
    }
    return NULL;
}

static bool is_first_look(const struct reading *reading, const struct seen *look)
{
    for (const struct seen *one = reading->looks; one < look; one++) {
        if (look_behind(reading, one) == look) return false;
    }
    return true;
}

static void measure_looks(struct reading *reading, const struct seen *first,
                          const struct seen *second, const struct ledger_entry *const *entries,
                          uint32_t count)
{
    struct measure *measure = &reading->out->measure;

    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = entries[i];

        if (entry->lane != first->lane || entry->phase != first->phase ||
            entry->iteration_first != first->iteration) continue;
        if (entry->finding.severity != SEVERITY_HIGH || entry->cause_round > 0) continue;
        if (!was_accepted(entry) || entry->doubt == DOUBT_DECLINED) continue;
        if (entry->round_first == first->round) measure->first++;
        else if (entry->round_first != second->round) continue;
        else if (second->eye == first->eye) measure->later_same++;
        else measure->later_other++;
    }
}

static void add_run(struct reading *reading, const struct run *run)
{
    const struct ledger_entry *const *entries;
    struct arena arena = { 0 };
    uint32_t count = ledger_list(&run->engine.ledger, &arena, &entries);
    bool twice = false;

    for (uint32_t i = 0; i < count; i++) add_entry(reading, run, entries[i]);
    for (uint32_t i = 0; i < reading->look_count; i++) {
        const struct seen *first = &reading->looks[i], *second = look_behind(reading, first);

        if (!second || !is_first_look(reading, first)) continue;
        measure_looks(reading, first, second, entries, count);
        twice = true;
    }
    reading->out->measure.runs += twice;
    arena_release(&arena);
}

/* ---- the journal ---- */

/* Runs are collected first: no other query may run during the walk. */
struct rows {
    struct journal_run *items;
    uint32_t count, cap;
    const struct reviewers_bounds *bounds;
};

static bool run_collect(void *context, const struct journal_run *run)
{
    struct rows *rows = context;
    char iso[CLOCK_ISO_BYTES];

    if (rows->bounds->since &&
        strcmp(clock_iso(run->created_ms, iso), rows->bounds->since) < 0) return true;
    if (rows->bounds->dialect && strcmp(run->dialect, rows->bounds->dialect) != 0) return true;
    rows->items = mem_grow(rows->items, rows->count, &rows->cap, sizeof *rows->items);
    rows->items[rows->count++] = *run;
    return rows->bounds->runs_max == 0 || rows->count < rows->bounds->runs_max;
}

static void read_run(struct reviewers *out, struct journal *journal, const struct journal_run *row)
{
    struct reading reading = { .out = out };
    struct run run = { 0 };
    struct err none;

    if (run_load(&run, row, &none) == 0 &&
        run_replay(&run, journal, note_event, &reading, &none) == 0) {
        add_run(&reading, &run);
        out->runs++;
        out->calls = amount_sum(out->calls, run.engine.calls);
        out->active_ms = amount_sum(out->active_ms, run.engine.active_ms);
        usage_add(&out->usage, &run.engine.usage);
    } else {
        out->unread++;
    }
    run_release(&run);
    history_release(&reading.history);
    free(reading.looks);
}

static int compare_reviewers(const void *one, const void *other)
{
    const struct reviewer *a = one, *b = other;
    int order = (a->found < b->found) - (a->found > b->found);

    if (order == 0) order = strcmp(a->role, b->role);
    return order != 0 ? order : strcmp(a->by, b->by);
}

int reviewers_read(struct journal *journal, const struct reviewers_bounds *bounds,
                   struct reviewers *out, struct err *err)
{
    struct rows rows = { .bounds = bounds };
    struct arena arena = { 0 };
    int rc;

    *out = (struct reviewers){ .count = 0 };
    rc = journal_runs(journal, &arena, run_collect, &rows, err);
    for (uint32_t i = 0; rc == 0 && i < rows.count; i++) read_run(out, journal, &rows.items[i]);
    if (out->count > 0) qsort(out->items, out->count, sizeof *out->items, compare_reviewers);
    free(rows.items);
    arena_release(&arena);
    return rc;
}

void reviewers_release(struct reviewers *reviewers)
{
    free(reviewers->items);
    arena_release(&reviewers->arena);
    *reviewers = (struct reviewers){ .count = 0 };
}
