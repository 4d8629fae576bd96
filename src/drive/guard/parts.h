/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what guard.c, sandbox.c and git.c share, and nobody else.
 *
 * Room: what an attempt may touch: its sandbox, protected places, refs and index, and what a
 * sandbox kept it from. */
#ifndef HONE_DRIVE_GUARD_PARTS_H
#define HONE_DRIVE_GUARD_PARTS_H

#include "drive/drive.h"

/* What an agent that writes may change of what git knows. */
enum git_right {
    GIT_CLOSED, /* nothing: no HEAD, no branch, no tag, no stash, nothing staged */
    GIT_BRANCH, /* its own branch, which it may move forward, and what is staged there */
    GIT_OPEN,   /* the user said so (rights.change): all but what runs programs */
    GIT_RIGHT_COUNT
};

/* An agent that hone runs as a process and whose role writes, or is confined and has no sandbox. */
bool is_guarded(const struct drive *drive, const struct action *action);
enum git_right guard_git_right(const struct drive *drive, const struct action *action);
/* The branch that the lane works on, as a ref; NULL: none, HEAD is detached. */
const char *guard_branch(struct drive *drive, uint32_t lane, struct arena *arena);

/* The second look at what git knows: before, and after. NULL: nothing was changed that may not be,
 * or the drive is broken; else what to tell the agent, which did; all is put back then but a work
 * tree or a stash that it made. begun: what was taken before is of this attempt, else only what an
 * agent made before is looked at. */
int guard_git_begin(struct drive *drive, const struct live *live);
const char *guard_git_end(struct drive *drive, const struct live *live, bool begun);

#endif
