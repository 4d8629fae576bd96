/* SPDX-License-Identifier: Apache-2.0
 *
 * test_help.c - help and man pages: complete, narrow enough, and harmless for roff. */
#include "cmd/page.h"
#include "cmd/parse.h"

#include "agent/agent.h"
#include "cmd/verbs.h"
#include "dialect/dialect.h"
#include "run/ends.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

enum { PAGE_BYTES_MAX = 1 << 20 };

/* The help of a verb, or of hone itself. */
static void help_of(const struct verb *verb, struct buf *out)
{
    struct page page;

    buf_init(out, PAGE_BYTES_MAX);
    if (verb) page_verb(&page, verb);
    else page_overview(&page);
    page_help(&page, 80, out);
    page_release(&page);
    assert_false(out->overflow);
}

static void man_of(const struct verb *verb, struct buf *out)
{
    struct page page;

    buf_init(out, PAGE_BYTES_MAX);
    if (verb) page_verb(&page, verb);
    else page_overview(&page);
    page_man(&page, out);
    page_release(&page);
    assert_false(out->overflow);
}

static void expect_in(const struct buf *text, const char *words)
{
    if (!strstr(buf_cstr(text), words)) fail_msg("'%s' is not in:\n%s", words, buf_cstr(text));
}

static void expect_option(const struct buf *text, const char *name)
{
    char dashed[64];

    if (!name[0]) return;
    snprintf(dashed, sizeof dashed, "--%s", name);
    expect_in(text, dashed);
}

TEST(every_verb_is_described)
{
    for (uint32_t i = 0; verbs[i]; i++) {
        const struct verb *verb = verbs[i];
        assert_true(verb->summary[0] >= 'a' && verb->summary[0] <= 'z');
        assert_int_not_equal(verb->summary[strlen(verb->summary) - 1], '.');
        assert_non_null(verb->text[0]);
        assert_non_null(verb->handle);
        assert_non_null(verb->codes);
        assert_int_equal(verb->codes[0].code, CODE_DONE);
        for (const struct argument *at = verb->arguments; at && at->name; at++) {
            /* one that may be left out stands in front, or behind all that may not */
            assert_true(at == verb->arguments || !at[0].optional || !at[1].name || at[1].optional);
        }
    }
}

TEST(every_option_is_in_the_help)
{
    for (uint32_t i = 0; verbs[i]; i++) {
        const struct option *option = verbs[i]->options;
        struct buf text;
        help_of(verbs[i], &text);
        for (; option && option->name; option++) {
            assert_non_null(option->help);
            expect_option(&text, option->name);
        }
        for (option = common_options; option->name; option++) expect_option(&text, option->name);
        expect_in(&text, "-C DIR");
        expect_in(&text, "Exit status:");
        buf_release(&text);
    }
}

TEST(the_help_of_run_has_dialects_and_backends)
{
    struct buf text;

    help_of(&verb_run, &text);
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_option *option = dialects[i]->options;
        expect_in(&text, dialects[i]->name);
        for (; option && option->name; option++) expect_option(&text, option->name);
    }
    for (uint32_t i = 0; backends[i]; i++) {
        if (backends[i]->hosted) assert_null(strstr(buf_cstr(&text), "\n  host"));
        else expect_in(&text, backends[i]->name);
    }
    expect_in(&text, "\n  claude[:MODEL] ");
    expect_in(&text, "\n  cmd:COMMAND ");
    expect_in(&text, "\n  cycles   implementer, spec-reviewer, spec-fixer\n");
    buf_release(&text);
}

TEST(a_synopsis_shows_what_is_optional)
{
    struct buf text;

    help_of(&verb_run, &text);
    expect_in(&text, "Usage: hone run [options] [DIALECT [TASK...]]\n");
    buf_release(&text);
    help_of(&verb_show, &text);
    expect_in(&text, "Usage: hone show [options] [RUN [JOB[-ATTEMPT]]]\n");
    buf_release(&text);
}

TEST(the_overview_lists_the_verbs_that_exist)
{
    struct buf text, brief;

    help_of(NULL, &text);
    buf_init(&brief, PAGE_BYTES_MAX);
    help_short(&brief);
    for (uint32_t i = 0; verbs[i]; i++) {
        expect_in(&text, verbs[i]->summary);
        expect_in(&brief, verbs[i]->summary);
    }
    buf_release(&brief);
    buf_release(&text);
}

TEST(help_is_at_most_80_columns_wide)
{
    for (uint32_t i = 0;; i++) {
        struct buf text;
        struct str rest, line;
        bool example = false;

        help_of(verbs[i], &text); /* the NULL at the end is the overview */
        rest = buf_str(&text);
        while (str_cut(&rest, '\n', &line)) {
            if (str_is(line, "Examples:")) example = true;
            if (line.size > 80 && !example) fail_msg("%.*s", STR_ARG(line));
            assert_true(line.size == 0 || line.data[line.size - 1] != ' ');
        }
        buf_release(&text);
        if (!verbs[i]) break;
    }
}

TEST(long_words_and_terms_are_wrapped_and_never_cut)
{
    struct page page = { 0 };
    struct buf out;

    page_add(&page, BLOCK_TERM, "--a", "short");
    page_add(&page, BLOCK_TERM, "--an-option-that-is-too-long WORD", "its text");
    page_add(&page, BLOCK_TEXT, NULL,
             "x xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
             "xxxx y");
    buf_init(&out, PAGE_BYTES_MAX);
    page_help(&page, 80, &out);
    assert_string_equal(buf_cstr(&out),
        "  --a  short\n"
        "  --an-option-that-is-too-long WORD\n"
        "       its text\n"
        "\n"
        "x\n"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
        "y\n");
    buf_release(&out);
    page_release(&page);
}

TEST(no_text_becomes_a_roff_request)
{
    struct page page = { 0 };
    struct buf out;

    page_add(&page, BLOCK_TITLE, "hone-x", "it's a \\ test");
    page_add(&page, BLOCK_HEADING, NULL, "Options");
    page_add(&page, BLOCK_TERM, "--opt ARG", ".so /etc/passwd");
    page_add(&page, BLOCK_TEXT, NULL, "'ex\n.so x \\fB");
    page_add(&page, BLOCK_CODE, NULL, "hone --x \"y\"");
    buf_init(&out, PAGE_BYTES_MAX);
    page_man(&page, &out);
    expect_in(&out, ".TH HONE\\-X 1 ");
    expect_in(&out, "hone\\-x \\- it\\(aqs a \\e test\n");
    expect_in(&out, "\\fB\\-\\-opt\\fR \\fIARG\\fR\n\\&.so /etc/passwd\n");
    expect_in(&out, "\\(aqex .so x \\efB\n");
    expect_in(&out, ".nf\nhone \\-\\-x \\(dqy\\(dq\n.fi\n");
    buf_release(&out);
    page_release(&page);
}

TEST(man_pages_hold_only_known_requests)
{
    static const char *const known[] = { ".\\\" ", ".TH ", ".SH ", ".PP", ".TP", ".nf", ".fi" };

    for (uint32_t i = 0;; i++) {
        struct buf text;
        struct str rest, line;

        man_of(verbs[i], &text);
        rest = buf_str(&text);
        while (str_cut(&rest, '\n', &line)) {
            bool good = line.size > 0 && line.data[0] != '.' && line.data[0] != '\'';
            for (uint32_t k = 0; k < sizeof known / sizeof *known; k++) {
                if (str_starts(line, str_of(known[k]))) good = true;
            }
            if (!good) fail_msg("'%.*s'", STR_ARG(line));
        }
        expect_in(&text, ".SH SYNOPSIS\n");
        expect_in(&text, ".SH EXIT STATUS\n");
        buf_release(&text);
        if (!verbs[i]) break;
    }
}

/* The list of ends is made of the table that the end line is taken from: each reason has its row,
 * and the list has its word, its line, its exit code and its way on. */
TEST(every_end_is_in_the_list_of_ends)
{
    struct page page;
    struct buf text;

    page_ends(&page);
    buf_init(&text, PAGE_BYTES_MAX);
    page_help(&page, 100000, &text);
    for (int i = REASON_NONE; i < REASON_COUNT; i++) {
        const struct end *end = run_end((enum reason)i);
        char code[64];

        assert_non_null(end->word);
        assert_non_null(end->line);
        assert_non_null(end->stands);
        expect_in(&text, end->word);
        expect_in(&text, end->meaning);
        expect_in(&text, end->next);
        if (i == REASON_NONE) continue;
        snprintf(code, sizeof code, "exit %d, --json: %s. \"", (int)exit_code_of((enum reason)i),
                 reason_word((enum reason)i));
        expect_in(&text, code);
        expect_in(&text, end->line);
    }
    buf_release(&text);
    page_release(&page);
}
