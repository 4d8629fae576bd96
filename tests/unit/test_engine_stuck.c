/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_stuck.c - a fixer that says it cannot go on, where the user is not asked. */
#include "story.h"
#include "test.h"

static const struct plan_size two = { .reviewers = 2, .repairs = 1, .invalid_max = 1,
                                      .failed_max = 1 };

TEST(a_stuck_fixer_ends_the_run_and_resume_looks_again)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 findings, 2 clean");
    story_play(&story, "3 stuck, resume, 4 clean, 5 clean",
               "[   30] review-fixer 3.1 clean stuck\n"
               "          finish stuck\n"
               "[   40] resume\n"
               "          start 4.1 critic: review, R1, round 2\n"
               "          start 5.1 pedant: review, R1, round 2\n"
               "[   50] critic 4.1 clean\n"
               "[   60] pedant 5.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(after_stuck_a_resume_grants_one_more_repair_at_the_bound)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1-2 findings, 3 stuck");
    story_play(&story, "resume, 4-5 findings, 6 clean, 7-8 findings",
               "[   40] resume\n"
               "          start 4.1 critic: review, R1, round 2\n"
               "          start 5.1 pedant: review, R1, round 2\n"
               "[   50] critic 4.1 findings 1\n"
               "[   60] pedant 5.1 findings 1\n"
               "          start 6.1 review-fixer: repair, R2, round 2\n"
               "[   70] review-fixer 6.1 clean\n"
               "          start 7.1 critic: review, R1, round 3\n"
               "          start 8.1 pedant: review, R1, round 3\n"
               "[   80] critic 7.1 findings 1\n"
               "[   90] pedant 8.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

/* Work that is done once: who is stuck passes no gate, and is not integrated. */
TEST(a_task_whose_work_is_done_once_rests_when_it_is_stuck)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, (struct plan_size){ .lanes = 2, .repairs = 1, .revisions = 1,
                                                        .runs = 1 });
    story.fixture.phases[plans_phase(&story.fixture.plan, "build")].work.run_max = 0;
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_play(&story, "3 stuck, 4 clean, 5 clean, resume, 6 clean",
               "[   30] builder 3.1 clean stuck\n"
               "[   40] builder 4.1 clean\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   50] loop-reviewer 5.1 clean\n"
               "          finish stuck\n"
               "[   60] resume\n"
               "          start 6.1 builder: work, build, round 1, lane 1\n"
               "[   70] builder 6.1 clean\n"
               "          start 7.1 loop-reviewer: review, build, round 1, lane 1\n");
    story_end(&story);
}

/* ---- a task's lane whose gate has a policy ---- */

static const struct plan_size task = { .lanes = 1, .runs = 2, .repairs = 3, .revisions = 1,
                                       .invalid_max = 1, .failed_max = 1 };

/* Its builder is asked for the third time; what it repairs comes back each time. */
static void policy_begin(struct story *story, struct arena *arena)
{
    struct plan *plan = &story->fixture.plan;

    story_begin(story, PLAN_LOOPS, task);
    plan_until(plan, policy_find(STR("settled")), 1, arena);
    assert_null(plan_problem(plan));
    engine_release(&story->engine);
    engine_init(&story->engine, plan);
    story_skip(story, "start 1, 1 clean, 2 clean, 3 complete, 4 high leak, 5 clean, 6 high leak, "
                      "7 clean, 8 high leak");
}

TEST(what_is_parked_in_a_tasks_lane_is_tried_once_more_by_a_resume)
{
    const struct ledger_entry *entries;
    struct arena arena = { 0 };
    struct story story;

    policy_begin(&story, &arena);
    story_skip(&story, "9 clean, 10 high leak");
    assert_int_equal(story.engine.reason, REASON_STUCK);
    assert_int_equal(ledger_of_lane(&story.engine.ledger, 1, &entries), 1);
    assert_int_equal(entries[0].state, FINDING_PARKED);
    story_play(&story, "resume, 11 clean, 12 high leak",
               "[  110] resume\n"
               "          start 11.1 builder: repair, build, round 4, lane 1\n"
               "[  120] builder 11.1 clean\n"
               "          start 12.1 loop-reviewer: review, build, round 5, lane 1\n"
               "[  130] loop-reviewer 12.1 findings 1\n"
               "          start 13.1 builder: repair, build, round 5, lane 1\n");
    (void)ledger_of_lane(&story.engine.ledger, 1, &entries);
    assert_int_equal(entries[0].state, FINDING_PERSISTING);
    assert_int_equal(entries[0].tries, 1);
    story_end(&story);
    arena_release(&arena);
}

/* A conflict is no finding of a gate: what tells of it is not narrowed to what is accepted. */
TEST(a_conflict_that_waits_is_told_to_its_fixer)
{
    struct arena arena = { 0 };
    struct story story;
    struct plan *plan = &story.fixture.plan;
    const struct lane *lane;

    story_begin(&story, PLAN_LOOPS, task);
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        story.fixture.phases[i].gate.bound_said = true;
        story.fixture.phases[i].gate.repair_max = 0;
    }
    plan_until(plan, policy_find(STR("settled")), 1, &arena);
    engine_release(&story.engine);
    engine_init(&story.engine, plan);
    story_skip(&story, "start 1, 1 clean, 2 clean, 3 complete, 4 clean, 5 findings 2");
    assert_int_equal(story.engine.reason, REASON_STUCK);
    story_play(&story, "resume",
               "[   60] resume\n"
               "          start 6.1 builder: repair, build, round 1, lane 1\n");
    lane = &story.engine.lanes[1];
    assert_true(lane->conflict);
    assert_int_equal(lane->review.jobs[0].result.finding_count, 2);
    story_end(&story);
    arena_release(&arena);
}
