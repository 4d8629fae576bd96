/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - what a plan must be like for the engine's promises to hold. */
#include "core/plan.h"

#include <stddef.h>

static bool role_ok(const struct plan *plan, uint16_t role)
{
    return role == ROLE_NONE || role < plan->role_count;
}

static const char *work_problem(const struct plan *plan, const struct phase *phase)
{
    const struct work *work = &phase->work;

    if (!role_ok(plan, work->role)) return "work names a role that is not there";
    if (!role_ok(plan, work->checkpoint_role)) return "a checkpoint names a role that is not there";
    if (work->role != ROLE_NONE && work->copies == 0) return "work has no copies";
    if (work->run_max > 0 && !phase->fan) return "only lanes of tasks repeat their work";
    if (work->run_max > 0 && work->copies != 1) return "repeated work is done by one agent";
    if (work->checkpoint_every > 0 && (work->run_max == 0 || work->checkpoint_role == ROLE_NONE)) {
        return "a checkpoint needs repeated work and a role";
    }
    return NULL;
}

/* One task's lane must not restart or stop the whole run; and only a task's lane can rest while
 * others go on. */
static const char *policy_problem(const struct phase *phase)
{
    const struct gate *gate = &phase->gate;

    if (phase->fan) {
        if (gate->on_fail == FAIL_RESTART || gate->on_fail == FAIL_STOP) {
            return "the lane of a task can neither restart nor stop the run";
        }
        if (gate->at_bound == BOUND_RESTART || gate->at_bound == BOUND_STOP) {
            return "the bound of a task's lane can neither restart nor stop the run";
        }
    } else if (gate->at_bound == BOUND_STUCK) {
        return "only the lane of a task can be left stuck";
    }
    if (gate->mints != 0 && (gate->on_fail == FAIL_PROCEED || gate->at_bound == BOUND_PROCEED)) {
        return "a gate that mints a stage cannot be passed over";
    }
    return NULL;
}

static const char *gate_problem(const struct plan *plan, uint32_t index)
{
    const struct phase *phase = &plan->phases[index];
    const struct gate *gate = &phase->gate;

    if (gate->reviewer_count == 0) return gate->mints ? "a gate without reviewers mints" : NULL;
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        uint16_t role = gate->reviewers[i];
        if (role == ROLE_NONE || !role_ok(plan, role)) return "a gate names no real reviewer";
    }
    if (!role_ok(plan, gate->repair.role)) return "a repair names a role that is not there";
    if (!role_ok(plan, gate->repair.then)) return "a repair is followed by no role";
    if (gate->policy && !role_ok(plan, gate->checker)) {
        return "a recheck names a role that is not there";
    }
    if (gate->policy && plan->eyes == 0) return "a gate has a policy, and there are no eyes";
    if (!role_ok(plan, gate->prover)) return "a proof names a role that is not there";
    if (gate->prover != ROLE_NONE && (!gate->policy || phase->fan)) {
        return "a repair is proven where there is no policy, or in the lane of a task";
    }
    if (gate->votes_min > gate->reviewer_count) return "a gate wants more votes than reviewers";
    if (gate->votes_min > 1 && gate->repair.by_groups) {
        return "a gate wants votes, and its fixers work by groups of all that is found";
    }
    if (gate->on_fail == FAIL_REPAIR && gate->repair.role == ROLE_NONE) {
        return "a gate repairs, and no role does it";
    }
    if (gate->recheck > index) return "a repair is checked again by a later phase";
    if (phase->fan && gate->recheck != index) return "a task's lane has one phase";
    if (phase->fan && gate->mints) return "the lane of a task mints no stage of the run";
    if (!plan->phases[gate->recheck].fan && plan->phases[gate->recheck].gate.reviewer_count == 0) {
        return "a repair is checked again where no role reviews";
    }
    for (uint32_t i = gate->recheck + 1; i <= index; i++) {
        const struct phase *later = &plan->phases[i];
        if (later->work.role != ROLE_NONE && !later->fan) {
            return "a repair is checked again before work that would be done again";
        }
    }
    return policy_problem(phase);
}

const char *plan_problem(const struct plan *plan)
{
    uint32_t minted = 0, fans = 0;

    if (plan->phase_count == 0) return "the plan has no phases";
    if (plan->role_count == 0) return "the plan has no roles";
    if (plan->iteration_max == 0) return "the plan allows no iteration";
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const struct role *role = &plan->roles[i];

        if (role->commits && (!role->writes || role->builtin)) {
            return "a role commits that is no agent which writes";
        }
    }
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];
        const char *problem = work_problem(plan, phase);

        if (!problem) problem = gate_problem(plan, i);
        if (problem) return problem;
        if (phase->work.role == ROLE_NONE && phase->gate.reviewer_count == 0) {
            return "a phase has neither work nor a gate";
        }
        if (phase->needs & ~minted) return "a phase needs a stage that nothing mints for it";
        if (phase->needs && phase->work.role == ROLE_NONE) return "a delivery has no work";
        if (phase->fan && phase->work.role == ROLE_NONE) return "the lane of a task has no work";
        if (phase->work.role != ROLE_NONE && !phase->needs) minted = 0; /* work unmints */
        minted |= phase->gate.mints;
        fans += phase->fan;
    }
    if (fans > 1) return "more than one phase opens lanes";
    if (fans == 1 && (plan->lane_max == 0 || plan->integrate == ROLE_NONE)) {
        return "tasks need places and a role that integrates them";
    }
    if (fans == 1 && plan->iteration_max > 1) return "a plan with tasks cannot restart";
    if (!role_ok(plan, plan->integrate)) return "integration names a role that is not there";
    return NULL;
}

uint32_t gate_review_max(const struct gate *gate)
{
    if (gate->reviewer_count == 0) return 0;
    return gate->repair_max == NO_BOUND ? 0 : gate->repair_max + 1;
}

bool plan_role_looks(const struct plan *plan, uint32_t role)
{
    for (uint32_t i = 0; role != ROLE_NONE && i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;

        if (!gate->policy) continue;
        if (gate->checker == role) return true;
        for (uint32_t k = 0; k < gate->reviewer_count; k++) {
            if (gate->reviewers[k] == role) return true;
        }
    }
    return false;
}

uint16_t gate_checker(const struct plan *plan, const struct gate *gate)
{
    uint16_t checker = gate->checker != ROLE_NONE ? gate->checker : gate->reviewers[0];

    if (!plan->roles[checker].first) return checker;
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        if (!plan->roles[gate->reviewers[i]].first) return gate->reviewers[i];
    }
    return checker;
}

bool plan_only_reviews(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].work.role != ROLE_NONE) return false;
    }
    return true;
}

void plan_leave(struct plan *plan, struct arena *arena)
{
    struct phase *phases = arena_alloc(arena, plan->phase_count * sizeof *phases);

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        phases[i] = plan->phases[i];
        if (phases[i].gate.on_fail == FAIL_REPAIR) phases[i].gate.on_fail = FAIL_STOP;
    }
    plan->phases = phases;
}

/* What is committed, or done in a lane of its own, is not taken back; and of a text there is no
 * proof. */
static bool is_provable(const struct phase *phase, const struct role *roles)
{
    const struct gate *gate = &phase->gate;

    return gate->policy && !phase->fan && !gate->of_text && !roles[gate->repair.role].commits;
}

/* Whether the nth reviewer of the gate is named before, too: it proves once. */
static bool is_named_before(const struct gate *gate, uint32_t nth)
{
    for (uint32_t i = 0; i < nth; i++) {
        if (gate->reviewers[i] == gate->reviewers[nth]) return true;
    }
    return false;
}

uint16_t plan_prover(const struct plan *plan, uint32_t phase, uint16_t last)
{
    const struct gate *gate = &plan->phases[phase].gate;
    bool passed = last == ROLE_NONE;

    if (!is_provable(&plan->phases[phase], plan->roles)) return ROLE_NONE;
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        uint16_t role = gate->reviewers[i];

        if (is_named_before(gate, i)) continue;
        if (passed && plan->roles[role].first) return role;
        passed = passed || role == last;
    }
    return last == gate->prover ? ROLE_NONE : gate->prover;
}

void plan_prove(struct plan *plan, const char *role, struct arena *arena)
{
    struct phase *phases = arena_alloc(arena, plan->phase_count * sizeof *phases);
    struct role *roles = arena_alloc(arena, (plan->role_count + (size_t)1) * sizeof *roles);

    for (uint32_t i = 0; i < plan->role_count; i++) roles[i] = plan->roles[i];
    roles[plan->role_count] = (struct role){ .name = role, .writes = true, .builtin = true,
                                             .failed_max = 1 };
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        struct gate *gate = &phases[i].gate;

        phases[i] = plan->phases[i];
        if (is_provable(&phases[i], roles)) gate->prover = (uint16_t)plan->role_count;
    }
    plan->roles = roles;
    plan->role_count++;
    plan->phases = phases;
}
