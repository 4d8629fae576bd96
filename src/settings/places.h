/* SPDX-License-Identifier: Apache-2.0
 *
 * places.h - the places that agents may write to outside of their workspace, and those inside
 * that they may not change. Tables; one row each. */
#ifndef HONE_SETTINGS_PLACES_H
#define HONE_SETTINGS_PLACES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A place of the user's: $VARIABLE where that names one, else ~/HOME; and BELOW in it. */
struct guard_place {
    const char *variable; /* NULL: none */
    const char *home;     /* NULL: only the variable names it */
    const char *below;    /* NULL: itself */
    bool watched;         /* of settings: where it is not there, it must not be made */
    const char *of;       /* of state: the program whose it is; where it is not there it is made
                             before that program is started. NULL: nothing makes it */
};

/* Rows with neither variable nor home end the tables. */
extern const struct guard_place guard_state[];    /* what agents keep: written by all of them */
extern const struct guard_place guard_caches[];   /* of build tools: written by those that write */
extern const struct guard_place guard_settings[]; /* what programs do later: not written */
extern const struct guard_place guard_tools[];    /* where all is hidden: there, and only read */
extern const struct guard_place guard_session[];  /* what acts for the user on request: hidden */

/* The nth path below the workspace; NULL: there are no more. */
const char *guard_workspace(uint32_t nth);
/* Below the git folder that all work trees share; NULL ends. */
extern const char *const guard_git[];    /* what makes programs run */
extern const char *const guard_going[];  /* what is going on there: a merge, a rebase */
extern const char *const guard_commit[]; /* what a commit in a work tree writes to, beside refs */

/* The folder of a place, without `below`; NULL where nothing names one. */
const char *guard_folder(const struct guard_place *place, struct arena *arena);
/* Where it is for people: "~/.claude/". */
const char *guard_label(const struct guard_place *place, struct arena *arena);

/* Whether one of these lines allows to change a path of guard_workspace: it is the path, a folder
 * of it, something in it, or "*". */
bool guard_allows(const char *lines, const char *path);

#endif
