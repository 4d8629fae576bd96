/* SPDX-License-Identifier: Apache-2.0 */
#include "cycles_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void cycles_event(struct cycles_scene *scene, struct event event)
{
    scene->now_ms += 1000;
    event.now_ms = scene->now_ms;
    engine_step(&scene->engine, &event, &scene->actions);
    assert_true(scene->actions.count > 0);
}

void cycles_open(struct cycles_scene *scene, const char *spec, const char *cycles)
{
    struct err err = { 0 };

    *scene = (struct cycles_scene){ .now_ms = 1767323045000 - 1000 };
    scene->settings.items = scene->items;
    scene->items[scene->settings.count++] = (struct setting){ "session-dir", "out/s" };
    if (cycles) scene->items[scene->settings.count++] = (struct setting){ "cycles", cycles };
    if (spec) {
        scene->items[scene->settings.count++] = (struct setting){ "spec", CYCLES_SPEC_PATH };
        scene->file = (struct config_text){ "--spec", str_of(spec) };
        scene->settings.files = &scene->file;
        scene->settings.file_count = 1;
    }
    assert_int_equal(dialect_cycles.plan(&scene->settings, &scene->arena, &scene->plan, &err), 0);
    engine_init(&scene->engine, &scene->plan);
    scene->run = (struct run_view){
        .engine = &scene->engine,
        .id = "run-1",
        .task = "Build the login",
        .workspace = "/work/space",
        .owner = "4711",
        .settings = &scene->settings,
        .fence = CYCLES_FENCE,
    };
    cycles_event(scene, (struct event){ .kind = EV_START });
}

void cycles_close(struct cycles_scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    arena_release(&scene->arena);
}

struct action cycles_action(const struct cycles_scene *scene, const char *role)
{
    const struct batch *now = &scene->engine.lanes[0].now;
    const struct job *job = now->count ? &now->jobs[0] : NULL;

    if (!job || job->state != JOB_RUNNING ||
        strcmp(scene->plan.roles[job->role].name, role) != 0) {
        fail_msg("nothing is asked of %s", role);
        return (struct action){ .kind = ACT_START };
    }
    return (struct action){ .kind = ACT_START, .job = job->id, .attempt = job->attempt,
                            .role = job->role, .purpose = job->purpose, .phase = now->phase,
                            .iteration = now->iteration, .round = now->round, .copy = job->copy };
}

void cycles_answer(struct cycles_scene *scene, const char *role, const char *answer)
{
    struct action action = cycles_action(scene, role);
    struct event event = { .kind = EV_ENDED, .job = action.job, .attempt = action.attempt };

    dialect_cycles.judge(&scene->run, &action, str_of(answer), &scene->arena, &event.result);
    cycles_event(scene, event);
}

void cycles_fail(struct cycles_scene *scene, const char *role, const char *problem)
{
    struct action action = cycles_action(scene, role);

    cycles_event(scene, (struct event){ .kind = EV_ENDED, .job = action.job,
                                        .attempt = action.attempt,
                                        .result = { .verdict = VERDICT_FAILED, .permanent = true,
                                                    .failure = FAILURE_EXIT,
                                                    .problem = str_of(problem) } });
}

void cycles_implement(struct cycles_scene *scene)
{
    cycles_answer(scene, "implementer", "built");
    cycles_answer(scene, "committer", "commit 1234\nmain.c\n");
}

void cycles_fix(struct cycles_scene *scene)
{
    cycles_answer(scene, "spec-fixer", "fixed");
    cycles_answer(scene, "committer", "commit 5678\nmain.c\n");
}

const char *cycles_files(struct cycles_scene *scene)
{
    struct contract contract = { 0 };
    const char *kept;
    struct buf text;

    dialect_cycles.record(&scene->run, &contract);
    buf_init(&text, 1 << 26);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        buf_printf(&text, "== %s\n", contract.files[i].path);
        buf_add(&text, contract.files[i].content);
    }
    assert_false(text.overflow);
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    contract_release(&contract);
    return kept;
}
