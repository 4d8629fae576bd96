/* SPDX-License-Identifier: Apache-2.0
 *
 * worktree.h - work trees of the repository in folders of their own, each on a branch of its own or
 * on none.
 *
 * No hook of the repository runs for them. git takes locks and does not wait long for them: a
 * caller makes and removes work trees one at a time. */
#ifndef HONE_IO_GIT_WORKTREE_H
#define HONE_IO_GIT_WORKTREE_H

#include "io/git/repo.h"

struct worktree {
    const char *path;   /* absolute; its last part is its name in the repository */
    const char *branch; /* below refs/heads/; "": none, HEAD is detached */
    const char *start;  /* the revision that a new branch begins at; of none: a commit */
};

enum worktree_made {
    WORKTREE_THERE, /* it was there, whole */
    WORKTREE_NEW,   /* with a new branch */
    WORKTREE_AGAIN, /* its folder was gone: made again from its branch */
    WORKTREE_MADE_COUNT
};

/* Makes it whole, also where a hone that was killed left half of it. A folder at its path that git
 * does not know is moved aside, and notes say where to. notes: sentences for the user, a line
 * each: what could not be brought of submodules, for example. */
int worktree_make(const struct repo *repo, const struct worktree *worktree,
                  enum worktree_made *made, struct buf *notes, struct err *err);

/* Removes folder and branch ("": it has none); what is not there is removed already. All that is in
 * the folder is lost, and the commits that only the branch has. */
int worktree_remove(const struct repo *repo, const char *path, const char *branch, struct err *err);

/* Its git folder; NULL where it is not there, or not whole. Asks no program. */
const char *worktree_git_dir(const char *path, struct arena *arena);

#endif
