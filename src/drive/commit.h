/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.h - commits that a run makes: what they hold. */
#ifndef HONE_DRIVE_COMMIT_H
#define HONE_DRIVE_COMMIT_H

#include "drive/drive.h"
#include "run/site.h"

#define COMMIT_START "tree-start" /* what the run found, in its folder */
/* When a run begins that will make commits: refuses a tree that is not clean. */
int commit_begin(struct drive *drive);
/* When a run goes on: a git that the run had started may have been killed with it, and left its
 * locks. */
void commit_unlock(struct drive *drive, uint64_t since_ms);
/* Keeps the index of a work tree that no agent has written to yet. */
int commit_keep_index(struct drive *drive, const struct site *site);
/* Leaves the list for `hone agent commit` with the attempt; *count 0: there is nothing. *keep: why
 * its workspace holds something that no commit will; "" where it does not. */
int commit_list(struct drive *drive, const struct live *live, const char *message,
                uint32_t *count, const char **keep, struct arena *arena);

/* Before a writer of such a run begins: keeps what it finds, where no agent wrote since the
 * commit before. */
int commit_step_begin(struct drive *drive, const struct live *live);
void commit_step_end(struct drive *drive, const struct live *live); /* its commit is made */

#endif
