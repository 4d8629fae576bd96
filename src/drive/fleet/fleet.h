/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet.h - attempts of a run that play on other machines, as hands of the headless driver.
 *
 * Room: the driver's end of a fleet: which attempts are sent away, the program that carries them,
 * jobs made of attempts, results made of files again. What a worker does is not here, and how an
 * attempt is prepared, judged and journaled is the same as for one that plays here. */
#ifndef HONE_DRIVE_FLEET_FLEET_H
#define HONE_DRIVE_FLEET_FLEET_H

#include "drive/drive.h"
#include "drive/fleet/carrier.h"
#include "drive/fleet/reach.h"
#include "io/travel/travel.h"

struct sent;

/* A work tree that was packed for a review, for all its reviewers. */
struct fleet_pack {
    struct travel_ids ids;
    uint64_t bytes;
    bool thin;
    uint32_t job, drifts; /* of the watched tree that it is; job 0: none */
};

/* {0} is none: everything plays here. */
struct fleet {
    struct arena arena;      /* lives as long as the run's process works on it */
    const char *url;         /* NULL: there is no fleet */
    const char *run;         /* the RUN of its keys */
    const char *version;     /* of hone */
    struct carrier carrier;
    struct reach reach;      /* whether it can be reached, and how long it is waited for */
    const char *trouble;     /* what was heard last of why it cannot; NULL: nothing */
    bool unready_told;       /* that a carrier ended before it was ready */
    bool told;               /* that agents play there */
    uint64_t again_ms;       /* steady clock: when it is started again; 0: it is not to be */
    bool wanted;             /* an attempt was sent, or is asked for: the carrier is kept up */
    bool far;                /* the carrier said that its server cannot be reached */
    uint32_t far_said;       /* how often that was told */
    bool fenced;
    bool garbage_said;
    struct sent **sent;      /* attempts that are away, or whose results are not forgotten yet */
    uint32_t sent_count, sent_cap;
    const char *repository;  /* its name for workers; NULL: not asked for yet */
    bool lane_told;          /* what of a task's lane does not travel */
    struct fleet_pack shared;
    const char **left;       /* names in the run's folder that are removed when it ends */
    uint32_t left_count, left_cap;
    bool behind;             /* lines wait that this turn did not come to */
    const char **sentences;  /* that the user was told once */
    uint32_t sentence_count, sentence_cap;
    bool pools_looked;       /* at the names in fleet.pools */
    uint16_t *homebound;     /* roles that could not be sent */
    uint32_t homebound_count, homebound_cap;
};

/* url: "" and "local" are none. ERR_USAGE: it names no fleet that hone knows, or its carrier is not
 * installed. Starts nothing. */
int fleet_open(struct fleet *fleet, struct drive *drive, const char *url, const char *version);

/* Whether the attempt is to play on another machine: then it is live->away, and will be sent. */
bool fleet_takes(struct fleet *fleet, struct drive *drive, struct live *live);

/* The hands' send, stop and fetch. */
void fleet_send(struct fleet *fleet, struct drive *drive, struct live *live,
                const struct attempt *about);
void fleet_stop(struct fleet *fleet, struct drive *drive, struct live *live);
void fleet_fetch(struct fleet *fleet, struct drive *drive, struct live *live);

/* Whether an attempt was sent away, as its folder says. */
bool fleet_was_sent(const struct live *live);

/* A run that was left goes on: what is known of its attempts in flight is asked for. Then
 * fleet_fetch() of each, and fleet_left_end(): what was not fetched is stopped. */
void fleet_left(struct fleet *fleet, struct drive *drive);
void fleet_left_end(struct fleet *fleet, struct drive *drive);

/* One turn: lines out and in, ends, starts of the carrier. */
void fleet_turn(struct fleet *fleet, struct drive *drive);
int64_t fleet_due_in(const struct fleet *fleet); /* milliseconds; -1: never */
uint32_t fleet_awaited(const struct fleet *fleet, struct awaited out[CARRIER_AWAITED]);

/* The process leaves the run. ended: the run is over, and nothing of it is wanted any more. */
void fleet_close(struct fleet *fleet, struct drive *drive, bool ended);

#endif
