/* SPDX-License-Identifier: Apache-2.0
 *
 * plans_random.c - plans at random, as no dialect would write them. plan_problem() promises that a
 * plan it lets pass cannot make the engine assert or loop without an end; this is where the promise
 * is tried. */
#include "plans.h"

#include <stddef.h>

enum { ROLES = 6, PHASES_MAX = 5, TRIES = 50 };

static const char *const role_names[ROLES] = { "nobody", "ann", "bob", "cat", "dan", "eve" };
static const char *const phase_names[PHASES_MAX] = { "A", "B", "C", "D", "E" };

static uint16_t any_role(struct prng *prng)
{
    return (uint16_t)(1 + prng_below(prng, ROLES - 1));
}

static struct work any_work(struct prng *prng, bool fan)
{
    struct work work = { .role = any_role(prng), .copies = 1 };

    if (prng_chance(prng, 20)) work.copies = 1 + prng_below(prng, 3);
    if (fan && prng_chance(prng, 70)) {
        work.run_max = 1 + prng_below(prng, 3);
        work.checkpoint_role = any_role(prng);
        work.checkpoint_every = prng_below(prng, 3);
    }
    return work;
}

static struct gate any_gate(struct fixture *out, struct prng *prng, uint32_t index)
{
    static const uint32_t bounds[] = { 0, 1, 2, NO_BOUND };
    struct gate gate = { .on_fail = (enum on_fail)prng_below(prng, FAIL_STOP + 1),
                         .at_bound = (enum at_bound)prng_below(prng, BOUND_STUCK + 1),
                         .repair_max = bounds[prng_below(prng, 4)], .recheck = index };

    gate.reviewers = &out->reviewers[out->reviewer_count];
    gate.reviewer_count = 1 + prng_below(prng, 3);
    for (uint32_t i = 0; i < gate.reviewer_count; i++) {
        out->reviewers[out->reviewer_count++] = any_role(prng);
    }
    if (prng_chance(prng, 60)) gate.on_fail = FAIL_REPAIR;
    if (prng_chance(prng, 80)) gate.repair.role = any_role(prng);
    if (prng_chance(prng, 25)) gate.repair.then = any_role(prng);
    gate.repair.by_groups = prng_chance(prng, 30);
    gate.repair.on_stuck = (enum on_stuck)prng_below(prng, STUCK_REST + 1);
    if (prng_chance(prng, 30)) gate.recheck = prng_below(prng, index + 1);
    if (prng_chance(prng, 30)) gate.mints = 1U << prng_below(prng, 2);
    if (prng_chance(prng, 20)) gate.repeat_max = 1 + prng_below(prng, 3);
    return gate;
}

static void any_phases(struct fixture *out, struct prng *prng)
{
    bool fans = prng_chance(prng, 40);
    uint32_t fan = prng_below(prng, out->plan.phase_count);

    for (uint32_t i = 0; i < out->plan.phase_count; i++) {
        struct phase *phase = &out->phases[i];

        *phase = (struct phase){ .name = phase_names[i], .fan = fans && i == fan };
        if (phase->fan || prng_chance(prng, 50)) phase->work = any_work(prng, phase->fan);
        if (prng_chance(prng, 75)) phase->gate = any_gate(out, prng, i);
        if (prng_chance(prng, 15)) phase->needs = 1 + prng_below(prng, 3);
    }
    if (!fans) return;
    out->plan.lane_max = 1 + prng_below(prng, 3);
    out->plan.integrate = any_role(prng);
    out->plan.iteration_max = 1;
}

void plans_random(struct fixture *out, struct prng *prng)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        out->reviewer_count = 0;
        out->plan = (struct plan){ .roles = out->roles, .role_count = ROLES,
            .phases = out->phases, .phase_count = 1 + prng_below(prng, PHASES_MAX),
            .iteration_max = 1 + prng_below(prng, 3), .retry_pause_ms = prng_below(prng, 2000) };
        for (uint32_t k = 0; k < ROLES; k++) {
            out->roles[k] = (struct role){ .name = role_names[k], .writes = prng_chance(prng, 50),
                .ask_when_dead = prng_chance(prng, 20), .invalid_max = prng_below(prng, 3),
                .failed_max = prng_below(prng, 3) };
        }
        any_phases(out, prng);
        if (!plan_problem(&out->plan)) return;
    }
    plans_make(out, PLAN_REVIEW, &(struct plan_size){ .reviewers = 2, .repairs = 1 });
}
