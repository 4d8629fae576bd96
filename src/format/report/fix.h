/* SPDX-License-Identifier: Apache-2.0
 *
 * fix.h - edits that a machine can make, as a finding carries them (finding.fix):
 *
 *     [{"text":"use the format","safe":true,"rank":1,"edits":[{"file":"a.c",
 *       "hash":"00c0ffee00c0ffee","start":120,"end":124,"text":"%zu"}]}]
 *
 * A list of alternatives, the best first; of one, all edits are made or none. Places are bytes of
 * the file as it was, and the hash says how it was. Where "safe" is not said, a fix may change what
 * the program does. Of two that overlap the one with the higher rank is made. */
#ifndef HONE_FORMAT_REPORT_FIX_H
#define HONE_FORMAT_REPORT_FIX_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct edit {
    struct str file;     /* relative to the workspace, clean (no "..", no link is followed) */
    uint64_t hash;       /* content_hash() of the whole file */
    uint64_t start, end; /* bytes; start == end: an insertion */
    struct str text;     /* what stands there afterwards */
};

enum { FIX_RANK_MAX = 9 };

struct fix {
    struct str text; /* what it does, in words; may be empty */
    bool safe;       /* by its rule's documentation it cannot change what the program does */
    uint32_t rank;   /* of its tool, at most FIX_RANK_MAX: the higher is typed better */
    struct edit *edits;
    uint32_t count;
};

struct fixes {
    struct fix *items;
    uint32_t count;
};

/* One line. A fix without edits is left out, and one with a path or a text that is no UTF-8: JSON
 * would make another fix of it. */
void fixes_write(const struct fixes *fixes, struct buf *out);
/* Texts live in arena. ERR_FORMAT: no such list, a path that is not clean, an end before its
 * start, a fix without edits. */
int fixes_read(struct str json, struct arena *arena, struct fixes *out, struct err *err);

/* The same on every machine, and never 0. For changes, not against forgery. */
uint64_t content_hash(struct str content);

#endif
