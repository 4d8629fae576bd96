/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_most.c - the most that a run of a plan can take: agents that are started, and rounds.
 *
 * A lane walks the phases in order. What makes it go back is a repair (to the gate that looks
 * again), a stage that holds no more (to the gate that mints it) and a restart; each of them is
 * bounded, and so is the sum:
 *
 *   repairs of an iteration   the repairs of all gates: each counts against its own gate's bound
 *   reviews of a gate         one, and one for each repair that leads back to it or past it; where
 *                             something needs a stage, each repair may lead there twice
 *   work of a phase           once; of a delivery as often as gates are walked past
 *   an iteration              all of that; restarts multiply it
 *
 * 1. Sums and products stop at UINT32_MAX, and then all that is known is "very many".
 * 2. What hone does itself is no agent; an agent that is asked again or started again is one more.
 * 3. It holds as long as no person resumes the run, answers a question or changes the tree: each of
 *    these allows more. */
#include "core/plan.h"

static uint32_t add_most(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t times_most(uint32_t a, uint32_t b)
{
    return a != 0 && b > UINT32_MAX / a ? UINT32_MAX : a * b;
}

/* How often one job of the role can be started. */
static uint32_t starts_most(const struct plan *plan, uint16_t role)
{
    const struct role *row = &plan->roles[role];

    if (role == ROLE_NONE || row->builtin) return 0;
    return add_most(1, add_most(row->invalid_max, row->failed_max));
}

/* Repairs that the gate allows in an iteration. */
static uint32_t repairs_most(const struct gate *gate)
{
    if (gate->reviewer_count == 0 || gate->on_fail != FAIL_REPAIR) return 0;
    return gate->repair_max;
}

static uint32_t review_agents(const struct plan *plan, const struct gate *gate)
{
    uint32_t panel = 0, first = 0, alone;

    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        uint32_t starts = starts_most(plan, gate->reviewers[i]);

        panel = add_most(panel, starts);
        if (plan->roles[gate->reviewers[i]].first) first = add_most(first, starts);
    }
    if (!gate->policy) return panel;
    alone = add_most(first, starts_most(plan, gate_checker(plan, gate)));
    return alone > panel ? alone : panel;
}

/* What one repair starts; a fixer for each group of findings is not known before. */
static uint32_t repair_agents(const struct plan *plan, const struct repair *repair)
{
    return add_most(starts_most(plan, repair->role), starts_most(plan, repair->then));
}

static uint32_t work_agents(const struct plan *plan, const struct phase *phase)
{
    const struct work *work = &phase->work;
    uint32_t starts = starts_most(plan, work->role);
    uint32_t runs = work->run_max ? work->run_max : 1;

    if (work->copies > 1) runs = add_most(work->copies, 1); /* and the one that joins them */
    return times_most(starts, runs);
}

/* How often a gate can be entered in one iteration. */
static uint32_t reviews_most(const struct plan *plan, uint32_t index, bool needs)
{
    uint32_t reviews = 1;

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;
        uint32_t repairs = repairs_most(gate);

        if (needs) reviews = add_most(reviews, times_most(2, repairs));
        else if (gate->recheck <= index && index <= i) reviews = add_most(reviews, repairs);
    }
    return reviews;
}

struct plan_most plan_most(const struct plan *plan)
{
    struct plan_most most = { .bounded = true };
    bool needs = false;

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];

        needs = needs || phase->needs;
        most.per_task = most.per_task || phase->fan;
        most.by_groups = most.by_groups || phase->gate.repair.by_groups;
        if (repairs_most(&phase->gate) == NO_BOUND) most.bounded = false;
    }
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];
        const struct gate *gate = &phase->gate;
        uint32_t walks = needs ? reviews_most(plan, i, true) : 1, reviews;

        most.agents = add_most(most.agents,
                               times_most(phase->needs ? walks : 1, work_agents(plan, phase)));
        if (gate->reviewer_count == 0) continue;
        reviews = reviews_most(plan, i, needs);
        most.rounds = add_most(most.rounds, reviews);
        most.agents = add_most(most.agents, times_most(reviews, review_agents(plan, gate)));
        most.agents = add_most(most.agents, times_most(repairs_most(gate),
                                                       repair_agents(plan, &gate->repair)));
    }
    most.agents = times_most(most.agents, plan->iteration_max);
    most.rounds = times_most(most.rounds, plan->iteration_max);
    if (most.agents == UINT32_MAX || most.rounds == UINT32_MAX) most.bounded = false;
    return most;
}
