/* SPDX-License-Identifier: Apache-2.0
 *
 * waits.h - how long agents wait for a service that is asked too often or overloaded. Pure. */
#ifndef HONE_RUN_WAITS_H
#define HONE_RUN_WAITS_H

#include "core/event.h"

#include <stdbool.h>
#include <stdint.h>

/* A job that waits, and since when. */
struct wait {
    uint32_t job;
    uint64_t since_ms;
};

/* {0} is empty. */
struct waits {
    struct wait *items;
    uint32_t count, cap;
};

void waits_release(struct waits *waits);

/* The service could not serve the job now_ms, and said that it will at told_ms (0: it did not say).
 * When to ask it again; 0: that would be more than max_ms (0: no bound) after the first time that
 * it could not, and the job is given up. */
uint64_t waits_until(struct waits *waits, uint32_t job, uint64_t told_ms, uint64_t max_ms,
                     uint64_t now_ms);

/* Whether an attempt that ended so is asked again, when its service can serve; and what it waits
 * for: "the rate limit". */
bool result_waits(const struct result *result);
const char *wait_words(enum failure failure);

/* The job ended in another way: the next time that it must wait is the first one. */
void waits_forget(struct waits *waits, uint32_t job);

#endif
