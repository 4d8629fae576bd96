/* SPDX-License-Identifier: Apache-2.0
 *
 * replayed.c - runs that are kept replayed: the engine that the run itself has, fed with the same
 * events as they come.
 *
 * 1. A kept run has events of the journal up to row.event_count, and no more: what is shown of it
 *    agrees with its row. A long one is read in steps, and shown when it has them all.
 * 2. Runs at work stay as long as they work; of the others the few that were asked for last. */
#include "follow/parts.h"

#include "base/mem.h"
#include "io/file/file.h"

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
    struct row *row;
    uint64_t last;     /* the event that ends it */
    uint64_t until_ms; /* or this moment */
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

/* Of one round at two times: what never changes in it is left out. */
static bool is_same_round(const struct round *a, const struct round *b)
{
    return a->ended_ms == b->ended_ms && a->repaired_ms == b->repaired_ms &&
           a->verdict == b->verdict && a->finding_count == b->finding_count &&
           a->untouched == b->untouched;
}

/* Which rounds differ from those that were last told; they are told now. */
static void note_rounds(struct replayed *replayed, struct changes *out)
{
    const struct engine *engine = &replayed->run.engine;

    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];

        if (i < replayed->round_count &&
            is_same_round(&replayed->rounds[i], round)) continue;
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

static void note_attempt(struct row *row, uint32_t job, uint32_t attempt)
{
    const struct history *history = &row->replayed->history;
    const struct entry *entry = history_find(history, job, attempt);

    if (entry) note_entry(&row->changes, (uint32_t)(entry - history->entries));
}

static bool on_fed(void *context, const struct run *run, uint64_t sequence,
                   const struct event *event, const struct actions *actions)
{
    const struct feed *feed = context;
    struct row *row = feed->row;

    history_visit(&row->replayed->history, run, sequence, event, actions);
    if (sequence == row->told) note_rounds(row->replayed, NULL);
    if (sequence > row->told) {
        if (event->kind == EV_ENDED) note_attempt(row, event->job, event->attempt);
        for (uint32_t i = 0; i < actions->count; i++) {
            const struct action *action = &actions->item[i];
            if (action->kind == ACT_START) note_attempt(row, action->job, action->attempt);
        }
    }
    return sequence < feed->last && now_steady_ms() < feed->until_ms;
}

static int replayed_open(struct follow *follow, struct place *place, struct row *row,
                         struct err *err)
{
    struct replayed *replayed = mem_alloc(sizeof *replayed);

    replayed->look = place->look;
    replayed->look.arena = (struct arena){ 0 };
    replayed->whole = (struct follow_run){
        .repo = (uint32_t)(place - follow->places), .row = &row->row, .look = &replayed->look,
        .replay = &replayed->run, .history = &replayed->history,
    };
    row->replayed = replayed;
    history_keep(&replayed->history);
    return run_load(&replayed->run, &row->row.run, err);
}

int replayed_feed(struct follow *follow, struct place *place, struct row *row, uint64_t until_ms,
                  bool *whole, struct err *err)
{
    struct feed feed = { .row = row, .last = row->row.run.event_count, .until_ms = until_ms };
    bool fresh = !row->replayed;
    uint64_t before;
    int rc = fresh ? replayed_open(follow, place, row, err) : 0;

    *whole = false;
    before = row->replayed->run.event_count;
    if (rc == 0 && before < feed.last) {
        rc = run_catch_up(&row->replayed->run, place->look.journal, on_fed, &feed, err);
        if (rc == 0 && row->replayed->run.event_count == before) {
            rc = err_set(err, ERR_MISSING, "run %s was removed", row->row.run.id);
        }
    }
    if (rc != 0) {
        replayed_close(row);
        return rc;
    }
    row->replayed->used = ++follow->uses;
    *whole = row->replayed->run.event_count == feed.last;
    if (*whole) {
        note_rounds(row->replayed, &row->changes);
        mirror(row->replayed, row);
    }
    if (fresh) replayed_trim(follow, row);
    return 0;
}

/* ---- which of them ---- */

static bool is_working(const struct row *row)
{
    return row->row.alive;
}

/* What is kept of those that work, or of those that rest: how many, their events, and the one that
 * was used the longest ago. */
struct stock {
    uint32_t count;
    uint64_t events;
    struct row *oldest;
};

static struct stock take_stock(const struct follow *follow, const struct row *wanted, bool working)
{
    struct stock stock = { 0 };

    for (uint32_t i = 0; i < follow->count; i++) {
        const struct place *place = &follow->places[i];
        for (uint32_t k = 0; k < place->row_count; k++) {
            struct row *row = place->rows[k];
            if (!row->replayed || is_working(row) != working) continue;
            stock.count++;
            stock.events += row->replayed->run.event_count;
            if (row == wanted) continue;
            if (!stock.oldest || row->replayed->used < stock.oldest->replayed->used) {
                stock.oldest = row;
            }
        }
    }
    return stock;
}

static bool is_too_much(const struct stock *stock, bool working)
{
    if (working) return stock->count > FOLLOW_WORKING_MAX;
    return stock->count > FOLLOW_RESTING_MAX ||
           (stock->count > 1 && stock->events > FOLLOW_RESTING_EVENTS_MAX);
}

void replayed_trim(struct follow *follow, const struct row *wanted)
{
    for (int working = 0; working < 2; working++) {
        struct stock stock = take_stock(follow, wanted, working != 0);

        while (stock.oldest && is_too_much(&stock, working != 0)) {
            growing_forget(follow, stock.oldest);
            replayed_close(stock.oldest);
            stock = take_stock(follow, wanted, working != 0);
        }
    }
}
