/* SPDX-License-Identifier: Apache-2.0
 *
 * git_hook.h - hone as git's hook before a push, put into a repository and taken out again. */
#ifndef HONE_INSTALL_GIT_HOOK_H
#define HONE_INSTALL_GIT_HOOK_H

#include "base/arena.h"
#include "base/err.h"
#include "io/file/file.h"

enum git_hook_state {
    GIT_HOOK_NONE,    /* there is no hook */
    GIT_HOOK_OURS,    /* it is as hone writes it */
    GIT_HOOK_OLDER,   /* hone wrote it, and another one than it would write now */
    GIT_HOOK_CALLS,   /* it is the user's own, and calls hone */
    GIT_HOOK_OTHERS,  /* it is the user's own, or another program's */
    GIT_HOOK_STATE_COUNT
};

/* Texts live in arena. */
struct git_hook {
    const char *folder; /* where git looks for hooks */
    const char *path;   /* the hook in it */
    struct file_place place; /* of that: a folder below the workspace may be the change's */
    struct str text;    /* as hone writes it */
    const char *line;   /* what calls hone in a hook of the user's */
    enum git_hook_state state;
};

#define GIT_HOOK_NAME "pre-push"

/* Looks, and writes nothing. workspace: its top. */
int git_hook_plan(struct git_hook *hook, const char *workspace, struct arena *arena,
                  struct err *err);

/* Of GIT_HOOK_NONE and GIT_HOOK_OLDER; and of those that hone wrote. */
int git_hook_write(const struct git_hook *hook, struct err *err);
int git_hook_remove(const struct git_hook *hook, struct err *err);

#endif
