/* SPDX-License-Identifier: Apache-2.0
 *
 * locate.h - diagnostics made findings, with the files at hand: paths that can be trusted, places
 * in bytes, fixes that fit the files as they are. */
#ifndef HONE_ANALYZE_LOCATE_H
#define HONE_ANALYZE_LOCATE_H

#include "base/text_map.h"
#include "core/finding.h"
#include "format/json/finding_json.h"
#include "format/report/diagnostic.h"

/* ---- places in bytes; pure ---- */

/* A text and where its lines begin; the last may be empty. */
struct text_lines {
    struct str text;
    uint32_t *starts;
    uint32_t count;
};

/* At most UINT32_MAX bytes. */
void text_lines_init(struct text_lines *lines, struct str text, struct arena *arena);

/* Bytes from the beginning, and the same as lines and columns, which count from 1 and in bytes. */
struct span {
    size_t start, end;
    uint32_t line, column, end_line, end_column;
};

/* False when the place is not in the text: past its end, inside a character, an end before its
 * beginning, or no line at all. A byte that is no UTF-8 counts as one unit of every kind. */
bool span_find(const struct text_lines *lines, const struct place *place, struct span *out);

/* ---- findings ---- */

enum fix_problem { FIX_OUTSIDE, FIX_MISSING, FIX_LARGE, FIX_PAST_END, FIX_OVERLAPS,
                   FIX_PROBLEM_COUNT };

struct located_file;

struct locator {
    const char *workspace;            /* absolute, no links */
    const char *const *private_paths; /* prefixes that agents do not work on; NULL ends */
    bool follow; /* a path by way of a link is the file it leads to; else it is outside */
    struct arena arena;
    struct text_map paths;       /* to indexes of files */
    struct located_file **files;
    uint32_t count, cap;
    uint64_t held_bytes;
    uint32_t fix_problems[FIX_PROBLEM_COUNT]; /* fixes that were left out, by reason */
};

/* Whether a path begins with one of these (NULL ends, or none), or has a part that is git's. */
bool is_private_path(const char *const *private_paths, struct str path);

void locator_init(struct locator *locator, const char *workspace,
                  const char *const *private_paths, bool follow);
void locator_release(struct locator *locator);

/* A tool's path, absolute or as seen from folder (absolute), as one below the workspace: clean, in
 * none of the private paths nor in .git, no link on its way. False: it is outside. Lives as long
 * as the locator. */
bool locate_path(struct locator *locator, struct str path, const char *folder, struct str *out);

/* A diagnostic as a finding; its texts live in arena. A place that the file does not have is left
 * out, and so is a fix that does not fit (fix_problems counts it): the finding stays. False when
 * its file is outside the workspace; out is then as it is but for file, places and fixes. */
bool locate_finding(struct locator *locator, const struct diagnostic *diagnostic,
                    const char *folder, struct arena *arena, struct finding *out);

/* Notes about the fixes that were left out. */
void locate_notes(const struct locator *locator, struct findings *out, struct arena *arena);

/* Whether a finding out of the cache can still be shown: its file and those of its fixes are where
 * locate_path() would have them. */
bool locate_check(struct locator *locator, const struct finding *finding);

#endif
