/* SPDX-License-Identifier: Apache-2.0
 *
 * courier.h - deliveries on their way, each by a process of its own, as the run sees them. */
#ifndef HONE_OBSERVE_COURIER_H
#define HONE_OBSERVE_COURIER_H

#include "io/process/background.h"
#include "observe/deliver.h"

enum { COURIERS_MAX = 16 };

struct courier {
    struct background process;
    const char *what; /* for messages: "the webhook"; borrowed */
};

/* {0} is empty. */
struct couriers {
    struct courier items[COURIERS_MAX];
    uint32_t count;
};

/* Is called with what was in the way of a delivery. */
typedef void courier_problem(void *context, const char *what, const char *problem);

/* Sends one off; never waits. env: "NAME=value" for it and what it starts; NULL ends; or NULL. An
 * error: it could not be started, or too many are on their way. */
int courier_send(struct couriers *couriers, const struct delivery *delivery, const char *what,
                 const char *const *env, struct err *err);

/* Takes note of those that have arrived or failed; never waits. How many are still on their way. */
uint32_t couriers_look(struct couriers *couriers, courier_problem *problem, void *context);

/* The same, waiting for them so long; then they go on without us. */
void couriers_leave(struct couriers *couriers, uint64_t wait_ms, courier_problem *problem,
                    void *context);

#endif
