/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_change.h - the change that a pipeline judges: which commit, against which, and in which work
 * tree. For hone ci. */
#ifndef HONE_CMD_CI_CHANGE_H
#define HONE_CMD_CI_CHANGE_H

#include "cmd/parse.h"
#include "format/pipeline.h"
#include "io/file/lock.h"
#include "io/git/repo.h"
#include "settings/parting.h"

/* A line of what git pushes: what is judged where no option says it. */
struct ci_pushed {
    const char *base, *head; /* base NULL: everything is new */
};

struct ci_change {
    struct call *call;         /* its cwd becomes that of a work tree, and its arguments what is
                                  staged */
    struct arena *arena;       /* the call's */
    const struct ci_pushed *pushed; /* NULL: it is no hook before a push */
    bool staged, all;          /* as the options of these names say */
    struct pipeline pipeline;
    /* From here on what is found. */
    struct repo repo;          /* where the run works */
    struct parting parting;
    const char *head;          /* the commit that is judged ... */
    bool differs;              /* ... with what the work tree has changed since */
    const char *worktree;      /* a work tree that was made for this; NULL: none ... */
    const char *worktree_name;
    struct lock worktree_lock; /* fd -1 before */
    struct repo outer;         /* ... and what it is a work tree of */
};

/* The repository. ERR_USAGE: there is none, or hone cannot write where it keeps its runs. */
int ci_change_open(struct ci_change *change, struct err *err);
/* The commit and what it is measured against; makes a work tree where another commit is checked
 * out. */
int ci_change_find(struct ci_change *change, struct err *err);
/* Also after a failure. */
void ci_change_close(struct ci_change *change);

/* Tells the user what is judged against what. */
void ci_change_say(const struct ci_change *change);
/* Whether both commits hold the same. */
bool ci_change_is_empty(const struct ci_change *change);

/* The files that are staged become the arguments of the call, where it has none. */
int ci_change_take_staged(struct ci_change *change, struct err *err);
/* Patterns for the files that the commit does not have: they are no part of the change. NULL ends;
 * *count: how many. */
int ci_change_unknown(const struct ci_change *change, const char *const **out, uint32_t *count,
                      struct err *err);

#endif
