/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/check.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define CLEAN "\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,\"verdict\":\"clean\"}"
#define ONE_INFO \
    "\"summary\":{\"critical\":0,\"warning\":0,\"info\":1,\"verdict\":\"issues_found\"}"

TEST(every_kind_is_found_by_its_name)
{
    assert_non_null(check_find(STR("r1")));
    assert_null(check_find(STR("R1")));
    assert_null(check_find(STR("r")));
    assert_null(check_find(STR("")));
    for (const struct check *check = checks; check->kind; check++) {
        assert_ptr_equal(check_find(str_of(check->kind)), check);
        assert_non_null(check->run);
        assert_non_null(check->summary);
    }
}

TEST(a_valid_file_has_no_problem)
{
    static const char *const texts[] = {
        "{\"issues\":[]," CLEAN "}",
        "{" CLEAN ",\"issues\":[]}\n",
        "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\"}]," ONE_INFO "}",
        "{\"issues\":[{\"severity\":\"info\",\"category\":\"c\",\"file\":\"f\",\"line\":1,"
        "\"description\":\"d\",\"evidence\":\"e\",\"suggestion\":\"s\"}]," ONE_INFO "}",
        "{\"status\":\"PASS\",\"issues\":[]," CLEAN "}",
        "{\"status\":\"FAIL\",\"issues\":[{\"severity\":\"info\",\"description\":\"d\"}],"
        ONE_INFO "}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct check_report report = { 0 };

        check_find(STR("r1"))->run(str_of(texts[i]), &report);
        if (report.count) fail_msg("%s: %s", texts[i], report.problems[0].message);
        check_report_release(&report);
    }
}

/* Each rule by a text that breaks it alone. */
TEST(each_rule_has_its_code_and_line)
{
    static const struct { const char *text, *code; uint32_t line; } rows[] = {
        { "", "not-json", 1 },
        { "{\n\"issues\": [\n}", "not-json", 3 },
        { "```json\n{\"issues\":[]," CLEAN "}\n```", "not-json", 1 },
        { "\n[]", "not-object", 2 },
        { "{\n" CLEAN "}", "no-issues", 0 },
        { "{" CLEAN ",\n\"issues\": 3}", "no-issues", 2 },
        { "{\"issues\":[]}", "no-summary", 0 },
        { "{\"issues\":[],\n\n\"summary\": null}", "no-summary", 3 },
        { "{\"issues\":[],\n\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,\n"
          "\"verdict\":\"ok\"}}", "bad-verdict", 3 },
        { "{\"issues\":[],\n\"summary\":{\"critical\":0,\"warning\":0,\"info\":0}}",
          "bad-verdict", 2 },
        { "{\"issues\":[],\"summary\":{\"critical\":0,\n\"warning\":\"0\",\"info\":0,"
          "\"verdict\":\"clean\"}}", "bad-count", 2 },
        { "{\"issues\":[],\n\"summary\":{\"critical\":0,\"info\":0,\"verdict\":\"clean\"}}",
          "bad-count", 2 },
        { "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":1000001,\"info\":0,"
          "\"verdict\":\"clean\"}}", "bad-count", 1 },
        { "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":1000000,\"info\":0,"
          "\"verdict\":\"issues_found\"}}", "count-mismatch", 1 },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\"}],\"summary\":{"
          "\"critical\":0,\"warning\":0,\n\"info\":2,\"verdict\":\"issues_found\"}}",
          "count-mismatch", 2 },
        { "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,\n"
          "\"verdict\":\"issues_found\"}}", "verdict-mismatch", 2 },
        { "{\"issues\":[{\"severity\":\"info\",\"description\":\"d\"}],\"summary\":{"
          "\"critical\":0,\"warning\":0,\"info\":1,\n\"verdict\":\"clean\"}}",
          "verdict-mismatch", 2 },
        { "{\"issues\":[\n{\"severity\":\"low\",\"description\":\"d\"}]," ONE_INFO "}",
          "bad-severity", 2 },
        { "{\"issues\":[\n{\"severity\":\"info\",\n\"text\":\"d\"}]," ONE_INFO "}",
          "no-description", 2 },
        { "{\"issues\":[\n\n{\"severity\":\"info\",\"description\":\"d\",\"line\":\"1\"}],"
          ONE_INFO "}", "bad-line", 3 },
        { "{\"issues\":[\n{\"severity\":\"info\",\"description\":\"d\",\"line\":4294967296}],"
          ONE_INFO "}", "bad-line", 2 },
        { "{\"issues\":[\n{\"severity\":\"info\",\"description\":\"d\",\"file\":[]}],"
          ONE_INFO "}", "bad-field", 2 },
        { "{\"issues\":[\n\"d\"],\"summary\":{\"critical\":1,\"warning\":0,\"info\":0,"
          "\"verdict\":\"issues_found\"}}", "bad-issue", 2 },
        { "\n{\"issues\":[]," CLEAN ",\"issues\":[]}", "duplicate-key", 2 },
        { "{\"issues\":[],\n\"summary\":{\"info\":0,\"critical\":0,\"warning\":0,\"info\":0,"
          "\"verdict\":\"clean\"}}", "duplicate-key", 2 },
        { "{\"issues\":[\n{\"severity\":\"info\",\"description\":\"d\",\"description\":\"e\"}],"
          ONE_INFO "}", "duplicate-key", 2 },
        { "{\"issues\":[]," CLEAN ",\n\"status\":\"FAIL\"}", "status-mismatch", 2 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct check_report report = { 0 };

        check_find(STR("r1"))->run(str_of(rows[i].text), &report);
        if (report.count != 1 || strcmp(report.problems[0].code, rows[i].code) != 0 ||
            report.problems[0].line != rows[i].line) {
            fail_msg("row %zu: %u problems, the first %s in line %u: %s", i, report.count,
                     report.count ? report.problems[0].code : "-",
                     report.count ? report.problems[0].line : 0,
                     report.count ? report.problems[0].message : "");
        }
        check_report_release(&report);
    }
}

TEST(all_problems_are_told_each_in_its_line)
{
    static const char text[] =
        "{\n"
        "  \"issues\": [\n"
        "    {\"severity\": \"info\", \"description\": \"a ], } \\\" trap\"},\n"
        "    {\n"
        "      \"severity\": \"bad\",\n"
        "      \"nested\": {\"issues\": [1, 2, {\"x\": []}]}\n"
        "    },\n"
        "    7\n"
        "  ],\n"
        "  \"summary\": {\n"
        "    \"critical\": -1,\n"
        "    \"warning\": 0,\n"
        "    \"info\": 1,\n"
        "    \"verdict\": \"maybe\"\n"
        "  }\n"
        "}\n";
    static const struct { const char *code; uint32_t line; } wanted[] = {
        { "bad-severity", 4 }, { "no-description", 4 }, { "bad-issue", 8 }, { "bad-count", 11 },
        { "bad-verdict", 14 },
    };
    struct check_report report = { 0 };

    check_find(STR("r1"))->run(str_of(text), &report);
    assert_int_equal(report.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_string_equal(report.problems[i].code, wanted[i].code);
        assert_int_equal(report.problems[i].line, wanted[i].line);
    }
    check_report_release(&report);
}

TEST(a_message_names_the_field_and_what_is_wanted)
{
    struct check_report report = { 0 };

    check_find(STR("r1"))->run(STR("{\"issues\":[{\"severity\":\"high\",\"description\":\"d\"}],"
                                   ONE_INFO "}"), &report);
    assert_string_equal(report.problems[0].message,
                        "issues[0].severity is \"high\": wanted \"critical\", \"warning\" or "
                        "\"info\"");
    check_report_release(&report);
}

TEST(a_report_is_bounded_and_counts_the_rest)
{
    struct check_report report = { 0 };

    for (uint32_t i = 1; i <= CHECK_PROBLEMS_MAX + 7; i++) {
        check_report_add(&report, "code", i, "number %u", (unsigned)i);
    }
    assert_int_equal(report.count, CHECK_PROBLEMS_MAX);
    assert_int_equal(report.more, 7);
    assert_int_equal(report.problems[CHECK_PROBLEMS_MAX - 1].line, CHECK_PROBLEMS_MAX);
    assert_string_equal(report.problems[9].message, "number 10");
    check_report_release(&report);
    assert_int_equal(report.count, 0);
    check_report_release(&report);
}

TEST(a_message_is_one_harmless_line)
{
    struct check_report report = { 0 };
    char longer[4000];

    check_report_add(&report, "code", 0, "a%sb", "\n\x1b[31m\xff\xe2\x80\xae");
    assert_string_equal(report.problems[0].message, "a \\x1b[31m\\xff\\u{202e}b");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    check_report_add(&report, "code", 0, "%s", longer);
    assert_true(strlen(report.problems[1].message) < 1100);
    check_report_release(&report);
}
