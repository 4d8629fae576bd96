/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_history.c - what only grows in a session file: rounds and times; and lists of
 * files. */
#include "filed.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const struct session_round *only_round(void)
{
    uint32_t count;
    const struct session_round *rounds = session_file_rounds(&filed.file, &count);

    assert_int_equal(count, 1);
    return rounds;
}

#define IN_SCENE(name) TEST_WITH(name, filed_open, filed_close)

/* ---- rounds ---- */

IN_SCENE(a_round_is_written_as_other_tools_know_it)
{
    const struct str issues[] = { STR("[CRITICAL] it leaks\nFile: `a.c`, around line 3"),
                                  STR("[MINOR] a name") };
    const struct session_bullet bullets[] = {
        { STR(ROUND_EXECUTOR_BACKEND), STR("codex-subagent"), NULL, 0 },
        { STR(ROUND_VERDICT), STR("REQUEST_CHANGES"), NULL, 0 },
        { STR(ROUND_ISSUES), STR(""), issues, 2 },
        { STR(ROUND_OUTCOME), STR("sent\nback"), NULL, 0 },
    };
    const struct session_round round = { .stage = STAGE_EXECUTION, .number = 2,
                                         .note = STR("review-only"), .bullets = bullets,
                                         .bullet_count = 4 };

    session_file_add_round(&filed.file, &round);
    assert_string_equal(filed_now(), "## Review History\n\n### Execution Round 2 (review-only)\n\n"
                                     "- Executor backend: codex-subagent\n"
                                     "- Reviewer verdict: REQUEST_CHANGES\n"
                                     "- Reviewer issues:\n"
                                     "  - [CRITICAL] it leaks\n"
                                     "    File: `a.c`, around line 3\n"
                                     "  - [MINOR] a name\n"
                                     "- Outcome: sent back\n");
    assert_int_equal(only_round()->stage, STAGE_EXECUTION);
    assert_int_equal(only_round()->number, 2);
    assert_str(only_round()->note, "review-only");
    assert_str(session_round_bullet(only_round(), "reviewer ISSUES")->items[0],
               "[CRITICAL] it leaks\nFile: `a.c`, around line 3");
    assert_str(session_round_bullet(only_round(), ROUND_OUTCOME)->value, "sent back");
    assert_null(session_round_bullet(only_round(), "Outcom"));
}

IN_SCENE(headings_of_rounds_are_read_in_the_forms_there_are)
{
    static const struct {
        const char *title;
        enum session_stage stage;
        uint32_t number;
        const char *note;
    } rows[] = {
        { "Planning Round 1", STAGE_PLANNING, 1, "" },
        { "EXECUTION ROUND 12", STAGE_EXECUTION, 12, "" },
        { "Execution Round 1 (review-only)", STAGE_EXECUTION, 1, "review-only" },
        { "Round 1 \xe2\x80\x94 Executor", STAGE_OTHER, 1, "Executor" },
        { "Round 2: x", STAGE_OTHER, 2, "x" },
        { "Quality Polish Round 3", STAGE_POLISH, 3, "" },
        { "Docs Round 4", STAGE_DOCS, 4, "" },
        { "Security Round 5 - scan", STAGE_SECURITY, 5, "scan" },
        { "Plan Round x", STAGE_PLANNING, 0, "Plan Round x" },
        { "A word", STAGE_OTHER, 0, "A word" },
        { "Planning Round 99999999999999999999", STAGE_PLANNING, 0,
          "Planning Round 99999999999999999999" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];

        snprintf(text, sizeof text, "## Review History\n### %s\n", rows[i].title);
        filed_read(text);
        assert_int_equal(only_round()->stage, rows[i].stage);
        assert_int_equal(only_round()->number, rows[i].number);
        assert_str(only_round()->note, rows[i].note);
    }
}

IN_SCENE(the_history_only_grows)
{
    static const char before[] = "## Review History\nwords\n\n### Round 1\n- x\n\n  y\n#### z\n";
    const struct session_round round = { .stage = STAGE_PLANNING, .number = 2 };
    const struct session_round *rounds;
    uint32_t count;

    filed_read(before);
    session_file_add_round(&filed.file, &round);
    assert_string_equal(filed_now(),
                        "## Review History\n\nwords\n\n### Round 1\n- x\n\n  y\n#### z\n\n"
                        "### Planning Round 2\n");
    rounds = session_file_rounds(&filed.file, &count);
    assert_int_equal(count, 2);
    assert_str(rounds[0].raw, "### Round 1\n- x\n\n  y\n#### z\n\n");
}

IN_SCENE(a_fence_that_others_left_open_swallows_no_round)
{
    const struct session_round round = { .stage = STAGE_PLANNING, .number = 2 };

    filed_read("## Review History\n### Round 1\n```\nx\n");
    session_file_add_round(&filed.file, &round);
    assert_string_equal(filed_now(), "## Review History\n\n### Round 1\n```\nx\n```\n\n"
                                     "### Planning Round 2\n");
}

IN_SCENE(bullets_are_read_with_what_stands_below_them)
{
    const struct session_round *round;

    filed_read("## Review History\n### Planning Round 1\nwords\n* **Reviewer verdict:** APPROVE\n"
               "- Reviewer issues: None.\n- Notes:\n  a\n  b\n\n  - one\n    - two\n  - three\n"
               "free words\n  not below\n- plain\n");
    round = only_round();
    assert_int_equal(round->bullet_count, 4);
    assert_str(session_round_bullet(round, ROUND_VERDICT)->value, "APPROVE");
    assert_str(session_round_bullet(round, ROUND_ISSUES)->value, "None.");
    assert_str(round->bullets[2].value, "a\nb");
    assert_int_equal(round->bullets[2].item_count, 2);
    assert_str(round->bullets[2].items[0], "one\n- two");
    assert_str(round->bullets[2].items[1], "three");
    assert_str(round->bullets[3].key, "");
    assert_str(round->bullets[3].value, "plain");
}

IN_SCENE(a_hostile_item_stays_an_item)
{
    const struct str items[] = {
        STR("a\n## Session Metadata\n### Planning Round 9\n```\n<!--\n- b"), STR("\n\n"),
        STR("> c\x1b[31m"),
    };
    const struct session_bullet bullet = { STR(ROUND_ISSUES), STR("```"), items, 3 };
    const struct session_round round = { .stage = STAGE_DOCS, .number = 1,
                                         .note = STR("x\n## y"), .bullets = &bullet,
                                         .bullet_count = 1 };

    session_file_add_round(&filed.file, &round);
    session_file_add_round(&filed.file, &round);
    session_file_complete(&filed.file);
    (void)filed_now();
    filed_read(buf_cstr(&filed.written));
    assert_int_equal(filed.file.count, 10);
    {
        uint32_t count;
        const struct session_round *rounds = session_file_rounds(&filed.file, &count);

        assert_int_equal(count, 2);
        assert_int_equal(rounds[1].bullets[0].item_count, 2);
        assert_str(rounds[1].bullets[0].items[0],
                   "a\n## Session Metadata\n### Planning Round 9\n```\n<!--\n- b");
        assert_str(rounds[1].bullets[0].items[1], "> c\\x1b[31m");
        assert_str(rounds[1].note, "x ## y");
    }
}

/* ---- issues ---- */

IN_SCENE(an_issue_is_read_with_its_place)
{
    struct session_entry_issue issue;

    assert_true(session_entry_issue_read(
        STR("[CRITICAL] it leaks\nalways\nFile: `a b.c`, around line 12"), &issue));
    assert_true(issue.critical);
    assert_str(issue.text, "it leaks\nalways");
    assert_str(issue.file, "a b.c");
    assert_int_equal(issue.line, 12);
    assert_true(session_entry_issue_read(STR("[MINOR] x\nfile: a.c, line 3"), &issue));
    assert_false(issue.critical);
    assert_str(issue.file, "a.c");
    assert_int_equal(issue.line, 3);
    assert_true(session_entry_issue_read(STR("words"), &issue));
    assert_str(issue.text, "words");
    assert_str(issue.file, "");
    assert_false(session_entry_issue_read(STR("None."), &issue));
    assert_false(session_entry_issue_read(STR(" "), &issue));
}

IN_SCENE(an_issue_is_written_as_it_is_read)
{
    const struct session_entry_issue issue = { true, STR("it leaks"), STR("a.c"), 7 };
    struct session_entry_issue again;
    struct str item = session_entry_issue_write(&issue, &filed.file.arena);

    assert_str(item, "[CRITICAL] it leaks\nFile: `a.c`, around line 7");
    assert_true(session_entry_issue_read(item, &again));
    assert_str(again.text, "it leaks");
    assert_str(again.file, "a.c");
    assert_int_equal(again.line, 7);
}

/* ---- files and times ---- */

IN_SCENE(paths_are_read_in_the_forms_there_are)
{
    static const struct { const char *line, *path, *note; } rows[] = {
        { "- `a.c` - why", "a.c", "why" },
        { "- `a.c`: why", "a.c", "why" },
        { "* `a b.c`", "a b.c", "" },
        { "- `a.c` \xe2\x80\x94 \xe2\x80\x9cwhy\xe2\x80\x9d", "a.c",
          "\xe2\x80\x9cwhy\xe2\x80\x9d" },
        { "- src/a.c - why - not", "src/a.c", "why - not" },
        { "- a.c (deleted)", "a.c", "(deleted)" },
        { "- `` a`b ``", "a`b", "" },
        { "- `a.c", "`a.c", "" },
    };
    uint32_t count;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        const struct session_path *paths;

        snprintf(text, sizeof text, "## Files Changed\n%s\n", rows[i].line);
        filed_read(text);
        paths = session_file_paths(&filed.file, SESSION_CHANGED, &count);
        assert_int_equal(count, 1);
        assert_str(paths[0].path, rows[i].path);
        assert_str(paths[0].note, rows[i].note);
    }
    filed_read("## Files Changed\nNone.\n- None.\n-\n");
    (void)session_file_paths(&filed.file, SESSION_CHANGED, &count);
    assert_int_equal(count, 0);
}

IN_SCENE(paths_are_written_and_read_again)
{
    const struct session_path paths[] = {
        { STR("a.c"), STR("- why") }, { STR("a ``b` .c"), STR("") }, { STR("x - y"), STR("z") },
    };
    const struct session_path *again;
    uint32_t count;

    session_file_set_paths(&filed.file, SESSION_CHANGED, paths, 3);
    again = session_file_paths(&filed.file, SESSION_CHANGED, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(str_eq(again[i].path, paths[i].path));
        assert_true(str_eq(again[i].note, paths[i].note));
    }
    session_file_set_paths(&filed.file, SESSION_CHANGED, NULL, 0);
    assert_string_equal(filed_now(), "## Files Changed\n\nNone.\n");
}

IN_SCENE(a_time_is_a_row_behind_the_last_one)
{
    const struct session_time time = { STR("plan|ning"), STR("1"), STR("a\nb"), STR("2 s") };

    filed_read("## Timing Log\n| Phase | Round | Role | Duration |\n|---|---|---|---|\n\nwords\n");
    session_file_add_time(&filed.file, &time);
    assert_string_equal(filed_now(), "## Timing Log\n\n| Phase | Round | Role | Duration |\n"
                                     "|---|---|---|---|\n| plan\\|ning | 1 | a b | 2 s |\n\n"
                                     "words\n");
}

IN_SCENE(a_log_of_bullets_stays_one)
{
    const struct session_time time = { STR("planning"), STR("1"), STR("reviewer"), STR("2 s") };

    filed_read("## Timing Log\n- planning took 3 s\n");
    session_file_add_time(&filed.file, &time);
    assert_string_equal(filed_now(), "## Timing Log\n\n- planning took 3 s\n"
                                     "- planning, 1, reviewer, 2 s\n");
}

IN_SCENE(an_empty_log_gets_its_head)
{
    const struct session_time time = { STR("docs"), STR("1"), STR("docs"), STR("2 s") };

    session_file_add_time(&filed.file, &time);
    session_file_add_time(&filed.file, &time);
    assert_string_equal(filed_now(), "## Timing Log\n\n| Phase | Round | Role | Duration |\n"
                                     "|---|---|---|---|\n| docs | 1 | docs | 2 s |\n"
                                     "| docs | 1 | docs | 2 s |\n");
}
