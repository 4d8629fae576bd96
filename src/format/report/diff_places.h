/* SPDX-License-Identifier: Apache-2.0
 *
 * diff_places.h - which lines of the newer files stand in a diff, as services show it: only there
 * do they take a comment. */
#ifndef HONE_FORMAT_REPORT_DIFF_PLACES_H
#define HONE_FORMAT_REPORT_DIFF_PLACES_H

#include "base/arena.h"

/* Where a line of the newer file stands in the older one. */
struct diff_line {
    uint32_t old; /* its line there; of one that was added, the line that it stands before */
    bool added;
};

/* Lines that stand in the diff one below the other. */
struct diff_hunk {
    uint32_t line, count;          /* of the newer file, from 1 */
    const struct diff_line *lines;
};

struct diff_file {
    struct str old_path, path;  /* two names: it was renamed; no new one: it is gone */
    struct str blob;            /* what git calls the newer content, or its beginning; may be "" */
    const struct diff_hunk *hunks;
    uint32_t hunk_count;
};

struct diff_places {
    const struct diff_file *files;
    uint32_t count;
};

/* Of a diff of git's, with context. What is not understood is not a place. All lives in arena. */
struct diff_places diff_places_read(struct str diff, struct arena *arena);

/* By its new name; NULL: it is not in the diff. */
const struct diff_file *diff_places_file(const struct diff_places *places, struct str path);
/* NULL: the line is not in the diff. */
const struct diff_hunk *diff_file_hunk(const struct diff_file *file, uint32_t line);
/* Of a line that the hunk has. */
const struct diff_line *diff_hunk_line(const struct diff_hunk *hunk, uint32_t line);
/* Of any line. */
bool diff_hunk_added(const struct diff_hunk *hunk, uint32_t line);

#endif
