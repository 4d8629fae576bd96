/* SPDX-License-Identifier: Apache-2.0
 *
 * replayed.c - runs that are kept replayed: the engine that the run itself has, fed with the same
 * events as they come.
 *
 * 1. A kept run has the journal's events up to row.event_count, and no more: both are read in one
 *    hold of the journal (store/journal.h).
 * 2. Runs at work stay as long as they work; of the others the few that were asked for last. */
#include "follow/parts.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- one of them ---- */

void replayed_close(struct row *row)
{
    struct replayed *replayed = row->replayed;

    row->replayed = NULL;
    if (!replayed) return;
    replayed->run.journal = NULL; /* the place's */
    history_release(&replayed->history);
    run_release(&replayed->run);
    arena_release(&replayed->look.arena);
    free(replayed->rounds);
    free(replayed);
}

static void mirror(struct replayed *replayed, const struct row *row)
{
    replayed->look.run = row->row.run;
    replayed->look.alive = row->row.alive;
    replayed->run.row.updated_ms = row->row.run.updated_ms;
    replayed->run.row.reason = row->row.run.reason;
    replayed->run.row.event_count = row->row.run.event_count;
}

struct feed {
    struct replayed *replayed;
    struct changes *changes; /* of events behind ... */
    uint64_t behind;         /* ... this one; NULL: all is known already */
    uint64_t last;           /* the event that ends it */
};

static void note_entry(struct changes *changes, uint32_t at)
{
    for (uint32_t i = changes->entry_count; i-- > 0;) {
        if (changes->entries[i] == at) return;
    }
    changes->entries = mem_grow(changes->entries, changes->entry_count, &changes->entry_cap,
                                sizeof *changes->entries);
    changes->entries[changes->entry_count++] = at;
}

/* Which rounds differ from those that were last told; they are told now. */
static void note_rounds(struct replayed *replayed, struct changes *out)
{
    const struct engine *engine = &replayed->run.engine;

    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];

        if (i < replayed->round_count &&
            memcmp(&replayed->rounds[i], round, sizeof *round) == 0) continue;
        if (i >= replayed->round_count) {
            replayed->rounds = mem_grow(replayed->rounds, replayed->round_count,
                                        &replayed->round_cap, sizeof *replayed->rounds);
            replayed->round_count++;
        }
        replayed->rounds[i] = *round;
        if (!out) continue;
        out->rounds = mem_grow(out->rounds, out->round_count, &out->round_cap,
                               sizeof *out->rounds);
        out->rounds[out->round_count++] = i;
    }
}

static void note_attempt(const struct feed *feed, uint32_t job, uint32_t attempt)
{
    const struct history *history = &feed->replayed->history;
    const struct entry *entry = history_find(history, job, attempt);

    if (entry) note_entry(feed->changes, (uint32_t)(entry - history->entries));
}

static bool on_fed(void *context, const struct run *run, uint64_t sequence,
                   const struct event *event, const struct actions *actions)
{
    const struct feed *feed = context;

    history_visit(&feed->replayed->history, run, sequence, event, actions);
    if (sequence == feed->behind) note_rounds(feed->replayed, NULL);
    if (feed->changes && sequence > feed->behind) {
        if (event->kind == EV_ENDED) note_attempt(feed, event->job, event->attempt);
        for (uint32_t i = 0; i < actions->count; i++) {
            const struct action *action = &actions->item[i];
            if (action->kind == ACT_START) note_attempt(feed, action->job, action->attempt);
        }
    }
    return sequence < feed->last;
}

/* Feeds what the row has and it has not. */
static int feed_events(struct replayed *replayed, uint64_t behind, struct changes *out,
                       struct err *err)
{
    struct feed feed = { .replayed = replayed, .changes = out, .behind = behind,
                         .last = replayed->whole.row->run.event_count };
    int rc = 0;

    if (feed.last > replayed->run.event_count) {
        rc = run_catch_up(&replayed->run, replayed->look.journal, on_fed, &feed, err);
    }
    note_rounds(replayed, out);
    return rc;
}

struct replayed *replayed_open(struct follow *follow, struct place *place, struct row *row,
                       uint64_t behind, struct changes *out, struct err *err)
{
    struct replayed *replayed = row->replayed;
    bool fresh = !replayed;
    int rc = 0;

    if (fresh) {
        replayed = mem_alloc(sizeof *replayed);
        replayed->look = place->look;
        replayed->look.arena = (struct arena){ 0 };
        replayed->whole = (struct follow_run){
            .repo = (uint32_t)(place - follow->places), .row = &row->row, .look = &replayed->look,
            .replay = &replayed->run, .history = &replayed->history,
        };
        row->replayed = replayed;
        rc = run_load(&replayed->run, &row->row.run, err);
    }
    if (rc == 0) rc = feed_events(replayed, behind, out, err);
    if (rc != 0) {
        replayed_close(row);
        return NULL;
    }
    if (fresh) replayed_trim(follow, row);
    mirror(replayed, row);
    replayed->used = ++follow->uses;
    return replayed;
}

/* ---- which of them ---- */

static bool is_working(const struct row *row)
{
    return row->row.alive;
}

/* The one that was used the longest ago, of those that work or of those that rest. */
static struct row *oldest(const struct follow *follow, const struct row *wanted, bool working,
                          uint32_t *count)
{
    struct row *found = NULL;

    *count = 0;
    for (uint32_t i = 0; i < follow->count; i++) {
        const struct place *place = &follow->places[i];
        for (uint32_t k = 0; k < place->row_count; k++) {
            struct row *row = place->rows[k];
            if (!row->replayed || is_working(row) != working) continue;
            ++*count;
            if (row == wanted) continue;
            if (!found || row->replayed->used < found->replayed->used) found = row;
        }
    }
    return found;
}

void replayed_trim(struct follow *follow, const struct row *wanted)
{
    static const uint32_t most[] = { FOLLOW_RESTING_MAX, FOLLOW_WORKING_MAX };

    for (int working = 0; working < 2; working++) {
        uint32_t count;
        struct row *row;

        while ((row = oldest(follow, wanted, working != 0, &count)) && count > most[working]) {
            growing_forget(follow, row);
            replayed_close(row);
        }
    }
}

/* ---- sums ---- */

void row_sum(struct place *place, struct row *row)
{
    struct replayed *replayed = row->replayed;

    if (row->summed == row->row.run.event_count + 1) return;
    arena_release(&row->sums);
    if (replayed) {
        sums_of(&place->look.repo, &replayed->run, &replayed->history, &row->sums, &row->row.sums);
    } else {
        struct look look = place->look;

        look.arena = row->sums;
        sums_read(&look, &row->row.run, &row->row.sums);
        row->sums = look.arena;
    }
    row->summed = row->row.run.event_count + 1;
}
