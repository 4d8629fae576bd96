/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_review_text.c - a review of the session dialect against its contract. */
#include "dialect/session/answers.h"

#include "contract_rows.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define APPROVED "### VERDICT: APPROVE\n"
#define REFUSED "### VERDICT: REQUEST_CHANGES\n"
#define STRONG "### Strengths\n- It is short.\n"
#define CRITICAL "- [CRITICAL] It reads behind the end of `src/parse.c`\n"
#define MINOR "- [MINOR] A name misleads\n"

static const char changes_text[] =
    "### VERDICT: REQUEST_CHANGES\n"                                         /* 1 */
    "\n"
    "### Issues\n"                                                           /* 3 */
    "- [CRITICAL] The loop reads behind the end - must be resolved before proceeding\n"
    "  File: `src/parse.c`, around line 12\n"
    "- [MINOR] A name misleads - recommended improvement\n"
    "\n"
    "### Strengths\n"                                                        /* 8 */
    "- It is short.\n"
    "\n"
    "### Questions\n"                                                        /* 11 */
    "- How large is the input?\n";

TEST(each_rule_has_a_text_that_keeps_it_and_one_that_breaks_it)
{
    static const struct contract_row rows[] = {
        { "missing-verdict", 0, "### VERDICT: REQUEST_CHANGES\n", "\n", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "[REQUEST_CHANGES]", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "[APPROVE | REQUEST_CHANGES]", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "request_changes", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "REQUEST CHANGES", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "REQUEST_CHANGES.", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "REJECT", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "**REQUEST_CHANGES**", NULL },
        { "invalid-verdict", 1, "REQUEST_CHANGES", "REQUEST_CHANGES\xe2\x80\x8b", NULL },
        { "invalid-verdict", 1, "### VERDICT: REQ", "### VERDICT\nREQ", NULL },
        { "invalid-verdict", 1, "### VERDICT: ", "## VERDICT: ", "### Verdict: " },
        { "invalid-verdict", 1, "### VERDICT: ", "VERDICT: ", "###  VERDICT:" },
        { "invalid-verdict", 1, "### VERDICT: REQUEST_CHANGES", "**VERDICT: REQUEST_CHANGES**",
          NULL },
        { "repeated-verdict", 8, "### Strengths", "### VERDICT: APPROVE\n\n### Strengths", NULL },
        { "repeated-verdict", 8, "### Strengths", REFUSED "\n### Strengths", NULL },
        { "repeated-verdict", 9, "- It is short.", "VERDICT: APPROVE\n- It is short.",
          "- It is short.\n- VERDICT: APPROVE" },
        { "repeated-verdict", 9, "- It is short.", "**Verdict:** `APPROVE`\n- It is short.",
          "Verdict: it is short." },
        { "repeated-verdict", 9, "- It is short.", "#### VERDICT : APPROVE\n- It is short.",
          "VERDICT and issues: all fine." },
        { "missing-strengths", 0, "### Strengths\n- It is short.\n", "", NULL },
        { "empty-strengths", 8, "- It is short.\n", "", "Short.\n" },
        { "empty-strengths", 8, "- It is short.\n", "...\n", NULL },
        { "empty-questions", 11, "- How large is the input?\n", "", "- None.\n" },
        { "empty-questions", 11, "- How large is the input?\n", "- ...\n", "None\n" },
        { "unknown-section", 8, "### Strengths", "### Summary\nx\n\n### Strengths", NULL },
        { "unknown-section", 11, "### Questions", "### Questions:", NULL },
        { "repeated-section", 11, "### Questions", STRONG "\n### Questions", NULL },
        { "misplaced-issue", 9, "- It is short.", CRITICAL "- It is short.",
          "- It is short; [CRITICAL] is not" },
        { "misplaced-issue", 1, "### VERDICT: ", MINOR "### VERDICT: ", "Hello.\n### VERDICT: " },
        { "misplaced-issue", 2, "\n### Issues", MINOR "\n### Issues", "Because.\n\n### Issues" },
        { .code = NULL },
    };

    check_rows(check_plan_review, changes_text, rows);
}

TEST(below_issues_stand_issues_and_nothing_else)
{
    static const struct contract_row rows[] = {
        { "invalid-severity", 6, "[MINOR]", "[MAJOR]", NULL },
        { "invalid-severity", 6, "[MINOR]", "[minor]", NULL },
        { "invalid-severity", 6, "[MINOR]", "[ MINOR ]", NULL },
        { "invalid-severity", 6, "- [MINOR]", "[NIT]", "[MINOR]" },
        { "invalid-severity", 6, "[MINOR]", "[MINOR][CRITICAL]", "[MINOR]:" },
        { "missing-severity", 6, "[MINOR] A", "A", NULL },
        { "missing-severity", 6, "[MINOR] A", "**[MINOR]** A", NULL },
        { "missing-severity", 6, "[MINOR] A", "MINOR: A", NULL },
        { "missing-description", 6, "[MINOR] A name misleads - recommended improvement", "[MINOR]",
          "[MINOR]\n  A name misleads." },
        { "missing-description", 6, "A name misleads - recommended", "recommended", NULL },
        { "missing-description", 6, "A name misleads", "<description>", "<name> misleads" },
        { "issues-prose", 7, "- recommended improvement", "- x\nAnd more.", "- x\n  And more." },
        { "issues-prose", 4, "### Issues\n", "### Issues\nThere are two.\n", NULL },
        { "issues-prose", 4, "### Issues\n", "### Issues\n## All\n", "### Issues\n#### All\n" },
        { "issues-prose", 4, "### Issues\n", "### Issues\n> quoted\n\n", NULL },
        { "issues-prose-placeholder", 6, "- [MINOR] A name misleads", "No issues found", NULL },
        { "issues-prose-placeholder", 6, "- [MINOR] A name misleads", "- N/A", NULL },
        { "none-with-issues", 6, "- [MINOR] A name misleads - recommended improvement", "- None.",
          "" },
        { "none-with-issues", 4, "### Issues\n", "### Issues\n- None.\n", NULL },
        { .code = NULL },
    };

    check_rows(check_plan_review, changes_text, rows);
}

TEST(no_issue_is_said_in_two_ways)
{
    static const char approved[] = APPROVED "### Issues\n- None.\n" STRONG;
    static const struct contract_row rows[] = {
        { "invalid-none", 3, "- None.", "- None", "- None. " },
        { "invalid-none", 3, "- None.", "None.", NULL },
        { "invalid-none", 3, "- None.", "- none.", NULL },
        { "invalid-none", 3, "- None.", "* None.", NULL },
        { "invalid-none", 3, "- None.", "  - None.", "\n- None.\n" },
        { "invalid-none", 3, "- None.", "- **None.**", NULL },
        { "invalid-none", 4, "- None.", "- None.\n- None.", NULL },
        { "issues-empty-body", 2, "- None.\n", "", NULL },
        { "issues-empty-body", 2, "- None.\n", "<!-- - None. -->\n", NULL },
        { "issues-prose-placeholder", 3, "- None.", "No issues found.", NULL },
        { "issues-prose-placeholder", 3, "- None.", "- none found", NULL },
        { "issues-prose-placeholder", 3, "- None.", "- No blocking issues.", NULL },
        { "issues-prose-placeholder", 4, "- None.", "- None.\n  None of note.", NULL },
        { "issues-prose", 3, "- None.", "-None.", NULL },
        { "issues-prose", 3, "- None.", "Keine Probleme gefunden.", NULL },
        { "missing-severity", 3, "- None.", "- Keine.", NULL },
        { "issues-prose", 3, "- None.", "```\n- None.\n```", NULL },
        { .code = NULL },
    };

    check_rows(check_plan_review, approved, rows);
    check_codes(check_plan_review, APPROVED STRONG, "");
}

TEST(verdict_and_issues_go_together)
{
    check_codes(check_plan_review, APPROVED STRONG, "");
    check_codes(check_plan_review, APPROVED "### Issues\n- None.\n" STRONG, "");
    check_codes(check_plan_review, APPROVED "### Issues\n" MINOR STRONG, "");
    check_codes(check_plan_review, APPROVED "### Issues\n" CRITICAL STRONG,
                "approve-with-critical");
    check_codes(check_plan_review, APPROVED "### Issues\n" MINOR CRITICAL CRITICAL STRONG,
                "approve-with-critical");
    check_codes(check_plan_review, APPROVED "### Issues\n- [MAJOR] x\n" CRITICAL STRONG,
                "invalid-severity approve-with-critical");
    check_codes(check_plan_review, "There is a buffer overflow in line 3.\n\n" APPROVED STRONG,
                "approve-with-complaint");
    check_codes(check_plan_review, APPROVED "It crashes on an empty file.\n" STRONG,
                "approve-with-complaint");
    check_codes(check_plan_review, "No critical issues were found.\n\n" APPROVED STRONG, "");
    check_codes(check_plan_review, APPROVED STRONG "- A buffer overflow in line 3, critical.\n",
                "approve-with-complaint");
    check_codes(check_plan_review, APPROVED STRONG "- The lock closes the race.\n", "");
    check_codes(check_plan_review, APPROVED STRONG "### Questions\n- a.c:3 crashes on NULL.\n",
                "approve-with-complaint");
    check_codes(check_plan_review,
                APPROVED STRONG "### Questions\n- Is the race in line 3 wanted?\n", "");
    check_codes(check_plan_review, REFUSED STRONG, "request-changes-without-issues");
    check_codes(check_plan_review, REFUSED "### Issues\n- None.\n" STRONG,
                "request-changes-with-none");
    check_codes(check_plan_review, REFUSED "### Issues\n" MINOR STRONG,
                "request-changes-minor-only");
    check_codes(check_plan_review, REFUSED "### Issues\n" MINOR CRITICAL STRONG, "");
    check_codes(check_plan_review, REFUSED "### Issues\nAll of it is bad.\n" STRONG,
                "issues-prose");
    check_codes(check_plan_review, REFUSED "### Issues\n" STRONG, "issues-empty-body");
}

TEST(the_lines_of_these_problems_are_told)
{
    static const struct contract_row rows[] = {
        { "approve-with-critical", 4, "REQUEST_CHANGES", "APPROVE", NULL },
        { "request-changes-minor-only", 1, "[CRITICAL]", "[MINOR]", NULL },
        { "request-changes-with-none", 4,
          "- [CRITICAL] The loop reads behind the end - must be resolved before proceeding\n"
          "  File: `src/parse.c`, around line 12\n"
          "- [MINOR] A name misleads - recommended improvement", "- None.", NULL },
        { .code = NULL },
    };

    check_rows(check_plan_review, changes_text, rows);
}

TEST(a_critical_of_code_says_where_it_is)
{
    static const char *const file = "  File: `src/parse.c`, around line 12\n";
    const struct contract_row rows[] = {
        { "missing-anchor", 4, file, "", "File: src/parse.c\n" },
        { "missing-anchor", 4, file, "  File:\n", "  **File:** `src/parse.c`\n" },
        { "missing-anchor", 4, file, "  File: N/A\n", "  File: Makefile\n" },
        { "missing-anchor", 4, file, "  File: `path/file.ext`, around line N\n", NULL },
        { "missing-anchor", 4, file, "  In `main()` and `a->b`, `x`, `a::b`.\n",
          "  In `src/parse.c:12`.\n" },
        { "missing-anchor", 4, file, "  ```\n  p = 0;\n  ```\n", "    - File: `src/parse.c`\n" },
        { "missing-anchor", 4, file, "  > p = 0;\n", "  See `parse.c`.\n" },
        { .code = NULL },
    };

    check_rows(check_code_review, changes_text, rows);
    for (size_t i = 0; rows[i].code; i++) {
        char *text = edited(changes_text, rows[i].from, rows[i].bad);

        check_codes(check_plan_review, text, "");
        free(text);
    }
    check_codes(check_code_review, APPROVED "### Issues\n" MINOR STRONG, "");
}

/* "Reject code-review findings without concrete anchors only when the finding should reasonably be
 * able to point to specific files or locations." */
TEST(a_finding_needs_an_anchor_only_where_it_can_point_to_a_place)
{
    static const struct { const char *words; bool taken; } rows[] = {
        /* a path in any usual form is an anchor */
        { "bug in src/main.c:3", true },
        { "the loop in src/main.c reads behind the end", true },
        { "the loop reads behind the end (src/main.c:3)", true },
        { "the loop reads behind the end (see \"src/main.c\", line 3)", true },
        { "the loop reads behind the end, in 'main.c'.", true },
        { "src/main.c:3:7: the loop reads behind the end", true },
        { "**main.c**: the loop reads behind the end", true },
        { "the variable of Makefile is wrong", true },
        { "the function that README shows is gone", true },
        { "the function in [main](src/main.c) leaks", true },
        { "the hook in scripts/hooks/pre-push calls `exit 0`", true },
        { "the function leaks:\n  ```\n  src/main.c:3: error\n  ```", true },
        { "the function leaks:\n  > src/main.c:3: error", true },
        /* something missing */
        { "no test for the new behaviour", true },
        { "There is no check of what `malloc()` returns", true },
        { "Missing error handling around the call", true },
        { "`--json` is undocumented", true },
        { "The function of the work item is not implemented", true },
        { "The migration of the struct was forgotten", true },
        /* the plan */
        { "step 3 of the plan is not implemented", true },
        { "Step 3: the loop is still there", true },
        { "The second acceptance criterion: the function must be pure", true },
        /* the workspace */
        { "Workspace divergence: the function exists only in another worktree", true },
        { "The implementation appears to exist only in a different repository path", true },
        /* the whole */
        { "The whole approach leaks memory in every function", true },
        { "The build fails with an undefined variable", true },
        { "The executor's report calls a function that does not exist", true },
        /* in doubt it is taken */
        { "It is slow", true },
        { "It reads behind the end", true },
        /* it speaks of concrete code and gives no place at all */
        { "The loop reads behind the end", false },
        { "`parse_line` returns the wrong value", false },
        { "parse_line() returns the wrong value", false },
        { "A null pointer is dereferenced in line 12", false },
        { "The function leaks memory and/or handles, e.g. its buffer", false },
        { "The function and its callers race at 10:30, v1.2, see https://a.example/b.c", false },
        { "The function calls `obj.close()`", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = edited(REFUSED "### Issues\n- [CRITICAL] @\n" STRONG, "@", rows[i].words);
        struct check_report report = { 0 };

        check_code_review(str_of(text), &report);
        if ((report.count == 0) != rows[i].taken) fail_msg("%s", rows[i].words);
        if (report.count) assert_string_equal(report.problems[0].code, "missing-anchor");
        check_report_release(&report);
        free(text);
    }
}

TEST(a_file_that_the_run_changed_is_an_anchor_by_its_name)
{
    static const struct str changed[] = { STR("bin/pack"), STR("src/parse.c") };
    static const struct { const char *words, *file; } rows[] = {
        { "the loop of pack reads behind the end", "bin/pack" },
        { "the loop of `pack` reads behind the end", "bin/pack" },
        { "the loop of bin/pack: it reads behind the end", "bin/pack" },
        { "the loop of the packer reads behind the end", NULL },
        { "the loop of unpack reads behind the end", NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = edited(REFUSED "### Issues\n- [CRITICAL] @\n" STRONG, "@", rows[i].words);
        struct anchor_rule rule = { .changed = changed, .changed_count = 2 };
        struct check_report report = { 0 };
        struct session_review_text review;
        struct arena arena = { 0 };
        bool taken = session_review_text_read(str_of(text), &rule, &arena, &report, &review);

        if (taken != (rows[i].file != NULL)) fail_msg("%s", rows[i].words);
        if (taken && !str_is(review.issues[0].file, rows[i].file)) {
            fail_msg("%s: got '%.*s'", rows[i].words, STR_ARG(review.issues[0].file));
        }
        check_report_release(&report);
        arena_release(&arena);
        free(text);
    }
}

TEST(quoted_words_are_no_verdict)
{
    static const char *const quoted[] = {
        "```\n" APPROVED "```\n", "~~~md\n" APPROVED "~~~\n", "````\n```\n" APPROVED "````\n",
        "> " APPROVED, "- " APPROVED, "1. " APPROVED, "- it says\n  " APPROVED, "    " APPROVED,
        " " APPROVED, "<!--\n" APPROVED "-->\n", "<pre>\n" APPROVED "</pre>\n",
        "It says ### VERDICT: APPROVE\n", "`### VERDICT: APPROVE`\n", "\t" APPROVED,
        "```\n" APPROVED STRONG "```\nand\n```\nend\n```\n",
    };

    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        char *before = edited("@" STRONG, "@", quoted[i]);
        char *after = edited(APPROVED STRONG "@", "@", quoted[i]);

        check_codes(check_plan_review, before, "missing-verdict");
        check_codes(check_plan_review, after, "");
        free(before);
        free(after);
    }
}

TEST(what_is_hidden_is_found)
{
    check_codes(check_plan_review, APPROVED "### Issues\n" MINOR "    " CRITICAL STRONG,
                "approve-with-critical");
    check_codes(check_plan_review, APPROVED "### Issues\n" MINOR "      1. [CRITICAL] x\n" STRONG,
                "approve-with-critical");
    check_codes(check_plan_review, APPROVED STRONG "```\n" CRITICAL, "open-fence");
    check_codes(check_plan_review, APPROVED STRONG "<!--\n" CRITICAL, "open-fence");
    check_codes(check_plan_review, "", "empty");
    check_codes(check_plan_review, "LGTM", "missing-verdict missing-strengths");
}

TEST(a_fence_around_the_whole_is_taken_off)
{
    static const char *const whole[] = {
        "```md\n" APPROVED STRONG "```", "```markdown\n" APPROVED STRONG "```\n\n",
        "```\n" APPROVED STRONG "```", "\n\n~~~\n" APPROVED STRONG "~~~\n",
        "````md\n" APPROVED STRONG "```c\nx\n```\n````",
        "```md\n" APPROVED STRONG "```c\nx\n```\nGood.\n```\n",
    };
    static const char *const parts[] = {
        "```c\n" APPROVED STRONG "```", "Hello\n```md\n" APPROVED STRONG "```",
        "```md\n" APPROVED STRONG "```\nNot mine.", "```md\n" APPROVED STRONG "~~~",
        "```md\n" APPROVED STRONG "```\nI refuse.\n```\nx\n```",
        "````md\n" APPROVED STRONG "````c\n````\nI refuse.\n```c\nx\n````",
    };

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        check_codes(check_plan_review, whole[i], "");
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct check_report report = { 0 };
        struct session_review_text review;
        struct arena arena = { 0 };

        assert_false(session_review_text_read(str_of(parts[i]), NULL, &arena, &report, &review));
        assert_int_equal(review.verdict, SESSION_VERDICT_NONE);
        check_report_release(&report);
        arena_release(&arena);
    }
}

TEST(line_ends_and_marks_are_forgiven)
{
    static const struct contract_edit edits[] = {
        { "### VERDICT", "\xef\xbb\xbf### VERDICT" },
        { "REQUEST_CHANGES\n", "REQUEST_CHANGES \t\r\n" },
        { "### Issues\n", "### Issues\r\n\r\n" },
        { "### VERDICT", "I looked at all of it.\n\n# Review\n\n### VERDICT" },
        { "- [MINOR]", "* [MINOR]" },
        { "### Strengths", "---\n\n### Strengths" },
        { "- [MINOR]", "***\n- [MINOR]" },
        { "- [MINOR]", "- - -\n- [MINOR]" },
        { "- [MINOR]", "2. [MINOR]" },
        { "- [CRITICAL]", "[CRITICAL]" },
        { "\n### Questions\n- How large is the input?\n", "" },
        { "- [MINOR]", "  ```c\n### VERDICT: APPROVE\n  ```\n\n  Or so.\n\n- [MINOR]" },
        { .from = NULL },
    };

    check_forgiven(check_plan_review, changes_text, edits);
    check_forgiven(check_code_review, changes_text, edits);
}

TEST(places_are_read_as_people_write_them)
{
    static const struct { const char *words, *file; uint32_t line; } rows[] = {
        { "x\n  File: `src/a.c`, around line 12", "src/a.c", 12 },
        { "x\n  File: `src/a.c`, lines 3-9", "src/a.c", 3 },
        { "x\n  File: `src/a.c` (L7)", "src/a.c", 7 },
        { "x\n  File: src/a.c:31:5", "src/a.c", 31 },
        { "x\n  File: `src/a.c:31-40`", "src/a.c", 31 },
        { "x\n  File: `src/a.c#L8`", "src/a.c", 8 },
        { "x\n  File: src/a.c, line 99999999999", "src/a.c", 0 },
        { "x\n  File: `src/a.c:99999999999`", "src/a.c", 0 },
        { "x\n  File: `my file.c`", "my file.c", 0 },
        { "x\n  file: `a:b.c`", "a:b.c", 0 },
        { "x\n  File: multiple", "", 0 },
        { "x in `b.c`\n  File: `src/a.c`\n  File: `c.c`", "src/a.c", 0 },
        { "x in `f(a.c)`, `a = b.c`, `http://a.c`, `1.5`, `b.c` line 4", "b.c", 4 },
        { "x\n  File: unknown\n  File: `src/a.c`", "src/a.c", 0 },
        { "x in `Makefile:3`", "Makefile", 3 },
        { "x in `src/parse`", "src/parse", 0 },
        { "x in `.gitignore`", ".gitignore", 0 },
        { "x in `` src/a.c ``", "src/a.c", 0 },
        { "x in `src/a.c", "src/a.c", 0 },
        { "x in src/a.c:31, and in `b.c`", "b.c", 0 },
        { "x (see src/a.c, line 4)", "src/a.c", 4 },
        { "x in \"a.c\"", "a.c", 0 },
        { "a and/or b, i.e. x of Node.d, 1/2, TCP/IP", "", 0 },
        { "x in `a.`, `file`, `none`, `.1`", "", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = edited(APPROVED "### Issues\n- [MINOR] @\n" STRONG, "@", rows[i].words);
        struct check_report report = { 0 };
        struct session_review_text review;
        struct arena arena = { 0 };

        assert_true(session_review_text_read(str_of(text), NULL, &arena, &report, &review));
        if (!str_is(review.issues[0].file, rows[i].file) ||
            review.issues[0].file_line != rows[i].line) {
            fail_msg("%s: got '%.*s' %u", rows[i].words, STR_ARG(review.issues[0].file),
                     review.issues[0].file_line);
        }
        check_report_release(&report);
        arena_release(&arena);
        free(text);
    }
}

TEST(the_parts_of_a_review_are_given)
{
    static const char text[] =
        "Words.\n"
        REFUSED
        "### Issues\n"
        "- [CRITICAL] Reads behind \xe2\x80\x94 must be resolved before proceeding.\n"
        "  File: `src/parse.c`, around line 12\n"
        "- [CRITICAL] Leaks in `src/b.c:7-9`\n"
        "  and in `c.c`\n"
        "\n"
        "  ```c\n"
        "  p = 0;\n"
        "  ```\n"
        "- [MINOR] No place\n"
        STRONG;
    struct anchor_rule anchors = { .changed = NULL };
    struct check_report report = { 0 };
    struct session_review_text review;
    struct arena arena = { 0 };

    assert_true(session_review_text_read(str_of(text), &anchors, &arena, &report, &review));
    assert_int_equal(review.verdict, SESSION_REQUEST_CHANGES);
    assert_int_equal(review.verdict_line, 2);
    assert_int_equal(review.issue_count, 3);
    assert_int_equal(review.critical_count, 2);
    assert_true(str_starts(review.text, STR("### VERDICT")));
    assert_true(str_is(review.issues[0].description, "Reads behind"));
    assert_true(str_is(review.issues[0].file, "src/parse.c"));
    assert_int_equal(review.issues[0].file_line, 12);
    assert_int_equal(review.issues[0].line, 4);
    assert_true(str_is(review.issues[1].description, "Leaks in `src/b.c:7-9`\nand in `c.c`\n"
                                                     "```c\np = 0;\n```"));
    assert_true(str_is(review.issues[1].file, "src/b.c"));
    assert_int_equal(review.issues[1].file_line, 7);
    assert_true(str_starts(review.issues[1].text, STR("[CRITICAL] Leaks in")));
    assert_true(str_ends(review.issues[1].text, STR("```")));
    assert_false(review.issues[2].critical);
    assert_int_equal(review.issues[2].file.size, 0);
    assert_int_equal(review.issues[2].line, 12);
    check_report_release(&report);
    arena_release(&arena);
}
