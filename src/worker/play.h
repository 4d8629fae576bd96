/* SPDX-License-Identifier: Apache-2.0
 *
 * play.h - one attempt, played: what the files of the process that does so share. */
#ifndef HONE_WORKER_PLAY_H
#define HONE_WORKER_PLAY_H

#include "drive/process.h"
#include "format/fleet/fleet_job.h"
#include "io/process/talk.h"
#include "io/travel/travel.h"
#include "run/cast.h"
#include "worker/worker.h"

/* Words between a worker and the process that plays, a line each. */
#define PLAY_NEED "need"    /* from it: the blob base-OID of the job is wanted; base or nobase */
#define PLAY_READY "ready"  /* from it: all is ready; go follows, or the end of its input */
#define PLAY_SKIP "skip "   /* from it, with why: it cannot do this one. Last */
#define PLAY_MISSING "missing " /* likewise, as the agent's program is not here */
#define PLAY_ENDED "ended"  /* from it: the result is on the disk. Last */
#define PLAY_BASE "base"
#define PLAY_NOBASE "nobase"
#define PLAY_GO "go"
#define PLAY_LIVE "live "   /* with milliseconds: the worker lives, and says so again within them.
                               After go */

struct play {
    const struct worker_settings *settings;
    const char *folder;        /* of the attempt, in the outbox */
    struct arena arena;
    struct fleet_job job;
    struct run run;
    struct guard_memory memory;
    struct attempt about;
    const char *dir;           /* what the agent finds and leaves */
    struct travel_store store;
    struct travel_ids ids;
    struct travel_place place;
    bool placed;               /* the place is ours */
    bool missing;              /* the agent's program is not here */
    struct supervisor supervisor;
    struct talk talk;          /* with the worker */
    struct buf heard;
    bool over;                 /* the worker wants no more of it, or is gone */
    struct notice notice;
    uint64_t stream_ms, look_ms; /* steady clock: when its agent began; when to look at its stream,
                                    or 0 */
    uint64_t begun_ms, ended_ms; /* wall clock */
    const char *guard_words;   /* what to tell the agent; "" */
    const char *problem;       /* what could not be done here; "" */
    struct travel_made made;
    bool bundled;
    struct err err;
};

/* Waits for the end of the process that was spawned with this id. False: it is over. */
bool play_wait(struct play *play, uint64_t id, struct notice *out);

/* ---- play_ready.c: everything that is there before the agent is ---- */

/* The run of the job, who plays it, whether it may. An error is one of this worker: another one may
 * be able to. */
int play_load(struct play *play);
/* The work tree. ERR_MISSING: its base is wanted. */
int play_place(struct play *play);
int play_learn(struct play *play);
/* Files of the attempt and of the work tree, and the setup command. What fails is in play->problem:
 * the attempt ends with it. */
int play_fill(struct play *play);
struct guarded play_guarded(struct play *play);

#endif
