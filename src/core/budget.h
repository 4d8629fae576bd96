/* SPDX-License-Identifier: Apache-2.0
 *
 * budget.h - what a run may use in all, and whether one more agent can be paid out of it.
 *
 * Pure arithmetic over four amounts. Sums that would not fit stay at the largest number: an agent
 * that says it cost more than can be counted has used up every limit. */
#ifndef HONE_CORE_BUDGET_H
#define HONE_CORE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum budget_part {
    BUDGET_USD,    /* in millionths of a dollar */
    BUDGET_TOKENS, /* read and written */
    BUDGET_TIME,   /* in milliseconds; while the run is at work */
    BUDGET_CALLS,  /* agents started, each attempt */
    BUDGET_PART_COUNT
};

struct amounts {
    uint64_t of[BUDGET_PART_COUNT];
};

struct budget {
    struct amounts limit; /* 0: no limit */
    bool stop; /* what runs is ended when money, tokens or time are used up; else waited for */
};

/* What agents of one kind have used so far. */
struct costs {
    uint64_t attempts; /* that have ended */
    uint64_t cost_micros, tokens;
};

uint64_t amount_sum(uint64_t a, uint64_t b);

void costs_add(struct costs *costs, uint64_t cost_micros, uint64_t tokens);

/* What one more such agent will use: the mean, rounded up, and one call; of time nothing. Where
 * none has ended nothing is known of money and tokens: 0. */
struct amounts costs_estimate(const struct costs *costs);

/* Whether something with this estimate may start: something of each limit is left, and what is used
 * and reserved and this together stay within it. */
bool budget_allows(const struct budget *budget, const struct amounts *used,
                   const struct amounts *reserved, const struct amounts *estimate);

/* Whether money, tokens or time are used up. Calls are used when they start: what runs uses no more
 * of them. */
bool budget_is_over(const struct budget *budget, const struct amounts *used);

bool budget_has_limit(const struct budget *budget);

/* What of a limit is neither used nor reserved; 0 also where there is no limit. */
uint64_t budget_left(const struct budget *budget, enum budget_part part,
                     const struct amounts *used, const struct amounts *reserved);

/* The narrower of two, part by part; stop where either says so. */
struct budget budget_within(const struct budget *budget, const struct budget *bound);

#endif
