/* SPDX-License-Identifier: Apache-2.0
 *
 * plans.c - review, iterate, cycles, session and loops, row by row.
 *
 * Not here: plans at random (plans_random.c). */
#include "plans.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { STAGE_EXEC = 1, STAGE_POLISH = 2, STAGE_DOCS = 4, STAGE_SECURITY = 8, STAGES_ALL = 15 };

static const uint64_t retry_pause_ms = 1000;

const char *plans_name(enum plan_kind kind)
{
    static const char *const names[PLAN_KIND_COUNT] = {
        [PLAN_REVIEW] = "review",   [PLAN_ITERATE] = "iterate", [PLAN_CYCLES] = "cycles",
        [PLAN_SESSION] = "session", [PLAN_LOOPS] = "loops",     [PLAN_WIDE] = "wide",
        [PLAN_RANDOM] = "random",
    };

    return names[kind];
}

struct plan_size plans_size(enum plan_kind kind)
{
    struct plan_size size = { .invalid_max = 1, .failed_max = 1 };

    switch (kind) {
    case PLAN_REVIEW:
        size.reviewers = 5;
        size.repairs = 4;
        break;
    case PLAN_ITERATE:
        size.iterations = size.repairs = 10;
        size.copies = 2;
        size.by_groups = true;
        break;
    case PLAN_CYCLES:
        size.phases = size.repairs = 2;
        break;
    case PLAN_SESSION:
        size.repairs = 2;
        size.repeats = size.repeat_stages = 3;
        break;
    case PLAN_LOOPS:
        size.lanes = 4;
        size.runs = 10;
        size.checkpoint = 5;
        size.repairs = 3;
        size.revisions = 8;
        size.gated = true;
        break;
    case PLAN_WIDE:
        size.reviewers = FIXTURE_REVIEWERS;
        size.repairs = 1;
        break;
    case PLAN_RANDOM:
    case PLAN_KIND_COUNT:
        assert(!"it has no size");
    }
    return size;
}

static struct fixture *fixture_begin(struct fixture *out)
{
    out->reviewer_count = 0;
    out->roles[0] = (struct role){ .name = "nobody" };
    out->plan = (struct plan){ .roles = out->roles, .role_count = 1, .phases = out->phases,
                               .iteration_max = 1, .retry_pause_ms = retry_pause_ms };
    return out;
}

static uint16_t add_role(struct fixture *out, struct role role)
{
    assert(out->plan.role_count < FIXTURE_ROLES);
    out->roles[out->plan.role_count] = role;
    return (uint16_t)out->plan.role_count++;
}

static uint16_t add_reader(struct fixture *out, const char *name, const struct plan_size *size)
{
    return add_role(out, (struct role){ .name = name, .invalid_max = size->invalid_max,
                                        .failed_max = size->failed_max });
}

static uint16_t add_writer(struct fixture *out, const char *name, const struct plan_size *size)
{
    return add_role(out, (struct role){ .name = name, .writes = true,
                                        .invalid_max = size->invalid_max,
                                        .failed_max = size->failed_max });
}

static uint16_t add_builtin(struct fixture *out, const char *name)
{
    return add_role(out, (struct role){ .name = name, .writes = true, .builtin = true });
}

/* The reviewers of the phase that is added next. */
static void add_reviewer(struct fixture *out, struct gate *gate, uint16_t role)
{
    assert(out->reviewer_count < FIXTURE_REVIEWERS);
    if (gate->reviewer_count == 0) gate->reviewers = &out->reviewers[out->reviewer_count];
    out->reviewers[out->reviewer_count++] = role;
    gate->reviewer_count++;
}

static void add_phase(struct fixture *out, struct phase phase)
{
    assert(out->plan.phase_count < FIXTURE_PHASES);
    out->phases[out->plan.phase_count++] = phase;
}

/* A gate of one reviewer that is its own recheck, before the caller changes what differs. */
static struct gate gate_of_one(struct fixture *out, uint16_t reviewer, uint16_t fixer,
                               const struct plan_size *size)
{
    struct gate gate = { .on_fail = FAIL_REPAIR, .repair = { .role = fixer },
                         .repair_max = size->repairs, .recheck = out->plan.phase_count };

    add_reviewer(out, &gate, reviewer);
    return gate;
}

static void make_review(struct fixture *out, const struct plan_size *size)
{
    static const char *const names[] = { "critic", "pedant", "witness", "security-reviewer",
                                         "silent-failure-hunter" };
    struct gate gate = { .repair_max = size->repairs, .at_bound = BOUND_STOP };

    assert(size->reviewers <= sizeof names / sizeof names[0]);
    for (uint32_t i = 0; i < size->reviewers; i++) {
        add_reviewer(out, &gate, add_reader(out, names[i], size));
    }
    gate.repair.role = add_writer(out, "review-fixer", size);
    gate.repair.on_stuck = STUCK_REST;
    add_phase(out, (struct phase){ .name = "R1", .repair_name = "R2", .gate = gate });
}

static void make_wide(struct fixture *out, const struct plan_size *size)
{
    struct gate gate = { .repair_max = size->repairs, .at_bound = BOUND_STOP };
    uint16_t reviewer = add_reader(out, "reviewer", size);

    for (uint32_t i = 0; i < size->reviewers; i++) add_reviewer(out, &gate, reviewer);
    gate.repair.role = add_writer(out, "fixer", size);
    add_phase(out, (struct phase){ .name = "wide", .gate = gate });
}

static void add_iterate_work(struct fixture *out, const char *name, const char *role,
                             uint32_t copies, const struct plan_size *size)
{
    add_phase(out, (struct phase){ .name = name,
        .work = { .role = add_writer(out, role, size), .copies = copies } });
}

static void add_iterate_gate(struct fixture *out, const char *name, uint16_t reviewer,
                             uint16_t fixer, const struct plan_size *size)
{
    struct gate gate = gate_of_one(out, reviewer, fixer, size);

    gate.on_fail = size->on_fail;
    gate.at_bound = size->at_bound;
    gate.repair.on_stuck = STUCK_ASK;
    gate.repair.by_groups = size->by_groups;
    add_phase(out, (struct phase){ .name = name, .gate = gate });
}

static void make_iterate(struct fixture *out, const struct plan_size *size)
{
    uint16_t fixer = add_writer(out, "fixer", size);
    struct gate last;

    out->plan.iteration_max = size->iterations;
    add_iterate_work(out, "1", "brainstormer", size->copies, size);
    add_iterate_work(out, "2", "planner", size->copies, size);
    add_iterate_gate(out, "3", add_reader(out, "plan-reviewer", size), fixer, size);
    add_iterate_work(out, "4", "implementer", 1, size);
    add_iterate_gate(out, "5", add_reader(out, "code-reviewer", size), fixer, size);
    add_iterate_gate(out, "6", add_builtin(out, "test"), fixer, size);
    out->phases[5].gate.repair.by_groups = false;
    add_iterate_work(out, "7", "simplifier", 1, size);
    add_iterate_gate(out, "8", add_reader(out, "final-reviewer", size), fixer, size);
    if (size->lite) return;
    last = gate_of_one(out, add_reader(out, "codex-final", size), ROLE_NONE, size);
    last.on_fail = FAIL_STOP;
    add_phase(out, (struct phase){ .name = "9", .gate = last });
}

/* What the implementer wrote is committed before it is reviewed: a phase of its own. */
static void make_cycles(struct fixture *out, const struct plan_size *size)
{
    static const char *const names[] = { "1", "2", "3", "4" };
    uint16_t implementer = add_writer(out, "implementer", size);
    uint16_t commit = add_builtin(out, "commit");
    uint16_t reviewer = add_reader(out, "spec-reviewer", size);
    uint16_t fixer = add_writer(out, "spec-fixer", size);

    out->roles[fixer].ask_when_dead = true;
    assert(size->phases <= sizeof names / sizeof names[0]);
    for (uint32_t i = 0; i < size->phases; i++) {
        struct gate gate;

        add_phase(out, (struct phase){ .name = names[i],
            .work = { .role = implementer, .copies = 1 } });
        gate = gate_of_one(out, reviewer, fixer, size);
        gate.repair.then = commit;
        gate.at_bound = BOUND_ESCALATE;
        add_phase(out, (struct phase){ .name = names[i], .gate = gate,
            .work = { .role = commit, .copies = 1 } });
    }
}

static void add_session_gate(struct fixture *out, const char *name, uint16_t worker,
                             struct gate gate)
{
    struct phase phase = { .name = name, .gate = gate };

    if (worker != ROLE_NONE) phase.work = (struct work){ .role = worker, .copies = 1 };
    phase.gate.at_bound = BOUND_ASK;
    add_phase(out, phase);
}

static void make_session(struct fixture *out, const struct plan_size *size)
{
    static const char *const names[] = { "polish", "docs", "security" };
    static const uint32_t stages[] = { STAGE_POLISH, STAGE_DOCS, STAGE_SECURITY };
    uint16_t executor = add_writer(out, "executor", size);
    uint16_t reviewer = add_reader(out, "reviewer", size);
    uint16_t scan = add_builtin(out, "scan");
    struct gate gate;
    uint32_t execution;

    out->plan.keeps_diary = true;
    gate = gate_of_one(out, reviewer, executor, size);
    gate.repeat_max = size->repeats;
    add_session_gate(out, "planning", executor, gate);
    execution = out->plan.phase_count;
    gate = gate_of_one(out, reviewer, executor, size);
    gate.repeat_max = size->repeats;
    gate.mints = STAGE_EXEC;
    add_session_gate(out, "execution", executor, gate);
    for (uint32_t i = 0; i < 3; i++) {
        uint16_t role = add_reader(out, names[i], size);

        gate = gate_of_one(out, stages[i] == STAGE_SECURITY ? scan : role, executor, size);
        if (stages[i] == STAGE_SECURITY) add_reviewer(out, &gate, role);
        gate.repeat_max = i < size->repeat_stages ? size->repeats : 0;
        gate.mints = stages[i];
        gate.recheck = execution;
        add_session_gate(out, names[i], ROLE_NONE, gate);
    }
    add_phase(out, (struct phase){ .name = "delivery", .needs = STAGES_ALL,
        .work = { .role = add_builtin(out, "deliver"), .copies = 1 } });
}

static void add_loops_work(struct fixture *out, const char *name, uint16_t worker,
                           uint16_t reviewer, const struct plan_size *size)
{
    struct phase phase = { .name = name, .work = { .role = worker, .copies = 1 } };

    if (size->gated) {
        phase.gate = gate_of_one(out, reviewer, worker, size);
        phase.gate.repair_max = size->revisions;
    }
    add_phase(out, phase);
}

static void make_loops(struct fixture *out, const struct plan_size *size)
{
    uint16_t run_reviewer = add_reader(out, "run-reviewer", size);
    uint16_t loop_reviewer = add_reader(out, "loop-reviewer", size);
    uint16_t builder = add_writer(out, "builder", size);
    struct phase build = { .name = "build", .fan = true,
        .work = { .role = builder, .copies = 1, .run_max = size->runs,
                  .checkpoint_role = loop_reviewer, .checkpoint_every = size->checkpoint } };
    struct phase review = { .name = "review" };

    out->plan.lane_max = size->lanes;
    out->plan.integrate = add_builtin(out, "integrate");
    add_loops_work(out, "enumerate", add_reader(out, "enumerator", size), run_reviewer, size);
    add_loops_work(out, "plan", add_reader(out, "planner", size), run_reviewer, size);
    build.gate = gate_of_one(out, loop_reviewer, builder, size);
    build.gate.at_bound = BOUND_STUCK;
    add_phase(out, build);
    review.gate = gate_of_one(out, run_reviewer, add_reader(out, "reviser", size), size);
    review.gate.repair_max = size->revisions;
    review.gate.recheck = plans_phase(&out->plan, "build");
    add_phase(out, review);
}

void plans_make(struct fixture *out, enum plan_kind kind, const struct plan_size *size)
{
    static void (*const make[PLAN_KIND_COUNT])(struct fixture *, const struct plan_size *) = {
        [PLAN_REVIEW] = make_review,   [PLAN_ITERATE] = make_iterate,
        [PLAN_CYCLES] = make_cycles,   [PLAN_SESSION] = make_session,
        [PLAN_LOOPS] = make_loops,     [PLAN_WIDE] = make_wide,
    };

    make[kind](fixture_begin(out), size);
    assert(!plan_problem(&out->plan));
}

uint32_t plans_phase(const struct plan *plan, const char *name)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (strcmp(plan->phases[i].name, name) == 0) return i;
    }
    assert(!"no phase has this name");
    return 0;
}
