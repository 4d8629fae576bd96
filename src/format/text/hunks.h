/* SPDX-License-Identifier: Apache-2.0
 *
 * hunks.h - the heads of hunks in a diff, and the line map of a whole diff. Pure. */
#ifndef HONE_FORMAT_TEXT_HUNKS_H
#define HONE_FORMAT_TEXT_HUNKS_H

#include "base/arena.h"
#include "core/identity.h"

/* "@@ -7,2 +9,3 @@", with anything behind it; a count that is not said is 1. False: it is none. */
bool hunk_read(struct str line, struct line_hunk *out);

enum { LINE_MAP_HUNKS_MAX = 65536 };

/* How lines moved by a diff of git's, with context or without. A file whose name git quotes is not
 * listed; a file without hunks is (its mode, its name or its bytes changed). Where there are more
 * hunks than LINE_MAP_HUNKS_MAX, the file that has one too many and all behind it are listed
 * without theirs. Everything lives in arena. */
struct line_map line_map_read(struct str diff, struct arena *arena);

#endif
