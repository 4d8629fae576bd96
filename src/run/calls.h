/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.h - how many agents all runs of a user have started within an hour, and whether one more
 * may begin (limits.calls_per_hour). */
#ifndef HONE_RUN_CALLS_H
#define HONE_RUN_CALLS_H

#include "base/buf.h"
#include "base/err.h"
#include "io/file/file.h"

enum { CALLS_HOUR_MS = 3600 * 1000, CALLS_BYTES_MAX = 16 << 20 };

/* ---- pure ---- */

/* What a record holds, and a call that is wanted now. Where there is room, out is the record with
 * that call, *until_ms 0. Where there is none, out is the record without it, and *until_ms when
 * there will be. A record that is damaged counts as full from now on: *damaged. */
void calls_judge(struct str record, uint32_t ceiling, const struct wall_mark *now,
                 struct buf *out, uint64_t *until_ms, bool *damaged);

/* ---- the file ---- */

/* Where the record is, in the user's own state folder; NULL: the user has none. Lives in arena. */
const char *calls_path(struct arena *arena);

/* Takes a place for one call: *until_ms 0, or when to ask again. What other processes of the user
 * do at the same time is counted once. An error: it cannot be counted, and must not begin. */
int calls_take(uint32_t ceiling, uint64_t *until_ms, bool *damaged, struct err *err);

#endif
