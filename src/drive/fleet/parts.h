/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of the fleet's driver share; no other room includes it. */
#ifndef HONE_DRIVE_FLEET_PARTS_H
#define HONE_DRIVE_FLEET_PARTS_H

#include "carry/sent.h"
#include "drive/fleet/fleet.h"
#include "format/fleet/fleet_job.h"
#include "io/travel/travel.h"
#include "run/place.h"

/* Files in an attempt's folder, beside those that every attempt has and those of run/place.h. */
#define SENT_TREE "sent-tree"  /* of a writer: the tree that it was sent with */
#define SENT_BUNDLE "bundle"   /* the work tree on its way there */
#define BACK_BUNDLE "changes"  /* and what came back of it */
#define BACK_STRAYED "strayed" /* of a reader: that it changed its tree there */
#define BACK_BROKE "broke"     /* that it changed there what it may not change */
#define BACK_FETCHED "fetched" /* a blob that is coming */

struct sent_blob {
    const char *id, *path;
};

struct sent {
    struct arena arena;
    struct sent_at at;
    uint64_t id;               /* live_id() */
    struct action action;
    const char *dir;           /* the attempt's folder */
    char k[FLEET_KEY_BYTES];
    char nonce[FLEET_NONCE_BYTES];
    const char *pool;
    bool reads, commits;
    const char *answer, *workspace; /* the driver's paths, which the prompt has */
    struct travel_ids ids;
    struct str job;            /* as JSON; empty: of a run that was left */
    struct sent_blob *blobs;
    uint32_t blob_count;
    uint64_t heard_ms;         /* steady clock: when something of it came */
    bool dropped;              /* the record goes with the next sweep */
    /* from SENT_ENDED on: */
    struct fleet_result result;
    uint32_t next;             /* the file of the result that comes next */
    struct blob_gather gather;
};

/* What an event is about, beside what decides: {0} is nothing. */
struct sent_about {
    struct str why;    /* more words on why it ends, or on what the user is told */
    bool missing;      /* of SENT_IS_REFUSED: the agent's program */
    struct str worker; /* of SENT_IS_TAKEN */
    struct str data;   /* of SENT_HAS_SAID */
};

/* --- fleet.c --- */
/* Ends the drive's loop: drive->err says why. */
void fleet_break(struct drive *drive);
/* Whether it was this machine's disk that is full: no fault of the attempt, and of no worker. */
bool fleet_is_full(const struct err *err);
/* The carrier is to be there: it is started with the next turn. */
void fleet_want(struct fleet *fleet);
/* Why the fleet cannot be reached, for when it is given up. */
void fleet_trouble(struct fleet *fleet, struct str why);
/* Tells the user a sentence, once in the life of this process. */
void fleet_tell_once(struct fleet *fleet, struct drive *drive, struct str sentence);
/* A file in the run's folder that only this process needs: it goes at the close. */
void fleet_leaves(struct fleet *fleet, const char *name);

/* --- sent.c --- */
struct sent *sent_new(struct fleet *fleet, const struct live *live);
struct sent *sent_by_id(const struct fleet *fleet, uint64_t id);
struct sent *sent_by_key(const struct fleet *fleet, struct str k);
/* Takes the step, and does what follows from it. about NULL: nothing. */
void sent_do(struct fleet *fleet, struct drive *drive, struct sent *sent,
             struct sent_event event, const struct sent_about *about);
/* The same event for all. */
void sent_do_all(struct fleet *fleet, struct drive *drive, enum sent_event_kind kind);
/* What is journaled is forgotten. */
void sent_sweep(struct fleet *fleet, struct drive *drive);
void sent_free_all(struct fleet *fleet);

/* --- hear.c --- */
/* Lines that have come, for a turn. */
void fleet_hear(struct fleet *fleet, struct drive *drive);

/* --- route.c --- */
/* The pool that an attempt is sent to; NULL: it plays here. *why: what is said of that, or NULL. */
const char *route_pool(struct fleet *fleet, const struct drive *drive,
                       const struct live *live, const char **why);

/* --- job.c --- */
/* Makes the job of an attempt that is prepared: sent->job, blobs, ids; and the file that says so.
 * ERR_LIMIT, ERR_BUSY and others: it cannot travel, err says why. */
int job_make(struct fleet *fleet, struct drive *drive, struct live *live,
             const struct attempt *about, struct sent *sent, struct err *err);
/* The file back; ERR_MISSING: the attempt was never sent. */
int sent_read(struct sent *sent, struct err *err);

/* --- result.c --- */
/* Whether the text is a result of that attempt; err says why not. Fills sent->result. */
int back_take(struct sent *sent, const char *run, struct str text, struct err *err);
/* The id of the blob that is needed next; NULL: all are here. Empty files are made at once. */
const char *back_wants(struct sent *sent, struct err *err);
/* A piece of it. *whole: it is there, and in its place. ERR_FORMAT: it has to come again. */
int back_piece(struct sent *sent, const struct blob_piece *piece, bool *whole, struct err *err);
/* All blobs are here: the tree's change is brought, and the status file written, last. Breaks the
 * drive where the disk fails. live->strayed follows from it. */
int back_settle(struct drive *drive, struct live *live, struct sent *sent);
/* That a reader changed its tree on the worker, as a file says it; NULL: it did not. */
const char *back_strayed(const char *dir, struct arena *arena);
/* Where an agent changed what it may not change, as a file says it; NULL: it did not. */
const char *back_broke(const char *dir, struct arena *arena);

#endif
