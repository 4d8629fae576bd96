/* SPDX-License-Identifier: Apache-2.0
 *
 * test_first.c - where a gate has a policy, analyzers look before models and in every recheck, and
 * no model is asked while the work does not build. */
#include "dialect/dialects.h"
#include "settings/settings.h"

#include "test.h"

#include <string.h>

enum { ROLES = 8, CRITIC = 1, PEDANT = 2, FIXER = 6, CHECKER = 7 };

struct scene {
    struct arena arena;
    struct plan plan;
    struct engine engine;
    struct actions actions;
    uint64_t now_ms;
};

/* A review until settled whose critic and pedant are analyzers. */
static void scene_open(struct scene *scene, const char *until)
{
    static const bool first[ROLES] = { [CRITIC] = true, [PEDANT] = true };
    struct run_settings settings = { .until = until, .eyes = "codex" };
    struct err err;

    *scene = (struct scene){ .now_ms = 1 };
    assert_int_equal(settings_plan(&settings, &dialect_review, &scene->arena, &scene->plan, &err),
                     0);
    plan_first(&scene->plan, first, &scene->arena);
    assert_null(plan_problem(&scene->plan));
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

/* The roles that the last event asked for, by their numbers: "12", "345"; with r in front where
 * they recheck, and the eye behind. */
static const char *asked(struct scene *scene)
{
    static char text[64];
    size_t size = 0;
    const struct action *last = NULL;

    for (uint32_t i = 0; i < scene->actions.count; i++) {
        const struct action *action = &scene->actions.item[i];

        if (action->kind == ACT_FINISH) return reason_word(action->reason);
        if (action->kind != ACT_START) continue;
        if (!last && action->recheck) text[size++] = 'r';
        text[size++] = (char)('0' + action->role);
        last = action;
    }
    if (last && last->eye) {
        text[size++] = '/';
        text[size++] = '1';
    }
    text[size] = '\0';
    return text;
}

static void end_job(struct scene *scene, uint16_t role, struct result result)
{
    const struct batch *now = &scene->engine.lanes[0].now;
    struct event event = { .kind = EV_ENDED, .now_ms = scene->now_ms += 10, .result = result };

    for (uint32_t i = 0; i < now->count; i++) {
        if (now->jobs[i].role != role || now->jobs[i].state != JOB_RUNNING) continue;
        event.job = now->jobs[i].id;
        event.attempt = now->jobs[i].attempt;
    }
    assert_true(event.job > 0);
    engine_step(&scene->engine, &event, &scene->actions);
    engine_check(&scene->engine);
}

static void end_all(struct scene *scene, const char *roles)
{
    for (; *roles; roles++) {
        end_job(scene, (uint16_t)(*roles - '0'), (struct result){ .verdict = VERDICT_CLEAN });
    }
}

static void finds(struct scene *scene, uint16_t role, const char *text, bool broken)
{
    struct finding finding = { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3,
                               .text = str_of(text) };

    finding.fingerprint = finding_fingerprint(&finding);
    end_job(scene, role, (struct result){ .verdict = VERDICT_FINDINGS, .findings = &finding,
                                          .finding_count = 1, .broken = broken });
}

/* The fixer is done, and each analyzer says that its repair has made nothing worse. */
static void repairs(struct scene *scene)
{
    end_all(scene, "6");
    assert_string_equal(asked(scene), "1");
    end_all(scene, "1");
    assert_string_equal(asked(scene), "2");
    end_all(scene, "2");
}

TEST(analyzers_run_first_and_the_models_when_they_are_done)
{
    struct scene scene;

    scene_open(&scene, "settled");
    assert_string_equal(asked(&scene), "12");
    end_all(&scene, "1");
    assert_string_equal(asked(&scene), "");
    finds(&scene, PEDANT, "the loop never ends", false);
    assert_string_equal(asked(&scene), "345");
    end_all(&scene, "345");
    assert_string_equal(asked(&scene), "6");
    repairs(&scene);
    assert_string_equal(asked(&scene), "12/1");
    end_all(&scene, "21");
    assert_string_equal(asked(&scene), "345/1");
    finds(&scene, 4, "a key stands in the log", false);
    end_all(&scene, "35");
    assert_string_equal(asked(&scene), "6");
    repairs(&scene);
    assert_string_equal(asked(&scene), "r12"); /* and in every recheck */
    end_all(&scene, "12");
    assert_string_equal(asked(&scene), "r7");
    scene_close(&scene);
}

/* The look is owed still: the same eyes look when it builds. */
TEST(a_model_is_not_asked_while_the_build_is_broken)
{
    struct scene scene;

    scene_open(&scene, "settled");
    end_all(&scene, "2");
    finds(&scene, CRITIC, "expected ';' before '}'", true);
    assert_string_equal(asked(&scene), "6");
    assert_int_equal(scene.engine.lanes[0].review.count, 2);
    repairs(&scene);
    assert_string_equal(asked(&scene), "12");
    end_all(&scene, "12");
    assert_string_equal(asked(&scene), "345");
    end_all(&scene, "345");
    assert_string_equal(asked(&scene), "settled");
    assert_int_equal(scene.engine.lanes[0].tallies[0].looked, 1);
    assert_int_equal(scene.engine.lanes[0].tallies[0].broken, 1);
    scene_close(&scene);
}

/* What models found before is open while they are not asked. */
TEST(a_broken_build_fixes_nothing)
{
    const struct ledger_entry *entries;
    struct scene scene;
    uint32_t open = 0;

    scene_open(&scene, "settled");
    end_all(&scene, "12");
    finds(&scene, 3, "a key stands in the log", false);
    end_all(&scene, "45");
    repairs(&scene);
    end_all(&scene, "2");
    finds(&scene, CRITIC, "expected ';' before '}'", true);
    assert_string_equal(asked(&scene), "6");
    for (uint32_t i = 0; i < ledger_of_lane(&scene.engine.ledger, 0, &entries); i++) {
        open += finding_is_open(entries[i].state);
    }
    assert_int_equal(open, 2);
    scene_close(&scene);
}

/* Each of those that look now tells nothing, and the backend is this one. */
static void look_on(struct scene *scene, const char *roles, const char *by)
{
    for (; *roles; roles++) {
        end_job(scene, (uint16_t)(*roles - '0'),
                (struct result){ .verdict = VERDICT_CLEAN, .by = str_of(by) });
    }
}

/* The only model has reported it, and looks again: an analyzer beside it is no other eyes. */
TEST(an_analyzer_does_not_confirm_that_a_model_was_wrong)
{
    struct finding grave = { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3,
                             .text = STR("a key stands in the log") };
    const struct ledger_entry *entries;
    struct doubtful declined;
    struct scene scene;

    grave.fingerprint = finding_fingerprint(&grave);
    declined = (struct doubtful){ grave.fingerprint, grave.line, DOUBT_DECLINED };
    scene_open(&scene, "settled");
    look_on(&scene, "12", "scan");
    end_job(&scene, 3, (struct result){ .verdict = VERDICT_FINDINGS, .findings = &grave,
                                        .finding_count = 1, .by = STR("claude") });
    look_on(&scene, "45", "claude");
    end_job(&scene, FIXER, (struct result){ .verdict = VERDICT_CLEAN, .doubts = &declined,
                                            .doubt_count = 1 });
    look_on(&scene, "1", "scan");
    look_on(&scene, "2", "scan");
    look_on(&scene, "12", "scan");
    look_on(&scene, "345", "claude");
    assert_int_equal(ledger_of_lane(&scene.engine.ledger, 0, &entries), 1);
    assert_int_equal(entries[0].state, FINDING_PARKED);
    assert_string_equal(asked(&scene), "stuck");
    scene_close(&scene);
}

/* A resume asks again those that were cut off, and no others. */
TEST(a_stop_between_the_two_asks_the_models_later)
{
    struct scene scene;

    scene_open(&scene, "lean");
    end_all(&scene, "1");
    engine_step(&scene.engine, &(struct event){ .kind = EV_STOP, .now_ms = 40 }, &scene.actions);
    scene.now_ms = 50;
    end_all(&scene, "2");
    assert_string_equal(asked(&scene), "interrupted");
    engine_step(&scene.engine, &(struct event){ .kind = EV_RESUME, .now_ms = 90 },
                &scene.actions);
    scene.now_ms = 90;
    assert_string_equal(asked(&scene), "345");
    scene_close(&scene);
}

/* The look that waits for the user is one at the tree as it is when the user has answered. */
TEST(a_look_that_waits_for_the_user_is_counted_once_though_the_tree_changes)
{
    struct role roles[ROLES];
    struct scene scene;

    scene_open(&scene, "settled");
    memcpy(roles, scene.plan.roles, sizeof roles);
    roles[CRITIC].ask_when_dead = true;
    scene.plan.roles = roles;
    end_all(&scene, "2");
    end_job(&scene, CRITIC, (struct result){ .verdict = VERDICT_FAILED, .permanent = true,
                                             .failure = FAILURE_EXIT });
    assert_string_equal(asked(&scene), "failed");
    engine_step(&scene.engine, &(struct event){ .kind = EV_DRIFT, .now_ms = 100 },
                &scene.actions);
    engine_step(&scene.engine, &(struct event){ .kind = EV_RESUME, .now_ms = 110 },
                &scene.actions);
    scene.now_ms = 110;
    assert_string_equal(asked(&scene), "12");
    end_all(&scene, "2");
    finds(&scene, CRITIC, "expected ';' before '}'", true);
    assert_string_equal(asked(&scene), "6");
    assert_int_equal(scene.engine.lanes[0].tallies[0].looked, 0);
    assert_int_equal(scene.engine.lanes[0].tallies[0].looked_here, 0);
    scene_close(&scene);
}
