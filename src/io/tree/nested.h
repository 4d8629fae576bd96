/* SPDX-License-Identifier: Apache-2.0
 *
 * nested.h - repositories inside a work tree: submodules, and those that git only names.
 *
 * For io's own files. */
#ifndef HONE_IO_TREE_NESTED_H
#define HONE_IO_TREE_NESTED_H

#include "io/git/repo.h"
#include "io/git/status.h"

/* Says in each line of a repository what is inside of it, and adds a line for each submodule that
 * differs from the commit which the index names. links: the index may name some. ERR_LIMIT where a
 * repository holds more than can be looked at. */
int nested_look(const struct repo *repo, const char *index, bool links, struct status *status,
                struct arena *arena, struct err *err);

#endif
