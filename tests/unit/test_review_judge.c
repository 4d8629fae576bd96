/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/check.h"
#include "dialect/dialects.h"
#include "dialect/review/review.h"
#include "review_scene.h"
#include "test.h"

#include <string.h>

#define COUNTS(c, w, i) "\"critical\":" #c ",\"warning\":" #w ",\"info\":" #i
#define CLEAN "\"summary\":{" COUNTS(0, 0, 0) ",\"verdict\":\"clean\"}"
#define FOUND(c, w, i) "\"summary\":{" COUNTS(c, w, i) ",\"verdict\":\"issues_found\"}"
#define ISSUE(severity) "{\"severity\":\"" severity "\",\"description\":\"d\"}"

/* What becomes of the file that an agent of a host wrote. */
static void expect_file(const char *answer, bool stays)
{
    struct action action = { .kind = ACT_START, .role = REVIEW_CRITIC, .purpose = FOR_REVIEW };
    struct arena arena = { 0 };
    struct engine engine;
    struct run_view run = scene_seed(&arena, &engine);
    struct result result;

    run.answers = ANSWERS_IN_FILE;
    dialect_review.judge(&run, &action, str_of(answer), &arena, &result);
    assert_int_equal(str_is(result.doc, answer), stays);
    run.answers = ANSWERS_SPOKEN;
    dialect_review.judge(&run, &action, str_of(answer), &arena, &result);
    assert_false(str_is(result.doc, answer)); /* it was said, not written */
    arena_release(&arena);
}

static bool passes_check(struct str text)
{
    struct check_report report = { 0 };
    bool valid;

    check_find(STR("r1"))->run(text, &report);
    valid = report.count == 0;
    check_report_release(&report);
    return valid;
}

/* What an answer is judged as, how many findings it has, and a part of its problem or document. */
struct row {
    const char *answer;
    enum verdict verdict;
    uint32_t findings;
    const char *part;
};

/* A row whose answer is NULL ends. */
static void check_rows(const struct row *rows, uint16_t role)
{
    for (size_t i = 0; rows[i].answer; i++) {
        struct arena arena = { 0 };
        struct result result = scene_judged(&arena, role, str_of(rows[i].answer));
        struct str text = result.verdict == VERDICT_INVALID ? result.problem : result.doc;

        if (result.verdict != rows[i].verdict || result.finding_count != rows[i].findings ||
            !has_part(text, rows[i].part)) {
            fail_msg("row %zu: %s: %s, %u findings: %.*s", i, rows[i].answer,
                     verdict_word(result.verdict), (unsigned)result.finding_count, STR_ARG(text));
        }
        assert_int_equal(result.problem.size == 0, result.verdict != VERDICT_INVALID);
        assert_int_equal(result.doc.size == 0, result.verdict == VERDICT_INVALID);
        arena_release(&arena);
    }
}

static void check_rows_for_all(const struct row *rows)
{
    for (int role = REVIEW_FIRST; role <= REVIEW_LAST; role++) check_rows(rows, (uint16_t)role);
}

TEST(what_is_no_review_is_invalid)
{
    static const struct row rows[] = {
        { "", VERDICT_INVALID, 0, "no JSON" },
        { " \n\t\r\n", VERDICT_INVALID, 0, "no JSON" },
        { "No issues found.", VERDICT_INVALID, 0, "line 1: not JSON" },
        { "{\"issues\":[]", VERDICT_INVALID, 0, "not JSON" },
        { "{\"issues\":[],\n" CLEAN ",}", VERDICT_INVALID, 0, "line 2: not JSON" },
        { "{\"issues\":[]," CLEAN "} done", VERDICT_INVALID, 0, "not JSON" },
        { "Here it is: {\"issues\":[]," CLEAN "}", VERDICT_INVALID, 0, "not JSON" },
        { "{\"issues\":[]," CLEAN "}{\"issues\":[]," CLEAN "}", VERDICT_INVALID, 0, "not JSON" },
        { "\xef\xbb\xbf{\"issues\":[]," CLEAN "}", VERDICT_INVALID, 0, "not JSON" },
        { "{\"issues\":[\"\xff\"]," CLEAN "}", VERDICT_INVALID, 0, "not JSON" },
        { "{'issues':[]}", VERDICT_INVALID, 0, "not JSON" },
        { "{\"issues\":[], /* none */ " CLEAN "}", VERDICT_INVALID, 0, "not JSON" },
        { "[]", VERDICT_INVALID, 0, "an array: wanted an object" },
        { "[{\"issues\":[]," CLEAN "}]", VERDICT_INVALID, 0, "an array: wanted an object" },
        { "\n\n[]", VERDICT_INVALID, 0, "line 3: it is an array" },
        { "null", VERDICT_INVALID, 0, "null: wanted an object" },
        { "\"clean\"", VERDICT_INVALID, 0, "\"clean\": wanted an object" },
        { "0", VERDICT_INVALID, 0, "0: wanted an object" },
        { "{}", VERDICT_INVALID, 0, "issues is missing" },
        { "{\"verdict\":\"clean\"}", VERDICT_INVALID, 0, "summary is missing" },
        { "{\"Issues\":[],\"Summary\":{}}", VERDICT_INVALID, 0, "issues is missing" },
        { "{\"issues\":[]," CLEAN ",\"issues\":[]}", VERDICT_INVALID, 0, "a key twice" },
        { "{\"issues\":[]," CLEAN "," CLEAN "}", VERDICT_INVALID, 0, "a key twice" },
        { "{\"issues\":[]," CLEAN ",\"a\":1,\"\\u0061\":2}", VERDICT_INVALID, 0, "a key twice" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0)
          ",\"verdict\":\"clean\",\"verdict\":\"issues_found\"}}",
          VERDICT_INVALID, 0, "summary has a key twice" },
        { .answer = NULL },
    };

    check_rows_for_all(rows);
}

TEST(clean_is_clean_only_in_every_way)
{
    static const struct row rows[] = {
        { "{\"issues\":[]," CLEAN "}", VERDICT_CLEAN, 0, "\"verdict\": \"clean\"" },
        { " \r\n{" CLEAN ",\"issues\":[]}\n\n", VERDICT_CLEAN, 0, "\"verdict\": \"clean\"" },
        { "{\"issues\":[],\"files_reviewed\":[\"a\"]," CLEAN "}", VERDICT_CLEAN, 0, "files_rev" },
        { "```json\n{\"issues\":[]," CLEAN "}\n```", VERDICT_CLEAN, 0, "clean" },
        { "\n```\n{\"issues\":[]," CLEAN "}\n```\n", VERDICT_CLEAN, 0, "clean" },
        { .answer = NULL },
    };

    check_rows_for_all(rows);
}

TEST(one_code_fence_and_nothing_else_is_looked_through)
{
    static const struct row rows[] = {
        { "```json\n{\"issues\":[]," CLEAN "}\n```\nDone.", VERDICT_INVALID, 0, "line 1" },
        { "Result:\n```json\n{\"issues\":[]," CLEAN "}\n```", VERDICT_INVALID, 0, "line 1" },
        { "```json\n{\"issues\":[]," CLEAN "}", VERDICT_INVALID, 0, "line 1" },
        { "```\n```json\n{\"issues\":[]," CLEAN "}\n```\n```", VERDICT_INVALID, 0, "line 2" },
        { "```json\n{\"issues\":[],\n\"summary\"}\n```", VERDICT_INVALID, 0, "line 3" },
        { "```\n```", VERDICT_INVALID, 0, "no JSON" },
        { "``````", VERDICT_INVALID, 0, "not JSON" },
        { "```", VERDICT_INVALID, 0, "not JSON" },
        { "```json `x`\n{\"issues\":[]," CLEAN "}\n```", VERDICT_INVALID, 0, "not JSON" },
        { "```{}\n{\"issues\":[]," CLEAN "}\n```", VERDICT_INVALID, 0, "not JSON" },
        { "````\n{\"issues\":[]," CLEAN "}\n```", VERDICT_INVALID, 0, "not JSON" },
        { "```{\"issues\":[]," CLEAN "}```", VERDICT_INVALID, 0, "not JSON" },
        { "```json\n{\"issues\":[]," CLEAN "}```", VERDICT_INVALID, 0, "not JSON" },
        { .answer = NULL },
    };

    check_rows(rows, REVIEW_CRITIC);
}

/* What was seen to end a loop, or to hang it, in loops built on scripts and trust. */
TEST(words_counts_and_list_are_believed_at_their_worst)
{
    static const struct row rows[] = {
        { "{\"issues\":[" ISSUE("info") "]," CLEAN "}", VERDICT_FINDINGS, 1,
          "summary.verdict is \\\"clean\\\", but there is 1 issue" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0) "}}", VERDICT_FINDINGS, 1,
          "summary.verdict is missing" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0) ",\"verdict\":null}}", VERDICT_FINDINGS, 1,
          "summary.verdict is null" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0) ",\"verdict\":\"approved\"}}",
          VERDICT_FINDINGS, 1, "summary.verdict is \\\"approved\\\"" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0) ",\"verdict\":\"Clean\"}}",
          VERDICT_FINDINGS, 1, "summary.verdict is \\\"Clean\\\"" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0) ",\"verdict\":[\"clean\"]}}",
          VERDICT_FINDINGS, 1, "summary.verdict is an array" },
        { "{\"issues\":[],\"summary\":{" COUNTS(1, 0, 0) ",\"verdict\":\"clean\"}}",
          VERDICT_FINDINGS, 1, "\"critical\": 1" },
        { "{\"issues\":[],\"summary\":{" COUNTS("1", 0, 0) ",\"verdict\":\"clean\"}}",
          VERDICT_FINDINGS, 1, "summary.critical is \\\"1\\\"" },
        { "{\"issues\":[],\"summary\":{" COUNTS(-1, 0, 0) ",\"verdict\":\"clean\"}}",
          VERDICT_FINDINGS, 1, "summary.critical is -1" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0.5, 0, 0) ",\"verdict\":\"clean\"}}",
          VERDICT_FINDINGS, 1, "summary.critical is 0.5" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, null, 0) ",\"verdict\":\"clean\"}}",
          VERDICT_FINDINGS, 1, "summary.warning is null" },
        { "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 18446744073709551615)
          ",\"verdict\":\"clean\"}}", VERDICT_FINDINGS, 1, "summary.info is 18446744073709551615" },
        { "{\"issues\":[],\"summary\":{\"verdict\":\"clean\"}}", VERDICT_FINDINGS, 1,
          "summary.info is missing" },
        { "{\"issues\":[],\"summary\":{}}", VERDICT_FINDINGS, 1, "summary.verdict is missing" },
        { "{" CLEAN "}", VERDICT_FINDINGS, 1, "issues is missing" },
        { "{\"issues\":null," CLEAN "}", VERDICT_FINDINGS, 1, "issues is null" },
        { "{\"issues\":\"none\"," CLEAN "}", VERDICT_FINDINGS, 1, "issues is \\\"none\\\"" },
        { "{\"issues\":{}," CLEAN "}", VERDICT_FINDINGS, 1, "issues is an object" },
        { "{" CLEAN "}", VERDICT_FINDINGS, 1, "\"issues\": []" },
        { "{\"issues\":\"none\"," CLEAN "}", VERDICT_FINDINGS, 1, "\"issues\": []" },
        { "{\"issues\":[]}", VERDICT_FINDINGS, 1, "summary is missing" },
        { "{\"issues\":[],\"summary\":\"clean\"}", VERDICT_FINDINGS, 1,
          "summary is \\\"clean\\\"" },
        { "{\"issues\":[],\"summary\":[]}", VERDICT_FINDINGS, 1, "summary is an array" },
        { "{\"issues\":[]," FOUND(0, 0, 0) "}", VERDICT_FINDINGS, 1, "but there is no issue" },
        { "{\"issues\":[" ISSUE("info") "]," FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1,
          "\"info\": 1" },
        { "{\"issues\":[" ISSUE("info") "]," FOUND(0, 0, 2) "}", VERDICT_FINDINGS, 1,
          "\"info\": 2" },
        { "{\"issues\":[" ISSUE("info") "," ISSUE("critical") "]," FOUND(0, 0, 1) "}",
          VERDICT_FINDINGS, 2, "\"critical\": 1" },
        { .answer = NULL },
    };

    check_rows_for_all(rows);
}

TEST(a_malformed_issue_is_still_an_issue)
{
    static const struct row rows[] = {
        { "{\"issues\":[\"it leaks\"]," FOUND(1, 0, 0) "}", VERDICT_FINDINGS, 1,
          "issues[0] is \\\"it leaks\\\"" },
        { "{\"issues\":" ISSUE("info") "," CLEAN "}", VERDICT_FINDINGS, 1, "\"info\": 1" },
        { "{\"issues\":{\"critical\":[\"it leaks\"]}," CLEAN "}", VERDICT_FINDINGS, 1,
          "\"issues\": [\n    {\n      \"critical\": [" },
        { "{\"issues\":[null]," CLEAN "}", VERDICT_FINDINGS, 1, "issues[0] is null" },
        { "{\"issues\":[[1]]," CLEAN "}", VERDICT_FINDINGS, 1, "issues[0] is an array" },
        { "{\"issues\":[{}]," CLEAN "}", VERDICT_FINDINGS, 1, "issues[0].severity is missing" },
        { "{\"issues\":[" ISSUE("high") "]," FOUND(0, 1, 0) "}", VERDICT_FINDINGS, 1,
          "issues[0].severity is \\\"high\\\"" },
        { "{\"issues\":[" ISSUE("INFO") "]," FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1,
          "\"critical\": 1" },
        { "{\"issues\":[{\"severity\":\"info\"}]," FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1,
          "issues[0].description is missing" },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\" \"}]," FOUND(0, 0, 1) "}",
          VERDICT_FINDINGS, 1, "issues[0].description is \\\" \\\"" },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\",\"line\":\"12\"}],"
          FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1, "issues[0].line is \\\"12\\\"" },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\",\"line\":-1}],"
          FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1, "issues[0].line is -1" },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\",\"line\":1.5}],"
          FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1, "issues[0].line is 1.5" },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\",\"file\":7}],"
          FOUND(0, 0, 1) "}", VERDICT_FINDINGS, 1, "issues[0].file is 7" },
        { .answer = NULL },
    };

    check_rows(rows, REVIEW_CRITIC);
}

TEST(what_is_well_formed_has_no_problems)
{
    static const char *const answers[] = {
        "{\"issues\":[" ISSUE("critical") "," ISSUE("warning") "," ISSUE("info") "],"
        FOUND(1, 1, 1) "}",
        "{\"issues\":[{\"severity\":\"info\",\"category\":\"c\",\"file\":\"a/b.c\",\"line\":12,"
        "\"description\":\"d\",\"evidence\":\"e\",\"suggestion\":\"s\"}]," FOUND(0, 0, 1) "}",
        "{\"issues\":[{\"severity\":\"info\",\"file\":null,\"line\":null,\"description\":\"d\","
        "\"evidence\":{\"out\":[\"x\"]}}]," FOUND(0, 0, 1) "}",
        "{\"issues\":[{\"severity\":\"info\",\"line\":0,\"description\":\"d\"}]," FOUND(0, 0, 1)
        "}",
    };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct arena arena = { 0 };
        struct result result = scene_judged(&arena, REVIEW_PEDANT, str_of(answers[i]));

        assert_int_equal(result.verdict, VERDICT_FINDINGS);
        assert_false(has_part(result.doc, "\"problems\""));
        assert_true(passes_check(result.doc));
        arena_release(&arena);
    }
}

TEST(a_witness_that_did_not_pass_is_never_clean)
{
    static const struct row witness[] = {
        { "{\"status\":\"PASS\",\"issues\":[]," CLEAN "}", VERDICT_CLEAN, 0, "PASS" },
        { "{\"status\":\"FAIL\",\"issues\":[]," CLEAN "}", VERDICT_FINDINGS, 1,
          "status is \\\"FAIL\\\", but" },
        { "{\"status\":\"pass\",\"issues\":[]," CLEAN "}", VERDICT_FINDINGS, 1,
          "status is \\\"pass\\\": wanted" },
        { "{\"status\":null,\"issues\":[]," CLEAN "}", VERDICT_FINDINGS, 1, "status is null" },
        { "{\"status\":\"FAIL\",\"issues\":[" ISSUE("info") "]," FOUND(0, 0, 1) "}",
          VERDICT_FINDINGS, 1, "\"status\": \"FAIL\"" },
        { .answer = NULL },
    };
    static const struct row critic[] = {
        { "{\"status\":\"done\",\"issues\":[]," CLEAN "}", VERDICT_CLEAN, 0, "done" },
        { .answer = NULL },
    };
    struct arena arena = { 0 };
    struct result result;

    check_rows(witness, REVIEW_WITNESS);
    check_rows(critic, REVIEW_CRITIC);
    result = scene_judged(&arena, REVIEW_WITNESS, str_of(witness[4].answer));
    assert_false(has_part(result.doc, "\"problems\""));
    arena_release(&arena);
}

TEST(every_field_of_an_issue_reaches_its_finding)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_SECURITY, STR(
        "{\"issues\":[{\"severity\":\"warning\",\"category\":\"injection\",\"file\":\"a/b.c\","
        "\"line\":12,\"description\":\"bad\",\"evidence\":\"code\",\"suggestion\":\"mend\"}],"
        FOUND(0, 1, 0) "}"));
    const struct finding *finding = result.findings;

    assert_int_equal(result.finding_count, 1);
    assert_int_equal(finding->severity, SEVERITY_MEDIUM);
    assert_true(str_is(finding->source, "security-reviewer"));
    assert_true(str_is(finding->kind, "injection"));
    assert_true(str_is(finding->file, "a/b.c"));
    assert_int_equal(finding->line, 12);
    assert_true(str_is(finding->text, "bad"));
    assert_true(str_is(finding->evidence, "code"));
    assert_true(str_is(finding->suggestion, "mend"));
    assert_true(finding->fingerprint == finding_fingerprint(finding));
    arena_release(&arena);
}

TEST(severities_map_to_the_three_ranks)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_CRITIC, STR(
        "{\"issues\":[" ISSUE("critical") "," ISSUE("warning") "," ISSUE("info") ","
        ISSUE("nit") ",{\"description\":\"d\"}]," FOUND(1, 1, 1) "}"));

    assert_int_equal(result.finding_count, 5);
    assert_int_equal(result.findings[0].severity, SEVERITY_HIGH);
    assert_int_equal(result.findings[1].severity, SEVERITY_MEDIUM);
    assert_int_equal(result.findings[2].severity, SEVERITY_LOW);
    assert_int_equal(result.findings[3].severity, SEVERITY_HIGH);
    assert_int_equal(result.findings[4].severity, SEVERITY_HIGH);
    arena_release(&arena);
}

TEST(an_issue_without_a_description_shows_what_there_is)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_CRITIC, STR(
        "{\"issues\":[\"plain words\",{\"severity\":\"info\",\"evidence\":\"e\"},null,[1,2],"
        "{\"severity\":\"info\",\"description\":[\"a\"]}]," FOUND(5, 0, 0) "}"));

    assert_int_equal(result.finding_count, 5);
    assert_true(str_is(result.findings[0].text, "plain words"));
    assert_true(has_part(result.findings[1].text, "\"evidence\":\"e\""));
    assert_true(result.findings[2].text.size > 0);
    assert_true(str_is(result.findings[3].text, "[1,2]"));
    assert_true(str_is(result.findings[4].text, "[\"a\"]"));
    arena_release(&arena);
}

TEST(the_form_is_a_finding_only_where_nothing_is_listed)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_PEDANT,
                                        STR("{\"issues\":[],\"summary\":{}}"));

    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].source, "pedant"));
    assert_true(str_is(result.findings[0].kind, "contract"));
    assert_int_equal(result.findings[0].severity, SEVERITY_MEDIUM);
    assert_true(has_part(result.findings[0].text, "summary.critical is missing"));
    assert_true(has_part(result.findings[0].text, "summary.verdict is missing"));

    result = scene_judged(&arena, REVIEW_PEDANT, STR("{\"issues\":[" ISSUE("info") "]}"));
    assert_int_equal(result.finding_count, 1);
    assert_true(str_is(result.findings[0].text, "d"));
    assert_true(has_part(result.doc, "summary is missing"));
    arena_release(&arena);
}

TEST(the_document_is_the_agents_own_with_a_true_summary)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_CRITIC, STR(
        "{\"reviewed_at\":\"today\",\"summary\":{\"critical\":0,\"warning\":3,\"info\":0,"
        "\"verdict\":\"clean\",\"mood\":\"good\"},\"issues\":[{\"severity\":\"critical\","
        "\"description\":\"d\",\"note\":[1,2.5,true,null]}],\"last\":{\"x\":\"\\u00e9\"}}"));

    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_true(str_is(result.doc,
        "{\n"
        "  \"reviewed_at\": \"today\",\n"
        "  \"summary\": {\n"
        "    \"critical\": 1,\n"
        "    \"warning\": 3,\n"
        "    \"info\": 0,\n"
        "    \"verdict\": \"issues_found\"\n"
        "  },\n"
        "  \"issues\": [\n"
        "    {\n"
        "      \"severity\": \"critical\",\n"
        "      \"description\": \"d\",\n"
        "      \"note\": [\n"
        "        1,\n"
        "        2.5,\n"
        "        true,\n"
        "        null\n"
        "      ]\n"
        "    }\n"
        "  ],\n"
        "  \"last\": {\n"
        "    \"x\": \"\xc3\xa9\"\n"
        "  },\n"
        "  \"problems\": [\n"
        "    \"summary.critical is 0, but issues has 1\",\n"
        "    \"summary.warning is 3, but issues has 0\",\n"
        "    \"summary.verdict is \\\"clean\\\", but there are 4 issues\"\n"
        "  ]\n"
        "}\n"));
    arena_release(&arena);
}

TEST(judging_a_document_again_gives_the_same_verdict)
{
    static const char *const answers[] = {
        SCENE_CLEAN, "{\"issues\":[]}", "{" CLEAN "}", "{\"issues\":[1]," CLEAN "}",
        "{\"issues\":[" ISSUE("x") "]," FOUND(0, 0, 1) "}", "{\"summary\":7}",
        "{\"problems\":[\"mine\"],\"issues\":[]," CLEAN "}",
    };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct arena arena = { 0 };
        struct result first = scene_judged(&arena, REVIEW_CRITIC, str_of(answers[i]));
        struct result second = scene_judged(&arena, REVIEW_CRITIC, first.doc);

        assert_int_equal(first.verdict, second.verdict);
        arena_release(&arena);
    }
}

TEST(a_problem_shows_no_control_characters)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_CRITIC, STR(
        "{\"issues\":[],\"summary\":{" COUNTS(0, 0, 0)
        ",\"verdict\":\"\\u001b[2J\\u202e\\u0000x\\n\"}}"));

    assert_int_equal(result.finding_count, 1);
    assert_true(has_part(result.findings[0].text, "\\x1b[2J\\u{202e}"));
    assert_false(str_has(result.findings[0].text, '\x1b'));
    arena_release(&arena);
}

TEST(a_file_that_says_what_was_judged_stays_as_it_is)
{
    expect_file("{\"issues\":[]," CLEAN "}", true);
    expect_file("\n{ \"issues\": [" ISSUE("warning") "],\n" FOUND(0, 1, 0) "}\n\n", true);
    expect_file("{" CLEAN ",\"issues\":[],\"more\":{\"a\":[1,2]}}", true);
    expect_file("{\"issues\":[" ISSUE("warning") "]," CLEAN "}", false);
    expect_file("{\"issues\":[" ISSUE("warning") "]," FOUND(0, 2, 0) "}", false);
    expect_file("{\"issues\":[" ISSUE("warning") "]}", false);
    expect_file("```json\n{\"issues\":[]," CLEAN "}\n```\n", false);
}
