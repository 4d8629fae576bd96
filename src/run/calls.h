/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.h - how many agents all runs of a user have started within an hour, and whether one more
 * may begin (limits.calls_per_hour). */
#ifndef HONE_RUN_CALLS_H
#define HONE_RUN_CALLS_H

#include "base/buf.h"
#include "base/err.h"
#include "io/file/file.h"

enum { CALLS_HOUR_MS = 3600 * 1000, CALLS_DAY_MS = 24 * CALLS_HOUR_MS,
       CALLS_BYTES_MAX = 16 << 20 };

/* ---- pure ---- */

/* One call: how long ago it was, and its line. */
struct call_made {
    uint64_t age_ms;
    struct wall_mark at;
    struct str folder; /* of its attempt: what runs that it starts have called stands there */
    bool own;          /* it stands in the record that is written */
    bool at_work;      /* its attempt has not ended: it is kept when its hour is over */
};

/* {0} is empty. Texts are borrowed from the records. */
struct calls {
    struct call_made *items;
    uint32_t count, cap;
    bool damaged; /* a record that counts as full from now on: hone did not write it */
};

void calls_release(struct calls *calls);

/* Adds what a record holds: the calls of the last hour, and older ones of a day, whose attempts may
 * be at work. False: it is damaged, and nothing is added. */
bool calls_read(struct calls *calls, struct str record, bool own, const struct wall_mark *now);

/* A call that is wanted now, by the attempt of that folder. Where there is room, out is the own
 * record with that call, *until_ms 0. Where there is none, out is that record without it, and
 * *until_ms when there will be. */
void calls_judge(const struct calls *calls, uint32_t ceiling, const struct wall_mark *now,
                 const char *folder, struct buf *out, uint64_t *until_ms);

/* ---- the file ---- */

/* Where the record is, in the user's own state folder; NULL: the user has none. Lives in arena. */
const char *calls_path(struct arena *arena);

/* Takes a place for one call, of the attempt in that folder: *until_ms 0, or when to ask again.
 * What other processes of the user do at the same time is counted once. An error: it cannot be
 * counted, and must not begin. */
int calls_take(uint32_t ceiling, const char *folder, uint64_t *until_ms, bool *damaged,
               struct err *err);

#endif
