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
