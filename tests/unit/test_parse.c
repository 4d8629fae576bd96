/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse.c - command lines: what is understood, and what is said about the rest. */
#include "base/duration.h"
#include "cmd/parse.h"

#include "cmd/suggest.h"
#include "cmd/verbs.h"
#include "dialect/dialect.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define PARSE(call, ...) parse(call, (const char *const[]){ "hone", __VA_ARGS__, NULL })
#define REFUSED(words, ...) refused(words, (const char *const[]){ "hone", __VA_ARGS__, NULL })

static int count_of(const char *const *argv)
{
    int argc = 0;

    while (argv[argc]) argc++;
    return argc;
}

static void parse(struct call *call, const char *const *argv)
{
    struct err err;

    if (call_parse(call, count_of(argv), argv, &err) != 0) fail_msg("%s", err.text);
}

static void refused(const char *words, const char *const *argv)
{
    struct call call;
    struct err err = { 0 };

    if (call_parse(&call, count_of(argv), argv, &err) == 0) fail_msg("not refused: %s", words);
    assert_int_equal(err.code, ERR_USAGE);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
    call_release(&call);
}

TEST(the_first_word_is_the_verb)
{
    struct call call;

    PARSE(&call, "run", "review", "a task");
    assert_ptr_equal(call.verb, &verb_run);
    assert_int_equal(call.argument_count, 2);
    assert_string_equal(call_argument(&call, 0), "review");
    assert_string_equal(call_argument(&call, 1), "a task");
    assert_null(call_argument(&call, 2));
    call_release(&call);
}

TEST(nothing_at_all_is_no_error_of_the_parser)
{
    struct call call;
    struct err err;

    assert_int_equal(call_parse(&call, 1, (const char *const[]){ "hone", NULL }, &err), 0);
    assert_null(call.verb);
    call_release(&call);
    assert_int_equal(call_parse(&call, 0, (const char *const[]){ NULL }, &err), 0);
    assert_null(call.verb);
    call_release(&call);
}

TEST(common_options_stand_before_and_behind_the_verb)
{
    struct call call;

    PARSE(&call, "--json", "-C", "/a", "status", "--quiet", "--no-color");
    assert_true(call.json && call.quiet && call.no_color);
    assert_string_equal(call.folder, "/a");
    assert_ptr_equal(call.verb, &verb_status);
    assert_int_equal(call.given_count, 0);
    call_release(&call);
    PARSE(&call, "status", "-C/b", "-C", "-weird");
    assert_string_equal(call.folder, "-weird");
    call_release(&call);
}

TEST(a_value_stands_behind_a_blank_or_an_equals_sign)
{
    struct call call;

    PARSE(&call, "run", "--timeout", "5m", "review", "--idle-timeout=", "--agent=*=cmd:a=b",
          "--agent", "--x=y");
    assert_string_equal(call_value(&call, "timeout"), "5m");
    assert_string_equal(call_value(&call, "idle-timeout"), "");
    assert_string_equal(call_value(&call, "agent"), "--x=y");
    assert_int_equal(call.given_count, 4);
    assert_string_equal(call.given[2].value, "*=cmd:a=b");
    assert_false(call_has(&call, "no-sandbox"));
    assert_null(call_value(&call, "no-sandbox"));
    call_release(&call);
}

TEST(of_an_option_given_twice_the_last_counts)
{
    struct call call;

    PARSE(&call, "run", "review", "--timeout=1", "--timeout", "2");
    assert_string_equal(call_value(&call, "timeout"), "2");
    call_release(&call);
}

TEST(an_option_knows_how_many_arguments_stand_in_front_of_it)
{
    struct call call;

    PARSE(&call, "fix", "--say", "x", "a", "b", "--say", "y", "c");
    assert_int_equal(call.given_count, 2);
    assert_int_equal(call.given[0].behind, 0);
    assert_int_equal(call.given[1].behind, 2);
    call_release(&call);
}

TEST(a_verb_that_is_like_another_has_its_options)
{
    struct call call;

    PARSE(&call, "fix", "--all", "--timeout", "2", "--max-iterations", "3");
    assert_string_equal(call_value(&call, "timeout"), "2");
    assert_true(call_has(&call, "all"));
    call_release(&call);
    REFUSED("did you mean '--timeout'?", "fix", "--timeot", "3");
}

TEST(two_dashes_end_the_options)
{
    struct call call;

    PARSE(&call, "run", "review", "--", "--json");
    assert_false(call.json);
    assert_string_equal(call_argument(&call, 1), "--json");
    call_release(&call);
    PARSE(&call, "--", "run", "review", "--");
    assert_ptr_equal(call.verb, &verb_run);
    assert_string_equal(call_argument(&call, 1), "--");
    call_release(&call);
    REFUSED("unknown verb '--json'", "--", "--json");
}

TEST(a_lone_dash_is_an_argument)
{
    struct call call;

    PARSE(&call, "check", "r1", "-");
    assert_string_equal(call_argument(&call, 1), "-");
    call_release(&call);
}

TEST(a_dialects_options_are_known_before_the_dialect)
{
    struct call call;

    PARSE(&call, "run", "--max-iterations", "3", "review");
    assert_int_equal(call.argument_count, 1);
    assert_int_equal(call.given_count, 1);
    assert_true(call.given[0].of_dialect);
    assert_string_equal(call.given[0].name, "max-iterations");
    assert_string_equal(call.given[0].value, "3");
    assert_null(call_value(&call, "max-iterations"));
    call_release(&call);
    REFUSED("unknown option '--max-iterations'", "status", "--max-iterations", "3");
}

TEST(options_of_one_name_are_alike_in_all_dialects)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const struct dialect_option *a = dialects[i]->options;
            for (; a && a->name; a++) {
                const struct dialect_option *b = dialects[k]->options;
                for (; b && b->name; b++) {
                    if (strcmp(a->name, b->name) != 0) continue;
                    assert_int_equal(!a->argument, !b->argument);
                }
            }
        }
    }
}

TEST(a_mistyped_verb_is_answered_with_the_right_one)
{
    REFUSED("unknown verb 'stauts'; did you mean 'status'?", "stauts");
    REFUSED("unknown verb 'lsit'; did you mean 'list'?", "lsit");
    REFUSED("unknown verb 'res'; did you mean 'resume'?", "res");
    REFUSED("unknown verb 'bananas'; 'hone --help' lists them", "bananas");
    REFUSED("unknown verb ''", "");
}

TEST(a_mistyped_option_is_answered_with_the_right_one)
{
    REFUSED("unknown option '--jsn'; did you mean '--json'?", "--jsn", "list");
    REFUSED("unknown option '--agnet'; did you mean '--agent'?", "run", "--agnet", "x");
    REFUSED("unknown option '--max-iter'; did you mean '--max-iterations'?", "run",
            "--max-iter=3");
    REFUSED("unknown option '--bananas'; 'hone run --help' lists them", "run", "--bananas");
    REFUSED("unknown option '--bananas'; 'hone --help' lists them", "--bananas");
    REFUSED("unknown option '-z'", "run", "-z");
    REFUSED("unknown option '-1'; put '--' in front", "run", "review", "-1");
    REFUSED("'--agent' goes behind its verb: hone run --agent", "--agent", "x", "run");
}

TEST(options_are_not_abbreviated)
{
    REFUSED("did you mean '--quiet'?", "list", "--qui");
    REFUSED("unknown option '--'", "list", "--=x");
}

TEST(a_value_is_neither_missing_nor_too_much)
{
    REFUSED("'--timeout' wants a value: --timeout DURATION", "run", "review", "--timeout");
    REFUSED("'-C' wants a value: -C DIR", "list", "-C");
    REFUSED("'--json' takes no value", "list", "--json=yes");
    REFUSED("'--no-sandbox' takes no value", "run", "review", "--no-sandbox=");
    REFUSED("'-h' takes no value", "-hx");
}

TEST(arguments_are_counted)
{
    struct call call;

    REFUSED("check: KIND is missing", "check");
    REFUSED("show: 'x' is one argument too many; put quotes", "show", "7k2m", "3", "x");
    REFUSED("list: 'x' is one argument too many", "list", "x");
    PARSE(&call, "run", "--help");
    assert_true(call.help);
    call_release(&call);
    PARSE(&call, "run", "review", "a", "b", "-h");
    assert_true(call.help);
    call_release(&call);
    PARSE(&call, "run", "--version");
    assert_true(call.version);
    call_release(&call);
}

TEST(what_stands_behind_two_dashes_is_told_apart)
{
    struct call call;

    PARSE(&call, "run", "review", "src", "a.c", "--", "-task");
    assert_int_equal(call.argument_count, 4);
    assert_int_equal(call.plain_count, 3);
    assert_string_equal(call.arguments[3], "-task");
    call_release(&call);
}

TEST(a_monstrous_word_is_cut_in_the_message)
{
    char word[70000];
    struct call call;
    struct err err;

    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_int_equal(call_parse(&call, 2, (const char *const[]){ "hone", word, NULL }, &err),
                     ERR_USAGE);
    assert_true(strlen(err.text) < 200);
    call_release(&call);
    memcpy(word, "--", 2);
    assert_int_equal(call_parse(&call, 2, (const char *const[]){ "hone", word, NULL }, &err),
                     ERR_USAGE);
    assert_true(strlen(err.text) < 200);
    call_release(&call);
}

TEST(durations_have_units)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {
        { "90s", 90000 }, { "15m", 900000 }, { "2h", 7200000 }, { "7", 7000 }, { "0", 0 },
        { "0h", 0 }, { "10000h", UINT64_C(36000000000) },
    };
    static const char *const bad[] = {
        "", "s", "1d", "-1", "1.5h", "1h30m", " 1", "1 s", "ms", "5ms", "10001h", "0x10",
        "99999999999999999999", "9999999999999999999s", "1\n",
    };
    uint64_t ms;
    struct err err;

    for (uint32_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(duration_parse("timeout", good[i].text, &ms, &err), 0);
        assert_int_equal(ms, good[i].ms);
    }
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (duration_parse("timeout", bad[i], &ms, &err) == 0) fail_msg("accepted: %s", bad[i]);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "--timeout wants a duration such as 90s"));
    }
}

TEST(durations_are_written_in_their_largest_unit)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        { 0, "0s" }, { 999, "0s" }, { 90000, "90s" }, { 900000, "15m" }, { 3600000, "1h" },
        { 5400000, "90m" }, { UINT64_C(36000000000), "10000h" },
    };
    char out[DURATION_BYTES];

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(duration_text(cases[i].ms, out), cases[i].text);
    }
}

static const char *suggested(const char *word, const char *const *known)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(word));
    for (; *known; known++) suggest_offer(&suggest, *known);
    return suggest.best;
}

TEST(only_near_words_are_suggested)
{
    static const char *const roles[] = { "critic", "pedant", "security-reviewer", "r1", NULL };

    assert_string_equal(suggested("cirtic", roles), "critic");
    assert_string_equal(suggested("pendant", roles), "pedant");
    assert_string_equal(suggested("security", roles), "security-reviewer");
    assert_string_equal(suggested("securty-reviwer", roles), "security-reviewer");
    assert_null(suggested("fixer", roles));
    assert_null(suggested("r2", roles));
    assert_null(suggested("", roles));
    assert_null(suggested("c", roles));
}
