/* SPDX-License-Identifier: Apache-2.0
 *
 * test_review_found.c - what an analyzer found becomes a review like any other; and a fixer that
 * says it is stuck. */
#include "dialect/check.h"
#include "dialect/dialects.h"
#include "dialect/review/review.h"
#include "format/json/json.h"

#include "review_scene.h"
#include "test.h"

#include <string.h>

static struct result found_as(struct arena *arena, uint16_t role, const struct found *found)
{
    struct action action = { .kind = ACT_START, .role = role, .purpose = FOR_REVIEW };
    struct engine engine;
    struct run_view run = scene_seed(arena, &engine);
    struct result result;

    dialect_review.found(&run, &action, found, arena, &result);
    return result;
}

static void assert_passes_check(struct str document)
{
    struct check_report report = { 0 };

    check_find(STR("r1"))->run(document, &report);
    assert_int_equal(report.count, 0);
    check_report_release(&report);
}

static struct finding a_finding(enum severity severity, const char *text)
{
    struct finding finding = { .severity = severity, .kind = STR("-Wformat"), .file = STR("a.c"),
                               .line = 7, .column = 3, .text = str_of(text) };

    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

TEST(nothing_found_is_clean)
{
    struct arena arena = { 0 };
    struct str note = STR("3 of 40 units");
    struct result result = found_as(&arena, REVIEW_CRITIC, &(struct found){
        .notes = &note, .note_count = 1 });

    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.finding_count, 0);
    assert_passes_check(result.doc);
    assert_non_null(memmem(result.doc.data, result.doc.size, "3 of 40 units", 13));
    assert_int_equal(scene_judged(&arena, REVIEW_CRITIC, result.doc).verdict, VERDICT_CLEAN);
    arena_release(&arena);
}

TEST(a_finding_keeps_its_range_and_its_fix)
{
    struct arena arena = { 0 };
    struct finding finding = a_finding(SEVERITY_HIGH, "wrong format");
    struct result result, again;

    finding.fix = STR("[{\"text\":\"\",\"edits\":[]}]");
    result = found_as(&arena, REVIEW_PEDANT, &(struct found){ .findings = &finding, .count = 1 });
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].source, "pedant"));
    assert_int_equal(result.findings[0].column, 3);
    assert_true(str_eq(result.findings[0].fix, finding.fix));
    assert_true(result.findings[0].fingerprint == finding.fingerprint);
    assert_passes_check(result.doc);
    assert_non_null(memmem(result.doc.data, result.doc.size, "\"edits\": []", 11));
    again = scene_judged(&arena, REVIEW_PEDANT, result.doc);
    assert_int_equal(again.verdict, VERDICT_FINDINGS);
    assert_true(again.findings[0].fingerprint == finding.fingerprint);
    arena_release(&arena);
}

TEST(of_too_many_the_gravest_are_kept_and_the_rest_is_counted)
{
    enum { MANY = 2500 };
    static struct finding many[MANY];
    struct arena arena = { 0 };
    struct result result;

    for (uint32_t i = 0; i < MANY; i++) {
        many[i] = a_finding(i == MANY - 1 ? SEVERITY_HIGH : SEVERITY_LOW, "x");
    }
    result = found_as(&arena, REVIEW_CRITIC, &(struct found){ .findings = many, .count = MANY });
    assert_int_equal(result.finding_count, 2000);
    assert_int_equal(result.findings[0].severity, SEVERITY_HIGH);
    assert_true(str_is(result.findings[1999].text, "501 more findings are left out here"));
    assert_passes_check(result.doc);
    arena_release(&arena);
}

TEST(bytes_that_are_no_text_make_a_valid_document)
{
    struct arena arena = { 0 };
    struct finding finding = a_finding(SEVERITY_LOW, "bad \xff\x01 byte");
    struct result result;

    finding.file = STR("na\nme\x1b[31m.c");
    finding.fix = STR("not json");
    result = found_as(&arena, REVIEW_CRITIC, &(struct found){ .findings = &finding, .count = 1 });
    assert_passes_check(result.doc);
    arena_release(&arena);
}

TEST(only_a_last_line_says_that_a_fixer_is_stuck)
{
    static const struct {
        const char *answer;
        bool stuck;
    } rows[] = {
        { "# Summary\n\nSTUCK: no fix that a machine can make\n", true },
        { "STUCK: nothing", true },
        { "fixed\n  STUCK: indented is still a last line  \n\n", true },
        { "STUCK: at first\n\nThen all was fixed.\n", false },
        { "All fixed. STUCK: not at the start\n", false },
        { "stuck: other letters\n", false },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result result = scene_judged(&arena, REVIEW_FIXER, str_of(rows[i].answer));
        assert_int_equal(result.verdict, VERDICT_CLEAN);
        assert_int_equal(result.stuck, rows[i].stuck);
    }
    arena_release(&arena);
}
