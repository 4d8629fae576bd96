/* SPDX-License-Identifier: Apache-2.0
 *
 * waits.c - when to ask a service again that could not serve.
 *
 * Where it says when, that is the time. Where it does not, the pause is as long as the job has
 * waited so far: 5, 5, 10, 20, 40 seconds and so on, and never more than a quarter of an hour. So
 * nothing is counted but time, and time alone is the bound.
 *
 * 1. A job is in the list from the first time that its service could not serve until it ends in
 *    another way, or is given up.
 * 2. No job waits for longer than max_ms in all, also where its service asks for more. */
#include "run/waits.h"

#include "base/mem.h"

#include <stdlib.h>

enum { PAUSE_MS_MIN = 5 * 1000, PAUSE_MS_MAX = 15 * 60 * 1000 };

void waits_release(struct waits *waits)
{
    free(waits->items);
    *waits = (struct waits){ 0 };
}

static struct wait *wait_of(struct waits *waits, uint32_t job, uint64_t now_ms)
{
    for (uint32_t i = 0; i < waits->count; i++) {
        if (waits->items[i].job == job) return &waits->items[i];
    }
    waits->items = mem_grow(waits->items, waits->count, &waits->cap, sizeof *waits->items);
    waits->items[waits->count] = (struct wait){ .job = job, .since_ms = now_ms };
    return &waits->items[waits->count++];
}

uint64_t waits_until(struct waits *waits, uint32_t job, uint64_t told_ms, uint64_t max_ms,
                     uint64_t now_ms)
{
    const struct wait *wait = wait_of(waits, job, now_ms);
    uint64_t waited_ms = now_ms > wait->since_ms ? now_ms - wait->since_ms : 0;
    uint64_t pause_ms = waited_ms;

    if (pause_ms < PAUSE_MS_MIN) pause_ms = PAUSE_MS_MIN;
    if (pause_ms > PAUSE_MS_MAX) pause_ms = PAUSE_MS_MAX;
    if (told_ms > now_ms) pause_ms = told_ms - now_ms;
    if (max_ms != 0 && (waited_ms > max_ms || pause_ms > max_ms - waited_ms)) {
        waits_forget(waits, job);
        return 0;
    }
    return now_ms + pause_ms;
}

void waits_forget(struct waits *waits, uint32_t job)
{
    for (uint32_t i = 0; i < waits->count; i++) {
        if (waits->items[i].job != job) continue;
        waits->items[i] = waits->items[--waits->count];
        return;
    }
}

bool result_waits(const struct result *result)
{
    return result->verdict == VERDICT_FAILED && !result->permanent && result->retry_at_ms != 0;
}

const char *wait_words(enum failure failure)
{
    if (failure == FAILURE_CEILING) return "your ceiling of calls per hour";
    return failure == FAILURE_RATE ? "the rate limit" : "its overloaded service";
}
