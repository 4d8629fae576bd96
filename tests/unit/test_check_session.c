/* SPDX-License-Identifier: Apache-2.0
 *
 * test_check_session.c - the kinds of `hone check` that the session dialect has, the forms that
 * agents are shown, and the correction of those who did not follow them. */
#include "dialect/session/answers.h"

#include "contract_rows.h"
#include "test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "format/text/utf8.h"

#include <stdlib.h>
#include <string.h>

static contract_check *const readers[SESSION_FORM_COUNT] = {
    [SESSION_FORM_PLAN] = check_executor_plan,
    [SESSION_FORM_EXEC] = check_executor_exec,
    [SESSION_FORM_PLAN_REVIEW] = check_plan_review,
    [SESSION_FORM_CODE_REVIEW] = check_code_review,
};

/* The form that a correction shows; lives in arena. */
static const char *form_of(enum session_form form, struct arena *arena)
{
    static const char before[] = "in exactly this form:\n\n";
    struct check_report report = { 0 };
    const char *text, *shown;

    check_report_add(&report, "wrong", 0, "it is wrong");
    text = arena_cstr(arena, session_correction(form, &report, arena));
    check_report_release(&report);
    shown = strstr(text, before);
    assert_non_null(shown);
    return shown + strlen(before);
}

TEST(only_a_review_depends_on_the_phase)
{
    assert_ptr_equal(check_find(STR("executor-plan"))->run, check_executor_plan);
    assert_ptr_equal(check_find(STR("executor-exec"))->run, check_executor_exec);
    assert_ptr_equal(check_find(STR("reviewer"))->run, check_plan_review);
    for (const struct check *check = checks; check->kind; check++) {
        bool review = strcmp(check->kind, "reviewer") == 0;

        assert_ptr_equal(check->run_execution, review ? check_code_review : NULL);
    }
}

/* The blocks of a form, filled in by an agent that follows it to the letter. */
static char *filled(const char *form, uint32_t nth)
{
    static const char *const fills[][2] = {
        { "path/to/file.ext", "src/parse.c" }, { "path/file.ext", "src/parse.c" },
        { "line N", "line 12" }, { "<description> - must", "it leaks - must" },
        { "<description> - recommended", "a short name - recommended" },
        { "Strengths\n...\n", "Strengths\n- it is short\n" }, { "- ...\n", "- Why twice?\n" },
    };
    const char *start = form, *end;
    char *text;

    for (uint32_t i = 0; i <= nth; i++) start = strstr(start, "```md\n") + 6;
    end = strstr(start, "```");
    text = mem_alloc((size_t)(end - start) + 1);
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        char *other;

        if (!strstr(text, fills[i][0])) continue;
        other = edited(text, fills[i][0], fills[i][1]);
        free(text);
        text = other;
    }
    return text;
}

TEST(whoever_follows_a_form_passes)
{
    struct arena arena = { 0 };
    char *text, *other;

    text = filled(form_of(SESSION_FORM_PLAN, &arena), 0);
    check_codes(check_executor_plan, text, "");
    free(text);
    for (uint32_t i = 0; i < 2; i++) {
        text = filled(form_of(SESSION_FORM_EXEC, &arena), i);
        check_codes(check_executor_exec, text, "");
        free(text);
    }
    for (int form = SESSION_FORM_PLAN_REVIEW; form <= SESSION_FORM_CODE_REVIEW; form++) {
        char *block = filled(form_of((enum session_form)form, &arena), 0);

        text = edited(block, "- None.\n", "");
        other = edited(text, "[APPROVE | REQUEST_CHANGES]", "REQUEST_CHANGES");
        check_codes(readers[form], other, "");
        free(other);
        other = edited(text, "[APPROVE | REQUEST_CHANGES]", "APPROVE");
        check_codes(readers[form], other, "approve-with-critical");
        free(block);
        free(text);
        free(other);
    }
    arena_release(&arena);
}

TEST(a_form_as_it_stands_is_no_answer)
{
    for (int form = 0; form < SESSION_FORM_COUNT; form++) {
        struct check_report report = { 0 };
        struct arena arena = { 0 };

        readers[form](str_of(form_of((enum session_form)form, &arena)), &report);
        assert_true(report.count > 0);
        check_report_release(&report);
        arena_release(&arena);
    }
}

TEST(a_correction_says_what_is_wrong_and_shows_the_form)
{
    struct check_report report = { 0 };
    struct arena arena = { 0 };
    struct str text;

    check_code_review(STR("### VERDICT: APPROVE\n### Issues\n- [MAJOR] x\n"), &report);
    text = session_correction(SESSION_FORM_CODE_REVIEW, &report, &arena);
    assert_true(str_starts(text, STR(
        "The review was not taken. What is wrong with it:\n\n"
        "- line 3: the label of an issue is exactly [CRITICAL] or [MINOR]\n"
        "- there is no section `### Strengths`\n"
        "\n"
        "Nothing else about it was judged: keep what you found, and write the whole answer again, "
        "in exactly this form:\n"
        "\n"
        "```md\n")));
    assert_true(str_ends(text, str_of(form_of(SESSION_FORM_CODE_REVIEW, &arena))));
    check_report_release(&report);
    arena_release(&arena);
}

TEST(a_correction_stays_short_and_harmless)
{
    struct check_report report = { 0 };
    struct arena arena = { 0 };
    struct buf hostile;
    struct str text;

    buf_init(&hostile, 1 << 22);
    for (int i = 0; i < 300; i++) {
        buf_printf(&hostile, "### \x1b[31m%d \xff\xe2\x80\xae", i);
        for (int k = 0; k < 3000; k++) buf_byte(&hostile, 'x');
        buf_byte(&hostile, '\n');
    }
    check_executor_exec(buf_str(&hostile), &report);
    assert_int_equal(report.count, CHECK_PROBLEMS_MAX);
    text = session_correction(SESSION_FORM_EXEC, &report, &arena);
    assert_true(text.size < 24 * 1024);
    assert_int_equal(utf8_prefix(text), text.size);
    assert_null(memchr(text.data, '\x1b', text.size));
    assert_non_null(memmem(text.data, text.size, "more\n", 5));
    assert_true(str_ends(text, str_of(form_of(SESSION_FORM_EXEC, &arena))));
    buf_release(&hostile);
    check_report_release(&report);
    arena_release(&arena);
}

/* Any text cut anywhere: nothing but the whole is valid, or its valid beginnings. */
TEST(a_review_that_was_cut_off_is_not_approved)
{
    static const char text[] =
        "### VERDICT: APPROVE\n\n### Issues\n- [MINOR] A name\n\n### Strengths\n- Short.\n";
    size_t strengths = (size_t)(strstr(text, "- S") - text) + 3;

    for (size_t size = 0; size < sizeof text; size++) {
        struct check_report report = { 0 };

        check_plan_review((struct str){ text, size }, &report);
        assert_int_equal(report.count == 0, size >= strengths);
        check_report_release(&report);
    }
}
