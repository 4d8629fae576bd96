/* SPDX-License-Identifier: Apache-2.0
 *
 * test_includes.c - include directives are found where the language has one, and nowhere else. */
#include "base/buf.h"
#include "format/source/includes.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Names as they were marked, one after the other; "+" for #include_next, "?" for uncertain. The
 * text is a block of its own, so that a look past its end is seen. */
static void expect_bytes(struct str text, const char *expected)
{
    char *block = malloc(text.size + 1);
    struct arena arena = { 0 };
    struct includes found;
    struct buf out;

    assert_non_null(block);
    if (text.size) memcpy(block, text.data, text.size);
    buf_init(&out, 1 << 20);
    includes_scan((struct str){ block, text.size }, &arena, &found);
    free(block);
    for (uint32_t i = 0; i < found.count; i++) {
        const struct include *include = &found.items[i];

        buf_printf(&out, "%s%s%s%s", include->next ? "+" : "", include->angled ? "<" : "\"",
                   include->name, include->angled ? ">" : "\"");
    }
    if (found.uncertain) buf_byte(&out, '?');
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
    arena_release(&arena);
}

static void expect(const char *text, const char *expected)
{
    expect_bytes(str_of(text), expected);
}

TEST(both_forms_are_found)
{
    expect("#include \"a.h\"\n#include <b/c.h>\nint x;\n", "\"a.h\"<b/c.h>");
    expect("", "");
    expect("int x;", "");
    expect("#include <a>", "<a>");
}

TEST(blanks_and_comments_may_stand_anywhere)
{
    expect("  #  include  \"a.h\"\n\t#\tinclude\t<b.h> /* x */\n", "\"a.h\"<b.h>");
    expect("/* x */ # /* y */ include /* z\n */ \"a.h\"\n", "\"a.h\"");
    expect("#include\"a.h\"\r\n#include<b.h>\r\n", "\"a.h\"<b.h>");
}

TEST(lines_go_on_behind_a_backslash)
{
    expect("#include \\\n \"a.h\"\n#inc\\\nlude <b\\\n.h>\n#\\\ninclude \"c\"\n",
           "\"a.h\"<b.h>\"c\"");
    expect("#include \\  \r\n<a>\n", "<a>");
    expect("// comment \\\n#include \"no\"\n#include \"yes\"\n", "\"yes\"");
}

TEST(other_words_of_the_same_kind_are_found)
{
    expect("#include_next <a.h>\n#import \"b.h\"\n%:include \"c.h\"\n", "+<a.h>\"b.h\"\"c.h\"");
    expect("#included \"a\"\n#includes <b>\n#importance \"c\"\n#define include \"d\"\n", "");
}

TEST(conditions_are_not_looked_at)
{
    expect("#if 0\n#include \"a\"\n#else\n#include \"b\"\n#endif\n", "\"a\"\"b\"");
}

TEST(what_is_asked_for_counts_as_included)
{
    expect("#if __has_include(<x>)\n#endif\n", "<x>");
    expect("#if defined(X) && __has_include ( \"a.h\" )\n#elif __has_include_next(<b>)\n",
           "\"a.h\"+<b>");
    expect("#ifdef __has_include\n#endif\n#if defined(__has_include)\n#endif\n", "");
    expect("#if __has_include(NAME)\n#endif\n", "?");
    expect("// __has_include(<x>)\n\"__has_include(<y>)\"\n", "");
    expect("#if __has_include(<x\n#include \"a\"\n", "\"a\"");
    expect("#if __has_include(", "");
}

TEST(what_a_macro_includes_is_uncertain)
{
    expect("#include CONFIG_H\n", "?");
    expect("#include \"a\"\n#include FT_FREETYPE_H\n#include <b>\n", "\"a\"<b>?");
    expect("#include\n#include +\n#include", "");
}

TEST(comments_include_nothing)
{
    expect("/*\n#include \"a\"\n*/\n// #include \"b\"\n#include \"c\"\n", "\"c\"");
    expect("/* \" */\n#include \"a\"\n/* ' */\n#include \"b\"\n", "\"a\"\"b\"");
    expect("/**/#include \"a\"\n/***/#include \"b\"\n/*/ */#include \"c\"\n", "\"a\"\"b\"\"c\"");
    expect("int x; /* \n */ #include \"a\"\n", "");
    expect("/* never closed\n#include \"a\"\n", "");
    expect("x = a / b; /\n#include \"a\"\n", "\"a\"");
}

TEST(strings_include_nothing)
{
    expect("char *s = \"\\\n#include <no>\";\n#include \"a\"\n", "\"a\"");
    expect("char *s = \"/*\";\n#include \"a\"\nchar *t = \"*/\";\n", "\"a\"");
    expect("char c = '\"', d = '\\'', e = '/*';\n#include \"a\"\n", "\"a\"");
    expect("x #include \"a\"\n", "");
}

TEST(raw_strings_include_nothing)
{
    expect("auto s = R\"(\n#include \"a\"\n)\";\n#include \"b\"\n", "\"b\"");
    expect("auto s = u8R\"x(\n)\"\n#include \"a\"\n)x\";\n#include \"b\"\n", "\"b\"");
    expect("#define VAR\"(\n#include \"a\"\n", "\"a\"");
    expect("auto s = R\"never(\n#include \"a\"\n", "");
}

TEST(people_write_apostrophes_under_if_0)
{
    expect("#if 0\ndon't do this, it isn't \" right\n#endif\n#include \"a\"\n", "\"a\"");
    expect("#error don't\n#include \"a\"\n", "\"a\"");
    expect("int x = 1'000'000; char c = 'x';\n#include \"a\"\n", "\"a\"");
}

TEST(names_that_no_file_has_are_left_out)
{
    expect("#include \"\"\n#include <>\n#include \"open\n#include <open\n#include \"a\"\n",
           "\"a\"");
    expect_bytes(STR("#include \"a\0b\"\n#include \"c\"\n"), "\"c\"");
    expect("#include \"a\x1b[2J\\\"\n", "\"a\x1b[2J\\\"");
}

TEST(long_and_mad_texts_take_no_time)
{
    enum { BYTES = 1 << 20 };
    static const char *const pieces[] = { "\\", "/*", "\"", "R\"(", "#include \"", "# ", "\\ ",
                                          "#i", "/", "%:", "'", "R\"x", "#\\\n" };
    char *text = malloc(BYTES);

    assert_non_null(text);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t size = strlen(pieces[i]);
        struct arena arena = { 0 };
        struct includes found;

        for (size_t j = 0; j < BYTES; j++) text[j] = pieces[i][j % size];
        includes_scan((struct str){ text, BYTES }, &arena, &found);
        assert_true(found.count <= 1);
        arena_release(&arena);
    }
    free(text);
}
