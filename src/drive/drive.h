/* SPDX-License-Identifier: Apache-2.0
 *
 * drive.h - what makes a run go on in this process, and one turn of it (tick.c).
 *
 *   open.h       how a run is opened             attempt.h    attempts, started and ended
 *   lanes.h      lanes of tasks, their trees     facts.h      what is known of an attempt's end
 *   watch.h      the tree that a review judges   outcome.h    what that means
 *   rounds.h     what a writer changed           builtin.h    what hone plays itself
 *   commit.h     what is committed               spending.h   the budget
 *   continue.h   contract files that go on       ask.h        questions to a person
 *   undo.h       edits that were not checked     isolate.h    fixers in disposable work trees
 *   bring.h      a change, brought as a whole    prove.h      repairs that made things worse
 *
 * Room: what makes a run go on, alike in every driver: it is opened, attempts are launched and end,
 * facts become events, events are journaled, stepped and performed. What headless/, hosted/ and
 * playback/ do differently are their hands and their ways to open. */
#ifndef HONE_DRIVE_DRIVE_H
#define HONE_DRIVE_DRIVE_H

#include "drive/bars.h"
#include "format/secret/mask.h"
#include "guard/guard.h"
#include "io/file/lock.h"
#include "io/process/signals.h"
#include "io/process/supervisor.h"
#include "io/tree/tree.h"
#include "report/report.h"
#include "run/cast.h"
#include "run/run.h"
#include "run/waits.h"

#include <stdarg.h>

enum {
    ANSWER_BYTES_MAX = 16 << 20,       /* of what is judged; a transcript may be longer */
    GRACE_MS = 5000,                   /* between TERM and KILL */
    FENCE_LETTERS = 20,
};

/* An attempt that was asked for and has not ended. */
struct live {
    struct action action;
    const char *dir;       /* its folder */
    uint64_t due_ms;       /* not started yet: when; 0 once it is */
    uint64_t started_ms;
    uint64_t begun_ms, look_ms; /* steady clock: when it began; when to look at its stream, or 0 */
    bool over;             /* its end is queued */
    bool tainted;          /* the tree changed while it read: its answer cannot count */
    bool begun;            /* its host was seen to start it, though due_ms is not 0 */
    bool barred;           /* it was not started: its program cannot play (bars.h) */
    bool waits;            /* for its lane's work tree, which is being made */
    bool away;             /* it plays on another machine: the hands send it there */
    enum failure failed;   /* away: what hone knows of its end, FAILURE_NONE: its status says it; */
    bool failed_for_good;
    const char *failed_why;
    const char *strayed;   /* away: what a reviewer changed in its work tree there; or NULL */
    const char *broke;     /* away: it changed there what it may not: where that was; or NULL */
    const char *brings, *brings_left; /* while a change of it comes to the tree: bring.h */
    bool disposed;         /* its disposable work tree is gone, or the next attempt goes on there */
    bool undoable;         /* the note names it: what it writes may have to be undone (undo.h) */
    bool held;             /* it has ended: notice; what follows waits until all readers have */
    struct notice notice;
    struct progress progress; /* how far it said it is, as it was told last ... */
    uint64_t progress_ms;  /* ... and when a line was written for it: the steady clock */
    uint32_t files;        /* once that was looked at: what is in its folder (transcript.h); or 0 */
    uint32_t plain;        /* those of its files that hold nothing to mask */
    uint64_t share_micros; /* what was left of the budget for it; 0: no limit, or not known */
};

/* An event that is not in the journal yet. */
struct pending {
    struct event event;
    struct arena arena; /* its texts */
};

struct dialog;
struct drive;

/* What a driver does in its own way, and all of it: headless/headless.c, hosted/open.c
 * and playback/playback.c each have them. None is NULL but where it says so. */
struct hands {
    /* An attempt was asked for: it begins now, when its due_ms has come, or when a host is told. */
    void (*start)(struct drive *drive, struct live *live);
    /* An attempt that plays on another machine (live->away) is prepared: its folder holds what it
     * is told. NULL where none does. */
    void (*send)(struct drive *drive, struct live *live, const struct attempt *about);
    /* An attempt that has not ended is not wanted any more. */
    void (*stop)(struct drive *drive, struct live *live);
    /* One that was sent to another machine, when hone was killed: what came of it is fetched, so
     * that its folder tells, and live->away, failed, strayed, broke. NULL where none is sent. */
    void (*fetch)(struct drive *drive, struct live *live);
    /* Puts a question to the person at the run (drive/ask.h). False: there is none to be asked at
     * this moment, or no answer was given. */
    bool (*ask)(struct drive *drive, const struct dialog *dialog, uint32_t *chosen);
    /* Something has happened that those who follow the run may want to know. */
    void (*tell)(struct drive *drive, const struct news *news);
};

struct drive {
    struct run run; /* what is true of it */
    const struct hands *hands;

    /* what this process holds of it */
    struct lock lock;
    const char *locks;      /* the folder of the locks */
    const char *trail_note; /* the file in it that says whose files are in the workspace */
    const char *mark_note;  /* and the one with the mark of the supervisor that is at work */
    const char *undo_note;  /* and the one that names attempts which may have to be undone */
    struct supervisor supervisor;
    struct signals signals;

    /* what agents are told and what is made of their words */
    enum answers answers; /* where agents put them: handed to the dialect, which writes it into
                             prompts and reads by it; no driver decides anything by it */
    const char *session;  /* the host's, by its own name, for contract files; "": there is none */
    const char *host;     /* who plays the host's roles, "codex-subagent", for records; likewise */
    char fence[FENCE_LETTERS + 1];
    char owner[24];       /* the process that contract files name */
    struct mask mask;     /* what may not be read in what agents say */
    const char *trace;     /* where spans are sent: the trace that they are in, and ... */
    const char *trace_run; /* ... the name that their ids come from (format/observe/otlp.h); else
                              both are NULL */

    /* what is going on */
    struct live **live; /* those that were asked for; live_next() walks them */
    uint32_t live_count, live_cap;
    struct pending *queue;
    uint32_t queue_count, queue_cap;
    uint64_t progress_ms; /* when to look how far agents are, by the steady clock */
    struct bars bars;   /* programs whose agents are not started any more */
    struct waits waits; /* the jobs that wait for their service, and since when */
    uint64_t making;    /* the id of the making of a work tree (lanes.h); 0: none is made */
    uint64_t turn;      /* counts how often ends were collected: work trees change between turns */
    struct guard_memory guard;
    struct tree_ahead ahead; /* the tree of the first review, begun beside the opening */
    struct buf continued;    /* what was last written to the file that others can continue */
    struct usage used_before; /* by the run, when this process went on with it */
    const struct waiver *waivers; /* those that hold: EV_START and EV_RESUME tell the engine ... */
    uint32_t waiver_count;
    bool waivers_known;      /* ... once they were read (open.c) */

    /* where it stands */
    bool finished;
    bool unrecorded; /* the last step's contract files are still to be written */
    bool answered;   /* an answer was recorded, and nothing else is wanted now */
    bool based;      /* the ref that work trees begin at is there */
    bool recovering; /* starts are left to the resume that follows */
    bool held;       /* a person has paused it: no attempt is launched */
    bool broken;     /* err: something hone itself could not do; the run stays resumable */
    struct err err;
};

/* --- tick.c --- */
/* A driver with nothing open: drive_close() accepts it. */
void drive_init(struct drive *drive, const struct hands *hands);
/* The run, as seen from a lane, with what this process tells its agents. */
struct run_view drive_view(const struct drive *drive, uint32_t lane);
/* The same, as seen by an attempt: its workspace may be a disposable one. */
struct run_view drive_view_of(const struct drive *drive, const struct action *action);
/* Queues an event that is complete; the queue owns its arena from then on. One with which a run
 * begins or goes on gets the waivers that hold. */
void drive_queue(struct drive *drive, const struct pending *pending);
/* The same for an event without texts. */
void drive_push(struct drive *drive, struct event event);
void drive_break(struct drive *drive); /* drive->err is set: stop working, keep everything */
/* The contract files, as the dialect says they are now. */
int drive_record(struct drive *drive);
int drive_finish(struct drive *drive); /* the journal's row gets the reason */
/* Steps the engine by an event, notes it and tells of it; then its actions by the hands. Nothing is
 * recorded, which is up to the tick. */
void drive_step(struct drive *drive, const struct event *event, struct actions *actions);
void drive_act(struct drive *drive, const struct action *action);
/* Everything that is queued now: journaled together (with the row of a fresh run), then stepped
 * and performed one by one. What the performing queues is for the next tick. */
void drive_tick(struct drive *drive, const struct journal_run *fresh);
void drive_close(struct drive *drive);

/* Tells those who follow the run. */
void drive_tell(struct drive *drive, const struct news *news);
void drive_warn(struct drive *drive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void drive_warn_by(struct drive *drive, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#endif
