/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cycles_restore.c - from the session's files back to the run.
 *
 * The property: for runs of every kind, at every step, recording the run that was restored gives
 * the same files, whether restored from what was recorded last or from all that is on disk; and
 * what is left to do is the same as far as files can tell. Where the user has answered a question
 * and no file tells of it yet, the run asks again. */
#include "base/prng.h"
#include "cases.h"
#include "cycles_scene.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 60, SEEDS = 1500 };

/* ---- what is on disk ---- */

static void disk_remove(struct contract *disk, const char *path)
{
    for (uint32_t i = 0; i < disk->file_count; i++) {
        if (strcmp(disk->files[i].path, path) != 0) continue;
        disk->files[i] = disk->files[--disk->file_count];
        return;
    }
}

static void disk_write(struct contract *disk, const struct contract *record)
{
    for (uint32_t i = 0; i < record->absent_count; i++) disk_remove(disk, record->absent[i]);
    for (uint32_t i = 0; i < record->file_count; i++) {
        disk_remove(disk, record->files[i].path);
        contract_file_add(disk, record->files[i].path, record->files[i].content);
    }
}

/* ---- the way back ---- */

struct back {
    struct arena arena;
    struct plan plan;
    struct engine engine;
    struct restored restored;
};

static void back_open(struct back *back, const struct contract *files,
                      const struct settings *settings)
{
    struct actions actions = { 0 };
    struct err err = { 0 };

    *back = (struct back){ .restored = { .count = 0 } };
    if (dialect_cycles.restore(files, settings, &back->restored, &err) != 0) {
        fail_msg("restore: %s", err.text);
    }
    assert_int_equal(dialect_cycles.plan(settings, &back->arena, &back->plan, &err), 0);
    engine_init(&back->engine, &back->plan);
    for (uint32_t i = 0; i < back->restored.count; i++) {
        engine_step(&back->engine, &back->restored.events[i], &actions);
        assert_true(actions.count > 0);
    }
    actions_release(&actions);
}

static void back_close(struct back *back)
{
    engine_release(&back->engine);
    arena_release(&back->restored.arena);
    arena_release(&back->arena);
}

/* Each file of part stands in whole, with the same bytes. */
static void holds(const struct contract *whole, const struct contract *part)
{
    for (uint32_t i = 0; i < part->file_count; i++) {
        const struct contract_file *file = &part->files[i];
        uint32_t k = 0;

        while (k < whole->file_count && strcmp(whole->files[k].path, file->path) != 0) k++;
        if (k == whole->file_count) fail_msg("%s is missing", file->path);
        if (!str_eq(whole->files[k].content, file->content)) {
            fail_msg("%s:\n%.*s---- wanted\n%.*s", file->path, STR_ARG(whole->files[k].content),
                     STR_ARG(file->content));
        }
    }
}

/* What is left to do: who is at work (or will be, after a resume), in which phase and cycle. */
static const char *left_to_do(const struct engine *engine, struct arena *arena)
{
    const struct lane *lane = &engine->lanes[0];
    const struct job *job = lane->now.count ? &lane->now.jobs[0] : NULL;
    const char *phase = engine->plan->phases[lane->phase].name;
    const char *role = job ? engine->plan->roles[job->role].name : "";
    bool dead = job && job->state == JOB_DEAD;
    enum lane_state state = lane->state;

    if (state == LANE_OVER) return "over";
    if (state == LANE_ASKING) {
        return arena_printf(arena, "asked in phase %s, cycle %u: %s", phase,
                            (unsigned)lane->tallies[lane->phase].rounds,
                            question_word(lane->question));
    }
    if (state == LANE_REVIEWING && !dead && lane->tallies[lane->phase].rounds == 1) {
        state = LANE_WORKING; /* no file tells that it is done */
    }
    if (state == LANE_WORKING) return arena_printf(arena, "work in phase %s", phase);
    if (state == LANE_FINISHING && !dead) role = "spec-fixer"; /* nor that */
    return arena_printf(arena, "%s%s in phase %s, cycle %u", dead ? "dead " : "", role, phase,
                        (unsigned)lane->tallies[lane->phase].rounds);
}

static void check_back(const struct cycles_scene *scene, const struct contract *files,
                       const struct contract *record, bool went_on)
{
    struct back back;
    struct contract again = { 0 };
    struct run_view view = scene->run;
    const char *left, *wanted;

    back_open(&back, files, &scene->settings);
    view.engine = &back.engine;
    dialect_cycles.record(&view, &again);
    holds(&again, record);
    holds(files, &again);
    if (!went_on) assert_int_equal(again.file_count, record->file_count);
    left = left_to_do(&back.engine, &back.arena);
    wanted = left_to_do(&scene->engine, &back.arena);
    if (!went_on) assert_string_equal(left, wanted);
    contract_release(&again);
    back_close(&back);
}

/* ---- random runs ---- */

static const char *const reviews[] = {
    "fine\n\n## Grade: PASS\n", "## Grade: PASS", "**Final Grade**: PASS\n",
    "## Issues\n\n- [HIGH] a.c:3 is odd\n\n## Grade: WARN\n", "\n\n  x\n## Grade: FAIL\n\n",
    "no grade", "> ## Grade: PASS\n", "Compliance: PASS\nQuality: WARN\n", "\xff\xfe odd bytes",
    "## Grade: WARN\n```\nopen",
};

static void answer_review(struct cycles_scene *scene, struct prng *prng)
{
    cycles_answer(scene, "spec-reviewer",
                  reviews[prng_below(prng, sizeof reviews / sizeof *reviews)]);
}

/* The end of whatever is at work. */
static void random_end(struct cycles_scene *scene, struct prng *prng)
{
    static const char *const problems[] = { " \n", "died", "a: b\n c \n",
                                            "\x1b]0;x\x07 committer:" };
    const struct job *job = &scene->engine.lanes[0].now.jobs[0];
    const char *role = scene->plan.roles[job->role].name;
    bool stopping = scene->engine.state == ENGINE_STOPPING;

    if (stopping && prng_chance(prng, 60)) {
        struct action action = cycles_action(scene, role);
        cycles_event(scene, (struct event){ .kind = EV_ENDED, .job = action.job,
            .attempt = action.attempt,
            .result = { .verdict = VERDICT_FAILED, .failure = FAILURE_STOPPED } });
    } else if (prng_chance(prng, 12)) {
        cycles_fail(scene, role, problems[prng_below(prng, 4)]);
    } else if (prng_chance(prng, 10) && strcmp(role, "committer") != 0) {
        cycles_answer(scene, role, ""); /* invalid: once more, then for good */
    } else if (strcmp(role, "spec-reviewer") == 0) {
        answer_review(scene, prng);
    } else if (strcmp(role, "committer") == 0) {
        cycles_answer(scene, role, prng_chance(prng, 50) ? "nothing\n" : "commit 1\na.c\n");
    } else {
        cycles_answer(scene, role, "did it\n");
    }
}

/* One step; false when the run is over for good. *went_on: the user's word has led to nothing that
 * is recorded yet. */
static bool random_step(struct cycles_scene *scene, struct prng *prng, bool *went_on)
{
    const struct engine *engine = &scene->engine;
    const struct lane *lane = &engine->lanes[0];

    scene->now_ms += prng_below(prng, 5000);
    if (engine->running > 0) {
        uint32_t review = lane->review.count ? lane->review.jobs[0].id : 0;

        if (engine->state == ENGINE_RUNNING && prng_chance(prng, 5)) {
            cycles_event(scene, (struct event){ .kind = EV_STOP });
        } else {
            random_end(scene, prng);
        }
        if (lane->review.count && lane->review.jobs[0].id != review) *went_on = false;
        if (lane->state == LANE_REVIEWING && lane->now.round > 1) *went_on = false;
    } else if (lane->state == LANE_ASKING && prng_chance(prng, 70)) {
        enum choice choice = prng_chance(prng, 50) ? CHOICE_CONTINUE
                             : prng_chance(prng, 80) ? CHOICE_ACCEPT : CHOICE_STOP;
        *went_on = true;
        cycles_event(scene, (struct event){ .kind = EV_ANSWER, .choice = choice });
    } else if (engine_can_resume(engine)) {
        if (prng_chance(prng, 20)) cycles_event(scene, (struct event){ .kind = EV_DRIFT });
        cycles_event(scene, (struct event){ .kind = EV_RESUME });
    } else {
        return false;
    }
    return true;
}

static void random_run(uint64_t seed)
{
    static const char *const cycles[] = { "1", "2", "3" };
    struct prng prng = { seed };
    struct cycles_scene scene;
    struct contract disk = { 0 };
    bool went_on = false, goes = true;

    cycles_open(&scene, CYCLES_SPEC, cycles[prng_below(&prng, 3)]);
    for (int i = 0; i < STEPS_MAX && goes; i++) {
        struct contract record = { 0 };

        dialect_cycles.record(&scene.run, &record);
        disk_write(&disk, &record);
        check_back(&scene, &record, &record, went_on);
        check_back(&scene, &disk, &record, went_on);
        contract_release(&record);
        goes = random_step(&scene, &prng, &went_on);
    }
    contract_release(&disk);
    cycles_close(&scene);
}

TEST(files_lead_back_to_the_run_at_every_step)
{
    for (uint64_t seed = 1; seed <= cases(SEEDS); seed++) random_run(seed * 7919);
}

/* ---- stories ---- */

TEST(granted_cycles_are_walked_beyond_the_bound)
{
    struct cycles_scene scene;
    struct contract record = { 0 };

    cycles_open(&scene, NULL, "1");
    cycles_implement(&scene);
    for (int i = 0; i < 3; i++) {
        cycles_answer(&scene, "spec-reviewer", "## Grade: FAIL");
        cycles_event(&scene, (struct event){ .kind = EV_ANSWER, .choice = CHOICE_CONTINUE });
        cycles_fix(&scene);
    }
    dialect_cycles.record(&scene.run, &record);
    check_back(&scene, &record, &record, false);
    contract_release(&record);
    cycles_close(&scene);
}

#define GOOD "path: x\nsize: 1\ncreated_at: 2026-01-15T08:40:00Z\n"

TEST(a_fix_without_its_review_was_a_fix_all_the_same)
{
    struct setting item = { "session-dir", "s" };
    struct settings settings = { .items = &item, .count = 1 };
    struct contract files = { 0 };
    struct back back;

    contract_file_add(&files, "s/.signals/phase-1-fix-1.done", STR(GOOD "status: success\n"));
    back_open(&back, &files, &settings);
    assert_string_equal(left_to_do(&back.engine, &back.arena),
                        "spec-reviewer in phase 1, cycle 2");
    back_close(&back);
    contract_release(&files);
}

TEST(no_files_are_a_run_that_has_just_begun)
{
    struct contract none = { 0 };
    struct settings settings = { .count = 0 };
    struct back back;

    back_open(&back, &none, &settings);
    assert_int_equal(back.restored.count, 1);
    assert_string_equal(back.restored.task, "Implement the spec");
    assert_string_equal(left_to_do(&back.engine, &back.arena), "work in phase 1");
    back_close(&back);
}

static void refused(const char *path, const char *content, const char *words)
{
    struct setting item = { "session-dir", "s" };
    struct settings settings = { .items = &item, .count = 1 };
    struct contract files = { 0 };
    struct restored restored;
    struct err err = { 0 };

    contract_file_add(&files, path, str_of(content));
    assert_int_equal(dialect_cycles.restore(&files, &settings, &restored, &err), ERR_FORMAT);
    if (!strstr(err.text, words) || !strstr(err.text, path)) fail_msg("%s", err.text);
    assert_int_equal(restored.count, 0);
    contract_release(&files);
}

TEST(what_is_wrong_with_a_file_is_said)
{
    refused("s/.signals/phase-1-review-1.done", "hello", "no status");
    refused("s/.signals/phase-1-review-1.done", GOOD "status: fail\n", "status");
    refused("s/.signals/phase-1-review-1.fail", GOOD "status: success\n", "status");
    refused("s/.signals/phase-1-review-1.done", "status: success\ncreated_at: x\n", "created_at");
    refused("s/.signals/phase-2-review-1.done", GOOD "status: success\n", "no phase 2");
    refused("s/.signals/phase-1-review-10001.done", GOOD "status: success\n", "10000 cycles");
    refused("s/.signals/phase-1-review-1.done", GOOD "status: success\ngrade: PASS\n",
            "not there");
}

TEST(a_grade_that_is_not_the_reviews_is_refused)
{
    struct setting item = { "session-dir", "s" };
    struct settings settings = { .items = &item, .count = 1 };
    struct contract files = { 0 };
    struct restored restored;
    struct err err = { 0 };

    contract_file_add(&files, "s/.signals/phase-1-review-1.done",
                      STR(GOOD "status: success\ngrade: PASS\n"));
    contract_file_add(&files, "s/reviews/phase-1-review-1.md", STR("## Grade: FAIL\n"));
    assert_int_equal(dialect_cycles.restore(&files, &settings, &restored, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "which is FAIL"));
    contract_release(&files);
}
