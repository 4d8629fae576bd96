/* SPDX-License-Identifier: Apache-2.0 */
#include "cycles_scene.h"

#include "by_hand.h"
#include "dialect/dialects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void cycles_event(struct cycles_scene *scene, struct event event)
{
    hand_step(&scene->engine, &scene->actions, &scene->now_ms, event);
    assert_true(scene->actions.count > 0);
}

static void prepare(struct cycles_scene *scene, const char *spec, const char *cycles)
{
    *scene = (struct cycles_scene){ .now_ms = HAND_BEGIN_MS };
    scene->settings.items = scene->items;
    scene->items[scene->settings.count++] = (struct setting){ "session-dir", "out/s" };
    if (cycles) scene->items[scene->settings.count++] = (struct setting){ "cycles", cycles };
    if (spec) {
        scene->items[scene->settings.count++] = (struct setting){ "spec", CYCLES_SPEC_PATH };
        scene->files[scene->settings.file_count++] = (struct config_text){ "--spec", str_of(spec) };
    }
    scene->settings.files = scene->files;
}

static void begin(struct cycles_scene *scene)
{
    struct err err = { 0 };

    assert_int_equal(dialect_cycles.plan(&scene->settings, &scene->arena, &scene->plan, &err), 0);
    engine_init(&scene->engine, &scene->plan);
    scene->run = (struct run_view){
        .engine = &scene->engine,
        .id = "run-1",
        .task = "Build the login",
        .workspace = "/some/space",
        .owner = "4711",
        .settings = &scene->settings,
        .fence = CYCLES_FENCE,
    };
    cycles_event(scene, (struct event){ .kind = EV_START });
}

void cycles_open(struct cycles_scene *scene, const char *spec, const char *cycles)
{
    prepare(scene, spec, cycles);
    begin(scene);
}

void cycles_open_panel(struct cycles_scene *scene, const char *reviewers, const char *role)
{
    prepare(scene, NULL, NULL);
    scene->items[scene->settings.count++] = (struct setting){ "reviewers", reviewers };
    scene->files[scene->settings.file_count++] = (struct config_text){ ".hone/roles/perf.md",
                                                                       str_of(role) };
    begin(scene);
}

void cycles_close(struct cycles_scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    arena_release(&scene->arena);
}

struct action cycles_action(const struct cycles_scene *scene, const char *role)
{
    return hand_action(&scene->engine, 0, role);
}

void cycles_answer(struct cycles_scene *scene, const char *role, const char *answer)
{
    struct action action = cycles_action(scene, role);

    cycles_event(scene, hand_answer(&dialect_cycles, &scene->run, &action, answer,
                                    &scene->arena));
}

void cycles_fail(struct cycles_scene *scene, const char *role, const char *problem)
{
    struct action action = cycles_action(scene, role);

    cycles_event(scene, hand_failure(&action, FAILURE_EXIT, problem));
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
