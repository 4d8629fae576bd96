/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine.c - one gate and many reviewers: rounds, retries, stop, crash, resume.
 *
 * The engine's stories are traces: every event, and below it what the engine asked for. Those of
 * the other plans are in test_engine_iterate.c, _cycles.c, _session.c and _loops.c. */
#include "shared/engine_print.h"
#include "story.h"
#include "test.h"

static const struct plan_size five = { .reviewers = 5, .repairs = 4, .invalid_max = 1,
                                       .failed_max = 1 };
static const struct plan_size two = { .reviewers = 2, .repairs = 1, .invalid_max = 1,
                                      .failed_max = 1 };

TEST(a_clean_review_ends_the_run_at_once)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, five);
    story_play(&story, "start, 1-5 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "          start 3.1 witness: review, R1, round 1\n"
               "          start 4.1 security-reviewer: review, R1, round 1\n"
               "          start 5.1 silent-failure-hunter: review, R1, round 1\n"
               "[   10] critic 1.1 clean\n"
               "[   20] pedant 2.1 clean\n"
               "[   30] witness 3.1 clean\n"
               "[   40] security-reviewer 4.1 clean\n"
               "[   50] silent-failure-hunter 5.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(a_reviewer_that_looked_at_nothing_stands_aside)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 1 unplayed, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 not played\n"
               "[   20] pedant 2.1 clean\n"
               "          finish clean\n");
    assert_int_equal(story.engine.rounds[0].verdict, VERDICT_CLEAN);
    story_end(&story);
    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 findings 2");
    story_play(&story, "2 unplayed",
               "[   20] pedant 2.1 not played\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n");
    story_end(&story);
}

TEST(a_gate_at_which_no_reviewer_looked_does_not_pass)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 unplayed");
    story_play(&story, "2 unplayed, resume",
               "[   20] pedant 2.1 not played\n"
               "          finish unseen\n"
               "[   30] resume\n"
               "          ignored\n");
    assert_int_equal(story.engine.rounds[0].verdict, VERDICT_NOT_PLAYED);
    assert_int_equal(story.engine.reason, REASON_UNSEEN);
    story_end(&story);
}

TEST(a_file_that_was_not_looked_at_keeps_a_run_from_being_clean)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 clean");
    story_play(&story, "2 partial, resume",
               "[   20] pedant 2.1 clean\n"
               "          finish partial\n"
               "[   30] resume\n"
               "          ignored\n");
    assert_int_equal(story.engine.rounds[0].verdict, VERDICT_CLEAN);
    assert_int_equal(story.engine.reason, REASON_PARTIAL);
    story_end(&story);
}

TEST(the_last_review_says_whether_all_was_looked_at)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 partial, 2 findings 1, 3 clean");
    story_play(&story, "4-5 clean",
               "[   40] critic 4.1 clean\n"
               "[   50] pedant 5.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(findings_are_fixed_and_reviewed_again)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 2 findings 3, 1 clean, 3 clean, 4-5 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] pedant 2.1 findings 3\n"
               "[   20] critic 1.1 clean\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n"
               "[   30] review-fixer 3.1 clean\n"
               "          start 4.1 critic: review, R1, round 2\n"
               "          start 5.1 pedant: review, R1, round 2\n"
               "[   40] critic 4.1 clean\n"
               "[   50] pedant 5.1 clean\n"
               "          finish clean\n");
    assert_int_equal(story.engine.round_count, 2);
    assert_int_equal(story.engine.rounds[0].finding_count, 3);
    assert_int_equal(story.engine.rounds[0].verdict, VERDICT_FINDINGS);
    assert_int_equal(story.engine.rounds[0].repaired_ms, 30);
    assert_int_equal(story.engine.rounds[1].verdict, VERDICT_CLEAN);
    story_end(&story);
}

/* "the first gate begins with their repair, no first look; then the gate looks again as ever" */
TEST(a_run_that_is_given_findings_begins_with_their_repair)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start given 2, 2 clean, 3 clean, 4 clean",
               "[    0] start given 2\n"
               "          start 2.1 review-fixer: repair, R2, round 1\n"
               "[   10] review-fixer 2.1 clean\n"
               "          start 3.1 critic: review, R1, round 2\n"
               "          start 4.1 pedant: review, R1, round 2\n"
               "[   20] critic 3.1 clean\n"
               "[   30] pedant 4.1 clean\n"
               "          finish clean\n");
    assert_int_equal(story.engine.rounds[0].verdict, VERDICT_FINDINGS);
    assert_int_equal(story.engine.rounds[0].finding_count, 2);
    assert_true(story.engine.rounds[0].repaired_ms == 10);
    assert_int_equal(story.engine.calls, 3);
    engine_check(&story.engine);
    story_end(&story);
}

TEST(what_was_given_is_repaired_once_and_then_the_bound_holds)
{
    static const struct plan_size none = { .reviewers = 1, .repairs = 0, .invalid_max = 1,
                                           .failed_max = 1 };
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start given 1, 2 clean, 3 clean");
    story_play(&story, "4 findings",
               "[   30] pedant 4.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
    story_begin(&story, PLAN_REVIEW, none);
    story_play(&story, "start given 1, 2 clean, 3 findings",
               "[    0] start given 1\n"
               "          start 2.1 review-fixer: repair, R2, round 1\n"
               "[   10] review-fixer 2.1 clean\n"
               "          start 3.1 critic: review, R1, round 2\n"
               "[   20] critic 3.1 findings 1\n"
               "          finish bound\n");
    story_end(&story);
}

TEST(the_repair_of_what_was_given_can_be_stopped_and_goes_on)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start given 1, stop, 2 stopped");
    assert_true(batch_is_given(&story.engine.lanes[0].review));
    story_play(&story, "resume, 2 clean",
               "[   30] resume\n"
               "          start 2.2 review-fixer: repair, R2, round 1\n"
               "[   40] review-fixer 2.2 clean\n"
               "          start 3.1 critic: review, R1, round 2\n"
               "          start 4.1 pedant: review, R1, round 2\n");
    story_skip(&story, "3 findings, 4 clean");
    assert_false(batch_is_given(&story.engine.lanes[0].review));
    story_end(&story);
}

TEST(a_plan_that_begins_with_work_does_not_take_findings)
{
    struct story story;

    story_begin(&story, PLAN_ITERATE, (struct plan_size){ .reviewers = 1, .repairs = 1,
                                                          .copies = 1, .iterations = 1 });
    story_skip(&story, "start given 1");
    assert_int_equal(story.engine.lanes[0].state, LANE_WORKING);
    story_end(&story);
}

TEST(the_bound_counts_reviews_and_ends_without_a_last_fix)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1-2 findings, 3 clean");
    story_play(&story, "4 clean, 5 findings",
               "[   40] critic 4.1 clean\n"
               "[   50] pedant 5.1 findings 1\n"
               "          finish bound\n");
    story_play(&story, "resume, answer continue, stop, start",
               "[   60] resume\n"
               "          ignored\n"
               "[   70] answer continue\n"
               "          ignored\n"
               "[   80] stop\n"
               "          ignored\n"
               "[   90] start\n"
               "          ignored\n");
    story_end(&story);
}

TEST(the_verdict_is_the_worst_of_all)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, five);
    story_skip(&story, "start, 1 findings, 2-4 clean");
    story_play(&story, "5 clean",
               "[   50] silent-failure-hunter 5.1 clean\n"
               "          start 6.1 review-fixer: repair, R2, round 1\n");
    assert_int_equal(story.engine.rounds[0].verdict, VERDICT_FINDINGS);
    story_end(&story);
}

TEST(a_broken_contract_is_asked_for_once_more_at_once)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 1 invalid, 1 clean, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 invalid\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "[   20] critic 1.2 clean\n"
               "[   30] pedant 2.1 clean\n"
               "          finish clean\n");
    assert_int_equal(story.engine.round_count, 1);
    story_end(&story);
}

TEST(a_crash_is_tried_again_after_the_pause)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 2 failed, 1 clean, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] pedant 2.1 failed (exit)\n"
               "          start 2.2 pedant: review, R1, round 1, at 1010\n"
               "[   20] critic 1.1 clean\n"
               "[   30] pedant 2.2 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(an_agent_told_to_wait_has_not_failed)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 1 wait 5000, 1 wait 9000, 1 failed, 1 clean, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 failed (exit) until 5000\n"
               "          start 1.2 critic: review, R1, round 1, at 5000\n"
               "[   20] critic 1.2 failed (exit) until 9000\n"
               "          start 1.3 critic: review, R1, round 1, at 9000\n"
               "[   30] critic 1.3 failed (exit)\n"
               "          start 1.4 critic: review, R1, round 1, at 1030\n"
               "[   40] critic 1.4 clean\n"
               "[   50] pedant 2.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(invalid_and_failed_have_allowances_of_their_own)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 1 invalid, 1 failed, 1 clean, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 invalid\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "[   20] critic 1.2 failed (exit)\n"
               "          start 1.3 critic: review, R1, round 1, at 1020\n"
               "[   30] critic 1.3 clean\n"
               "[   40] pedant 2.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(what_is_lost_is_asked_for_again_at_once_and_uses_no_allowance)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 2 clean, 1 failed, 1 lost, 1 lost, 1 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] pedant 2.1 clean\n"
               "[   20] critic 1.1 failed (exit)\n"
               "          start 1.2 critic: review, R1, round 1, at 1020\n"
               "[   30] critic 1.2 failed (lost)\n"
               "          start 1.3 critic: review, R1, round 1\n"
               "[   40] critic 1.3 failed (lost)\n"
               "          start 1.4 critic: review, R1, round 1\n"
               "[   50] critic 1.4 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(the_fifth_that_is_lost_in_a_row_is_the_last_and_a_resume_goes_on)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 2 clean, 1 lost, 1 invalid, 1 lost, 1 lost, 1 lost, 1 lost, 1 lost, "
                       "resume, 1 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] pedant 2.1 clean\n"
               "[   20] critic 1.1 failed (lost)\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "[   30] critic 1.2 invalid\n"
               "          start 1.3 critic: review, R1, round 1\n"
               "[   40] critic 1.3 failed (lost)\n"
               "          start 1.4 critic: review, R1, round 1\n"
               "[   50] critic 1.4 failed (lost)\n"
               "          start 1.5 critic: review, R1, round 1\n"
               "[   60] critic 1.5 failed (lost)\n"
               "          start 1.6 critic: review, R1, round 1\n"
               "[   70] critic 1.6 failed (lost)\n"
               "          start 1.7 critic: review, R1, round 1\n"
               "[   80] critic 1.7 failed (lost)\n"
               "          finish failed\n"
               "[   90] resume\n"
               "          start 1.8 critic: review, R1, round 1\n"
               "[  100] critic 1.8 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(what_cannot_change_is_not_tried_again)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 1 dead, 2 findings",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 failed (exit) for good\n"
               "[   20] pedant 2.1 findings 1\n"
               "          finish failed\n");
    story_end(&story);
}

TEST(a_dead_reviewer_lets_the_others_finish_and_is_resumed_alone)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, five);
    story_skip(&story, "start, 1 clean, 2 findings, 3 invalid");
    story_play(&story, "3 invalid, 4 clean, 5 clean",
               "[   40] witness 3.2 invalid\n"
               "[   50] security-reviewer 4.1 clean\n"
               "[   60] silent-failure-hunter 5.1 clean\n"
               "          finish failed\n");
    story_play(&story, "resume, 3 invalid, 3 clean",
               "[   70] resume\n"
               "          start 3.3 witness: review, R1, round 1\n"
               "[   80] witness 3.3 invalid\n"
               "          start 3.4 witness: review, R1, round 1\n"
               "[   90] witness 3.4 clean\n"
               "          start 6.1 review-fixer: repair, R2, round 1\n");
    story_end(&story);
}

TEST(a_failed_reviewer_is_never_followed_by_the_fixer)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "start, 1 findings, 2 failed, 2 failed",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 findings 1\n"
               "[   20] pedant 2.1 failed (exit)\n"
               "          start 2.2 pedant: review, R1, round 1, at 1020\n"
               "[   30] pedant 2.2 failed (exit)\n"
               "          finish failed\n");
    assert_int_equal(story.engine.reason, REASON_FAILED);
    story_end(&story);
}

TEST(stop_ends_every_attempt_and_resume_starts_what_was_not_done)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, five);
    story_skip(&story, "start, 2 findings");
    story_play(&story, "stop, 1 stopped, 3 clean, 4-5 stopped",
               "[   20] stop\n"
               "          stop 1.1\n"
               "          stop 3.1\n"
               "          stop 4.1\n"
               "          stop 5.1\n"
               "[   30] critic 1.1 failed (stopped)\n"
               "[   40] witness 3.1 clean\n"
               "[   50] security-reviewer 4.1 failed (stopped)\n"
               "[   60] silent-failure-hunter 5.1 failed (stopped)\n"
               "          finish interrupted\n");
    story_play(&story, "resume, 1 clean, 4-5 clean",
               "[   70] resume\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "          start 4.2 security-reviewer: review, R1, round 1\n"
               "          start 5.2 silent-failure-hunter: review, R1, round 1\n"
               "[   80] critic 1.2 clean\n"
               "[   90] security-reviewer 4.2 clean\n"
               "[  100] silent-failure-hunter 5.2 clean\n"
               "          start 6.1 review-fixer: repair, R2, round 1\n");
    story_end(&story);
}

TEST(a_stop_beside_the_last_answer_keeps_the_answer)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 clean");
    story_play(&story, "stop, stop, 2 findings, resume",
               "[   20] stop\n"
               "          stop 2.1\n"
               "[   30] stop\n"
               "          ignored\n"
               "[   40] pedant 2.1 findings 1\n"
               "          finish interrupted\n"
               "[   50] resume\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n");
    story_end(&story);
}

TEST(an_attempt_that_fails_while_stopping_is_not_tried_again)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 clean, stop");
    story_play(&story, "2 failed, resume, 2 failed, 2 clean",
               "[   30] pedant 2.1 failed (exit)\n"
               "          finish interrupted\n"
               "[   40] resume\n"
               "          start 2.2 pedant: review, R1, round 1\n"
               "[   50] pedant 2.2 failed (exit)\n"
               "          start 2.3 pedant: review, R1, round 1, at 1050\n"
               "[   60] pedant 2.3 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(resume_after_a_crash_loses_no_finished_answer)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, five);
    story_skip(&story, "start, 1 clean, 3 findings, 5 clean");
    story_play(&story, "resume, 2.1 clean, 2.2 clean, 4.2 clean",
               "[   40] resume\n"
               "          start 2.2 pedant: review, R1, round 1\n"
               "          start 4.2 security-reviewer: review, R1, round 1\n"
               "[   50] pedant 2.1 clean\n"
               "          ignored\n"
               "[   60] pedant 2.2 clean\n"
               "[   70] security-reviewer 4.2 clean\n"
               "          start 6.1 review-fixer: repair, R2, round 1\n");
    story_end(&story);
}

TEST(resume_while_stopping_goes_on)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 clean");
    story_play(&story, "stop, resume, 2 clean",
               "[   20] stop\n"
               "          stop 2.1\n"
               "[   30] resume\n"
               "          start 2.2 pedant: review, R1, round 1\n"
               "[   40] pedant 2.2 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(a_stale_result_is_nobodys)
{
    struct story story;
    struct buf before, after;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 invalid, 2 clean");
    buf_init(&before, 1 << 16);
    buf_init(&after, 1 << 16);
    engine_print(&story.engine, &before);
    story_play(&story, "1.1 clean, 1.3 clean, 2 clean, 2.2 clean, 0.1 clean, 3 clean, 77.1 clean",
               "[   30] critic 1.1 clean\n"
               "          ignored\n"
               "[   40] critic 1.3 clean\n"
               "          ignored\n"
               "[   50] pedant 2.1 clean\n"
               "          ignored\n"
               "[   60] pedant 2.2 clean\n"
               "          ignored\n"
               "[   70] nobody 0.1 clean\n"
               "          ignored\n"
               "[   80] nobody 3.1 clean\n"
               "          ignored\n"
               "[   90] nobody 77.1 clean\n"
               "          ignored\n");
    story_play(&story, "answer accept, answer accept 9, drift 9, start",
               "[  100] answer accept\n"
               "          ignored\n"
               "[  110] answer accept, lane 9\n"
               "          ignored\n"
               "[  120] drift, lane 9\n"
               "          ignored\n"
               "[  130] start\n"
               "          ignored\n");
    engine_print(&story.engine, &after);
    assert_string_equal(buf_cstr(&before), buf_cstr(&after));
    story_play(&story, "1.2 clean",
               "[  140] critic 1.2 clean\n"
               "          finish clean\n");
    buf_release(&before);
    buf_release(&after);
    story_end(&story);
}

TEST(nothing_happens_before_the_start)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_play(&story, "1.1 clean, stop, resume, answer stop, drift",
               "[    0] nobody 1.1 clean\n"
               "          ignored\n"
               "[   10] stop\n"
               "          ignored\n"
               "[   20] resume\n"
               "          ignored\n"
               "[   30] answer stop\n"
               "          ignored\n"
               "[   40] drift\n"
               "          ignored\n");
    assert_false(engine_can_resume(&story.engine));
    story_end(&story);
}

TEST(after_a_change_by_somebody_else_a_resumed_review_begins_anew)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "start, 1 clean, stop, 2 stopped");
    story_play(&story, "drift, resume, 1 findings, 2 clean",
               "[   40] drift\n"
               "[   50] resume\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "          start 2.2 pedant: review, R1, round 1\n"
               "[   60] critic 1.2 findings 1\n"
               "[   70] pedant 2.2 clean\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n");
    story_end(&story);
}

TEST(a_clock_that_jumps_back_never_takes_the_engine_with_it)
{
    struct story story;

    story_begin(&story, PLAN_REVIEW, two);
    story_skip(&story, "at 5000, start");
    story_play(&story, "at 20, 1 failed",
               "[   20] critic 1.1 failed (exit)\n"
               "          start 1.2 critic: review, R1, round 1, at 6000\n");
    assert_int_equal(story.engine.now_ms, 5000);
    story_end(&story);
}

/* The worst case of the border: a thousand attempts, and each of their ends a step. */
TEST(a_thousand_reviewers_are_one_review)
{
    struct story story;

    story_begin(&story, PLAN_WIDE, plans_size(PLAN_WIDE));
    story_skip(&story, "start");
    assert_int_equal(story.engine.running, 1000);
    assert_int_equal(story.actions.count, 1001);
    story_skip(&story, "2-999 clean, 1 findings, stop");
    assert_int_equal(story.actions.count, 2);
    story_skip(&story, "1000 stopped");
    story_skip(&story, "resume, 1000 clean");
    assert_int_equal(story.engine.running, 1); /* the fixer */
    story_skip(&story, "1001 clean");
    assert_int_equal(story.actions.count, 1001);
    story_skip(&story, "1002-2001 clean");
    assert_int_equal(story.engine.reason, REASON_CLEAN);
    story_end(&story);
}
