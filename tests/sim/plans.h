/* SPDX-License-Identifier: Apache-2.0
 *
 * plans.h - the five plans as fixtures: the engine's tests speak of them by name and size.
 *
 * They are written after the design's notation and not taken from the dialects, so that a change
 * of a dialect cannot quietly change what the engine is tested with. */
#ifndef HONE_TESTS_SIM_PLANS_H
#define HONE_TESTS_SIM_PLANS_H

#include "core/plan.h"

#include "shared/prng.h"

enum plan_kind {
    PLAN_REVIEW,
    PLAN_ITERATE,
    PLAN_CYCLES,
    PLAN_SESSION,
    PLAN_LOOPS,
    PLAN_WIDE,   /* one gate, very many reviewers */
    PLAN_RANDOM, /* plans_random(): all that plan_problem() lets pass */
    PLAN_KIND_COUNT
};

enum { FIXTURE_ROLES = 16, FIXTURE_PHASES = 16, FIXTURE_REVIEWERS = 1000 };

/* How large the plan is; plans_size() has the seeds' own numbers. */
struct plan_size {
    uint32_t reviewers;     /* review: 1 to 5 at once; wide: up to FIXTURE_REVIEWERS */
    uint32_t repairs;       /* of each gate; in loops of a task's lane */
    uint32_t invalid_max, failed_max; /* of every agent that is no builtin */
    uint32_t iterations;    /* iterate: from here to lite */
    uint32_t copies;
    bool by_groups;
    bool lite;              /* no phase 9 */
    enum on_fail on_fail;
    enum at_bound at_bound;
    uint32_t phases;        /* cycles: phases of the specification, 1 to 4 */
    uint32_t repeats;       /* session: repeat_max of planning and execution ... */
    uint32_t repeat_stages; /* ... and of so many of polish, docs, security */
    uint32_t lanes;         /* loops: from here on */
    uint32_t runs;
    uint32_t checkpoint;    /* every so many runs; 0: never */
    uint32_t revisions;     /* of the run review, and of the reviews before the build */
    bool gated;             /* a review after enumerate and after plan */
};

/* A plan and what it points into: not to be moved or copied. */
struct fixture {
    struct plan plan;
    struct role roles[FIXTURE_ROLES];
    struct phase phases[FIXTURE_PHASES];
    uint16_t reviewers[FIXTURE_REVIEWERS];
    uint32_t reviewer_count;
};

struct plan_size plans_size(enum plan_kind kind);
void plans_make(struct fixture *out, enum plan_kind kind, const struct plan_size *size);

/* A plan of one to five phases, made of anything that plan_problem() accepts. */
void plans_random(struct fixture *out, struct prng *prng);

const char *plans_name(enum plan_kind kind);

/* The phase with this name; it must be there. */
uint32_t plans_phase(const struct plan *plan, const char *name);

#endif
