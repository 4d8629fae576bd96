/* SPDX-License-Identifier: Apache-2.0
 *
 * own.h - what hone itself does as a process of its own: `hone agent KIND ...`. Each returns the
 * exit status.
 *
 * Room: what hone itself does as a process of its own, under the same supervisor as an agent:
 * commit, merge, make work trees, look for secrets. */
#ifndef HONE_AGENT_OWN_OWN_H
#define HONE_AGENT_OWN_OWN_H

#include "base/arena.h"
#include "base/err.h"

/* ---- cage.c ---- */

/* The cage of an attempt of hone's own, out of FOLDER/cage: words that go before a command, each
 * with a NUL. Empty where there is none: the command runs as it is. Read once, before anything runs
 * in it: what runs there can write to the folder. */
struct own_cage {
    const char *const *words; /* NULL ends */
    uint32_t count;
};

int own_cage_read(struct own_cage *cage, const char *folder, struct arena *arena, struct err *err);
/* argv in the cage. */
const char *const *own_caged(const struct own_cage *cage, const char *const *argv,
                             struct arena *arena);

/* ---- commit.c ---- */

/* `hone agent commit FOLDER`: one commit of the files that FOLDER/commit lists, behind its message,
 * each with a NUL. Prints "commit ID" and the files, or "nothing" where they are as HEAD has them;
 * the exit status is git's. The working directory is the workspace. */
int commit_main(const char *folder);

struct commit {
    struct str id;    /* empty: there was nothing to commit */
    struct str paths; /* those of the list, a NUL behind each */
};

/* The same without printing, in the workspace cwd (NULL: the working directory); what git says goes
 * to standard error. The exit status. */
int commit_listed(const char *folder, const char *cwd, const struct own_cage *cage,
                  struct commit *out, struct arena *arena);

/* ---- merge.c ---- */

/* The order, FOLDER/integrate: these in turn, each with a NUL behind it. FOLDER/commit lists what
 * is not committed yet. */
struct merge_order {
    const char *path;     /* the lane's work tree */
    const char *branch;   /* its branch, below refs/heads/ */
    const char *name;     /* of the lane */
    const char *title;    /* of what it did: one line */
    const char *head_ref; /* what was integrated so far */
    const char *checkout; /* the user's */
    const char *home;     /* the branch that is to be checked out there; "": none, HEAD alone */
    const char *state;    /* the run's folder */
    const char *lane;     /* the lane's folder in it */
    const char *keep;     /* why the work tree must stay afterwards; "": it goes */
};

/* `hone agent integrate FOLDER`: the work of one lane, merged behind what was merged before, and
 * the user's checkout moved forward to it. Prints "merged ID", or "nothing", or "conflict" with
 * files and both sides; any other end is a failure that its last words explain, and that can be
 * tried again. */
int integrate_main(const char *folder);

/* ---- scan.c ---- */

/* `hone agent scan`: looks for keys, tokens, passwords and private files (format/secret/secret.h)
 * in every file of the workspace that git tracks or would track. Writes what it found to standard
 * output, as format/json/finding_json.h has it; the exit status is 0 also with findings. The
 * working directory is the workspace. left_out: prefixes of what is not looked at; NULL ends. */
int scan_main(const char *const *left_out);

/* ---- worktree.c ---- */

/* `hone agent worktree FOLDER`, in the repository: a work tree, made by a process, since it may
 * take as long as a checkout. FOLDER/worktree holds path, branch and start (io/git/worktree.h),
 * each with a NUL behind it; FOLDER/since then the commit that a new one begins at. Without a
 * branch it is disposable: private paths follow (io/tree/tree.h), it gets all that the checkout
 * holds, by content, and FOLDER/base is the tree that it then is. Says "there", "new" or "again",
 * and below it what the user should know, a line each. */
int worktree_main(const char *folder);

#endif
