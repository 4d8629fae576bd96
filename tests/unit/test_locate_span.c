/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines and columns, in the unit that a tool counts in, are found as bytes of a text. */
#include "analyze/locate.h"

#include "test.h"

#include <string.h>

static struct place columns(uint32_t line, uint32_t column, uint32_t end_line,
                            uint32_t end_column, enum column_unit unit)
{
    return (struct place){ .line = line, .column = column, .end_line = end_line,
                           .end_column = end_column, .unit = unit };
}

/* The bytes a place means; NULL: it is not in the text. */
static void expect_bytes(const char *text, struct place place, const char *bytes)
{
    struct arena arena = { 0 };
    struct text_lines lines;
    struct span span;
    bool found;

    text_lines_init(&lines, str_of(text), &arena);
    found = span_find(&lines, &place, &span);
    assert_int_equal(found, bytes != NULL);
    if (found) {
        assert_int_equal(span.end - span.start, strlen(bytes));
        assert_memory_equal(text + span.start, bytes, strlen(bytes));
        assert_true(span.line <= span.end_line && span.column > 0 && span.end_column > 0);
    }
    arena_release(&arena);
}

TEST(columns_count_in_the_tools_unit)
{
    /* "ä" has 2 bytes and one unit, the smiling face 4 bytes, one code point, two UTF-16 units */
    const char *text = "one\n\xc3\xa4\xf0\x9f\x98\x80x\n";

    expect_bytes(text, columns(2, 7, 2, 8, COLUMN_BYTES), "x");
    expect_bytes(text, columns(2, 3, 2, 4, COLUMN_CODE_POINTS), "x");
    expect_bytes(text, columns(2, 4, 2, 5, COLUMN_UTF16), "x");
    expect_bytes(text, columns(2, 2, 2, 4, COLUMN_UTF16), "\xf0\x9f\x98\x80");
    expect_bytes(text, columns(2, 3, 2, 4, COLUMN_UTF16), NULL); /* inside a character */
    expect_bytes(text, columns(1, 1, 2, 2, COLUMN_UTF16), "one\n\xc3\xa4");
}

/* As eslint counts: from the file's beginning, behind a byte order mark. */
TEST(offsets_count_in_the_tools_unit)
{
    const char *text = "a\n\xc3\xa4\xf0\x9f\x98\x80x";
    struct place place = { .by_offset = true, .offset = 5, .end_offset = 6, .unit = COLUMN_UTF16 };

    expect_bytes(text, place, "x");
    expect_bytes("\xef\xbb\xbf" "a\n\xc3\xa4\xf0\x9f\x98\x80x", place, "x");
    place = (struct place){ .by_offset = true, .offset = 4, .end_offset = 5,
                            .unit = COLUMN_UTF16 }; /* inside a character */
    expect_bytes(text, place, NULL);
    place = (struct place){ .by_offset = true, .offset = 6, .end_offset = 7,
                            .unit = COLUMN_UTF16 }; /* behind the end */
    expect_bytes(text, place, NULL);
    place = (struct place){ .by_offset = true, .offset = 8, .end_offset = 9 };
    expect_bytes(text, place, "x");
}

TEST(a_word_is_where_its_line_has_it_once)
{
    const char *text = "teh\nof teh, tehn teh_x \xc3\xa4teh\nteh teh\n";

    expect_bytes(text, (struct place){ .line = 1, .word = STR("teh") }, "teh");
    expect_bytes(text, (struct place){ .line = 2, .word = STR("teh") }, "teh");
    expect_bytes(text, (struct place){ .line = 2, .word = STR("tehn") }, "tehn");
    expect_bytes(text, (struct place){ .line = 3, .word = STR("teh") }, NULL); /* twice */
    expect_bytes(text, (struct place){ .line = 2, .word = STR("the") }, NULL);
    expect_bytes(text, (struct place){ .line = 9, .word = STR("teh") }, NULL);
    expect_bytes(text, (struct place){ .line = 0, .word = STR("teh") }, NULL);
}

TEST(a_bad_byte_is_one_unit)
{
    const char *text = "\xff\xc3x\xe2\x82y\n";

    expect_bytes(text, columns(1, 3, 1, 4, COLUMN_CODE_POINTS), "x");
    expect_bytes(text, columns(1, 3, 1, 4, COLUMN_UTF16), "x");
    expect_bytes(text, columns(1, 6, 1, 7, COLUMN_UTF16), "y");
    expect_bytes(text, columns(1, 6, 1, 7, COLUMN_BYTES), "y");
}

TEST(a_place_past_the_end_is_none)
{
    expect_bytes("ab\nc\n", columns(1, 3, 1, 3, COLUMN_BYTES), ""); /* behind the last letter */
    expect_bytes("ab\nc\n", columns(1, 4, 1, 4, COLUMN_BYTES), NULL);
    expect_bytes("ab\nc\n", columns(1, 4, 1, 4, COLUMN_CODE_POINTS), NULL);
    expect_bytes("ab\nc\n", columns(1, UINT32_MAX, 1, UINT32_MAX, COLUMN_BYTES), NULL);
    expect_bytes("ab\nc\n", columns(3, 1, 3, 1, COLUMN_BYTES), ""); /* behind the last line end */
    expect_bytes("ab\nc\n", columns(4, 1, 4, 1, COLUMN_BYTES), NULL);
    expect_bytes("ab\nc", columns(2, 1, 3, 1, COLUMN_BYTES), "c"); /* as if it had a line end */
    expect_bytes("ab\nc", columns(3, 2, 3, 2, COLUMN_BYTES), NULL);
    expect_bytes("ab\nc", columns(UINT32_MAX, 1, 0, 0, COLUMN_BYTES), NULL);
    expect_bytes("", columns(1, 1, 0, 0, COLUMN_BYTES), "");
    expect_bytes("", columns(2, 1, 0, 0, COLUMN_BYTES), NULL);
    expect_bytes("ab\nc\n", columns(2, 1, 1, 1, COLUMN_BYTES), NULL); /* it ends before it begins */
    expect_bytes("ab\nc\n", columns(0, 0, 0, 0, COLUMN_BYTES), NULL); /* no place at all */
}

TEST(a_line_without_columns_is_whole_and_leaves_its_end)
{
    expect_bytes("a\r\nbc\r\nd", columns(2, 0, 0, 0, COLUMN_BYTES), "bc");
    expect_bytes("a\nbc\nd", columns(1, 0, 2, 0, COLUMN_BYTES), "a\nbc");
    expect_bytes("a\nbc\nd", columns(2, 2, 2, 0, COLUMN_BYTES), "c"); /* to the end of the line */
    expect_bytes("a\nbc\nd", columns(2, 0, 9, 0, COLUMN_BYTES), NULL);
    expect_bytes("a\nbc\nd", columns(1, 1, 2, 1, COLUMN_BYTES), "a\n"); /* with its end */
    expect_bytes("a\nbc\nd", columns(2, 2, 0, 3, COLUMN_BYTES), "c"); /* ends in the same line */
}

TEST(offsets_count_from_the_beginning)
{
    struct place place = { .by_offset = true, .offset = 2, .end_offset = 4 };
    struct arena arena = { 0 };
    struct text_lines lines;
    struct span span;

    expect_bytes("ab\ncd", place, "\nc");
    place.end_offset = 5;
    expect_bytes("ab\ncd", place, "\ncd");
    place.end_offset = 6;
    expect_bytes("ab\ncd", place, NULL);
    place.end_offset = 1;
    expect_bytes("ab\ncd", place, NULL);
    place = (struct place){ .by_offset = true, .offset = UINT64_MAX, .end_offset = UINT64_MAX };
    expect_bytes("ab\ncd", place, NULL);
    place = (struct place){ .by_offset = true, .offset = 4, .end_offset = 5 };
    text_lines_init(&lines, STR("ab\ncd"), &arena);
    assert_true(span_find(&lines, &place, &span));
    assert_int_equal(span.line, 2);
    assert_int_equal(span.column, 2);
    assert_int_equal(span.end_column, 3);
    arena_release(&arena);
}
