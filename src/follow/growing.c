/* SPDX-License-Identifier: Apache-2.0
 *
 * growing.c - attempts at work, and how much they have put out.
 *
 * 1. At most GROWING_MAX attempts are watched; of more the oldest are.
 * 2. News of one attempt are FOLLOW_GREW_MS apart, however often its output is written.
 * 3. An attempt whose folder cannot be watched (it is not made yet; the system has no such thing)
 *    is looked at as often. */
#include "follow/parts.h"

#include "base/mem.h"
#include "io/file/peek.h"
#include "run/place.h"

#include <stdlib.h>
#include <string.h>

static void growing_end(struct follow *follow, uint32_t at)
{
    struct growing *growing = &follow->growing[at];

    watcher_remove(&follow->watcher, growing->number);
    free(growing->folder);
    follow->growing_count--;
    for (uint32_t i = at; i < follow->growing_count; i++) {
        follow->growing[i] = follow->growing[i + 1];
    }
}

static uint64_t output_bytes(const char *folder)
{
    struct peeked peeked = { 0 };
    struct peek peek;
    struct err none;

    if (peek_open(&peek, folder, &none) != 0) return 0;
    if (!peek_look(&peek, STR("stdout"), &peeked)) peeked.bytes = 0;
    peek_close(&peek);
    return peeked.bytes;
}

/* Its size now; told where it is another one. */
static void growing_tell(struct follow *follow, struct growing *growing, uint64_t now_ms)
{
    uint64_t bytes = output_bytes(growing->folder);

    growing->written = false;
    growing->told_ms = now_ms;
    if (bytes == growing->bytes) return;
    growing->bytes = bytes;
    if (!follow->visit) return;
    follow->visit(follow->context, &(struct follow_news){
        .kind = FOLLOW_GREW, .repo = (uint32_t)(growing->place - follow->places),
        .run = growing->row->row.run.id, .row = &growing->row->row,
        .job = growing->job, .attempt = growing->attempt, .bytes = bytes,
    });
}

static bool is_running(const struct row *row, uint32_t job, uint32_t attempt)
{
    const struct history *history = row->replayed ? &row->replayed->history : NULL;
    const struct entry *entry = history && row->row.alive ? history_find(history, job, attempt)
                                                          : NULL;

    return entry && entry->ended_ms == 0 && history_find(history, job, 0) == entry;
}

static bool is_known(const struct follow *follow, const struct row *row, const struct entry *entry)
{
    for (uint32_t i = 0; i < follow->growing_count; i++) {
        const struct growing *growing = &follow->growing[i];
        if (growing->row == row && growing->job == entry->start.job &&
            growing->attempt == entry->start.attempt) return true;
    }
    return false;
}

void growing_note(struct follow *follow, struct place *place, const struct row *row)
{
    const struct history *history = row->replayed ? &row->replayed->history : NULL;

    for (uint32_t i = follow->growing_count; i-- > 0;) {
        struct growing *growing = &follow->growing[i];
        if (growing->row != row || is_running(row, growing->job, growing->attempt)) continue;
        growing_tell(follow, growing, 0);
        growing_end(follow, i);
    }
    if (!history || !row->row.alive) return;
    for (uint32_t i = 0; i < row->replayed->run.engine.lane_count; i++) {
        const struct lane *lane = &row->replayed->run.engine.lanes[i];

        for (uint32_t k = 0; k < lane->now.count; k++) {
            const struct job *job = &lane->now.jobs[k];
            const struct entry *entry = history_find(history, job->id, job->attempt);
            struct arena arena = { 0 };
            const char *folder;

            if (job->state != JOB_RUNNING || !entry || entry->ended_ms != 0) continue;
            if (follow->growing_count == GROWING_MAX || is_known(follow, row, entry)) continue;
            folder = place_attempt(&place->look.repo, row->row.run.id, job->id, job->attempt,
                                   &arena);
            follow->growing[follow->growing_count++] = (struct growing){
                .place = place, .row = row, .job = job->id, .attempt = job->attempt,
                .folder = mem_copy(folder, strlen(folder)), .number = -1,
            };
            arena_release(&arena);
        }
    }
}

void growing_forget(struct follow *follow, const struct row *row)
{
    for (uint32_t i = follow->growing_count; i-- > 0;) {
        if (follow->growing[i].row == row) growing_end(follow, i);
    }
}

void growing_changed(struct follow *follow, const struct watch_change *change)
{
    for (uint32_t i = 0; i < follow->growing_count; i++) {
        struct growing *growing = &follow->growing[i];

        if (growing->number != change->number && change->number >= 0) continue;
        if (growing->number < 0) continue;
        if (change->gone) growing->number = -1;
        if (change->number < 0 || strcmp(change->name, "stdout") == 0) growing->written = true;
    }
}

void growing_step(struct follow *follow, uint64_t now_ms)
{
    for (uint32_t i = 0; i < follow->growing_count; i++) {
        struct growing *growing = &follow->growing[i];

        if (now_ms < growing->told_ms + FOLLOW_GREW_MS) continue;
        if (growing->number < 0) {
            growing->number = watcher_add(&follow->watcher, growing->folder);
            growing->written = true;
        }
        if (growing->written) growing_tell(follow, growing, now_ms);
        else if (growing->number < 0) growing->told_ms = now_ms;
    }
}

int64_t growing_due_in_ms(const struct follow *follow, uint64_t now_ms)
{
    int64_t due_ms = -1;

    for (uint32_t i = 0; i < follow->growing_count; i++) {
        const struct growing *growing = &follow->growing[i];
        uint64_t at_ms = growing->told_ms + FOLLOW_GREW_MS;
        int64_t left = at_ms > now_ms ? (int64_t)(at_ms - now_ms) : 0;

        if (!growing->written && growing->number >= 0) continue;
        if (due_ms < 0 || left < due_ms) due_ms = left;
    }
    return due_ms;
}
