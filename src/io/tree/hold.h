/* SPDX-License-Identifier: Apache-2.0
 *
 * hold.h - what a reader must leave as it is beside the contents of a tree: the git folder, the
 * index, the refs, and permissions that git does not know. */
#ifndef HONE_IO_TREE_HOLD_H
#define HONE_IO_TREE_HOLD_H

#include "io/git/refs.h"
#include "io/tree/protect.h"

/* Empty is a valid value: nothing was taken. */
struct hold {
    struct protect git;
    struct refs refs;
    bool with_refs;
    const char *index; /* a copy of the user's index; NULL: there was none */
    struct ref_mark index_mark;
    struct hold_mode *modes; /* by path */
    uint32_t mode_count, mode_cap;
    struct arena arena;
    bool taken;
};

/* folder/name is where the index is kept. with_refs: no other agent may move one meanwhile. */
int hold_take(const struct repo *repo, const char *folder, const char *name, bool with_refs,
              struct hold *out, struct err *err);
void hold_release(struct hold *hold);

/* Whether the index is the very file that it was. */
bool hold_index_same(const struct repo *repo, const struct hold *hold);

/* Each looks again, and names in what that which is other than it was.
 *
 * Git folder and index: with away (a folder, which is made) they are put back, and what was there
 * is kept in it. */
int hold_git(const struct repo *repo, struct hold *hold, const char *away, struct buf *what,
             struct err *err);
/* Refs: with kept they are put back, and below that ref commits keep a name. The branch that HEAD
 * is on is a part of the tree: it is put back first. */
int hold_refs(const struct repo *repo, struct hold *hold, const char *kept, struct buf *what,
              struct err *err);
/* Permissions, as far as git does not know them, of files that were there before. */
int hold_modes(const struct repo *repo, const struct hold *hold, bool restore, struct buf *what,
               struct err *err);

#endif
