/* SPDX-License-Identifier: Apache-2.0
 *
 * git_locks.h - lock files left behind by a git that was killed.
 *
 * git holds a ref, an index or a file of settings by a file beside it, and removes that when it
 * ends. Killed, or with the power gone, it cannot: every git after it refuses to write there. */
#ifndef HONE_IO_GIT_GIT_LOCKS_H
#define HONE_IO_GIT_GIT_LOCKS_H

#include "io/git/repo.h"

/* Removes those of the repository and its work trees that were made since then, unless a git is at
 * work in it. Adds their names to out, with ", " between them. May wait a second for one that is
 * too new to be called dead. */
void git_locks_clear(const struct repo *repo, uint64_t since_ms, struct buf *out);

#endif
