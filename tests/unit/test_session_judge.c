/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_judge.c - answers of a session held against their forms and against the tree. */
#include "session_scene.h"
#include "test.h"
#include "dialect/dialects.h"

#include <string.h>

/* The answer to what the role is asked now, judged and not told. */
static struct result judged(struct session_scene *scene, const char *role, const char *answer)
{
    struct action action = session_action(scene, role);
    struct result result;

    dialect_session.judge(&scene->run, &action, str_of(answer), &scene->arena, &result);
    return result;
}

static void assert_problem(struct result result, const char *wanted)
{
    char text[8192];

    assert_int_equal(result.verdict, VERDICT_INVALID);
    assert_true(result.problem.size < sizeof text);
    memcpy(text, result.problem.data, result.problem.size);
    text[result.problem.size] = '\0';
    if (!strstr(text, wanted)) fail_msg("'%s' is not in '%s'", wanted, text);
}

static void at_execution(struct session_scene *scene)
{
    session_open(scene, "", NULL);
    session_plan_it(scene);
}

TEST(a_plan_in_its_form_is_taken)
{
    struct session_scene scene;

    session_open(&scene, "", NULL);
    assert_int_equal(judged(&scene, "executor", PLAN_ANSWER("x")).verdict, VERDICT_CLEAN);
    assert_problem(judged(&scene, "executor", "I would take a lock."), "Solution Plan");
    session_close(&scene);
}

TEST(an_empty_answer_is_no_answer)
{
    struct session_scene scene;

    session_open(&scene, "", NULL);
    assert_problem(judged(&scene, "executor", " \n"), "There was no answer.");
    session_close(&scene);
}

TEST(a_claim_inside_the_delta_is_taken)
{
    struct session_scene scene;

    at_execution(&scene);
    session_change(&scene, "src/queue.c:modified");
    assert_int_equal(judged(&scene, "executor", EXEC_ANSWER("x", "src/queue.c")).verdict,
                     VERDICT_CLEAN);
    session_close(&scene);
}

TEST(a_claim_outside_the_delta_is_refused_by_name)
{
    struct session_scene scene;

    at_execution(&scene);
    session_change(&scene, "src/queue.c:modified");
    assert_problem(judged(&scene, "executor", EXEC_ANSWER("x", "src/other.c")), "`src/other.c`");
    session_close(&scene);
}

TEST(a_file_that_is_only_dirty_is_outside_the_delta)
{
    struct session_scene scene;

    at_execution(&scene);
    session_change(&scene, "src/queue.c:modified"); /* an earlier round */
    session_change(&scene, "src/main.c:modified");
    assert_int_equal(scene.tree.dirty_count, 2);
    assert_problem(judged(&scene, "executor", EXEC_ANSWER("x", "src/queue.c")), "`src/queue.c`");
    session_close(&scene);
}

TEST(a_change_that_is_not_claimed_is_taken)
{
    struct session_scene scene;

    at_execution(&scene);
    session_change(&scene, "src/queue.c:modified gone.c:deleted");
    assert_int_equal(judged(&scene, "executor", EXEC_ANSWER("x", "src/queue.c")).verdict,
                     VERDICT_CLEAN);
    session_close(&scene);
}

TEST(a_no_op_must_be_one)
{
    struct session_scene scene;

    at_execution(&scene);
    assert_int_equal(judged(&scene, "executor", NOOP_ANSWER).verdict, VERDICT_CLEAN);
    session_change(&scene, "src/queue.c:modified");
    assert_problem(judged(&scene, "executor", NOOP_ANSWER), "no no-op round");
    session_close(&scene);
}

TEST(a_no_op_must_say_so_in_all_three_places)
{
    struct session_scene scene;

    at_execution(&scene);
    assert_int_equal(judged(&scene, "executor",
                            "## Implementation Complete: x\n\n### Changes Made\nI looked.\n\n"
                            "### Files Modified / Created / Deleted\nNone\n\n"
                            "### Deviations from Plan\nNone\n\n### Notes for Reviewer\nok\n")
                         .verdict, VERDICT_INVALID);
    session_close(&scene);
}

TEST(work_in_another_checkout_is_refused)
{
    struct session_scene scene;

    at_execution(&scene);
    session_change(&scene, "src/queue.c:modified");
    assert_int_equal(judged(&scene, "executor", EXEC_ANSWER("x", "/tmp/other/src/queue.c"))
                         .verdict, VERDICT_INVALID);
    assert_int_equal(judged(&scene, "executor",
                            EXEC_ANSWER("x", "src/queue.c") "I worked in ../other-worktree, made "
                            "by `git worktree add ../other-worktree`.\n").verdict,
                     VERDICT_INVALID);
    session_close(&scene);
}

TEST(without_a_look_at_the_tree_no_report_is_taken)
{
    struct session_scene scene;

    at_execution(&scene);
    scene.run.tree = NULL;
    assert_int_equal(judged(&scene, "executor", NOOP_ANSWER).verdict, VERDICT_INVALID);
    session_close(&scene);
}

TEST(request_changes_is_findings_and_approve_is_clean)
{
    struct session_scene scene;
    struct result result;

    at_execution(&scene);
    session_execute(&scene, "locked");
    result = judged(&scene, "reviewer", CHANGES_ANSWER("it leaks"));
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.findings[0].severity, SEVERITY_HIGH);
    assert_true(str_is(result.findings[0].file, "src/queue.c"));
    assert_int_equal(result.findings[0].line, 12);
    assert_true(str_is(result.findings[0].source, "reviewer"));
    assert_int_equal(judged(&scene, "reviewer", APPROVE_ANSWER).verdict, VERDICT_CLEAN);
    session_close(&scene);
}

TEST(a_minor_beside_an_approval_is_noted)
{
    struct session_scene scene;
    struct result result;

    at_execution(&scene);
    session_execute(&scene, "locked");
    result = judged(&scene, "reviewer", MINOR_ANSWER);
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.findings[0].severity, SEVERITY_LOW);
    session_close(&scene);
}

TEST(a_critical_of_code_needs_a_place_and_one_of_a_plan_does_not)
{
    static const char unanchored[] = "### VERDICT: REQUEST_CHANGES\n\n### Issues\n"
                                     "- [CRITICAL] the loop never ends\n\n### Strengths\n- short\n";
    struct session_scene scene;

    session_open(&scene, "", NULL);
    session_answer(&scene, "executor", PLAN_ANSWER("x"));
    assert_int_equal(judged(&scene, "reviewer", unanchored).verdict, VERDICT_FINDINGS);
    session_answer(&scene, "reviewer", APPROVE_ANSWER);
    session_execute(&scene, "locked");
    assert_int_equal(judged(&scene, "reviewer", unanchored).verdict, VERDICT_INVALID);
    session_close(&scene);
}

TEST(a_broken_review_by_claude_is_for_good_and_by_others_not)
{
    struct session_scene scene;

    session_open(&scene, "", NULL);
    session_answer(&scene, "executor", PLAN_ANSWER("x"));
    scene.run.backend = "claude";
    assert_true(judged(&scene, "reviewer", "looks good").permanent);
    assert_false(judged(&scene, "reviewer", APPROVE_ANSWER).permanent);
    scene.run.backend = "codex";
    assert_false(judged(&scene, "reviewer", "looks good").permanent);
    session_close(&scene);
}

TEST(a_secret_that_the_scan_found_blocks)
{
    struct session_scene scene;

    session_open(&scene, "review-only=", NULL);
    session_answer(&scene, "reviewer", APPROVE_ANSWER);
    session_answer(&scene, "polish", APPROVE_ANSWER);
    session_answer(&scene, "docs", APPROVE_ANSWER);
    session_scan(&scene, "a private key");
    session_answer(&scene, "security", APPROVE_ANSWER);
    (void)session_action(&scene, "executor"); /* it repairs */
    assert_int_equal(scene.engine.lanes[0].review.jobs[0].result.findings[0].severity,
                     SEVERITY_HIGH);
    session_close(&scene);
}

TEST(answers_of_a_mad_size_are_judged)
{
    struct session_scene scene;
    struct buf text;

    at_execution(&scene);
    session_execute(&scene, "locked");
    buf_init(&text, 1 << 24);
    buf_text(&text, "### VERDICT: REQUEST_CHANGES\n\n### Issues\n");
    for (int i = 0; i < 20000; i++) {
        buf_printf(&text, "- [CRITICAL] fault number %d in `src/queue.c`\n", i);
    }
    buf_text(&text, "\n### Strengths\n- many\n");
    assert_int_equal(judged(&scene, "reviewer", buf_cstr(&text)).finding_count, 500);
    buf_release(&text);
    session_close(&scene);
}
