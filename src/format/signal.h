/* SPDX-License-Identifier: Apache-2.0
 *
 * signal.h - a signal: a small file that says that a step of a session is over, and how.
 *
 *     path: tmp/mux/20260115-0840-login/reviews/phase-1-review-2.md
 *     size: 1204
 *     status: success
 *     created_at: 2026-01-15T08:40:00Z
 *     grade: PASS
 *
 * Its name says which step: phase-1-review-2.done; .fail where it failed. Other tools write JSON
 * with the same members, which is read too. */
#ifndef HONE_FORMAT_SIGNAL_H
#define HONE_FORMAT_SIGNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIGNAL_BYTES_MAX = 64 * 1024, SIGNAL_NUMBER_MAX = 100000 };

struct signal {
    struct str path;       /* of what the step made; empty: not said, as all texts below */
    uint64_t size;         /* of that file, in bytes */
    bool has_size;
    bool success;
    struct str created_at;
    struct str grade;      /* PASS, WARN, FAIL; as it is written */
    struct str error;      /* why it failed */
};

/* Texts live in arena, in one line each. ERR_FORMAT says what is wrong, with its line where it has
 * one: no `key: value` lines and no JSON object, a key that stands twice, no status. A status
 * other than success (in JSON also completed) is a failure; unknown keys are left alone. */
int signal_read(struct str text, struct arena *arena, struct signal *out, struct err *err);

/* What is empty is left out; size, status and created_at are always there. */
void signal_write(const struct signal *signal, struct buf *out);

enum signal_step { SIGNAL_OTHER, SIGNAL_REVIEW, SIGNAL_FIX };

/* phase-P-review-C.done and its like; of a reviewer beside the first phase-P-review-C-ROLE.done. */
struct signal_name {
    enum signal_step step;
    uint32_t phase, cycle; /* 1 to SIGNAL_NUMBER_MAX; 0 where the name has none */
    bool failed;           /* .fail */
};

/* False when it is no signal's name: neither .done nor .fail behind something. */
bool signal_name_read(struct str name, struct signal_name *out);

/* In the order of the session: by phase, then by cycle, a review before its fix; what belongs to
 * no cycle before those that do, what belongs to no phase behind all. */
int signal_name_compare(struct str a, struct str b);

/* 2026-01-15T08:40:00Z, in UTC, fractions of a second allowed, as milliseconds since 1970. */
bool signal_time(struct str text, uint64_t *ms);

#endif
