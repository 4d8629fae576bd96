/* SPDX-License-Identifier: Apache-2.0
 *
 * test_gcc_json.c - reports of gcc 12.2, from tests/corpus/gcc_json, and what could come
 * instead. */
#include "reported.h"
#include "test.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANUAL "https://gcc.gnu.org/onlinedocs/gcc/"
#define OPTION MANUAL "Warning-Options.html#index-"

/* POINT, AT: a place in a.c. ONE: a report of one diagnostic with these members. */
#define POINT(line, column) \
    "{\"file\":\"a.c\",\"line\":" #line ",\"byte-column\":" #column ",\"column\":99}"
#define AT(line, column) "\"locations\":[{\"caret\":" POINT(line, column) "}]"
#define ONE(rest) "[{\"kind\":\"warning\",\"message\":\"m\"," rest "}]\n"

static void expect(const char *text, const char *wanted)
{
    assert_string_equal(reported(gcc_json_read, str_of(text)), wanted);
}

static void expect_file(const char *name, const char *wanted)
{
    assert_string_equal(reported_file(gcc_json_read, name), wanted);
}

/* The line has a tab and a two-byte letter; the parenthesis' range goes on in another line. */
TEST(warnings_have_their_range_in_bytes_and_their_fix)
{
    expect_file("gcc_json/warnings",
        "medium -Wformat= a.c:4:19-4:21: "
        "format ‘%d’ expects argument of type ‘int’, "
        "but argument 2 has type ‘long int’\n"
        "  help: " OPTION "Wformat=\n"
        "  fix:\n"
        "    a.c:4:19-4:21 \"%ld\"\n"
        "medium -Wunused-variable a.c:4:6-4:9: unused variable ‘dä’\n"
        "  help: " OPTION "Wunused-variable\n"
        "medium -Wparentheses a.c:7:23-7:29: "
        "suggest parentheses around comparison in operand of ‘&’\n"
        "  help: " OPTION "Wparentheses\n");
}

TEST(what_the_analyzer_found_is_grave_and_tells_its_way)
{
    expect_file("gcc_json/analyzer",
        "high -Wanalyzer-double-free free.c:6:5-6:12: double-‘free’ of ‘p’\n"
        "  help: allocated here (line 4); first ‘free’ here (line 5); second ‘free’ here; "
        "first ‘free’ was at (2) (line 6); CWE-415; "
        MANUAL "Static-Analyzer-Options.html#index-Wanalyzer-double-free\n");
}

TEST(errors_are_grave_and_the_compiler_may_end_with_them)
{
    expect_file("gcc_json/errors",
        "high err.c:2:30-2:31: ‘p’ is a pointer; did you mean to use ‘->’?\n"
        "  fix:\n"
        "    err.c:2:30-2:31 \"->\"\n"
        "high err.c:2:42-2:48: "
        "‘struct t’ has no member named ‘colour’; did you mean ‘color’?\n"
        "  fix:\n"
        "    err.c:2:42-2:48 \"color\"\n"
        "high err.c:2:48-2:49: expected ‘;’ before ‘}’ token\n"
        "  fix:\n"
        "    err.c:2:48-2:48 \";\"\n"
        "high err.c:3:10-3:18: nope.h: No such file or directory\n");
}

TEST(a_warning_that_is_a_child_of_another_is_not_lost)
{
    expect_file("gcc_json/children",
        "high child.c:2:5-2:6: attempt to use poisoned \"foo\"\n"
        "medium -Wcpp child.c:3:2-3:9: #warning \"look\"\n"
        "  help: " OPTION "Wcpp\n");
}

TEST(a_note_is_help_and_its_fix_another_way)
{
    expect_file("gcc_json/include",
        "medium -Wimplicit-function-declaration inc.c:3:5-3:9: "
        "implicit declaration of function ‘puts’\n"
        "  help: include ‘<stdio.h>’ or provide a declaration of ‘puts’ (line 1); "
        OPTION "Wimplicit-function-declaration\n"
        "  fix: include ‘<stdio.h>’ or provide a declaration of ‘puts’\n"
        "    inc.c:1:1-1:1 \"#include <stdio.h>\\n\"\n");
    expect(ONE(AT(2, 3) ",\"fixits\":[{\"start\":" POINT(2, 3) ",\"next\":" POINT(2, 4)
               ",\"string\":\"x\"},{\"start\":" POINT(5, 1) ",\"next\":" POINT(5, 1)
               ",\"string\":\"y\"}],\"children\":[{\"kind\":\"note\",\"message\":\"n\","
               AT(7, 7) ",\"fixits\":[{\"start\":" POINT(7, 7) ",\"next\":" POINT(8, 1)
               ",\"string\":\"\"}]}]"),
        "medium a.c:2:3-2:4: m\n"
        "  help: n (line 7)\n"
        "  fix:\n"
        "    a.c:2:3-2:4 \"x\"\n"
        "    a.c:5:1-5:1 \"y\"\n"
        "  fix: n\n"
        "    a.c:7:7-8:1 \"\"\n");
}

TEST(a_note_alone_is_no_finding)
{
    expect("[{\"kind\":\"note\",\"message\":\"#pragma message\"," AT(1, 1) "}]\n", "");
    expect("[{\"kind\":\"note\",\"message\":\"n\",\"children\":["
           "{\"kind\":\"error\",\"message\":\"e\"," AT(1, 1) "}]}]\n",
           "high a.c:1:1-1:2: e\n");
}

TEST(bytes_that_are_no_json_are_mended)
{
    expect_file("gcc_json/bytes",
        "medium -Wcpp lat.c:1:2-1:9: #warning \"caf\xef\xbf\xbd \\x1b[2J\"\n"
        "  help: " OPTION "Wcpp\n");
}

TEST(a_mended_text_is_never_written_into_a_file)
{
#define FIX(text) ONE(AT(1, 1) ",\"fixits\":[{\"start\":" POINT(1, 1) ",\"next\":" POINT(1, 2) \
                      ",\"string\":\"" text "\"}]")
    expect(FIX("caf\xe9"), "medium a.c:1:1-1:2: m\n");
    expect(FIX("\xef\xbf\xbd"),
           "medium a.c:1:1-1:2: m\n  fix:\n    a.c:1:1-1:2 \"\xef\xbf\xbd\"\n");
    expect(FIX("\x1b"), "medium a.c:1:1-1:2: m\n  fix:\n    a.c:1:1-1:2 \"\\x1b\"\n");
#undef FIX
}

TEST(each_compiler_process_has_a_report_of_its_own)
{
    expect_file("gcc_json/two",
        "high -Wunused-variable n.c:1:20-1:21: unused variable ‘n’\n"
        "  help: " OPTION "Wunused-variable\n");
    expect("make: Entering directory\n[ 50%] Building C object\n[]\n" ONE(AT(1, 1)) "[]",
           "medium a.c:1:1-1:2: m\n");
}

TEST(a_source_that_is_not_there_is_a_failure)
{
    expect_file("gcc_json/missing",
        "high -: nope.c: No such file or directory\n"
        "failed: nope.c: No such file or directory\n");
}

TEST(an_error_outside_of_the_report_is_a_failure)
{
    expect_file("gcc_json/assembler",
                "failed: asm.c:1: Error: no such instruction: `bogus'\n");
    expect("[]\ngcc: internal compiler error: Segmentation fault signal terminated program cc1\n",
           "failed: gcc: internal compiler error: Segmentation fault signal terminated program "
           "cc1\n");
    expect("[{\"kind\":\"internal compiler error\",\"message\":\"m\"," AT(1, 1) "}]",
           "high a.c:1:1-1:2: m\nfailed: m\n");
}

TEST(no_report_is_refused_with_what_gcc_said)
{
    expect_file("gcc_json/usage", "refused: gcc wrote no report: "
                "gcc: error: unrecognized command-line option ‘-fnope’\n");
    expect("", "refused: gcc wrote no report\n");
    expect("compilation terminated.\n", "refused: gcc wrote no report\n");
    expect("gcc: error: \x1b]0;title\n", "refused: gcc wrote no report: "
           "gcc: error: \\x1b]0;title\n");
}

/* gcc says -1 where it knows no column, and has no "byte-column" before version 11. */
TEST(places_may_be_known_in_part_only)
{
    expect(ONE("\"locations\":[{\"caret\":{\"file\":\"a.c\",\"line\":3,\"byte-column\":-1}}]"),
           "medium a.c:3: m\n");
    expect(ONE("\"locations\":[{\"caret\":{\"file\":\"a.c\",\"line\":3,\"column\":4}}]"),
           "medium a.c:3:4-3:5: m\n");
    expect(ONE("\"locations\":[{\"caret\":" POINT(3, 9) ",\"start\":" POINT(2, 1)
               ",\"finish\":" POINT(4, 2) "}]"), "medium a.c:3:9-4:3: m\n");
    expect(ONE("\"locations\":[{\"caret\":" POINT(3, 9) ",\"finish\":" POINT(2, 1) "}]"),
           "medium a.c:3:9: m\n");
    expect(ONE("\"locations\":[{\"caret\":" POINT(3, 4294967295) "}]"),
           "medium a.c:3:4294967295: m\n");
    expect(ONE("\"locations\":[{\"caret\":" POINT(0, 3) "}]"), "medium a.c: m\n");
    expect(ONE("\"locations\":[{\"caret\":{\"line\":3,\"column\":4}}]"), "medium -: m\n");
    expect(ONE("\"locations\":[]"), "medium -: m\n");
    expect(ONE("\"option\":\"-Wx\""), "medium -Wx -: m\n");
}

TEST(an_edit_without_a_place_leaves_the_whole_fix_out)
{
#define TWO(start, next) ONE(AT(1, 1) ",\"fixits\":[{\"start\":" POINT(1, 1) ",\"next\":" \
                             POINT(1, 2) ",\"string\":\"a\"},{\"start\":" start ",\"next\":" next \
                             ",\"string\":\"b\"}]")
    expect(TWO(POINT(2, 2), POINT(2, 1)), "medium a.c:1:1-1:2: m\n");
    expect(TWO(POINT(2, 2), POINT(1, 9)), "medium a.c:1:1-1:2: m\n");
    expect(TWO(POINT(2, -1), POINT(2, 3)), "medium a.c:1:1-1:2: m\n");
    expect(TWO(POINT(0, 2), POINT(0, 3)), "medium a.c:1:1-1:2: m\n");
    expect(TWO("{\"file\":\"b.c\",\"line\":2,\"byte-column\":1}", POINT(2, 3)),
           "medium a.c:1:1-1:2: m\n");
#undef TWO
}

TEST(kinds_nobody_knows_are_errors)
{
    expect("[{\"kind\":\"sorry, unimplemented\",\"message\":\"m\"," AT(1, 1) "}]",
           "high a.c:1:1-1:2: m\n");
    expect("[{\"kind\":\"new kind\",\"message\":\"m\"," AT(1, 1) "}]", "high a.c:1:1-1:2: m\n");
    expect("[{\"kind\":\"error\",\"message\":\"m\",\"metadata\":{\"cwe\":7}," AT(1, 1) "}]",
           "high CWE-7 a.c:1:1-1:2: m\n");
}

TEST(an_empty_message_is_its_kind)
{
    expect("[{\"kind\":\"error\",\"message\":\"\"," AT(1, 1) "}]", "high a.c:1:1-1:2: error\n");
}

TEST(no_part_of_a_report_is_a_report)
{
    static const char *const names[] = {
        "gcc_json/warnings", "gcc_json/analyzer", "gcc_json/children", "gcc_json/include",
        "gcc_json/bytes",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_no_part_reads(gcc_json_read, names[i]);
    }
    expect("[", "refused: gcc's report has no end\n");
    expect("[\n", "refused: gcc's report has no end\n");
    expect_refused(gcc_json_read, "[]\n[{\"kind\":\"warning\",\"message\":\"m\"}");
}

TEST(what_is_no_report_of_gcc_is_refused)
{
    static const char *const texts[] = {
        "{}", "null", "[1]\n", "[{}]", "[[]]", "[] []", "[]x", "[{]}", "[}", " []",
        "[{\"kind\":\"warning\"}]",
        "[{\"message\":\"m\"}]",
        "[{\"kind\":1,\"message\":\"m\"}]",
        "[{\"kind\":\"warning\",\"message\":\"m\",\"locations\":3}]",
        "[{\"kind\":\"warning\",\"message\":\"m\",\"locations\":[{\"caret\":7}]}]",
        "[{\"kind\":\"warning\",\"message\":\"m\",\"children\":{}}]",
        "[{\"kind\":\"warning\",\"message\":\"m\",\"children\":[3]}]",
        "[{\"kind\":\"warning\",\"message\":\"m\",\"fixits\":{}}]",
        "[{\"kind\":\"warning\",\"message\":\"m\",\"fixits\":[3]}]",
        ONE("\"locations\":[{\"caret\":{\"file\":\"a.c\",\"line\":4294967296}}]"),
        ONE("\"locations\":[{\"caret\":{\"file\":\"a.c\",\"line\":\"3\"}}]"),
        ONE("\"locations\":[{\"caret\":{\"file\":\"a.c\",\"line\":1.5}}]"),
        "[{\"kind\":\"warning\",\x1b\"message\":\"m\"}]",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_refused(gcc_json_read, texts[i]);
    }
}

TEST(depth_is_bounded)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    for (int i = 0; i < 10; i++) {
        buf_text(&text, "[{\"kind\":\"error\",\"message\":\"m\",\"children\":");
    }
    buf_text(&text, "[]");
    for (int i = 0; i < 10; i++) buf_text(&text, "}]");
    expect_refused(gcc_json_read, buf_cstr(&text));
    buf_clear(&text);
    for (int i = 0; i < 100000; i++) buf_text(&text, "[\n");
    expect_refused(gcc_json_read, buf_cstr(&text));
    buf_release(&text);
}

TEST(long_stories_are_cut_before_the_address)
{
    struct buf text;
    const char *shown;

    buf_init(&text, 1 << 20);
    buf_text(&text, "[{\"kind\":\"warning\",\"message\":\"m\",\"option_url\":\"http://x\","
             "\"path\":[");
    for (int i = 0; i < 1000; i++) {
        buf_printf(&text, "%s{\"description\":\"step %d\"}", i ? "," : "", i);
    }
    buf_text(&text, "]}]");
    shown = reported(gcc_json_read, buf_str(&text));
    assert_non_null(strstr(shown, "help: step 0; step 1; step 2;"));
    assert_non_null(strstr(shown, "; http://x\n"));
    assert_true(strlen(shown) > 4000 && strlen(shown) < 4300);
    buf_release(&text);
}
