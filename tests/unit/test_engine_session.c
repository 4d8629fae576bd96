/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_session.c - stages that are minted and unminted, and a delivery that needs them. */
#include "story.h"
#include "test.h"

/* Jobs when nothing is found: planning 1 2, execution 3 4, polish 5, docs 6, security 7 8 (the
 * scan first), delivery 9. */
static struct plan_size limited(uint32_t rounds, uint32_t repeats)
{
    return (struct plan_size){ .repairs = rounds - 1, .repeats = repeats, .repeat_stages = 3,
                               .invalid_max = 1, .failed_max = 1 };
}

static void assert_mints(const struct story *story, uint32_t mints)
{
    assert_int_equal(story->engine.lanes[0].mints, mints);
}

TEST(six_stages_end_with_the_delivery)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_play(&story, "start, 1-4 clean",
               "[    0] start\n"
               "          start 1.1 executor: work, planning, round 1\n"
               "[   10] executor 1.1 clean\n"
               "          start 2.1 reviewer: review, planning, round 1\n"
               "[   20] reviewer 2.1 clean\n"
               "          start 3.1 executor: work, execution, round 1\n"
               "[   30] executor 3.1 clean\n"
               "          start 4.1 reviewer: review, execution, round 1\n"
               "[   40] reviewer 4.1 clean\n"
               "          start 5.1 polish: review, polish, round 1\n");
    assert_mints(&story, 1);
    story_play(&story, "5-8 clean",
               "[   50] polish 5.1 clean\n"
               "          start 6.1 docs: review, docs, round 1\n"
               "[   60] docs 6.1 clean\n"
               "          start 7.1 scan: review, security, round 1\n"
               "          start 8.1 security: review, security, round 1\n"
               "[   70] scan 7.1 clean\n"
               "[   80] security 8.1 clean\n"
               "          start 9.1 deliver: work, delivery, round 1\n");
    assert_mints(&story, 15);
    story_play(&story, "9 clean",
               "[   90] deliver 9.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(a_polish_repair_unmints_all_and_goes_back_to_executions_gate)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-4 clean");
    story_play(&story, "5 findings, 6 clean",
               "[   50] polish 5.1 findings 1\n"
               "          start 6.1 executor: repair, polish, round 1\n"
               "[   60] executor 6.1 clean\n"
               "          start 7.1 reviewer: review, execution, round 2\n");
    assert_mints(&story, 0);
    story_play(&story, "7 clean",
               "[   70] reviewer 7.1 clean\n"
               "          start 8.1 polish: review, polish, round 2\n");
    assert_mints(&story, 1);
    story_play(&story, "8 clean, 9 clean, 10-11 clean",
               "[   80] polish 8.1 clean\n"
               "          start 9.1 docs: review, docs, round 1\n"
               "[   90] docs 9.1 clean\n"
               "          start 10.1 scan: review, security, round 1\n"
               "          start 11.1 security: review, security, round 1\n"
               "[  100] scan 10.1 clean\n"
               "[  110] security 11.1 clean\n"
               "          start 12.1 deliver: work, delivery, round 1\n");
    story_end(&story);
}

TEST(a_security_repair_is_followed_by_every_stage)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-6 clean");
    story_play(&story, "7 findings, 8 clean, 9 clean",
               "[   70] scan 7.1 findings 1\n"
               "[   80] security 8.1 clean\n"
               "          start 9.1 executor: repair, security, round 1\n"
               "[   90] executor 9.1 clean\n"
               "          start 10.1 reviewer: review, execution, round 2\n");
    assert_mints(&story, 0);
    story_play(&story, "10 clean, 11 clean, 12 clean",
               "[  100] reviewer 10.1 clean\n"
               "          start 11.1 polish: review, polish, round 2\n"
               "[  110] polish 11.1 clean\n"
               "          start 12.1 docs: review, docs, round 2\n"
               "[  120] docs 12.1 clean\n"
               "          start 13.1 scan: review, security, round 2\n"
               "          start 14.1 security: review, security, round 2\n");
    story_end(&story);
}

TEST(each_stage_counts_its_own_rounds)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(2, 0));
    story_skip(&story, "start, 1-4 clean, 5 findings, 6-7 clean");
    story_play(&story, "8 findings",
               "[   80] polish 8.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n");
    story_end(&story);
}

TEST(a_change_before_the_delivery_sends_it_back)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-7 clean");
    story_play(&story, "drift, 7 clean, 8 invalid",
               "[   80] drift\n"
               "          start 7.2 scan: review, security, round 1\n"
               "[   90] scan 7.2 clean\n"
               "[  100] security 8.1 invalid\n"
               "          start 8.2 security: review, security, round 1\n");
    story_play(&story, "8 clean",
               "[  110] security 8.2 clean\n"
               "          start 9.1 reviewer: review, execution, round 2\n");
    assert_mints(&story, 8);
    story_play(&story, "9-13 clean",
               "[  120] reviewer 9.1 clean\n"
               "          start 10.1 polish: review, polish, round 2\n"
               "[  130] polish 10.1 clean\n"
               "          start 11.1 docs: review, docs, round 2\n"
               "[  140] docs 11.1 clean\n"
               "          start 12.1 scan: review, security, round 2\n"
               "          start 13.1 security: review, security, round 2\n"
               "[  150] scan 12.1 clean\n"
               "[  160] security 13.1 clean\n"
               "          start 14.1 deliver: work, delivery, round 1\n");
    story_end(&story);
}

TEST(a_delivery_cut_off_by_a_change_is_not_resumed_but_earned_again)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-8 clean");
    story_play(&story, "stop, 9 stopped, drift, resume",
               "[   90] stop\n"
               "          stop 9.1\n"
               "[  100] deliver 9.1 failed (stopped)\n"
               "          finish interrupted\n"
               "[  110] drift\n"
               "[  120] resume\n"
               "          start 10.1 reviewer: review, execution, round 2\n");
    story_skip(&story, "10-14 clean");
    story_play(&story, "15 clean",
               "[  180] deliver 15.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(a_delivery_cut_off_by_a_crash_is_resumed)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-8 clean");
    story_play(&story, "resume, 9.2 clean",
               "[   90] resume\n"
               "          start 9.2 deliver: work, delivery, round 1\n"
               "[  100] deliver 9.2 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(the_same_grave_finding_three_rounds_running_asks)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(9, 3));
    story_skip(&story, "start, 1 clean, 2 high leak, 3 clean");
    story_play(&story, "4 high leak, 5 clean, 6 high leak",
               "[   40] reviewer 4.1 findings 1\n"
               "          start 5.1 executor: repair, planning, round 2\n"
               "[   50] executor 5.1 clean\n"
               "          start 6.1 reviewer: review, planning, round 3\n"
               "[   60] reviewer 6.1 findings 1\n"
               "          ask repeat\n"
               "          finish waiting\n");
    story_play(&story, "answer continue, 7 clean, 8 high leak",
               "[   70] answer continue\n"
               "          start 7.1 executor: repair, planning, round 3\n"
               "[   80] executor 7.1 clean\n"
               "          start 8.1 reviewer: review, planning, round 4\n"
               "[   90] reviewer 8.1 findings 1\n"
               "          ask repeat\n"
               "          finish waiting\n");
    story_end(&story);
}

TEST(another_finding_between_them_begins_the_count_anew)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(9, 3));
    story_skip(&story, "start, 1 clean, 2 high leak, 3 clean, 4 high race, 5 clean, 6 high leak");
    story_play(&story, "7 clean, 8 high leak",
               "[   70] executor 7.1 clean\n"
               "          start 8.1 reviewer: review, planning, round 4\n"
               "[   80] reviewer 8.1 findings 1\n"
               "          start 9.1 executor: repair, planning, round 4\n");
    story_end(&story);
}

TEST(a_small_finding_may_come_back_as_often_as_the_bound_allows)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(9, 3));
    story_skip(&story, "start, 1 clean, 2 findings, 3 clean, 4 findings, 5 clean");
    story_play(&story, "6 findings",
               "[   60] reviewer 6.1 findings 1\n"
               "          start 7.1 executor: repair, planning, round 3\n");
    story_end(&story);
}

TEST(at_the_bound_the_repeated_finding_is_the_question)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1 clean, 2 high leak, 3 clean, 4 high leak, 5 clean");
    story_play(&story, "6 high leak",
               "[   60] reviewer 6.1 findings 1\n"
               "          ask repeat\n"
               "          finish waiting\n");
    story_end(&story);
}

TEST(the_soft_limit_asks_and_accept_mints_the_stage)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-2 clean, 3 clean, 4 findings, 5 clean, 6 findings, 7 clean");
    story_play(&story, "8 findings, answer accept",
               "[   80] reviewer 8.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n"
               "[   90] answer accept\n"
               "          start 9.1 polish: review, polish, round 1\n");
    assert_mints(&story, 1);
    story_play(&story, "9 clean, 10 clean, 11-12 clean, 13 clean",
               "[  100] polish 9.1 clean\n"
               "          start 10.1 docs: review, docs, round 1\n"
               "[  110] docs 10.1 clean\n"
               "          start 11.1 scan: review, security, round 1\n"
               "          start 12.1 security: review, security, round 1\n"
               "[  120] scan 11.1 clean\n"
               "[  130] security 12.1 clean\n"
               "          start 13.1 deliver: work, delivery, round 1\n"
               "[  140] deliver 13.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(an_accepted_plan_goes_on_to_execution)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(1, 3));
    story_skip(&story, "start, 1 clean");
    story_play(&story, "2 findings, answer accept",
               "[   20] reviewer 2.1 findings 1\n"
               "          ask bound\n"
               "          finish waiting\n"
               "[   30] answer accept\n"
               "          start 3.1 executor: work, execution, round 1\n");
    story_end(&story);
}

TEST(this_reviewer_is_not_asked_again_for_a_broken_contract)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1 clean");
    story_play(&story, "2 broken, resume, 2 clean",
               "[   20] reviewer 2.1 invalid for good\n"
               "          finish failed\n"
               "[   30] resume\n"
               "          start 2.2 reviewer: review, planning, round 1\n"
               "[   40] reviewer 2.2 clean\n"
               "          start 3.1 executor: work, execution, round 1\n");
    story_end(&story);
}

TEST(what_comes_back_is_counted_by_each_gate_for_itself)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 2));
    story_skip(&story, "start, 1 clean, 2 clean, 3 clean, 4 clean, 5 high a, 6 clean");
    story_play(&story, "7 clean", "[   70] reviewer 7.1 clean\n"
                                  "          start 8.1 polish: review, polish, round 2\n");
    story_play(&story, "8 high a", "[   80] polish 8.1 findings 1\n"
                                   "          ask repeat\n"
                                   "          finish waiting\n");
    story_end(&story);
}

TEST(a_delivery_whose_tree_has_changed_goes_back_to_the_first_stage)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-5 clean, 6 clean, 7 clean, 8 clean");
    story_play(&story, "drift, 9 failed",
               "[   90] drift\n"
               "[  100] deliver 9.1 failed (exit)\n"
               "          start 10.1 reviewer: review, execution, round 2\n");
    story_end(&story);
}

TEST(the_diary_tells_everything_in_order)
{
    struct story story;
    const struct diary_entry *diary;

    story_begin(&story, PLAN_SESSION, limited(1, 1));
    story_skip(&story, "start, 1 invalid, 1 clean, 2 high a, drift, answer accept");
    diary = story.engine.diary;
    assert_int_equal(story.engine.entry_count, 6);
    assert_int_equal(diary[0].kind, ENTRY_START);
    assert_int_equal(diary[1].kind, ENTRY_MISS);
    assert_int_equal(diary[1].verdict, VERDICT_INVALID);
    assert_int_equal(diary[1].attempt, 1);
    assert_int_equal(diary[2].kind, ENTRY_ANSWER);
    assert_int_equal(diary[2].attempt, 2);
    assert_int_equal(diary[2].purpose, FOR_WORK);
    assert_int_equal(diary[2].started_ms, diary[1].ended_ms);
    assert_int_equal(diary[3].purpose, FOR_REVIEW);
    assert_int_equal(diary[3].round, 1);
    assert_int_equal(diary[4].kind, ENTRY_DRIFT);
    assert_int_equal(diary[5].kind, ENTRY_CHOICE);
    assert_int_equal(diary[5].question, ASK_REPEAT);
    assert_int_equal(diary[5].choice, CHOICE_ACCEPT);
    story_end(&story);
}

TEST(an_executor_that_claims_what_is_not_there_is_asked_again)
{
    struct story story;

    story_begin(&story, PLAN_SESSION, limited(3, 3));
    story_skip(&story, "start, 1-2 clean");
    story_play(&story, "3 invalid, 3 clean",
               "[   30] executor 3.1 invalid\n"
               "          start 3.2 executor: work, execution, round 1\n"
               "[   40] executor 3.2 clean\n"
               "          start 4.1 reviewer: review, execution, round 1\n");
    story_end(&story);
}
