/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_judge.c - answers of the nine phases, judged. */
#include "format/text/utf8.h"
#include "nine_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define ALL_THREE "HIGH a.c:1 h\nMEDIUM b.c:2 m\nLOW c.c:3 l\n"

/* What the judge makes of an answer of the role that is asked now. */
static struct result judged(struct nine *nine, const char *role, const char *answer)
{
    struct action action = nine_action(nine, role);
    struct result result;

    iterate_judge(&nine->run, &action, str_of(answer), &nine->arena, &result);
    return result;
}

static struct result judged_review(struct nine *nine, const char *answer)
{
    return judged(nine, "code-reviewer", answer);
}

/* A run at the code review, with this threshold. */
static void open_review(struct nine *nine, const char *severity)
{
    static char config[256];

    snprintf(config, sizeof config, "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
             "'5':{'failOnSeverity':'%s'}}}", severity);
    nine_open(nine, (struct nine_setup){ .config = config });
    nine_reach(nine, PHASE_CODE_REVIEW);
}

TEST(a_threshold_divides_findings_from_notes)
{
    static const struct {
        const char *severity;
        uint32_t findings, notes;
    } samples[] = { { "LOW", 3, 0 }, { "MEDIUM", 2, 1 }, { "HIGH", 1, 2 }, { "NONE", 0, 3 } };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct iterate_review review;
        struct result result;
        struct nine nine;

        open_review(&nine, samples[i].severity);
        result = judged_review(&nine, ALL_THREE);
        assert_int_equal(result.verdict,
                         samples[i].findings ? VERDICT_FINDINGS : VERDICT_CLEAN);
        assert_int_equal(result.finding_count, samples[i].findings);
        iterate_review_read(result.doc, &nine.arena, &review);
        assert_int_equal(review.issues.count, samples[i].findings);
        assert_int_equal(review.notes.count, samples[i].notes);
        nine_close(&nine);
    }
}

TEST(findings_carry_all_that_was_said)
{
    struct result result;
    struct nine nine;

    open_review(&nine, "LOW");
    result = judged_review(&nine, "- MEDIUM src/b.c:12:3 leaks");
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.findings[0].severity, SEVERITY_MEDIUM);
    assert_true(str_is(result.findings[0].file, "src/b.c"));
    assert_int_equal(result.findings[0].line, 12);
    assert_true(str_is(result.findings[0].text, "leaks"));
    assert_true(str_is(result.findings[0].source, "code-reviewer"));
    assert_int_equal(result.findings[0].fingerprint, finding_fingerprint(&result.findings[0]));
    assert_true(str_is(result.doc, "{\"issues\":[{\"severity\":\"MEDIUM\",\"message\":\"leaks\","
                                   "\"location\":\"src/b.c:12\"}],\"notes\":[]}"));
    nine_close(&nine);
}

TEST(what_is_no_review_is_invalid_and_says_why)
{
    static const struct {
        const char *answer, *words;
    } samples[] = {
        { "", "empty" },
        { "It looks good to me overall.", "no line carries HIGH, MEDIUM or LOW" },
        { "{\"issues\":[{\"severity\":\"nit\",\"message\":\"x\"}]}", "severity is \"nit\"" },
        { "{\"issues\":[", "not JSON" },
    };
    struct nine nine;

    open_review(&nine, "LOW");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct result result = judged_review(&nine, samples[i].answer);
        assert_int_equal(result.verdict, VERDICT_INVALID);
        assert_int_equal(result.finding_count, 0);
        assert_int_equal(result.doc.size, 0);
        assert_non_null(strstr(result.problem.data, samples[i].words));
        assert_non_null(strstr(result.problem.data, "one JSON object with `issues`"));
    }
    nine_close(&nine);
}

TEST(issues_are_grouped_where_fixes_are_parallel)
{
    static const char answer[] = "HIGH b.c:1 x\nLOW a.c:2 y\nLOW b.c:3 z\nLOW w";
    static const struct {
        const char *config;
        uint32_t number, groups, first; /* groups, and how many of them begin at once */
    } samples[] = {
        { NINE_SIMPLE, PHASE_CODE_REVIEW, 3, 2 },
        { "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'5':{'parallelFixes':false}}}",
          PHASE_CODE_REVIEW, 1, 1 },
        /* all issues of a plan review amend one plan: they are not independent */
        { "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
          "'3':{'onFailure':'mini-loop','parallelFixes':true}}}", PHASE_PLAN_REVIEW, 1, 1 },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *reviewer = samples[i].number == PHASE_CODE_REVIEW ? "code-reviewer"
                                                                       : "plan-reviewer";
        struct result result;
        struct nine nine;

        nine_open(&nine, (struct nine_setup){ .config = samples[i].config });
        nine_reach(&nine, samples[i].number);
        result = judged(&nine, reviewer, answer);
        assert_int_equal(result.fix_groups, samples[i].groups);
        assert_int_equal(result.fix_alone, samples[i].groups > samples[i].first);
        nine_answer(&nine, reviewer, answer);
        assert_int_equal(nine.engine.lanes[0].now.count, samples[i].first);
        nine_close(&nine);
    }
}

TEST(the_last_review_goes_by_the_defaults)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'reviewDefaults':{'failOnSeverity':'HIGH'},'phases':{'1':{'parallel':false},"
        "'2':{'parallel':false}}}" });
    nine_reach(&nine, PHASE_CODEX_FINAL);
    assert_int_equal(judged(&nine, "codex-final", "MEDIUM a.c:1 x").verdict, VERDICT_CLEAN);
    assert_int_equal(judged(&nine, "codex-final", "HIGH a.c:1 x").verdict, VERDICT_FINDINGS);
    nine_answer(&nine, "codex-final", "HIGH a.c:1 x");
    assert_int_equal(nine.engine.reason, REASON_BOUND);
    nine_close(&nine);
}

TEST(tests_pass_or_are_one_grave_finding)
{
    struct iterate_tested tested;
    struct result result;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_TEST);
    result = judged(&nine, "test", "exit 0\nall 12 passed\n");
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.finding_count, 0);
    result = judged(&nine, "test", "exit 2\nok 1\nnot ok 2: HIGH a.c:1\n");
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.fix_groups, 1);
    assert_int_equal(result.findings[0].severity, SEVERITY_HIGH);
    assert_int_equal(result.findings[0].file.size, 0);
    assert_true(str_is(result.findings[0].text, "The tests failed with exit status 2; the last "
                       "they said:\nok 1\nnot ok 2: HIGH a.c:1"));
    iterate_tested_read(result.doc, &nine.arena, &tested);
    assert_int_equal(tested.status, 2);
    assert_true(str_is(tested.output, "ok 1\nnot ok 2: HIGH a.c:1"));
    assert_int_equal(judged(&nine, "test", "exit 137\n").verdict, VERDICT_FINDINGS);
    assert_int_equal(judged(&nine, "test", "").verdict, VERDICT_INVALID);
    assert_int_equal(judged(&nine, "test", "exit -1\n").verdict, VERDICT_INVALID);
    assert_int_equal(judged(&nine, "test", "all passed\n").verdict, VERDICT_INVALID);
    nine_close(&nine);
}

TEST(of_long_output_the_end_is_kept)
{
    struct result result;
    struct nine nine;
    struct buf text;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_TEST);
    buf_init(&text, 1 << 20);
    buf_text(&text, "exit 1\n");
    for (int i = 0; i < 20000; i++) buf_printf(&text, "line %d\n", i);
    result = judged(&nine, "test", buf_cstr(&text));
    assert_true(result.doc.size < 40000 && result.findings[0].text.size < 4096);
    assert_non_null(strstr(result.doc.data, "line 19999"));
    assert_non_null(strstr(result.findings[0].text.data, "\nline 19999"));
    assert_null(strstr(result.findings[0].text.data, "line 1000\n"));
    buf_release(&text);
    nine_close(&nine);
}

TEST(workers_answer_with_any_text)
{
    static const char *const roles[] = { "brainstormer", "planner", "implementer", "simplifier" };
    static const uint32_t numbers[] = { 1, 2, 4, 7 };
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    for (size_t i = 0; i < 4; i++) {
        struct result result;

        nine_reach(&nine, numbers[i]);
        result = judged(&nine, roles[i], "  text\nSTUCK: not for workers \n");
        assert_int_equal(result.verdict, VERDICT_CLEAN);
        assert_true(str_is(result.doc, "text\nSTUCK: not for workers"));
        assert_false(result.stuck);
        result = judged(&nine, roles[i], " \n\t");
        assert_int_equal(result.verdict, VERDICT_INVALID);
        assert_true(result.problem.size > 0);
    }
    nine_close(&nine);
}

TEST(a_fixer_may_be_stuck)
{
    static const struct {
        const char *answer;
        enum verdict verdict;
        bool stuck;
    } samples[] = {
        { "# Fix plan\ndone", VERDICT_CLEAN, false },
        { "# Fix plan\n\nSTUCK: which of the two?\n\n", VERDICT_CLEAN, true },
        { "STUCK: at once", VERDICT_CLEAN, true },
        { "STUCK: no\nin the end it worked", VERDICT_CLEAN, false },
        { "I was not STUCK: fine", VERDICT_CLEAN, false },
        { "", VERDICT_INVALID, false },
    };
    struct nine nine;

    open_review(&nine, "LOW");
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct result result = judged(&nine, "fixer", samples[i].answer);
        assert_int_equal(result.verdict, samples[i].verdict);
        assert_int_equal(result.stuck, samples[i].stuck);
    }
    nine_answer(&nine, "fixer", "STUCK: which of the two?");
    assert_int_equal(nine.engine.reason, REASON_WAITING);
    assert_int_equal(nine.engine.lanes[0].question, ASK_STUCK);
    nine_close(&nine);
}

TEST(a_plan_review_keeps_the_amendments_it_looked_at)
{
    struct iterate_review review;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_PLAN_REVIEW);
    nine_answer(&nine, "plan-reviewer", nine_issues(&nine, "a.c:1 b.c:2"));
    nine_answer(&nine, "fixer", "steps 1 and 2 anew");
    nine_answer(&nine, "plan-reviewer", nine_issues(&nine, "a.c:1"));
    nine_answer(&nine, "fixer", "step 1 once more");
    nine_answer(&nine, "plan-reviewer", "Plan looks good to proceed.");
    iterate_review_read(engine_doc(&nine.engine, 0, 1, PHASE_PLAN_REVIEW - 1, FOR_REVIEW),
                        &nine.arena, &review);
    assert_true(str_is(review.amendments,
                       "After review 1:\n\nsteps 1 and 2 anew\n\n"
                       "After review 2:\n\nstep 1 once more"));
    assert_true(str_eq(iterate_amendments(&nine.engine, false, &nine.arena), review.amendments));
    nine_reach(&nine, PHASE_CODEX_FINAL);
    assert_true(str_eq(iterate_amendments(&nine.engine, false, &nine.arena), review.amendments));
    nine_close(&nine);
}

TEST(amendments_are_bounded_and_the_newest_hold)
{
    struct str amendments;
    struct nine nine;
    char *large;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_PLAN_REVIEW);
    large = arena_alloc(&nine.arena, 50001);
    for (int i = 0; i < 5; i++) {
        memset(large, 'a' + i, 50000);
        for (int k = 99; k < 50000; k += 100) large[k] = '\n';
        nine_answer(&nine, "plan-reviewer", "HIGH a.c:1 x");
        nine_answer(&nine, "fixer", large);
    }
    nine_answer(&nine, "plan-reviewer", "LGTM");
    amendments = iterate_amendments(&nine.engine, false, &nine.arena);
    assert_true(amendments.size <= AMENDMENTS_BYTES_MAX);
    assert_true(str_starts(amendments, STR("[earlier amendments are left out]\ndddd")));
    assert_true(str_ends(amendments, STR("eeee")));
    nine_close(&nine);
}

TEST(an_analyzer_may_play_a_reviewer)
{
    static const struct finding findings[] = {
        { .severity = SEVERITY_LOW, .file = STR("b.c"), .line = 7, .text = STR("small") },
        { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3, .column = 9,
          .kind = STR("rule"), .text = STR("grave") },
    };
    struct found found = { .findings = findings, .count = 2 };
    struct action action;
    struct result result;
    struct nine nine;

    open_review(&nine, "MEDIUM");
    action = nine_action(&nine, "code-reviewer");
    iterate_found(&nine.run, &action, &found, &nine.arena, &result);
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].kind, "rule"));
    assert_int_equal(result.findings[0].column, 9);
    assert_true(str_is(result.findings[0].source, "code-reviewer"));
    assert_true(str_is(result.doc,
                       "{\"issues\":[{\"severity\":\"HIGH\",\"message\":\"grave\",\"location\":"
                       "\"a.c:3\"}],\"notes\":[{\"severity\":\"LOW\",\"message\":\"small\","
                       "\"location\":\"b.c:7\"}]}"));
    found.count = 0;
    iterate_found(&nine.run, &action, &found, &nine.arena, &result);
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    nine_close(&nine);
}

TEST(edits_that_a_machine_makes_are_made_by_one)
{
    struct finding findings[] = {
        { .severity = SEVERITY_HIGH, .file = STR("b.c"), .text = STR("x") },
        { .severity = SEVERITY_HIGH, .file = STR("a.c"), .text = STR("y") },
    };
    struct found found = { .findings = findings, .count = 2 };
    struct action action;
    struct result result;
    struct nine nine;

    open_review(&nine, "LOW");
    action = nine_action(&nine, "code-reviewer");
    iterate_found(&nine.run, &action, &found, &nine.arena, &result);
    assert_int_equal(result.fix_groups, 2);
    findings[1].fix = STR("[]");
    iterate_found(&nine.run, &action, &found, &nine.arena, &result);
    assert_int_equal(result.fix_groups, 1);
    nine_close(&nine);
}

TEST(very_many_issues_are_bounded_and_the_gravest_stay)
{
    struct iterate_review review;
    struct result result;
    struct nine nine;
    struct buf text;

    open_review(&nine, "LOW");
    buf_init(&text, 1 << 20);
    for (int i = 0; i < 3000; i++) buf_printf(&text, "- LOW f%d.c:1 small\n", i);
    buf_text(&text, "- HIGH last.c:1 grave\n");
    result = judged_review(&nine, buf_cstr(&text));
    assert_int_equal(result.finding_count, ISSUES_MAX);
    assert_true(str_is(result.findings[0].file, "last.c"));
    assert_non_null(strstr(result.findings[ISSUES_MAX - 1].text.data, "2502 more issues"));
    assert_int_equal(result.fix_groups, GROUPS_MAX + 1); /* the last speaks for the rest */
    iterate_review_read(result.doc, &nine.arena, &review);
    assert_int_equal(review.issues.count, ISSUES_MAX);
    buf_release(&text);
    nine_close(&nine);
}

TEST(what_is_kept_is_valid_text_and_bounded)
{
    struct result result;
    struct nine nine;
    char *huge;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    huge = arena_alloc(&nine.arena, 1000001);
    memset(huge, '\xc3', 1000000);
    result = judged(&nine, "brainstormer", huge);
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_true(result.doc.size <= WORK_BYTES_MAX);
    assert_int_equal(utf8_prefix(result.doc), result.doc.size);
    nine_close(&nine);
}

/* ---- several reviewers of the code ---- */

static void open_panel(struct nine *nine)
{
    nine_open(nine, (struct nine_setup){ .config = NINE_SIMPLE, .role = "Look at queries.\n",
                                         .reviewers = "code-reviewer,perf" });
    nine_reach(nine, PHASE_CODE_REVIEW);
}

/* Two reviewers may name one file, so that no two fixers may have it. */
TEST(one_fixer_repairs_what_several_reviewers_found)
{
    struct result result;
    struct nine nine;

    open_panel(&nine);
    result = judged(&nine, "perf", "HIGH a.c:1 slow\nLOW b.c:2 slow\n");
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_str(result.findings[0].source, "perf");
    assert_int_equal(result.fix_groups, 1);
    nine_answer(&nine, "perf", "HIGH a.c:1 slow\nLOW b.c:2 slow\n");
    nine_answer(&nine, "code-reviewer", "HIGH a.c:7 wrong\n");
    assert_int_equal(nine.engine.lanes[0].now.count, 1);
    assert_int_equal(nine_action(&nine, "fixer").purpose, FOR_REPAIR);
    nine_close(&nine);
}

/* One of two finds nothing: the gate fails all the same, until both do. */
TEST(a_gate_of_two_passes_when_both_find_nothing)
{
    struct nine nine;

    open_panel(&nine);
    nine_answer(&nine, "code-reviewer", NINE_CLEAN);
    nine_answer(&nine, "perf", "HIGH a.c:1 slow\n");
    nine_answer(&nine, "fixer", "a.c: done");
    nine_answer(&nine, "perf", NINE_CLEAN);
    assert_int_equal(nine.engine.lanes[0].phase, PHASE_CODE_REVIEW - 1);
    nine_answer(&nine, "code-reviewer", NINE_CLEAN);
    assert_int_equal(nine.engine.lanes[0].phase, PHASE_TEST - 1);
    nine_close(&nine);
}
