/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lsp_place.c - places as editors count them, in three encodings, and offsets of bytes. */
#include "format/lsp/place.h"

#include "test.h"

#include <string.h>

/* The place of an offset, and the offset of that place again. */
static void expect(const char *text, size_t offset, enum encoding encoding, uint32_t line,
                   uint32_t character)
{
    struct line_starts starts = { 0 };
    struct place place;

    line_starts_read(&starts, str_of(text));
    place = place_of(str_of(text), &starts, offset, encoding);
    assert_int_equal(place.line, line);
    assert_int_equal(place.character, character);
    assert_int_equal(place_offset(str_of(text), &starts, place, encoding), offset);
    line_starts_release(&starts);
}

TEST(lines_and_characters_count_from_0)
{
    expect("", 0, ENCODING_UTF16, 0, 0);
    expect("abc", 2, ENCODING_UTF16, 0, 2);
    expect("abc\n", 4, ENCODING_UTF16, 1, 0);
    expect("a\nbc\n\nd", 3, ENCODING_UTF16, 1, 1);
    expect("a\nbc\n\nd", 5, ENCODING_UTF16, 2, 0);
    expect("a\nbc\n\nd", 7, ENCODING_UTF16, 3, 1);
    expect("a\r\nb\rc", 3, ENCODING_UTF16, 1, 0);
    expect("a\r\nb\rc", 5, ENCODING_UTF16, 2, 0);
}

/* a, e acute (2 bytes), euro (3), a face (4: two units of UTF-16), b. */
#define MIXED "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" "b"

TEST(an_encoding_says_how_far_a_character_counts)
{
    expect(MIXED, 10, ENCODING_UTF8, 0, 10);
    expect(MIXED, 10, ENCODING_UTF16, 0, 5);
    expect(MIXED, 10, ENCODING_UTF32, 0, 4);
    expect(MIXED, 6, ENCODING_UTF16, 0, 3);
    expect("x\n" MIXED, 5, ENCODING_UTF16, 1, 2);
}

TEST(bytes_that_are_no_character_count_one_each)
{
    expect("\xff\xfe" "a", 2, ENCODING_UTF16, 0, 2);
    expect("\xc3" "a", 1, ENCODING_UTF32, 0, 1);
}

TEST(a_place_that_is_not_there_is_the_nearest_one)
{
    struct line_starts starts = { 0 };
    struct str text = STR("ab\r\n" MIXED);

    line_starts_read(&starts, text);
    assert_int_equal(place_offset(text, &starts, (struct place){ 0, 99 }, ENCODING_UTF16), 2);
    assert_int_equal(place_offset(text, &starts, (struct place){ 9, 0 }, ENCODING_UTF16),
                     text.size);
    assert_int_equal(place_offset(text, &starts, (struct place){ UINT32_MAX, UINT32_MAX },
                                  ENCODING_UTF8), text.size);
    /* Between the two units of the face, and inside its bytes: where it begins. */
    assert_int_equal(place_offset(text, &starts, (struct place){ 1, 4 }, ENCODING_UTF16), 10);
    assert_int_equal(place_of(text, &starts, 12, ENCODING_UTF16).character, 3);
    /* The end of a line is where CR LF begins. */
    assert_int_equal(place_of(text, &starts, 3, ENCODING_UTF16).character, 2);
    line_starts_release(&starts);
}

TEST(encodings_have_the_names_of_the_protocol)
{
    enum encoding encoding = ENCODING_COUNT;

    for (uint32_t i = 0; i < ENCODING_COUNT; i++) {
        assert_true(encoding_from_word(str_of(encoding_word((enum encoding)i)), &encoding));
        assert_int_equal(encoding, i);
    }
    assert_false(encoding_from_word(STR("utf-7"), &encoding));
    assert_false(encoding_from_word((struct str){ NULL, 0 }, &encoding));
}

TEST(lines_of_hone_end_at_line_feeds_and_count_from_1)
{
    struct str text = STR("one\rtwo\nthree\r\n");
    size_t offset = 0;

    assert_true(offset_of_line(text, 1, 5, &offset));
    assert_int_equal(offset, 4);
    assert_true(offset_of_line(text, 2, 0, &offset));
    assert_int_equal(offset, 8);
    assert_true(offset_of_line(text, 2, 99, &offset));
    assert_int_equal(offset, 14);
    assert_false(offset_of_line(text, 3, 1, &offset));
    assert_false(offset_of_line(text, 0, 1, &offset));
    assert_false(offset_of_line((struct str){ NULL, 0 }, 1, 1, &offset));
    assert_true(offset_of_line(STR(""), 1, 1, &offset));
    assert_int_equal(offset, 0);
}

TEST(the_content_of_a_line_is_what_stands_between_its_blanks)
{
    struct str text = STR("\xef\xbb\xbf" "first \n\t second x \r\n   \nlast");

    assert_str(content_around(text, 5), "first");
    assert_str(content_around(text, 10), "second x");
    assert_str(content_around(text, 12), "second x");
    assert_str(content_around(text, 24), "");
    assert_str(content_around(text, 999), "last");
}
