/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_budget.c - what is started while there is room for it, what is not, and how the run
 * goes on with more. */
#include "story.h"
#include "test.h"

static const struct plan_size five = { .reviewers = 5, .repairs = 2 };
static const struct plan_size two = { .reviewers = 2, .repairs = 2, .failed_max = 1 };

TEST(calls_stop_in_mid_round_and_go_on_with_what_was_missing)
{
    struct budget three = story_budget(BUDGET_CALLS, 3), more = story_budget(BUDGET_CALLS, 5);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, five, &three);
    story_play(&story, "start, 1-3 clean, resume",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "          start 3.1 witness: review, R1, round 1\n"
               "[   10] critic 1.1 clean\n"
               "[   20] pedant 2.1 clean\n"
               "[   30] witness 3.1 clean\n"
               "          finish budget\n"
               "[   40] resume\n"
               "          finish budget\n");
    assert_true(engine_can_resume(&story.engine));
    story.budget = &more;
    story_play(&story, "resume, 4-5 clean",
               "[   50] resume with another budget\n"
               "          start 4.1 security-reviewer: review, R1, round 1\n"
               "          start 5.1 silent-failure-hunter: review, R1, round 1\n"
               "[   60] security-reviewer 4.1 clean\n"
               "[   70] silent-failure-hunter 5.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(what_is_clean_is_clean_however_much_it_used)
{
    struct budget small = story_budget(BUDGET_USD, 1);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &small);
    story.usage.cost_micros = 100;
    story_play(&story, "start, 1-2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 clean\n"
               "[   20] pedant 2.1 clean\n"
               "          finish clean\n");
    story_end(&story);
}

/* Whether a fixer starts after two reviewers at 10 each. */
static bool fixer_starts(enum budget_part part, uint64_t limit)
{
    struct budget budget = story_budget(part, limit);
    struct story story;
    bool starts;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story.usage = (struct usage){ .cost_micros = 10, .tokens_in = 4, .tokens_out = 6 };
    story_skip(&story, "start, 1-2 findings");
    starts = story.engine.state == ENGINE_RUNNING;
    assert_true(starts || story.engine.reason == REASON_BUDGET);
    story_end(&story);
    return starts;
}

TEST(an_agent_that_never_ran_is_expected_to_use_what_others_did)
{
    assert_true(fixer_starts(BUDGET_USD, 30));
    assert_false(fixer_starts(BUDGET_USD, 29));
    assert_true(fixer_starts(BUDGET_TOKENS, 30));
    assert_false(fixer_starts(BUDGET_TOKENS, 29));
}

TEST(what_runs_has_reserved_what_it_will_use)
{
    struct budget budget = story_budget(BUDGET_USD, 55);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story.usage.cost_micros = 10;
    story_play(&story, "start, 1-2 findings, 3 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 findings 1\n"
               "[   20] pedant 2.1 findings 1\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n"
               "[   30] review-fixer 3.1 clean\n"
               "          start 4.1 critic: review, R1, round 2\n"
               "          start 5.1 pedant: review, R1, round 2\n");
    assert_int_equal(engine_used(&story.engine).of[BUDGET_USD], 30);
    assert_int_equal(story.engine.reserved.of[BUDGET_USD], 20);
    assert_int_equal(engine_share(&story.engine, 4).of[BUDGET_USD], 15);
    assert_int_equal(engine_share(&story.engine, 4).of[BUDGET_TOKENS], 0);
    story.usage.cost_micros = 14;
    story_play(&story, "4-5 findings",
               "[   40] critic 4.1 findings 1\n"
               "[   50] pedant 5.1 findings 1\n"
               "          finish budget\n");
    assert_int_equal(story.engine.reserved.of[BUDGET_USD], 0);
    story_end(&story);
}

TEST(once_refused_nobody_starts_even_where_there_would_be_room)
{
    struct budget budget = story_budget(BUDGET_USD, 40);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story.usage.cost_micros = 2;
    story_skip(&story, "start, 2 findings");
    story.usage.cost_micros = 20;
    story_skip(&story, "1 findings");   /* critic 20, pedant 2 */
    story.usage.cost_micros = 1;
    story_play(&story, "3 clean", /* 23 used: 20 for the critic are too much, 2 would not be */
               "[   30] review-fixer 3.1 clean\n"
               "          finish budget\n");
    story_end(&story);
}

TEST(a_retry_without_room_is_no_death)
{
    struct budget budget = story_budget(BUDGET_CALLS, 2), more = story_budget(BUDGET_CALLS, 9);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_play(&story, "start, 1 failed, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 failed (exit)\n"
               "[   20] pedant 2.1 clean\n"
               "          finish budget\n");
    story.budget = &more;
    story_play(&story, "resume, 1 failed, 1 dead, resume",
               "[   30] resume with another budget\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "[   40] critic 1.2 failed (exit)\n"
               "          start 1.3 critic: review, R1, round 1, at 1040\n"
               "[   50] critic 1.3 failed (exit) for good\n"
               "          finish failed\n"
               "[   60] resume\n"
               "          start 1.4 critic: review, R1, round 1\n");
    story_end(&story);
}

TEST(a_failure_outranks_the_budget)
{
    struct budget budget = story_budget(BUDGET_CALLS, 1);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_play(&story, "start, 1 dead",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "[   10] critic 1.1 failed (exit) for good\n"
               "          finish failed\n");
    story_end(&story);
}

TEST(what_hone_does_itself_goes_on)
{
    struct budget budget = story_budget(BUDGET_CALLS, 3);
    struct story story;

    story_begin_within(&story, PLAN_CYCLES, (struct plan_size){ .phases = 1, .repairs = 2 },
                       &budget);
    story_play(&story, "start, 1 clean, 2 clean, 3 findings, 4 clean, 5 clean",
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
               "          finish budget\n");
    story_end(&story);
}

TEST(time_that_is_over_starts_nobody_and_waits)
{
    struct budget budget = story_budget(BUDGET_TIME, 100), more = story_budget(BUDGET_TIME, 1000);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_play(&story, "start, spent",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] time is over\n"
               "          ignored\n");
    assert_int_equal(engine_deadline_ms(&story.engine), 100);
    story_play(&story, "at 100, spent, spent, 1-2 findings",
               "[  100] time is over\n"
               "[  110] time is over\n"
               "          ignored\n"
               "[  120] critic 1.1 findings 1\n"
               "[  130] pedant 2.1 findings 1\n"
               "          finish budget\n");
    assert_int_equal(engine_deadline_ms(&story.engine), 0);
    story.budget = &more;
    story_play(&story, "at 90000, resume",
               "[90000] resume with another budget\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n");
    assert_int_equal(story.engine.active_ms, 130); /* while it rested no time went by */
    assert_int_equal(engine_deadline_ms(&story.engine), 90870);
    story_end(&story);
}

TEST(time_that_is_over_ends_what_runs_where_that_is_wanted)
{
    struct budget budget = story_budget(BUDGET_TIME, 100), none = { 0 };
    struct story story;

    budget.stop = true;
    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_skip(&story, "start, 1 clean");
    story_play(&story, "at 100, spent, 2 stopped",
               "[  100] time is over\n"
               "          stop 2.1\n"
               "[  110] pedant 2.1 failed (stopped)\n"
               "          finish budget\n");
    story.budget = &none;
    story_play(&story, "resume, 2 clean",
               "[  120] resume with another budget\n"
               "          start 2.2 pedant: review, R1, round 1\n"
               "[  130] pedant 2.2 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(whoever_waits_for_its_time_does_not_begin_behind_the_end_of_time)
{
    struct budget budget = story_budget(BUDGET_TIME, 100), none = { 0 };
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_play(&story, "start, 1 wait 90000, at 100, spent, 1 stopped, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 failed (exit) until 90000\n"
               "          start 1.2 critic: review, R1, round 1, at 90000\n"
               "[  100] time is over\n"
               "          stop 1.2\n"
               "[  110] critic 1.2 failed (stopped)\n"
               "[  120] pedant 2.1 clean\n"
               "          finish budget\n");
    story.budget = &none;
    story_play(&story, "resume",
               "[  130] resume with another budget\n"
               "          start 1.3 critic: review, R1, round 1\n");
    story_end(&story);
}

TEST(money_that_is_used_up_ends_the_others_once)
{
    struct budget budget = story_budget(BUDGET_USD, 5);
    struct story story;

    budget.stop = true;
    story_begin_within(&story, PLAN_REVIEW, five, &budget);
    story_skip(&story, "start");
    story.usage.cost_micros = 3;
    story_play(&story, "1 clean, 2 clean, 3 clean, stop, 4-5 stopped",
               "[   10] critic 1.1 clean\n"
               "[   20] pedant 2.1 clean\n"
               "          stop 3.1\n"
               "          stop 4.1\n"
               "          stop 5.1\n"
               "[   30] witness 3.1 clean\n"
               "[   40] stop\n"
               "[   50] security-reviewer 4.1 failed (stopped)\n"
               "[   60] silent-failure-hunter 5.1 failed (stopped)\n"
               "          finish interrupted\n");
    story_end(&story);
}

TEST(calls_that_are_used_up_end_nobody)
{
    struct budget budget = story_budget(BUDGET_CALLS, 3);
    struct story story;

    budget.stop = true;
    story_begin_within(&story, PLAN_REVIEW, five, &budget);
    story_play(&story, "start, 1 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "          start 3.1 witness: review, R1, round 1\n"
               "[   10] critic 1.1 clean\n");
    story_end(&story);
}

TEST(an_agent_that_stops_at_what_was_left_has_not_failed)
{
    struct budget budget = story_budget(BUDGET_USD, 5), other = story_budget(BUDGET_CALLS, 5);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story.usage.cost_micros = 2;
    story_play(&story, "start, 1 paid, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 failed (budget) for good\n"
               "[   20] pedant 2.1 clean\n"
               "          finish budget\n");
    story_end(&story);
    story_begin_within(&story, PLAN_REVIEW, two, &other); /* not our limit: its account is empty */
    story_play(&story, "start, 1 paid, 2 clean",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 failed (budget) for good\n"
               "[   20] pedant 2.1 clean\n"
               "          finish failed\n");
    story_end(&story);
}

TEST(an_answer_that_leads_to_an_agent_wants_room_for_it)
{
    struct budget budget = story_budget(BUDGET_CALLS, 2), more = story_budget(BUDGET_CALLS, 3);
    struct story story;

    story_begin_within(&story, PLAN_CYCLES, (struct plan_size){ .phases = 1 }, &budget);
    story_skip(&story, "start, 1 clean, 2 clean");
    story_play(&story, "3 findings, answer continue",
               "[   30] spec-reviewer 3.1 findings 1\n"
               "          ask bound\n"
               "          finish escalated\n"
               "[   40] answer continue\n"
               "          finish budget\n");
    story.budget = &more;
    story_play(&story, "resume",
               "[   50] resume with another budget\n"
               "          start 4.1 spec-fixer: repair, 1, round 1\n");
    story_end(&story);
}

TEST(a_changed_tree_voids_answers_also_where_nobody_can_give_them_again)
{
    struct budget budget = story_budget(BUDGET_CALLS, 2), none = { 0 };
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_play(&story, "start, 1 clean, drift, 2 invalid",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 clean\n"
               "[   20] drift\n"
               "[   30] pedant 2.1 invalid\n"
               "          finish failed\n");
    story.budget = &none;
    story_play(&story, "resume, 1-2 clean",
               "[   40] resume with another budget\n"
               "          start 1.2 critic: review, R1, round 1\n"
               "          start 2.2 pedant: review, R1, round 1\n"
               "[   50] critic 1.2 clean\n"
               "[   60] pedant 2.2 clean\n"
               "          finish clean\n");
    story_end(&story);
}

TEST(what_is_told_late_costs_neither_time_nor_calls)
{
    struct budget budget = { .limit = { .of = { [BUDGET_TIME] = 1000, [BUDGET_CALLS] = 9 } } };
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story_skip(&story, "start, 1 findings");
    story.late = true;
    story_skip(&story, "at 80000, 2 findings");
    story.late = false;
    assert_int_equal(story.engine.active_ms, 10);
    assert_int_equal(story.engine.calls, 2); /* the fixer was asked for, and is started below */
    story_play(&story, "resume",
               "[80010] resume\n"
               "          start 3.2 review-fixer: repair, R2, round 1\n");
    assert_int_equal(story.engine.calls, 3);
    assert_int_equal(story.engine.active_ms, 10);
    story_end(&story);
}

TEST(a_cost_beyond_counting_uses_everything_up)
{
    struct budget budget = story_budget(BUDGET_USD, UINT64_MAX);
    struct story story;

    story_begin_within(&story, PLAN_REVIEW, two, &budget);
    story.usage = (struct usage){ UINT64_MAX - 1, UINT64_MAX, UINT64_MAX };
    story_play(&story, "start, 1-2 findings",
               "[    0] start\n"
               "          start 1.1 critic: review, R1, round 1\n"
               "          start 2.1 pedant: review, R1, round 1\n"
               "[   10] critic 1.1 findings 1\n"
               "[   20] pedant 2.1 findings 1\n"
               "          finish budget\n");
    assert_true(engine_used(&story.engine).of[BUDGET_TOKENS] == UINT64_MAX);
    story_end(&story);
}
