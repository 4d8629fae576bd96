/* SPDX-License-Identifier: Apache-2.0 */
#include "loops_scene.h"

#include "by_hand.h"
#include "dialect/dialects.h"
#include "format/text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void loops_event(struct loops_scene *scene, struct event event)
{
    hand_step(&scene->engine, &scene->actions, &scene->now_ms, event);
    assert_true(scene->actions.count > 0);
}

static void add_file(struct loops_scene *scene, const char *option, const char *name,
                     const char *text)
{
    if (!text) return;
    scene->items[scene->settings.count++] = (struct setting){ option + 2, name };
    scene->files[scene->settings.file_count++] = (struct config_text){ option, str_of(text) };
}

void loops_open(struct loops_scene *scene, const char *tasks, const char *spec,
                const char *effort)
{
    struct event event = { .kind = EV_START };
    struct err err = { 0 };

    *scene = (struct loops_scene){ .now_ms = HAND_BEGIN_MS };
    scene->settings.items = scene->items;
    scene->settings.files = scene->files;
    add_file(scene, "--tasks", "tasks.json", tasks);
    add_file(scene, "--spec", "specs/login.md", spec);
    if (effort) scene->items[scene->settings.count++] = (struct setting){ "effort", effort };
    if (dialect_loops.plan(&scene->settings, &scene->arena, &scene->plan, &err) != 0) {
        fail_msg("%s", err.text);
    }
    assert_null(plan_problem(&scene->plan));
    engine_init(&scene->engine, &scene->plan);
    scene->run = (struct run_view){
        .engine = &scene->engine,
        .id = "k3f9a1b2",
        .task = "Build the login",
        .workspace = "/some/space",
        .owner = "4711",
        .settings = &scene->settings,
        .fence = LOOPS_FENCE,
        .worktrees = "/some/trees",
    };
    assert_int_equal(dialect_loops.framing->start(&scene->run, &scene->arena, &event.result,
                                                  &err), 0);
    loops_event(scene, event);
}

void loops_close(struct loops_scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    arena_release(&scene->arena);
}

struct action loops_action(const struct loops_scene *scene, uint32_t lane, const char *role)
{
    return hand_action(&scene->engine, lane, role);
}

struct result loops_answer(struct loops_scene *scene, uint32_t lane, const char *role,
                           const char *answer)
{
    struct action action = loops_action(scene, lane, role);
    struct event event = hand_answer(&dialect_loops, &scene->run, &action, answer, &scene->arena);

    event.result.usage.cost_micros = 250000;
    loops_event(scene, event);
    return event.result;
}

void loops_build(struct loops_scene *scene, uint32_t lane)
{
    loops_answer(scene, lane, "builder", "built it\nTASK_COMPLETE\n");
    loops_answer(scene, lane, "loop-reviewer", LOOPS_PASS);
}

void loops_merge(struct loops_scene *scene, uint32_t lane)
{
    loops_answer(scene, lane, "integrator", "merged 1234\n");
}

const char *loops_asked(struct loops_scene *scene)
{
    const char *kept;
    struct buf text;

    buf_init(&text, 1 << 16);
    for (uint32_t i = 0; i < scene->engine.lane_count; i++) {
        const struct batch *now = &scene->engine.lanes[i].now;

        if (now->count == 0 || now->jobs[0].state != JOB_RUNNING) continue;
        buf_printf(&text, "%s%u %s", text.size ? ", " : "", (unsigned)i,
                   scene->plan.roles[now->jobs[0].role].name);
    }
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

static void add_cell(struct buf *text, const struct contract_cell *cell)
{
    buf_printf(text, "%s=", cell->column);
    switch (cell->kind) {
    case CELL_NULL:
        buf_text(text, "NULL");
        break;
    case CELL_INTEGER:
        buf_printf(text, "%lld", (long long)cell->integer);
        break;
    case CELL_REAL:
        buf_printf(text, "%g", cell->real);
        break;
    case CELL_TEXT:
        buf_printf(text, "'%.*s'", STR_ARG(cell->text));
        break;
    }
}

const char *loops_rows(struct loops_scene *scene, const char *table)
{
    struct contract contract = { 0 };
    const char *kept;
    struct buf text;

    dialect_loops.record(&scene->run, &contract);
    assert_int_equal(contract.file_count + contract.folder_count + contract.absent_count, 0);
    buf_init(&text, 1 << 26);
    for (uint32_t i = 0; i < contract.row_count; i++) {
        const struct contract_row *row = &contract.rows[i];

        if (strcmp(row->table, table) != 0) continue;
        for (uint32_t k = 0; k < row->count; k++) {
            if (k > 0) buf_byte(&text, ' ');
            add_cell(&text, &row->cells[k]);
        }
        buf_byte(&text, '\n');
    }
    assert_false(text.overflow);
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    contract_release(&contract);
    return kept;
}

const char *loops_text(struct loops_scene *scene, uint32_t lane, const char *role,
                       const char *problem)
{
    struct action action = loops_action(scene, lane, role);
    struct prompt_request request = { .action = &action, .output = "/hone/runs/x/1-1/answer",
                                      .problem = str_of(problem) };
    const char *kept;
    struct buf out;

    buf_init(&out, 1 << 24);
    dialect_loops.prompt(&scene->run, &request, &out);
    assert_false(out.overflow);
    assert_true(out.size < 2 << 20);
    assert_int_equal(utf8_prefix(buf_str(&out)), out.size);
    kept = arena_cstr(&scene->arena, buf_str(&out));
    buf_release(&out);
    return kept;
}
