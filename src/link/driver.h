/* SPDX-License-Identifier: Apache-2.0
 *
 * driver.h - the driver's end of a carrier: `hone-link drive`.
 *
 * What follows the first function is shared by the files of this end alone. */
#ifndef HONE_LINK_DRIVER_H
#define HONE_LINK_DRIVER_H

#include "base/text_map.h"
#include "link/blobs.h"
#include "link/loop.h"
#include "link/streams.h"

/* Serves until the driver is gone. The exit code. */
int driver_serve(const struct bus_target *target);

/* Where an attempt is, as far as this end knows. */
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

enum { CLAIM_TOKEN_BYTES = 40 };

struct carried {
    char key[FLEET_KEY_BYTES], pool[FLEET_NAME_BYTES_MAX + 1];
    enum carried_state state;
    struct str job;        /* kept until it is over: it may have to be stored again */
    uint64_t pieces;       /* of blobs that have to be stored before it */
    uint64_t job_seq, result_seq, claim_seq;
    uint32_t times;        /* how often it was stored */
    uint64_t heard_ms;     /* taken: when its claim was last seen to be renewed */
    uint64_t looked_ms;    /* when the server was last asked about it */
    uint64_t result_due_ms; /* a result is said to be there: to be read then; 0: none is */
    uint32_t result_tries;
    bool looking;          /* a question about it is under way */
    bool unchecked;        /* it was stored while its pool was not known */
    bool has_blobs;        /* its result names blobs */
    char why[256];         /* why a worker skipped it */
    char token[CLAIM_TOKEN_BYTES]; /* of the claim that may begin it; "": of none yet */
};

struct pool_row {
    char name[FLEET_NAME_BYTES_MAX + 1];
    uint64_t floor_seq;  /* the server hands out nothing up to here any more */
    uint64_t handed_seq; /* it had handed out jobs up to here when it was asked */
    bool known;          /* it was asked since it was away last */
    bool renewing;
};

struct seen_worker {
    uint64_t seen_ms;
    char *line; /* as it came */
};

struct driver {
    struct loop *loop;
    struct bus *bus;
    struct blobs *blobs;
    struct streams streams;
    char run[FLEET_NAME_BYTES_MAX + 1], host[256];
    uint64_t epoch, lease_ms, tick_ms;
    bool greeted, streams_made, ready, fenced, ending, cleaning;
    uint64_t driver_seq, greeted_ms, said_ms;
    bool beating;
    uint64_t made_ms; /* when streams were last asked for */

    struct carried *attempts;
    uint32_t carried_count, carried_cap;
    struct text_map by_key;
    struct arena keys;
    uint64_t job_bytes;
    uint32_t live;          /* attempts that may still change */

    struct pool_row *pools;
    uint32_t pool_count, pool_cap;

    uint64_t pieces_put, pieces_stored; /* blobs' pieces; all up to the second are stored */
    bool *piece_stored;                 /* a ring of PIECES_MAX */
    char (*blobs_refused)[FLEET_BLOB_ID_BYTES];
    uint32_t refused_count, refused_cap;
    struct text_map wanted;             /* base blobs that the driver was asked for */
    struct arena wanted_names;

    struct seen_worker workers[1024];
    struct text_map by_worker;
    struct arena worker_names;
    uint32_t worker_count;
    uint64_t who_due_ms;
};

enum { PIECES_MAX = 8192 };

/* driver_attempts.c */
struct carried *carried_find(struct driver *driver, struct str key);
void carried_job(struct driver *driver, const struct fleet_line *line);
void carried_stop(struct driver *driver, struct str key);
void carried_ask(struct driver *driver, struct str key);
void carried_forget(struct driver *driver, struct str key);
void carried_release_held(struct driver *driver);
void pools_ask(struct driver *driver); /* the server was away: what has it handed out? */
void carried_say(struct driver *driver, enum fleet_kind kind, struct carried *attempt,
                 const char *why);
void carried_over(struct driver *driver, struct carried *attempt);
void carried_send(struct driver *driver, struct carried *attempt);
void carried_entomb(struct driver *driver, const char *key, const char *why);
void carried_put_result(struct driver *driver, struct carried *attempt,
                        const struct answer *answer);
void carried_taken(struct driver *driver, struct carried *attempt, const struct answer *answer);
bool claim_is_dead(const struct answer *answer); /* given up by a driver */
/* Tells the worker of a claim whether it may begin. attempt: NULL where none is known. */
void carried_answer(struct driver *driver, const struct carried *attempt, const char *key,
                    struct str token);

/* driver_watch.c */
void watch_claim(void *owner, const struct bus_message *message);
void watch_result(void *owner, const struct bus_message *message);
void watch_poison(void *owner, const struct bus_message *message);
void watch_tick(struct driver *driver);
void watch_back(struct driver *driver);

#endif
