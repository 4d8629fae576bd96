/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_keep.c - what agents said in a phase is there for those who come later. */
#include "../sim/plans.h"
#include "core/engine.h"

#include "test.h"

struct scene {
    struct fixture fixture;
    struct engine engine;
    struct actions actions;
    uint64_t now_ms;
};

static void step(struct scene *scene, struct event event)
{
    event.now_ms = scene->now_ms += 10;
    engine_step(&scene->engine, &event, &scene->actions);
}

static void begin(struct scene *scene, enum plan_kind kind, struct plan_size size)
{
    *scene = (struct scene){ 0 };
    plans_make(&scene->fixture, kind, &size);
    engine_init(&scene->engine, &scene->fixture.plan);
    step(scene, (struct event){ .kind = EV_START });
}

/* The newest job ends so, and says that. */
static void says(struct scene *scene, uint32_t job, enum verdict verdict, const char *doc)
{
    static const struct finding finding = { .text = STR("x") };
    struct event event = { .kind = EV_ENDED, .job = job, .attempt = 1,
                           .result = { .verdict = verdict, .doc = str_of(doc) } };

    event.result.findings = verdict == VERDICT_FINDINGS ? &finding : NULL;
    event.result.finding_count = verdict == VERDICT_FINDINGS;
    step(scene, event);
}

static void assert_doc(const struct scene *scene, uint32_t iteration, const char *phase,
                       enum purpose purpose, const char *expected)
{
    uint32_t at = plans_phase(&scene->fixture.plan, phase);
    struct str doc = engine_doc(&scene->engine, 0, iteration, at, purpose);

    assert_true(str_is(doc, expected));
}

static void end(struct scene *scene)
{
    actions_release(&scene->actions);
    engine_release(&scene->engine);
}

static const struct plan_size size = { .repairs = 2, .iterations = 2, .copies = 2,
                                       .on_fail = FAIL_RESTART, .at_bound = BOUND_STOP };

TEST(the_joined_work_is_kept_and_the_copies_are_not)
{
    struct scene scene;

    begin(&scene, PLAN_ITERATE, size);
    says(&scene, 1, VERDICT_CLEAN, "first copy");
    says(&scene, 2, VERDICT_CLEAN, "second copy");
    assert_doc(&scene, 1, "1", FOR_WORK, "");
    says(&scene, 3, VERDICT_CLEAN, "both");
    assert_doc(&scene, 1, "1", FOR_WORK, "both");
    assert_doc(&scene, 7, "1", FOR_JOIN, "both"); /* of work the newest, for any kind */
    end(&scene);
}

TEST(a_review_is_kept_for_each_iteration)
{
    struct scene scene;

    begin(&scene, PLAN_ITERATE, size);
    for (uint32_t job = 1; job <= 6; job++) says(&scene, job, VERDICT_CLEAN, "work");
    says(&scene, 7, VERDICT_FINDINGS, "the plan is bad");
    assert_int_equal(scene.engine.iteration, 2);
    assert_doc(&scene, 1, "3", FOR_REVIEW, "the plan is bad");
    assert_doc(&scene, 2, "3", FOR_REVIEW, "");
    assert_doc(&scene, 1, "2", FOR_WORK, "work");
    for (uint32_t job = 8; job <= 13; job++) says(&scene, job, VERDICT_CLEAN, "better");
    says(&scene, 14, VERDICT_CLEAN, "the plan is good");
    assert_doc(&scene, 1, "3", FOR_REVIEW, "the plan is bad");
    assert_doc(&scene, 2, "3", FOR_REVIEW, "the plan is good");
    assert_doc(&scene, 2, "2", FOR_WORK, "better");
    end(&scene);
}

TEST(many_rounds_keep_one_document)
{
    struct plan_size cycles = { .phases = 1, .repairs = 50 };
    struct scene scene;
    uint32_t job = 1;

    begin(&scene, PLAN_CYCLES, cycles);
    for (uint32_t i = 0; i < scene.actions.count; i++) {
        if (scene.actions.item[i].kind == ACT_START) job = scene.actions.item[i].job;
    }
    while (scene.engine.round_count < 40) says(&scene, job++, VERDICT_FINDINGS, "a round's words");
    assert_true(scene.engine.lanes[0].doc_count <= 4);
    end(&scene);
}

/* Each by its role, and none of them alone; the next review of the phase takes the place of all. */
TEST(what_several_reviewers_said_is_kept_of_each)
{
    struct plan_size review = plans_size(PLAN_REVIEW);
    const struct kept_doc *doc;
    struct scene scene;
    uint32_t count = 0;

    begin(&scene, PLAN_REVIEW, review);
    for (uint32_t i = 0; i < scene.actions.count; i++) {
        count += scene.actions.item[i].kind == ACT_START;
    }
    assert_true(count > 1);
    for (uint32_t job = 1; job <= count; job++) {
        says(&scene, job, VERDICT_FINDINGS, job == 1 ? "" : "words");
    }
    assert_true(engine_doc(&scene.engine, 0, 1, 0, FOR_REVIEW).size == 0);
    doc = engine_review_doc(&scene.engine, 1, 0, 0);
    assert_non_null(doc);
    assert_true(doc->shared);
    assert_int_equal(doc->role, scene.fixture.plan.phases[0].gate.reviewers[1]);
    assert_non_null(engine_review_doc(&scene.engine, 1, 0, count - 2));
    assert_null(engine_review_doc(&scene.engine, 1, 0, count - 1));
    says(&scene, count + 1, VERDICT_CLEAN, "mended");
    for (uint32_t job = count + 2; job <= 2 * count + 1; job++) {
        says(&scene, job, VERDICT_CLEAN, job == count + 2 ? "all is well" : "");
    }
    assert_non_null(engine_review_doc(&scene.engine, 1, 0, 0));
    assert_null(engine_review_doc(&scene.engine, 1, 0, 1));
    end(&scene);
}
