/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/check.h"
#include "dialect/dialects.h"
#include "format/json/json.h"
#include "review_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define STATE ".agents/tmp/state.json"
#define FOLDER ".agents/tmp/phases/"

static const char *const roles[] = { "critic", "pedant", "witness", "security-reviewer",
                                     "silent-failure-hunter" };

static void record(struct scene *scene, struct contract *out)
{
    *out = (struct contract){ 0 };
    dialect_review.record(&scene->run, out);
}

static void expect_file(struct scene *scene, const char *path, const char *content)
{
    struct contract contract;

    record(scene, &contract);
    if (!str_is(scene_file(&contract, path), content)) {
        fail_msg("%s is\n%.*s", path, STR_ARG(scene_file(&contract, path)));
    }
    contract_release(&contract);
}

/* Paths of all files, in the order of their writing, each behind a blank. */
static void expect_paths(struct scene *scene, const char *wanted)
{
    struct contract contract;
    struct buf paths;

    record(scene, &contract);
    buf_init(&paths, 1 << 16);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        struct str path = str_of(contract.files[i].path);
        if (str_starts(path, STR(FOLDER))) path = str_skip(path, sizeof FOLDER - 1);
        buf_printf(&paths, "%s%.*s", i ? " " : "", STR_ARG(path));
    }
    assert_string_equal(buf_cstr(&paths), wanted);
    buf_release(&paths);
    contract_release(&contract);
}

/* "status currentPhase iteration", and "- failure" where there is one. */
static void expect_standing(struct scene *scene, const char *wanted)
{
    struct contract contract;
    yyjson_doc *doc;
    yyjson_val *root;
    struct err err;
    uint64_t iteration = 0;
    struct str failure;
    char text[256];

    record(scene, &contract);
    assert_int_equal(json_read(scene_file(&contract, STATE), &doc, &err), 0);
    root = yyjson_doc_get_root(doc);
    failure = json_str(root, "failure");
    assert_true(json_uint(root, "iteration", &iteration));
    snprintf(text, sizeof text, "%.*s %.*s %u%s%.*s", STR_ARG(json_str(root, "status")),
             STR_ARG(json_str(root, "currentPhase")), (unsigned)iteration,
             failure.size ? " - " : "", STR_ARG(failure));
    assert_string_equal(text, wanted);
    yyjson_doc_free(doc);
    contract_release(&contract);
}

static void expect_folder(struct scene *scene, const char *wanted)
{
    struct contract contract;

    record(scene, &contract);
    assert_int_equal(contract.folder_count, 1);
    assert_string_equal(contract.folders[0], wanted);
    contract_release(&contract);
}

TEST(at_the_start_the_state_has_all_its_fields_in_order)
{
    struct scene scene;

    scene_open(&scene, NULL);
    expect_file(&scene, STATE,
        "{\n"
        "  \"plugin\": \"minions\",\n"
        "  \"pipeline\": \"review\",\n"
        "  \"status\": \"in_progress\",\n"
        "  \"task\": \"Make it right\",\n"
        "  \"ownerPpid\": \"4711\",\n"
        "  \"sessionId\": \"run-1\",\n"
        "  \"iteration\": 1,\n"
        "  \"maxIterations\": 5,\n"
        "  \"currentPhase\": \"R1\",\n"
        "  \"startedAt\": \"2026-01-02T03:04:05Z\",\n"
        "  \"updatedAt\": \"2026-01-02T03:04:05Z\",\n"
        "  \"iterations\": [\n"
        "    {\n"
        "      \"iteration\": 1,\n"
        "      \"startedAt\": \"2026-01-02T03:04:05Z\",\n"
        "      \"r1\": {\n"
        "        \"status\": \"pending\"\n"
        "      },\n"
        "      \"r2\": {\n"
        "        \"status\": \"pending\"\n"
        "      },\n"
        "      \"verdict\": null\n"
        "    }\n"
        "  ]\n"
        "}\n");
    expect_paths(&scene, STATE);
    expect_folder(&scene, FOLDER "review-1");
    scene_close(&scene);
}

TEST(before_the_start_there_is_a_first_iteration_already)
{
    struct scene scene;

    scene_open(&scene, NULL);
    engine_release(&scene.engine);
    engine_init(&scene.engine, &scene.plan);
    expect_standing(&scene, "in_progress R1 1");
    expect_folder(&scene, FOLDER "review-1");
    scene_close(&scene);
}

TEST(a_reviewers_file_is_there_as_soon_as_it_is_done)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_answer(&scene, "witness", SCENE_CLEAN);
    expect_paths(&scene, STATE " review-1/r1-witness.json");
    scene_answer(&scene, "critic", scene_issues(&scene, 1, 0, 0));
    expect_paths(&scene, STATE " review-1/r1-critic.json review-1/r1-witness.json");
    expect_standing(&scene, "in_progress R1 1");
    scene_close(&scene);
}

TEST(an_invalid_answer_is_no_file)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_answer(&scene, "critic", "LGTM");
    expect_paths(&scene, STATE);
    scene_answer(&scene, "critic", SCENE_CLEAN);
    expect_paths(&scene, STATE " review-1/r1-critic.json");
    scene_close(&scene);
}

TEST(no_issue_in_five_reviews_is_done)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_review(&scene, SCENE_CLEAN);
    expect_standing(&scene, "complete DONE 1");
    expect_paths(&scene, STATE " review-1/r1-critic.json review-1/r1-pedant.json"
                 " review-1/r1-witness.json review-1/r1-security-reviewer.json"
                 " review-1/r1-silent-failure-hunter.json review-1/r1-verdict.json");
    expect_file(&scene, FOLDER "review-1/r1-verdict.json",
        "{\n"
        "  \"critic\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"pedant\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"witness\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"security_reviewer\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"silent_failure_hunter\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"overall_verdict\": \"clean\",\n"
        "  \"total_issues\": 0\n"
        "}\n");
    scene_close(&scene);
}

TEST(any_issue_of_any_severity_leads_to_r2)
{
    static const uint32_t counts[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

    for (size_t who = 0; who < 5; who++) {
        for (size_t i = 0; i < 3; i++) {
            struct scene scene;

            scene_open(&scene, NULL);
            for (size_t k = 0; k < 5; k++) {
                scene_answer(&scene, roles[k], k != who ? SCENE_CLEAN :
                             scene_issues(&scene, counts[i][0], counts[i][1], counts[i][2]));
            }
            expect_standing(&scene, "in_progress R2 1");
            scene_close(&scene);
        }
    }
}

TEST(the_verdict_adds_up_what_the_five_found)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_answer(&scene, "critic", scene_issues(&scene, 2, 1, 0));
    scene_answer(&scene, "pedant", "{\"issues\":[],\"summary\":{}}");
    scene_answer(&scene, "witness", SCENE_CLEAN);
    scene_answer(&scene, "security-reviewer",
                 "{\"issues\":[],\"summary\":{\"critical\":4,\"warning\":0,\"info\":0,"
                 "\"verdict\":\"clean\"}}");
    scene_answer(&scene, "silent-failure-hunter", SCENE_CLEAN);
    expect_file(&scene, FOLDER "review-1/r1-verdict.json",
        "{\n"
        "  \"critic\": {\n    \"verdict\": \"issues_found\",\n    \"issues\": 3\n  },\n"
        "  \"pedant\": {\n    \"verdict\": \"issues_found\",\n    \"issues\": 0\n  },\n"
        "  \"witness\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"security_reviewer\": {\n    \"verdict\": \"issues_found\",\n    \"issues\": 4\n  },\n"
        "  \"silent_failure_hunter\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"overall_verdict\": \"issues_found\",\n"
        "  \"total_issues\": 7\n"
        "}\n");
    scene_close(&scene);
}

TEST(a_fix_opens_the_next_iteration)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    scene_answer(&scene, "review-fixer", "# Fix Summary");
    expect_standing(&scene, "in_progress R1 2");
    expect_folder(&scene, FOLDER "review-2");
    expect_file(&scene, FOLDER "review-1/r2-fix-summary.md", "# Fix Summary\n");
    expect_paths(&scene, STATE " review-1/r1-critic.json review-1/r1-pedant.json"
                 " review-1/r1-witness.json review-1/r1-security-reviewer.json"
                 " review-1/r1-silent-failure-hunter.json review-1/r1-verdict.json"
                 " review-1/r2-fix-summary.md");
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    expect_paths(&scene, STATE " review-1/r1-critic.json review-1/r1-pedant.json"
                 " review-1/r1-witness.json review-1/r1-security-reviewer.json"
                 " review-1/r1-silent-failure-hunter.json review-1/r1-verdict.json"
                 " review-1/r2-fix-summary.md review-2/r1-pedant.json");
    scene_close(&scene);
}

TEST(the_history_keeps_every_iteration)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    scene_answer(&scene, "review-fixer", "fixed");
    scene_review(&scene, SCENE_CLEAN);
    expect_file(&scene, STATE,
        "{\n"
        "  \"plugin\": \"minions\",\n"
        "  \"pipeline\": \"review\",\n"
        "  \"status\": \"complete\",\n"
        "  \"task\": \"Make it right\",\n"
        "  \"ownerPpid\": \"4711\",\n"
        "  \"sessionId\": \"run-1\",\n"
        "  \"iteration\": 2,\n"
        "  \"maxIterations\": 5,\n"
        "  \"currentPhase\": \"DONE\",\n"
        "  \"startedAt\": \"2026-01-02T03:04:05Z\",\n"
        "  \"updatedAt\": \"2026-01-02T03:04:16Z\",\n"
        "  \"iterations\": [\n"
        "    {\n"
        "      \"iteration\": 1,\n"
        "      \"startedAt\": \"2026-01-02T03:04:05Z\",\n"
        "      \"r1\": {\n"
        "        \"status\": \"complete\",\n"
        "        \"verdict\": \"issues_found\"\n"
        "      },\n"
        "      \"r2\": {\n"
        "        \"status\": \"complete\"\n"
        "      },\n"
        "      \"verdict\": \"issues_found\"\n"
        "    },\n"
        "    {\n"
        "      \"iteration\": 2,\n"
        "      \"startedAt\": \"2026-01-02T03:04:11Z\",\n"
        "      \"r1\": {\n"
        "        \"status\": \"complete\",\n"
        "        \"verdict\": \"clean\"\n"
        "      },\n"
        "      \"r2\": {\n"
        "        \"status\": \"pending\"\n"
        "      },\n"
        "      \"verdict\": \"clean\"\n"
        "    }\n"
        "  ]\n"
        "}\n");
    scene_close(&scene);
}

TEST(issues_in_the_last_iteration_are_stopped)
{
    struct scene scene;

    scene_open(&scene, "2");
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    scene_answer(&scene, "review-fixer", "fixed");
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    expect_standing(&scene,
                    "stopped STOPPED 2 - Max review iterations reached with unresolved issues");
    scene_close(&scene);

    scene_open(&scene, "1");
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    expect_standing(&scene,
                    "stopped STOPPED 1 - Max review iterations reached with unresolved issues");
    scene_close(&scene);
}

TEST(five_iterations_are_the_default_bound)
{
    struct scene scene;

    scene_open(&scene, NULL);
    for (int i = 1; i < 5; i++) {
        scene_review(&scene, scene_issues(&scene, 0, 0, 1));
        expect_standing(&scene, i == 1 ? "in_progress R2 1" : i == 2 ? "in_progress R2 2" :
                        i == 3 ? "in_progress R2 3" : "in_progress R2 4");
        scene_answer(&scene, "review-fixer", "fixed");
    }
    scene_review(&scene, scene_issues(&scene, 0, 0, 1));
    expect_standing(&scene,
                    "stopped STOPPED 5 - Max review iterations reached with unresolved issues");
    scene_close(&scene);
}

TEST(a_failed_run_stays_where_it_is)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_fail(&scene, "critic");
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    scene_answer(&scene, "witness", SCENE_CLEAN);
    scene_answer(&scene, "security-reviewer", SCENE_CLEAN);
    scene_answer(&scene, "silent-failure-hunter", SCENE_CLEAN);
    assert_int_equal(scene.engine.reason, REASON_FAILED);
    expect_standing(&scene, "in_progress R1 1");
    expect_paths(&scene, STATE " review-1/r1-pedant.json review-1/r1-witness.json"
                 " review-1/r1-security-reviewer.json review-1/r1-silent-failure-hunter.json");
    scene_event(&scene, EV_RESUME);
    scene_answer(&scene, "critic", SCENE_CLEAN);
    expect_standing(&scene, "complete DONE 1");
    scene_close(&scene);
}

TEST(an_interrupted_fix_stays_in_r2)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_review(&scene, scene_issues(&scene, 1, 0, 0));
    scene_event(&scene, EV_STOP);
    scene_fail(&scene, "review-fixer");
    assert_int_equal(scene.engine.reason, REASON_INTERRUPTED);
    expect_standing(&scene, "in_progress R2 1");
    scene_event(&scene, EV_RESUME);
    expect_standing(&scene, "in_progress R2 1");
    scene_answer(&scene, "review-fixer", "fixed");
    expect_standing(&scene, "in_progress R1 2");
    scene_close(&scene);
}

TEST(a_fixer_without_a_summary_does_not_advance)
{
    struct scene scene;

    scene_open(&scene, NULL);
    scene_review(&scene, scene_issues(&scene, 1, 0, 0));
    scene_answer(&scene, "review-fixer", "  \n");
    expect_standing(&scene, "in_progress R2 1");
    scene_answer(&scene, "review-fixer", "");
    expect_standing(&scene, "in_progress R2 1");
    assert_int_equal(scene.engine.reason, REASON_FAILED);
    scene_close(&scene);
}

TEST(reviewers_files_pass_their_own_check)
{
    struct contract contract;
    struct scene scene;

    scene_open(&scene, NULL);
    scene_answer(&scene, "critic", scene_issues(&scene, 3, 2, 1));
    scene_answer(&scene, "pedant", SCENE_CLEAN);
    record(&scene, &contract);
    for (uint32_t i = 1; i < contract.file_count; i++) {
        struct check_report report = { 0 };
        check_find(STR("r1"))->run(contract.files[i].content, &report);
        assert_int_equal(report.count, 0);
        check_report_release(&report);
    }
    assert_int_equal(contract.file_count, 3);
    contract_release(&contract);
    scene_close(&scene);
}

TEST(the_same_run_gives_the_same_bytes)
{
    struct contract first, second;
    struct scene scene;

    scene_open(&scene, NULL);
    scene_review(&scene, scene_issues(&scene, 1, 2, 3));
    scene_answer(&scene, "review-fixer", "fixed");
    record(&scene, &first);
    record(&scene, &second);
    assert_int_equal(first.file_count, second.file_count);
    for (uint32_t i = 0; i < first.file_count; i++) {
        assert_string_equal(first.files[i].path, second.files[i].path);
        assert_true(str_eq(first.files[i].content, second.files[i].content));
    }
    contract_release(&first);
    contract_release(&second);
    scene_close(&scene);
}

TEST(a_hostile_task_stays_inside_its_string)
{
    struct contract contract;
    struct scene scene;
    yyjson_doc *doc;
    struct err err;

    scene_open(&scene, NULL);
    scene.run.task = "\",\"status\":\"complete\",\n\x1b\xff";
    expect_standing(&scene, "in_progress R1 1");
    record(&scene, &contract);
    assert_int_equal(json_read(scene_file(&contract, STATE), &doc, &err), 0);
    assert_true(str_is(json_str(yyjson_doc_get_root(doc), "task"),
                       "\",\"status\":\"complete\",\n\x1b\xef\xbf\xbd"));
    yyjson_doc_free(doc);
    contract_release(&contract);
    scene_close(&scene);
}

/* ---- other reviewers than the five ---- */

static const struct config_text perf_file = { ".hone/roles/perf-2.md", STR("look") };

TEST(files_follow_those_who_review)
{
    struct scene scene;

    scene_open_panel(&scene, "perf-2,critic", &perf_file, 1);
    scene_answer(&scene, "perf-2", scene_issues(&scene, 1, 1, 0));
    expect_paths(&scene, STATE " review-1/r1-perf-2.json");
    scene_answer(&scene, "critic", SCENE_CLEAN);
    expect_standing(&scene, "in_progress R2 1");
    expect_paths(&scene, STATE " review-1/r1-perf-2.json review-1/r1-critic.json"
                 " review-1/r1-verdict.json");
    expect_file(&scene, FOLDER "review-1/r1-verdict.json",
        "{\n"
        "  \"perf_2\": {\n    \"verdict\": \"issues_found\",\n    \"issues\": 2\n  },\n"
        "  \"critic\": {\n    \"verdict\": \"clean\",\n    \"issues\": 0\n  },\n"
        "  \"overall_verdict\": \"issues_found\",\n"
        "  \"total_issues\": 2\n"
        "}\n");
    scene_answer(&scene, "review-fixer", "# Fixed");
    scene_answer(&scene, "perf-2", SCENE_CLEAN);
    scene_answer(&scene, "critic", SCENE_CLEAN);
    expect_standing(&scene, "complete DONE 2");
    scene_close(&scene);
}

TEST(one_who_reviews_alone_decides)
{
    struct scene scene;

    scene_open_panel(&scene, "perf-2", &perf_file, 1);
    scene_answer(&scene, "perf-2", SCENE_CLEAN);
    expect_standing(&scene, "complete DONE 1");
    expect_paths(&scene, STATE " review-1/r1-perf-2.json review-1/r1-verdict.json");
    scene_close(&scene);
}

TEST(an_own_role_is_judged_as_the_others)
{
    struct scene scene;
    struct action action;
    struct result result;

    scene_open_panel(&scene, "perf-2,witness", &perf_file, 1);
    action = scene_action(&scene, "perf-2");
    dialect_review.judge(&scene.run, &action, STR("LGTM"), &scene.arena, &result);
    assert_int_equal(result.verdict, VERDICT_INVALID);
    dialect_review.judge(&scene.run, &action, STR(SCENE_CLEAN), &scene.arena, &result);
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    dialect_review.judge(&scene.run, &action, str_of(scene_issues(&scene, 0, 1, 0)), &scene.arena,
                         &result);
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_str(result.findings[0].source, "perf-2");
    /* What is a witness by its name must say that it passed, wherever it stands. */
    action = scene_action(&scene, "witness");
    dialect_review.judge(&scene.run, &action,
        STR("{\"status\":\"FAIL\",\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,"
            "\"info\":0,\"verdict\":\"clean\"}}"), &scene.arena, &result);
    assert_int_not_equal(result.verdict, VERDICT_CLEAN);
    scene_close(&scene);
}
