/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_iterate.c - many phases in iterations: repair, restart, proceed, stop, and the
 * user's answers. */
#include "story.h"
#include "test.h"

/* Jobs 1 to 9 are the nine phases when nothing is found. */
static struct plan_size sized(enum on_fail on_fail, enum at_bound at_bound)
{
    return (struct plan_size){ .repairs = 1, .iterations = 2, .copies = 1, .invalid_max = 1,
                               .failed_max = 1, .on_fail = on_fail, .at_bound = at_bound };
}

static struct plan_size grouped(void)
{
    struct plan_size size = sized(FAIL_REPAIR, BOUND_STOP);

    size.by_groups = true;
    size.copies = 2;
    return size;
}

static struct plan_size lite(enum on_fail on_fail, enum at_bound at_bound)
{
    struct plan_size size = sized(on_fail, at_bound);

    size.lite = true;
    return size;
}

TEST(nine_phases_follow_one_another)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_STOP));
    story_play(&story, "start, 1-9 clean",
               "[    0] start\n"
               "          start 1.1 brainstormer: work, 1, round 1, iteration 1\n"
               "[   10] brainstormer 1.1 clean\n"
               "          start 2.1 planner: work, 2, round 1, iteration 1\n"
               "[   20] planner 2.1 clean\n"
               "          start 3.1 plan-reviewer: review, 3, round 1, iteration 1\n"
               "[   30] plan-reviewer 3.1 clean\n"
               "          start 4.1 implementer: work, 4, round 1, iteration 1\n"
               "[   40] implementer 4.1 clean\n"
               "          start 5.1 code-reviewer: review, 5, round 1, iteration 1\n"
               "[   50] code-reviewer 5.1 clean\n"
               "          start 6.1 test: review, 6, round 1, iteration 1\n"
               "[   60] test 6.1 clean\n"
               "          start 7.1 simplifier: work, 7, round 1, iteration 1\n"
               "[   70] simplifier 7.1 clean\n"
               "          start 8.1 final-reviewer: review, 8, round 1, iteration 1\n"
               "[   80] final-reviewer 8.1 clean\n"
               "          start 9.1 codex-final: review, 9, round 1, iteration 1\n"
               "[   90] codex-final 9.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(copies_work_side_by_side_and_are_joined)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, grouped());
    story_play(&story, "start, 2 clean, 1 failed, 1 clean, 3 clean",
               "[    0] start\n"
               "          start 1.1 brainstormer: work, 1, round 1, iteration 1\n"
               "          start 2.1 brainstormer: work, 1, round 1, iteration 1, copy 2\n"
               "[   10] brainstormer 2.1 clean\n"
               "[   20] brainstormer 1.1 failed (exit)\n"
               "          start 1.2 brainstormer: work, 1, round 1, iteration 1, at 1020\n"
               "[   30] brainstormer 1.2 clean\n"
               "          start 3.1 brainstormer: join, 1, round 1, iteration 1, copy 0\n"
               "[   40] brainstormer 3.1 clean\n"
               "          start 4.1 planner: work, 2, round 1, iteration 1\n"
               "          start 5.1 planner: work, 2, round 1, iteration 1, copy 2\n");
    story_end(&story);
}

TEST(n_retries_are_n_plus_one_reviews)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_STOP));
    story_skip(&story, "start, 1-2 clean");
    story_play(&story, "3 findings, 4 clean, 5 findings",
               "[   30] plan-reviewer 3.1 findings 1\n"
               "          start 4.1 fixer: repair, 3, round 1, iteration 1\n"
               "[   40] fixer 4.1 clean\n"
               "          start 5.1 plan-reviewer: review, 3, round 2, iteration 1\n"
               "[   50] plan-reviewer 5.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(independent_groups_of_findings_have_a_fixer_each)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, grouped());
    story_skip(&story, "start, 1-6 clean");
    story_play(&story, "7 fix 3, 8 clean, 10 clean, 9 clean",
               "[   70] plan-reviewer 7.1 findings 1 in 3 groups\n"
               "          start 8.1 fixer: repair, 3, round 1, iteration 1\n"
               "          start 9.1 fixer: repair, 3, round 1, iteration 1, copy 2\n"
               "          start 10.1 fixer: repair, 3, round 1, iteration 1, copy 3\n"
               "[   80] fixer 8.1 clean\n"
               "[   90] fixer 10.1 clean\n"
               "[  100] fixer 9.1 clean\n"
               "          start 11.1 plan-reviewer: review, 3, round 2, iteration 1\n");
    story_end(&story);
}

TEST(a_group_that_is_not_independent_is_repaired_behind_the_others)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, grouped());
    story_skip(&story, "start, 1-6 clean");
    story_play(&story, "7 fix 3 alone, 8 clean, 9 clean, stop, resume, 10 clean",
               "[   70] plan-reviewer 7.1 findings 1 in 3 groups, the last alone\n"
               "          start 8.1 fixer: repair, 3, round 1, iteration 1\n"
               "          start 9.1 fixer: repair, 3, round 1, iteration 1, copy 2\n"
               "[   80] fixer 8.1 clean\n"
               "[   90] fixer 9.1 clean\n"
               "          start 10.1 fixer: repair, 3, round 1, iteration 1, copy 3\n"
               "[  100] stop\n"
               "          stop 10.1\n"
               "[  110] resume\n"
               "          start 10.2 fixer: repair, 3, round 1, iteration 1, copy 3\n"
               "[  120] fixer 10.2 clean\n"
               "          start 11.1 plan-reviewer: review, 3, round 2, iteration 1\n");
    assert_int_equal(story.engine.lanes[0].repair.count, 3); /* all of them are one repair */
    assert_int_equal(story.engine.lanes[0].tallies[2].repairs, 1);
    story_end(&story);
}

TEST(a_stuck_fixer_leaves_the_last_group_to_the_next_repair)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, grouped());
    story_skip(&story, "start, 1-6 clean");
    story_play(&story, "7 fix 2 alone, 8 stuck, answer continue, 9 clean, 10 clean",
               "[   70] plan-reviewer 7.1 findings 1 in 2 groups, the last alone\n"
               "          start 8.1 fixer: repair, 3, round 1, iteration 1\n"
               "[   80] fixer 8.1 clean stuck\n"
               "          ask stuck\n"
               "          finish waiting\n"
               "[   90] answer continue\n"
               "          start 9.1 fixer: repair, 3, round 1, iteration 1\n"
               "[  100] fixer 9.1 clean\n"
               "          start 10.1 fixer: repair, 3, round 1, iteration 1, copy 2\n"
               "[  110] fixer 10.1 clean\n"
               "          start 11.1 plan-reviewer: review, 3, round 2, iteration 1\n");
    story_end(&story);
}

TEST(the_test_command_is_repaired_by_one)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, grouped());
    story_skip(&story, "start, 1-9 clean");
    story_play(&story, "10 fix 3, 11 clean",
               "[  100] test 10.1 findings 1 in 3 groups\n"
               "          start 11.1 fixer: repair, 6, round 1, iteration 1\n"
               "[  110] fixer 11.1 clean\n"
               "          start 12.1 test: review, 6, round 2, iteration 1\n");
    story_end(&story);
}

TEST(a_restart_begins_with_phase_one_and_keeps_the_history)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_RESTART));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 clean");
    story_play(&story, "5 findings, 6-7 clean, 8 findings, 9 clean",
               "[   50] plan-reviewer 5.1 findings 1\n"
               "          start 6.1 brainstormer: work, 1, round 1, iteration 2\n"
               "[   60] brainstormer 6.1 clean\n"
               "          start 7.1 planner: work, 2, round 1, iteration 2\n"
               "[   70] planner 7.1 clean\n"
               "          start 8.1 plan-reviewer: review, 3, round 1, iteration 2\n"
               "[   80] plan-reviewer 8.1 findings 1\n"
               "          start 9.1 fixer: repair, 3, round 1, iteration 2\n"
               "[   90] fixer 9.1 clean\n"
               "          start 10.1 plan-reviewer: review, 3, round 2, iteration 2\n");
    assert_int_equal(story.engine.round_count, 4);
    assert_int_equal(story.engine.rounds[1].iteration, 1);
    assert_int_equal(story.engine.rounds[1].number, 2);
    assert_int_equal(story.engine.rounds[2].iteration, 2);
    assert_int_equal(story.engine.rounds[2].number, 1);
    story_end(&story);
}

TEST(a_restart_in_the_last_iteration_is_for_the_bound_to_decide)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_RESTART, BOUND_ASK));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4-5 clean");
    story_play(&story, "6 findings",
               "[   60] plan-reviewer 6.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n");
    story_end(&story);
}

TEST(a_bound_that_restarts_stops_when_no_iteration_is_left)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_RESTART, BOUND_RESTART));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4-5 clean");
    story_play(&story, "6 findings",
               "[   60] plan-reviewer 6.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(findings_passed_over_and_passed_later_do_not_count)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, lite(FAIL_PROCEED, BOUND_STOP));
    story_skip(&story, "start, 1-2 clean");
    story_play(&story, "3 findings",
               "[   30] plan-reviewer 3.1 findings 1\n"
               "          start 4.1 implementer: work, 4, round 1, iteration 1\n");
    assert_true(story.engine.lanes[0].noted);
    story_play(&story, "4-8 clean",
               "[   40] implementer 4.1 clean\n"
               "          start 5.1 code-reviewer: review, 5, round 1, iteration 1\n"
               "[   50] code-reviewer 5.1 clean\n"
               "          start 6.1 test: review, 6, round 1, iteration 1\n"
               "[   60] test 6.1 clean\n"
               "          start 7.1 simplifier: work, 7, round 1, iteration 1\n"
               "[   70] simplifier 7.1 clean\n"
               "          start 8.1 final-reviewer: review, 8, round 1, iteration 1\n"
               "[   80] final-reviewer 8.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(findings_noted_by_the_last_gate_do)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, lite(FAIL_PROCEED, BOUND_STOP));
    story_skip(&story, "start, 1-7 clean");
    story_play(&story, "8 findings",
               "[   80] final-reviewer 8.1 findings 1\n"
               "          finish noted\n");
    assert_false(engine_can_resume(&story.engine));
    story_end(&story);
}

TEST(a_bound_may_let_the_findings_pass)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, lite(FAIL_REPAIR, BOUND_PROCEED));
    story_skip(&story, "start, 1-7 clean, 8 findings, 9 clean");
    story_play(&story, "10 findings",
               "[  100] final-reviewer 10.1 findings 1\n"
               "          finish noted\n");
    story_end(&story);
}

TEST(a_gate_may_stop_the_run)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_STOP, BOUND_ASK));
    story_skip(&story, "start, 1-4 clean");
    story_play(&story, "5 findings",
               "[   50] code-reviewer 5.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(the_last_review_is_once_and_repairs_nothing)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_ASK));
    story_skip(&story, "start, 1-8 clean");
    story_play(&story, "9 findings",
               "[   90] codex-final 9.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(continue_is_one_more_round_and_then_asked_again)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_ASK));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 clean");
    story_play(&story, "5 findings",
               "[   50] plan-reviewer 5.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n");
    story_play(&story, "answer continue, 6 clean, 7 findings",
               "[   60] answer continue\n"
               "          start 6.1 fixer: repair, 3, round 2, iteration 1\n"
               "[   70] fixer 6.1 clean\n"
               "          start 7.1 plan-reviewer: review, 3, round 3, iteration 1\n"
               "[   80] plan-reviewer 7.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n");
    story_play(&story, "answer continue, 8 clean, 9 clean",
               "[   90] answer continue\n"
               "          start 8.1 fixer: repair, 3, round 3, iteration 1\n"
               "[  100] fixer 8.1 clean\n"
               "          start 9.1 plan-reviewer: review, 3, round 4, iteration 1\n"
               "[  110] plan-reviewer 9.1 clean\n"
               "          start 10.1 implementer: work, 4, round 1, iteration 1\n");
    story_end(&story);
}

TEST(accept_goes_on_with_the_findings_noted)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, lite(FAIL_REPAIR, BOUND_ASK));
    story_skip(&story, "start, 1-7 clean, 8 findings, 9 clean, 10 findings");
    story_play(&story, "answer accept",
               "[  110] answer accept\n"
               "          finish noted\n");
    story_end(&story);
}

TEST(restart_opens_the_next_iteration_and_is_refused_in_the_last)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_ASK));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 clean, 5 findings");
    story_play(&story, "answer restart",
               "[   60] answer restart\n"
               "          start 6.1 brainstormer: work, 1, round 1, iteration 2\n");
    story_skip(&story, "6-7 clean, 8 findings, 9 clean");
    story_play(&story, "10 findings, answer restart, answer stop",
               "[  110] plan-reviewer 10.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n"
               "[  120] answer restart\n"
               "          ignored\n"
               "[  130] answer stop\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(a_waiting_run_that_is_resumed_asks_again)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_ASK));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 clean, 5 findings");
    story_play(&story, "resume, answer accept 1, answer accept",
               "[   60] resume\n"
               "          ask bound\n"
               "          finish waiting\n"
               "[   70] answer accept, lane 1\n"
               "          ignored\n"
               "[   80] answer accept\n"
               "          start 6.1 implementer: work, 4, round 1, iteration 1\n");
    story_end(&story);
}

TEST(a_stuck_fixer_asks_and_its_repair_does_not_count)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_STOP));
    story_skip(&story, "start, 1-2 clean");
    story_play(&story, "3 findings, 4 stuck, answer continue, 5 clean",
               "[   30] plan-reviewer 3.1 findings 1\n"
               "          start 4.1 fixer: repair, 3, round 1, iteration 1\n"
               "[   40] fixer 4.1 clean stuck\n"
               "          ask stuck\n"
               "          finish waiting\n"
               "[   50] answer continue\n"
               "          start 5.1 fixer: repair, 3, round 1, iteration 1\n"
               "[   60] fixer 5.1 clean\n"
               "          start 6.1 plan-reviewer: review, 3, round 2, iteration 1\n");
    assert_int_equal(story.engine.lanes[0].tallies[2].repairs, 1);
    story_play(&story, "6 findings",
               "[   70] plan-reviewer 6.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(a_stuck_worker_asks)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_STOP));
    story_skip(&story, "start, 1-3 clean");
    story_play(&story, "4 stuck, answer continue, 5 stuck, answer accept",
               "[   40] implementer 4.1 clean stuck\n"
               "          ask stuck\n"
               "          finish waiting\n"
               "[   50] answer continue\n"
               "          start 5.1 implementer: work, 4, round 1, iteration 1\n"
               "[   60] implementer 5.1 clean stuck\n"
               "          ask stuck\n"
               "          finish waiting\n"
               "[   70] answer accept\n"
               "          start 6.1 code-reviewer: review, 5, round 1, iteration 1\n");
    story_end(&story);
}

TEST(a_dead_worker_ends_the_run_and_resume_starts_it_again)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, sized(FAIL_REPAIR, BOUND_STOP));
    story_skip(&story, "start, 1-3 clean, 4 failed");
    story_play(&story, "4 failed, resume, 4 clean",
               "[   50] implementer 4.2 failed (exit)\n"
               "          finish failed\n"
               "[   60] resume\n"
               "          start 4.3 implementer: work, 4, round 1, iteration 1\n"
               "[   70] implementer 4.3 clean\n"
               "          start 5.1 code-reviewer: review, 5, round 1, iteration 1\n");
    story_end(&story);
}
