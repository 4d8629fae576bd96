/* SPDX-License-Identifier: Apache-2.0
 *
 * place.h - where a run's things are below the hone folder:
 *
 *   journal.db                       every run's events
 *   locks/workspace-DEVICE-INODE     held while a run lives in that workspace; beside it, with
 *                                    .trail behind its name, whose contract files are there,
 *                                    and with .undo, which fixers may have to be undone
 *   objects/                         contents of trees, to compare and to put back
 *   worktrees/NAME                   the work tree of a lane that is called so
 *   runs/RUN/tree-JOB                the tree before the review that began with JOB
 *   runs/RUN/round-JOB               the tree before a writer's job
 *   runs/RUN/refs, runs/RUN/index    what git knew before the newest writer, where that is compared
 *   runs/RUN/lane-N/                 the making of a lane's work tree
 *   runs/RUN/JOB-ATTEMPT/            prompt, answer, stdout, stderr, status, and, of a reviewer
 *                                    that changed the tree, kept/ with its versions; of one that
 *                                    was sent to a fleet, fleet, and worker when one has it */
#ifndef HONE_RUN_PLACE_H
#define HONE_RUN_PLACE_H

#include "base/arena.h"
#include "base/err.h"
#include "format/text/progress.h"
#include "io/git/repo.h"

#include <stdint.h>

const char *place_journal(const struct repo *repo, struct arena *arena);
const char *place_worktrees(const struct repo *repo, struct arena *arena);
const char *place_run(const struct repo *repo, const char *run, struct arena *arena);
const char *place_attempt(const struct repo *repo, const char *run, uint32_t job, uint32_t attempt,
                          struct arena *arena);
/* The folder of the attempt that started this process, by what its environment says: that run is
 * around this one, and reads what is left there. NULL: no agent of hone started it. */
const char *place_around(struct arena *arena);
int place_lock_path(const struct repo *repo, const char *workspace, struct arena *arena,
                    const char **out, struct err *err);

/* Of an attempt that was sent to a fleet: what it is called there, by lines of a key and a value,
 * and who plays it, "NAME". */
#define PLACE_SENT "fleet"
#define PLACE_WORKER "worker"

/* Who of a fleet plays the attempt in that folder. */
struct played {
    struct str pool;   /* it was sent there; empty: it plays here */
    struct str worker; /* empty: it waits for one */
};
void place_played(const char *attempt, struct arena *arena, struct played *out);

/* How far the attempt in that folder says it is, by its standard error; false: it says nothing. */
bool progress_said(const char *attempt, struct progress *out);

#endif
