/* SPDX-License-Identifier: Apache-2.0 */
#include "custom_scene.h"

#include "test.h"

enum { PROMPT_BYTES_MAX = 4 << 20, STEP_MS = 10 };

void custom_open(struct custom_scene *scene, const char *text)
{
    struct err err;

    *scene = (struct custom_scene){ .file = { LOOP_FILE, str_of(text) }, .now_ms = 1000 };
    scene->settings = (struct settings){ .files = &scene->file, .file_count = 1 };
    scene->dialect = dialect_of("mine", &scene->settings, &scene->arena);
    assert_int_equal(scene->dialect->plan(&scene->settings, &scene->arena, &scene->plan, &err), 0);
    engine_init(&scene->engine, &scene->plan);
    scene->run = (struct run_view){ .engine = &scene->engine, .id = "r1", .task = "the task",
                                    .workspace = "/w", .owner = "1", .settings = &scene->settings,
                                    .fence = CUSTOM_FENCE, .session = "" };
}

void custom_close(struct custom_scene *scene)
{
    actions_release(&scene->actions);
    engine_release(&scene->engine);
    arena_release(&scene->arena);
}

void custom_step(struct custom_scene *scene, struct event event)
{
    event.now_ms = scene->now_ms += STEP_MS;
    engine_step(&scene->engine, &event, &scene->actions);
    engine_check(&scene->engine);
}

struct action custom_asked(const struct custom_scene *scene, uint32_t lane, uint16_t role)
{
    const struct lane *row = &scene->engine.lanes[lane];

    assert_true(lane < scene->engine.lane_count);
    for (uint32_t i = 0; i < row->now.count; i++) {
        if (row->now.jobs[i].role == role) return job_action(row, &row->now.jobs[i]);
    }
    fail_msg("role %u is not asked in lane %u", role, lane);
    return (struct action){ 0 };
}

struct result custom_judged(struct custom_scene *scene, struct action action, const char *answer)
{
    struct result result;

    scene->dialect->judge(&scene->run, &action, str_of(answer), &scene->arena, &result);
    return result;
}

void custom_answer(struct custom_scene *scene, uint32_t lane, uint16_t role, const char *answer)
{
    struct action action = custom_asked(scene, lane, role);

    custom_step(scene, (struct event){ .kind = EV_ENDED, .job = action.job,
                                       .attempt = action.attempt,
                                       .result = custom_judged(scene, action, answer) });
}

const char *custom_told(struct custom_scene *scene, uint32_t lane, uint16_t role)
{
    struct action action = custom_asked(scene, lane, role);
    struct prompt_request request = { .action = &action, .output = "/o" };
    struct buf out;

    buf_init(&out, PROMPT_BYTES_MAX);
    scene->dialect->prompt(&scene->run, &request, &out);
    assert_false(out.overflow);
    return arena_take_cstr(&scene->arena, &out);
}
