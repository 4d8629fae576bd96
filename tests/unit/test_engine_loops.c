/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_loops.c - lanes side by side: groups, places, integration, and a run review that
 * adds tasks. What becomes of a single lane is in test_engine_lanes.c. */
#include "story.h"
#include "test.h"

/* Jobs: the enumerator is 1, the planner 2, the first builder 3. */
static struct plan_size loops(uint32_t lanes, uint32_t revisions)
{
    return (struct plan_size){ .lanes = lanes, .runs = 3, .repairs = 1, .revisions = revisions,
                               .invalid_max = 1, .failed_max = 1 };
}

static struct plan_size gated(void)
{
    struct plan_size size = loops(2, 1);

    size.gated = true;
    return size;
}

static struct plan_size checked(uint32_t lanes, uint32_t every)
{
    struct plan_size size = loops(lanes, 1);

    size.checkpoint = every;
    size.runs = 4;
    return size;
}

TEST(groups_are_built_integrated_in_order_and_then_the_run_is_reviewed)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_play(&story, "start, 1 clean, 2 tasks 2 1",
               "[    0] start\n"
               "          start 1.1 enumerator: work, enumerate, round 1\n"
               "[   10] enumerator 1.1 clean\n"
               "          start 2.1 planner: work, plan, round 1\n"
               "[   20] planner 2.1 clean tasks 2 1\n"
               "          start 3.1 builder: work, build, round 1, lane 1\n"
               "          start 4.1 builder: work, build, round 1, lane 2\n");
    story_play(&story, "4 complete, 5 clean, 3 complete, 6 clean",
               "[   30] builder 4.1 clean complete\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   40] loop-reviewer 5.1 clean\n"
               "[   50] builder 3.1 clean complete\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   60] loop-reviewer 6.1 clean\n"
               "          start 7.1 integrate: integrate, build, round 1, lane 1\n");
    story_play(&story, "7 clean, 8 clean",
               "[   70] integrate 7.1 clean\n"
               "          start 8.1 integrate: integrate, build, round 1, lane 2\n"
               "[   80] integrate 8.1 clean\n"
               "          start 9.1 builder: work, build, round 1, lane 3\n");
    story_play(&story, "9 complete, 10 clean, 11 clean, 12 clean",
               "[   90] builder 9.1 clean complete\n"
               "          start 10.1 loop-reviewer: review, build, round 1, lane 3\n"
               "[  100] loop-reviewer 10.1 clean\n"
               "          start 11.1 integrate: integrate, build, round 1, lane 3\n"
               "[  110] integrate 11.1 clean\n"
               "          start 12.1 run-reviewer: review, review, round 1\n"
               "[  120] run-reviewer 12.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(only_so_many_lanes_are_at_work_at_once)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_skip(&story, "start, 1 clean");
    story_play(&story, "2 tasks 3, 3 complete, 5 clean, 4 complete, 6 complete, 7 "
               "clean, 8 clean",
               "[   20] planner 2.1 clean tasks 3\n"
               "          start 3.1 builder: work, build, round 1, lane 1\n"
               "          start 4.1 builder: work, build, round 1, lane 2\n"
               "[   30] builder 3.1 clean complete\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   40] loop-reviewer 5.1 clean\n"
               "          start 6.1 builder: work, build, round 1, lane 3\n"
               "[   50] builder 4.1 clean complete\n"
               "          start 7.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   60] builder 6.1 clean complete\n"
               "          start 8.1 loop-reviewer: review, build, round 1, lane 3\n"
               "[   70] loop-reviewer 7.1 clean\n"
               "[   80] loop-reviewer 8.1 clean\n"
               "          start 9.1 integrate: integrate, build, round 1, lane 1\n");
    story_end(&story);
}

TEST(tasks_may_be_known_from_the_start)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_play(&story, "start 1 1, 1 clean, 2 clean, 3 complete, 4 clean, 5 clean",
               "[    0] start tasks 1 1\n"
               "          start 1.1 enumerator: work, enumerate, round 1\n"
               "[   10] enumerator 1.1 clean\n"
               "          start 2.1 planner: work, plan, round 1\n"
               "[   20] planner 2.1 clean\n"
               "          start 3.1 builder: work, build, round 1, lane 1\n"
               "[   30] builder 3.1 clean complete\n"
               "          start 4.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   40] loop-reviewer 4.1 clean\n"
               "          start 5.1 integrate: integrate, build, round 1, lane 1\n"
               "[   50] integrate 5.1 clean\n"
               "          start 6.1 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

TEST(a_run_without_tasks_is_reviewed_all_the_same)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_skip(&story, "start, 1 clean");
    story_play(&story, "2 clean, 3 clean",
               "[   20] planner 2.1 clean\n"
               "          start 3.1 run-reviewer: review, review, round 1\n"
               "[   30] run-reviewer 3.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(a_plan_that_is_made_anew_replaces_the_one_before)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, gated());
    story_skip(&story, "start, 1-2 clean, 3 tasks 2 1");
    story_play(&story, "4 findings, 5 tasks 1, 6 clean",
               "[   40] run-reviewer 4.1 findings 1\n"
               "          start 5.1 planner: repair, plan, round 1\n"
               "[   50] planner 5.1 clean tasks 1\n"
               "          start 6.1 run-reviewer: review, plan, round 2\n"
               "[   60] run-reviewer 6.1 clean\n"
               "          start 7.1 builder: work, build, round 1, lane 1\n");
    story_skip(&story, "7 complete, 8 clean");
    story_play(&story, "9 clean",
               "[   90] integrate 9.1 clean\n"
               "          start 10.1 run-reviewer: review, review, round 1\n");
    story_end(&story);
}

TEST(the_run_review_adds_groups_and_comes_back)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 1, 3 complete, 4 clean");
    story_play(&story, "5 clean, 6 findings, 7 tasks 1 1",
               "[   50] integrate 5.1 clean\n"
               "          start 6.1 run-reviewer: review, review, round 1\n"
               "[   60] run-reviewer 6.1 findings 1\n"
               "          start 7.1 reviser: repair, review, round 1\n"
               "[   70] reviser 7.1 clean tasks 1 1\n"
               "          start 8.1 builder: work, build, round 1, lane 2\n");
    story_play(&story, "8 complete, 9 clean, 10 clean",
               "[   80] builder 8.1 clean complete\n"
               "          start 9.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   90] loop-reviewer 9.1 clean\n"
               "          start 10.1 integrate: integrate, build, round 1, lane 2\n"
               "[  100] integrate 10.1 clean\n"
               "          start 11.1 builder: work, build, round 1, lane 3\n");
    story_play(&story, "11 complete, 12 clean, 13 clean, 14 clean",
               "[  110] builder 11.1 clean complete\n"
               "          start 12.1 loop-reviewer: review, build, round 1, lane 3\n"
               "[  120] loop-reviewer 12.1 clean\n"
               "          start 13.1 integrate: integrate, build, round 1, lane 3\n"
               "[  130] integrate 13.1 clean\n"
               "          start 14.1 run-reviewer: review, review, round 2\n"
               "[  140] run-reviewer 14.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(a_reviser_without_tasks_leads_to_the_next_review)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_skip(&story, "start, 1-2 clean");
    story_play(&story, "3 findings, 4 clean, 5 findings",
               "[   30] run-reviewer 3.1 findings 1\n"
               "          start 4.1 reviser: repair, review, round 1\n"
               "[   40] reviser 4.1 clean\n"
               "          start 5.1 run-reviewer: review, review, round 2\n"
               "[   50] run-reviewer 5.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(a_checkpoint_waits_for_all_who_work_and_looks_at_each)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 clean");
    story_play(&story, "5 clean, 4 clean, 6 findings, 7 clean",
               "[   40] builder 5.1 clean\n"
               "[   50] builder 4.1 clean\n"
               "          start 6.1 loop-reviewer: checkpoint, build, round 1, lane 1\n"
               "          start 7.1 loop-reviewer: checkpoint, build, round 1, lane 2\n"
               "[   60] loop-reviewer 6.1 findings 1\n"
               "          start 8.1 builder: work, build, round 1, lane 1\n"
               "[   70] loop-reviewer 7.1 clean\n"
               "          start 9.1 builder: work, build, round 1, lane 2\n");
    story_play(&story, "8 clean, 9 clean",
               "[   80] builder 8.1 clean\n"
               "          start 10.1 builder: work, build, round 1, lane 1\n"
               "[   90] builder 9.1 clean\n"
               "          start 11.1 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

/* Lane 1 is built and revised: two iterations. Lane 2 has completed no task, and one iteration. */
TEST(a_revision_that_hits_the_threshold_gets_all_active_lanes_a_review)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 complete, 5 findings");
    story_play(&story, "6 clean, 4 clean, 8 clean",
               "[   50] builder 6.1 clean\n"
               "          start 7.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   60] builder 4.1 clean\n"
               "          start 8.1 loop-reviewer: checkpoint, build, round 1, lane 2\n"
               "[   70] loop-reviewer 8.1 clean\n"
               "          start 9.1 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

/* The iteration that completes a task is one as well. */
TEST(a_task_completed_at_the_threshold_gets_all_active_lanes_a_review)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 clean");
    story_play(&story, "5 complete, 4 clean",
               "[   40] builder 5.1 clean complete\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   50] builder 4.1 clean\n"
               "          start 7.1 loop-reviewer: checkpoint, build, round 1, lane 2\n");
    story_end(&story);
}

TEST(a_checkpoint_waits_for_the_end_of_a_revision)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 complete, 5 findings, 4 clean");
    story_play(&story, "7 clean, 6 clean",
               "[   60] builder 7.1 clean\n"
               "[   70] builder 6.1 clean\n"
               "          start 8.1 loop-reviewer: review, build, round 2, lane 1\n"
               "          start 9.1 loop-reviewer: checkpoint, build, round 1, lane 2\n");
    story_end(&story);
}

/* Its gate looked at lane 1 while lane 2 hit the threshold: one state, one review. The count of
 * both begins anew; a repair of lane 1 is its first iteration since. */
TEST(the_review_of_a_gate_is_the_lanes_part_of_a_checkpoint)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 complete, 4 clean");
    story_play(&story, "6 clean, 7 clean, 5 findings, 9 clean, 8 clean",
               "[   50] builder 6.1 clean\n"
               "          start 7.1 loop-reviewer: checkpoint, build, round 1, lane 2\n"
               "[   60] loop-reviewer 7.1 clean\n"
               "          start 8.1 builder: work, build, round 1, lane 2\n"
               "[   70] loop-reviewer 5.1 findings 1\n"
               "          start 9.1 builder: repair, build, round 1, lane 1\n"
               "[   80] builder 9.1 clean\n"
               "          start 10.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   90] builder 8.1 clean\n"
               "          start 11.1 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

/* Else one lane could wait for all the tasks of its group. */
TEST(a_checkpoint_waits_for_no_iteration_that_began_after_it_was_due)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(3, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 4, 3 clean");
    story_play(&story, "4 complete, 6 clean, 5 clean, 7 clean",
               "[   40] builder 4.1 clean complete\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 2\n"
               "[   50] loop-reviewer 6.1 clean\n"
               "          start 7.1 builder: work, build, round 1, lane 4\n"
               "[   60] builder 5.1 clean\n"
               "          start 8.1 loop-reviewer: checkpoint, build, round 1, lane 1\n"
               "          start 9.1 loop-reviewer: checkpoint, build, round 1, lane 3\n"
               "[   70] builder 7.1 clean\n"
               "          start 10.1 loop-reviewer: checkpoint, build, round 1, lane 4\n");
    story_end(&story);
}

/* Lane 4 began after the checkpoint was due and ended before that began: it was looked at. */
TEST(an_iteration_that_began_late_may_end_in_time)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(3, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 4, 3 clean, 4 complete, 7 clean, 6 clean");
    story_play(&story, "8 clean, 5 complete, 9 clean, 11 clean, 12 clean",
               "[   70] builder 8.1 clean\n"
               "[   80] builder 5.1 clean complete\n"
               "          start 9.1 loop-reviewer: review, build, round 1, lane 3\n"
               "          start 10.1 loop-reviewer: checkpoint, build, round 1, lane 1\n"
               "          start 11.1 loop-reviewer: checkpoint, build, round 1, lane 4\n"
               "[   90] loop-reviewer 9.1 clean\n"
               "[  100] loop-reviewer 11.1 clean\n"
               "          start 12.1 builder: work, build, round 1, lane 4\n"
               "[  110] builder 12.1 clean\n"
               "          start 13.1 builder: work, build, round 1, lane 4\n");
    story_end(&story);
}

/* The review that was lane 1's part of the checkpoint was cut off, and lane 2 dead. */
TEST(a_review_that_was_cut_off_is_still_the_lanes_part)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 clean, 5 complete, 4 dead, resume");
    story_play(&story, "6 findings, 7 clean, 4 clean",
               "[   70] loop-reviewer 6.2 findings 1\n"
               "          start 7.1 builder: repair, build, round 1, lane 1\n"
               "[   80] builder 7.1 clean\n"
               "          start 8.1 loop-reviewer: review, build, round 2, lane 1\n"
               "[   90] builder 4.2 clean\n"
               "          start 9.1 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

/* Lane 2 died in its second iteration and missed the checkpoint: that one is still to come. */
TEST(a_lane_that_was_dead_is_not_taken_for_reviewed)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 2));
    story_skip(&story, "start, 1 clean, 2 tasks 2, 3 clean, 4 clean, 6 dead, 5 clean");
    story_play(&story, "resume, 7 clean, 6 clean",
               "[   70] resume\n"
               "          start 7.2 loop-reviewer: checkpoint, build, round 1, lane 1\n"
               "          start 6.2 builder: work, build, round 1, lane 2\n"
               "[   80] loop-reviewer 7.2 clean\n"
               "          start 8.1 builder: work, build, round 1, lane 1\n"
               "[   90] builder 6.2 clean\n");
    story_end(&story);
}

TEST(a_checkpoint_leaves_out_who_is_reviewed)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, checked(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 2");
    story_play(&story, "3 complete, 4 clean, 6 clean, 5 clean",
               "[   30] builder 3.1 clean complete\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   40] builder 4.1 clean\n"
               "          start 6.1 loop-reviewer: checkpoint, build, round 1, lane 2\n"
               "[   50] loop-reviewer 6.1 clean\n"
               "          start 7.1 builder: work, build, round 1, lane 2\n"
               "[   60] loop-reviewer 5.1 clean\n");
    story_end(&story);
}

TEST(a_stop_reaches_every_lane_and_resume_starts_each_again)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 3, 3 complete");
    story_play(&story, "stop, 5 stopped, 4 stopped, resume",
               "[   40] stop\n"
               "          stop 5.1\n"
               "          stop 4.1\n"
               "[   50] loop-reviewer 5.1 failed (stopped)\n"
               "[   60] builder 4.1 failed (stopped)\n"
               "          finish interrupted\n"
               "[   70] resume\n"
               "          start 5.2 loop-reviewer: review, build, round 1, lane 1\n"
               "          start 4.2 builder: work, build, round 1, lane 2\n");
    story_play(&story, "5 clean, 4 complete",
               "[   80] loop-reviewer 5.2 clean\n"
               "          start 6.1 builder: work, build, round 1, lane 3\n"
               "[   90] builder 4.2 clean complete\n"
               "          start 7.1 loop-reviewer: review, build, round 1, lane 2\n");
    story_end(&story);
}

TEST(lanes_that_were_cut_off_wait_for_a_place_like_all_others)
{
    struct story story;

    story_begin(&story, PLAN_LOOPS, loops(2, 1));
    story_skip(&story, "start, 1 clean, 2 tasks 3");
    story_play(&story, "3 dead, resume, 3 complete, 6 clean",
               "[   30] builder 3.1 failed (exit) for good\n"
               "          start 5.1 builder: work, build, round 1, lane 3\n"
               "[   40] resume\n"
               "          start 3.2 builder: work, build, round 1, lane 1\n"
               "          start 4.2 builder: work, build, round 1, lane 2\n"
               "[   50] builder 3.2 clean complete\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 1\n"
               "[   60] loop-reviewer 6.1 clean\n"
               "          start 5.2 builder: work, build, round 1, lane 3\n");
    story_end(&story);
}
