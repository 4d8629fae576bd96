/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.h - the worker's end of a carrier: `hone-link work`.
 *
 * What follows the first function is shared by the files of this end alone. */
#ifndef HONE_LINK_WORKER_H
#define HONE_LINK_WORKER_H

#include "base/sha256.h"
#include "carry/held.h"
#include "link/end.h"
#include "link/streams.h"

/* Serves until the worker is gone. The exit code. */
int worker_serve(const struct bus_target *target);

enum {
    HELD_MAX = 4096, PULLS_MAX = 64, SKIPPED_KEPT = 256, RUNS_MAX = 256, TOKEN_BYTES = 16,
    ACK_BYTES = 256, SKIP_BYTES = 201,
};

/* An attempt that is held. */
struct held {
    char key[FLEET_KEY_BYTES];
    char ack[ACK_BYTES];           /* where the queue hears about its job; "": it has none */
    char proof[SHA256_HEX_BYTES];  /* that we know its nonce, which other workers must not */
    char token[FLEET_NAME_BYTES_MAX + 1]; /* the claim is of this start of this worker */
    char role[FLEET_ROLE_BYTES];   /* "": not known */
    uint64_t number;               /* of this record: an answer to an older one is nothing */
    uint64_t held_ms, claimed_ms;  /* since when it is held, and claimed; 0: it is not */
    struct str result;             /* there while at.has_result */
    bool told;                     /* a person, that it is not stored yet */
    struct held_at at;
};

/* An attempt that the worker cannot have, and why. */
struct skip {
    char key[FLEET_KEY_BYTES], why[SKIP_BYTES];
    bool missing;   /* as its program is not there */
    uint64_t at_ms; /* when it was skipped first */
};

/* A request for jobs. */
struct pull {
    uint32_t number, left; /* left: jobs that may still come of it */
    uint64_t until_ms;
};

struct pulls {
    struct pull list[PULLS_MAX];
    uint32_t count, numbers;
    uint32_t free, wanted; /* attempts that the worker can take; those of them asked for */
    uint64_t next_ms;      /* before that no job is asked for */
    bool pool_is_there;    /* the server has answered one: a driver has made the pool */
};

/* A run of which attempts came, and its driver. */
struct run_watch {
    char run[FLEET_NAME_BYTES_MAX + 1];
    uint64_t lease_ms;
    struct held_driver driver;
    uint64_t used_ms;
};

struct worker {
    struct loop *loop;
    struct bus *bus;
    struct blobs *blobs;
    char id[FLEET_NAME_BYTES_MAX + 1], pool[FLEET_NAME_BYTES_MAX + 1], host[256], version[64];
    const char *user; /* of the server, under whose name we tell of us; NULL: any */
    struct fleet_label *labels;
    struct arena label_texts;
    uint32_t label_count, slots;
    uint64_t lease_ms;     /* the smallest of its runs: it beats by that */
    uint64_t own_lease_ms; /* of runs that say none */
    uint64_t since_ms, said_ms, told_ms;
    bool ready, ending;

    struct held *held;
    uint32_t held_count, held_cap;
    uint64_t held_numbers;

    struct pulls pulls;
    struct skip skipped[SKIPPED_KEPT]; /* a ring */
    uint32_t skipped_count;

    struct run_watch runs[RUNS_MAX];
    uint32_t run_count;
};

/* worker.c */
void worker_lease(struct worker *worker, uint64_t lease_ms); /* from now on it is this one */

/* worker_held.c: attempts that are held */
struct held *held_find(struct worker *worker, struct str key); /* NULL: it is not held */
struct held *held_new(struct worker *worker, struct str key, enum held_state state);
/* Something happened to one: the link does what follows, and the record may be gone. */
void held_happens(struct worker *worker, struct held *held, struct held_event event);
void held_hears(struct worker *worker, const struct fleet_line *line); /* of the worker */
void held_cancel(void *owner, const struct bus_message *message);      /* of a driver */
/* The same to each that is held. */
void held_each(struct worker *worker, enum held_event_kind kind);
uint32_t held_busy(const struct worker *worker); /* attempts that use a slot */
void held_release(struct worker *worker);

/* worker_queue.c: jobs */
void queue_free(struct worker *worker, uint32_t n); /* so many attempts more can be taken */
void queue_more(struct worker *worker, uint64_t now_ms);
void queue_back(struct worker *worker);
void queue_pulled(void *owner, const struct bus_message *message);
void queue_ack(struct worker *worker, const struct held *held);
void queue_give_back(struct worker *worker, const char *ack, uint64_t pause_ms);
void queue_is_at_it(struct worker *worker, const struct held *held);
/* Not here; its driver is told, and again each time that it comes. */
const struct skip *queue_skipped(struct worker *worker, const struct skip *skip);

/* worker_runs.c: the drivers of attempts that are held */
/* An attempt of it came; the lease of its run, 0: it is not known. */
void runs_use(struct worker *worker, struct str key, uint64_t lease_ms);
/* The worker's own, of a run that no attempt came of. */
uint64_t runs_lease_ms(struct worker *worker, struct str key);
bool runs_driver_is_there(struct worker *worker, const char *key);
void runs_tick(struct worker *worker, uint64_t now_ms);
void runs_back(struct worker *worker);
/* The link beats by the smallest lease of the runs whose attempts it holds. */
void runs_beat(struct worker *worker);

#endif
