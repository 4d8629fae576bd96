/* SPDX-License-Identifier: Apache-2.0
 *
 * test_loops_judge.c - what becomes of an answer in the loops dialect. */
#include "dialect/dialects.h"
#include "format/text/utf8.h"
#include "loops_scene.h"
#include "test.h"

#include <string.h>

static struct loops_scene scene;

static int open_tasks(void **state)
{
    (void)state;
    loops_open(&scene, LOOPS_TASKS, NULL, "low");
    return 0;
}

static int open_spec(void **state)
{
    (void)state;
    loops_open(&scene, NULL, "# Spec\n", "low");
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    loops_close(&scene);
    return 0;
}

static struct result judge_bytes(uint16_t role, uint32_t lane, struct str answer)
{
    struct action action = { .kind = ACT_START, .role = role, .lane = lane, .job = 12,
                             .attempt = 2, .purpose = FOR_REVIEW };
    struct result result;

    dialect_loops.judge(&scene.run, &action, answer, &scene.arena, &result);
    return result;
}

static struct result judge(uint16_t role, uint32_t lane, const char *answer)
{
    return judge_bytes(role, lane, str_of(answer));
}

static struct result review(const char *answer)
{
    return judge(LOOPS_REVIEWER, 1, answer);
}

static struct result build(const char *answer)
{
    return judge(LOOPS_BUILDER, 1, answer);
}

static void expect_invalid(struct result result, const char *part)
{
    assert_int_equal(result.verdict, VERDICT_INVALID);
    assert_int_equal(result.finding_count + result.group_count + result.doc.size, 0);
    if (!strstr(arena_cstr(&scene.arena, result.problem), part)) {
        fail_msg("'%s' is not in: %.*s", part, STR_ARG(result.problem));
    }
}

#define TASKS_TEST(name) TEST_WITH(name, open_tasks, close_scene)

/* ---- the builder ---- */

TASKS_TEST(a_marker_counts_in_the_last_line_alone)
{
    static const char *const unfinished[] = {
        "TASK_COMPLETE\nbut not really", "`TASK_COMPLETE`", "I will say TASK_COMPLETE",
        "> TASK_COMPLETE", "**TASK_COMPLETE**", "TASK_COMPLETE.", "task_complete",
        "TASK_COMPLETE TASK_COMPLETE", "TASK_STUCK", "x TASK_STUCK: no", "working on it",
        "TASK_STUCK: why\nno, it works", "```\nTASK_COMPLETE\n```",
    };

    assert_true(build("did it\nTASK_COMPLETE").complete);
    assert_true(build("TASK_COMPLETE").complete);
    assert_true(build("did it\r\n  TASK_COMPLETE \r\n\n \n").complete);
    for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++) {
        struct result result = build(unfinished[i]);
        assert_int_equal(result.verdict, VERDICT_CLEAN);
        if (result.complete || result.stuck) fail_msg("%s", unfinished[i]);
    }
}

TASKS_TEST(a_stuck_builder_says_why)
{
    struct result result = build("tried\nTASK_STUCK: no \x1b[31mkey\x01 here\n");

    assert_true(result.stuck && !result.complete);
    assert_true(str_is(result.problem, "no [31mkey here"));
    assert_true(build("TASK_STUCK:").stuck);
    assert_true(build("TASK_STUCK:").problem.size > 0);
}

TASKS_TEST(an_empty_report_is_invalid)
{
    expect_invalid(build(""), "it is empty");
    expect_invalid(build(" \n\t\r\n"), "it is empty");
}

TASKS_TEST(the_end_of_a_long_report_is_kept)
{
    struct buf text;
    struct result result;

    buf_init(&text, 1 << 20);
    for (int i = 0; i < 20000; i++) buf_text(&text, "\xc3\xa9\n");
    buf_text(&text, "the end\nTASK_COMPLETE\n");
    result = judge_bytes(LOOPS_BUILDER, 1, buf_str(&text));
    assert_true(result.complete);
    assert_true(result.doc.size <= 32 * 1024);
    assert_true(str_ends(result.doc, STR("the end")));
    assert_int_equal(utf8_prefix(result.doc), result.doc.size);
    buf_release(&text);
}

/* ---- reviews ---- */

TASKS_TEST(passed_decides)
{
    assert_int_equal(review("{\"passed\":true}").verdict, VERDICT_CLEAN);
    assert_int_equal(review(LOOPS_PASS).verdict, VERDICT_CLEAN);
    assert_int_equal(review("{\"passed\":false}").verdict, VERDICT_FINDINGS);
    assert_int_equal(review(LOOPS_FAIL).verdict, VERDICT_FINDINGS);
    assert_int_equal(review("{\"passed\":false,\"intentSatisfied\":true}").verdict,
                     VERDICT_FINDINGS);
}

TASKS_TEST(issues_beside_a_pass_are_notes)
{
    struct result result = review("{\"passed\":true,\"issues\":[{\"description\":\"a word\"}]}");

    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.finding_count, 0);
    assert_non_null(strstr(result.doc.data, "a word"));
}

TASKS_TEST(a_review_of_the_run_passes_only_without_an_issue)
{
    struct result result = judge(LOOPS_RUN_REVIEWER, 0,
                                 "{\"passed\":true,\"intentSatisfied\":true,\"issues\":"
                                 "[{\"taskId\":\"a\",\"description\":\"a word\"}]}");

    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].text, "a word"));
    assert_non_null(strstr(result.doc.data, "\"taskId\":\"a\""));
    assert_int_equal(judge(LOOPS_RUN_REVIEWER, 0, "{\"passed\":true}").verdict, VERDICT_CLEAN);
    assert_int_equal(judge(LOOPS_RUN_REVIEWER, 0, LOOPS_PASS).verdict, VERDICT_CLEAN);
    assert_int_equal(judge(LOOPS_RUN_REVIEWER, 0, "{\"passed\":false}").verdict,
                     VERDICT_FINDINGS);
}

TASKS_TEST(a_pass_whose_intent_is_not_satisfied_is_none)
{
    struct result result = review("{\"passed\":true,\"intentSatisfied\":false,"
                                  "\"interpretedIntent\":\"to log in\"}");

    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].kind, "spec-intent-mismatch"));
    assert_true(str_is(result.findings[0].text, "the intent is not satisfied: to log in"));
    assert_int_equal(result.findings[0].severity, SEVERITY_HIGH);
    assert_int_equal(review("{\"passed\":true,\"intentSatisfied\":null}").verdict, VERDICT_CLEAN);
}

TASKS_TEST(issues_become_findings)
{
    struct result result = review(LOOPS_FAIL);

    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].file, "a.c"));
    assert_int_equal(result.findings[0].line, 3);
    assert_true(str_is(result.findings[0].kind, "dead-code"));
    assert_true(str_is(result.findings[0].text, "nobody calls it"));
    assert_true(str_is(result.findings[0].suggestion, "remove it"));
    assert_true(str_is(result.findings[0].source, "loop-reviewer"));
    result = review("{\"passed\":false,\"issues\":[{},{\"suggestion\":\"do\"},"
                    "{\"type\":\"odd\"}]}");
    assert_int_equal(result.finding_count, 3);
    assert_true(str_is(result.findings[0].text, "an issue without a description"));
    assert_true(str_is(result.findings[1].text, "do"));
    assert_true(str_is(result.findings[2].kind, "odd"));
}

TASKS_TEST(a_review_must_be_of_this_loop_and_task)
{
    assert_int_equal(review("{\"loopId\":\"k3f9a1b2-1\",\"taskId\":\"a\",\"passed\":true}").verdict,
                     VERDICT_CLEAN);
    assert_int_equal(review("{\"loopId\":null,\"taskId\":\"\",\"passed\":true}").verdict,
                     VERDICT_CLEAN);
    expect_invalid(review("{\"loopId\":\"k3f9a1b2-2\",\"passed\":true}"),
                   "loopId is 'k3f9a1b2-2', and the loop under review is k3f9a1b2-1");
    expect_invalid(review("{\"taskId\":\"b\",\"passed\":true}"), "the task under review is a");
}

TASKS_TEST(what_breaks_the_contract_is_asked_for_again)
{
    expect_invalid(review(""), "there is no JSON object");
    expect_invalid(review("REVIEW_COMPLETE"), "there is no JSON object");
    expect_invalid(review("looks good to me"), "there is no JSON object");
    expect_invalid(review("[true]"), "there is no JSON object");
    expect_invalid(review("{}"), "passed is missing");
    expect_invalid(review("{\"passed\":null}"), "passed is missing");
    expect_invalid(review("{\"passed\":\"true\"}"), "passed must be true or false");
    expect_invalid(review("{\"passed\":1}"), "passed must be true or false");
    expect_invalid(review("{\"passed\":true,\"passed\":false}"), "twice");
    expect_invalid(review("{\"passed\":true,\"p\\u0061ssed\":false}"), "twice");
    expect_invalid(review("{\"passed\":true,\"intentSatisfied\":\"no\"}"), "intentSatisfied");
    expect_invalid(review("{\"passed\":false,\"issues\":{}}"), "issues must be a list");
    expect_invalid(review("{\"passed\":false,\"issues\":[1]}"), "issues[0]: an issue must be");
    expect_invalid(review("{\"passed\":false,\"issues\":[{\"line\":\"3\"}]}"),
                   "issues[0]: line must be a number");
    expect_invalid(review("{\"passed\":false,\"issues\":[{\"file\":7}]}"), "file must be a text");
    expect_invalid(review("{\"passed\":true"), "line 1");
    expect_invalid(review("{\"passed\":true} trailing"), "line 1");
}

TASKS_TEST(a_review_may_stand_in_a_fence_or_behind_prose)
{
    assert_int_equal(review("```json\n" LOOPS_PASS "\n```").verdict, VERDICT_CLEAN);
    assert_int_equal(review("I ran the tests.\n\n" LOOPS_PASS "\nREVIEW_COMPLETE\n").verdict,
                     VERDICT_CLEAN);
    assert_int_equal(review("Words.\n```json\n" LOOPS_PASS "\n```\n\nREVIEW_COMPLETE").verdict,
                     VERDICT_CLEAN);
    expect_invalid(review(LOOPS_PASS "\n\nThat is all."), "The answer cannot be taken");
    expect_invalid(review(LOOPS_FAIL "\n" LOOPS_PASS), "The answer cannot be taken");
    expect_invalid(review("```\n" LOOPS_FAIL "\n```\nor\n```\n" LOOPS_PASS "\n```"),
                   "The answer cannot be taken");
    expect_invalid(review("```json\n" LOOPS_PASS), "The answer cannot be taken");
}

TASKS_TEST(prose_that_complains_in_front_of_a_pass_is_no_review)
{
    static const char *const complaints[] = {
        "A buffer overflow in line 3, critical.\n",
        "I ran it.\n\n- a.c:3 the lock is taken twice\n",
    };

    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        const char *text = arena_printf(&scene.arena, "%s" LOOPS_PASS "\nREVIEW_COMPLETE",
                                        complaints[i]);

        expect_invalid(review(text), "names a fault, and passed is true");
        text = arena_printf(&scene.arena, "%s" LOOPS_FAIL, complaints[i]);
        assert_int_equal(review(text).verdict, VERDICT_FINDINGS);
    }
    expect_invalid(review("- [HIGH] no test\n```json\n" LOOPS_PASS "\n```"), "names a fault");
    expect_invalid(judge(LOOPS_RUN_REVIEWER, 0, "There is a leak in line 3.\n" LOOPS_PASS),
                   "names a fault");
    assert_int_equal(review("No critical issues. The leak is fixed.\n" LOOPS_PASS).verdict,
                     VERDICT_CLEAN);
}

TASKS_TEST(a_line_that_is_none_is_left_out)
{
    static const char *const none[] = { "0", "-3", "1e300", "null", "4294967296" };

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct result result = review(arena_printf(
            &scene.arena, "{\"passed\":false,\"issues\":[{\"line\":%s}]}", none[i]));
        assert_int_equal(result.verdict, VERDICT_FINDINGS);
        assert_int_equal(result.findings[0].line, 0);
    }
    assert_int_equal(review("{\"passed\":false,\"issues\":[{\"line\":7.0}]}").findings[0].line, 7);
}

TASKS_TEST(a_review_has_the_id_of_its_attempt_and_reads_back)
{
    struct result result = review(LOOPS_FAIL);
    struct loops_review kept;
    struct err err;

    assert_int_equal(loops_review_read(result.doc, &scene.arena, &kept, &err), 0);
    assert_true(str_is(kept.id, "k3f9a1b2-1-12-2"));
    assert_false(kept.passed);
    assert_true(str_is(kept.intent, "to be of use"));
    assert_int_equal(kept.count, 1);
    assert_true(str_is(kept.issues[0].suggestion, "remove it"));
}

TASKS_TEST(very_many_issues_are_kept_in_part_and_said)
{
    struct result result;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"passed\":false,\"issues\":[{}");
    for (int i = 1; i < 700; i++) buf_text(&text, ",{\"description\":\"x\"}");
    buf_text(&text, "]}");
    result = judge_bytes(LOOPS_REVIEWER, 1, buf_str(&text));
    assert_int_equal(result.finding_count, REVIEW_ISSUES_MAX);
    assert_true(str_is(result.findings[REVIEW_ISSUES_MAX - 1].text,
                       "201 more issues were listed: they are not kept"));
    buf_release(&text);
}

#define SPEC_TEST(name) TEST_WITH(name, open_spec, close_scene)

/* ---- lists ---- */

SPEC_TEST(an_enumerator_lists_tasks)
{
    struct result result = judge(LOOPS_ENUMERATOR, 0,
        "Here they are:\n\n```json\n{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"lane\":9,"
        "\"done\":true,\"group\":\"g\"}]}\n```\n");

    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.group_count, 0);
    assert_true(str_is(result.doc, "{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"description\":\"\","
                                   "\"group\":\"\",\"depends_on\":[]}]}"));
    expect_invalid(judge(LOOPS_ENUMERATOR, 0, "{\"tasks\":[]}"), "it lists no task");
    expect_invalid(judge(LOOPS_ENUMERATOR, 0, "- [ ] a: A"), "there is no JSON object");
    expect_invalid(judge(LOOPS_ENUMERATOR, 0, "{\"tasks\":[{\"id\":\"a\",\"title\":\"A\","
                                              "\"depends_on\":[\"a\"]}]}"), "circle: a -> a");
}

SPEC_TEST(a_planner_puts_every_task_into_one_group)
{
    struct result result;

    loops_answer(&scene, 0, "enumerator",
                 "{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"b\"]},"
                 "{\"id\":\"b\",\"title\":\"B\"},{\"id\":3,\"title\":\"C\"}]}");
    result = judge(LOOPS_PLANNER, 0, "{\"groups\":[[\"b\",\"a\"],[],[3]]}");
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.group_count, 3);
    assert_non_null(strstr(result.doc.data, "\"id\":\"b\",\"title\":\"B\",\"description\":\"\","
                           "\"group\":\"1\",\"depends_on\":[],\"lane\":1"));
    assert_non_null(strstr(result.doc.data, "\"group\":\"3\",\"depends_on\":[],\"lane\":3"));
    expect_invalid(judge(LOOPS_PLANNER, 0, "{\"groups\":[[\"a\"],[\"b\"],[\"3\"]]}"),
                   "a depends on b, whose group '2' is built after its own");
    expect_invalid(judge(LOOPS_PLANNER, 0, "{\"groups\":[[\"b\"]]}"),
                   "these tasks are in no group: a, 3");
    expect_invalid(judge(LOOPS_PLANNER, 0, "{\"groups\":[[\"b\",\"b\"]]}"),
                   "groups[0]: b is there twice");
    expect_invalid(judge(LOOPS_PLANNER, 0, "{\"groups\":[[\"q\"]]}"), "there is no task 'q'");
    expect_invalid(judge(LOOPS_PLANNER, 0, "{\"groups\":[\"b\"]}"), "must be a list of ids");
    expect_invalid(judge(LOOPS_PLANNER, 0, "{\"tasks\":[]}"), "groups must be a list of lists");
}

TASKS_TEST(a_reviser_adds_behind_what_has_begun)
{
    struct result result;

    loops_build(&scene, 1);
    loops_build(&scene, 2);
    loops_merge(&scene, 1);
    loops_merge(&scene, 2);
    loops_build(&scene, 3);
    loops_merge(&scene, 3);
    loops_build(&scene, 4);
    loops_merge(&scene, 4);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_FAIL);
    result = judge(LOOPS_REVISER, 0, "{\"tasks\":[{\"title\":\"Add a\",\"group\":\"one\"},"
                                     "{\"id\":\"f\",\"title\":\"F\",\"group\":\"2\","
                                     "\"depends_on\":[\"d\"]}]}");
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_false(result.stuck);
    assert_int_equal(result.group_count, 2);
    assert_non_null(strstr(result.doc.data, "\"id\":\"d\",\"title\":\"Add d\",\"description\":\"\","
                           "\"group\":\"two\",\"depends_on\":[],\"lane\":4"));
    assert_non_null(strstr(result.doc.data, "\"id\":\"add-a\",\"title\":\"Add a\","
                           "\"description\":\"\",\"group\":\"one\",\"depends_on\":[],\"lane\":5"));
    assert_non_null(strstr(result.doc.data, "\"lane\":6"));
    expect_invalid(judge(LOOPS_REVISER, 0, "{\"tasks\":[{\"id\":\"a\",\"title\":\"A\"}]}"),
                   "two tasks are called a");
    result = judge(LOOPS_REVISER, 0, "{\"tasks\":[]}");
    assert_true(result.stuck);
    assert_int_equal(result.group_count, 0);
}

/* ---- integration ---- */

TASKS_TEST(a_merge_is_clean_and_a_conflict_is_not)
{
    struct result result = judge(LOOPS_INTEGRATOR, 1, "conflict\na.c\nb.c\n\nours\ntheirs\n");

    assert_int_equal(judge(LOOPS_INTEGRATOR, 1, "merged 12ab\n").verdict, VERDICT_CLEAN);
    assert_int_equal(judge(LOOPS_INTEGRATOR, 1, "nothing\n").verdict, VERDICT_CLEAN);
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 2);
    assert_true(str_is(result.findings[1].file, "b.c"));
    assert_true(str_ends(result.doc, STR("ours\ntheirs")));
    assert_int_equal(judge(LOOPS_INTEGRATOR, 1, "conflict").finding_count, 1);
    assert_int_equal(judge(LOOPS_INTEGRATOR, 1, "mergedish").verdict, VERDICT_INVALID);
    assert_int_equal(judge(LOOPS_INTEGRATOR, 1, "").verdict, VERDICT_INVALID);
}
