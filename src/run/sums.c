/* SPDX-License-Identifier: Apache-2.0
 *
 * sums.c - the numbers of a run's line: most are in its engine, the backends in its history, and
 * the branch in the tree that was kept before the first review. Of that file only the beginning is
 * read, since a tree can be as long as a list of all files. */
#include "run/sums.h"

#include "format/report/listing.h"
#include "io/tree/tree.h"
#include "run/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMIT_SHOWN = 7 };

static const char *scope_text(const struct run_settings *settings, struct arena *arena)
{
    if (settings->since && *settings->since) {
        return arena_printf(arena, "since %.*s", COMMIT_SHOWN, settings->since);
    }
    return settings->scope_given ? "everything" : "";
}

/* Branch and commit, of the first tree of the main lane that is kept. */
static void add_branch(const struct repo *repo, const struct run *replay,
                       const struct history *history, struct arena *arena, struct run_sums *out)
{
    const char *folder = place_run(repo, replay->row.id, arena);

    out->branch = out->commit = "";
    for (uint32_t i = 0; i < history->count; i++) {
        const struct action *start = &history->entries[i].start;
        struct tree head = { 0 };
        char name[sizeof "tree-4294967295"];
        struct err none;

        if (start->purpose != FOR_REVIEW || start->lane != 0) continue;
        if (start->round > 1) return; /* the trees of this run are gone */
        (void)snprintf(name, sizeof name, "tree-%" PRIu32, start->job);
        if (tree_load_head(&head, folder, name, &none) == 0) {
            out->branch = arena_cstr(arena, head.branch);
            out->commit = arena_cstr(arena, str_of(head.head));
        }
        tree_release(&head);
        if (*out->branch) return;
    }
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void add_agents(const struct history *history, struct arena *arena, struct run_sums *out)
{
    const char **names = NULL;
    uint32_t count = 0, cap = 0;

    for (uint32_t i = 0; i < history->count; i++) {
        const char *by = history->entries[i].by;
        uint32_t at = 0;

        while (at < count && strcmp(names[at], by) != 0) at++;
        if (!*by || at < count) continue;
        names = arena_grow(arena, names, count, &cap, sizeof *names);
        names[count++] = arena_cstr(arena, str_of(by));
    }
    if (count > 0) qsort(names, count, sizeof *names, compare_names);
    out->agents = names;
    out->agent_count = count;
}

static bool is_asking(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (engine->lanes[i].question != ASK_NOTHING) return true;
    }
    return false;
}

void sums_of(const struct repo *repo, const struct run *replay, const struct history *history,
             struct arena *arena, struct run_sums *out)
{
    const struct engine *engine = &replay->engine;
    struct listing_counts counts = ledger_faults(&engine->ledger);

    *out = (struct run_sums){
        .known = true,
        .found = counts.total,
        .fixed = counts.states[FINDING_FIXED],
        .left = counts.open_count,
        .noted = counts.states[FINDING_NOTED],
        .waived = counts.states[FINDING_WAIVED],
        .rounds = engine->round_count,
        .calls = engine->calls,
        .tokens = amount_sum(engine->usage.tokens_in, engine->usage.tokens_out),
        .cost_micros = engine->usage.cost_micros,
        .took_ms = engine->active_ms,
        .asks = is_asking(engine),
        .scope = scope_text(&replay->settings, arena),
    };
    memcpy(out->open, counts.open, sizeof out->open);
    add_branch(repo, replay, history, arena, out);
    add_agents(history, arena, out);
}

void sums_read(struct look *look, const struct journal_run *run, struct run_sums *out)
{
    struct history history = { 0 };
    struct run replay = { 0 };
    struct err none;

    *out = (struct run_sums){ .known = false };
    if (run_load(&replay, run, &none) == 0 &&
        run_replay(&replay, look->journal, history_visit, &history, &none) == 0) {
        sums_of(&look->repo, &replay, &history, &look->arena, out);
    }
    history_release(&history);
    run_release(&replay);
}

const char *row_standing(const struct run_row *row)
{
    switch (standing_of(&row->run, row->alive)) {
    case STANDING_RUNNING: return row->sums.asks ? "waiting" : "running";
    case STANDING_CRASHED: return "crashed";
    case STANDING_ENDED: break;
    }
    return row->run.reason == REASON_WAITING || row->run.reason == REASON_ESCALATED ? "waiting"
                                                                                    : "ended";
}
