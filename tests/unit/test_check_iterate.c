/* SPDX-License-Identifier: Apache-2.0
 *
 * test_check_iterate.c - a reviewer's answer of the iterate dialect against its contract. */
#include "dialect/check.h"
#include "dialect/iterate/iterate.h"

#include "test.h"

TEST(a_check_says_what_is_wrong_with_an_answer)
{
    static const struct {
        const char *answer, *code; /* NULL: nothing */
        uint32_t line;
    } samples[] = {
        { "No issues found.\n", NULL, 0 },
        { "- HIGH a.c:3 x\n", NULL, 0 },
        { "{\"issues\":[{\"severity\":\"LOW\",\"message\":\"x\",\"location\":null}]}", NULL, 0 },
        { "", "empty", 0 },
        { "fine", "no-verdict", 0 },
        { "LGTM\n```\n", "open-fence", 2 },
        { "HIGH x\nLGTM", "clean-and-issues", 2 },
        { "### a.c\nNo issues found.\n### b.c\nA buffer overflow in line 3, critical.\n",
          "clean-and-complaint", 4 },
        { "HIGH: 3\nMEDIUM: 0\n", "not-listed", 0 },
        { "{\"issues\":[{\"severity\":\"LOW\"}]}", "no-message", 1 },
        { "{\"issues\":[{\"severity\":\"LOW\",\"message\":\"x\",\"location\":3}]}", "bad-location",
          1 },
        { "{\n\"issues\":[\n3]}", "bad-issue", 3 },
        { "{\"issues\":3}", "no-issues", 1 },
        { "[]", "not-object", 1 },
        { "{\"issues\":[]", "not-json", 1 },
        { "{\"a\":1,\"a\":2,\"issues\":[]}", "duplicate-key", 1 },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct check_report report = { 0 };

        check_find(STR("iterate"))->run(str_of(samples[i].answer), &report);
        if (report.count != (samples[i].code != NULL)) fail_msg("%s", samples[i].answer);
        if (samples[i].code) {
            assert_string_equal(report.problems[0].code, samples[i].code);
            assert_int_equal(report.problems[0].line, samples[i].line);
        }
        check_report_release(&report);
    }
}

TEST(a_problem_names_its_line)
{
    struct check_report report = { 0 };
    struct iterate_issues issues;
    struct arena arena = { 0 };

    assert_false(iterate_issues_read(STR("{\"issues\":[\n"
                                         "{\"severity\":\"LOW\",\"message\":\"x\"},\n"
                                         "{\"severity\":\"nit\",\"message\":\"y\"}]}"),
                                     NULL, &arena, &report, &issues));
    assert_int_equal(report.count, 1);
    assert_int_equal(report.problems[0].line, 3);
    assert_string_equal(report.problems[0].code, "bad-severity");
    assert_string_equal(report.problems[0].message, "issue 2: severity is \"nit\": wanted "
                        "\"HIGH\", \"MEDIUM\" or \"LOW\"");
    check_report_release(&report);
    arena_release(&arena);
}
