/* SPDX-License-Identifier: Apache-2.0
 *
 * merge_parts.h - what the files of `hone agent integrate` share; nobody else includes it. */
#ifndef HONE_AGENT_OWN_MERGE_PARTS_H
#define HONE_AGENT_OWN_MERGE_PARTS_H

#include "agent/own/merge.h"

#include "base/arena.h"
#include "base/buf.h"
#include "io/git/repo.h"

enum { MERGE_SAID_BYTES_MAX = 64 << 20 };

struct merge {
    struct arena arena;
    struct merge_order order;
    const char *folder;
    struct repo tree, home; /* the lane's work tree, the user's checkout */
    const char *tip, *head, *user; /* of the lane, what was integrated, of the checkout */
    const char *merged;     /* the commit that holds it all */
    struct buf sides;       /* of a conflict: files, an empty line, contents */
    bool conflict;
    bool gone;              /* the work tree: removed by an earlier call, which had merged it */
};

/* --- merge_git.c --- */
/* What git says, trimmed; NULL where it failed. */
const char *merge_ask(struct merge *merge, const struct repo *repo, const char *const *args,
                      struct err *err);
const char *merge_commit_of(struct merge *merge, const struct repo *repo, const char *revision);
bool merge_has(struct merge *merge, const char *old, const char *new); /* new descends from old */
int merge_run(struct merge *merge, const struct repo *repo, const char *const *args,
              struct err *err);
/* With the user's own settings: who commits, and by which means files are merged. Its status. */
int merge_user_git(struct merge *merge, const char *const *argv, struct str *out);
/* A commit of a tree with two parents; NULL: git said why. */
const char *merge_commit_tree(struct merge *merge, const char *tree, const char *first,
                              const char *second, const char *message);

/* --- merge_conflict.c --- */
/* out: what git merge-tree said. The conflict goes into the lane's work tree. */
int conflict_take(struct merge *merge, struct str out, struct err *err);
/* What an earlier conflict has become: resolved, or still one. */
int conflict_settle(struct merge *merge, struct err *err);

#endif
