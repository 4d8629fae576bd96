/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_many.c - thousands of lanes: what the engine counts instead of looking at each. */
#include "../sim/plans.h"
#include "core/engine.h"

#include "test.h"

#include <string.h>

enum { LANES = 2000, LANES_MAX = 7, JOBS_MAX = 8 * LANES };

/* A run whose agents all say what is best; what was asked for waits in a list. */
struct crowd {
    struct fixture fixture;
    struct engine engine;
    struct actions actions;
    struct action asked[JOBS_MAX];
    uint32_t first, count;
    uint32_t merges[LANES + 1], merge_count; /* lanes in the order they were integrated in */
    uint32_t active_most;
};

static void step(struct crowd *crowd, const struct event *event)
{
    uint32_t active = 0;

    engine_step(&crowd->engine, event, &crowd->actions);
    for (uint32_t i = 0; i < crowd->actions.count; i++) {
        const struct action *action = &crowd->actions.item[i];

        if (action->kind != ACT_START) continue;
        assert_true(crowd->count < JOBS_MAX);
        crowd->asked[crowd->count++] = *action;
        if (action->purpose == FOR_INTEGRATE) crowd->merges[crowd->merge_count++] = action->lane;
    }
    for (uint32_t i = crowd->first; i < crowd->count; i++) {
        active += crowd->asked[i].lane > 0 && crowd->asked[i].purpose != FOR_INTEGRATE;
    }
    if (active > crowd->active_most) crowd->active_most = active;
}

static void crowd_begin(struct crowd *crowd)
{
    static const uint32_t groups[] = { LANES - 500, 1, 499 };
    struct plan_size size = { .lanes = LANES_MAX, .runs = 3, .checkpoint = 2 };
    struct event start = { .kind = EV_START, .result = { .groups = groups, .group_count = 3 } };

    memset(crowd, 0, sizeof *crowd);
    plans_make(&crowd->fixture, PLAN_LOOPS, &size);
    engine_init(&crowd->engine, &crowd->fixture.plan);
    step(crowd, &start);
}

static void crowd_end(struct crowd *crowd)
{
    actions_release(&crowd->actions);
    engine_release(&crowd->engine);
}

/* The next that was asked answers; every third builder works three times: there are checkpoints. */
static bool answer(struct crowd *crowd)
{
    struct event event = { .kind = EV_ENDED };
    const struct action *asked = &crowd->asked[crowd->first];

    if (crowd->first == crowd->count) return false;
    event.job = asked->job;
    event.attempt = asked->attempt;
    if (asked->purpose == FOR_WORK) {
        uint32_t runs = crowd->engine.lanes[asked->lane].runs;

        event.result.complete = asked->lane % 3 != 0 || runs == 2;
    }
    crowd->first++;
    step(crowd, &event);
    if (crowd->first % 500 == 0) engine_check(&crowd->engine);
    return true;
}

static void expect_all_merged(const struct crowd *crowd)
{
    assert_int_equal(crowd->engine.reason, REASON_CLEAN);
    assert_int_equal(crowd->engine.lane_count, LANES + 1);
    assert_int_equal(crowd->merge_count, LANES);
    for (uint32_t i = 0; i < LANES; i++) assert_int_equal(crowd->merges[i], i + 1);
    assert_int_equal(crowd->active_most, LANES_MAX);
    engine_check(&crowd->engine);
}

static struct crowd crowd;

TEST(two_thousand_lanes_are_merged_in_order)
{
    crowd_begin(&crowd);
    while (answer(&crowd)) continue;
    expect_all_merged(&crowd);
    crowd_end(&crowd);
}

/* What was asked for is gone after a stop; the resume asks for it once more, for nothing else. */
TEST(a_resume_among_two_thousand_lanes_starts_what_was_cut_off)
{
    struct event event = { .kind = EV_STOP };
    uint32_t jobs, cut;

    crowd_begin(&crowd);
    for (uint32_t i = 0; i < 3001; i++) assert_true(answer(&crowd));
    cut = crowd.count - crowd.first;
    jobs = crowd.engine.job_next;
    step(&crowd, &event);
    assert_int_equal(crowd.actions.count, 1 + cut);
    engine_check(&crowd.engine);
    event.kind = EV_RESUME;
    crowd.first = crowd.count;
    step(&crowd, &event);
    assert_int_equal(crowd.count - crowd.first, cut);
    assert_int_equal(crowd.engine.job_next, jobs);
    while (answer(&crowd)) continue;
    expect_all_merged(&crowd);
    crowd_end(&crowd);
}

TEST(an_end_of_nobody_changes_nothing)
{
    uint32_t jobs[] = { 0, 1, 0, UINT32_MAX };

    crowd_begin(&crowd);
    for (uint32_t i = 0; i < 50; i++) assert_true(answer(&crowd));
    jobs[2] = crowd.engine.job_next;
    for (uint32_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        step(&crowd, &(struct event){ .kind = EV_ENDED, .job = jobs[i], .attempt = 1 });
        assert_int_equal(crowd.actions.count, 0);
        assert_null(engine_job(&crowd.engine, jobs[i], NULL));
    }
    crowd_end(&crowd);
}

/* Lane 1500 belongs to the first group, which is merged when the last lane works. */
TEST(a_change_in_a_merged_lane_of_an_earlier_group_counts_nowhere)
{
    uint32_t before[CENSUS_COUNT];

    crowd_begin(&crowd);
    while (crowd.engine.group < 2) assert_true(answer(&crowd));
    memcpy(before, crowd.engine.census, sizeof before);
    step(&crowd, &(struct event){ .kind = EV_DRIFT, .lane = 1500 });
    assert_memory_equal(crowd.engine.census, before, sizeof before);
    assert_int_equal(crowd.engine.lanes[1500].touched, crowd.engine.steps);
    engine_check(&crowd.engine);
    while (answer(&crowd)) continue;
    expect_all_merged(&crowd);
    crowd_end(&crowd);
}
