/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - the attempts that a worker has, from `job` to `forget`. */
#ifndef HONE_WORKER_TASKS_H
#define HONE_WORKER_TASKS_H

#include "carry/task.h"
#include "io/process/talk.h"
#include "io/process/signals.h"
#include "worker/blobs.h"
#include "worker/outbox.h"
#include "worker/worker.h"

struct task;

struct tasks {
    const struct worker_settings *settings;
    const char *outbox;      /* the folder of its attempts */
    struct blobs blobs;
    bool says_blobs;         /* false: the carrier takes blobs of results from the outbox itself */
    void (*say)(void *carrier, const struct fleet_line *line);
    bool (*has_room)(void *carrier); /* for what may wait */
    void *carrier;
    struct task_worker shared; /* slots of settings; times: steady clock */
    struct arena again_texts;
    const char *const *again;  /* results that were kept and are to be said again; NULL: none */
    struct task **list;
    uint32_t count, cap;
};

/* Attempts of the outbox with a result are sent again. */
void tasks_open(struct tasks *tasks);
/* All processes are ended. */
void tasks_close(struct tasks *tasks);

/* A line of the carrier's. */
void tasks_hear(struct tasks *tasks, const struct fleet_line *line);
/* The carrier is gone; and another process is there in its place, which knows nothing. */
void tasks_disconnect(struct tasks *tasks);
void tasks_reconnect(struct tasks *tasks);
/* All that is due, and what was heard of processes. */
void tasks_turn(struct tasks *tasks);
/* Every attempt that has no result yet is ended. */
void tasks_stop(struct tasks *tasks, enum fleet_stop why);
/* The same to those whose lease is shorter than the worker slept. */
void tasks_slept(struct tasks *tasks, uint64_t slept_ms);

int64_t tasks_due_in(const struct tasks *tasks);
/* Descriptors to wait for; returns how many, at most WORKER_SLOTS_MAX. */
uint32_t tasks_awaited(const struct tasks *tasks, struct awaited *out);
bool tasks_have(const struct tasks *tasks, struct str k); /* it is not over */
uint32_t tasks_busy(const struct tasks *tasks);  /* that have no result yet */
uint32_t tasks_unsaid(const struct tasks *tasks); /* results that no carrier has taken yet */

#endif
