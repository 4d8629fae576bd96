/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.h - how far an agent says it is, in a line of its standard error:
 *
 *     gcc: 12 of 93 files
 *     fixits: 40 of 120 fixes, 3 of 12 tests
 *
 * WHO has no colon and no control character; DONE is at most TOTAL, and TOTAL at least 1; THINGS is
 * one word of small letters. Any agent may write such lines; the newest counts. */
#ifndef HONE_FORMAT_TEXT_PROGRESS_H
#define HONE_FORMAT_TEXT_PROGRESS_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_PARTS_MAX = 2, PROGRESS_WHO_BYTES = 41, PROGRESS_THINGS_BYTES = 21 };

/* {0}: it has said nothing. */
struct progress {
    char who[PROGRESS_WHO_BYTES];
    uint32_t count;
    struct {
        uint64_t done, total;
        char things[PROGRESS_THINGS_BYTES];
    } parts[PROGRESS_PARTS_MAX];
};

/* False where the line is none of these. */
bool progress_read(struct str line, struct progress *out);
/* The newest whole line of a text's end that is one; false: there is none. */
bool progress_last(struct str tail, struct progress *out);

bool progress_eq(const struct progress *a, const struct progress *b);
/* "12 of 93 files, 3 of 12 tests" */
void progress_words(const struct progress *progress, struct buf *out);
/* "[####      ]" of so many columns, of the first part. */
void progress_bar(const struct progress *progress, uint32_t columns, struct buf *out);

#endif
