/* SPDX-License-Identifier: Apache-2.0 */
#include "review_back.h"
#include "dialect/dialects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void review_back_open(struct review_back *back, const struct contract *files,
                      struct run_view view)
{
    struct actions actions = { 0 };
    struct settings settings;
    struct err err = { 0 };

    *back = (struct review_back){ .restored = { .count = 0 } };
    if (dialect_review.adopting->settings_of(files, &back->arena, &settings, &err) != 0 ||
        dialect_review.adopting->restore(files, &settings, &back->restored, &err) != 0) {
        fail_msg("restore: %s", err.text);
    }
    assert_int_equal(dialect_review.plan(&settings, &back->arena, &back->plan, &err), 0);
    engine_init(&back->engine, &back->plan);
    for (uint32_t i = 0; i < back->restored.count; i++) {
        engine_step(&back->engine, &back->restored.events[i], &actions);
        assert_true(actions.count > 0);
    }
    actions_release(&actions);
    view.engine = &back->engine;
    view.task = back->restored.task;
    dialect_review.record(&view, &back->record);
}

void review_back_close(struct review_back *back)
{
    contract_release(&back->record);
    engine_release(&back->engine);
    arena_release(&back->restored.arena);
    arena_release(&back->arena);
}

const char *review_back_left(const struct engine *engine, struct arena *arena)
{
    const struct lane *lane = &engine->lanes[0];
    const char *text = lane_state_word(lane->state);

    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];
        if (job->state == JOB_DONE && job->purpose == FOR_REVIEW) continue;
        text = arena_printf(arena, "%s %s", text, engine->plan->roles[job->role].name);
    }
    return text;
}
