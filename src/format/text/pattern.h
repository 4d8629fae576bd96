/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.h - patterns of paths, as people know them from .gitignore.
 *
 *     *.o            a name, in any folder
 *     gen/x?.c       with a slash before its end: from the top of the workspace
 *     /main.c        the same, for a name at the top
 *     third_party/   a folder of that name, anywhere, and all below it
 *     lib/ ** /x.c   (without the blanks) any number of folders between; also in front, at the end
 *
 * `*` and `?` match no slash; [a-z] and [!a-z] are sets; a backslash takes the next byte as it is.
 * What matches a folder holds for everything below it. There are no comments and no "!". */
#ifndef HONE_FORMAT_TEXT_PATTERN_H
#define HONE_FORMAT_TEXT_PATTERN_H

#include "base/str.h"

#include <stdbool.h>

/* path: relative, of a file. An empty pattern matches nothing. None takes exponential time. */
bool pattern_matches(struct str pattern, struct str path);

#endif
