/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.h - the ordered, durable list of every run's events, in <hone folder>/journal.db.
 *
 * SQLite with a write-ahead log and synchronous=FULL: journal_commit() returns when the events
 * are on the disk, and only then may their actions start. One database serves all runs of a
 * repository; readers never wait for the writer.
 *
 * Room: SQLite, and nothing else may include it: the journal, and tables of dialects beside it. */
#ifndef HONE_STORE_JOURNAL_H
#define HONE_STORE_JOURNAL_H

#include "base/err.h"
#include "core/event.h"
#include "format/row.h"

struct journal;

/* One row of the table of runs. Texts live in the arena the reader passed. */
struct journal_run {
    const char *id, *dialect, *task, *workspace;
    const char *settings;  /* a JSON object: options and agents, as the run was started */
    uint64_t created_ms, updated_ms;
    enum reason reason;    /* REASON_NONE while it runs, or after it died */
    uint64_t event_count;
};

/* Read and write, made where missing; or to read only: ERR_MISSING where there is none. A newer
 * schema than ours is ERR_FORMAT and names the version; an older one is migrated by a writer. */
int journal_open(struct journal **out, const char *path, struct err *err);
/* The same for a moment: other processes that want to open it wait until it is closed. */
int journal_open_alone(struct journal **out, const char *path, struct err *err);
int journal_open_readonly(struct journal **out, const char *path, struct err *err);
void journal_close(struct journal *journal); /* accepts NULL */

/* From now on no commit waits for the disk: for a process of milliseconds whose past can be read
 * from elsewhere. A power cut may take back what was committed last. */
int journal_hurry(struct journal *journal, struct err *err);

/* Does what journal_hurry() leaves undone: the next process opens the journal faster. Waits for the
 * disk. A failure is ignored: the log stays as it is. */
void journal_work_in(struct journal *journal);

/* One transaction: begin, any of the puts, commit. A put or commit that fails rolls it back. */
int journal_begin(struct journal *journal, struct err *err);
/* The same for rows that can be made again: the commit does not wait for the disk, and a power cut
 * may take it back. */
int journal_begin_loose(struct journal *journal, struct err *err);
int journal_put_run(struct journal *journal, const struct journal_run *run, struct err *err);
int journal_put_event(struct journal *journal, const char *run, const struct event *event,
                      struct err *err);
int journal_put_reason(struct journal *journal, const char *run, enum reason reason,
                       struct err *err);
/* A row of a dialect's own tables: see format/row.h. */
int journal_put_row(struct journal *journal, const struct contract_row *row, struct err *err);
/* Takes a run out, with its events and its rows in tables of dialects. */
int journal_remove_run(struct journal *journal, const char *run, struct err *err);
/* Gives the disk back what removed runs took. A failure is ignored: another process is at it. */
void journal_shrink(struct journal *journal);
int journal_commit(struct journal *journal, struct err *err);

/* Runs, newest first; stops when visit returns false. */
int journal_runs(struct journal *journal, struct arena *arena,
                 bool (*visit)(void *context, const struct journal_run *run), void *context,
                 struct err *err);

/* The run whose id starts with prefix; "" is the newest (of that workspace, where not NULL).
 * ERR_MISSING when there is none, ERR_USAGE when the prefix fits several (and names them). */
int journal_find(struct journal *journal, const char *prefix, const char *workspace,
                 struct arena *arena, struct journal_run *out, struct err *err);

/* The run of exactly this id; ERR_MISSING where there is none. */
int journal_get(struct journal *journal, const char *id, struct arena *arena,
                struct journal_run *out, struct err *err);

/* A run's events in order, from the first behind that sequence (0: from the first of all); the
 * event's texts are borrowed for the visit. sequence counts from 1. Stops when visit returns false.
 * ERR_FORMAT names a damaged event. */
int journal_replay(struct journal *journal, const char *run, uint64_t behind,
                   bool (*visit)(void *context, uint64_t sequence, const struct event *event),
                   void *context, struct err *err);

/* ---- for a reader that stays: what is new ---- */

/* A number that is another one when any other process has committed since this was last asked. It
 * says nothing where the journal was opened in a folder that may not be written. */
int journal_version(struct journal *journal, uint64_t *out, struct err *err);

/* A number that is another one when a run was added or taken out. */
int journal_census(struct journal *journal, uint64_t *out, struct err *err);

/* What is read between the two is the journal at one moment. A writer is not held up. */
int journal_hold(struct journal *journal, struct err *err);
void journal_let_go(struct journal *journal);

#endif
