/* SPDX-License-Identifier: Apache-2.0
 *
 * look.h - the repository, its journal and one run in it, opened for verbs and tools that show a
 * run. */
#ifndef HONE_RUN_LOOK_H
#define HONE_RUN_LOOK_H

#include "base/arena.h"
#include "base/err.h"
#include "format/json/json.h"
#include "io/file/lock.h"
#include "io/git/repo.h"
#include "store/journal.h"

struct look {
    struct arena arena;
    struct repo repo;
    struct journal *journal; /* to read only */
    struct journal_run run;  /* after look_run() */
    const char *lock;        /* of the run's workspace; NULL where that is gone */
    bool alive;              /* a process or a host works on this run now */
};

/* What has become of a run. */
enum standing {
    STANDING_RUNNING,
    STANDING_CRASHED, /* it has no end, and neither a process nor a host works on it */
    STANDING_ENDED,   /* its reason says how */
};

/* ERR_MISSING where there is no journal yet: err says so, and what to do. look_close() is due
 * in any case. */
int look_open(struct look *look, const char *cwd, struct err *err);

/* After a failed look_open(): there is a repository, it has only had no run yet. */
bool look_is_empty(const struct look *look);

/* Finds the run; prefix may be NULL or empty: the newest of this workspace. */
int look_run(struct look *look, const char *prefix, struct err *err);
/* The newest run of this workspace, as the journal has it now: the repository is not looked for
 * again, and what look->run pointed to is gone. ERR_MISSING: there is none. */
int look_newest(struct look *look, struct err *err);
void look_close(struct look *look);

/* Whether a process or a host works on this run. Reads the row again where it could have changed
 * meanwhile; sets look->lock. */
int look_alive(struct look *look, struct journal_run *run, bool *alive, struct err *err);

enum standing standing_of(const struct journal_run *run, bool alive);

/* running, or the word of its end (run/ends.h). */
const char *standing_word(const struct journal_run *run, bool alive);

/* Whether Claude Code or Codex plays the run: what continues it is a command of theirs. */
bool run_is_hosted(const struct journal_run *run);

/* What a standing means, and the way on from it; half a sentence. */
const char *standing_text(const struct journal_run *run, bool alive);

/* Why there may be more to find than was found; NULL: there is not. */
const char *look_unfinished(const struct look *look);

/* The members that describe a run, the same in every document that has one. */
void look_describe(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct journal_run *run,
                   bool alive);

#endif
