/* SPDX-License-Identifier: Apache-2.0
 *
 * sent.h - an attempt as its driver sees it: from its job to the word that all of it may go. */
#ifndef HONE_CARRY_SENT_H
#define HONE_CARRY_SENT_H

#include "format/fleet/fleet_line.h"

enum sent_state {
    SENT_NEW,    /* it is being packed, or read from the folder of a run that was left */
    SENT_ASKED,  /* of a run that was left: the carrier is asked what became of it */
    SENT_QUEUED, /* it waits for a worker, as far as the driver knows */
    SENT_TAKEN,  /* a worker plays it */
    SENT_ENDED,  /* its result is here; the blobs of it are coming */
    SENT_OVER,   /* it has ended, or is not wanted: nothing more is heard of it */
    SENT_STATE_COUNT
};

/* How far it is. A new one is {0}. */
struct sent_at {
    enum sent_state state;
    bool left;           /* of a run that was left */
    bool said;           /* its job was said to a carrier */
    bool doubted;        /* the carrier that is there was asked for it, and has not answered */
    bool owes_stop;      /* OVER: no carrier was there to be told so */
    bool fetching;       /* ENDED: a blob of its result was asked for, and is not whole */
    bool wait_said;      /* that no worker has come */
    uint64_t queued_ms;  /* when its job was said last */
    uint64_t said_to;    /* so far the standard output of its agent has come ... */
    uint64_t hole_bytes; /* ... with so many bytes missing */
    uint64_t limit_ms;   /* a worker may have it so long; 0: for ever */
    uint64_t taken_ms;   /* TAKEN: since then, for the first time or again */
    uint32_t tries;      /* blobs of results that did not come whole */
    uint64_t fetch_ms;   /* so long nothing has come of the blob that is fetched ... */
    uint64_t ticked_ms;  /* ... by this tick */
};

/* What a result is, by its text. */
enum sent_judged {
    SENT_GOOD,
    SENT_WRONG,       /* it has another nonce */
    SENT_UNREADABLE,  /* its nonce is right, and the rest of it is no result */
    SENT_JUDGED_COUNT
};

enum sent_event_kind {
    /* of the drive */
    SENT_PACKED,      /* its job is made: limit_ms */
    SENT_CANNOT,      /* it cannot travel */
    SENT_LEFT,        /* it was sent by a driver before this one */
    SENT_STOP,        /* it is not wanted any more */
    SENT_JOURNALED,   /* OVER: its end is in the journal, or will never be. May be said again */
    SENT_LEAVE,       /* the driver leaves the run, which may not be over */
    SENT_TICK,
    /* of the carrier's process */
    SENT_READY,       /* one is there: the first, or the next */
    SENT_GONE,        /* it has ended: what it was told may be lost, and no answer comes */
    /* lines of the carrier, by their names */
    SENT_IS_TAKEN,
    SENT_HAS_SAID,    /* at, bytes */
    SENT_HAS_ENDED,   /* judged */
    SENT_IS_LOST,
    SENT_IS_REFUSED,
    SENT_IS_KNOWN,    /* known */
    /* blobs of its result; where sent_wants_blob() */
    SENT_NEEDS_BLOB,  /* one is missing, and it is this attempt's turn to ask */
    SENT_BLOB_PIECE,  /* some of it has come */
    SENT_BLOB_WHOLE,
    SENT_BLOB_BROKEN, /* its pieces do not make it */
    SENT_BLOB_NONE,   /* the carrier does not have it */
    SENT_ALL_HERE,    /* no blob is missing */
    SENT_EVENT_COUNT
};

struct sent_event {
    enum sent_event_kind kind;
    uint64_t now_ms;        /* by a clock that is not set */
    bool there;             /* the carrier is ready: it is told at once what it is to be told */
    enum sent_judged judged;
    enum fleet_state known;
    uint64_t at, bytes;
    uint64_t limit_ms;
};

enum sent_act_kind {
    SENT_SAYS,    /* to the carrier: line (job with its blobs, ask, stop, get, forget) */
    SENT_BEGINS,  /* a worker plays it: limits of its agent count from now on */
    SENT_WRITES,  /* the piece that its agent said is kept */
    SENT_SETTLES, /* its result becomes its files, and its end goes the way of all ends */
    SENT_ENDS,    /* it ends without a result: why. That goes the way of all ends, too. Not of a
                     run that was left: there the resume asks for another attempt */
    SENT_WARNS,   /* the user is told: why */
    SENT_DROPS,   /* the record of it goes */
    SENT_ACT_COUNT
};

/* Why it ends without a result, or what the user is told. */
enum sent_why {
    SENT_NO_TRAVEL,
    SENT_NOT_WANTED,
    SENT_WORKER_LOST,
    SENT_NO_WORKER,      /* can have it */
    SENT_VANISHED,       /* the carrier knows nothing of it any more */
    SENT_NOT_READ,       /* its result */
    SENT_FOREIGN,        /* its result has another nonce */
    SENT_OVERDUE,        /* its worker has it for longer than its agent may take */
    SENT_BLOB_VANISHED,
    SENT_BLOB_NOT_WHOLE, /* again and again */
    SENT_WAITS,          /* told: no worker has come yet */
    SENT_WHY_COUNT
};

struct sent_act {
    enum sent_act_kind kind;
    enum fleet_kind line;
    enum sent_why why;
};

/* In order. */
struct sent_acts {
    struct sent_act list[3];
    uint32_t count;
};

void sent_step(struct sent_at *at, const struct sent_event *event, struct sent_acts *out);

/* Whether a result is looked at. */
bool sent_awaits_result(const struct sent_at *at);
/* Whether SENT_NEEDS_BLOB or SENT_ALL_HERE may follow. One attempt fetches at a time. */
bool sent_wants_blob(const struct sent_at *at);

#endif
