/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_print.c - the engine's text tells two states apart, and what it keeps of an answer
 * is its own. */
#include "shared/engine_print.h"
#include "story.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { PRINT_BYTES_MAX = 1 << 16 };

/* The text of a review whose first answer was this one. */
static char *printed_after(struct result result)
{
    struct story story;
    struct buf text;

    story_begin(&story, PLAN_LOOPS, plans_size(PLAN_LOOPS));
    story_skip(&story, "start");
    engine_step(&story.engine, &(struct event){ .kind = EV_ENDED, .job = 1, .attempt = 1,
                                                .result = result }, &story.actions);
    buf_init(&text, PRINT_BYTES_MAX);
    engine_print(&story.engine, &text);
    assert_false(text.overflow);
    story_end(&story);
    return text.data;
}

static void assert_tells_apart(struct result a, struct result b)
{
    char *first = printed_after(a), *again = printed_after(a), *other = printed_after(b);

    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    free(first);
    free(again);
    free(other);
}

TEST(every_part_of_an_answer_shows)
{
    static const uint32_t two[] = { 2 }, three[] = { 3 };
    static const struct finding low = { .text = STR("odd") },
                                high = { .severity = SEVERITY_HIGH, .text = STR("odd") },
                                other = { .text = STR("even") };
    const struct result plain = { .verdict = VERDICT_CLEAN };
    const struct result with_low = { .findings = &low, .finding_count = 1 };

    assert_tells_apart(plain, (struct result){ .verdict = VERDICT_INVALID });
    assert_tells_apart(plain, (struct result){ .stuck = true });
    assert_tells_apart(plain, (struct result){ .complete = true });
    assert_tells_apart(plain, (struct result){ .fix_groups = 2 });
    assert_tells_apart(plain, (struct result){ .fix_alone = true });
    assert_tells_apart(plain, (struct result){ .doc = STR("a") });
    assert_tells_apart(plain, (struct result){ .problem = STR("a") });
    assert_tells_apart((struct result){ .doc = STR("a") }, (struct result){ .doc = STR("b") });
    assert_tells_apart((struct result){ .doc = STR("a") }, (struct result){ .problem = STR("a") });
    assert_tells_apart(plain, with_low);
    assert_tells_apart(with_low, (struct result){ .findings = &high, .finding_count = 1 });
    assert_tells_apart(with_low, (struct result){ .findings = &other, .finding_count = 1 });
    assert_tells_apart((struct result){ .groups = two, .group_count = 1 },
                       (struct result){ .groups = three, .group_count = 1 });
    assert_tells_apart((struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT },
                       (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_TIME });
    assert_tells_apart((struct result){ .verdict = VERDICT_FAILED, .retry_at_ms = 5 },
                       (struct result){ .verdict = VERDICT_FAILED, .retry_at_ms = 6 });
}

/* The event and all it points to are gone after the step. */
TEST(an_answer_outlives_its_event)
{
    struct story story;
    char doc[] = "doc", problem[] = "problem", text[] = "odd", file[] = "a.c";
    struct finding finding = { .text = str_of(text), .file = str_of(file) };
    struct event event = { .kind = EV_ENDED, .job = 1, .attempt = 1,
        .result = { .verdict = VERDICT_FINDINGS, .findings = &finding, .finding_count = 1,
                    .doc = str_of(doc), .problem = str_of(problem) } };
    const struct result *kept;

    story_begin(&story, PLAN_REVIEW, plans_size(PLAN_REVIEW));
    story_skip(&story, "start");
    engine_step(&story.engine, &event, &story.actions);
    memset(doc, 'x', sizeof doc - 1);
    memset(problem, 'x', sizeof problem - 1);
    memset(text, 'x', sizeof text - 1);
    memset(file, 'x', sizeof file - 1);
    memset(&finding, 0, sizeof finding);
    story_skip(&story, "2-5 clean");
    kept = &story.engine.lanes[0].review.jobs[0].result;
    assert_true(str_is(kept->doc, "doc"));
    assert_true(str_is(kept->problem, "problem"));
    assert_int_equal(kept->finding_count, 1);
    assert_true(str_is(kept->findings[0].text, "odd"));
    assert_true(str_is(kept->findings[0].file, "a.c"));
    story_end(&story);
}

/* What a prompt needs of the attempt before: what was wrong with it. */
TEST(the_job_at_work_remembers_the_attempt_before)
{
    struct story story;
    const struct lane *lane;
    const struct job *job;

    story_begin(&story, PLAN_REVIEW, plans_size(PLAN_REVIEW));
    story_skip(&story, "start, 1 invalid");
    job = engine_job(&story.engine, 1, &lane);
    assert_non_null(job);
    assert_ptr_equal(lane, &story.engine.lanes[0]);
    assert_int_equal(job->state, JOB_RUNNING);
    assert_int_equal(job->attempt, 2);
    assert_int_equal(job->result.verdict, VERDICT_INVALID);
    assert_null(engine_job(&story.engine, 0, NULL));
    assert_null(engine_job(&story.engine, 6, NULL));
    story_end(&story);
}

/* A lost attempt says nothing: what was wrong with the one before it is told to the next. */
TEST(what_was_wrong_is_remembered_when_the_next_attempt_is_lost)
{
    struct story story;
    const struct job *job;

    story_begin(&story, PLAN_REVIEW, plans_size(PLAN_REVIEW));
    story_skip(&story, "start");
    engine_step(&story.engine, &(struct event){ .kind = EV_ENDED, .job = 1, .attempt = 1,
        .result = { .verdict = VERDICT_INVALID, .problem = STR("no line") } }, &story.actions);
    story_skip(&story, "1 lost, 1 lost");
    job = engine_job(&story.engine, 1, NULL);
    assert_int_equal(job->attempt, 4);
    assert_int_equal(job->result.verdict, VERDICT_INVALID);
    assert_true(str_is(job->result.problem, "no line"));
    story_skip(&story, "1 lost, 1 lost, 1 lost"); /* but why it is dead is told as it is */
    assert_int_equal(job->state, JOB_DEAD);
    assert_int_equal(job->result.failure, FAILURE_LOST);
    story_end(&story);
}

/* Two runs of which only one has lost attempts: a text that knows of these, and one that does not.
 */
TEST(what_was_lost_shows_in_the_whole_text_alone)
{
    struct story with, without;
    struct buf text[2], fate[2];

    story_begin(&with, PLAN_SESSION, plans_size(PLAN_SESSION));
    story_begin(&without, PLAN_SESSION, plans_size(PLAN_SESSION));
    story_skip(&with, "start, 1 clean, 2 lost, 2 lost, at 100, 2 findings");
    story_skip(&without, "start, 1 clean, at 100, 2 findings");
    for (uint32_t i = 0; i < 2; i++) {
        const struct engine *engine = i == 0 ? &with.engine : &without.engine;

        buf_init(&text[i], PRINT_BYTES_MAX);
        buf_init(&fate[i], PRINT_BYTES_MAX);
        engine_print(engine, &text[i]);
        engine_print_fate(engine, &fate[i]);
    }
    assert_string_not_equal(buf_cstr(&text[0]), buf_cstr(&text[1]));
    assert_string_equal(buf_cstr(&fate[0]), buf_cstr(&fate[1]));
    assert_non_null(strstr(buf_cstr(&fate[0]), "fault 0."));
    for (uint32_t i = 0; i < 2; i++) {
        buf_release(&text[i]);
        buf_release(&fate[i]);
    }
    story_end(&with);
    story_end(&without);
}

TEST(the_last_of_each_kind_is_kept)
{
    struct story story;
    const struct lane *lane;

    story_begin(&story, PLAN_CYCLES, plans_size(PLAN_CYCLES));
    story_skip(&story, "start, 1-2 clean, 3 findings 2, 4 clean, 5 clean, 6 findings 1");
    lane = &story.engine.lanes[0];
    assert_int_equal(lane->work.jobs[0].id, 2);
    assert_int_equal(lane->review.jobs[0].id, 6);
    assert_int_equal(lane->review.round, 2);
    assert_int_equal(lane->review.jobs[0].result.finding_count, 1);
    assert_int_equal(lane->repair.jobs[0].id, 4);
    assert_int_equal(lane->now.jobs[0].id, 7);
    story_end(&story);
}
