/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hosted_record.c - contract files of a hosted run, whose agents write their answers
 * themselves: what record() removes, what it leaves alone, and whose session it says it is.
 *
 * A file is left alone from when it was asked for until it is judged. In the step that asks, what
 * lies there was written before hone asked, and is removed. */
#include "cycles_scene.h"
#include "dialect/dialects.h"
#include "format/json/json.h"
#include "review_scene.h"
#include "test.h"

#include <string.h>

#define FOLDER ".agents/tmp/phases/"
#define R1(n, role) FOLDER "review-" n "/r1-" role ".json"

static void host(struct scene *scene)
{
    scene->run.session = "0b9c6a4e-1111-4222-8333-444455556666";
    scene->run.answers = ANSWERS_IN_FILE;
    scene->run.owner = "4711";
}

static bool is_absent(const struct dialect *dialect, const struct run_view *run, const char *path)
{
    struct contract record = { 0 };
    bool absent = false;

    dialect->record(run, &record);
    for (uint32_t i = 0; i < record.absent_count; i++) {
        absent = absent || strcmp(record.absent[i], path) == 0;
    }
    contract_release(&record);
    return absent;
}

static bool is_removed(const struct scene *scene, const char *path)
{
    return is_absent(&dialect_review, &scene->run, path);
}

TEST(the_state_names_the_hosts_session)
{
    struct contract record = { 0 };
    struct scene scene;
    yyjson_doc *doc;
    struct err err;

    scene_open(&scene, NULL);
    host(&scene);
    dialect_review.record(&scene.run, &record);
    assert_int_equal(json_read(scene_file(&record, ".agents/tmp/state.json"), &doc, &err), 0);
    assert_true(str_is(json_str(yyjson_doc_get_root(doc), "sessionId"), scene.run.session));
    assert_true(str_is(json_str(yyjson_doc_get_root(doc), "ownerPpid"), "4711"));
    yyjson_doc_free(doc);
    contract_release(&record);
    scene_close(&scene);
}

TEST(a_review_that_nobody_asked_for_yet_is_removed)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    assert_true(is_removed(&scene, R1("1", "critic")));
    assert_true(is_removed(&scene, R1("1", "witness")));
    scene_close(&scene);
}

TEST(a_review_that_is_not_judged_yet_is_left_alone)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    assert_false(is_removed(&scene, R1("1", "critic")));
    assert_false(is_removed(&scene, R1("1", "silent-failure-hunter")));
    assert_false(is_removed(&scene, R1("1", "pedant")));
    scene.run.answers = ANSWERS_TO_HONE;
    assert_true(is_removed(&scene, R1("1", "critic")));
    scene_close(&scene);
}

TEST(who_says_its_answer_writes_no_file)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene.run.answers = ANSWERS_SPOKEN;
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    assert_true(is_removed(&scene, R1("1", "critic")));
    assert_false(is_removed(&scene, R1("1", "pedant")));
    scene_close(&scene);
}

TEST(a_verdict_is_nobodys_to_write)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    assert_true(is_removed(&scene, FOLDER "review-1/r1-verdict.json"));
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    assert_true(is_removed(&scene, FOLDER "review-1/r1-verdict.json"));
    scene_close(&scene);
}

TEST(a_summary_is_left_alone_only_while_the_fixer_works)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    assert_true(is_removed(&scene, FOLDER "review-1/r2-fix-summary.md"));
    scene_close(&scene);

    scene_open(&scene, NULL);
    host(&scene);
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    assert_true(is_removed(&scene, FOLDER "review-1/r2-fix-summary.md"));
    scene_event(&scene, EV_STOP); /* any event: a step later */
    assert_false(is_removed(&scene, FOLDER "review-1/r2-fix-summary.md"));
    scene_answer(&scene, "review-fixer", "fixed"); /* it counts when the run goes on */
    assert_false(is_removed(&scene, FOLDER "review-1/r2-fix-summary.md"));
    scene.run.answers = ANSWERS_TO_HONE;
    assert_true(is_removed(&scene, FOLDER "review-1/r2-fix-summary.md"));
    scene_close(&scene);
}

TEST(what_the_fixer_planted_for_the_next_iteration_is_removed)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    scene_answer(&scene, "review-fixer", "fixed");
    assert_true(is_removed(&scene, R1("2", "critic")));
    assert_true(is_removed(&scene, FOLDER "review-2/r1-verdict.json"));
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    assert_false(is_removed(&scene, R1("2", "critic")));
    assert_true(is_removed(&scene, FOLDER "review-2/r1-verdict.json"));
    scene_close(&scene);
}

TEST(an_invalid_review_is_removed_once)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    scene_answer(&scene, "critic", "LGTM");
    assert_true(is_removed(&scene, R1("1", "critic")));
    assert_false(is_removed(&scene, R1("1", "witness")));
    scene_answer(&scene, "witness", SCENE_CLEAN);
    assert_false(is_removed(&scene, R1("1", "critic")));
    scene_close(&scene);
}

TEST(a_review_of_a_tree_that_has_changed_is_removed_once)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    scene_event(&scene, EV_DRIFT);
    assert_true(is_removed(&scene, R1("1", "pedant")));
    assert_false(is_removed(&scene, R1("1", "critic")));
    scene_answer(&scene, "critic", SCENE_CLEAN);
    assert_false(is_removed(&scene, R1("1", "pedant")));
    scene_close(&scene);
}

TEST(a_dead_reviewers_file_is_left_for_who_looks_into_it)
{
    struct scene scene;

    scene_open(&scene, NULL);
    host(&scene);
    scene_fail(&scene, "critic");
    assert_false(is_removed(&scene, R1("1", "critic")));
    scene_close(&scene);
}

#define SESSION_REVIEW(n) "/reviews/phase-1-review-" n ".md"

TEST(cycles_leaves_the_review_alone_and_no_signal)
{
    struct cycles_scene scene;
    const char *review, *signal;
    struct action action;

    cycles_open(&scene, NULL, "3");
    scene.run.session = "a host's session";
    scene.run.answers = ANSWERS_IN_FILE;
    cycles_implement(&scene);
    action = cycles_action(&scene, "spec-reviewer");
    review = dialect_cycles.answering->file(&scene.run, &action, &scene.arena);
    assert_true(str_ends(str_of(review), STR(SESSION_REVIEW("1"))));
    signal = arena_printf(&scene.arena, "%.*s/.signals/phase-1-review-1.done",
                          (int)(strlen(review) - strlen(SESSION_REVIEW("1"))), review);
    assert_true(is_absent(&dialect_cycles, &scene.run, review));
    cycles_event(&scene, (struct event){ .kind = EV_STOP });
    assert_false(is_absent(&dialect_cycles, &scene.run, review));
    assert_true(is_absent(&dialect_cycles, &scene.run, signal));
    scene.run.answers = ANSWERS_TO_HONE;
    assert_true(is_absent(&dialect_cycles, &scene.run, review));
    cycles_close(&scene);
}

TEST(only_who_writes_by_the_seed_has_a_file)
{
    struct cycles_scene cycles;
    struct scene scene;
    struct action action;

    cycles_open(&cycles, NULL, "3");
    action = cycles_action(&cycles, "implementer");
    assert_null(dialect_cycles.answering->file(&cycles.run, &action, &cycles.arena));
    cycles_implement(&cycles);
    cycles_answer(&cycles, "spec-reviewer", "## Grade: FAIL\n");
    action = cycles_action(&cycles, "spec-fixer");
    assert_null(dialect_cycles.answering->file(&cycles.run, &action, &cycles.arena));
    cycles_close(&cycles);

    scene_open(&scene, NULL);
    action = scene_action(&scene, "silent-failure-hunter");
    assert_string_equal(dialect_review.answering->file(&scene.run, &action, &scene.arena),
                        R1("1", "silent-failure-hunter"));
    scene_review(&scene, scene_issues(&scene, 0, 1, 0));
    action = scene_action(&scene, "review-fixer");
    assert_string_equal(dialect_review.answering->file(&scene.run, &action, &scene.arena),
                        FOLDER "review-1/r2-fix-summary.md");
    scene_close(&scene);
    assert_null(dialect_iterate.answering);
    assert_null(dialect_loops.answering->file);
    assert_null(dialect_session.answering);
}
