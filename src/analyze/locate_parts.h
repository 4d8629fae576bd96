/* SPDX-License-Identifier: Apache-2.0
 *
 * locate_parts.h - what the files of locate.h share. Private to src/agent/locate*.c. */
#ifndef HONE_ANALYZE_LOCATE_PARTS_H
#define HONE_ANALYZE_LOCATE_PARTS_H

#include "analyze/locate.h"

/* MISSING: not there, or nothing that can be read, such as a folder. LINK: it, or a folder on its
 * way. */
enum file_state { FILE_TEXT, FILE_MISSING, FILE_LARGE, FILE_LINK };

struct located_file {
    struct str path;
    enum file_state state;
    bool held;          /* the next three are there */
    struct buf content;
    struct arena arena; /* of lines */
    struct text_lines lines;
    uint64_t hash;
};

/* The file that a tool's path means, as locate_path() has it; NULL: outside. Its content is there
 * until the next call. */
struct located_file *locate_file(struct locator *locator, struct str path, const char *folder);

/* The fixes of a diagnostic that fit, as format/report/fix.h has them; empty: none. */
struct str locate_fixes(struct locator *locator, const struct diagnostic *diagnostic,
                        const char *folder, struct arena *arena);

#endif
