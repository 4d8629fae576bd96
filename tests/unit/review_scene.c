/* SPDX-License-Identifier: Apache-2.0 */
#include "review_scene.h"

#include "by_hand.h"
#include "dialect/dialects.h"
#include "dialect/review/review.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void step(struct scene *scene, struct event event)
{
    hand_step(&scene->engine, &scene->actions, &scene->now_ms, event);
}

static void open_as(struct scene *scene, const struct settings *settings,
                    const struct event *start)
{
    struct err err = { 0 };

    *scene = (struct scene){ .now_ms = HAND_BEGIN_MS };
    if (dialect_review.plan(settings, &scene->arena, &scene->plan, &err) != 0) {
        fail_msg("%s", err.text);
    }
    engine_init(&scene->engine, &scene->plan);
    scene->run = (struct run_view){
        .engine = &scene->engine,
        .id = "run-1",
        .task = "Make it right",
        .workspace = "/some/space",
        .owner = "4711",
        .fence = SCENE_FENCE,
    };
    step(scene, *start);
}

static void open_with(struct scene *scene, const char *max_iterations, const struct event *start)
{
    struct setting setting = { "max-iterations", max_iterations };

    open_as(scene, &(struct settings){ .items = &setting, .count = max_iterations ? 1 : 0 }, start);
}

void scene_open_panel(struct scene *scene, const char *reviewers, const struct config_text *files,
                      uint32_t count)
{
    struct setting setting = { "reviewers", reviewers };
    const struct settings settings = { .items = &setting, .count = reviewers ? 1 : 0,
                                       .files = files, .file_count = count };
    struct settings *kept;

    open_as(scene, &settings, &(struct event){ .kind = EV_START });
    kept = arena_alloc(&scene->arena, sizeof *kept);
    *kept = (struct settings){ .files = files, .file_count = count };
    scene->run.settings = kept; /* the files live as long as the caller's */
}

void scene_open(struct scene *scene, const char *max_iterations)
{
    open_with(scene, max_iterations, &(struct event){ .kind = EV_START });
}

void scene_open_given(struct scene *scene, const struct finding *findings, uint32_t count)
{
    open_with(scene, NULL, &(struct event){
        .kind = EV_START, .result = { .findings = findings, .finding_count = count } });
}

void scene_close(struct scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    arena_release(&scene->arena);
}

struct action scene_action(const struct scene *scene, const char *role)
{
    return hand_action(&scene->engine, 0, role);
}

void scene_answer(struct scene *scene, const char *role, const char *answer)
{
    struct action action = scene_action(scene, role);

    step(scene, hand_answer(&dialect_review, &scene->run, &action, answer, &scene->arena));
}

struct run_view scene_seed(struct arena *arena, struct engine *engine)
{
    struct plan *plan = arena_alloc(arena, sizeof *plan);
    struct err err = { 0 };

    assert_int_equal(dialect_review.plan(&(struct settings){ 0 }, arena, plan, &err), 0);
    *engine = (struct engine){ .plan = plan };
    return (struct run_view){ .engine = engine };
}

struct result scene_judged(struct arena *arena, uint16_t role, struct str answer)
{
    struct action action = { .kind = ACT_START, .role = role,
                             .purpose = role == REVIEW_FIXER ? FOR_REPAIR : FOR_REVIEW };
    struct engine engine;
    struct run_view run = scene_seed(arena, &engine);
    struct result result;

    dialect_review.judge(&run, &action, answer, arena, &result);
    return result;
}

void scene_review(struct scene *scene, const char *answer)
{
    static const char *const roles[] = { "critic", "pedant", "witness", "security-reviewer",
                                         "silent-failure-hunter" };

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        scene_answer(scene, roles[i], answer);
    }
}

void scene_fail(struct scene *scene, const char *role)
{
    struct action action = scene_action(scene, role);

    step(scene, hand_failure(&action, FAILURE_START, "no such program"));
}

void scene_event(struct scene *scene, enum event_kind kind)
{
    step(scene, (struct event){ .kind = kind });
}

const char *scene_issues(struct scene *scene, uint32_t critical, uint32_t warning, uint32_t info)
{
    const char *words[] = { "critical", "warning", "info" };
    uint32_t counts[] = { critical, warning, info };
    struct buf text;
    const char *kept;
    bool first = true;

    buf_init(&text, 1 << 24);
    buf_text(&text, "{\"issues\":[");
    for (int i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < counts[i]; k++) {
            buf_printf(&text, "%s{\"severity\":\"%s\",\"category\":\"logic\",\"file\":\"src/%s.c\","
                       "\"line\":%u,\"description\":\"%s number %u\",\"evidence\":\"seen\","
                       "\"suggestion\":\"mend it\"}", first ? "" : ",", words[i], words[i], k + 1,
                       words[i], k + 1);
            first = false;
        }
    }
    buf_printf(&text, "],\"summary\":{\"critical\":%u,\"warning\":%u,\"info\":%u,"
               "\"verdict\":\"%s\"}}", critical, warning, info, first ? "clean" : "issues_found");
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

struct str scene_file(const struct contract *contract, const char *path)
{
    for (uint32_t i = 0; i < contract->file_count; i++) {
        if (strcmp(contract->files[i].path, path) == 0) return contract->files[i].content;
    }
    return (struct str){ NULL, 0 };
}
