/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shellcheck_json.c - reports of shellcheck 0.9.0, from tests/corpus/shellcheck_json, and what
 * could come instead. */
#include "reported.h"
#include "test.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIKI "https://www.shellcheck.net/wiki/SC"

#define COMMENT(fix) \
    "{\"file\":\"a.sh\",\"line\":3,\"endLine\":3,\"column\":6,\"endColumn\":8," \
    "\"level\":\"warning\",\"code\":1,\"message\":\"m\",\"fix\":" fix "}"
#define ONE(fix) "{\"comments\":[" COMMENT(fix) "]}"
#define FIX(replacements) ONE("{\"replacements\":[" replacements "]}")
#define EDIT(line, column, end_line, end_column, point, precedence, text) \
    "{\"line\":" #line ",\"column\":" #column ",\"endLine\":" #end_line ",\"endColumn\":" \
    #end_column ",\"insertionPoint\":\"" point "\",\"precedence\":" #precedence \
    ",\"replacement\":\"" text "\"}"
#define OPEN(column, precedence, text) EDIT(3, column, 3, column, "afterEnd", precedence, text)
#define CLOSE(column, precedence, text) EDIT(3, column, 3, column, "beforeStart", precedence, text)
#define SAID "medium SC0001 a.sh:3:6-3:8 chars: m\n  help: " WIKI "0001\n"

static void expect(const char *text, const char *wanted)
{
    assert_string_equal(reported(shellcheck_json_read, str_of(text)), wanted);
}

static void expect_file(const char *name, const char *wanted)
{
    assert_string_equal(reported_file(shellcheck_json_read, name), wanted);
}

/* Line 3 begins with a tab and has a letter of two bytes: each is one column. */
TEST(comments_have_their_range_in_characters_and_their_fix)
{
    expect_file("shellcheck_json/fixes",
        "medium SC2164 q.sh:2:1-2:6 chars: "
        "Use 'cd ... || exit' or 'cd ... || return' in case cd fails.\n"
        "  help: " WIKI "2164\n  fix:\n"
        "    q.sh:2:6-2:6 chars \" || exit\"\n"
        "low SC2086 q.sh:2:4-2:6 chars: Double quote to prevent globbing and word splitting.\n"
        "  help: " WIKI "2086\n  fix:\n"
        "    q.sh:2:4-2:4 chars \"\"\"\n"
        "    q.sh:2:6-2:6 chars \"\"\"\n"
        "medium SC2154 q.sh:3:11-3:13 chars: a is referenced but not assigned.\n"
        "  help: " WIKI "2154\n"
        "low SC2086 q.sh:3:11-3:13 chars: Double quote to prevent globbing and word splitting.\n"
        "  help: " WIKI "2086\n  fix:\n"
        "    q.sh:3:11-3:11 chars \"\"\"\n"
        "    q.sh:3:13-3:13 chars \"\"\"\n"
        "medium SC2154 q.sh:3:13-3:15 chars: b is referenced but not assigned.\n"
        "  help: " WIKI "2154\n"
        "low SC2086 q.sh:3:13-3:15 chars: Double quote to prevent globbing and word splitting.\n"
        "  help: " WIKI "2086\n  fix:\n"
        "    q.sh:3:13-3:13 chars \"\"\"\n"
        "    q.sh:3:15-3:15 chars \"\"\"\n"
        "medium SC2046 q.sh:4:6-6:2 chars: Quote this to prevent word splitting.\n"
        "  help: " WIKI "2046\n"
        "low SC2005 q.sh:4:6-6:2 chars: Useless echo? Instead of 'echo $(cmd)', just use 'cmd'.\n"
        "  help: " WIKI "2005\n"
        "low SC2006 q.sh:4:6-6:2 chars: Use $(...) notation instead of legacy backticks `...`.\n"
        "  help: " WIKI "2006\n  fix:\n"
        "    q.sh:4:6-4:7 chars \"$(\"\n"
        "    q.sh:6:1-6:2 chars \")\"\n"
        "medium SC2154 q.sh:5:4-5:6 chars: c is referenced but not assigned.\n"
        "  help: " WIKI "2154\n"
        "low SC2086 q.sh:5:4-5:6 chars: Double quote to prevent globbing and word splitting.\n"
        "  help: " WIKI "2086\n  fix:\n"
        "    q.sh:5:4-5:4 chars \"\"\"\n"
        "    q.sh:5:6-5:6 chars \"\"\"\n");
}

TEST(levels_are_three_ranks)
{
    expect_file("shellcheck_json/levels",
        "medium SC2034 lv.sh:2:1-2:4 chars: "
        "f appears unused. Verify use (or export if used externally).\n"
        "  help: " WIKI "2034\n"
        "high SC2045 lv.sh:2:10-2:19 chars: Iterating over ls output is fragile. Use globs.\n"
        "  help: " WIKI "2045\n"
        "low SC2035 lv.sh:2:15-2:16 chars: "
        "Use ./*glob* or -- *glob* so names with dashes won't become options.\n"
        "  help: " WIKI "2035\n"
        "medium SC2115 lv.sh:2:31-2:35 chars: "
        "Use \"${var:?}\" to ensure this never expands to /* .\n"
        "  help: " WIKI "2115\n"
        "low SC2086 lv.sh:2:31-2:33 chars: Double quote to prevent globbing and word splitting.\n"
        "  help: " WIKI "2086\n  fix:\n"
        "    lv.sh:2:31-2:31 chars \"\"\"\n"
        "    lv.sh:2:33-2:33 chars \"\"\"\n");
}

TEST(a_script_that_does_not_parse_is_a_grave_finding)
{
    expect_file("shellcheck_json/syntax",
        "low SC1009 syn.sh:3:1 chars: The mentioned syntax error was in this simple command.\n"
        "  help: " WIKI "1009\n"
        "high SC1073 syn.sh:3:6 chars: "
        "Couldn't parse this double quoted string. Fix to allow more checks.\n"
        "  help: " WIKI "1073\n"
        "high SC1072 syn.sh:4:1 chars: "
        "Expected end of double quoted string. Fix any mentioned problems and try again.\n"
        "  help: " WIKI "1072\n");
}

TEST(a_shell_that_it_does_not_know_is_a_failure)
{
    expect_file("shellcheck_json/zsh",
        "high SC1071 z.sh:1:1 chars: ShellCheck only supports sh/bash/dash/ksh scripts. Sorry!\n"
        "  help: " WIKI "1071\n"
        "failed: z.sh: ShellCheck only supports sh/bash/dash/ksh scripts. Sorry!\n");
}

TEST(nothing_found_is_a_report_too)
{
    expect_file("shellcheck_json/clean", "");
}

TEST(what_is_inserted_at_one_place_stands_in_the_order_it_must)
{
    /* the list's order is not the text's */
    expect(FIX(CLOSE(8, 1, "z") "," OPEN(6, 1, "a")), SAID "  fix:\n"
           "    a.sh:3:6-3:6 chars \"a\"\n    a.sh:3:8-3:8 chars \"z\"\n");
    /* what closes stands before what opens */
    expect(FIX(OPEN(6, 9, "(") "," CLOSE(6, 1, ")")), SAID "  fix:\n"
           "    a.sh:3:6-3:6 chars \")\"\n    a.sh:3:6-3:6 chars \"(\"\n");
    expect(FIX(OPEN(6, 1, "(") "," CLOSE(6, 9, ")")), SAID "  fix:\n"
           "    a.sh:3:6-3:6 chars \")\"\n    a.sh:3:6-3:6 chars \"(\"\n");
    expect(FIX(OPEN(6, 1, "(") "," CLOSE(6, 1, ")")), SAID "  fix:\n"
           "    a.sh:3:6-3:6 chars \")\"\n    a.sh:3:6-3:6 chars \"(\"\n");
    /* the inner has the higher precedence: it opens last, and closes first */
    expect(FIX(OPEN(6, 9, "in") "," OPEN(6, 2, "out") "," CLOSE(8, 2, "tuo") ","
               CLOSE(8, 9, "ni")), SAID "  fix:\n"
           "    a.sh:3:6-3:6 chars \"out\"\n    a.sh:3:6-3:6 chars \"in\"\n"
           "    a.sh:3:8-3:8 chars \"ni\"\n    a.sh:3:8-3:8 chars \"tuo\"\n");
    /* of one precedence the first in the list was made first, and is the inner one */
    expect(FIX(OPEN(6, 1, "in") "," OPEN(6, 1, "out") "," CLOSE(8, 1, "ni") ","
               CLOSE(8, 1, "tuo")), SAID "  fix:\n"
           "    a.sh:3:6-3:6 chars \"out\"\n    a.sh:3:6-3:6 chars \"in\"\n"
           "    a.sh:3:8-3:8 chars \"ni\"\n    a.sh:3:8-3:8 chars \"tuo\"\n");
    /* and all of them stand before what replaces */
    expect(FIX(EDIT(3, 6, 3, 7, "afterEnd", 9, "r") "," OPEN(6, 1, "a") "," CLOSE(7, 1, "z")),
           SAID "  fix:\n    a.sh:3:6-3:6 chars \"a\"\n    a.sh:3:6-3:7 chars \"r\"\n"
           "    a.sh:3:7-3:7 chars \"z\"\n");
}

TEST(a_fix_that_cannot_be_made_as_it_stands_is_left_out)
{
    expect(FIX(EDIT(3, 6, 3, 8, "afterEnd", 1, "a") "," EDIT(3, 7, 3, 9, "afterEnd", 1, "b")),
           SAID);
    expect(FIX(EDIT(3, 6, 4, 1, "afterEnd", 1, "a") "," OPEN(9, 1, "b")), SAID);
    expect(FIX(EDIT(3, 6, 3, 5, "afterEnd", 1, "a")), SAID);
    expect(FIX(EDIT(3, 6, 2, 9, "afterEnd", 1, "a")), SAID);
    expect(FIX(EDIT(0, 6, 3, 9, "afterEnd", 1, "a")), SAID);
    expect(FIX(EDIT(3, 0, 3, 9, "afterEnd", 1, "a")), SAID);
    expect(FIX(OPEN(6, 1, "a") "," EDIT(3, 9, 3, 8, "afterEnd", 1, "b")), SAID);
    expect(FIX(""), SAID);
    expect(ONE("null"), SAID);
}

TEST(places_may_be_known_in_part_only)
{
    expect("{\"comments\":[{\"file\":\"a\",\"line\":0,\"endLine\":1,\"column\":1,\"endColumn\":2,"
           "\"level\":\"error\",\"code\":1,\"message\":\"m\"},"
           "{\"file\":\"a\",\"line\":1,\"endLine\":1,\"column\":0,\"endColumn\":2,"
           "\"level\":\"error\",\"code\":1,\"message\":\"m\"}]}",
           "high SC0001 a chars: m\n  help: " WIKI "0001\n"
           "high SC0001 a:1 chars: m\n  help: " WIKI "0001\n");
}

TEST(names_and_texts_are_kept_as_they_are)
{
    expect("{\"comments\":[{\"file\":\"a\\n\\u001b.sh\",\"line\":1,\"endLine\":1,\"column\":1,"
           "\"endColumn\":2,\"level\":\"new\",\"code\":42,\"message\":\"\\u0000m\"}],\"x\":1}",
           "medium SC0042 a\\n\\x1b.sh:1:1-1:2 chars: \\x00m\n  help: " WIKI "0042\n");
}

TEST(no_part_of_a_report_is_a_report)
{
    static const char *const names[] = {
        "shellcheck_json/fixes", "shellcheck_json/levels", "shellcheck_json/syntax",
        "shellcheck_json/clean",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_no_part_reads(shellcheck_json_read, names[i]);
    }
}

TEST(what_is_no_report_of_shellcheck_is_refused)
{
    static const char *const texts[] = {
        "", "\n", "{}", "[]", "null", "{\"comments\":null}", "{\"comments\":{}}",
        "{\"comments\":[]}{\"comments\":[]}", "{\"comments\":[]} x", "a.sh: no such file\n",
        "{\"comments\":[3]}", "{\"comments\":[{}]}", "{\"comments\":[[]]}", "\x1b", "\xff",
        "[" COMMENT("null") "]", /* the format "json" */
        ONE("3"), ONE("{}"), ONE("[]"), ONE("{\"replacements\":{}}"),
        FIX("3"), FIX("{}"),
        FIX(EDIT(3, 6, 3, 6, "here", 1, "a")),
        FIX(EDIT(3, 6, 3, 6, "afterEnd", -1, "a")),
        FIX(EDIT(3, -6, 3, 6, "afterEnd", 1, "a")),
        FIX(EDIT(3, 6, 3, 4294967296, "afterEnd", 1, "a")),
        FIX("{\"line\":3,\"column\":6,\"endLine\":3,\"endColumn\":6,\"insertionPoint\":"
            "\"afterEnd\",\"precedence\":1}"),
        "{\"comments\":[{\"file\":\"a\",\"line\":1,\"level\":\"error\",\"code\":1,"
        "\"message\":\"m\"}]}",
        "{\"comments\":[{\"file\":\"a\",\"line\":1,\"endLine\":1,\"column\":1,\"endColumn\":1,"
        "\"level\":\"error\",\"message\":\"m\"}]}",
        "{\"comments\":[{\"file\":\"\",\"line\":1,\"endLine\":1,\"column\":1,\"endColumn\":1,"
        "\"level\":\"error\",\"code\":1,\"message\":\"m\"}]}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_refused(shellcheck_json_read, texts[i]);
    }
}
