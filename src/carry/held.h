/* SPDX-License-Identifier: Apache-2.0
 *
 * held.h - an attempt as the link of a worker holds it: from the queue to its kept result. */
#ifndef HONE_CARRY_HELD_H
#define HONE_CARRY_HELD_H

#include "format/fleet/fleet_line.h"

enum held_state {
    HELD_OFFERED,   /* its worker has the job, and makes all ready */
    HELD_BEGINNING, /* it is being claimed */
    HELD_AT_WORK,   /* the claim is ours: its agent may be at work */
    HELD_STOPPED,   /* its worker was told to end it: no result is wanted, but of an orphan */
    HELD_CHECKING,  /* a result of another start, or of before the server was away: is the claim
                     * still ours? */
    HELD_ENDING,    /* its result is being stored */
    HELD_KEPT,      /* the result is stored, until its driver has it */
    HELD_GONE,      /* nothing of it is held: the record may go */
    HELD_STATE_COUNT
};

/* How far it is. {0} with a lease is one that was just offered. */
struct held_at {
    enum held_state state;
    uint64_t lease_ms;
    uint64_t claim_seq;  /* the newest revision of its claim that is known */
    uint64_t put_ms;     /* when the claim was put last */
    uint64_t renewed_ms; /* when the newest put that succeeded was sent */
    uint64_t again_ms;   /* ENDING: a result that was refused is stored again then; CHECKING: the
                          * claim is looked at again then; 0: neither */
    uint64_t none_ms;    /* CHECKING: since then neither claim nor driver is there; 0: one may be */
    uint32_t pieces;     /* of its result's blobs, that are not stored yet */
    bool asking;         /* a question about the claim has no answer yet */
    bool storing;        /* the result was sent, and has no answer yet */
    bool cancelled;      /* while it was being claimed */
    bool claimed, let;   /* BEGINNING: the claim is ours; its driver lets its agent begin */
    bool orphaned;       /* stopped as its driver is dead: a result that is there is kept */
    bool has_result;
    bool refused;        /* a piece of the result that is being said: that saying is none */
    bool barred;         /* ENDING: the server refuses the result, and not for want of room */
};

/* What the server is asked. */
enum held_ask {
    HELD_CREATE,       /* puts the claim where there was never one */
    HELD_RENEW,        /* puts it behind claim_seq */
    HELD_READ,         /* reads it while it is being claimed */
    HELD_DRIVER,       /* reads the driver's record before a claim that was lost is made again */
    HELD_READ_RENEWED, /* ... after a renewal was refused */
    HELD_CHECK,        /* ... before a result of another start is stored */
    HELD_STORE,        /* stores the result */
    HELD_ASK_COUNT
};

enum held_answer {
    HELD_DONE,      /* put, or stored: seq. A result that was there already counts as stored */
    HELD_WRONG,     /* not put: another revision is there than the one that was expected */
    HELD_REFUSED,   /* not done */
    HELD_FULL,      /* ... as there is no room now */
    HELD_UNKNOWN,   /* no answer: it may have been done */
    HELD_THERE,     /* read: the driver's record is there */
    HELD_OURS,      /* read: the claim is ours: seq */
    HELD_CANCELLED, /* read: a tombstone of a driver that does not want the attempt */
    HELD_OTHERS,    /* read: another's: seq */
    HELD_DEAD,      /* read: another tombstone */
    HELD_NOWHERE,   /* read: there is no claim, or no record */
    HELD_ANSWER_COUNT
};

enum held_event_kind {
    HELD_OFFERED_AGAIN, /* the queue hands it out once more */
    HELD_BEGIN,         /* of the worker: all is ready; also where another link had it and died */
    HELD_SKIP,          /* ... it cannot do this one */
    HELD_BEAT,          /* ... it lives: named says that it is at this attempt */
    HELD_LOSE,          /* ... it has no result, and will have none */
    HELD_PIECE,         /* ... a piece of a result's blob */
    HELD_RESULT,        /* ... the result */
    HELD_BYE,           /* ... it goes */
    HELD_PIECE_STORED,
    HELD_PIECE_REFUSED, /* there is no room for it now */
    HELD_ANSWERED,      /* ask, answer, seq */
    HELD_LET,           /* of the driver: may its agent begin? may */
    HELD_CANCEL,
    HELD_FORGET,
    HELD_ORPHAN,        /* the driver is dead */
    HELD_BACK,          /* the server was away: what it has stored may be lost */
    HELD_TICK,
    HELD_EVENT_COUNT
};

struct held_event {
    enum held_event_kind kind;
    uint64_t now_ms; /* by a clock that is not set */
    bool named;
    bool begun;           /* of HELD_BEGIN: its agent is at work, as another link said go */
    bool may;             /* of HELD_LET */
    bool driver_is_there; /* of HELD_ANSWERED: its record was there when it was looked at last */
    enum held_ask ask;
    enum held_answer answer;
    uint64_t seq;
};

enum held_act_kind {
    HELD_ASKS,       /* the server: ask */
    HELD_SAYS,       /* to the worker: line (go, gone, stop with why, kept, forget) */
    HELD_ACKS,       /* the queue may remove the job */
    HELD_GIVES_BACK, /* the queue may hand it out again, after pause_ms */
    HELD_IS_AT_IT,   /* the queue waits on */
    HELD_ENTOMBS,    /* the claim becomes a tombstone, if claim_seq is its newest revision */
    HELD_ACT_COUNT
};

struct held_act {
    enum held_act_kind kind;
    enum held_ask ask;
    enum fleet_kind line;
    enum fleet_stop why;
    uint64_t pause_ms;
};

/* In order. */
struct held_acts {
    struct held_act list[3];
    uint32_t count;
};

void held_step(struct held_at *at, const struct held_event *event, struct held_acts *out);
/* Whether a piece of its result is to be stored: then HELD_PIECE follows. */
bool held_takes_pieces(const struct held_at *at);
/* Whether its agent is at work, as its claim says it. */
bool held_has_begun(const struct held_at *at);
/* Whether its claim is needed: the driver's record is watched, and the lease of its run counts. */
bool held_needs_driver(const struct held_at *at);
/* Whether its record may go where room is needed: its worker says what it has again. */
bool held_may_go(const struct held_at *at);

/* The driver of a run, as a worker sees it by the revision of its record. */
struct held_driver {
    uint64_t seq, changed_ms, asked_ms;
    bool asking, there;
};

/* No attempt of the run is held, or how old the record is is not known: the clock begins anew. */
void held_driver_rest(struct held_driver *driver, uint64_t now_ms);
/* Whether its record is to be read now; then it is being asked for. */
bool held_driver_asks(struct held_driver *driver, uint64_t lease_ms, uint64_t now_ms);
/* The answer; known false: there was none. seq 0: there is no record. */
void held_driver_answer(struct held_driver *driver, bool known, uint64_t seq);
bool held_driver_is_dead(const struct held_driver *driver, uint64_t lease_ms, uint64_t now_ms);

#endif
