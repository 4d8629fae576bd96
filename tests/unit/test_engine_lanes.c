/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_lanes.c - one lane among others: repeated work, conflicts, stuck, failed, changed by
 * another process. */
#include "story.h"
#include "test.h"

/* Two tasks in one group unless a story says otherwise: builders 3 and 4, on lanes 1 and 2. */
static struct plan_size lanes(uint32_t lanes_max, uint32_t repairs)
{
    return (struct plan_size){ .lanes = lanes_max, .runs = 2, .repairs = repairs,
                               .invalid_max = 1, .failed_max = 1 };
}

TEST(work_is_repeated_until_it_is_complete)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 1");
    story_play(&story, "3 clean, 4 complete, 5 findings, 6 clean, 7 clean",
               "[   30] builder 3.1 clean\n"
               "          start 4.1 builder: work, build, round 1, lane 1\n"
               "[   40] builder 4.1 clean complete\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   50] loop-reviewer 5.1 findings 1\n"
               "          start 6.1 builder: repair, build, round 1, lane 1\n"
               "[   60] builder 6.1 clean\n"
               "          start 7.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   70] loop-reviewer 7.1 clean\n"
               "          start 8.1 integrate: integrate, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(work_that_is_never_complete_is_stuck)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 1");
    story_play(&story, "3 clean, 4 clean",
               "[   30] builder 3.1 clean\n"
               "          start 4.1 builder: work, build, round 1, lane 1\n"
               "[   40] builder 4.1 clean\n"
               "          finish stuck\n");
    story_play(&story, "resume, 5 complete",
               "[   50] resume\n"
               "          start 5.1 builder: work, build, round 1, lane 1\n"
               "[   60] builder 5.1 clean complete\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(a_stuck_lane_lets_the_others_go_on_and_the_group_waits)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_play(&story, "3 stuck, 4 complete, 5 clean",
               "[   30] builder 3.1 clean stuck\n"
               "[   40] builder 4.1 clean complete\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   50] loop-reviewer 5.1 clean\n"
               "          finish stuck\n");
    story_end(&story);
}

TEST(a_lane_at_its_bound_is_stuck_and_resume_grants_as_much_again)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 1, 3 complete, 4 findings, 5 clean");
    story_play(&story, "6 findings",
               "[   60] loop-reviewer 6.1 findings 1\n"
               "          finish stuck\n");
    story_play(&story, "resume, 7 clean, 8 findings, resume",
               "[   70] resume\n"
               "          start 7.1 builder: repair, build, round 2, lane 1\n"
               "[   80] builder 7.1 clean\n"
               "          start 8.1 loop-reviewer: review, build, round 3, lane 1\n"
               "[   90] loop-reviewer 8.1 findings 1\n"
               "          finish stuck\n"
               "[  100] resume\n"
               "          start 9.1 builder: repair, build, round 3, lane 1\n");
    story_end(&story);
}

TEST(a_lane_without_repairs_gets_one_by_a_resume)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 0));
    story_skip(&story, "start, 1 clean, 2 tasks 1, 3 complete");
    story_play(&story, "4 findings, resume, 5 clean, 6 findings",
               "[   40] loop-reviewer 4.1 findings 1\n"
               "          finish stuck\n"
               "[   50] resume\n"
               "          start 5.1 builder: repair, build, round 1, lane 1\n"
               "[   60] builder 5.1 clean\n"
               "          start 6.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   70] loop-reviewer 6.1 findings 1\n"
               "          finish stuck\n");
    story_end(&story);
}

TEST(after_a_change_a_stuck_lane_begins_with_the_review)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 1, 3 complete, 4 findings, 5 clean");
    story_play(&story, "6 findings, drift 1, resume, 7 findings",
               "[   60] loop-reviewer 6.1 findings 1\n"
               "          finish stuck\n"
               "[   70] drift, lane 1\n"
               "[   80] resume\n"
               "          start 7.1 loop-reviewer: review, build, round 3, lane 1\n"
               "[   90] loop-reviewer 7.1 findings 1\n"
               "          start 8.1 builder: repair, build, round 3, lane 1\n");
    story_end(&story);
}

TEST(after_a_change_work_that_was_stuck_is_reviewed)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 1");
    story_play(&story, "3 stuck, drift 1, resume",
               "[   30] builder 3.1 clean stuck\n"
               "          finish stuck\n"
               "[   40] drift, lane 1\n"
               "[   50] resume\n"
               "          start 4.1 loop-reviewer: review, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(a_builder_that_was_stuck_while_the_run_stopped_is_told_of)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 1");
    story_play(&story, "stop, 3 stuck, resume, resume",
               "[   30] stop\n"
               "          stop 3.1\n"
               "[   40] builder 3.1 clean stuck\n"
               "          finish interrupted\n"
               "[   50] resume\n"
               "          finish stuck\n"
               "[   60] resume\n"
               "          start 4.1 builder: work, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(a_conflict_is_repaired_reviewed_and_integrated_again)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3-4 complete, 5-6 clean");
    story_play(&story, "7 findings",
               "[   70] integrate 7.1 findings 1\n"
               "          start 8.1 builder: repair, build, round 1, lane 1\n");
    assert_true(story.engine.lanes[1].conflict);
    story_play(&story, "8 clean, 9 clean, 10 clean, 11 clean",
               "[   80] builder 8.1 clean\n"
               "          start 9.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   90] loop-reviewer 9.1 clean\n"
               "          start 10.1 integrate: integrate, build, round 1, lane 1\n"
               "[  100] integrate 10.1 clean\n"
               "          start 11.1 integrate: integrate, build, round 1, lane 2\n"
               "[  110] integrate 11.1 clean\n"
               "          start 12.1 run-reviewer: review, review, round 1\n");
    story_end(&story);
}

TEST(a_conflict_at_the_bound_is_stuck_and_resume_repairs_it)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3-4 complete, 5 findings, 6 clean, 7 clean, 8 clean");
    story_play(&story, "9 findings, resume",
               "[   90] integrate 9.1 findings 1\n"
               "          finish stuck\n"
               "[  100] resume\n"
               "          start 10.1 builder: repair, build, round 2, lane 1\n");
    story_end(&story);
}

TEST(a_failed_integration_is_never_taken_as_merged)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3-4 complete, 5-6 clean");
    story_play(&story, "7 failed, resume, 8 clean",
               "[   70] integrate 7.1 failed (exit)\n"
               "          finish failed\n"
               "[   80] resume\n"
               "          start 8.1 integrate: integrate, build, round 1, lane 1\n"
               "[   90] integrate 8.1 clean\n"
               "          start 9.1 integrate: integrate, build, round 1, lane 2\n");
    story_end(&story);
}

TEST(a_failed_lane_lets_the_others_finish_and_is_resumed_alone)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_play(&story, "3 dead, 4 complete, 5 clean",
               "[   30] builder 3.1 failed (exit) for good\n"
               "[   40] builder 4.1 clean complete\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   50] loop-reviewer 5.1 clean\n"
               "          finish failed\n");
    story_play(&story, "resume",
               "[   60] resume\n"
               "          start 3.2 builder: work, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(a_lane_that_passed_is_reviewed_again_after_a_change)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3 complete, 5 clean");
    story_play(&story, "drift 1, 4 complete, 6 clean, 7 clean",
               "[   50] drift, lane 1\n"
               "          start 6.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   60] builder 4.1 clean complete\n"
               "          start 7.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   70] loop-reviewer 6.1 clean\n"
               "[   80] loop-reviewer 7.1 clean\n"
               "          start 8.1 integrate: integrate, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(a_change_while_integration_was_cut_off_is_reviewed_first)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3 complete, 4 clean, 5 complete, 6 clean");
    story_play(&story, "stop, 7 stopped, drift 2, resume",
               "[   70] stop\n"
               "          stop 7.1\n"
               "[   80] integrate 7.1 failed (stopped)\n"
               "          finish interrupted\n"
               "[   90] drift, lane 2\n"
               "[  100] resume\n"
               "          start 8.1 loop-reviewer: review, build, round 2, lane 2\n");
    story_play(&story, "8 clean",
               "[  110] loop-reviewer 8.1 clean\n"
               "          start 9.1 integrate: integrate, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(a_conflict_waits_for_a_place)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3 complete, 4 clean, 5 complete, 6 clean");
    story_play(&story, "drift 2, 7 findings, 8 clean",
               "[   70] drift, lane 2\n"
               "          start 8.1 loop-reviewer: review, build, round 2, lane 2\n"
               "[   80] integrate 7.1 findings 1\n"
               "[   90] loop-reviewer 8.1 clean\n"
               "          start 9.1 builder: repair, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(what_a_lane_under_review_had_said_is_asked_again_after_a_change)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3 complete");
    story_play(&story, "stop, 5 clean, 4 stopped, drift 1, resume",
               "[   40] stop\n"
               "          stop 5.1\n"
               "          stop 4.1\n"
               "[   50] loop-reviewer 5.1 clean\n"
               "[   60] builder 4.1 failed (stopped)\n"
               "          finish interrupted\n"
               "[   70] drift, lane 1\n"
               "[   80] resume\n"
               "          start 5.2 loop-reviewer: review, build, round 1, lane 1\n"
               "          start 4.2 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

TEST(a_dead_lane_stays_dead_when_its_tree_changes)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, lanes(1, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_skip(&story, "3 complete");
    story_play(&story, "4 dead, drift 1, 5 complete, 6 clean, resume",
               "[   40] loop-reviewer 4.1 failed (exit) for good\n"
               "          start 5.1 builder: work, build, round 1, lane 2\n"
               "[   50] drift, lane 1\n"
               "[   60] builder 5.1 clean complete\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   70] loop-reviewer 6.1 clean\n"
               "          finish failed\n"
               "[   80] resume\n"
               "          start 4.2 loop-reviewer: review, build, round 1, lane 1\n");
    story_end(&story);
}
