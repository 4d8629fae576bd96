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
 *   the lane of a task        its work as often as it may be repeated, a checkpoint behind each of
 *                             these but the last, and its own gate: a conflict of integration is
 *                             one of its repairs
 *   an iteration              all of that, a lane for each task; restarts multiply it
 *
 * 1. Sums and products stop at UINT32_MAX, and then all that is known is "very many".
 * 2. What hone does itself is no agent; an agent that is asked again or started again is one more.
 * 3. It holds as long as no person resumes the run, answers a question or changes the tree: each of
 *    these allows more. Nor does it count an agent that is started again because a fleet lost its
 *    attempt, or because its service told it to wait. */
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

/* Of one lane, where the phase fans. A lane is held for a checkpoint only between two runs of its
 * work, however many checkpoints the others make due. */
static uint32_t checkpoint_agents(const struct plan *plan, const struct work *work)
{
    if (work->checkpoint_every == 0 || work->run_max < 2) return 0;
    return times_most(work->run_max - 1, starts_most(plan, work->checkpoint_role));
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
    return add_most(times_most(starts, runs), checkpoint_agents(plan, work));
}

/* How often a gate can be entered in one iteration: by the main lane, or by one task's, which walks
 * its own phase alone. */
static uint32_t reviews_most(const struct plan *plan, uint32_t index, bool needs)
{
    uint32_t reviews = 1;

    if (plan->phases[index].fan) return add_most(1, repairs_most(&plan->phases[index].gate));
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;
        uint32_t repairs = repairs_most(gate);

        if (plan->phases[i].fan) continue;
        if (needs) reviews = add_most(reviews, times_most(2, repairs));
        else if (gate->recheck <= index && index <= i) reviews = add_most(reviews, repairs);
    }
    return reviews;
}

/* Whether a gate behind the lanes leads back to them: its repair may name more tasks. */
static bool may_add_tasks(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;

        if (gate->recheck != i && plan->phases[gate->recheck].fan) return true;
    }
    return false;
}

/* What is known of the plan as a whole; whether a phase of it delivers. */
static bool look_over(const struct plan *plan, struct plan_most *most)
{
    bool needs = false, fans = false;

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];

        needs = needs || phase->needs;
        fans = fans || phase->fan;
        most->by_groups = most->by_groups || phase->gate.repair.by_groups;
        if (repairs_most(&phase->gate) == NO_BOUND) most->bounded = false;
    }
    most->per_task = fans && (most->tasks == 0 || may_add_tasks(plan));
    if (most->per_task || !fans) most->tasks = 0;
    return needs;
}

struct plan_most plan_most(const struct plan *plan, uint32_t tasks)
{
    struct plan_most most = { .bounded = true, .tasks = tasks };
    bool needs = look_over(plan, &most);

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];
        const struct gate *gate = &phase->gate;
        uint32_t walks = needs ? reviews_most(plan, i, true) : 1, reviews, agents;
        uint32_t lanes = phase->fan && most.tasks > 0 ? most.tasks : 1;

        agents = times_most(phase->needs ? walks : 1, work_agents(plan, phase));
        if (gate->reviewer_count > 0) {
            reviews = reviews_most(plan, i, needs);
            most.rounds = add_most(most.rounds, times_most(lanes, reviews));
            agents = add_most(agents, times_most(reviews, review_agents(plan, gate)));
            agents = add_most(agents, times_most(repairs_most(gate),
                                                 repair_agents(plan, &gate->repair)));
        }
        most.agents = add_most(most.agents, times_most(lanes, agents));
    }
    most.agents = times_most(most.agents, plan->iteration_max);
    most.rounds = times_most(most.rounds, plan->iteration_max);
    if (most.agents == UINT32_MAX || most.rounds == UINT32_MAX) most.bounded = false;
    return most;
}
