/* SPDX-License-Identifier: Apache-2.0
 *
 * across.c - findings followed over the runs of a repository.
 *
 *   runs, oldest first --> each replayed --> its ledger --> what is one fault in it --> matched
 *   with what is known of earlier runs (core/identity.h) --> a trace for each, with its sightings
 *
 * No journal says that a finding of one run is a finding of another: both are known by their words
 * and places alone, and lines are compared as they were. So a finding whose file changed much
 * between two runs, and that is told in other words, begins a new trace.
 *
 * 1. All events of all runs are read.
 * 2. Bounded: of more than RUNS_MAX runs the newest are read, of more than TRACES_MAX findings the
 *    first are followed, and what was left out is counted.
 * 3. What several phases or lanes of a run report is one sighting, as open as the most open. */
#include "run/across.h"

#include "base/clock.h"
#include "base/mem.h"
#include "core/identity.h"
#include "format/text/pattern.h"
#include "io/file/file.h"
#include "run/finding_id.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 500, TRACES_MAX = 20000 };

static bool run_collect(void *context, const struct journal_run *run)
{
    struct across *across = context;

    if (across->run_count == RUNS_MAX) {
        across->left_out++;
        return true;
    }
    across->runs = mem_grow(across->runs, across->run_count, &across->run_cap,
                            sizeof *across->runs);
    across->runs[across->run_count++] = *run;
    return true;
}

static void runs_reverse(struct across *across)
{
    for (uint32_t i = 0; i < across->run_count / 2; i++) {
        struct journal_run run = across->runs[i];

        across->runs[i] = across->runs[across->run_count - 1 - i];
        across->runs[across->run_count - 1 - i] = run;
    }
}

/* ---- following ---- */

/* What one run says of one fault. */
struct report {
    const struct ledger_entry *entry;
    enum finding_state state; /* the most open of all that are about it */
};

static void trace_see(struct across *across, uint32_t at, uint32_t run,
                      const struct report *report)
{
    struct trace *trace = &across->traces[at];
    char id[LISTING_ID_BYTES];

    trace->finding = finding_copy(&report->entry->finding, &across->arena);
    trace->seen = arena_grow(&across->arena, trace->seen, trace->count, &trace->cap,
                             sizeof *trace->seen);
    trace->seen[trace->count++] = (struct sighting){
        .run = run, .state = report->state, .line = report->entry->finding.line,
        .id = arena_cstr(&across->arena, str_of(listing_id(report->entry, true, id))),
    };
}

/* The faults of a run: what its phases and lanes say of one is one report. */
static uint32_t reports_make(const struct listing *listing, const struct plan *plan,
                             struct arena *arena, struct report *out)
{
    uint32_t count = listing->count, kept = 0;
    const struct finding **findings = arena_alloc(arena, (count + 1) * sizeof(void *));
    uint32_t *voters = arena_alloc(arena, 3 * (count + (size_t)1) * sizeof *voters);
    uint32_t *groups = voters + count + 1, *places = groups + count + 1;

    for (uint32_t i = 0; i < count; i++) {
        findings[i] = &listing->items[i]->finding;
        voters[i] = listing->items[i]->lane * plan->phase_count + listing->items[i]->phase;
    }
    identity_group(&(struct identity_reports){ findings, voters, count, NULL }, groups);
    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = listing->items[i];

        if (groups[i] == i) {
            places[i] = kept;
            out[kept++] = (struct report){ entry, entry->state };
        } else if (entry->state < out[places[groups[i]]].state) {
            out[places[groups[i]]].state = entry->state;
        }
    }
    return kept;
}

static void reports_follow(struct across *across, uint32_t run, const struct report *reports,
                           uint32_t count)
{
    uint32_t known = across->count;
    const struct finding **sides = mem_alloc((known + (size_t)count + 1) * sizeof(void *));
    uint32_t *matches = mem_alloc((count + (size_t)1) * sizeof *matches);

    for (uint32_t i = 0; i < known; i++) sides[i] = &across->traces[i].finding;
    for (uint32_t i = 0; i < count; i++) sides[known + i] = &reports[i].entry->finding;
    identity_match(&(struct identity_sides){ .known = sides, .reported = sides + known,
                                             .known_count = known, .reported_count = count },
                   matches);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = matches[i];

        if (at == IDENTITY_NONE && across->count == TRACES_MAX) {
            across->unfollowed++;
            continue;
        }
        if (at == IDENTITY_NONE) {
            across->traces = mem_grow(across->traces, across->count, &across->cap,
                                      sizeof *across->traces);
            at = across->count++;
            across->traces[at] = (struct trace){ .count = 0 };
        }
        trace_see(across, at, run, &reports[i]);
    }
    free(sides);
    free(matches);
}

static void run_follow(struct across *across, struct journal *journal, uint32_t at)
{
    const struct ledger_entry *const *entries;
    struct listing listing = { .count = 0 };
    struct run replay = { 0 };
    struct report *reports;
    uint32_t count;
    struct err none;

    if (run_load(&replay, &across->runs[at], &none) != 0 ||
        run_replay(&replay, journal, NULL, NULL, &none) != 0) {
        across->unread++;
        run_release(&replay);
        return;
    }
    count = ledger_list(&replay.engine.ledger, &replay.arena, &entries);
    for (uint32_t i = 0; i < count; i++) listing_add(&listing, entries[i]);
    listing_merge(&listing, &replay.arena);
    reports = arena_alloc(&replay.arena, (listing.count + 1) * sizeof *reports);
    count = reports_make(&listing, &replay.plan, &replay.arena, reports);
    reports_follow(across, at, reports, count);
    listing_release(&listing);
    run_release(&replay);
}

/* ---- choosing ---- */

const struct sighting *trace_last(const struct trace *trace)
{
    return &trace->seen[trace->count - 1];
}

static bool trace_fits(const struct trace *trace, const struct finding_filter *filter,
                       const char *id)
{
    const struct finding *finding = &trace->finding;

    if (!filter->states[trace_last(trace)->state]) return false;
    if (finding->severity < filter->severity_min) return false;
    if (filter->file.size > 0 && !pattern_matches(filter->file, finding->file)) return false;
    for (uint32_t i = 0; id && i < trace->count; i++) {
        if (finding_id_fits(str_of(trace->seen[i].id), str_of(id))) return true;
    }
    return !id;
}

/* What was seen last comes first, and of one run what is open. */
static int compare_traces(const void *one, const void *other)
{
    const struct trace *a = one, *b = other;
    const struct sighting *last_a = trace_last(a), *last_b = trace_last(b);
    int order = (last_a->run < last_b->run) - (last_a->run > last_b->run);

    if (order == 0) order = (last_a->state > last_b->state) - (last_a->state < last_b->state);
    if (order == 0) {
        order = (a->finding.severity < b->finding.severity) -
                (a->finding.severity > b->finding.severity);
    }
    if (order == 0) order = str_compare(a->finding.file, b->finding.file);
    if (order == 0) order = (last_a->line > last_b->line) - (last_a->line < last_b->line);
    return order != 0 ? order : strcmp(last_a->id, last_b->id);
}

static void traces_choose(struct across *across, const struct finding_filter *filter,
                          const char *id)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < across->count; i++) {
        if (trace_fits(&across->traces[i], filter, id)) across->traces[kept++] = across->traces[i];
    }
    across->count = kept;
    if (kept > 0) qsort(across->traces, kept, sizeof *across->traces, compare_traces);
}

/* ---- the whole ---- */

int across_read(struct journal *journal, const struct finding_filter *filter, const char *id,
                struct across *out, struct err *err)
{
    uint64_t began_ms = now_steady_ms();
    int rc;

    *out = (struct across){ .count = 0 };
    rc = journal_runs(journal, &out->arena, run_collect, out, err);
    if (rc != 0) return rc;
    runs_reverse(out);
    for (uint32_t i = 0; i < out->run_count; i++) run_follow(out, journal, i);
    traces_choose(out, filter, id);
    out->took_ms = now_steady_ms() - began_ms;
    if (!id || out->count > 0) return 0;
    return err_set(err, ERR_USAGE, "no run of this repository has a finding that begins with "
                   "'%.60s'; 'hone findings --across' shows all", id);
}

void across_release(struct across *across)
{
    free(across->traces);
    free(across->runs);
    arena_release(&across->arena);
    *across = (struct across){ .count = 0 };
}
