/* SPDX-License-Identifier: Apache-2.0
 *
 * driver.h - the driver's end of a carrier: `hone-link drive`.
 *
 * What follows the first function is shared by the files of this end alone. */
#ifndef HONE_LINK_DRIVER_H
#define HONE_LINK_DRIVER_H

#include "base/text_map.h"
#include "carry/carried.h"
#include "link/end.h"
#include "link/streams.h"

/* Serves until the driver is gone. The exit code. */
int driver_serve(const struct bus_target *target);

/* An attempt that is not over. It stays in its place until it is: then it is gone. */
struct carried {
    char key[FLEET_KEY_BYTES], pool[FLEET_NAME_BYTES_MAX + 1];
    uint32_t place;  /* among attempts */
    struct carried_at at;
    struct str job;  /* kept as long as it may have to be stored again */
    uint64_t pieces; /* of blobs that have to be stored before it */
    struct skipped *skipped; /* NULL: no worker skipped it */
};

/* Who skipped an attempt, and why. */
struct skipped {
    uint32_t *workers; /* by their numbers: workers_hear() */
    uint32_t count, cap;
    bool missing;      /* the agent's program is at none of them */
    char why[320];     /* as each of them said it, as long as there is room */
};

/* One start of a worker, as it tells of itself. */
struct live_worker {
    char id[FLEET_NAME_BYTES_MAX + 1], pool[FLEET_NAME_BYTES_MAX + 1];
    uint32_t number; /* no other start has it */
    uint64_t since_ms, heard_ms;
};

struct pool_row {
    char name[FLEET_NAME_BYTES_MAX + 1];
    uint64_t floor_seq;  /* the server hands out nothing up to here any more */
    uint64_t handed_seq; /* when it was asked last, it had handed out jobs up to here */
    uint64_t stored_seq; /* the first job that was stored while that was not known; 0: none */
    bool known, renewing;
};

struct who;

enum { OVER_KEPT = 16384, WANTED_MAX = 256 };

/* A base blob that a worker wanted. */
struct wanted {
    char id[FLEET_BLOB_ID_BYTES];
    bool on_its_way;
    uint64_t sent_ms; /* else: when it was sent, or could not be */
};

struct driver {
    struct loop *loop;
    struct bus *bus;
    struct blobs *blobs;
    struct streams streams;
    char run[FLEET_NAME_BYTES_MAX + 1], host[256];
    uint64_t epoch, lease_ms, tick_ms;
    bool greeted, streams_made, ready, fenced, ending, cleaning;
    uint32_t purged; /* kinds of its messages that the end of the run has removed so far */
    uint64_t driver_seq, greeted_ms, ready_ms, said_ms;
    bool beating;
    uint64_t made_ms; /* when streams were last asked for */

    struct carried **attempts;
    uint32_t carried_count, carried_cap, held; /* held: those that wait for their blobs */
    struct text_map by_key;
    uint64_t job_bytes;
    uint64_t due_ms;        /* no attempt awaits the clock before that */
    uint64_t *over;         /* a ring: the newest OVER_KEPT that are gone */
    uint64_t over_count;

    struct pool_row *pools;
    uint32_t pool_count, pool_cap;

    uint64_t pieces_put, pieces_stored; /* blobs' pieces; all up to the second are stored */
    bool *piece_stored;                 /* a ring of PIECES_MAX */
    char (*blobs_refused)[FLEET_BLOB_ID_BYTES];
    uint32_t refused_count, refused_cap;
    struct wanted wanted[WANTED_MAX];
    uint32_t wanted_count;

    struct live_worker *lives;
    uint32_t live_count, live_cap, live_numbers;
    uint64_t crowded_ms;    /* one more was heard than there is room for */
    uint64_t called_ms, lists_ms; /* since when workers tell; when that was last asked for */
    uint64_t unfit_ms;      /* when it was last looked who skipped what */

    struct who *who;
};

enum { PIECES_MAX = 8192 };

/* driver_attempts.c */
struct carried *carried_find(struct driver *driver, struct str key); /* NULL: there is none */
void carried_free(struct carried *attempt);
void carried_job(struct driver *driver, const struct fleet_line *line);
/* What the driver wants of an attempt: CARRIED_STOP, CARRIED_ASK or CARRIED_FORGET. */
void carried_want(struct driver *driver, struct str key, enum carried_event_kind kind);
void carried_ask(struct driver *driver, const struct fleet_line *line);
/* A claim passed, which no stream may have taken; likewise a result. */
void carried_claim(struct driver *driver, struct str key, const struct bus_message *message);
void carried_result(struct driver *driver, struct str key);
/* An event that has nothing but its kind. Whether the server was asked something then. The attempt
 * may be gone afterwards. */
bool carried_hear(struct driver *driver, struct carried *attempt, enum carried_event_kind kind);
/* The server gives it up. */
void carried_handed_out(struct driver *driver, struct carried *attempt);
void carried_release_held(struct driver *driver);
bool claim_is_dead(const struct answer *answer); /* given up by a driver */

/* driver_workers.c */
void workers_call(struct driver *driver); /* all of them tell of themselves now */
void workers_hear(struct driver *driver, const struct fleet_worker *worker);
/* A worker has given it back. */
void workers_skipped(struct driver *driver, struct carried *attempt,
                     const struct bus_message *message);
/* Whether a worker lives that may have it. */
bool workers_fit(const struct driver *driver, const struct carried *attempt);
void workers_tick(struct driver *driver, uint64_t now_ms);
void skipped_free(struct skipped *skipped);

/* driver_who.c */
int who_open(struct who **out, struct driver *driver, struct err *err);
void who_free(struct who *who); /* NULL is fine */
void who_ask(struct who *who); /* `workers` is said within seconds */
void who_tick(struct who *who, uint64_t now_ms);

/* driver_watch.c */
void pool_know(struct driver *driver, const char *name);
/* Whether it is known what its consumer has handed out. Of none it is while the server is away. */
bool pool_is_known(const struct driver *driver, const char *name);
void pools_forget(struct driver *driver);
/* A job of the pool was stored, in that place. */
void pool_stored(struct driver *driver, const char *name, uint64_t seq);
uint64_t pool_floor(const struct driver *driver, const char *name);
void watch_claim(void *owner, const struct bus_message *message);
void watch_result(void *owner, const struct bus_message *message);
void watch_poison(void *owner, const struct bus_message *message);
void watch_tick(struct driver *driver);
void watch_back(struct driver *driver);

#endif
