/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of the guard share; no other room includes it. */
#ifndef HONE_GUARD_PARTS_H
#define HONE_GUARD_PARTS_H

#include "guard/guard.h"

/* What an agent that writes may change of what git knows. */
enum git_right {
    GIT_CLOSED, /* nothing: no HEAD, no branch, no tag, no stash, nothing staged */
    GIT_BRANCH, /* its own branch, which it may move forward, and what is staged there */
    GIT_OPEN,   /* the user said so (rights.change): all but what runs programs */
    GIT_RIGHT_COUNT
};

enum git_right guard_git_right(const struct run *run, const struct action *action);
/* The branch that the lane works on, as a ref; NULL: none, HEAD is detached. */
const char *guard_branch(struct run *run, uint32_t lane, struct arena *arena);

/* The second look at what git knows: before, and after. *problem is NULL where nothing was changed
 * that may not be; else it is what to tell the agent, which did; all is put back then but a work
 * tree or a stash that it made. begun: what was taken before is of this attempt, else only what an
 * agent made before is looked at. */
int guard_git_begin(const struct guarded *guarded);
int guard_git_end(const struct guarded *guarded, bool begun, const char **problem);

#endif
