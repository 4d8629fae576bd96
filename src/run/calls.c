/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.c - the calls of the last hour, over all repositories and processes of a user.
 *
 *     hone calls 1
 *     1794991419015 86400123 7262137 /repo/.git/hone/runs/RUN/3-1
 *
 * in $XDG_STATE_HOME/hone/calls: wall time, uptime, boot and the attempt's folder, a line for each
 * call; written whole or not at all, under the lock calls.lock.
 *
 * An agent may start a run of its own. Its sandbox keeps that run from the user's record, which no
 * agent may change. Then the run keeps a record of the same form in its agent's folder, and each
 * process that counts reads it there:
 *
 *     the user's record --a line's folder--> its record --a line's folder--> ...
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
 *    not passed over. A lock that another process holds for long is asked for again later.
 * 5. The line of an attempt that is at work stays when its hour is over, for a day: it leads to
 *    what its runs call.
 * 6. What stands in an agent's folder only adds to what is counted. The agent can write to it, as
 *    it can call a model without hone; so a damaged record there counts as none. Two records have
 *    two locks: a run, and a run in its agent's sandbox, may both get the last place if they ask
 *    for it in the same moment. */
#include "run/calls.h"

#include "base/mem.h"
#include "io/file/lock.h"
#include "run/place.h"
#include "settings/trust.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_WAIT_MS = 2000, AGAIN_MS = 1000, LINE_PARTS = 3, CHILD_BYTES_MAX = 64 << 10,
       OLD_MAX = 1000 /* lines that are read for what they lead to */ };

static const char head[] = "hone calls 1";

static bool read_call(struct str line, const struct wall_mark *now, struct call_made *out)
{
    uint64_t numbers[LINE_PARTS];
    struct str word;

    for (uint32_t i = 0; i < LINE_PARTS; i++) {
        if (!str_cut(&line, ' ', &word) || !str_number(word, &numbers[i])) return false;
    }
    if (line.size > 0 && line.data[0] != '/') return false;
    out->folder = line;
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

void calls_release(struct calls *calls)
{
    free(calls->items);
    *calls = (struct calls){ 0 };
}

bool calls_read(struct calls *calls, struct str record, bool own, const struct wall_mark *now)
{
    uint32_t before = calls->count;
    struct str line;

    if (record.size == 0 || record.data[record.size - 1] != '\n') return false;
    if (!str_cut(&record, '\n', &line) || !str_is(line, head)) return false;
    while (str_cut(&record, '\n', &line)) {
        struct call_made made = { .own = own };

        if (!read_call(line, now, &made)) {
            calls->count = before;
            return false;
        }
        if (made.age_ms >= (made.folder.size > 0 ? CALLS_DAY_MS : CALLS_HOUR_MS)) continue;
        calls->items = mem_grow(calls->items, calls->count, &calls->cap, sizeof *calls->items);
        calls->items[calls->count++] = made;
    }
    return true;
}

static void put_call(struct buf *out, const struct wall_mark *at, struct str folder)
{
    buf_printf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64, at->ms, at->up_ms, at->boot);
    if (folder.size > 0 && !str_has(folder, '\n')) buf_printf(out, " %.*s", STR_ARG(folder));
    buf_byte(out, '\n');
}

static int compare_ages(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a < b) - (a > b); /* the oldest first */
}

/* When there is room below the ceiling; 0: now. */
static uint64_t room_at(const struct calls *calls, uint32_t ceiling, uint64_t now_ms)
{
    uint64_t *ages = mem_alloc((calls->count + (size_t)1) * sizeof *ages), at_ms = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < calls->count; i++) {
        if (calls->items[i].age_ms < CALLS_HOUR_MS) ages[count++] = calls->items[i].age_ms;
    }
    qsort(ages, count, sizeof *ages, compare_ages);
    if (count >= ceiling) at_ms = now_ms + (CALLS_HOUR_MS - ages[count - ceiling]);
    free(ages);
    return at_ms;
}

void calls_judge(const struct calls *calls, uint32_t ceiling, const struct wall_mark *now,
                 const char *folder, struct buf *out, uint64_t *until_ms)
{
    struct str none = STR("");

    *until_ms = calls->damaged ? now->ms + CALLS_HOUR_MS : room_at(calls, ceiling, now->ms);
    buf_printf(out, "%s\n", head);
    for (uint32_t i = 0; i < calls->count; i++) {
        const struct call_made *call = &calls->items[i];

        if (!call->own || (call->age_ms >= CALLS_HOUR_MS && !call->at_work)) continue;
        put_call(out, &call->at, call->folder);
    }
    for (uint32_t i = 0; calls->damaged && i < ceiling; i++) put_call(out, now, none);
    if (*until_ms == 0) put_call(out, now, folder ? str_of(folder) : none);
}

/* ---- the file ---- */

const char *calls_path(struct arena *arena)
{
    const char *folder = trust_folder(arena);

    return folder ? arena_printf(arena, "%s/calls", folder) : NULL;
}

/* The calls of a record, if there is one. One that is too long, or no file, is a damaged one. */
static int read_record(struct calls *calls, const char *folder, bool own,
                       const struct wall_mark *now, struct arena *arena, struct err *err)
{
    struct str record;
    int rc = file_text_in(folder, "calls", CALLS_BYTES_MAX, arena, &record, err);

    if (rc == ERR_MISSING) return 0;
    if (rc == ERR_SYSTEM) return rc;
    if (rc != 0 || !calls_read(calls, record, own, now)) calls->damaged = true;
    return 0;
}

/* What runs have called that these calls' attempts started, and so on. The own folder was read
 * already. What is beyond the bound shows that there is no room as well. */
static void read_children(struct calls *calls, const char *own, uint32_t ceiling,
                          const struct wall_mark *now, struct arena *arena)
{
    for (uint32_t i = 0; i < calls->count && calls->count < ceiling + OLD_MAX; i++) {
        struct call_made *call = &calls->items[i];
        const char *folder = arena_cstr(arena, call->folder);
        struct str record;
        struct err none;

        if (!*folder || strcmp(folder, own) == 0) continue;
        if (call->age_ms >= CALLS_HOUR_MS) {
            call->at_work = !file_exists(arena_printf(arena, "%s/status", folder));
        }
        if (file_text_in(folder, "calls", CHILD_BYTES_MAX, arena, &record, &none) != 0) continue;
        (void)calls_read(calls, record, false, now);
    }
}

/* folder: of the own record; around: of the user's, where that is another one. */
static int take_locked(const char *folder, const char *around, uint32_t ceiling,
                       const char *attempt, uint64_t *until_ms, bool *damaged, struct err *err)
{
    struct wall_mark now = now_wall_mark();
    struct arena arena = { 0 };
    struct calls calls = { 0 };
    struct buf text;
    int rc = read_record(&calls, folder, true, &now, &arena, err);

    buf_init(&text, CALLS_BYTES_MAX);
    if (rc == 0 && around) rc = read_record(&calls, around, false, &now, &arena, err);
    if (rc == 0) {
        read_children(&calls, folder, ceiling, &now, &arena);
        calls_judge(&calls, ceiling, &now, attempt, &text, until_ms);
        *damaged = calls.damaged;
        rc = file_write(folder, "calls", buf_str(&text), err);
    }
    buf_release(&text);
    calls_release(&calls);
    arena_release(&arena);
    return rc;
}

static int lock_record(struct lock *lock, const char *folder, struct arena *arena, struct err *err)
{
    struct lock_owner owner;
    int rc = file_make_folder(folder, false, err);

    if (rc != 0) return rc;
    return lock_open(lock, arena_printf(arena, "%s/calls.lock", folder), "calls", LOCK_WAIT_MS,
                     &owner, err);
}

int calls_take(uint32_t ceiling, const char *folder, uint64_t *until_ms, bool *damaged,
               struct err *err)
{
    struct arena arena = { 0 };
    const char *user = trust_folder(&arena), *own = user, *agent = place_around(&arena);
    struct lock lock = { .fd = -1 };
    int rc;

    *until_ms = 0;
    *damaged = false;
    if (own) {
        rc = lock_record(&lock, own, &arena, err);
    } else {
        rc = err_set(err, ERR_MISSING, "there is no folder for what you have used: HOME is not "
                     "set");
    }
    if (rc != 0 && rc != ERR_BUSY && agent) { /* its sandbox is around us */
        own = agent;
        rc = lock_record(&lock, own, &arena, err);
    }
    if (rc == ERR_BUSY) *until_ms = now_wall_ms() + AGAIN_MS;
    if (rc == 0) {
        rc = take_locked(own, own == user ? NULL : user, ceiling, folder, until_ms, damaged, err);
    }
    lock_close(&lock);
    arena_release(&arena);
    if (rc == 0 || rc == ERR_BUSY) return 0;
    return err_wrap(err, "count the calls of this hour (limits.calls_per_hour)");
}
