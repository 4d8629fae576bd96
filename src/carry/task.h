/* SPDX-License-Identifier: Apache-2.0
 *
 * task.h - an attempt as its worker has it: from the job to a result that its carrier keeps. */
#ifndef HONE_CARRY_TASK_H
#define HONE_CARRY_TASK_H

#include "format/fleet/fleet_line.h"

enum task_state {
    TASK_NEW,       /* this worker knows nothing of it */
    TASK_FETCHING,  /* the job is read; blobs of it are on their way */
    TASK_PREPARING, /* its process makes all ready */
    TASK_NEEDING,   /* ... and waits for a base */
    TASK_ASKING,    /* begin was said */
    TASK_WORKING,   /* go was heard: its agent may be at work */
    TASK_ENDING,    /* its process was told to end */
    TASK_SENDING,   /* its result is on the disk, and is said until it is kept */
    TASK_KEPT,      /* the carrier has the result, the disk too, until it is forgotten. The folder
                     * is all that is left of it: a job, or FOUND, goes on from there */
    TASK_GONE,      /* nothing of it is held any more */
    TASK_STATE_COUNT
};

/* How far it is. {0} is one that this worker knows nothing of. All times are of a clock that is not
 * set, and never 0. */
struct task_at {
    enum task_state state;
    bool running;        /* its process was started, and not reaped */
    bool orphaned;       /* ending as its driver is dead: a result that is there is kept */
    bool sending;        /* pieces of its result are being said */
    bool again;          /* SENDING: the carrier had the result before, and may have lost it */
    uint64_t lease_ms;   /* of its run; 0: the carrier's */
    uint64_t wanted_ms;  /* when its blobs were asked for */
    uint64_t kill_ms;    /* its process is killed then; 0: never */
    uint64_t fence_ms;   /* its agent is ended then: the carrier that renewed is dead; 0: never */
    uint64_t sent_ms;    /* when its result was said to this carrier; 0: it was not */
};

/* What all attempts of a worker share. {0} with lease_ms, slots, and heard_ms and beat_ms now. */
struct task_worker {
    uint64_t lease_ms;
    uint64_t least_ms;    /* the smallest lease of its attempts; 0: lease_ms is */
    uint32_t slots, held; /* held: in use */
    uint32_t again;       /* results that are being said again */
    bool ready;           /* the carrier said so, and knows how many slots are free */
    bool draining;        /* no new ones: those that are there end */
    uint64_t heard_ms;    /* when the carrier was heard */
    uint64_t beat_ms;     /* when it was told a beat */
    uint64_t piece_ms;    /* when a piece of a blob came; 0: none did */
};

enum task_event_kind {
    TASK_FOUND,        /* in the outbox, with a result: kept. When the worker begins, where none
                        * has kept it; else when one may have lost it (task_worker_says_again) */
    TASK_JOB,          /* the carrier hands it out: has_result, lease_ms */
    TASK_TAKEN,        /* TAKES was done: wants */
    TASK_NOT_TAKEN,    /* ... it cannot be read, or its folder is there already */
    TASK_BLOBS_THERE,  /* all that were asked for */
    TASK_BLOB_NONE,    /* one of them cannot be had */
    TASK_NOT_STARTED,  /* STARTS failed */
    TASK_NEEDS_BASE,   /* a word of its process: wants */
    TASK_IS_READY,     /* ... all is ready */
    TASK_SKIPS,        /* ... it cannot do this one */
    TASK_HAS_ENDED,    /* ... its agent has ended: has_result */
    TASK_PROCESS_OVER, /* it says nothing more: has_result */
    TASK_GO,           /* of the carrier */
    TASK_IS_GONE,      /* ... the other answer to begin */
    TASK_STOP,         /* ... why */
    TASK_IS_KEPT,
    TASK_FORGET,
    TASK_SENT,         /* all blobs of its result were said */
    TASK_DISCONNECT,   /* the carrier has ended */
    TASK_RECONNECT,    /* another one is there, and knows nothing */
    TASK_HALT,         /* the worker ends all that has no result: why */
    TASK_TICK,
    TASK_EVENT_COUNT
};

struct task_event {
    enum task_event_kind kind;
    uint64_t now_ms;
    bool wants;          /* blobs of the job, or the base, are not here */
    bool has_result;     /* it is on the disk, and can be read */
    bool kept;           /* the folder has the mark of KEEPS */
    uint64_t lease_ms;   /* 0: it was not said */
    enum fleet_stop why;
};

enum task_act_kind {
    TASK_TAKES,    /* reads the job, and makes its folder: TAKEN or NOT_TAKEN follows */
    TASK_SAYS,     /* to the carrier: line (free with n 1, begin, skip and lost with why, ended) */
    TASK_ASKS,     /* the carrier for the blobs that are not here */
    TASK_STARTS,   /* its process; where it cannot be, NOT_STARTED follows */
    TASK_TELLS,    /* its process: word */
    TASK_DEAFENS,  /* its process reads the end of its input: it ends its agent, and itself */
    TASK_KILLS,    /* its process; its supervisor ends the agent. PROCESS_OVER follows */
    TASK_REAPS,    /* its process */
    TASK_SENDS,    /* pieces of its result, from the first: SENT follows, unless DISCONNECT does */
    TASK_KEEPS,    /* marks the folder: the carrier has the result */
    TASK_REMOVES,  /* its folder */
    TASK_NOTES,    /* for a person: why */
    TASK_ACT_COUNT
};

enum task_word { TASK_WORD_GO, TASK_WORD_BASE, TASK_WORD_NOBASE };

/* Why it is skipped, or lost. */
enum task_why {
    TASK_NOT_SAID,
    TASK_NO_ROOM,
    TASK_NOT_READ,        /* the error of TAKES says more */
    TASK_ENDS_STILL,      /* an earlier try of it */
    TASK_NO_BLOB,
    TASK_NO_PROCESS,      /* the error of STARTS says more */
    TASK_PROCESS_SKIPS,   /* its process says more */
    TASK_UNREADY_DIED,    /* the process that made it ready */
    TASK_AGENT_DIED,      /* the process that watched over its agent */
    TASK_FENCED,          /* the worker did not hear of its carrier for too long */
    TASK_WORKER_ENDS,
    TASK_NOT_AT_WORK,     /* go came for one that is not here any more */
    TASK_WHY_COUNT
};

struct task_act {
    enum task_act_kind kind;
    enum fleet_kind line;
    enum task_word word;
    enum task_why why;
};

/* In order. What is answered at once (TAKES, STARTS, SENDS, begin, ended) stands last. */
struct task_acts {
    struct task_act list[6];
    uint32_t count;
};

void task_step(struct task_at *at, struct task_worker *worker, const struct task_event *event,
               struct task_acts *out);
/* This worker knows nothing of it, or only its folder is left: its record goes, and what comes for
 * its key afterwards finds a new one. */
bool task_is_over(const struct task_at *at);
/* Whether it keeps a worker from ending: its result is on the disk, and no carrier had it yet. */
bool task_is_unsaid(const struct task_at *at);
uint64_t task_lease_ms(const struct task_at *at, const struct task_worker *worker);
bool task_holds_slot(const struct task_at *at);
/* Whether a beat names it: its claim is to be renewed. */
bool task_is_named(const struct task_at *at);
/* When TASK_TICK has something to do; UINT64_MAX: never. */
uint64_t task_due_ms(const struct task_at *at, const struct task_worker *worker);

/* `ready` of the carrier: how many slots it is told to be free; 0: nothing is said. */
uint32_t task_worker_ready(struct task_worker *worker, uint64_t lease_ms);
/* The carrier has ended: TASK_DISCONNECT goes to each of its attempts after this. */
void task_worker_disconnect(struct task_worker *worker);
/* Whether one more result that was kept can be said again now. After `ready` of a carrier and after
 * its `back` all of them are, a few at a time. */
bool task_worker_says_again(const struct task_worker *worker);
/* Whether a beat is due: to the processes of all that is at work, and to a carrier that is there.
 * Then it counts as said. */
bool task_worker_beats(struct task_worker *worker, uint64_t now_ms);
uint64_t task_worker_due_ms(const struct task_worker *worker);

#endif
