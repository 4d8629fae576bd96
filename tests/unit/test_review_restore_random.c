/* SPDX-License-Identifier: Apache-2.0
 *
 * test_review_restore_random.c - runs of review of every kind, back from their files.
 *
 * The property: at every step, recording the run that was restored gives the same files, whether
 * restored from what was recorded last or from all that is on disk; and the same roles have still
 * to answer. Where the newest review has a clean answer, the run that was restored is not over, and
 * that role is asked again. Five reviews that a stop kept from being added up are added up, as
 * after a resume. */
#include "shared/prng.h"
#include "review_back.h"
#include "test.h"
#include "dialect/dialects.h"

#include <string.h>

enum { STEPS_MAX = 70, SEEDS = 1200 };

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

/* ---- there and back ---- */

/* Both hold the same files, byte for byte. */
static void same_files(const struct contract *got, const struct contract *wanted)
{
    assert_int_equal(got->file_count, wanted->file_count);
    for (uint32_t i = 0; i < wanted->file_count; i++) {
        const struct contract_file *file = &wanted->files[i];

        if (!str_eq(scene_file(got, file->path), file->content)) {
            fail_msg("%s:\n%.*s---- wanted\n%.*s", file->path,
                     STR_ARG(scene_file(got, file->path)), STR_ARG(file->content));
        }
    }
}

/* Whether a clean of the newest review is what the run stands on. */
static bool stands_on_clean(const struct engine *engine)
{
    const struct batch *now = &engine->lanes[0].now;

    for (uint32_t i = 0; i < now->count; i++) {
        if (now->jobs[i].purpose != FOR_REVIEW || now->jobs[i].state != JOB_DONE) continue;
        if (now->jobs[i].result.verdict == VERDICT_CLEAN) return true;
    }
    return engine->reason == REASON_CLEAN;
}

static void check_reviewed_again(const struct scene *scene, const struct review_back *back)
{
    const struct batch *was = &scene->engine.lanes[0].now, *now = &back->engine.lanes[0].now;

    assert_int_equal(back->engine.lanes[0].state, LANE_REVIEWING);
    for (uint32_t i = 0; i < was->count && i < now->count; i++) {
        if (was->jobs[i].state == JOB_DONE && was->jobs[i].result.verdict == VERDICT_FINDINGS) {
            continue;
        }
        assert_int_equal(now->jobs[i].state, JOB_RUNNING);
    }
}

static void check_back(const struct scene *scene, const struct contract *files,
                       const struct contract *record)
{
    struct review_back back;

    review_back_open(&back, files, scene->run);
    assert_string_equal(back.restored.task, scene->run.task);
    if (stands_on_clean(&scene->engine)) {
        check_reviewed_again(scene, &back);
        review_back_close(&back);
        return;
    }
    same_files(&back.record, record);
    assert_string_equal(review_back_left(&back.engine, &back.arena),
                        review_back_left(&scene->engine, &back.arena));
    review_back_close(&back);
}

/* ---- random runs ---- */

static const char *random_review(struct scene *scene, struct prng *prng)
{
    static const char *const odd[] = {
        "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,"
            "\"verdict\":\"approved\"}}",
        "{\"issues\":[{\"severity\":\"huge\",\"description\":\"x\"}],\"summary\":{}}",
        "{\"issues\":[],\"summary\":{\"critical\":\"1\",\"warning\":-1,\"info\":0.5,"
            "\"verdict\":\"clean\"}}",
        "{\"summary\":{\"critical\":0,\"warning\":0,\"info\":3,\"verdict\":\"clean\"}}",
        "{\"issues\":\"none\",\"summary\":7,\"problems\":[\"mine\"]}",
        "```json\n{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,"
            "\"verdict\":\"clean\"}}\n```\n",
        "{\"status\":\"FAIL\",\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,"
            "\"verdict\":\"issues_found\"}}",
        "{\"status\":3,\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,"
            "\"verdict\":\"clean\"}}",
    };

    if (prng_chance(prng, 70)) return SCENE_CLEAN;
    if (prng_chance(prng, 50)) return odd[prng_below(prng, sizeof odd / sizeof *odd)];
    return scene_issues(scene, (uint32_t)prng_below(prng, 3), (uint32_t)prng_below(prng, 2),
                        (uint32_t)prng_below(prng, 3));
}

static void random_end(struct scene *scene, struct prng *prng)
{
    static const char *const summaries[] = { "fixed\n", "# Fix Summary\n\nall of it\n",
                                             "tried\nSTUCK: no idea\n", "\xff odd \xfe bytes" };
    const struct batch *now = &scene->engine.lanes[0].now;
    const struct job *job;
    const char *role;

    do {
        job = &now->jobs[prng_below(prng, now->count)];
    } while (job->state != JOB_RUNNING);
    role = scene->plan.roles[job->role].name;
    if (prng_chance(prng, 4)) {
        scene_fail(scene, role);
    } else if (prng_chance(prng, 8)) {
        scene_answer(scene, role, prng_chance(prng, 50) ? "" : " \n");
    } else if (strcmp(role, "review-fixer") == 0) {
        scene_answer(scene, role, summaries[prng_below(prng, 4)]);
    } else {
        scene_answer(scene, role, random_review(scene, prng));
    }
}

/* All five reviews are there, and the verdict is not made yet. */
static bool is_held(const struct engine *engine)
{
    const struct batch *now = &engine->lanes[0].now;

    for (uint32_t i = 0; i < now->count; i++) {
        if (now->jobs[i].state != JOB_DONE) return false;
    }
    return now->count > 0;
}

/* False when the run is over for good. */
static bool random_step(struct scene *scene, struct prng *prng)
{
    const struct engine *engine = &scene->engine;

    scene->now_ms += prng_below(prng, 5000);
    if (engine->running > 0) {
        if (engine->state == ENGINE_RUNNING && prng_chance(prng, 4)) {
            scene_event(scene, EV_STOP);
        } else if (prng_chance(prng, 3)) {
            scene_event(scene, EV_DRIFT);
        } else {
            random_end(scene, prng);
        }
    } else if (engine_can_resume(engine)) {
        if (prng_chance(prng, 20)) scene_event(scene, EV_DRIFT);
        scene_event(scene, EV_RESUME);
    } else {
        return false;
    }
    if (engine->state == ENGINE_ENDED && is_held(engine)) scene_event(scene, EV_RESUME);
    return true;
}

static void random_run(uint64_t seed)
{
    static const char *const bounds[] = { "1", "2", "3", "4" };
    struct prng prng = { seed };
    struct scene scene;
    struct contract disk = { 0 };
    bool goes = true;

    scene_open(&scene, bounds[prng_below(&prng, 4)]);
    for (int i = 0; i < STEPS_MAX && goes; i++) {
        struct contract record = { 0 };

        dialect_review.record(&scene.run, &record);
        disk_write(&disk, &record);
        check_back(&scene, &disk, &record);
        if (scene.engine.lanes[0].tallies[0].granted == 0) check_back(&scene, &record, &record);
        contract_release(&record);
        goes = random_step(&scene, &prng);
    }
    contract_release(&disk);
    scene_close(&scene);
}

TEST(files_lead_back_to_the_run_at_every_step)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) random_run(seed * 7919);
}
