/* SPDX-License-Identifier: Apache-2.0
 *
 * path.h - paths as text: nothing here looks at a disk. */
#ifndef HONE_BASE_PATH_H
#define HONE_BASE_PATH_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Relative, no empty part, no "." or "..", no NUL, no part too long for a name. */
bool path_is_clean(struct str path);

/* Whether one of its parts is "..". */
bool path_goes_up(struct str path);

/* Whether path is one of these files, or below one of these folders; a line each. "." is the top of
 * the workspace, and holds everything. */
bool path_is_among(struct str path, struct str lines);

struct str path_folder(struct str path); /* "a/b" of "a/b/c"; empty for "c", and for "/c" */
struct str path_leaf(struct str path);   /* "c" */

/* The same of texts that end in NUL. The folder is "." where the path names none, and "/" of what
 * lies in the root. */
const char *path_folder_text(const char *path, struct arena *arena);
const char *path_leaf_text(const char *path);

/* folder and path joined (path alone when it is absolute), without ".", ".." and double slashes:
 * by its text, links are not resolved. folder is absolute. path_join replaces what out holds. */
const char *path_joined(const char *folder, struct str path, struct arena *arena);
void path_join(struct str folder, struct str path, struct buf *out);

#endif
