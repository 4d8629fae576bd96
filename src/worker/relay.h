/* SPDX-License-Identifier: Apache-2.0
 *
 * relay.h - a worker that is its own carrier, behind ssh: what its driver says becomes what a
 * carrier says to a worker, and the other way round. */
#ifndef HONE_WORKER_RELAY_H
#define HONE_WORKER_RELAY_H

#include "io/process/host.h"
#include "worker/tasks.h"
#include "drive/fleet/wire.h"

struct relay_job;
struct relay_get;
struct relay_given;

struct relay {
    const struct worker_settings *settings;
    struct wire *wire;       /* with the driver */
    struct tasks *tasks;     /* the worker */
    char run[FLEET_NAME_BYTES_MAX + 1]; /* "": not greeted yet, or for `who` alone */
    uint64_t epoch;
    const char *claims;      /* a folder: a name in it is an attempt that was begun */
    char host[HOST_NAME_BYTES]; /* its driver's */
    char *run_folder;        /* where the epoch of its newest driver lies, and what is told of it */
    uint32_t free;           /* attempts that the worker can take */
    uint64_t beat_ms;        /* steady clock: the driver was told one */
    uint64_t told_ms;        /* steady clock: what is at work here was written down */
    bool changed;            /* and is not as it was then */
    bool greeted, over, ended; /* ended: the run is, and nothing of it is wanted */
    struct relay_job *jobs;  /* that wait, the first one first */
    uint32_t job_count, job_cap;
    struct relay_given *given; /* that the worker has, and that have no result */
    uint32_t given_count, given_cap;
    struct relay_get *gets;  /* blobs that the driver wants */
    uint32_t get_count, get_cap;
};

/* Before anything else: the run, and which driver of it. False: there is none to serve. Then it
 * stays so, and the line may be closed. */
bool relay_greet(struct relay *relay, const struct fleet_line *hello);
/* From here on tasks are there. */
void relay_open(struct relay *relay);
void relay_close(struct relay *relay);

void relay_hear(struct relay *relay, const struct fleet_line *line); /* of the driver */
void relay_say(void *relay, const struct fleet_line *line);          /* of the worker */
bool relay_has_room(void *relay);
void relay_turn(struct relay *relay);
/* Whether a newer driver has the run. */
bool relay_is_fenced(const struct relay *relay);

#endif
