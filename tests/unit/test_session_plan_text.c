/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_plan_text.c - an executor's plan of the session dialect against its contract. */
#include "dialect/session/answers.h"

#include "contract_rows.h"
#include "test.h"

#include <stdlib.h>

static const char plan_text[] =
    "## Solution Plan: Faster parser\n" /* 1 */
    "\n"
    "### Problem Analysis\n"            /* 3 */
    "It is slow.\n"
    "\n"
    "### Proposed Approach\n"           /* 6 */
    "Read it once.\n"
    "\n"
    "### Implementation Steps\n"        /* 9 */
    "1. Measure\n"
    "2. Mend\n"
    "\n"
    "### Files to Modify / Create\n"    /* 13 */
    "- `src/parse.c` - the loop\n"
    "- `tests/test_parse.c` - its test\n"
    "\n"
    "### Risks & Assumptions\n"         /* 17 */
    "- The input is small.\n"
    "\n"
    "### Open Questions\n"              /* 20 */
    "- How small?\n";

TEST(each_rule_has_a_text_that_keeps_it_and_one_that_breaks_it)
{
    static const struct contract_row rows[] = {
        { "missing-title", 1, "Plan: Faster parser", "Plan:", "Plan: x" },
        { "missing-title", 1, "Faster parser", "{title}", "{title} of it" },
        { "missing-heading", 0, "## Solution Plan: Faster parser\n\n", "\n", NULL },
        { "repeated-heading", 17, "### Risks", "## Solution Plan: Again\n\n\n### Risks",
          "#### Solution Plan: Again\n\n\n### Risks" },
        { "unknown-heading", 3, "### Problem", "## Background\n\n### Problem",
          "Some background.\n\n### Problem" },
        { "unknown-heading", 3, "### Problem", "# Background\n\n### Problem", NULL },
        { "unknown-section", 20, "### Open", "### Tests\nMany.\n\n### Open",
          "#### Tests\nMany.\n\n### Open" },
        { "missing-section", 0, "### Problem Analysis\nIt is slow.\n", "", NULL },
        { "missing-section", 0, "### Proposed Approach\nRead it once.\n", "", NULL },
        { "missing-section", 0, "### Implementation Steps\n1. Measure\n2. Mend\n", "", NULL },
        { "missing-section", 0, "### Risks & Assumptions\n- The input is small.\n", "", NULL },
        { "missing-section", 0, "### Open Questions\n- How small?\n", "", NULL },
        { "repeated-section", 6, "### Proposed", "### Problem Analysis\nAgain.\n\n### Proposed",
          "#### Problem Analysis\nAgain.\n\n### Proposed" },
        { "empty-section", 3, "It is slow.\n", "", NULL },
        { "empty-section", 3, "It is slow.\n", "...\n", "Slow...\n" },
        { "empty-section", 6, "Read it once.\n", "<!-- later -->\n", "```c\nread();\n```\n" },
        { "empty-section", 9, "1. Measure\n2. Mend\n", "1. ...\n2. ...\n", NULL },
        { "empty-section", 17, "- The input is small.\n", "-\n", "- None\n" },
        { "empty-section", 20, "- How small?\n", "- ...\n", "- None\n" },
        { "unnumbered-steps", 10, "1. Measure\n2. Mend", "- Measure\n- Mend",
          "1) Measure\n2) Mend" },
        { "unnumbered-steps", 9, "1. Measure\n2. Mend", "Measure, then mend.",
          "In order:\n\n1. Measure\n   - twice\n2. Mend" },
        { "empty-step", 11, "2. Mend", "2. ", "1. Mend" },
        { "missing-path", 14, "- `src/parse.c` - the loop", "- src/parse.c - the loop",
          "- `src/parse.c`: the loop" },
        { "missing-path", 15, "`tests/test_parse.c`", "`path/to/file.ext`", "`tests/`" },
        { "missing-path", 14, "- `src/parse.c` - the loop\n- `tests/test_parse.c` - its test",
          "None", "* `src/parse.c`" },
        { "unexpected-text", 14, "- `src/parse.c`", "Three files:\n- `src/parse.c`",
          "#### C\n- `src/parse.c`" },
        { "misplaced-section", 6,
          "### Problem Analysis\nIt is slow.\n\n### Proposed Approach\nRead it once.\n",
          "### Proposed Approach\nRead it once.\n\n### Problem Analysis\nIt is slow.\n", NULL },
        { "misplaced-section", 1, "## Solution Plan: Faster parser\n\n### Problem Analysis\nIt",
          "### Problem Analysis\nSlow.\n\n## Solution Plan: Faster parser\nIt", NULL },
        { .code = NULL },
    };

    check_rows(check_executor_plan, plan_text, rows);
}

TEST(what_only_looks_like_the_heading_is_none)
{
    static const char *const others[] = {
        "# Solution Plan: Faster parser", "## Solution plan: Faster parser",
        "## Solution Plan Faster parser", "**Solution Plan: Faster parser**",
        "> ## Solution Plan: Faster parser", "- ## Solution Plan: Faster parser",
        "  ## Solution Plan: Faster parser", "<!-- \n## Solution Plan: Faster parser\n-->",
        "```\n## Solution Plan: Faster parser\n```",
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *text = edited(plan_text, "## Solution Plan: Faster parser", others[i]);
        struct check_report report = { 0 };

        check_executor_plan(str_of(text), &report);
        if (report.count == 0) fail_msg("%s", text);
        assert_string_equal(report.problems[0].code, "missing-heading");
        check_report_release(&report);
        free(text);
    }
}

TEST(what_an_open_fence_hides_is_missing)
{
    char *text = edited(plan_text, "Read it once.", "~~~\nread();\n```");

    check_codes(check_executor_plan, text, "open-fence missing-section missing-section "
                "missing-section missing-section");
    free(text);
    check_codes(check_executor_plan, "", "empty");
    check_codes(check_executor_plan, " \r\n\t\n", "empty");
    check_codes(check_executor_plan, "```md\n```", "empty");
}

TEST(what_does_not_change_the_meaning_is_forgiven)
{
    static const struct contract_edit edits[] = {
        { "## Solution", "Here is the plan.\n\n## Solution" },
        { "### Open Questions\n- How small?", "### Open Questions\nNone." },
        { "### Open Questions\n- How small?", "### Open Questions\n- none" },
        { "It is slow.", "It is slow:\n\n```sh\n# time ./parse\n## Solution Plan: no\n```" },
        { "### Proposed Approach", "### Proposed Approach  \t" },
        { "- `src/parse.c` - the loop", "- **`src/parse.c`** \xe2\x80\x94 the loop\n  in it" },
        { .from = NULL },
    };

    check_forgiven(check_executor_plan, plan_text, edits);
}

TEST(the_parts_of_a_plan_are_given)
{
    struct check_report report = { 0 };
    struct session_plan_text plan;
    struct arena arena = { 0 };
    char *text = edited(plan_text, "## Solution", "Hello.\n\n## Solution");

    assert_true(session_plan_text_read(str_of(text), &arena, &report, &plan));
    assert_true(str_is(plan.title, "Faster parser"));
    assert_true(str_starts(plan.text, STR("## Solution Plan: Faster parser\n")));
    assert_true(str_ends(plan.text, STR("- How small?")));
    assert_int_equal(plan.files.count, 2);
    assert_true(str_is(plan.files.items[1].path, "tests/test_parse.c"));
    assert_true(str_is(plan.files.items[1].what, "its test"));
    assert_int_equal(plan.files.items[1].line, 17);
    free(text);
    check_report_release(&report);
    arena_release(&arena);
}
