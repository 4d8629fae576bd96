/* SPDX-License-Identifier: Apache-2.0
 *
 * index.h - git's index: what is staged, kept and put back; and the files it hides from `git
 * status`. */
#ifndef HONE_IO_GIT_INDEX_H
#define HONE_IO_GIT_INDEX_H

#include "io/git/repo.h"
#include "io/git/status.h"

/* ---- what is staged ---- */

/* Keeps the index as folder/name, by a second name of the same file where the disk can do that: git
 * never writes to an index, it replaces it. */
int staged_keep(const struct repo *repo, const char *folder, const char *name, struct err *err);

/* Looks again. Where nothing was kept, it does nothing. Where something else is staged than was
 * kept, *changed is set, the index is put back, and the other one is in the folder away (which is
 * made) as "index". ERR_BUSY: another git has its lock. */
int staged_restore(const struct repo *repo, const char *folder, const char *name, const char *away,
                   bool *changed, struct err *err);

/* Whether two index files differ in what is staged, or in what git is told not to look at. */
int staged_compare(const struct repo *repo, const char *before, const char *now, bool *differs,
                   struct err *err);
/* Puts this file in the place of the index, which is kept in the folder away as "index". */
int staged_replace(const struct repo *repo, const char *by, const char *away, struct err *err);

/* ---- what is hidden ---- */

/* A tracked path whose entry in the index is marked assume-unchanged or skip-worktree is in no `git
 * status`, with any content. For a tree it counts like any other.
 *
 * What an index may hide, if hashes are short there, and if they are long. Looked at while git
 * status works, it costs no time. */
struct index_look {
    bool hides_short, hides_long;
    bool links; /* it may name submodules */
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
