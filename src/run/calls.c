/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.c - the calls of the last hour, over all repositories and processes of a user.
 *
 *     hone calls 1
 *     1794991419015 86400123 7262137      wall time, uptime, boot: a line for each call
 *
 * in $XDG_STATE_HOME/hone/calls, written whole or not at all, under the lock calls.lock.
 *
 * 1. A call is on the disk before its agent begins: a process that is killed in between has counted
 *    one too many, never one too few.
 * 2. Within one boot of the machine the age of a call goes by the uptime, which is not set. After
 *    another boot it goes by the wall clock, and a call that lies in the future counts as one of
 *    now: a clock that was set back holds a run for an hour at most.
 * 3. A record that is no such text was not written by hone. It counts as full, from now on: so a
 *    damaged record is no record of no calls, and holds for an hour at most. Removing the file
 *    begins anew.
 * 4. A record that cannot be locked, read or written is an error: a ceiling that cannot be held is
 *    not passed over. A lock that another process holds for long is asked for again later. */
#include "run/calls.h"

#include "base/mem.h"
#include "io/file/lock.h"
#include "settings/trust.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LOCK_WAIT_MS = 2000, AGAIN_MS = 1000, LINE_PARTS = 3 };

static const char head[] = "hone calls 1";

/* One call: how long ago it was, and its line. */
struct call_made {
    uint64_t age_ms;
    struct wall_mark at;
};

static bool read_call(struct str line, const struct wall_mark *now, struct call_made *out)
{
    uint64_t numbers[LINE_PARTS];
    struct str word;

    for (uint32_t i = 0; i < LINE_PARTS; i++) {
        if (!str_cut(&line, ' ', &word) || !str_number(word, &numbers[i])) return false;
    }
    if (line.size > 0) return false;
    out->at = (struct wall_mark){ .ms = numbers[0], .up_ms = numbers[1], .boot = numbers[2] };
    if (out->at.boot != 0 && out->at.boot == now->boot) {
        if (out->at.up_ms > now->up_ms) return false;
        out->age_ms = now->up_ms - out->at.up_ms;
        return true;
    }
    if (out->at.ms > now->ms) out->at = *now; /* it counts as one of now, from now on */
    out->age_ms = now->ms - out->at.ms;
    return true;
}

static int compare_ages(const void *one, const void *other)
{
    const struct call_made *a = one, *b = other;

    return (a->age_ms < b->age_ms) - (a->age_ms > b->age_ms); /* the oldest first */
}

/* The calls of the last hour; false: the record is none. */
static bool read_calls(struct str record, const struct wall_mark *now, struct call_made **calls,
                       uint32_t *count)
{
    uint32_t cap = 0;
    struct str line;

    if (record.size == 0 || record.data[record.size - 1] != '\n') return false;
    if (!str_cut(&record, '\n', &line) || !str_is(line, head)) return false;
    while (str_cut(&record, '\n', &line)) {
        struct call_made made;

        if (!read_call(line, now, &made)) return false;
        if (made.age_ms >= CALLS_HOUR_MS) continue;
        *calls = mem_grow(*calls, *count, &cap, sizeof **calls);
        (*calls)[(*count)++] = made;
    }
    return true;
}

static void put_call(struct buf *out, const struct wall_mark *at)
{
    buf_printf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", at->ms, at->up_ms, at->boot);
}

void calls_judge(struct str record, uint32_t ceiling, const struct wall_mark *now,
                 struct buf *out, uint64_t *until_ms, bool *damaged)
{
    struct call_made *calls = NULL;
    uint32_t count = 0;

    *until_ms = 0;
    *damaged = record.data && !read_calls(record, now, &calls, &count);
    buf_printf(out, "%s\n", head);
    if (*damaged) {
        for (uint32_t i = 0; i < ceiling; i++) put_call(out, now);
        *until_ms = now->ms + CALLS_HOUR_MS;
        free(calls);
        return;
    }
    if (count > 0) qsort(calls, count, sizeof *calls, compare_ages);
    for (uint32_t i = 0; i < count; i++) put_call(out, &calls[i].at);
    if (!calls || count < ceiling) put_call(out, now);
    else *until_ms = now->ms + (CALLS_HOUR_MS - calls[count - ceiling].age_ms);
    free(calls);
}

/* ---- the file ---- */

const char *calls_path(struct arena *arena)
{
    const char *folder = trust_folder(arena);

    return folder ? arena_printf(arena, "%s/calls", folder) : NULL;
}

/* data NULL: there is none yet. One that is too long, or no file, is a damaged one. */
static int read_record(const char *folder, struct arena *arena, struct str *out, struct err *err)
{
    int rc = file_text_in(folder, "calls", CALLS_BYTES_MAX, arena, out, err);

    if (rc == 0) return 0;
    *out = rc == ERR_MISSING ? (struct str){ NULL, 0 } : STR("");
    return rc == ERR_SYSTEM ? rc : 0;
}

static int take_locked(const char *folder, uint32_t ceiling, uint64_t *until_ms, bool *damaged,
                       struct err *err)
{
    struct wall_mark now = now_wall_mark();
    struct arena arena = { 0 };
    struct str record;
    struct buf text;
    int rc = read_record(folder, &arena, &record, err);

    buf_init(&text, CALLS_BYTES_MAX);
    if (rc == 0) {
        calls_judge(record, ceiling, &now, &text, until_ms, damaged);
        rc = file_write(folder, "calls", buf_str(&text), err);
    }
    buf_release(&text);
    arena_release(&arena);
    return rc;
}

int calls_take(uint32_t ceiling, uint64_t *until_ms, bool *damaged, struct err *err)
{
    struct arena arena = { 0 };
    const char *folder = trust_folder(&arena);
    struct lock lock = { .fd = -1 };
    struct lock_owner owner;
    int rc;

    *until_ms = 0;
    *damaged = false;
    if (!folder) {
        rc = err_set(err, ERR_MISSING, "there is no folder for what you have used: HOME is not "
                     "set");
    } else {
        rc = file_make_folder(folder, false, err);
        if (rc == 0) {
            rc = lock_open(&lock, arena_printf(&arena, "%s/calls.lock", folder), "calls",
                           LOCK_WAIT_MS, &owner, err);
        }
        if (rc == ERR_BUSY) *until_ms = now_wall_ms() + AGAIN_MS;
        else if (rc == 0) rc = take_locked(folder, ceiling, until_ms, damaged, err);
        lock_close(&lock);
    }
    arena_release(&arena);
    if (rc == 0 || rc == ERR_BUSY) return 0;
    return err_wrap(err, "count the calls of this hour (limits.calls_per_hour)");
}
