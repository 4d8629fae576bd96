/* SPDX-License-Identifier: Apache-2.0
 *
 * carried.h - an attempt as the link of its driver carries it. */
#ifndef HONE_CARRY_CARRIED_H
#define HONE_CARRY_CARRIED_H

#include "format/fleet/fleet_line.h"

enum carried_state {
    CARRIED_ASKED,    /* the driver asks for it: the server is being asked */
    CARRIED_HELD,     /* its blobs are not stored yet */
    CARRIED_SENDING,  /* it is being stored */
    CARRIED_QUEUED,
    CARRIED_TAKEN,    /* a worker has claimed it */
    CARRIED_ENDED,    /* its result was told */
    CARRIED_OVER,     /* given up, stopped, refused or forgotten: nothing more is told of it */
    CARRIED_STATE_COUNT
};

/* What the server is asked, and for what. From RENEWED on they are looks, one at a time. */
enum carried_ask {
    CARRIED_STORE,              /* the job is stored */
    CARRIED_HINTED_CLAIM,       /* a claim was said to be there */
    CARRIED_HINTED_RESULT,
    CARRIED_RENEWED,            /* the claim of one that is taken */
    CARRIED_LOST_RESULT,        /* its claim was not renewed: is there a result? */
    CARRIED_LOST_TOMB,          /* a tombstone behind claim_seq */
    CARRIED_LOST_RESULT_AGAIN,
    CARRIED_QUEUED_CLAIM,       /* where is one that is queued? */
    CARRIED_QUEUED_JOB,
    CARRIED_QUEUED_RESULT,
    CARRIED_QUEUED_CLAIM_AGAIN,
    CARRIED_QUEUED_BLOB,        /* can it be stored again? */
    CARRIED_ASKED_RESULT,       /* where is one that the driver asks for? */
    CARRIED_ASKED_CLAIM,
    CARRIED_ASKED_JOB,
    CARRIED_ASKED_CLAIM_AGAIN,
    CARRIED_ASK_COUNT
};

/* Which of its messages that is about. */
enum carried_thing { CARRIED_JOB_THERE, CARRIED_CLAIM_THERE, CARRIED_RESULT_THERE,
                     CARRIED_BLOB_THERE };
enum carried_thing carried_thing(enum carried_ask ask);

/* How far it is. A new one is ASKED, and nothing is known of it. */
struct carried_at {
    enum carried_state state;
    bool has_job;            /* the job is here: it can be stored again */
    bool names_blob;         /* the job needs blobs */
    bool has_result_blobs;   /* its result names some */
    bool looking;            /* a look at the server is under way: look */
    enum carried_ask look;
    uint32_t times;          /* how often it was stored */
    uint32_t skips;          /* how often a worker gave it back since it was stored */
    uint32_t unclaimed;      /* how often it was handed out, neither claimed nor given back */
    uint32_t result_tries;   /* looks for a result that is said to be there */
    uint64_t job_seq, result_seq, claim_seq; /* where the streams have it; 0: not known */
    bool was_taken;          /* the driver heard so of a link before this one */
    uint64_t token;          /* of the claim that may begin it; 0: of none yet */
    uint64_t heard_ms;       /* taken: when its claim was last seen to be renewed */
    uint64_t looked_ms;      /* when the server was last asked about it */
    uint64_t result_due_ms;  /* a result is said to be there: it is read then; 0: none is */
};

enum carried_answer {
    CARRIED_YES,    /* there, or stored: seq */
    CARRIED_DEAD,   /* a claim that is a tombstone: seq */
    CARRIED_BROKEN, /* a result that is there, and is none */
    CARRIED_NONE,   /* not there */
    CARRIED_NO,     /* refused */
    CARRIED_AWAY,   /* no answer */
    CARRIED_ANSWER_COUNT
};

/* Why an attempt is refused, or lost. */
enum carried_why {
    CARRIED_NOT_SAID,
    CARRIED_TOO_LARGE,     /* for a message of the server */
    CARRIED_TOO_MANY,      /* attempts wait here */
    CARRIED_NO_ROOM,       /* on the server, for its blobs */
    CARRIED_NOT_STORED,    /* the server says why */
    CARRIED_POISON,        /* handed out too often */
    CARRIED_UNFIT,         /* no worker can have it */
    CARRIED_HANDED_AWAY,   /* handed out too often, and the job is not here */
    CARRIED_CLAIM_GIVEN_UP,
    CARRIED_NOT_RENEWED,
    CARRIED_NO_RESULT,     /* what a worker stored as its result is none */
    CARRIED_VANISHED,      /* the server has lost it */
    CARRIED_VANISHED_BLOBS,
    CARRIED_WHY_COUNT
};

enum carried_event_kind {
    CARRIED_JOB,        /* of the driver: names_blob, stored; or why it cannot be taken */
    CARRIED_BLOBS,      /* all that were said before it are stored, or refused (why) */
    CARRIED_STOP,
    CARRIED_ASK,        /* taken: as the driver has it */
    CARRIED_FORGET,
    CARRIED_CLAIM_HINT, /* a claim passed on its subject: token, begun */
    CARRIED_RESULT_HINT,
    CARRIED_SKIPPED,    /* a worker gave it back: it cannot have it */
    CARRIED_ALL_SKIPPED, /* all workers of its pool that live did so */
    CARRIED_HANDED_OUT, /* the server gives job_seq up: it was handed out CARRY_HANDED_MAX times.
                           fits: a worker of its pool lives that has not skipped it */
    CARRIED_ANSWERED,   /* ask, answer, seq; of STORE times; of a job floor_seq; of a result
                           names_blob; of a claim token, begun */
    CARRIED_BACK,       /* the server was away, and may have lost all */
    CARRIED_TICK,
    CARRIED_EVENT_COUNT
};

struct carried_event {
    enum carried_event_kind kind;
    uint64_t now_ms;     /* by a clock that is not set */
    uint64_t lease_ms;
    bool names_blob, stored;
    enum carried_why why;
    enum carried_ask ask;
    enum carried_answer answer;
    uint64_t seq;
    uint64_t floor_seq;  /* the server hands out nothing up to here any more */
    uint64_t token;      /* no two claims have the same one */
    bool begun;          /* the agent of that claim is at work: it was let begin before */
    bool taken, fits;
    uint32_t times;
};

enum carried_act_kind {
    CARRIED_ASKS,            /* the server: ask */
    CARRIED_SAYS,            /* to the driver: line, with why or known */
    CARRIED_ANSWERS,         /* the worker of this claim is told whether its agent may begin: may */
    CARRIED_CANCELS,         /* its worker is told to end it */
    CARRIED_FORGETS,         /* its worker is told that the driver has it */
    CARRIED_ENTOMBS,         /* its claim becomes a tombstone; for is the word there */
    CARRIED_PURGES_JOB,
    CARRIED_REMOVES_JOB,     /* the message job_seq */
    CARRIED_REMOVES_RESULT,  /* the message result_seq */
    CARRIED_PURGES_RESULT,
    CARRIED_PURGES_BLOBS,    /* of its result */
    CARRIED_KEEPS_JOB,       /* its text, which the driver just said */
    CARRIED_DROPS_JOB,       /* ... is not needed any more */
    CARRIED_HURRIES,         /* the next tick is to come soon */
    CARRIED_ACT_COUNT
};

/* What stands in a tombstone. */
enum carried_tomb { CARRIED_TOMB_CANCEL, CARRIED_TOMB_LOST, CARRIED_TOMB_REFUSED };

struct carried_act {
    enum carried_act_kind kind;
    enum carried_ask ask;
    enum fleet_kind line;
    enum fleet_state known;
    enum carried_why why;
    enum carried_tomb tomb;
    bool may;
};

/* In order. */
struct carried_acts {
    struct carried_act list[6];
    uint32_t count;
};

void carried_step(struct carried_at *at, const struct carried_event *event,
                  struct carried_acts *out);

/* When the clock has to say something next (CARRIED_TICK); UINT64_MAX: nothing is awaited. */
uint64_t carried_due_ms(const struct carried_at *at, uint64_t lease_ms);

/* Whether a result of it would still be told. */
bool carried_awaits_result(const struct carried_at *at);

#endif
