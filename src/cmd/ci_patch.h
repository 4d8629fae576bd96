/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_patch.h - what the fixer of a run in a pipeline did, as a patch or as a commit. */
#ifndef HONE_CMD_CI_PATCH_H
#define HONE_CMD_CI_PATCH_H

#include "io/git/repo.h"

struct ci_patch {
    const struct repo *repo;
    struct arena *arena;
    const char *const *before; /* files that git did not know before the run; NULL ends */
};

/* Before the run: refuses (ERR_USAGE) where a file differs from the commit that is checked out, as
 * that would be taken for the fixer's work. */
int ci_patch_begin(struct ci_patch *patch, const struct repo *repo, struct arena *arena,
                   struct err *err);

/* Behind it: what 'git apply' takes; empty where nothing was changed. */
int ci_patch_write(const struct ci_patch *patch, struct buf *out, struct err *err);

/* Commits it, on what is checked out. No hook runs. */
int ci_patch_commit(const struct ci_patch *patch, const char *message, struct err *err);

#endif
