/* SPDX-License-Identifier: Apache-2.0
 *
 * test_plan.c - every complaint of plan_problem() has a plan that deserves it, and the plans the
 * engine is made for deserve none. */
#include "../sim/plans.h"

#include "test.h"

enum { WORKER = 1, REVIEWER = 2, FIXER = 3, NO_SUCH_ROLE = 4 };

/* A plan one can spoil: A has work, B a gate that mints, C delivers. */
struct draft {
    struct plan plan;
    struct role roles[4];
    struct phase phases[3];
    uint16_t reviewers[1];
};

static void draft_init(struct draft *draft)
{
    *draft = (struct draft){
        .plan = { .role_count = 4, .phase_count = 3, .iteration_max = 1 },
        .roles = { { .name = "nobody" }, { .name = "worker" }, { .name = "reviewer" },
                   { .name = "fixer" } },
        .phases = { { .name = "A", .work = { .role = WORKER, .copies = 1 } },
                    { .name = "B", .gate = { .reviewer_count = 1, .repair = { .role = FIXER },
                                             .recheck = 1, .mints = 1 } },
                    { .name = "C", .work = { .role = WORKER, .copies = 1 }, .needs = 1 } },
        .reviewers = { REVIEWER },
    };
    draft->plan.roles = draft->roles;
    draft->plan.phases = draft->phases;
    draft->phases[1].gate.reviewers = draft->reviewers;
}

/* A fans, B reviews the run. */
static void draft_fan(struct draft *draft)
{
    draft->plan.phase_count = 2;
    draft->plan.lane_max = 1;
    draft->plan.integrate = WORKER;
    draft->phases[0].fan = true;
    draft->phases[0].work.run_max = 2;
    draft->phases[1].gate.mints = 0;
}

/* And the lanes of its tasks have a gate. */
static void draft_fan_gate(struct draft *draft)
{
    draft_fan(draft);
    draft->phases[0].gate = draft->phases[1].gate;
    draft->phases[0].gate.recheck = 0;
    draft->phases[0].gate.at_bound = BOUND_STUCK;
}

static void no_phases(struct draft *d) { d->plan.phase_count = 0; }
static void no_roles(struct draft *d) { d->plan.role_count = 0; }
static void no_iteration(struct draft *d) { d->plan.iteration_max = 0; }
static void reader_commits(struct draft *d) { d->roles[REVIEWER].commits = true; }
static void unknown_worker(struct draft *d) { d->phases[0].work.role = NO_SUCH_ROLE; }
static void unknown_checker(struct draft *d) { d->phases[0].work.checkpoint_role = NO_SUCH_ROLE; }
static void no_copies(struct draft *d) { d->phases[0].work.copies = 0; }
static void repeats_alone(struct draft *d) { d->phases[0].work.run_max = 2; }
static void no_reviewer(struct draft *d) { d->reviewers[0] = ROLE_NONE; }
static void unknown_reviewer(struct draft *d) { d->reviewers[0] = NO_SUCH_ROLE; }
static void unknown_fixer(struct draft *d) { d->phases[1].gate.repair.role = NO_SUCH_ROLE; }
static void unknown_then(struct draft *d) { d->phases[1].gate.repair.then = NO_SUCH_ROLE; }
static void unknown_rechecker(struct draft *d)
{
    d->phases[1].gate.policy = policy_find(STR("settled"));
    d->phases[1].gate.checker = NO_SUCH_ROLE;
}
static void no_eyes(struct draft *d)
{
    d->phases[1].gate.policy = policy_find(STR("settled"));
}
static void too_many_votes(struct draft *d) { d->phases[1].gate.votes_min = 2; }
static void votes_by_groups(struct draft *d)
{
    static const uint16_t two[] = { REVIEWER, REVIEWER };

    d->phases[1].gate.reviewers = two;
    d->phases[1].gate.reviewer_count = 2;
    d->phases[1].gate.votes_min = 2;
    d->phases[1].gate.repair.by_groups = true;
}
static void no_fixer(struct draft *d) { d->phases[1].gate.repair.role = ROLE_NONE; }
static void recheck_later(struct draft *d) { d->phases[1].gate.recheck = 2; }
static void recheck_nobody(struct draft *d) { d->phases[1].gate.recheck = 0; }
static void stuck_alone(struct draft *d) { d->phases[1].gate.at_bound = BOUND_STUCK; }
static void mints_and_proceeds(struct draft *d) { d->phases[1].gate.on_fail = FAIL_PROCEED; }
static void mints_and_passes(struct draft *d) { d->phases[1].gate.at_bound = BOUND_PROCEED; }
static void needs_more(struct draft *d) { d->phases[2].needs = 2; }
static void unknown_merger(struct draft *d) { d->plan.integrate = NO_SUCH_ROLE; }

static void mints_unseen(struct draft *d)
{
    d->phases[1].work = d->phases[0].work;
    d->phases[1].gate.reviewer_count = 0;
}

static void delivers_nothing(struct draft *d)
{
    d->phases[2].work = (struct work){ .role = ROLE_NONE };
    d->phases[2].gate = d->phases[1].gate;
}

static void does_nothing(struct draft *d)
{
    d->phases[1].gate = (struct gate){ .reviewer_count = 0 };
    d->phases[2].needs = 0;
}

/* Work between the gate that mints and the phase that needs would unmint it for ever. */
static void works_between(struct draft *d)
{
    struct phase work = d->phases[0];

    d->phases[0] = d->phases[1];
    d->phases[0].gate.recheck = 0;
    d->phases[1] = work;
}

/* C's repair looked at by B, and then C's own work would come again. */
static void works_again(struct draft *d)
{
    d->phases[2].needs = 0;
    d->phases[2].gate = d->phases[1].gate;
}

static void repeats_in_copies(struct draft *d)
{
    draft_fan(d);
    d->phases[0].work.copies = 2;
}

static void checks_without_role(struct draft *d)
{
    draft_fan(d);
    d->phases[0].work.checkpoint_every = 2;
}

static void checks_without_repeating(struct draft *d)
{
    d->phases[0].work.checkpoint_role = REVIEWER;
    d->phases[0].work.checkpoint_every = 2;
}

static void task_restarts(struct draft *d)
{
    draft_fan_gate(d);
    d->phases[0].gate.on_fail = FAIL_RESTART;
}

static void task_bound_stops(struct draft *d)
{
    draft_fan_gate(d);
    d->phases[0].gate.at_bound = BOUND_STOP;
}

static void task_mints(struct draft *d)
{
    draft_fan_gate(d);
    d->phases[0].gate.mints = 1;
}

static void task_rechecks_elsewhere(struct draft *d)
{
    draft_fan_gate(d);
    d->phases[1].fan = true;
    d->phases[1].work = d->phases[0].work;
    d->phases[1].gate = d->phases[0].gate;
}

static void task_without_work(struct draft *d)
{
    draft_fan_gate(d);
    d->phases[0].work = (struct work){ .role = ROLE_NONE };
}

static void two_fans(struct draft *d)
{
    draft_fan_gate(d);
    d->phases[1] = d->phases[0];
    d->phases[1].gate.recheck = 1;
}

static void no_places(struct draft *d)
{
    draft_fan(d);
    d->plan.lane_max = 0;
}

static void no_merger(struct draft *d)
{
    draft_fan(d);
    d->plan.integrate = ROLE_NONE;
}

static void tasks_restart(struct draft *d)
{
    draft_fan(d);
    d->plan.iteration_max = 2;
}

static const struct {
    void (*spoil)(struct draft *draft);
    const char *problem;
} cases[] = {
    { no_phases, "the plan has no phases" },
    { no_roles, "the plan has no roles" },
    { no_iteration, "the plan allows no iteration" },
    { reader_commits, "a role commits that is no agent which writes" },
    { unknown_worker, "work names a role that is not there" },
    { unknown_checker, "a checkpoint names a role that is not there" },
    { no_copies, "work has no copies" },
    { repeats_alone, "only lanes of tasks repeat their work" },
    { repeats_in_copies, "repeated work is done by one agent" },
    { checks_without_role, "a checkpoint needs repeated work and a role" },
    { checks_without_repeating, "a checkpoint needs repeated work and a role" },
    { task_restarts, "the lane of a task can neither restart nor stop the run" },
    { task_bound_stops, "the bound of a task's lane can neither restart nor stop the run" },
    { stuck_alone, "only the lane of a task can be left stuck" },
    { mints_and_proceeds, "a gate that mints a stage cannot be passed over" },
    { mints_and_passes, "a gate that mints a stage cannot be passed over" },
    { mints_unseen, "a gate without reviewers mints" },
    { no_reviewer, "a gate names no real reviewer" },
    { unknown_reviewer, "a gate names no real reviewer" },
    { unknown_fixer, "a repair names a role that is not there" },
    { unknown_rechecker, "a recheck names a role that is not there" },
    { no_eyes, "a gate has a policy, and there are no eyes" },
    { unknown_then, "a repair is followed by no role" },
    { too_many_votes, "a gate wants more votes than reviewers" },
    { votes_by_groups, "a gate wants votes, and its fixers work by groups of all that is found" },
    { no_fixer, "a gate repairs, and no role does it" },
    { recheck_later, "a repair is checked again by a later phase" },
    { task_rechecks_elsewhere, "a task's lane has one phase" },
    { task_mints, "the lane of a task mints no stage of the run" },
    { recheck_nobody, "a repair is checked again where no role reviews" },
    { works_again, "a repair is checked again before work that would be done again" },
    { does_nothing, "a phase has neither work nor a gate" },
    { needs_more, "a phase needs a stage that nothing mints for it" },
    { works_between, "a phase needs a stage that nothing mints for it" },
    { delivers_nothing, "a delivery has no work" },
    { task_without_work, "the lane of a task has no work" },
    { two_fans, "more than one phase opens lanes" },
    { no_places, "tasks need places and a role that integrates them" },
    { no_merger, "tasks need places and a role that integrates them" },
    { tasks_restart, "a plan with tasks cannot restart" },
    { unknown_merger, "integration names a role that is not there" },
};

TEST(each_fault_has_its_words)
{
    struct draft draft;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *problem;

        draft_init(&draft);
        cases[i].spoil(&draft);
        problem = plan_problem(&draft.plan);
        if (!problem) fail_msg("nothing wrong, but expected: %s", cases[i].problem);
        assert_string_equal(problem, cases[i].problem);
    }
}

TEST(the_drafts_are_good_before_they_are_spoilt)
{
    struct draft draft;

    draft_init(&draft);
    assert_null(plan_problem(&draft.plan));
    draft_fan(&draft);
    assert_null(plan_problem(&draft.plan));
    draft_init(&draft);
    draft_fan_gate(&draft);
    assert_null(plan_problem(&draft.plan));
}

TEST(the_plans_of_the_design_are_good)
{
    static struct fixture fixture;

    for (uint32_t i = 0; i <= PLAN_WIDE; i++) {
        struct plan_size size = plans_size((enum plan_kind)i);

        plans_make(&fixture, (enum plan_kind)i, &size);
        assert_null(plan_problem(&fixture.plan));
    }
}

TEST(iterate_may_fail_and_be_bound_in_any_way)
{
    static struct fixture fixture;
    struct plan_size size = plans_size(PLAN_ITERATE);

    for (uint32_t fail = FAIL_REPAIR; fail <= FAIL_STOP; fail++) {
        for (uint32_t bound = BOUND_STOP; bound <= BOUND_PROCEED; bound++) {
            size.on_fail = (enum on_fail)fail;
            size.at_bound = (enum at_bound)bound;
            plans_make(&fixture, PLAN_ITERATE, &size);
            assert_null(plan_problem(&fixture.plan));
        }
    }
}

TEST(the_most_that_a_plan_can_take_is_counted)
{
    struct draft draft;
    struct plan_most most;

    draft_init(&draft);
    draft.plan.phase_count = 2;
    draft.roles[REVIEWER].invalid_max = draft.roles[REVIEWER].failed_max = 1;
    draft.phases[1].gate.repair_max = 4;
    most = plan_most(&draft.plan, 0);
    assert_true(most.bounded);
    assert_int_equal(most.rounds, 5);
    assert_int_equal(most.agents, 1 + 5 * 3 + 4);
    draft.roles[FIXER].builtin = true; /* hone's own work is no agent */
    draft.plan.iteration_max = 3;
    most = plan_most(&draft.plan, 0);
    assert_int_equal(most.rounds, 3 * 5);
    assert_int_equal(most.agents, 3 * (1 + 5 * 3));
}

/* A lane: 3 runs, a checkpoint behind two of them, 2 reviews, a repair. Its conflict is one of its
 * repairs, and to integrate is no agent. */
TEST(the_most_of_a_plan_with_lanes_is_for_all_tasks)
{
    static struct fixture fixture;
    struct plan_size size = { .lanes = 2, .runs = 3, .checkpoint = 1, .repairs = 1,
                              .revisions = 2 };
    struct plan_most most;
    uint32_t build, review;

    plans_make(&fixture, PLAN_LOOPS, &size);
    fixture.roles[fixture.plan.integrate].builtin = true;
    build = plans_phase(&fixture.plan, "build");
    review = plans_phase(&fixture.plan, "review");
    most = plan_most(&fixture.plan, 5); /* a reviser may add tasks: five are not all of them */
    assert_true(most.per_task);
    assert_int_equal(most.tasks, 0);
    assert_int_equal(most.rounds, 2 + 3);
    assert_int_equal(most.agents, 2 + (3 + 2 + 2 + 1) + 3 + 2);
    fixture.phases[review].gate.recheck = review;
    most = plan_most(&fixture.plan, 5);
    assert_false(most.per_task);
    assert_int_equal(most.tasks, 5);
    assert_int_equal(most.rounds, 5 * 2 + 3);
    assert_int_equal(most.agents, 2 + 5 * (3 + 2 + 2 + 1) + 3 + 2);
    fixture.phases[build].work.run_max = 0;
    fixture.phases[build].work.checkpoint_every = 0;
    assert_int_equal(plan_most(&fixture.plan, 5).agents, 2 + 5 * (1 + 2 + 1) + 3 + 2);
    assert_true(plan_most(&fixture.plan, 0).per_task);
    assert_false(plan_most(&fixture.plan, UINT32_MAX / 2).bounded);
}

TEST(what_has_no_bound_or_too_large_a_one_is_said_to_have_none)
{
    struct draft draft;

    draft_init(&draft);
    draft.phases[1].gate.repair_max = NO_BOUND;
    assert_false(plan_most(&draft.plan, 0).bounded);
    draft.phases[1].gate.repair_max = 1000000;
    draft.plan.iteration_max = 1000000;
    assert_false(plan_most(&draft.plan, 0).bounded);
}
