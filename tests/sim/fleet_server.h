/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_server.h - the server between the links of a fleet, as data: what JetStream does with jobs,
 * claims, results and the driver's record. It is told one request at a time and gives one answer;
 * what happens to both on their way is fleet_net.h's.
 *
 * What it does was measured with nats-server 2.9.10:
 *   - A job with an id that it has seen is answered as stored, and is not stored again.
 *   - A job that was handed out and is not acknowledged within the lease is handed out again,
 *     DELIVER_MAX times at most. Then it stays, and the link of the driver is told once.
 *   - An acknowledgement removes the job, whoever had it last.
 *   - A claim is put where its subject's last message has the number that was expected.
 *   - A subject of results takes one message. A stream that is full takes none.
 *   - After kill -9 some jobs that were removed are there again: some are handed out, some lie
 *     below the consumer's floor for ever.
 *   - After a power cut all is as it was some time before, and numbers are given a second time. */
#ifndef HONE_TESTS_SIM_FLEET_SERVER_H
#define HONE_TESTS_SIM_FLEET_SERVER_H

#include "shared/prng.h"

#include <stdbool.h>
#include <stdint.h>

enum { FS_KEYS = 512, FS_JOBS = 512, FS_IDS = 4, FS_DELIVER_MAX = 20 };
#define FS_ANY UINT64_MAX /* whatever the subject's last message is */

enum fs_kind {
    FS_PUT_JOB,     /* id */
    FS_READ_JOB,
    FS_PURGE_JOB,
    FS_REMOVE_JOB,  /* the message seq; so does an acknowledgement */
    FS_PUT_CLAIM,   /* where the last one is seq: claim */
    FS_READ_CLAIM,
    FS_PUT_RESULT,  /* value */
    FS_READ_RESULT,
    FS_PURGE_RESULT,
    FS_REMOVE_RESULT,
    FS_READ_BLOB,
    FS_PUT_DRIVER,  /* where the last one is seq: value is the epoch */
    FS_READ_DRIVER,
    FS_PURGE_RUN,
    FS_KIND_COUNT
};

enum fs_word {
    FS_YES,
    FS_NONE,
    FS_WRONG, /* another number is there than the one that was expected; another result */
    FS_FULL,
    FS_WORD_COUNT
};

/* What lies on the subject of a claim. */
struct fs_claim {
    uint64_t seq;    /* 0: nothing ever did */
    bool dead;       /* a tombstone */
    uint8_t tomb;    /* its word */
    uint8_t worker;
    uint64_t token;
    bool begun;
};

struct fs_ask {
    enum fs_kind kind;
    uint32_t key;
    uint64_t seq;
    uint64_t id;
    struct fs_claim claim;
    uint64_t value;
};

struct fs_answer {
    enum fs_word word;
    uint64_t seq;
    struct fs_claim claim;
    uint64_t value;
    uint64_t floor_seq;
};

struct fs_job {
    uint64_t seq, id;
    uint32_t key;
    uint32_t deliveries;
    uint64_t out_until_ms; /* handed out: it is handed out again then */
    bool told;             /* it is given up */
};

struct fs_id {
    uint64_t id, seq;
};

struct fs_result {
    uint64_t seq, value;
};

struct fleet_server {
    uint64_t lease_ms;
    struct fs_job jobs[FS_JOBS];
    uint32_t job_count;
    struct fs_job gone[FS_JOBS];  /* the newest that were removed: they may come back */
    uint32_t gone_count;
    struct fs_claim claims[FS_KEYS];
    struct fs_result results[FS_KEYS];
    bool blobs[FS_KEYS];
    struct fs_id ids[FS_KEYS][FS_IDS]; /* of jobs that were stored: the newest */
    uint32_t id_count[FS_KEYS];
    uint64_t job_last, claim_last, result_last, driver_last; /* numbers that were given */
    uint64_t driver_seq, driver_epoch;
    uint64_t floor_seq;           /* no job up to this is handed out */
    bool full;                    /* of results */
};

void fs_init(struct fleet_server *server, uint64_t lease_ms);
struct fs_answer fs_do(struct fleet_server *server, const struct fs_ask *ask);

/* The job that is handed out next; NULL: none is due. It is handed out with that. */
const struct fs_job *fs_hand_out(struct fleet_server *server, uint64_t now_ms);
/* Of the worker that has it: it comes again after a pause; wait on. */
void fs_nak(struct fleet_server *server, uint64_t seq, uint64_t until_ms);
void fs_wait(struct fleet_server *server, uint64_t seq, uint64_t now_ms);
/* A job that is given up now: its driver is told that once. NULL: none. */
const struct fs_job *fs_poison(struct fleet_server *server, uint64_t now_ms);

/* It was killed, and is there again; and it is as `before` was, as a power cut leaves it. */
void fs_killed(struct fleet_server *server, struct prng *prng, uint64_t now_ms);
void fs_power_cut(struct fleet_server *server, const struct fleet_server *before);

#endif
