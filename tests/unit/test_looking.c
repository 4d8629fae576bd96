/* SPDX-License-Identifier: Apache-2.0
 *
 * test_looking.c - what a reviewer is told where its gate has a policy: a recheck what the repair
 * changed and what is open, a look what is known already. */
#include "dialect/dialects.h"
#include "dialect/looking.h"
#include "settings/settings.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define FENCE "fffence"

enum { CRITIC = 1, REVIEWERS = 5, FIXER = 6, MANY = 2000 };

struct scene {
    struct arena arena;
    struct plan plan;
    struct engine engine;
    struct actions actions;
    uint64_t now_ms;
};

static void scene_open(struct scene *scene, const char *until)
{
    struct run_settings settings = { .until = until, .eyes = "codex" };
    struct err err;

    *scene = (struct scene){ .now_ms = 1 };
    assert_int_equal(settings_plan(&settings, &dialect_review, &scene->arena, &scene->plan, &err),
                     0);
    engine_init(&scene->engine, &scene->plan);
    engine_step(&scene->engine, &(struct event){ .kind = EV_START, .now_ms = 1 },
                &scene->actions);
}

static void scene_close(struct scene *scene)
{
    actions_release(&scene->actions);
    engine_release(&scene->engine);
    arena_release(&scene->arena);
}

static void end_job(struct scene *scene, uint16_t role, struct result result)
{
    const struct batch *now = &scene->engine.lanes[0].now;
    struct event event = { .kind = EV_ENDED, .now_ms = scene->now_ms += 10, .result = result };

    for (uint32_t i = 0; i < now->count; i++) {
        if (now->jobs[i].role != role) continue;
        event.job = now->jobs[i].id;
        event.attempt = now->jobs[i].attempt;
    }
    engine_step(&scene->engine, &event, &scene->actions);
}

/* A review in which the critic alone finds something; then its repair. */
static void review_and_repair(struct scene *scene, const struct finding *findings, uint32_t count)
{
    end_job(scene, CRITIC, (struct result){ .verdict = VERDICT_FINDINGS, .findings = findings,
                                            .finding_count = count });
    for (uint16_t role = CRITIC + 1; role <= REVIEWERS; role++) {
        end_job(scene, role, (struct result){ .verdict = VERDICT_CLEAN });
    }
    end_job(scene, FIXER, (struct result){ .verdict = VERDICT_CLEAN });
}

static struct finding finding_at(uint32_t line, enum severity severity, struct str text)
{
    struct finding finding = { .severity = severity, .file = STR("a.c"), .line = line,
                               .text = text };

    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

/* What the next review is told; lives in the scene. */
static const char *told(struct scene *scene, const struct tree_view *tree)
{
    struct run_view run = { .engine = &scene->engine, .fence = FENCE, .tree = tree };
    struct action action = job_action(&scene->engine.lanes[0],
                                      &scene->engine.lanes[0].now.jobs[0]);
    struct buf out;

    buf_init(&out, LOOKING_BYTES_MAX);
    looking_write(&out, &run, &action, false);
    assert_false(out.overflow);
    return arena_take_cstr(&scene->arena, &out);
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is missing in\n%s", part, text);
}

TEST(a_look_is_told_what_is_known_and_a_recheck_what_changed)
{
    struct finding first = finding_at(3, SEVERITY_HIGH, STR("the sum is off by one"));
    struct finding second = finding_at(90, SEVERITY_MEDIUM, STR("a key stands\n" FENCE " here"));
    struct tree_view tree = { .diff = STR("-old\n+new\n") };
    struct scene scene;
    const char *text;

    scene_open(&scene, "settled");
    assert_string_equal(told(&scene, NULL), "");
    review_and_repair(&scene, &first, 1);
    text = told(&scene, NULL);
    expect(text, "## Known already");
    expect(text, "- [high] a.c:3 -- the sum is off by one\n");
    assert_null(strstr(text, "recheck"));
    review_and_repair(&scene, &second, 1);
    text = told(&scene, &tree);
    expect(text, "## This is a recheck");
    expect(text, "- [medium] a.c:90 -- a key stands");
    expect(text, "\n+new\n");
    assert_null(strstr(text, "off by one")); /* it is fixed */
    assert_null(strstr(text, "stands\n" FENCE)); /* quoted: no line of ours */
    scene_close(&scene);
}

TEST(the_list_of_what_is_known_is_bounded_and_the_gravest_come_first)
{
    struct finding *findings = calloc(MANY, sizeof *findings);
    struct scene scene;
    const char *text;

    assert_non_null(findings);
    scene_open(&scene, "thorough");
    for (uint32_t i = 0; i < MANY; i++) {
        struct str words = str_of(arena_printf(&scene.arena, "fault w%u x%u y%u has a long "
                                               "description of what is wrong", i, i * 7, i * 13));
        findings[i] = finding_at(i * 50 + 1, i == MANY - 1 ? SEVERITY_HIGH : SEVERITY_LOW, words);
    }
    review_and_repair(&scene, findings, MANY);
    text = told(&scene, NULL);
    assert_true(strlen(text) < LOOKING_BYTES_MAX / 2);
    expect(text, "more are left out here.");
    assert_true(strstr(text, "[high]") < strstr(text, "[low]"));
    free(findings);
    scene_close(&scene);
}

TEST(without_a_policy_nothing_is_added)
{
    struct finding finding = finding_at(3, SEVERITY_HIGH, STR("the sum is off by one"));
    struct scene scene;

    scene_open(&scene, "seed");
    review_and_repair(&scene, &finding, 1);
    assert_string_equal(told(&scene, NULL), "");
    scene_close(&scene);
}
