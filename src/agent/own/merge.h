/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.h - `hone agent integrate FOLDER`: the work of one lane, merged behind what was merged
 * before, and the user's checkout moved forward to it. Prints "merged ID", or "nothing", or
 * "conflict" with files and both sides; any other end is a failure that its last words explain,
 * and that can be tried again.
 *
 * Room: what hone itself does as a process of its own, under the same supervisor as an agent:
 * commit, merge, make work trees, look for secrets. */
#ifndef HONE_AGENT_OWN_MERGE_H
#define HONE_AGENT_OWN_MERGE_H

/* The order, FOLDER/integrate: these in turn, each with a NUL behind it. FOLDER/commit lists what
 * is not committed yet (commit.h). */
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

int integrate_main(const char *folder);

#endif
