/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_exec_text.c - an executor's report of the session dialect against its contract. */
#include "dialect/session/answers.h"

#include "contract_rows.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char exec_text[] =
    "## Implementation Complete: Faster parser\n" /* 1 */
    "\n"
    "### Changes Made\n"                          /* 3 */
    "The loop reads once.\n"
    "\n"
    "### Files Modified / Created / Deleted\n"    /* 6 */
    "- `src/parse.c` - the loop\n"
    "- `old.c` - deleted\n"
    "\n"
    "### Deviations from Plan\n"                  /* 10 */
    "None\n"
    "\n"
    "### Notes for Reviewer\n"                    /* 13 */
    "Look at the end of the loop.\n";

static const char noop_text[] =
    "## Implementation Complete: Faster parser\n"
    "\n"
    "### Changes Made\n"                          /* 3 */
    "No code changes were required for this round.\n"
    "\n"
    "### Files Modified / Created / Deleted\n"    /* 6 */
    "None\n"
    "\n"
    "### Deviations from Plan\n"
    "None\n"
    "\n"
    "### Notes for Reviewer\n"                    /* 12 */
    "No-op round. The approved plan and current code already satisfy this step.\n";

TEST(each_rule_has_a_text_that_keeps_it_and_one_that_breaks_it)
{
    static const struct contract_row rows[] = {
        { "missing-heading", 0, "## Impl", "Impl", NULL },
        { "missing-title", 1, ": Faster parser", ":  ", ": x" },
        { "repeated-heading", 13, "### Notes", "## Implementation Complete: b\n\n### Notes", NULL },
        { "unknown-heading", 6, "### Files", "## Summary\nx\n\n### Files",
          "#### Summary\nx\n\n### Files" },
        { "unknown-section", 13, "### Notes", "### Tests\nx\n\n### Notes", NULL },
        { "missing-section", 0, "### Changes Made\nThe loop reads once.\n", "", NULL },
        { "missing-section", 0, "### Deviations from Plan\nNone\n", "", NULL },
        { "missing-section", 0, "### Notes for Reviewer\nLook at the end of the loop.\n", "",
          NULL },
        { "repeated-section", 13, "### Notes", "### Changes Made\nx\n\n### Notes", NULL },
        { "misplaced-section", 14,
          "### Deviations from Plan\nNone\n\n### Notes for Reviewer\nLook at",
          "### Notes for Reviewer\nx\n\n\n### Deviations from Plan\nNot there. We look at", NULL },
        { "empty-section", 3, "The loop reads once.\n", "", NULL },
        { "empty-section", 6, "- `src/parse.c` - the loop\n- `old.c` - deleted\n", "", NULL },
        { "empty-section", 10, "Plan\nNone\n", "Plan\n", "Plan\nNone.\n" },
        { "empty-section", 13, "Look at the end of the loop.\n", "...\n", NULL },
        { "missing-path", 7, "`src/parse.c` - the loop", "the parser", NULL },
        { "missing-path", 7, "`src/parse.c`", "src/parse.c", "**`src/parse.c`**" },
        { "missing-path", 7, "`src/parse.c`", "``", NULL },
        { "missing-path", 7, "`src/parse.c`", "`src/parse.c", "``src/parse.c``" },
        { "absolute-path", 7, "`src/parse.c`", "`/home/me/repo/src/parse.c`", "`./src/parse.c`" },
        { "absolute-path", 7, "`src/parse.c`", "`~/repo/src/parse.c`", NULL },
        { "absolute-path", 7, "`src/parse.c`", "`C:\\repo\\parse.c`", NULL },
        { "absolute-path", 7, "`src/parse.c`", "`file:///repo/parse.c`", NULL },
        { "other-checkout", 7, "`src/parse.c`", "`../repo-2/src/parse.c`", "`src/..parse.c`" },
        { "other-checkout", 7, "`src/parse.c`", "`src/../../parse.c`", NULL },
        { "other-checkout", 7, "`src/parse.c`", "`.worktrees/a/parse.c`", "`worktrees/parse.c`" },
        { "other-checkout", 7, "`src/parse.c`", "`.git/worktrees/a/parse.c`", NULL },
        { "vague-path", 7, "`src/parse.c`", "`src/*.c`", "`src/[id].c`" },
        { "vague-path", 7, "`src/parse.c`", "`src/`", "`src`" },
        { "vague-path", 7, "`src/parse.c`", "`src/parse.c:12`", "`src/parse:c`" },
        { "vague-path", 7, "`src/parse.c`", "`path/to/file.ext`", "`path/to/file.txt`" },
        { "vague-path", 7, "`src/parse.c`", "`{file}`", NULL },
        { "vague-path", 7, "`src/parse.c`", "`src/../src/parse.c`", NULL },
        { "vague-path", 7, "`src/parse.c`", "`src//parse.c`", "`a/b/c/parse.c`" },
        { "vague-path", 7, "`src/parse.c`", "`...`", "`.env`" },
        { "unexpected-text", 7, "- `src/parse.c`", "These:\n- `src/parse.c`",
          "#### Modified\n- `src/parse.c`" },
        { "unexpected-text", 8, "- the loop", "- the loop\nand more", "- the loop\n  and more" },
        { "unexpected-text", 7, "- `src/parse.c` -", "```\n- `a.c`\n```\n- `src/parse.c` -", NULL },
        { .code = NULL },
    };

    check_rows(check_executor_exec, exec_text, rows);
}

/* Invalid where "it cannot explain deviations from the approved plan when deviations exist". */
TEST(deviations_are_explained)
{
    static const struct contract_row rows[] = {
        { "unexplained-deviation", 10, "None\n", "Some deviations.\n", "No deviations.\n" },
        { "unexplained-deviation", 10, "None\n", "I deviated from step 2\n",
          "I deviated from step 2, because the file is gone.\n" },
        { "unexplained-deviation", 10, "None\n", "There were deviations in steps 2 and 3.\n",
          "There were no deviations from the approved plan.\n" },
        { "unexplained-deviation", 10, "None\n", "- Step 2: skipped\n",
          "- Step 2: skipped, it was already done\n" },
        { "unexplained-deviation", 10, "None\n", "- I used `b()` instead of `a()` in step 2.\n",
          "- I used `b()` instead of `a()` in step 2: `a()` cannot fail.\n" },
        { "unexplained-deviation", 10, "None\n", "Step 2 is different.\n- Step 3, too.\n",
          "Step 2 is different.\n- Step 3, too.\n\nBoth to avoid a copy.\n" },
        { "unexplained-deviation", 10, "None\n", "> because\n\nI deviated from step 2.\n",
          "I did not deviate from the plan.\n" },
        { "unexplained-deviation", 10, "None\n", "Schritt 2 ist anders.\n",
          "Schritt 2 ist anders: die Datei, die der Plan nennt, wurde im letzten Jahr entfernt,"
          " und ihre Aufgabe hat jetzt der Leser.\n" },
        { "unexplained-deviation", 11, "None\n", "Yes.\n", "- None\n" },
        { "unexplained-deviation", 11, "None\n", "- Another parser:\n",
          "- Another parser: the old one cannot\n" },
        { "unexplained-deviation", 11, "None\n", "#### Parser\n#### Tests\nThere were none.\n",
          "#### Parser\nAnother one.\n#### Tests\nThere were none.\n" },
        { "unexplained-deviation", 11, "None\n", "- Step 2:\n",
          "- Step 2: due to the lock\n" },
        { "unexplained-deviation", 12, "None\n", "- It was slow.\n- **Tests**\n",
          "The old parser was so very\nslow.\n" },
        { "none-with-deviations", 11, "None\n", "None\n- Another parser, it is faster.\n",
          "None, but for the parser, which is another one: the old one is slow.\n" },
        { .code = NULL },
    };

    check_rows(check_executor_exec, exec_text, rows);
}

/* "A valid no-op execution round must encode that explicitly", in the sentences of the form, in any
 * case and dress; what is said otherwise is asked for again. */
TEST(a_no_op_is_said_in_three_places)
{
    static const struct contract_row rows[] = {
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "The code is good.",
          "There was nothing to do: no code changes were required." },
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "No code changes were required in the parser.",
          "NO CODE CHANGES WERE REQUIRED" },
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "No code changes were required of the parser.",
          "No code changes were required: all is done." },
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "No code changes were required, except in the parser.",
          "**No code changes were required** for this round!" },
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "> No code changes were required for this round.",
          "I looked at all of it.\n\n- **No code changes were required.**" },
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "I think that no code changes were required for this round.",
          "No code\nchanges were required\nfor this round." },
        { "noop-without-unchanged", 3, "No code changes were required for this round.",
          "No code changes were needed for this round.",
          "All is there \xe2\x80\x94 no code changes were required." },
        { "noop-without-note", 12, "No-op round. The", "The", "No-op round: the" },
        { "noop-without-note", 12, "No-op round. The", "This is not a no-op round. The",
          "- No-op round.\n\nThe" },
        { "noop-without-note", 12, "No-op round. The", "The handler is a no-op now. The",
          "No\xe2\x80\x91op round: the" },
        { "noop-without-note", 12, "No-op round. The", "This round was a no-op. The",
          "no-op round\n\nThe" },
        { "noop-without-note", 12, "No-op round. The", "The old handler was a no-op. The",
          "_No-op round_: the" },
        { "noop-without-note", 12, "No-op round. The", "It behaves like no-op. The",
          "NO-OP ROUND - the" },
        { "noop-without-note", 12, "No-op round. The", "No-op round handling is in. The",
          "**No-op round.** The" },
        { "noop-without-note", 12, "No-op round. The",
          "This round isn\xe2\x80\x99t a no-op round. The", "\"No-op round.\" The" },
        { "noop-without-note", 12, "No-op round. The", "```\nNo-op round.\n```\nThe",
          "The parser is fine\n\n* no-op round\n\nThe" },
        { "none-with-files", 7, "None\n\n### Dev", "None\n- `src/parse.c` - the loop\n\n### Dev",
          "- none.\n\n### Dev" },
        { "none-with-files", 7, "None\n\n### Dev", "None\n\nNone\n\n### Dev", NULL },
        { .code = NULL },
    };

    check_rows(check_executor_exec, noop_text, rows);
}

TEST(words_of_a_no_op_beside_files_are_a_problem)
{
    static const struct contract_row rows[] = {
        { "unchanged-with-files", 3, "The loop reads once.",
          "The loop reads once.\nNo code changes were required for this round.",
          "The loop reads once.\nNo code changes were required in the lexer." },
        { "noop-with-files", 13, "Look at the end of the loop.", "No-op round. Look at the end.",
          "Without input the loop is a no-op, and the dry run a no-op as well." },
        { "none-with-files", 9, "- deleted\n", "- deleted\nNone\n", "- deleted\n  None of it.\n" },
        { .code = NULL },
    };

    check_rows(check_executor_exec, exec_text, rows);
    check_codes(check_executor_exec, "## Implementation Complete: x\n"
                "### Changes Made\n...\nNo code changes were required for this round.\n"
                "### Files Modified / Created / Deleted\n"
                "- `path/to/file.ext` - what changed\nNone\n"
                "### Deviations from Plan\nNone\n"
                "### Notes for Reviewer\n...\nNo-op round. The approved plan is satisfied.\n",
                "vague-path none-with-files");
}

TEST(work_in_another_checkout_is_refused)
{
    static const struct contract_row rows[] = {
        { "other-checkout", 14, "Look at", "The work was done in a separate git worktree. Look at",
          "A lane makes changes in a separate git worktree. Look at" },
        { "other-checkout", 14, "Look at", "I worked in a *different* checkout of it. Look at",
          "The work was done here instead of in another checkout. Look at" },
        { "other-checkout", 14, "Look at", "The code lives in another worktree. Look at",
          "No work was done in a separate git worktree. Look at" },
        { "other-checkout", 4, "The loop reads once.", "I implemented it in another checkout.",
          "It is implemented in a new checkout page." },
        { "other-checkout", 14, "Look at", "Worktree: /tmp/wt-3\nLook at",
          "Worktrees are listed in /tmp/wt-3\nLook at" },
        { "other-checkout", 14, "Look at", "I ran `git worktree add ../wt` first. Look at",
          "Each lane has a worktree now. Look at" },
        { "other-checkout", 14, "Look at", "The clone in ~/repo-2 has it. Look at",
          "```\ngit worktree add ../wt\n```\nLook at" },
        { "other-checkout", 14, "Look at", "The clone is /tmp/wt. Look at",
          "There is no worktree at /tmp/wt. Look at" },
        { "other-checkout", 14, "Look at", "Everything was done in a second clone. Look at",
          "None of it was done in a second clone. Look at" },
        { "other-checkout", 1, "## Impl", "All changes are in a hidden worktree.\n## Impl",
          "All changes are in this worktree.\n## Impl" },
        { "other-checkout", 12, "None\n",
          "It was slow: the changes were made in a fresh\nclone of it.\n",
          "It was slow: the changes were made in a fresh\nclone function.\n" },
        { .code = NULL },
    };

    check_rows(check_executor_exec, exec_text, rows);
}

TEST(a_workspace_tells_its_own_paths_from_others)
{
    static const struct { const char *path, *code; } rows[] = {
        { "/some/repo/src/parse.c", "absolute-path" },
        { "/some/repo-2/src/parse.c", "other-checkout" },
        { "/some/repo/../repo-2/parse.c", "other-checkout" },
        { "/some/repo", "other-checkout" },
        { "/tmp/parse.c", "other-checkout" },
        { "src/./../../parse.c", "other-checkout" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = edited(exec_text, "src/parse.c", rows[i].path);
        struct check_report report = { 0 };
        struct session_exec_text exec;
        struct arena arena = { 0 };

        assert_false(session_exec_text_read(str_of(text), "/some/repo/", &arena, &report, &exec));
        assert_int_equal(report.count, 1);
        assert_string_equal(report.problems[0].code, rows[i].code);
        check_report_release(&report);
        arena_release(&arena);
        free(text);
    }
}

TEST(a_worktree_that_is_the_workspace_may_be_named)
{
    static const struct { const char *words; bool valid; } rows[] = {
        { "Worktree: /some/repo", true },
        { "Worktree: `/some/repo/src`.", true },
        { "Worktree: /some/repo-2", false },
        { "Worktree: /work", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = edited(exec_text, "Look at the end of the loop.", rows[i].words);
        struct check_report report = { 0 };
        struct session_exec_text exec;
        struct arena arena = { 0 };
        bool valid = session_exec_text_read(str_of(text), "/some/repo", &arena, &report, &exec);

        if (valid != rows[i].valid) fail_msg("%s", rows[i].words);
        check_report_release(&report);
        arena_release(&arena);
        free(text);
    }
}

TEST(what_does_not_change_the_meaning_is_forgiven)
{
    static const struct contract_edit edits[] = {
        { "### Files Modified / Created / Deleted", "### Files Modified / Created" },
        { "## Impl", "All done.\n\n## Impl" },
        { "- `src/parse.c` - the loop", "* `src/parse.c` \xe2\x80\x94 the loop\n    - and more" },
        { "- `src/parse.c` - the loop", "1. `src/parse.c`" },
        { "- `src/parse.c` - the loop", "- `src/parse.c`\n\n---\n" },
        { "- `src/parse.c` - the loop\n- `old.c`", "  - `src/parse.c`\n  - `old.c`" },
        { .from = NULL },
    };

    check_forgiven(check_executor_exec, exec_text, edits);
}

TEST(claims_are_given_one_by_one)
{
    static const char claims[] =
        "- `src/parse.c` - the loop\n  goes on\n"
        "- `./a.c`, `b.c` and `c.h`: all three\n"
        "- `old.c` -> `new.c` - renamed\n"
        "- `d.c` and `free()` in it\n";
    static const char *const paths[] = {
        "src/parse.c", "a.c", "b.c", "c.h", "old.c", "new.c", "d.c",
    };
    char *text = edited(exec_text, "- `src/parse.c` - the loop\n- `old.c` - deleted\n", claims);
    struct check_report report = { 0 };
    struct session_exec_text exec;
    struct arena arena = { 0 };

    assert_true(session_exec_text_read(str_of(text), NULL, &arena, &report, &exec));
    assert_int_equal(exec.files.count, sizeof paths / sizeof *paths);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!str_is(exec.files.items[i].path, paths[i])) fail_msg("%s", paths[i]);
    }
    assert_true(str_is(exec.files.items[0].what, "the loop"));
    assert_int_equal(exec.files.items[0].line, 7);
    assert_true(str_is(exec.files.items[3].what, "all three"));
    assert_true(str_is(exec.files.items[5].what, "renamed"));
    assert_int_equal(exec.files.items[6].line, 11);
    assert_true(str_is(exec.title, "Faster parser"));
    assert_false(exec.is_noop || exec.noop_files);
    check_report_release(&report);
    arena_release(&arena);
    free(text);
}

TEST(a_no_op_may_deviate_from_its_plan)
{
    struct check_report report = { 0 };
    struct session_exec_text exec;
    struct arena arena = { 0 };
    char *text = edited(noop_text, "Plan\nNone", "Plan\nThe third step was not needed.");

    assert_true(session_exec_text_read(str_of(text), NULL, &arena, &report, &exec));
    assert_true(exec.is_noop && exec.noop_changes && exec.noop_files && exec.noop_notes);
    assert_int_equal(exec.files.count, 0);
    check_report_release(&report);
    arena_release(&arena);
    free(text);
}
