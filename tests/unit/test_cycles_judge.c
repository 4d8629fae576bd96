/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cycles_judge.c - what becomes of an answer. */
#include "cycles_scene.h"
#include "dialect/cycles/cycles.h"
#include "dialect/dialects.h"
#include "format/text/utf8.h"
#include "test.h"

#include <string.h>

TESTS_ARENA

static struct result judge_bytes(uint16_t role, struct str answer)
{
    struct action action = { .kind = ACT_START, .role = role };
    const struct settings none = { 0 };
    struct engine engine = { 0 };
    struct run_view run = { .engine = &engine };
    struct plan plan;
    struct err err;
    struct result result;

    assert_int_equal(dialect_cycles.plan(&none, &arena, &plan, &err), 0);
    engine.plan = &plan;
    dialect_cycles.judge(&run, &action, answer, &arena, &result);
    return result;
}

static struct result judge(uint16_t role, const char *answer)
{
    return judge_bytes(role, str_of(answer));
}

static struct result review(const char *answer)
{
    return judge(CYCLES_REVIEWER, answer);
}

/* ---- reviews ---- */

TEST(only_pass_is_clean)
{
    assert_int_equal(review("ok\n\n## Grade: PASS\n").verdict, VERDICT_CLEAN);
    assert_int_equal(review("ok\n\n## Grade: PASS\n").finding_count, 0);
    assert_int_equal(review("hm\n\n## Grade: WARN\n").verdict, VERDICT_FINDINGS);
    assert_int_equal(review("no\n\n## Grade: FAIL\n").verdict, VERDICT_FINDINGS);
    assert_int_equal(review("looks fine\n").verdict, VERDICT_FINDINGS);
    assert_int_equal(review("## Grade: PASSED\n").verdict, VERDICT_FINDINGS);
}

TEST(pass_beside_a_complaint_is_asked_for_again)
{
    static const char *const complaints[] = {
        "There is a buffer overflow in line 3.\n", "- src/b.c:3 the lock is taken twice\n",
        "b.c: critical, it crashes on an empty file.\n", "- [HIGH] the lock is missing\n",
    };
    static const char *const others[] = {
        "No critical issues.\n", "The overflow in line 3 is fixed.\n", "### Critical\nNone.\n",
        "- SC-001: checked, src/a.c:3 is correct\n",
    };

    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        const char *text = arena_printf(&arena, "%s\n## Grade: PASS\n", complaints[i]);
        struct result result = review(text);

        assert_int_equal(result.verdict, VERDICT_INVALID);
        assert_non_null(strstr(arena_cstr(&arena, result.problem), "The worst sentence counts"));
        text = arena_printf(&arena, "%s\n## Grade: FAIL\n", complaints[i]);
        assert_int_equal(review(text).verdict, VERDICT_FINDINGS);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *text = arena_printf(&arena, "%s\n## Grade: PASS\n", others[i]);

        if (review(text).verdict != VERDICT_CLEAN) fail_msg("%s", text);
    }
}

TEST(an_empty_review_is_invalid_and_asked_for_again)
{
    static const char *const answers[] = { "", " \n\t\r\n", "done", " done\n" };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct result result = review(answers[i]);
        assert_int_equal(result.verdict, VERDICT_INVALID);
        assert_true(result.problem.size > 0);
        assert_int_equal(result.doc.size, 0);
        assert_int_equal(result.finding_count, 0);
    }
    assert_int_equal(review("done\nand more").verdict, VERDICT_FINDINGS);
}

TEST(the_review_is_kept_whole)
{
    struct result result = review("\n \n    code first\n\ttext  \n\n## Grade: WARN\n\n\n");
    struct result again;

    assert_true(str_is(result.doc, "    code first\n\ttext  \n\n## Grade: WARN\n"));
    again = judge_bytes(CYCLES_REVIEWER, result.doc);
    assert_true(str_eq(again.doc, result.doc));
    assert_int_equal(again.verdict, result.verdict);
    assert_true(str_is(review("x").doc, "x\n"));
    result = judge_bytes(CYCLES_REVIEWER, STR("a\xff\x00z\n## Grade: PASS"));
    assert_true(str_eq(result.doc, STR("a\xef\xbf\xbd\x00z\n## Grade: PASS\n")));
    assert_int_equal(result.verdict, VERDICT_CLEAN);
}

TEST(issues_with_a_place_are_findings)
{
    struct result result = review(
        "# Review\n\n"
        "## Compliance\n\n"
        "- SC-001 is met: src/good.c:3\n"
        "| SC-002 | UNMET | src/table.c:4 |\n\n"
        "## Issues\n\n"
        "- [CRITICAL] src/login.c:42 - accepts an empty name\n"
        "- **MEDIUM** `src/greet.c:7-9`: no test\n"
        "* LOW: (doc/login.md:1:5) a typo\n"
        "1. src/plain.c:10 without a severity\n"
        "- [HIGH] no place here\n"
        "src/prose.c:5 is no item\n"
        "> - [HIGH] src/quoted.c:6 the file says\n"
        "```\n- [HIGH] src/code.c:8 likewise\n```\n"
        "## Recommendations\n\n"
        "- see src/later.c:2\n\n"
        "### HIGH\n\n"
        "- src/ranked.c:11: by its heading\n\n"
        "## Grade: WARN\n");
    static const struct { const char *file; uint32_t line; enum severity severity; } wanted[] = {
        { "src/login.c", 42, SEVERITY_HIGH },  { "src/greet.c", 7, SEVERITY_MEDIUM },
        { "doc/login.md", 1, SEVERITY_LOW },   { "src/plain.c", 10, SEVERITY_MEDIUM },
        { "src/ranked.c", 11, SEVERITY_HIGH },
    };

    assert_int_equal(result.finding_count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < result.finding_count; i++) {
        const struct finding *finding = &result.findings[i];
        assert_true(str_is(finding->file, wanted[i].file));
        assert_int_equal(finding->line, wanted[i].line);
        assert_int_equal(finding->severity, wanted[i].severity);
        assert_true(str_is(finding->source, "spec-reviewer"));
        assert_int_equal(finding->fingerprint, finding_fingerprint(finding));
    }
    assert_true(str_is(result.findings[0].text, "[CRITICAL] src/login.c:42 - accepts an empty "
                                                "name"));
}

TEST(what_is_no_place_makes_no_finding)
{
    static const char *const items[] = {
        "at 12:30 it failed", "http://localhost:8080 is down", "localhost:8080", "a.c:0", "a.c:",
        "a.c:x1", ":12", "a.c:99999999999", "see a.c",
    };

    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        struct result result = review(arena_printf(&arena, "## Issues\n\n- [HIGH] %s\n\n"
                                                   "## Grade: FAIL\n", items[i]));
        assert_int_equal(result.finding_count, 1);
        assert_int_equal(result.findings[0].line, 0);
        assert_true(str_starts(result.findings[0].text, STR("FAIL: ")));
    }
}

TEST(a_review_that_lists_nothing_is_one_finding)
{
    struct result result = review("It does not build.\n\n## Grade: FAIL\n");

    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.findings[0].severity, SEVERITY_HIGH);
    assert_true(str_starts(result.findings[0].text, STR("FAIL: It does not build.")));
    result = review("Too slow.\n\n## Grade: WARN\n");
    assert_int_equal(result.findings[0].severity, SEVERITY_MEDIUM);
    assert_true(str_starts(result.findings[0].text, STR("WARN: Too slow.")));
    result = review("fine");
    assert_true(str_is(result.findings[0].text, "FAIL (the review says no grade): fine"));
    result = review("## Grade: fine");
    assert_true(str_starts(result.findings[0].text, STR("FAIL (the review's grade is another")));
}

TEST(findings_are_bounded_and_none_is_dropped_without_a_word)
{
    struct buf text;
    struct result result;

    buf_init(&text, 1 << 22);
    buf_text(&text, "## Issues\n\n");
    for (int i = 1; i <= 1000; i++) buf_printf(&text, "- [LOW] a.c:%d is odd\n", i);
    buf_text(&text, "\n## Grade: WARN\n");
    result = judge_bytes(CYCLES_REVIEWER, buf_str(&text));
    assert_int_equal(result.finding_count, 500);
    assert_int_equal(result.findings[498].line, 499);
    assert_true(str_is(result.findings[499].text, "501 more issues stand in the review alone"));
    buf_clear(&text);
    for (int i = 0; i < 100000; i++) buf_text(&text, "\xc3\xa4");
    result = judge_bytes(CYCLES_REVIEWER, buf_str(&text));
    assert_true(result.findings[0].text.size < 1100);
    assert_true(str_ends(result.findings[0].text, STR("\xc3\xa4...")));
    assert_int_equal(result.doc.size, text.size + 1);
    buf_release(&text);
}

/* ---- the others ---- */

TEST(a_report_is_anything_that_is_not_empty)
{
    static const uint16_t roles[] = { CYCLES_IMPLEMENTER, CYCLES_FIXER };

    for (size_t i = 0; i < 2; i++) {
        struct result result = judge(roles[i], "\nbuilt it\n\n");
        assert_int_equal(result.verdict, VERDICT_CLEAN);
        assert_true(str_is(result.doc, "built it\n"));
        assert_false(result.stuck);
        assert_int_equal(judge(roles[i], "done").verdict, VERDICT_CLEAN);
        result = judge(roles[i], " \n");
        assert_int_equal(result.verdict, VERDICT_INVALID);
        assert_true(result.problem.size > 0);
        assert_true(judge(roles[i], "tried\n\nSTUCK: no key\n\n").stuck);
        assert_true(judge(roles[i], "STUCK: no key").stuck);
        assert_false(judge(roles[i], "STUCK: no key\nfound it").stuck);
        assert_false(judge(roles[i], "not STUCK: x").stuck);
    }
}

TEST(a_long_report_is_cut_between_characters)
{
    enum { LIMIT = 1 << 20, BYTES = LIMIT + 5000 };
    char *long_one = arena_alloc(&arena, BYTES + 1);
    struct result result;

    long_one[0] = 'x';
    for (uint32_t i = 1; i + 1 < BYTES; i += 2) memcpy(long_one + i, "\xc3\xa9", 2);
    result = judge(CYCLES_IMPLEMENTER, long_one);
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_in_range(result.doc.size, LIMIT - 1, LIMIT);
    assert_true(str_ends(result.doc, STR("\xc3\xa9...")));
    assert_int_equal(utf8_prefix(result.doc), result.doc.size);
}

TEST(a_commit_is_one_or_nothing)
{
    struct result result = judge(CYCLES_COMMITTER, "commit 12ab\nmain.c\n");

    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.problem.size, 0);
    assert_true(str_is(result.doc, "commit 12ab\nmain.c"));
    result = judge(CYCLES_COMMITTER, "nothing\n");
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_true(str_is(result.problem, "nothing was changed, so there is no commit"));
    assert_int_equal(judge(CYCLES_COMMITTER, "").verdict, VERDICT_INVALID);
    assert_int_equal(judge(CYCLES_COMMITTER, "nothing at all").verdict, VERDICT_INVALID);
}

TESTS_WITHIN(NULL, release)
