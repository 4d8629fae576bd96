/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tidy_yaml.c - reports of clang-tidy 14.0.6, from tests/corpus/tidy_yaml, and what could come
 * instead. */
#include "reported.h"
#include "test.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKS "https://clang.llvm.org/extra/clang-tidy/checks/"

/* A report of one diagnostic; rest: its replacements, notes, level. */
#define HEAD "---\nMainSourceFile: a.c\nDiagnostics:\n"
#define ITEM(name, rest) \
    "  - DiagnosticName: " name "\n" \
    "    DiagnosticMessage:\n" \
    "      Message: m\n" \
    "      FilePath: a.c\n" \
    "      FileOffset: 7\n" rest
#define ONE(name, rest) HEAD ITEM(name, rest) "...\n"
#define EDIT(offset, length, text) \
    "        - FilePath: a.c\n" \
    "          Offset: " offset "\n" \
    "          Length: " length "\n" \
    "          ReplacementText: " text "\n"
#define EDITS "      Replacements:\n"

static void expect(const char *text, const char *wanted)
{
    assert_string_equal(reported(tidy_yaml_read, str_of(text)), wanted);
}

static void expect_file(const char *name, const char *wanted)
{
    assert_string_equal(reported_file(tidy_yaml_read, name), wanted);
}

/* The notes of the parentheses offer two ways that mean different things: none is taken. */
TEST(warnings_have_offsets_and_all_replacements_as_one_fix)
{
    expect_file("tidy_yaml/warnings",
        "low readability-braces-around-statements /p/a.c@40-40: "
        "statement should be inside braces\n"
        "  help: " CHECKS "readability/braces-around-statements.html\n"
        "  fix:\n"
        "    /p/a.c@40-40 \" {\"\n"
        "    /p/a.c@65-65 \"\\n}\"\n"
        "medium clang-diagnostic-parentheses /p/a.c@76-79: "
        "using the result of an assignment as a condition without parentheses\n"
        "  help: place parentheses around the assignment to silence this warning; "
        "use '==' to turn this assignment into an equality comparison; "
        "https://clang.llvm.org/docs/DiagnosticsReference.html#wparentheses\n"
        "medium bugprone-macro-parentheses /p/m.h@19-19 /p/a.c: "
        "macro replacement list should be enclosed in parentheses\n"
        "  help: " CHECKS "bugprone/macro-parentheses.html\n"
        "  fix:\n"
        "    /p/m.h@17-17 \"(\"\n"
        "    /p/m.h@22-22 \")\"\n");
}

/* It is a piece of the source, with a tab, quotes, a backslash and a letter that is not ASCII. */
TEST(a_replacement_of_many_lines_is_exact)
{
    expect_file("tidy_yaml/multiline",
        "low llvm-else-after-return /p/els.c@69-73: do not use 'else' after 'return'\n"
        "  help: " CHECKS "llvm/else-after-return.html\n"
        "  fix:\n"
        "    /p/els.c@69-124 \"        /* tab\\x09here: ä 'q' \\\\n */\\n        return 2\"\n");
}

TEST(every_escape_of_the_writer_is_a_byte_again)
{
    expect(ONE("x", EDITS EDIT("1", "2",
               "\"\\x01\\x1B\\0\\r\\n\\\"\\\\\\_\\L\\u00E4\\U0001F4A9\"")),
           "medium x a.c@7-7: m\n  fix:\n    a.c@1-3 \"\\x01\\x1b\\x00\\x0d\\n\"\\\\"
           "\xc2\xa0\xe2\x80\xa8\xc3\xa4\xf0\x9f\x92\xa9\"\n");
    expect(ONE("x", EDITS EDIT("1", "2", "'it''s #1: ~'")),
           "medium x a.c@7-7: m\n  fix:\n    a.c@1-3 \"it's #1: ~\"\n");
    expect(ONE("x", EDITS EDIT("1", "2", "''")),
           "medium x a.c@7-7: m\n  fix:\n    a.c@1-3 \"\"\n");
}

TEST(notes_tell_the_way_and_nothing_twice)
{
    expect_file("tidy_yaml/notes",
        "medium clang-analyzer-unix.Malloc /p/leak.c@78-78: "
        "Potential leak of memory pointed to by 'p'\n"
        "  help: Memory is allocated; Assuming 'x' is not equal to 0; Taking true branch; "
        CHECKS "clang-analyzer/unix.Malloc.html\n");
}

TEST(compile_errors_are_grave)
{
    expect_file("tidy_yaml/error",
        "high clang-diagnostic-error /p/err.c@9-17: 'nope.h' file not found\n");
    expect_file("tidy_yaml/escapes",
        "high clang-diagnostic-error /p/esc.c@9-16: 'x\\x01y.h' file not found\n");
}

TEST(an_error_in_no_file_is_a_failure)
{
    expect_file("tidy_yaml/missing",
        "high clang-diagnostic-error - /p/nope.c: no input files\n"
        "high clang-diagnostic-error - /p/nope.c: no such file or directory: '/p/nope.c'\n"
        "high clang-diagnostic-error - /p/nope.c: "
        "unable to handle compilation, expected exactly one compiler job in ''\n"
        "failed: no input files\n");
}

#define RANGE(file, offset, length) \
    "        - {FilePath: " file ", FileOffset: " offset ", Length: " length "}\n"

TEST(the_end_is_that_of_the_longest_range_around_the_place)
{
    expect(ONE("x", "      Ranges:\n" RANGE("a.c", "7", "2") RANGE("a.c", "5", "9")
               RANGE("a.c", "6", "3")), "medium x a.c@7-14: m\n");
    expect(ONE("x", "      Ranges:\n" RANGE("a.c", "8", "2") RANGE("b.c", "7", "2")
               RANGE("a.c", "1", "6")), "medium x a.c@7-7: m\n");
}

TEST(severity_is_by_level_and_by_kind_of_check)
{
    static const struct { const char *name, *level, *wanted; } rows[] = {
        { "bugprone-x", "Warning", "medium" },
        { "cert-x", "Warning", "medium" },
        { "clang-diagnostic-x", "Warning", "medium" },
        { "clang-diagnostic-x", "Error", "high" },
        { "clang-diagnostic-x", "Remark", "low" },
        { "readability-x", "Warning", "low" },
        { "modernize-x", "Warning", "low" },
        { "modernize-x", "Error", "high" },
        { "my-own", "Warning", "medium" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];

        snprintf(text, sizeof text, HEAD ITEM("%s", "    Level: %s\n") "...\n", rows[i].name,
                 rows[i].level);
        if (strncmp(reported(tidy_yaml_read, str_of(text)), rows[i].wanted,
                    strlen(rows[i].wanted)) != 0) fail_msg("row %zu", i);
    }
}

/* clang writes what it cannot encode as U+FFFD and drops what is behind it; a text that spans
 * lines, as older versions wrote it, has lost its indentation. */
TEST(a_fix_with_a_text_that_lost_something_is_left_out)
{
    static const char left[] = "medium x a.c@7-7: m\n";

    expect(ONE("x", EDITS EDIT("1", "2", "\"caf\xef\xbf\xbd\"") EDIT("9", "0", "y")), left);
    expect(ONE("x", EDITS EDIT("1", "2", "'a\n\n            b'")), left);
    expect(ONE("x", EDITS EDIT("1", "2", "a\n            b")), left);
    expect(ONE("x", EDITS EDIT("1", "2", "|\n            b")), left);
    expect(ONE("x", EDITS "        - FilePath: \"/p/yn\\n\xef\xbf\xbd\"\n"
               "          Offset: 1\n          Length: 0\n          ReplacementText: a\n"), left);
    expect(ONE("x", EDITS "        - FilePath: ''\n"
               "          Offset: 1\n          Length: 0\n          ReplacementText: a\n"), left);
}

TEST(an_empty_list_is_nothing_found)
{
    expect("---\nMainSourceFile:  '/p/a.c'\nDiagnostics:     []\n...\n", "");
}

TEST(the_order_of_keys_and_unknown_keys_do_not_matter)
{
    expect("---\nNew: {a: [1, {b: c}]}\nDiagnostics:\n  - Level: Error\n    DiagnosticMessage: "
           "{FileOffset: 3, X: [], FilePath: b.c, Message: m}\n    DiagnosticName: x\n"
           "MainSourceFile: a.c\n...\n", "high x b.c@3-3 a.c: m\n");
}

TEST(no_part_of_a_report_is_a_report)
{
    static const char *const names[] = {
        "tidy_yaml/warnings", "tidy_yaml/multiline", "tidy_yaml/notes", "tidy_yaml/missing",
        "tidy_yaml/escapes",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_no_part_reads(tidy_yaml_read, names[i]);
    }
    expect_refused(tidy_yaml_read, "---\nMainSourceFile: a.c\nDiagnostics: []\n");
}

TEST(anchors_aliases_and_tags_are_refused)
{
    expect_refused(tidy_yaml_read, "---\nMainSourceFile: &a a.c\nDiagnostics: []\n...\n");
    expect_refused(tidy_yaml_read, "---\nMainSourceFile: a.c\nX: *a\nDiagnostics: []\n...\n");
    expect_refused(tidy_yaml_read, "---\nMainSourceFile: !!str a.c\nDiagnostics: []\n...\n");
    expect_refused(tidy_yaml_read, "---\nMainSourceFile: a.c\nDiagnostics: &a []\n...\n");
    expect_refused(tidy_yaml_read, "---\nMainSourceFile: a.c\nDiagnostics: !x []\n...\n");
    expect_refused(tidy_yaml_read, "--- &a\nMainSourceFile: a.c\nDiagnostics: []\n...\n");
    expect_refused(tidy_yaml_read, "--- !x\nMainSourceFile: a.c\nDiagnostics: []\n...\n");
}

TEST(what_is_no_report_of_clang_tidy_is_refused)
{
    static const char *const texts[] = {
        "", "\n", "...\n", "---\n...\n", "--- []\n...\n", "--- text\n...\n", "{}", "\x1b", "\xff",
        "---\nMainSourceFile: a.c\n...\n",
        "---\nDiagnostics: []\n...\n",
        "---\nMainSourceFile: a.c\nDiagnostics:\n...\n",
        "---\nMainSourceFile: a.c\nDiagnostics: {}\n...\n",
        "---\nMainSourceFile: a.c\nDiagnostics: [x]\n...\n",
        "---\nMainSourceFile: a.c\nDiagnostics: [{}]\n...\n",
        "---\nMainSourceFile: [a.c]\nDiagnostics: []\n...\n",
        "---\nMainSourceFile: a.c\nDiagnostics: []\nDiagnostics: []\n...\n",
        "---\nMainSourceFile: a.c\nDiagnostics: []\n...\n---\na: b\n...\n",
        "---\nMainSourceFile: a.c\n? [x]\n: y\nDiagnostics: []\n...\n",
        HEAD "  - DiagnosticName: x\n...\n",
        HEAD "  - DiagnosticName: x\n    DiagnosticMessage: m\n...\n",
        HEAD "  - DiagnosticName: x\n    DiagnosticMessage: {Message: m, FilePath: a}\n...\n",
        HEAD "  - DiagnosticName: x\n    DiagnosticMessage: {Message: m, FilePath: a, "
             "FileOffset: -1}\n...\n",
        ONE("x", "    Notes: [{Message: m}]\n"),
        ONE("x", "    Notes: 3\n"),
        ONE("x", "      Ranges: [{FilePath: a.c, FileOffset: 1}]\n"),
        ONE("x", "      Ranges: [{FilePath: a.c, FileOffset: 1, "
                 "Length: 18446744073709551615}]\n"),
        ONE("x", EDITS EDIT("x", "0", "a")),
        ONE("x", EDITS EDIT("1", "1.5", "a")),
        ONE("x", EDITS EDIT("1", "18446744073709551615", "a")),
        ONE("x", EDITS EDIT("9223372036854775809", "9223372036854775807", "a")),
        ONE("x", EDITS EDIT("99999999999999999999", "0", "a")),
        ONE("x", EDITS EDIT("1", "0", "[a]")),
        ONE("x", EDITS "        - FilePath: a.c\n          Offset: 3\n"),
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_refused(tidy_yaml_read, texts[i]);
    }
}

TEST(depth_is_bounded)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "---\nX: ");
    for (int i = 0; i < 100000; i++) buf_text(&text, "[");
    expect_refused(tidy_yaml_read, buf_cstr(&text));
    buf_clear(&text);
    buf_text(&text, "---\n");
    for (int i = 0; i < 500; i++) buf_printf(&text, "%*sa:\n", i, "");
    expect_refused(tidy_yaml_read, buf_cstr(&text));
    buf_release(&text);
}

TEST(an_edit_that_is_too_long_leaves_the_fix_out)
{
    struct diagnostics out = { 0 };
    struct err err = { 0 };
    struct buf text;

    buf_init(&text, 4 << 20);
    buf_text(&text, HEAD ITEM("x", EDITS) "        - FilePath: a.c\n          Offset: 1\n"
             "          Length: 0\n          ReplacementText: ");
    for (int i = 0; i <= DIAGNOSTIC_EDIT_BYTES_MAX; i++) buf_byte(&text, 'a');
    buf_text(&text, "\n...\n");
    assert_int_equal(tidy_yaml_read(buf_str(&text), &out, &err), 0);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.items[0].fix_count, 0);
    diagnostics_release(&out);
    buf_release(&text);
}
