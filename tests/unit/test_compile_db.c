/* SPDX-License-Identifier: Apache-2.0
 *
 * test_compile_db.c - compile_commands.json in both its forms, and what is none. */
#include "base/buf.h"
#include "format/source/build_units.h"

#include "test.h"

#include <string.h>

static void expect(const char *text, const char *expected)
{
    struct arena arena = { 0 };
    struct build_units units;
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, 1 << 20);
    if (compile_db_read(str_of(text), "/w", &arena, &units, &err) != 0) fail_msg("%s", err.text);
    for (uint32_t i = 0; i < units.count; i++) {
        buf_printf(&out, "%s %s", units.items[i].folder, units.items[i].file);
        for (const char *const *flag = units.items[i].flags; *flag; flag++)
            buf_printf(&out, " %s", *flag);
        buf_byte(&out, '\n');
    }
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
    arena_release(&arena);
}

static void expect_refusal(const char *text, const char *words)
{
    struct arena arena = { 0 };
    struct build_units units;
    struct err err = { 0 };

    assert_int_equal(compile_db_read(str_of(text), "/w", &arena, &units, &err), ERR_FORMAT);
    if (!strstr(err.text, words)) fail_msg("\"%s\" is not in: %s", words, err.text);
    assert_int_equal(units.count, 0);
    arena_release(&arena);
}

TEST(arguments_are_words_as_they_are)
{
    expect("[{\"directory\":\"/b\",\"file\":\"a.c\",\"arguments\":[\"cc\",\"-I\",\"a b\","
           "\"-DV=$x;`y`\",\"-c\",\"a.c\",\"-o\",\"a.o\"]}]", "/b a.c -Ia b -DV=$x;`y`\n");
}

TEST(a_command_is_a_shell_line)
{
    expect("[{\"directory\":\"/b\",\"file\":\"/s/a.c\",\"command\":\"/usr/bin/c++ -DV='\\\"1\\\"' "
           "-I../i -o a.o -c /s/a.c\"}]", "/b /s/a.c -DV=\"1\" -I../i\n");
    expect("[{\"directory\":\"/b\",\"file\":\"a.c\",\"command\":\"mkdir -p x && ccache gcc -DA -c "
           "a.c\"}]", "/b a.c -DA\n");
}

TEST(arguments_come_before_a_command)
{
    expect("[{\"file\":\"a.c\",\"command\":\"cc -DC -c a.c\",\"arguments\":[\"cc\",\"-DA\"]}]",
           "/w a.c -DA\n");
}

TEST(a_folder_may_be_missing_or_relative)
{
    expect("[{\"file\":\"a.c\",\"command\":\"cc -c a.c\"},"
           "{\"directory\":\"sub\",\"file\":\"a.c\",\"command\":\"cc -c a.c\"}]",
           "/w a.c\n/w/sub a.c\n");
}

TEST(entries_that_say_nothing_are_left_out)
{
    expect("[]", "");
    expect("[{}, {\"file\":\"a.c\"}, {\"file\":\"a.c\",\"command\":\"\"}, {\"file\":\"a.c\","
           "\"arguments\":[]}, {\"file\":\"\",\"command\":\"cc\"}, {\"file\":7,\"command\":\"cc\"},"
           "{\"file\":\"a.c\",\"arguments\":[\"cc\",1]}, {\"file\":\"a.c\",\"command\":[\"cc\"]},"
           "{\"file\":\"a.rs\",\"command\":\"rustc a.rs\"}]", "");
}

TEST(no_byte_hides_behind_a_nul)
{
    expect("[{\"file\":\"a.c\\u0000x\",\"command\":\"cc\"},"
           "{\"file\":\"a.c\",\"arguments\":[\"cc\",\"-DA\\u0000\"]},"
           "{\"directory\":\"/x\\u0000y\",\"file\":\"b.c\",\"arguments\":[\"cc\",\"-DB\"]}]",
           "/w b.c -DB\n");
}

TEST(dangerous_flags_do_not_pass)
{
    expect("[{\"directory\":\"/b\",\"file\":\"a.c\",\"arguments\":[\"cc\",\"-fplugin=/e.so\","
           "\"@/e\",\"-wrapper\",\"/e\",\"-Xclang\",\"-load\",\"-Xclang\",\"/e.so\",\"-include\","
           "\"@/e\",\"-B\",\"/e\",\"-specs=/e\",\"-DOK\"]}]", "/b a.c -include ./@/e -DOK\n");
}

TEST(what_is_no_list_of_commands_is_refused)
{
    expect_refusal("", "no JSON");
    expect_refusal("{}", "not a list");
    expect_refusal("[1]", "not an object");
    expect_refusal("[{\"file\":\"a.c\",\"command\":\"cc\"},null]", "not an object");
    expect_refusal("[{\"file\":\"a.c\",\n\"command\":\"cc", "line 2");
}
