/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_hidden.h - tracked files that git is told not to look at.
 *
 * A path whose entry in the index is marked assume-unchanged or skip-worktree is in no `git
 * status`, whatever stands there. For a tree it counts like any other. For io's own files, and
 * those that write an index. */
#ifndef HONE_IO_TREE_TREE_HIDDEN_H
#define HONE_IO_TREE_TREE_HIDDEN_H

#include "base/arena.h"
#include "io/git/repo.h"
#include "io/git/status.h"

#include <stdbool.h>

/* What an index may hide, if hashes are short there, and if they are long. Looked at while git
 * status works, it costs no time. */
struct index_look {
    bool hides_short, hides_long;
};
struct index_look index_look(const char *path);

/* Adds a line for each path that the index at this path marks so. One that is only left out of a
 * sparse checkout gets none. */
int status_add_hidden(const struct repo *repo, const char *index, const struct index_look *look,
                      struct status *status, struct arena *arena, struct err *err);

/* Whether an index, of a repository whose hashes have so many bytes, may mark a path. False is a
 * proof. */
bool index_bytes_hide(struct str index, size_t oid_bytes);

#endif
