/* SPDX-License-Identifier: Apache-2.0
 *
 * forecast.h - what a loop can take, before it runs. The bounds are the engine's own
 * (core/plan_most.c); what one agent costs is what agents of earlier runs cost (run/reviewers.h):
 * of the same dialect or loop where there are some, else of any. Without such a run there is no
 * estimate. */
#ifndef HONE_RUN_FORECAST_H
#define HONE_RUN_FORECAST_H

#include "run/run.h"

struct forecast {
    uint32_t tasks, groups; /* that are named; 0: none are, or the plan does not fan */
    struct plan_most most;
    bool measured;        /* what earlier runs cost is known: */
    bool by_same;         /* they are of this dialect or loop, not of others */
    uint32_t by_runs;     /* so many */
    uint64_t cost_micros; /* all agents that can be started; 0: they report no cost */
    uint64_t took_ms;
};

/* journal: of the earlier runs; NULL: there are none. The newest of them are replayed. */
void forecast_make(const struct dialect *dialect, const struct settings *options,
                   const struct plan *plan, struct journal *journal, struct forecast *out);

#endif
