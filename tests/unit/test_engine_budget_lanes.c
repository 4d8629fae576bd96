/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_budget_lanes.c - a budget is of all lanes together. */
#include "story.h"
#include "test.h"

TEST(lanes_rest_where_they_are)
{
    struct budget budget = story_budget(BUDGET_CALLS, 3), none = { 0 };
    struct story story;

    story_begin_within(&story, PLAN_LOOPS, (struct plan_size){ .lanes = 2, .runs = 1 }, &budget);
    story_skip(&story, "start, 1 tasks 3");
    story_play(&story, "2 clean, 3 complete",
               "[   20] planner 2.1 clean\n"
               "          start 3.1 builder: work, build, round 1, lane 1\n"
               "[   30] builder 3.1 clean complete\n"
               "          finish budget\n");
    story.budget = &none;
    story_play(&story, "resume",
               "[   40] resume with another budget\n"
               "          start 5.1 loop-reviewer: review, build, round 1, lane 1\n"
               "          start 4.1 builder: work, build, round 1, lane 2\n");
    story_end(&story);
}

/* Two lanes that ask at their bound. */
static void begin_asking(struct story *story, struct budget *budget)
{
    uint32_t build;

    story_begin_within(story, PLAN_LOOPS, (struct plan_size){ .lanes = 2, .runs = 1 }, budget);
    build = plans_phase(&story->fixture.plan, "build");
    story->fixture.phases[build].gate.at_bound = BOUND_ASK;
}

/* One lane has a question, another had no room. */
TEST(a_question_can_be_answered_while_the_budget_is_spent)
{
    struct budget budget = story_budget(BUDGET_CALLS, 5), none = { 0 };
    struct story story;

    begin_asking(&story, &budget);
    story_skip(&story, "start, 1 tasks 2, 2 clean, 3 complete");
    story_play(&story, "5 findings, 4 complete, answer accept 1",
               "[   40] loop-reviewer 5.1 findings 1\n"
               "          ask bound, lane 1\n"
               "[   50] builder 4.1 clean complete\n"
               "          finish budget\n"
               "[   60] answer accept, lane 1\n"
               "          finish budget\n");
    assert_int_equal(story.engine.lanes[1].state, LANE_PASSED);
    story.budget = &none;
    story_play(&story, "resume",
               "[   70] resume with another budget\n"
               "          start 6.1 loop-reviewer: review, build, round 1, lane 2\n");
    story_end(&story);
}

TEST(an_answer_looks_anew_whether_there_is_room)
{
    struct budget budget = story_budget(BUDGET_USD, 1000);
    struct story story;

    begin_asking(&story, &budget);
    story_skip(&story, "start, 1 tasks 2, 2 clean, 3 complete, 5 findings");
    story_play(&story, "4 paid, answer continue 1",
               "[   50] builder 4.1 failed (budget) for good\n"
               "          finish budget\n"
               "[   60] answer continue, lane 1\n"
               "          start 6.1 builder: repair, build, round 1, lane 1\n");
    story_end(&story);
}
