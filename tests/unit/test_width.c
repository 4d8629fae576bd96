/* SPDX-License-Identifier: Apache-2.0
 *
 * test_width.c - how many columns a text takes, and where it is cut. */
#include "format/text/width.h"

#include "format/text/utf8.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(ascii_and_letters_take_one_column)
{
    assert_int_equal(width_of(STR("")), 0);
    assert_int_equal(width_of((struct str){ NULL, 0 }), 0);
    assert_int_equal(width_of(STR("plain text")), 10);
    assert_int_equal(width_of(STR("gr\xc3\xbc\xc3\x9f")), 4);
    assert_int_equal(width_of(STR("\xd0\xba\xd0\xbe\xd0\xb4")), 3); /* Cyrillic */
    assert_int_equal(width_of(STR("\xe2\x9c\x93")), 1);             /* check mark */
}

TEST(wide_characters_take_two)
{
    assert_int_equal(width_of(STR("\xe6\xbc\xa2\xe5\xad\x97")), 4);     /* two ideographs */
    assert_int_equal(width_of(STR("\xea\xb0\x80")), 2);                 /* Hangul */
    assert_int_equal(width_of(STR("\xe3\x81\x82")), 2);                 /* Hiragana */
    assert_int_equal(width_of(STR("\xef\xbc\xa1")), 2);                 /* fullwidth A */
    assert_int_equal(width_of(STR("\xf0\x9f\x99\x82")), 2);             /* a face */
    assert_int_equal(width_of(STR("\xf0\xa0\x80\x80")), 2);             /* U+20000 */
    assert_int_equal(width_of(STR("\xe2\x9c\x85")), 2);                 /* white check mark */
    assert_int_equal(width_of(STR("\xe2\x9a\xa0\xef\xb8\x8f")), 2);     /* a sign as a picture */
}

TEST(combining_marks_take_none)
{
    assert_int_equal(width_of(STR("e\xcc\x81")), 1);
    assert_int_equal(width_of(STR("\xe0\xb8\x81\xe0\xb8\xb4")), 1); /* Thai vowel */
    assert_int_equal(width_of(STR("\xe3\x81\x8b\xe3\x82\x99")), 2); /* voiced sound mark */
    assert_int_equal(width_of(STR("a\xef\xb8\x8e")), 1);            /* text presentation */
}

TEST(bytes_that_are_no_characters_count_as_one_each)
{
    assert_int_equal(width_of(STR("\xff\xfe")), 2);
    assert_int_equal(width_of(STR("a\xe6\xbc")), 3);
}

static void assert_cut(struct str text, uint32_t columns, const char *expected)
{
    struct str cut = width_cut(text, columns);

    assert_ptr_equal(cut.data, text.data);
    assert_int_equal(cut.size, strlen(expected));
    if (cut.size) assert_memory_equal(cut.data, expected, cut.size);
}

TEST(a_cut_keeps_characters_whole)
{
    assert_cut(STR("abc"), 5, "abc");
    assert_cut(STR("abc"), 3, "abc");
    assert_cut(STR("abc"), 2, "ab");
    assert_cut(STR("abc"), 0, "");
    assert_cut(STR("a\xe6\xbc\xa2" "b"), 3, "a\xe6\xbc\xa2");
    assert_cut(STR("a\xe6\xbc\xa2" "b"), 2, "a");
}

TEST(a_cut_keeps_marks_with_their_character)
{
    assert_cut(STR("ae\xcc\x81" "b"), 2, "ae\xcc\x81");
    assert_cut(STR("e\xcc\x81\xcc\x82"), 1, "e\xcc\x81\xcc\x82");
}

TEST(a_cut_never_takes_more_than_it_may)
{
    struct str text = STR("x\xe6\xbc\xa2\xff" "e\xcc\x81\xf0\x9f\x99\x82y\xe2\x9a\xa0\xef\xb8\x8f");

    for (uint32_t columns = 0; columns < 14; columns++) {
        struct str cut = width_cut(text, columns);
        assert_true(width_of(cut) <= columns);
        if (cut.size < text.size) assert_true(width_of(cut) + 2 > columns);
    }
}

/* The tables are walked from the front: they must be in order, and mean what they say. */
TEST(every_number_has_a_width)
{
    uint32_t counts[3] = { 0 };

    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        uint32_t columns = width_char(code);
        assert_true(columns <= 2);
        counts[columns]++;
    }
    assert_int_equal(width_char(0x2ffff), 2);
    assert_int_equal(width_char(0xfe2f), 0);
    assert_true(counts[0] > 300 && counts[0] < 1000);
    assert_true(counts[2] > 180000 && counts[2] < 300000);
}

static void assert_ascii(struct str text, const char *expected)
{
    struct buf out;

    buf_init(&out, 1024);
    ascii_text(&out, text);
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

TEST(a_message_that_is_too_long_has_a_line_for_each_part)
{
    struct buf out, text;

    buf_init(&out, 1 << 12);
    buf_init(&text, 1 << 12);
    message_lines(&out, STR("a; b; c"), "  ");
    assert_string_equal(buf_cstr(&out), "a; b; c");
    buf_clear(&out);
    message_lines(&out, STR(""), "  ");
    assert_string_equal(buf_cstr(&out), "");
    for (int i = 0; i < 240; i++) buf_byte(&text, 'x');
    message_lines(&out, buf_str(&text), "  ");
    assert_string_equal(buf_cstr(&out), buf_cstr(&text));
    buf_text(&text, "; how; what;");
    buf_clear(&out);
    message_lines(&out, buf_str(&text), "  ");
    assert_memory_equal(out.data + 240, ";\n  how;\n  what;", 16);
    assert_int_equal(out.size, 256);
    buf_release(&text);
    buf_release(&out);
}

TEST(a_terminal_of_ascii_gets_numbers)
{
    assert_ascii(STR("plain"), "plain");
    assert_ascii(STR("gr\xc3\xbc\xe6\xbc\xa2"), "gr\\u{fc}\\u{6f22}");
    assert_ascii(STR("\xff!"), "\\xff!");
}
