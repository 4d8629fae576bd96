/* SPDX-License-Identifier: Apache-2.0
 *
 * drive.h - the state of a run that goes on, shared by all files of the driver.
 *
 * open.c opens a run, headless.c is the loop, attempt.c follows attempts to their ends, launch.c
 * starts them, facts.c and outcome.c say what their ends mean, lanes.c knows where each lane works,
 * watch.c sees to it that reviewers change nothing, rounds.c what writers changed; report/ tells
 * the user.
 *
 * Room: what makes a run go on: it is opened, attempts are launched and end, facts become events,
 * events are journaled, stepped and performed. */
#ifndef HONE_DRIVE_DRIVE_H
#define HONE_DRIVE_DRIVE_H

#include "agent/agent.h"
#include "base/arena.h"
#include "core/engine.h"
#include "core/ledger.h"
#include "drive/ask.h"
#include "drive/headless.h"
#include "format/secret/mask.h"
#include "io/file/file.h"
#include "io/file/lock.h"
#include "io/git/refs.h"
#include "io/git/repo.h"
#include "io/process/signals.h"
#include "io/process/supervisor.h"
#include "io/tree/seal.h"
#include "io/tree/tree.h"
#include "run/run.h"
#include "run/waits.h"
#include "store/journal.h"

enum {
    ANSWER_BYTES_MAX = 16 << 20,       /* of what is judged; a transcript may be longer */
    PROMPT_BYTES_MAX = 16 << 20,
    FINDINGS_BYTES_MAX = 256 << 20,    /* of what a fixer is given */
    OUTPUT_BYTES_MAX_LOG2 = 32,        /* 4 GiB of transcript: more is a runaway */
    GATHER_MS = 3,                     /* between ends that are taken together */
    GRACE_MS = 5000,                   /* between TERM and KILL */
    FENCE_LETTERS = 20,
    RUN_ID_LETTERS = 8,
};

#define SITE_ID (UINT64_C(1) << 63) /* with a lane: the making of its work tree, not an attempt */

/* An attempt that was asked for and has not ended. */
struct live {
    struct action action;
    const char *dir;       /* its folder */
    uint64_t due_ms;       /* not started yet: when; 0 once it is */
    uint64_t started_ms;
    uint64_t begun_ms, look_ms; /* steady clock: when it began; when to look at its stream, or 0 */
    bool over;             /* its end is queued */
    bool tainted;          /* the tree changed while it read: its answer cannot count */
    bool waits;            /* for its lane's work tree, which is being made */
    bool held;             /* it has ended: notice; what follows waits until all readers have */
    struct notice notice;
    uint32_t files;        /* once that was looked at: what is in its folder (transcript.h); or 0 */
    uint32_t plain;        /* those of its files that hold nothing to mask */
    uint64_t share_micros; /* what was left of the budget for it; 0: no limit, or not known */
};

/* An event that is not in the journal yet. */
struct pending {
    struct event event;
    struct arena arena; /* its texts */
};

/* The tree a review judges. */
struct watch {
    uint32_t job;      /* the first job of the review it belongs to; 0: none */
    struct tree tree;
    struct seal seal;
    uint32_t saved;    /* the job whose file holds the tree as it is here; 0: none does */
    uint64_t turn;     /* the turn of the drive in which the seal was last found to hold; or 0 */
    uint32_t drifts;   /* how often it changed under a sandbox: by somebody else */
    struct tree_delta delta; /* since the review before; paths belong to tree and before */
    struct tree before;
    struct str *changed;     /* delta's files, for prompts */
    uint32_t changed_count;
};

/* Where a lane works: the main lane in the user's checkout, a task's in a work tree of its own. */
struct site {
    uint32_t lane;
    struct repo repo;        /* its workspace and git folder; the rest is the repository's */
    struct lane_about about; /* the main lane is "main", and its task the run's */
    const char *since;       /* of a task's lane: the commit it began at; NULL: not known */
    struct watch watch;
    bool spoiled;  /* a reviewer changed the tree; it is put back when all readers have ended */
    bool ready;    /* its work tree is there */
};

/* What a dialect is told of a tree: rounds.c. Empty is a valid value. */
struct round_tree {
    struct arena arena;
    struct tree before, now;
    struct tree_delta delta;
    struct tree_view view;
    bool known; /* false: the dialect does not ask for it */
};

struct report {
    bool json, quiet;
    bool mute;          /* not even warnings: whoever listens would take them for something else */
    bool color;         /* standard error may be coloured */
    const char *folder; /* where the run was asked for */
    struct view *view;  /* NULL: plain lines, or none */
};

struct drive;

/* What a driver does in its own way: headless.c and drive/hosted/open.c each have them. */
struct hands {
    void (*start)(struct drive *drive, struct live *live); /* due_ms says when it may begin */
};

struct drive {
    struct run run;         /* what is true of it */
    struct lock lock;
    const char *locks;      /* the folder of the locks */
    const char *trail_note; /* the file in it that says whose files are in the workspace */
    struct supervisor supervisor;
    struct signals signals;
    struct agent *agents; /* by role: for the one that joins copies, or is alone ... */
    struct agent *copies; /* ... and for the copies, where the dialect tells them apart */
    struct report report;
    enum answers answers; /* where agents put them */
    const char *session;  /* the host's, by its own name; "" where there is no host */
    const char *host;     /* who plays the host's roles, "codex-subagent"; likewise */
    struct str codex;     /* the user's settings of Codex, once they were read */
    struct mask mask;     /* what nobody may read in what agents say */
    struct refs refs;     /* of the checkout, before its newest writer; empty: not known */
    struct site **sites;  /* by lane; NULL where a lane has done nothing yet */
    uint32_t site_count;
    uint32_t making;      /* the lane whose work tree is being made; 0: none is */
    const struct hands *hands;
    struct live **live; /* those that were asked for; live_next() walks them */
    uint32_t live_count, live_cap;
    struct waits waits;   /* who waits for its service, since when */
    struct pending *queue;
    uint32_t queue_count, queue_cap;
    struct buf continued;   /* what this process last wrote to the file that others can continue */
    char fence[FENCE_LETTERS + 1];
    char owner[24];
    struct tree_ahead ahead; /* the tree of the first review, begun beside the opening */
    uint64_t turn;     /* counts how often ends were collected: work trees change between turns */
    struct usage used_before; /* by the run, when this process went on with it */
    bool sandboxed;
    bool finished;
    bool unrecorded; /* the last step's contract files are still to be written */
    bool answered;   /* an answer was recorded, and nothing else is wanted now */
    bool based;      /* the ref that work trees begin at is there */
    bool recovering; /* starts are left to the resume that follows */
    bool broken;     /* err: something hone itself could not do; the run stays resumable */
    struct err err;
};

/* --- headless.c --- */
/* A driver with nothing open: drive_close() accepts it. */
void drive_init(struct drive *drive, const struct hands *hands);
/* The run, as seen from a lane: its workspace, and what changed there. */
struct run_view drive_view(const struct drive *drive, uint32_t lane);
/* HONE_ITERATION of an attempt, in the dialect's own count. */
uint32_t drive_iteration(const struct drive *drive, const struct action *action);
/* Queues an event that is complete; the queue owns its arena from then on. */
void drive_queue(struct drive *drive, const struct pending *pending);
/* The same for an event without texts. */
void drive_push(struct drive *drive, struct event event);
void drive_break(struct drive *drive); /* drive->err is set: stop working, keep everything */
/* The contract files, as the dialect says they are now. */
int drive_record(struct drive *drive);
int drive_finish(struct drive *drive); /* the journal's row gets the reason */
/* Everything that is queued now: journaled together (with the row of a fresh run), then stepped
 * and performed one by one. What the performing queues is for the next tick. */
void drive_tick(struct drive *drive, const struct journal_run *fresh);
void drive_close(struct drive *drive);

/* --- open.c --- */
int run_begin(struct drive *drive, const struct headless_request *request);
int run_resume(struct drive *drive, const struct headless_request *request);
/* Parts of both, for hosted runs. */
int run_make(struct drive *drive, const struct headless_request *request, struct restored *past);
int drive_replay(struct drive *drive);
int run_start(struct drive *drive);
void run_private(struct drive *drive);

/* --- claim.c --- */
/* Takes the workspace; nothing is touched before. note: what the lock says of its owner. A hook
 * waits for others; a run does not, and no host may have one here either. */
int run_lock(struct drive *drive, const char *note);
int run_claim(struct drive *drive, const char *note);
/* Behind it: the dialect's files in the workspace are this run's from now on. */
int run_trail(struct drive *drive);

/* --- owner.c --- */
/* A word of this user's on this machine; "" where there is no place for one. Lives in arena. */
const char *owner_word(struct arena *arena);
/* ERR_USAGE for a run that was begun by somebody else, unless the user agreed, now or before. */
int owner_check(struct drive *drive, const struct journal_run *row, bool agreed);

/* --- continue.c --- */
/* The contract file that the settings ask to continue, added to their files. */
int continue_pin(struct drive *drive, const struct dialect *dialect, struct settings *settings);
/* The past that it tells; nothing where there is none. */
int continue_restore(struct drive *drive, const struct dialect *dialect,
                     const struct settings *settings, struct restored *out);
/* The run begins with that past. ERR_USAGE where the tree is not as the file left it. */
int continue_run(struct drive *drive, const struct restored *restored);
/* Says that a task which was given beside such a file is not taken. */
void continue_task(struct drive *drive, const char *task);
/* Before a resume: ERR_USAGE where that file is none that this run ever wrote. */
int continue_untouched(struct drive *drive);
/* Before that file is written again: where it is not as this process wrote it, another program has
 * changed it. That version is kept with the run, and the user is told. */
int continue_keep_other(struct drive *drive, const struct contract *contract);
/* ERR_BUSY where the lock file of the dialect names a process that lives. */
int claim_lock_file(struct drive *drive);

/* --- builtin.c --- */
bool is_builtin(const struct drive *drive, const struct action *action);
/* What to run for it; NULL: it has ended already. */
const char *const *builtin_command(struct drive *drive, struct live *live, struct arena *arena);
bool builtin_is_command(const struct drive *drive, const struct action *action);
enum builtin_kind builtin_kind_of(const struct drive *drive, const struct action *action);
struct facts;
/* Whether hone played the role, as that kind, and it came to what it should. */
bool builtin_made(const struct facts *facts, enum builtin_kind kind);

/* --- commit.c --- */
#define COMMIT_START "tree-start" /* what the run found, in its folder */
/* When a run begins that will make commits: refuses a tree that is not clean. */
int commit_begin(struct drive *drive);
/* When a run goes on: whoever ended it may have ended a git of it, too, and left its locks. */
void commit_unlock(struct drive *drive, uint64_t since_ms);
/* Keeps the index of a work tree that no agent has written to yet. */
int commit_keep_index(struct drive *drive, const struct site *site);
/* Leaves the list for `hone agent commit` with the attempt; *count 0: there is nothing. *keep: why
 * its workspace holds something that no commit will; "" where it does not. */
int commit_list(struct drive *drive, const struct live *live, const char *message,
                uint32_t *count, const char **keep, struct arena *arena);

/* Before a writer of such a run begins: keeps what it finds, where nobody wrote since the commit
 * before. */
int commit_step_begin(struct drive *drive, const struct live *live);
void commit_step_end(struct drive *drive, const struct live *live); /* its commit is made */

/* --- integrate.c --- */
/* When a run begins whose plan fans: the commit that its lanes begin at. */
int lanes_begin(struct drive *drive);
/* Before the first work tree: the ref of what was integrated is there. */
int lanes_base(struct drive *drive);
/* Leaves the order for `hone agent integrate` with the attempt. */
int integrate_prepare(struct drive *drive, const struct live *live, const char *message);
/* Whether the lane was merged by an attempt that may not have lived to say so. */
bool lane_was_merged(const struct drive *drive, uint32_t lane);
/* When the run has ended: what was merged is removed; what was not is named. */
void lanes_end(struct drive *drive);
void lanes_report(struct drive *drive, struct buf *out);

/* --- ask.c --- */
/* Puts the open question to whoever is at the terminal; false where there is nobody, or no
 * answer. Else the answer is queued and the run goes on. */
bool ask_person(struct drive *drive);
/* The gravest of what is open in a lane, a line each, harmless; and how many more there are. */
void ask_open(const struct drive *drive, uint32_t lane, struct buf *out);
/* Queues the answer; `continue` is one for a run that is stuck, too. ERR_USAGE where nothing is
 * asked, or that cannot be chosen. */
int ask_answer(struct drive *drive, enum choice choice);
int ask_check(struct drive *drive, enum choice choice); /* whether that would be taken */

/* --- remarks.c --- */
/* Of an event that was stepped: true where it is the first to say that the test cannot judge. */
bool remark_note(struct drive *drive, const struct event *event);

/* --- cast.c --- */
/* An agent for every role of the plan: ERR_USAGE says who does not fit, and with there, who is not
 * installed. */
int cast_agents(struct drive *drive, bool there);
const struct agent *agent_of(const struct drive *drive, const struct action *action);

/* --- attempt.c --- */
void attempt_start(struct drive *drive, const struct action *action);
void attempt_stop(struct drive *drive, const struct action *action);
void attempt_launch_due(struct drive *drive, uint64_t now_ms);
/* Milliseconds until the next delayed start, or look of limits.c; -1: there is none. */
int64_t attempt_due_in(const struct drive *drive, uint64_t now_ms);
/* The ends that the supervisor reported since the last call. */
void attempt_collect(struct drive *drive);
/* After a crash: attempts of the lane in flight that ended by themselves before anybody noticed;
 * and what the others left lying is removed. */
void attempt_recover(struct drive *drive, const struct lane *lane);

uint64_t live_id(const struct action *action); /* for the supervisor */
/* The next attempt that is not over, from *at on, which it moves; NULL: there is none. */
struct live *live_next(const struct drive *drive, uint32_t *at);
void live_sweep(struct drive *drive, bool all); /* those that are over go; or all */
bool is_reviewer(const struct drive *drive, const struct action *action);

/* How an attempt ends. Its event is queued, and live is over afterwards. */
struct gathered;
void attempt_end(struct drive *drive, struct live *live, struct gathered *gathered); /* released */
void attempt_push(struct drive *drive, struct live *live, struct pending *pending);
void attempt_fail(struct drive *drive, struct live *live, enum failure failure, bool permanent,
                  const char *problem);
void attempt_answer(struct drive *drive, struct live *live, struct str answer); /* at hand */

/* --- cage.c --- */
/* Of an attempt that failed, where a sandbox made it fail: what it could not do there and which
 * right is missing, behind the agent's name. "": no sandbox had a part in it. said: what its stream
 * says; network: its service was not reached. */
const char *cage_words(struct drive *drive, const struct live *live, struct str said, bool network);

/* --- guard.c --- */
/* argv in the sandbox of its role, where there is one. */
const char *const *guard_wrap(struct drive *drive, const struct live *live,
                              const struct attempt *about, const char *const *argv,
                              struct arena *arena);
/* Before somebody who writes is started: what may not be changed is remembered. */
int guard_begin(struct drive *drive, const struct live *live);
/* When it has ended: what it changed there all the same is put back. NULL: nothing, or the drive is
 * broken; else what to tell it: its answer does not count. */
const char *guard_end(struct drive *drive, const struct live *live);
/* The environment of an attempt; names of credentials that it does not get are left in its
 * folder. */
int guard_env(struct drive *drive, const struct live *live, const struct attempt *about,
              struct arena *arena, const char *const **out);

/* --- launch.c --- */
void attempt_launch(struct drive *drive, struct live *live);
/* Of a hosted run: where the attempt's answer goes, absolute; *file the same from the top of the
 * workspace where it is a contract file, else "". */
const char *attempt_output(const struct drive *drive, const struct live *live,
                           const char **file, struct arena *arena);
/* Everything that must be there before the host can start its agent, the prompt last. */
int attempt_give(struct drive *drive, struct live *live);

/* --- limits.c --- */
/* From the start of an attempt on: when its stream is to be looked at. */
void limits_begin(const struct drive *drive, struct live *live);
int64_t limits_due_in(const struct drive *drive); /* milliseconds; -1: never */
void limits_look(struct drive *drive); /* at those whose time has come; ends who is too late */

/* The file that a dialect wants a prompt in while the attempt runs, if it wants one. */
void prompt_file_remove(struct drive *drive, const struct action *action);

/* --- rounds.c --- */
/* Before each attempt: where it is a writer's first of its job, the tree is remembered. */
int round_begin(struct drive *drive, const struct live *live);
/* What the writer, or the newest writer of a reviewer's lane, has changed. */
int round_look(struct drive *drive, const struct live *live, struct round_tree *out);
/* The workspace as it is: head and dirty files. */
int tree_view_take(struct drive *drive, struct round_tree *out);
void round_release(struct round_tree *round);

/* --- lanes.c --- */
/* The lane's place; made on the first call. Its work tree need not be there. */
struct site *site_of(struct drive *drive, uint32_t lane);
const struct site *site_find(const struct drive *drive, uint32_t lane); /* NULL: none yet */
bool site_is_there(struct site *site); /* its work tree is whole; the main lane's always is */
/* False: the attempt waits for its lane's work tree, and is launched when that is there. */
bool site_enter(struct drive *drive, struct live *live);
void site_made(struct drive *drive, const struct notice *notice);
void site_forget(struct drive *drive, uint32_t lane); /* it is merged: its trees are not needed */
const char *site_folder(const struct drive *drive, uint32_t lane, struct arena *arena);
const char *site_branch(const struct drive *drive, const struct site *site, struct arena *arena);
void sites_release(struct drive *drive);

/* --- watch.c --- */
enum watch_verdict {
    WATCH_SAME,    /* the tree is the one the review began with */
    WATCH_CHANGED, /* a reviewer changed it */
    WATCH_DRIFTED, /* somebody else changed it; it is what is judged from now on */
    WATCH_WILD,    /* somebody else changes it again and again */
};

/* Whether somebody in it only reads: an agent that is to change nothing. */
bool has_reader(const struct drive *drive, const struct batch *batch);
/* Remembers the tree before the lane's review; called before each of its attempts. */
int watch_begin(struct drive *drive, const struct lane *lane);
/* What was judged on the kept tree of this review does not count: it is kept no more. */
int watch_void(struct drive *drive, uint32_t job);
/* Of a past that nobody watched: the tree as it is counts as the one that was judged. */
int watch_adopt(struct drive *drive, const struct lane *lane);
/* Compares. *what is a text that names the changes. */
int watch_look(struct drive *drive, struct site *site, struct arena *arena,
               enum watch_verdict *verdict, const char **what);
/* Makes the tree what it was; keep_dir gets the versions that are replaced. Nobody may be at
 * work in it. */
int watch_put_back(struct drive *drive, struct site *site, const char *keep_dir,
                   struct arena *arena, const char **what);
/* On resume: whether the tree is still the one that the lane's review judges. */
int watch_resume(struct drive *drive, const struct lane *lane, bool *drifted);
void watch_release(struct watch *watch);
const char *tree_name(struct arena *arena, uint32_t job); /* of the review that began with job */
const char *delta_text(const struct tree_delta *delta, struct arena *arena);

/* Whether the tree is the one that the lane's last review judged; *what names the changes. */
int watch_still(struct drive *drive, const struct lane *lane, struct arena *arena, bool *same,
                const char **what);
/* When the run ends and a task's lane is stuck: its tree is kept, to know who helped. */
int rest_keep(struct drive *drive, const struct lane *lane);

/* --- spending.c --- */
/* Milliseconds until the time of the budget is over; -1: never. Says so to the engine then. */
int64_t spending_due_in(const struct drive *drive, uint64_t now_ms);
void spending_look(struct drive *drive, uint64_t now_ms);
/* What is left for an attempt, put into what it is told. */
void spending_tell(const struct drive *drive, struct live *live, struct attempt *about,
                   struct arena *arena);
/* Whether an agent that stopped at a limit of money did so at ours. */
bool spending_was_all(const struct drive *drive, const struct live *live, uint64_t cost_micros);

/* --- children.c --- */
/* What this run used goes to the agent that started it, if one did. */
void children_tell(struct drive *drive);
/* What runs used that the attempt in this folder has started, added to its own. */
void children_add(const char *dir, struct usage *usage);

/* --- report.c --- */
void report_open(struct report *report, const struct headless_request *request);
void report_close(struct report *report); /* what is drawn goes; lines can still be said */
/* How long the loop may wait that wants to wait so long (-1: for ever); draws what is due. */
int64_t report_wait_ms(const struct report *report, int64_t wait_ms);
void report_tick(const struct report *report);
void report_run(const struct drive *drive, bool resumed);
void report_start(const struct drive *drive, const struct action *action);
void report_ended(const struct drive *drive, const struct live *live, const struct event *event);
/* After a step by an event of that lane. */
void report_step(const struct drive *drive, uint32_t rounds_before, uint32_t lane);
void report_ask(const struct drive *drive, const struct action *action);
void report_warning(const struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void report_no_test(const struct drive *drive); /* where the dialect would run one */
void report_useless_test(const struct drive *drive);

/* --- drive/report/end.c --- */
void report_finish(struct drive *drive);

#endif
