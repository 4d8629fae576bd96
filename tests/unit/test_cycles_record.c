/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cycles_record.c - the session's files, byte for byte, at every step. */
#include "cycles_scene.h"
#include "test.h"
#include "dialect/dialects.h"

#include <string.h>

#define DIR "out/s/"
#define REVIEW_1 DIR "reviews/phase-1-review-1.md"

static void expect(struct cycles_scene *scene, const char *wanted)
{
    const char *files = cycles_files(scene);

    if (strcmp(files, wanted) != 0) fail_msg("---- got\n%s---- wanted\n%s", files, wanted);
}

static bool has(const char *const *paths, uint32_t count, const char *path)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(paths[i], path) == 0) return true;
    }
    return false;
}

static bool is_absent(struct cycles_scene *scene, const char *path)
{
    struct contract contract = { 0 };
    bool absent;

    dialect_cycles.record(&scene->run, &contract);
    absent = has(contract.absent, contract.absent_count, path);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        assert_false(has(contract.absent, contract.absent_count, contract.files[i].path));
    }
    contract_release(&contract);
    return absent;
}

TEST(before_the_first_review_there_are_folders_alone)
{
    struct cycles_scene scene;
    struct contract contract = { 0 };

    cycles_open(&scene, CYCLES_SPEC, NULL);
    dialect_cycles.record(&scene.run, &contract);
    assert_int_equal(contract.file_count, 0);
    assert_int_equal(contract.folder_count, 2);
    assert_string_equal(contract.folders[0], "out/s/.signals");
    assert_string_equal(contract.folders[1], "out/s/reviews");
    contract_release(&contract);
    cycles_implement(&scene);
    expect(&scene, "");
    cycles_close(&scene);
}

/* WARN, a fix, PASS, and the second phase: everything that is written on the way. */
TEST(a_whole_run_byte_for_byte)
{
    struct cycles_scene scene;

    cycles_open(&scene, CYCLES_SPEC, NULL);
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "No test.\n\n## Grade: WARN");
    expect(&scene, "== " REVIEW_1 "\n"
                   "No test.\n\n## Grade: WARN\n"
                   "== " DIR ".signals/phase-1-review-1.done\n"
                   "path: " REVIEW_1 "\n"
                   "size: 25\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:08Z\n"
                   "grade: WARN\n");
    cycles_answer(&scene, "spec-fixer", "fixed");
    assert_true(is_absent(&scene, DIR ".signals/phase-1-fix-1.done"));
    cycles_answer(&scene, "committer", "nothing\n");
    expect(&scene, "== " REVIEW_1 "\n"
                   "No test.\n\n## Grade: WARN\n"
                   "== " DIR ".signals/phase-1-review-1.done\n"
                   "path: " REVIEW_1 "\n"
                   "size: 25\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:08Z\n"
                   "grade: WARN\n"
                   "== " DIR ".signals/phase-1-fix-1.done\n"
                   "path: " REVIEW_1 "\n"
                   "size: 25\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:10Z\n");
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    expect(&scene, "== " DIR "reviews/phase-1-review-2.md\n"
                   "## Grade: PASS\n"
                   "== " DIR ".signals/phase-1-review-2.done\n"
                   "path: " DIR "reviews/phase-1-review-2.md\n"
                   "size: 15\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:11Z\n"
                   "grade: PASS\n");
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    assert_int_equal(scene.engine.reason, REASON_CLEAN);
    expect(&scene, "== " DIR "reviews/phase-2-review-1.md\n"
                   "## Grade: PASS\n"
                   "== " DIR ".signals/phase-2-review-1.done\n"
                   "path: " DIR "reviews/phase-2-review-1.md\n"
                   "size: 15\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:14Z\n"
                   "grade: PASS\n");
    cycles_close(&scene);
}

TEST(a_review_graded_fail_is_done)
{
    struct cycles_scene scene;

    cycles_open(&scene, NULL, "1");
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: FAIL");
    assert_int_equal(scene.engine.reason, REASON_ESCALATED);
    expect(&scene, "== " REVIEW_1 "\n"
                   "## Grade: FAIL\n"
                   "== " DIR ".signals/phase-1-review-1.done\n"
                   "path: " REVIEW_1 "\n"
                   "size: 15\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:08Z\n"
                   "grade: FAIL\n");
    cycles_close(&scene);
}

TEST(a_reviewer_that_failed_leaves_a_fail_until_it_is_tried_again)
{
    struct cycles_scene scene;

    cycles_open(&scene, NULL, NULL);
    cycles_implement(&scene);
    cycles_fail(&scene, "spec-reviewer", "no such program:\nx");
    expect(&scene, "== " DIR ".signals/phase-1-review-1.fail\n"
                   "path: " REVIEW_1 "\n"
                   "size: 0\n"
                   "status: fail\n"
                   "created_at: 2026-01-02T03:04:08Z\n"
                   "error: spec-reviewer: no such program: x\n");
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1.done"));
    cycles_event(&scene, (struct event){ .kind = EV_RESUME });
    expect(&scene, "");
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1.fail"));
    cycles_close(&scene);
}

TEST(a_fixer_or_a_commit_that_failed_leaves_a_fail)
{
    static const char review[] = "== " REVIEW_1 "\n"
                                 "## Grade: FAIL\n"
                                 "== " DIR ".signals/phase-1-review-1.done\n"
                                 "path: " REVIEW_1 "\n"
                                 "size: 15\n"
                                 "status: success\n"
                                 "created_at: 2026-01-02T03:04:08Z\n"
                                 "grade: FAIL\n";
    struct cycles_scene scene;

    cycles_open(&scene, NULL, NULL);
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: FAIL");
    cycles_fail(&scene, "spec-fixer", "ran into its time limit");
    expect(&scene, arena_printf(&scene.arena, "%s== " DIR ".signals/phase-1-fix-1.fail\n"
                                "path: " REVIEW_1 "\n"
                                "size: 15\n"
                                "status: fail\n"
                                "created_at: 2026-01-02T03:04:09Z\n"
                                "error: spec-fixer: ran into its time limit\n", review));
    cycles_event(&scene, (struct event){ .kind = EV_RESUME });
    expect(&scene, review);
    assert_true(is_absent(&scene, DIR ".signals/phase-1-fix-1.fail"));
    cycles_answer(&scene, "spec-fixer", "fixed");
    cycles_fail(&scene, "committer", "the hook says no");
    expect(&scene, arena_printf(&scene.arena, "%s== " DIR ".signals/phase-1-fix-1.fail\n"
                                "path: " REVIEW_1 "\n"
                                "size: 15\n"
                                "status: fail\n"
                                "created_at: 2026-01-02T03:04:12Z\n"
                                "error: committer: the hook says no\n", review));
    cycles_close(&scene);
}

TEST(a_failed_fix_stays_on_record_when_the_user_goes_on)
{
    struct cycles_scene scene;

    cycles_open(&scene, CYCLES_SPEC, NULL);
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: FAIL");
    cycles_fail(&scene, "spec-fixer", "dead");
    cycles_event(&scene, (struct event){ .kind = EV_ANSWER, .choice = CHOICE_ACCEPT });
    (void)cycles_action(&scene, "implementer");
    assert_false(is_absent(&scene, DIR ".signals/phase-1-fix-1.fail"));
    cycles_close(&scene);
}

TEST(files_that_somebody_else_put_there_are_removed)
{
    struct cycles_scene scene;

    cycles_open(&scene, NULL, NULL);
    cycles_implement(&scene);
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1.fail"));
    assert_true(is_absent(&scene, REVIEW_1));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-fix-1.done"));
    cycles_answer(&scene, "spec-reviewer", "## Grade: FAIL");
    assert_false(is_absent(&scene, DIR ".signals/phase-1-review-1.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1.fail"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-fix-1.done"));
    cycles_fix(&scene);
    assert_false(is_absent(&scene, DIR ".signals/phase-1-fix-1.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-2.done"));
    cycles_close(&scene);
}

TEST(so_are_those_of_steps_that_are_still_to_come)
{
    struct cycles_scene scene;

    cycles_open(&scene, CYCLES_SPEC, NULL);
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-fix-3.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-2-review-1.done"));
    assert_true(is_absent(&scene, DIR "reviews/phase-2-review-3.md"));
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    assert_false(is_absent(&scene, DIR ".signals/phase-1-review-1.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-2-fix-1.fail"));
    cycles_close(&scene);
    cycles_open(&scene, CYCLES_SPEC, "1000");
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-32.done"));
    assert_false(is_absent(&scene, DIR ".signals/phase-1-review-33.done"));
    cycles_close(&scene);
}

/* An earlier run in the same folder may have had more of them. */
TEST(and_those_of_cycles_beyond_the_last)
{
    struct cycles_scene scene;

    cycles_open(&scene, CYCLES_SPEC, "1");
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-3.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-fix-2.done"));
    assert_true(is_absent(&scene, DIR "reviews/phase-1-review-3.md"));
    assert_true(is_absent(&scene, DIR ".signals/phase-2-review-1.done"));
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    assert_false(is_absent(&scene, DIR ".signals/phase-1-review-1.done"));
    assert_true(is_absent(&scene, DIR ".signals/phase-2-review-3.done"));
    cycles_close(&scene);
}

TEST(a_final_slash_of_the_folder_is_no_part_of_paths)
{
    struct cycles_scene scene;

    cycles_open(&scene, NULL, "1");
    scene.items[0].value = "out/s/";
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: FAIL");
    assert_non_null(strstr(cycles_files(&scene), "== " REVIEW_1 "\n"));
    cycles_close(&scene);
}

/* ---- several reviewers ---- */

#define PERF "---\ndescription: Find what is slow.\n---\n- A query in a loop.\n"

/* The seed's files are the spec-reviewer's; another's have its name behind. */
TEST(several_reviewers_have_files_of_their_own)
{
    struct cycles_scene scene;

    cycles_open_panel(&scene, "spec-reviewer,perf", PERF);
    cycles_implement(&scene);
    assert_true(is_absent(&scene, DIR "reviews/phase-1-review-1-perf.md"));
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-2-perf.done"));
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    expect(&scene, "== " REVIEW_1 "\n"
                   "## Grade: PASS\n"
                   "== " DIR ".signals/phase-1-review-1.done\n"
                   "path: " REVIEW_1 "\n"
                   "size: 15\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:08Z\n"
                   "grade: PASS\n");
    assert_true(is_absent(&scene, DIR ".signals/phase-1-review-1-perf.done"));
    cycles_answer(&scene, "perf", "Slow.\n\n## Grade: WARN");
    cycles_fix(&scene);
    expect(&scene, "== " REVIEW_1 "\n"
                   "## Grade: PASS\n"
                   "== " DIR ".signals/phase-1-review-1.done\n"
                   "path: " REVIEW_1 "\n"
                   "size: 15\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:08Z\n"
                   "grade: PASS\n"
                   "== " DIR "reviews/phase-1-review-1-perf.md\n"
                   "Slow.\n\n## Grade: WARN\n"
                   "== " DIR ".signals/phase-1-review-1-perf.done\n"
                   "path: " DIR "reviews/phase-1-review-1-perf.md\n"
                   "size: 22\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:09Z\n"
                   "grade: WARN\n"
                   "== " DIR ".signals/phase-1-fix-1.done\n"
                   "path: " DIR "reviews/phase-1-review-1-perf.md\n"
                   "size: 22\n"
                   "status: success\n"
                   "created_at: 2026-01-02T03:04:11Z\n");
    cycles_close(&scene);
}

TEST(a_reviewer_that_fails_has_a_signal_of_its_own)
{
    struct cycles_scene scene;

    cycles_open_panel(&scene, "spec-reviewer,perf", PERF);
    cycles_implement(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    cycles_fail(&scene, "perf", "no login");
    assert_has(cycles_files(&scene), "== " DIR ".signals/phase-1-review-1-perf.fail\n");
    assert_has(cycles_files(&scene), "error: perf: no login\n");
    assert_has(cycles_files(&scene), "== " DIR ".signals/phase-1-review-1.done\n");
    cycles_close(&scene);
}
