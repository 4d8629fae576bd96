/* SPDX-License-Identifier: Apache-2.0 */
#include "nine_scene.h"

#include "by_hand.h"
#include "dialect/dialects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void nine_step(struct nine *nine, struct event event)
{
    hand_step(&nine->engine, &nine->actions, &nine->now_ms, event);
}

const char *nine_json(struct nine *nine, const char *text)
{
    size_t size = strlen(text);
    char *copy = arena_alloc(&nine->arena, size + 1);

    for (size_t i = 0; i < size; i++) copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    return copy;
}

static void add_file(struct nine *nine, const char *path, const char *text)
{
    nine->files[nine->settings.file_count++] = (struct config_text){ path, str_of(text) };
}

void nine_prepare(struct nine *nine, struct nine_setup setup)
{
    struct err err = { 0 };

    *nine = (struct nine){ .now_ms = HAND_BEGIN_MS };
    nine->settings = (struct settings){ .items = nine->options, .files = nine->files };
    if (setup.max_iterations) {
        nine->options[nine->settings.count++] =
            (struct setting){ "max-iterations", setup.max_iterations };
    }
    if (setup.lite) nine->options[nine->settings.count++] = (struct setting){ "lite", "true" };
    if (setup.config) {
        add_file(nine, ".claude/iterate-config.local.json", nine_json(nine, setup.config));
    }
    if (setup.reviewers) {
        nine->options[nine->settings.count++] = (struct setting){ "reviewers", setup.reviewers };
    }
    if (setup.role) add_file(nine, ".hone/roles/perf.md", setup.role);
    if (setup.fixer) add_file(nine, ".hone/roles/fixer.md", setup.fixer);
    assert_int_equal(iterate_plan(&nine->settings, &nine->arena, &nine->plan, &err), 0);
    engine_init(&nine->engine, &nine->plan);
    nine->run = (struct run_view){
        .engine = &nine->engine,
        .id = "run-1",
        .task = "Make it right",
        .workspace = "/some/space",
        .owner = "4711",
        .settings = &nine->settings,
        .test = "make check",
        .fence = NINE_FENCE,
    };
}

void nine_open(struct nine *nine, struct nine_setup setup)
{
    nine_prepare(nine, setup);
    nine_step(nine, (struct event){ .kind = EV_START });
}

void nine_close(struct nine *nine)
{
    engine_release(&nine->engine);
    actions_release(&nine->actions);
    arena_release(&nine->arena);
}

struct action nine_action(const struct nine *nine, const char *role)
{
    return hand_action(&nine->engine, 0, role);
}

void nine_answer(struct nine *nine, const char *role, const char *answer)
{
    struct action action = nine_action(nine, role);

    nine_step(nine, hand_answer(&dialect_iterate, &nine->run, &action, answer, &nine->arena));
}

void nine_reach(struct nine *nine, uint32_t number)
{
    while (iterate_phase_number(nine->engine.lanes[0].phase) < number) {
        const struct batch *now = &nine->engine.lanes[0].now;
        const struct role *role = &nine->plan.roles[now->jobs[0].role];
        const char *answer = now->jobs[0].purpose == FOR_REVIEW ? NINE_CLEAN : NULL;

        if (role->builtin) answer = "exit 0\nall good\n";
        if (!answer) {
            answer = arena_printf(&nine->arena, "what the %s wrote, copy %u", role->name,
                                  (unsigned)nine_action(nine, role->name).copy);
        }
        nine_answer(nine, role->name, answer);
        assert_int_equal(nine->engine.state, ENGINE_RUNNING);
    }
}

void nine_choose(struct nine *nine, enum choice choice)
{
    nine_step(nine, (struct event){ .kind = EV_ANSWER, .choice = choice });
}

const char *nine_issues(struct nine *nine, const char *places)
{
    static const char *const words[] = { "HIGH", "MEDIUM", "LOW" };
    struct str rest = str_of(places), place;
    const char *kept;
    struct buf text;
    unsigned count = 0;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"issues\":[");
    while (str_cut(&rest, ' ', &place)) {
        buf_printf(&text, "%s{\"severity\":\"%s\",\"message\":\"issue %u of %.*s\","
                   "\"location\":\"%.*s\"}", count ? "," : "", words[count % 3], count + 1,
                   STR_ARG(place), STR_ARG(place));
        count++;
    }
    buf_text(&text, "]}");
    kept = arena_cstr(&nine->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

const char *nine_state(struct nine *nine)
{
    struct contract contract = { 0 };
    const char *kept;

    iterate_record(&nine->run, &contract);
    assert_int_equal(contract.file_count, 1);
    assert_string_equal(contract.files[0].path, ".agents/iteration-state.json");
    kept = arena_cstr(&nine->arena, contract.files[0].content);
    contract_release(&contract);
    return kept;
}
