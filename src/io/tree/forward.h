/* SPDX-License-Identifier: Apache-2.0
 *
 * forward.h - a checkout moved from one commit to a later one: files, index and branch.
 *
 * What git merge --ff-only does, such that a kill at any moment can be made good: either it has
 * happened, or the next call finds what was left and takes it back. What the user has changed and
 * not committed is never touched; where it is in the way, nothing is. */
#ifndef HONE_IO_TREE_FORWARD_H
#define HONE_IO_TREE_FORWARD_H

#include "io/git/repo.h"

struct forward {
    const struct repo *repo; /* the checkout */
    const char *state;       /* a folder of ours, where a killed one leaves its trace */
    const char *const *private_paths; /* as for tree_take() */
};

/* HEAD must be at `from`, and `to` must descend from it; why goes into the reflog. ERR_BUSY, with
 * nothing changed: a file of the user's is in the way, HEAD is elsewhere, or another git is at
 * work; the words say what to do. */
int forward_run(const struct forward *forward, const char *from, const char *to, const char *why,
                struct err *err);

/* Makes good what a killed one left; nothing to do: does nothing. */
int forward_recover(const struct forward *forward, struct err *err);

#endif
