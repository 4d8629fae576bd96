/* SPDX-License-Identifier: Apache-2.0
 *
 * test_check_session_file.c - a session file against its contract: each rule with a text that
 * breaks it, and the line that is named. */
#include "dialect/check.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static const char whole[] =
    "<!-- kept -->\n"                                       /* 1 */
    "## Problem Description\np\n"                           /* 2 */
    "## Context\nc\n"                                       /* 4 */
    "## Acceptance Criteria\n- a\n"                         /* 6 */
    "## Current Phase\nexecution\n"                         /* 8 */
    "## Approved Plan\n- Source: user-supplied\n\nplan\n"   /* 10 */
    "## Review Target\nx\n"                                 /* 14 */
    "## Review History\n### Execution Round 1\n- x\n"       /* 16 */
    "## Files Changed\nNone.\n"                             /* 19 */
    "## Key Related Files\nNone.\n"                         /* 21 */
    "## Timing Log\n- 3 s\n"                                /* 23 */
    "## Session Metadata\n"                                 /* 25 */
    "- session_origin: codex-skill\n"
    "- orchestrator_backend: codex\n"
    "- executor_backend: codex-subagent\n"
    "- reviewer_backend: claude-cli\n"
    "- reviewer_fallback_used: false\n"                     /* 30 */
    "- entry_point: review-loop\n"
    "- plan_source: user-supplied\n"
    "- base_head: 0123456789abcdef0123456789abcdef01234567\n"
    "- base_dirty: {\"a\":\"<deleted>\"}\n"
    "- session_commits: [0123456]\n"                        /* 35 */
    "- completed_stages: [exec, docs]\n"
    "- delivery_blocked_by: polish\n";

/* The whole file with one text in place of another. */
static const char *with(const char *old, const char *new)
{
    static char text[4096];
    const char *at = strstr(whole, old);

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, new, at + strlen(old));
    return text;
}

TEST(a_whole_file_is_right)
{
    struct check_report report = { 0 };

    check_find(STR("session"))->run(str_of(whole), &report);
    if (report.count) fail_msg("%s: %s", report.problems[0].code, report.problems[0].message);
    check_report_release(&report);
}

TEST(every_rule_has_its_code_and_its_line)
{
    static const struct {
        const char *old, *new, *code;
        uint32_t line;
    } rows[] = {
        { "## Context\nc\n", "", "missing-section", 0 },
        { "## Context\nc\n", "## Context\nc\n## CONTEXT\n", "duplicate-section", 6 },
        { "## Context\nc\n## Acceptance Criteria\n- a\n",
          "## Acceptance Criteria\n- a\n## Context\nc\n", "section-order", 6 },
        { "polish\n", "polish\n## Notes\n", "metadata-not-last", 25 },
        { "## Context\nc\n", "## Context\n```\n", "open-fence", 5 },
        { "execution", "review", "bad-phase", 8 },
        { "execution", "planning", "plan-while-planning", 10 },
        { "- Source: user-supplied\n", "", "no-source", 10 },
        { "- Source: user-supplied\n", "- Source: me\n", "bad-source", 10 },
        { "- Source: user-supplied\n\nplan\n", "", "no-plan", 10 },
        { "\nplan\n", "", "empty-plan", 10 },
        { "## Review Target\nx\n", "## Draft Plan\nx\n", "draft-left", 14 },
        { "user-supplied\n- base", "reviewer-approved\n- base", "source-differs", 25 },
        { "polish\n", "polish\n- completed_at: now\n", "unknown-key", 38 },
        { "polish\n", "polish\n- entry_point: plan\n", "duplicate-key", 38 },
        { "polish\n", "polish\n- two words: x\n", "not-a-key", 38 },
        { "- executor_backend: codex-subagent\n", "", "missing-key", 25 },
        { "_used: false", "_used: no", "bad-value", 30 },
        { "review-loop", "elsewhere", "bad-value", 31 },
        { "- base_head: 0123456789abcdef", "- base_head: xyz", "bad-value", 33 },
        { "{\"a\":\"<deleted>\"}", "{\"a\":}", "bad-value", 34 },
        { "{\"a\":\"<deleted>\"}", "{\"a\":\"gone\"}", "bad-value", 34 },
        { "[0123456]", "[HEAD]", "bad-value", 35 },
        { "[exec, docs]", "[docs, exec]", "bad-value", 36 },
        { "[exec, docs]", "[exec, exec]", "bad-value", 36 },
        { "[exec, docs]", "[Exec, docs]", "bad-value", 36 },
        { "[exec, docs]", "[exec, review]", "bad-value", 36 },
        { "_by: polish", "_by: me", "bad-value", 37 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct check_report report = { 0 };
        bool found = false;

        check_find(STR("session"))->run(str_of(with(rows[i].old, rows[i].new)), &report);
        for (uint32_t k = 0; k < report.count; k++) {
            found = found || (strcmp(report.problems[k].code, rows[i].code) == 0 &&
                              report.problems[k].line == rows[i].line);
        }
        if (!found) {
            fail_msg("%s, line %u: %u problems, first %s in line %u", rows[i].code, rows[i].line,
                     report.count, report.count ? report.problems[0].code : "none",
                     report.count ? report.problems[0].line : 0);
        }
        check_report_release(&report);
    }
}

TEST(one_fault_is_one_problem)
{
    struct check_report report = { 0 };

    check_find(STR("session"))->run(str_of(with("[exec, docs]", "[exec, review]")), &report);
    assert_int_equal(report.count, 1);
    assert_string_equal(report.problems[0].message, "completed_stages is a list of exec, polish, "
                        "docs and security, such as [exec, polish]");
    check_report_release(&report);
}

TEST(a_review_of_what_is_there_needs_its_target)
{
    struct check_report report = { 0 };

    check_find(STR("session"))->run(
        str_of(with("- Source: user-supplied\n\nplan\n## Review Target\nx\n",
                    "- Source: review-only\n")), &report);
    assert_int_equal(report.count, 2);
    assert_string_equal(report.problems[0].code, "no-target");
    assert_string_equal(report.problems[1].code, "source-differs");
    check_report_release(&report);
}

TEST(a_file_without_a_section_is_none)
{
    struct check_report report = { 0 };

    check_find(STR("session"))->run(STR("hello\n"), &report);
    assert_int_equal(report.count, 1);
    assert_string_equal(report.problems[0].code, "no-sections");
    check_report_release(&report);
}
