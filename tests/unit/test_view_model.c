/* SPDX-License-Identifier: Apache-2.0
 *
 * test_view_model.c - who stands in the table of a view, and who does not any more. */
#include "view/view_render.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end(struct view_model *model, uint32_t job, enum verdict verdict, uint32_t findings,
                uint64_t took_ms)
{
    struct result result = { .verdict = verdict, .finding_count = findings };

    view_model_ended(model, job, &result, took_ms);
}

static void start(struct view_model *model, const char *role, enum purpose purpose, uint32_t job,
                  uint32_t round, uint32_t attempt)
{
    view_model_start(model, &(struct view_row){ .job = job, .attempt = attempt, .round = round,
        .purpose = purpose, .copy = 1, .role = role, .spec = "x", .state = ROW_RUNNING });
}

static void assert_roles(const struct view_model *model, const char *expected)
{
    struct buf roles;

    buf_init(&roles, 1024);
    for (uint32_t i = 0; i < model->row_count; i++) {
        buf_printf(&roles, "%s%s:%u", i ? " " : "", model->rows[i].role, model->rows[i].job);
    }
    assert_string_equal(buf_cstr(&roles), expected);
    buf_release(&roles);
}

TEST(a_fixer_stands_below_its_review)
{
    struct view_model model = { 0 };

    start(&model, "critic", FOR_REVIEW, 1, 1, 1);
    start(&model, "pedant", FOR_REVIEW, 2, 1, 1);
    end(&model, 1, VERDICT_FINDINGS, 1, 10);
    end(&model, 2, VERDICT_CLEAN, 0, 10);
    start(&model, "fixer", FOR_REPAIR, 3, 1, 1);
    assert_roles(&model, "critic:1 pedant:2 fixer:3");
    view_model_release(&model);
}

TEST(a_new_round_clears_the_table)
{
    struct view_model model = { 0 };

    start(&model, "critic", FOR_REVIEW, 1, 1, 1);
    start(&model, "pedant", FOR_REVIEW, 2, 1, 1);
    end(&model, 1, VERDICT_FINDINGS, 1, 10);
    end(&model, 2, VERDICT_CLEAN, 0, 10);
    start(&model, "fixer", FOR_REPAIR, 3, 1, 1);
    end(&model, 3, VERDICT_CLEAN, 0, 10);
    assert_int_equal(model.rows[2].state, ROW_DONE);
    start(&model, "critic", FOR_REVIEW, 4, 2, 1);
    start(&model, "pedant", FOR_REVIEW, 5, 2, 1);
    assert_roles(&model, "critic:4 pedant:5");
    assert_int_equal(model.rows[0].state, ROW_RUNNING);
    view_model_release(&model);
}

TEST(another_attempt_takes_the_same_row)
{
    struct view_model model = { 0 };

    start(&model, "critic", FOR_REVIEW, 1, 1, 1);
    start(&model, "pedant", FOR_REVIEW, 2, 1, 1);
    end(&model, 1, VERDICT_FAILED, 0, 10);
    assert_int_equal(model.rows[0].state, ROW_FAILED);
    start(&model, "critic", FOR_REVIEW, 1, 1, 2);
    assert_roles(&model, "critic:1 pedant:2");
    assert_int_equal(model.rows[0].state, ROW_RUNNING);
    assert_int_equal(model.rows[0].attempt, 2);
    view_model_release(&model);
}

/* The tree changed: the same round is reviewed again, by new jobs. */
TEST(a_review_that_begins_anew_replaces_rows)
{
    struct view_model model = { 0 };

    start(&model, "critic", FOR_REVIEW, 1, 1, 1);
    start(&model, "pedant", FOR_REVIEW, 2, 1, 1);
    start(&model, "critic", FOR_REVIEW, 3, 1, 1);
    start(&model, "pedant", FOR_REVIEW, 4, 1, 1);
    end(&model, 1, VERDICT_FAILED, 0, 10); /* told late */
    assert_roles(&model, "critic:3 pedant:4");
    assert_int_equal(model.rows[0].state, ROW_RUNNING);
    view_model_release(&model);
}

TEST(who_was_stopped_has_not_failed)
{
    struct view_model model = { 0 };
    struct result result = { .verdict = VERDICT_FAILED, .failure = FAILURE_STOPPED };

    start(&model, "critic", FOR_REVIEW, 1, 1, 1);
    view_model_ended(&model, 1, &result, 1500);
    assert_int_equal(model.rows[0].state, ROW_STOPPED);
    assert_int_equal(model.rows[0].took_ms, 1500);
    view_model_release(&model);
}

static void in_lane(struct view_model *model, const char *role, enum purpose purpose,
                    uint32_t job, uint32_t lane)
{
    view_model_start(model, &(struct view_row){ .job = job, .attempt = 1, .round = 1,
        .purpose = purpose, .copy = 1, .lane = lane, .task = "t", .role = role, .spec = "x",
        .state = ROW_RUNNING });
}

TEST(a_lane_of_a_task_keeps_to_one_row_until_it_is_merged)
{
    struct view_model model = { 0 };

    in_lane(&model, "builder", FOR_WORK, 1, 1);
    in_lane(&model, "builder", FOR_WORK, 2, 2);
    end(&model, 1, VERDICT_CLEAN, 0, 10);
    in_lane(&model, "reviewer", FOR_REVIEW, 3, 1);
    assert_roles(&model, "reviewer:3 builder:2");
    end(&model, 3, VERDICT_CLEAN, 0, 10);
    in_lane(&model, "integrator", FOR_INTEGRATE, 4, 1);
    assert_roles(&model, "integrator:4 builder:2");
    end(&model, 4, VERDICT_FINDINGS, 1, 10);
    assert_roles(&model, "integrator:4 builder:2");
    in_lane(&model, "integrator", FOR_INTEGRATE, 5, 1);
    end(&model, 5, VERDICT_CLEAN, 0, 10);
    assert_roles(&model, "builder:2");
    view_model_release(&model);
}

TEST(lanes_do_not_clear_each_other)
{
    struct view_model model = { 0 };

    start(&model, "worker", FOR_WORK, 1, 0, 1);
    end(&model, 1, VERDICT_CLEAN, 0, 10);
    view_model_start(&model, &(struct view_row){ .job = 2, .attempt = 1, .lane = 2, .round = 1,
        .purpose = FOR_REVIEW, .role = "critic", .spec = "", .state = ROW_RUNNING });
    assert_roles(&model, "worker:1 critic:2");
    view_model_release(&model);
}

TEST(who_waits_keeps_its_row)
{
    struct view_model model = { 0 };

    start(&model, "critic", FOR_REVIEW, 1, 1, 1);
    start(&model, "pedant", FOR_REVIEW, 2, 1, 1);
    end(&model, 1, VERDICT_FAILED, 0, 10);
    view_model_waits(&model, 1, "the rate limit", 1000);
    assert_int_equal(model.rows[0].state, ROW_WAITING);
    view_model_waits(&model, 9, "the rate limit", 1000); /* no such job */
    end(&model, 2, VERDICT_CLEAN, 0, 10);
    start(&model, "review-fixer", FOR_REPAIR, 3, 2, 1);
    assert_roles(&model, "critic:1 review-fixer:3");
    start(&model, "critic", FOR_REVIEW, 1, 1, 2);
    assert_int_equal(model.rows[0].state, ROW_RUNNING);
    view_model_release(&model);
}
