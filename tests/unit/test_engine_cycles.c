/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_cycles.c - a repair that is followed by a commit, a fixer whose death asks, and a
 * bound that escalates. */
#include "story.h"
#include "test.h"

/* Each phase: implement, commit, review. */
static struct plan_size cycles(uint32_t phases, uint32_t max_cycles)
{
    return (struct plan_size){ .phases = phases, .repairs = max_cycles - 1, .invalid_max = 1,
                               .failed_max = 1 };
}

TEST(work_and_every_repair_are_committed_before_the_review)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(2, 3));
    story_play(&story, "start, 1-2 clean, 3 findings, 4-5 clean, 6 clean, 7-9 clean",
               "[    0] start\n"
               "          start 1.1 implementer: work, 1, round 1\n"
               "[   10] implementer 1.1 clean\n"
               "          start 2.1 commit: work, 1, round 1\n"
               "[   20] commit 2.1 clean\n"
               "          start 3.1 spec-reviewer: review, 1, round 1\n"
               "[   30] spec-reviewer 3.1 findings 1\n"
               "          start 4.1 spec-fixer: repair, 1, round 1\n"
               "[   40] spec-fixer 4.1 clean\n"
               "          start 5.1 commit: then, 1, round 1\n"
               "[   50] commit 5.1 clean\n"
               "          start 6.1 spec-reviewer: review, 1, round 2\n"
               "[   60] spec-reviewer 6.1 clean\n"
               "          start 7.1 implementer: work, 2, round 1\n"
               "[   70] implementer 7.1 clean\n"
               "          start 8.1 commit: work, 2, round 1\n"
               "[   80] commit 8.1 clean\n"
               "          start 9.1 spec-reviewer: review, 2, round 1\n"
               "[   90] spec-reviewer 9.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(one_cycle_is_a_review_and_no_repair)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 1));
    story_play(&story, "start, 1-2 clean, 3 findings",
               "[    0] start\n"
               "          start 1.1 implementer: work, 1, round 1\n"
               "[   10] implementer 1.1 clean\n"
               "          start 2.1 commit: work, 1, round 1\n"
               "[   20] commit 2.1 clean\n"
               "          start 3.1 spec-reviewer: review, 1, round 1\n"
               "[   30] spec-reviewer 3.1 findings 1\n"
               "          ask bound\n"
               "          finish escalated\n");
    story_end(&story);
}

TEST(the_bound_escalates_and_accept_goes_on_to_the_next_phase)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(2, 2));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4-5 clean");
    story_play(&story, "6 findings, answer accept",
               "[   60] spec-reviewer 6.1 findings 1\n"
               "          ask bound\n"
               "          finish escalated\n"
               "[   70] answer accept\n"
               "          start 7.1 implementer: work, 2, round 1\n");
    story_play(&story, "7-9 clean",
               "[   80] implementer 7.1 clean\n"
               "          start 8.1 commit: work, 2, round 1\n"
               "[   90] commit 8.1 clean\n"
               "          start 9.1 spec-reviewer: review, 2, round 1\n"
               "[  100] spec-reviewer 9.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(accepted_by_the_user_in_the_last_phase_is_noted)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 1));
    story_skip(&story, "start, 1-2 clean, 3 findings");
    story_play(&story, "answer accept",
               "[   40] answer accept\n"
               "          finish noted\n");
    story_end(&story);
}

TEST(a_dead_fixer_is_tried_once_more_and_then_asked_about)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 3));
    story_skip(&story, "start, 1-2 clean, 3 findings");
    story_play(&story, "4 failed, 4 failed",
               "[   40] spec-fixer 4.1 failed (exit)\n"
               "          start 4.2 spec-fixer: repair, 1, round 1, at 1040\n"
               "[   50] spec-fixer 4.2 failed (exit)\n"
               "          ask dead\n"
               "          finish failed\n");
    story_play(&story, "answer continue, 4 failed, 4 clean",
               "[   60] answer continue\n"
               "          start 4.3 spec-fixer: repair, 1, round 1\n"
               "[   70] spec-fixer 4.3 failed (exit)\n"
               "          start 4.4 spec-fixer: repair, 1, round 1, at 1070\n"
               "[   80] spec-fixer 4.4 clean\n"
               "          start 5.1 commit: then, 1, round 1\n");
    story_end(&story);
}

TEST(a_resume_starts_the_dead_fixer_without_asking)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 3));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 failed, 4 failed");
    story_play(&story, "resume, 4 clean",
               "[   60] resume\n"
               "          start 4.3 spec-fixer: repair, 1, round 1\n"
               "[   70] spec-fixer 4.3 clean\n"
               "          start 5.1 commit: then, 1, round 1\n");
    story_end(&story);
}

TEST(a_dead_fixer_can_be_passed_over)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(2, 3));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 dead");
    story_play(&story, "answer accept",
               "[   50] answer accept\n"
               "          start 5.1 implementer: work, 2, round 1\n");
    story_end(&story);
}

TEST(a_run_can_be_stopped_at_a_dead_fixer)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 3));
    story_skip(&story, "start, 1-2 clean, 3 findings");
    story_play(&story, "4 dead, answer restart, answer stop, resume",
               "[   40] spec-fixer 4.1 failed (exit) for good\n"
               "          ask dead\n"
               "          finish failed\n"
               "[   50] answer restart\n"
               "          ignored\n"
               "[   60] answer stop\n"
               "          finish bound\n"
               "[   70] resume\n"
               "          ignored\n");
    story_end(&story);
}

/* A commit that failed is never taken as done. */
TEST(a_failed_commit_ends_the_run_and_resume_commits)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 3));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 clean");
    story_play(&story, "5 failed, resume, 5 clean",
               "[   50] commit 5.1 failed (exit)\n"
               "          finish failed\n"
               "[   60] resume\n"
               "          start 5.2 commit: then, 1, round 1\n"
               "[   70] commit 5.2 clean\n"
               "          start 6.1 spec-reviewer: review, 1, round 2\n");
    story_end(&story);
}

TEST(a_crash_between_repair_and_commit_repeats_the_commit_alone)
{
    struct story story;

    story_begin(&story, PLAN_CYCLES, cycles(1, 3));
    story_skip(&story, "start, 1-2 clean, 3 findings, 4 clean");
    story_play(&story, "resume, 5.1 clean, 5.2 clean",
               "[   50] resume\n"
               "          start 5.2 commit: then, 1, round 1\n"
               "[   60] commit 5.1 clean\n"
               "          ignored\n"
               "[   70] commit 5.2 clean\n"
               "          start 6.1 spec-reviewer: review, 1, round 2\n");
    story_end(&story);
}
