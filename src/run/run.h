/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - what is true of a run: where it is, what it goes by, what has happened in it, and which
 * of its files are still owed to the disk.
 *
 * It is rebuilt from the journal by the same engine, and no action is performed: resume begins with
 * that, and every verb that shows a run visits the events on the way. What makes a run go on in a
 * process (its supervisor, its attempts, its queue) is struct drive, drive/drive.h.
 *
 * Room: a run as it stands: its places on the disk, its engine rebuilt from the journal, its
 * history. Nothing here makes a run go on. */
#ifndef HONE_RUN_RUN_H
#define HONE_RUN_RUN_H

#include "base/arena.h"
#include "base/err.h"
#include "core/engine.h"
#include "core/ledger.h"
#include "dialect/dialect.h"
#include "io/file/file.h"
#include "io/git/repo.h"
#include "run/ends.h"
#include "run/exit_code.h"
#include "settings/settings.h"
#include "store/journal.h"

/* Empty is a valid value. The engine points into it: it must stay where run_load() found it. A verb
 * that only looks at a run (run/look.h) has the repository and the journal there, and leaves them
 * empty here. */
struct run {
    struct arena arena;         /* what lives as long as the run is open */
    struct repo repo;           /* its workspace and git folder */
    const char *worktrees;      /* the folder of the lanes' work trees */
    const char **private_paths; /* the dialects' own files there, as prefixes; NULL ends */
    struct site **sites;        /* by lane (run/site.h); NULL where a lane has done nothing yet */
    uint32_t site_count;
    struct site **isolated;     /* by no order: the disposable work trees of fixers at work */
    uint32_t isolated_count, isolated_cap;

    struct journal_run row;
    const struct dialect *dialect;
    struct run_settings settings;
    struct plan plan;
    struct agent *agents; /* by role (run/cast.h): for the one that joins copies, or is alone ... */
    struct agent *copies; /* ... and for the copies, where the dialect tells them apart */
    struct agent *eyes;   /* by role, for each eye behind the first, one after the other */

    struct journal *journal;
    struct engine engine;
    uint64_t event_count;
    bool test_useless;    /* hone's fixer said that the test failed before any fix */
    bool unverified;      /* it said that nothing has judged its fixes */
    uint64_t held_back;   /* findings whose fix it held back as risky, when it last said so */

    bool sandboxed;        /* its agents are held by a sandbox */
    const char *secrets;   /* files and folders that no sandbox shows, a line each; NULL: none */

    struct file_debt debt; /* of the contract files */
    uint64_t recorded;     /* engine.steps when they were last written */
};

/* Each event with the actions it led to, after the step. */
typedef bool run_visit(void *context, const struct run *run, uint64_t sequence,
                       const struct event *event, const struct actions *actions);

/* Everything but the events: the row copied, its settings read, its plan compiled, the engine
 * idle. Also how a new run begins. ERR_USAGE for an unknown dialect or a bad setting. run_release()
 * is due in any case. */
int run_load(struct run *run, const struct journal_run *row, struct err *err);

/* Feeds all events of the journal, until visit (which may be NULL) returns false. */
int run_replay(struct run *run, struct journal *journal, run_visit *visit, void *context,
               struct err *err);
/* The same once more, for those that were added since. */
int run_catch_up(struct run *run, struct journal *journal, run_visit *visit, void *context,
                 struct err *err);
void run_release(struct run *run);

/* The exit status of its end: that of its reason, but for what the user allowed. */
enum exit_code run_exit_code(const struct run *run);

/* How it has ended, in words. */
const struct end *run_end_of(const struct run *run);

/* Where what it keeps lies, in hone's folder. */
const char *run_folder(const struct run *run, struct arena *arena);
/* A test that no person named runs in a sandbox or not at all. */
bool run_test_is_used(const struct run *run);
/* Rights that an agent gives up, by the file of its role; from: that file, NULL where none does. */
struct role_rights {
    bool no_network, no_home, no_tmp;
    const char *from;
};

struct role_rights run_rights(const struct run *run, const struct action *action,
                              struct arena *arena);
/* What a file of the user's says of the role that is asked; NULL: it has none. Lives in arena. */
const struct role_file *run_role_file(const struct run *run, const struct action *action,
                                      struct arena *arena);
/* HONE_ITERATION of an attempt, in the dialect's own count. */
uint32_t run_iteration(const struct run *run, const struct action *action);

#endif
