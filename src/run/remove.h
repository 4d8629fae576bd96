/* SPDX-License-Identifier: Apache-2.0
 *
 * remove.h - runs taken away: their rows in the journal and their folders. */
#ifndef HONE_RUN_REMOVE_H
#define HONE_RUN_REMOVE_H

#include "io/git/repo.h"
#include "store/journal.h"

/* One run. ERR_BUSY: a process or a host works on it; ERR_USAGE: it can still go on, and force is
 * false. */
int run_remove(const struct repo *repo, struct journal *journal, const struct journal_run *row,
               bool force, struct err *err);

/* Of the runs that cannot go on, all but the newest `keep`; and folders that a removal which was
 * killed has left. *removed counts the runs. What can go on is neither counted nor removed. */
int runs_prune(const struct repo *repo, struct journal *journal, uint32_t keep, uint32_t *removed,
               struct err *err);

#endif
