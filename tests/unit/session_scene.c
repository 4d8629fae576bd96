/* SPDX-License-Identifier: Apache-2.0 */
#include "session_scene.h"

#include "by_hand.h"
#include "dialect/dialects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void session_event(struct session_scene *scene, struct event event)
{
    hand_step(&scene->engine, &scene->actions, &scene->now_ms, event);
    assert_true(scene->actions.count > 0);
}

static void take_options(struct session_scene *scene, const char *options)
{
    struct str rest = str_of(options), piece, name;

    while (str_cut(&rest, ' ', &piece)) {
        if (piece.size == 0) continue;
        str_cut(&piece, '=', &name);
        scene->items[scene->settings.count++] = (struct setting){
            arena_cstr(&scene->arena, name), arena_cstr(&scene->arena, piece) };
    }
}

int session_prepare(struct session_scene *scene, const char *options, const char *config,
                    const char *name, const char *text, struct err *err)
{
    int rc;

    *scene = (struct session_scene){ .now_ms = HAND_BEGIN_MS };
    scene->settings = (struct settings){ .items = scene->items, .files = scene->files,
                                         .warnings = &scene->warnings };
    take_options(scene, options);
    if (config) {
        scene->files[scene->settings.file_count++] =
            (struct config_text){ ".review-loop/config.md", str_of(config) };
    }
    if (name) {
        scene->files[scene->settings.file_count++] = (struct config_text){ name, str_of(text) };
    }
    rc = dialect_session.plan(&scene->settings, &scene->arena, &scene->plan, err);
    if (rc != 0) return rc;
    assert_null(plan_problem(&scene->plan));
    engine_init(&scene->engine, &scene->plan);
    scene->tree = (struct tree_view){ .head = "1111111111111111111111111111111111111111",
                                      .dirty = scene->dirty, .delta = scene->delta,
                                      .diff = STR("+lock();\n") };
    scene->run = (struct run_view){
        .engine = &scene->engine,
        .id = "run-1",
        .task = SESSION_TASK,
        .workspace = "/some/space",
        .owner = "4711",
        .settings = &scene->settings,
        .fence = SESSION_FENCE,
        .uuid = SESSION_UUID,
        .backend = "cmd",
        .tree = &scene->tree,
    };
    return 0;
}

void session_open_file(struct session_scene *scene, const char *options, const char *config,
                       const char *name, const char *text)
{
    struct event event = { .kind = EV_START };
    struct err err = { 0 };

    assert_int_equal(session_prepare(scene, options, config, name, text, &err), 0);
    assert_int_equal(dialect_session.framing->start(&scene->run, &scene->arena, &event.result,
                                                    &err), 0);
    session_event(scene, event);
}

void session_open(struct session_scene *scene, const char *options, const char *config)
{
    session_open_file(scene, options, config, NULL, NULL);
}

void session_close(struct session_scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    warnings_release(&scene->warnings);
    arena_release(&scene->arena);
}

struct action session_action(const struct session_scene *scene, const char *role)
{
    return hand_action(&scene->engine, 0, role);
}

/* A blob's id that no other content has. */
static const char *oid_of(struct session_scene *scene)
{
    return arena_printf(&scene->arena, "%040llx", (unsigned long long)scene->now_ms);
}

void session_change(struct session_scene *scene, const char *changes)
{
    struct str rest = str_of(changes), piece, path;

    scene->tree.delta_count = 0;
    while (str_cut(&rest, ' ', &piece)) {
        struct tree_file *file = &scene->delta[scene->tree.delta_count++];
        uint32_t at = 0;

        str_cut(&piece, ':', &path);
        file->path = arena_copy(&scene->arena, path);
        file->change = arena_cstr(&scene->arena, piece);
        file->oid = str_is(piece, "deleted") ? "" : oid_of(scene);
        while (at < scene->tree.dirty_count && !str_eq(scene->dirty[at].path, path)) at++;
        if (at == scene->tree.dirty_count) scene->tree.dirty_count++;
        scene->dirty[at] = *file;
        scene->dirty[at].change = "";
    }
}

enum verdict session_answer(struct session_scene *scene, const char *role, const char *answer)
{
    struct action action = session_action(scene, role);
    struct event event = hand_answer(&dialect_session, &scene->run, &action, answer,
                                     &scene->arena);

    event.result.by = str_of(scene->run.backend);
    session_event(scene, event);
    return event.result.verdict;
}

void session_execute(struct session_scene *scene, const char *title)
{
    const char *text = arena_printf(&scene->arena, EXEC_ANSWER("%s", "src/queue.c"), title);

    session_change(scene, "src/queue.c:modified");
    assert_int_equal(session_answer(scene, "executor", text), VERDICT_CLEAN);
}

void session_plan_it(struct session_scene *scene)
{
    assert_int_equal(session_answer(scene, "executor", PLAN_ANSWER("a lock")), VERDICT_CLEAN);
    assert_int_equal(session_answer(scene, "reviewer", APPROVE_ANSWER), VERDICT_CLEAN);
}

void session_scan(struct session_scene *scene, const char *secret)
{
    struct action action = session_action(scene, "scan");
    struct event event = { .kind = EV_ENDED, .job = action.job, .attempt = action.attempt };
    struct finding finding = { .severity = SEVERITY_HIGH, .kind = STR("secret"),
                               .file = STR("a.env"), .line = 1, .text = str_of(secret) };

    dialect_session.found(&scene->run, &action,
                          &(struct found){ .findings = &finding, .count = secret ? 1 : 0 },
                          &scene->arena, &event.result);
    event.result.by = STR("hone");
    session_event(scene, event);
}

void session_fail(struct session_scene *scene, const char *role, const char *by,
                  const char *problem)
{
    session_miss(scene, role, by, problem, MISS_PLAIN);
}

void session_miss(struct session_scene *scene, const char *role, const char *by,
                  const char *problem, enum miss miss)
{
    struct action action = session_action(scene, role);
    struct event event = hand_failure(&action, FAILURE_EXIT, problem);

    event.result.by = str_of(by);
    event.result.miss = miss;
    session_event(scene, event);
}

void session_choose(struct session_scene *scene, enum choice choice)
{
    session_event(scene, (struct event){ .kind = EV_ANSWER, .choice = choice });
}

void session_deliver(struct session_scene *scene)
{
    session_answer(scene, "polish", APPROVE_ANSWER);
    session_answer(scene, "docs", APPROVE_ANSWER);
    session_scan(scene, NULL);
    session_answer(scene, "security", APPROVE_ANSWER);
    session_answer(scene, "deliver", "delivered");
    assert_int_equal(scene->engine.reason, REASON_CLEAN);
}

const char *session_file_at(struct session_scene *scene, const char *path)
{
    struct contract contract = { 0 };
    const char *kept = NULL;

    dialect_session.record(&scene->run, &contract);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        if (strcmp(contract.files[i].path, path) != 0) continue;
        kept = arena_cstr(&scene->arena, contract.files[i].content);
    }
    contract_release(&contract);
    return kept;
}

const char *session_text(struct session_scene *scene)
{
    const char *text = session_file_at(scene, SESSION_MD);

    assert_non_null(text);
    return text;
}

const char *session_prompt_text(struct session_scene *scene, const char *role)
{
    struct action action = session_action(scene, role);
    struct prompt_request request = { .action = &action, .output = "/out/answer" };
    struct buf text;
    const char *kept;

    buf_init(&text, 1 << 24);
    dialect_session.prompt(&scene->run, &request, &text);
    assert_false(text.overflow);
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

static void continue_from(struct session_scene *scene, const char *text, const char *options,
                          const char *config, bool ours)
{
    struct contract files = { 0 };
    struct restored restored;
    struct err err = { 0 };
    const char *all = options && *options ? options : "";
    char joined[256];

    snprintf(joined, sizeof joined, "session=" SESSION_UUID " %s", all);
    assert_int_equal(session_prepare(scene, joined, config, SESSION_MD, text, &err), 0);
    contract_file_add(&files, SESSION_MD, str_of(text));
    assert_int_equal(dialect_session.continuing->restore(&files, &scene->settings, ours,
                                                         &restored, &err), 0);
    scene->run.task = arena_cstr(&scene->arena, str_of(restored.task));
    assert_int_equal(dialect_session.framing->start(&scene->run, &scene->arena,
                                                    &restored.events[0].result, &err), 0);
    for (uint32_t i = 0; i < restored.count; i++) {
        engine_step(&scene->engine, &restored.events[i], &scene->actions);
        assert_true(scene->actions.count > 0);
    }
    scene->now_ms = 1767400000000;
    arena_release(&restored.arena);
    contract_release(&files);
}

void session_continue(struct session_scene *scene, const char *text, const char *options,
                      const char *config)
{
    continue_from(scene, text, options, config, true);
}

void session_continue_other(struct session_scene *scene, const char *text)
{
    continue_from(scene, text, "", NULL, false);
}

void session_stands(const struct session_scene *scene, enum lane_state state, const char *phase,
                    uint32_t rounds, uint32_t mints)
{
    const struct lane *lane = &scene->engine.lanes[0];

    assert_string_equal(lane_state_word(lane->state), lane_state_word(state));
    assert_string_equal(scene->plan.phases[lane->phase].name, phase);
    assert_int_equal(lane->tallies[lane->phase].rounds, rounds);
    assert_int_equal(lane->mints, mints);
}
