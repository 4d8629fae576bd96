/* SPDX-License-Identifier: Apache-2.0
 *
 * test_safe.c - nothing that reaches a terminal can do more than be read.
 *
 * row: reviewer.escapes | escapes in what agents or files say move the cursor, hide or forge lines | shown by number, on terminals and in reports | `--raw` and files hold the bytes | `test_safe.c: controls_are_shown_by_number`, `findings.sh: what agents say is harmless` */
#include "format/text/safe.h"
#include "format/text/utf8.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_safe(struct str text, bool one_line, size_t bytes_max, const char *expected)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    buf_text(&out, "> ");
    safe_text(&out, text, one_line, bytes_max);
    assert_string_equal(buf_cstr(&out) + 2, expected);
    assert_int_equal(out.size, strlen(expected) + 2);
    assert_false(out.overflow);
    buf_release(&out);
}

TEST(plain_text_is_left_alone)
{
    assert_safe(STR(""), false, 0, "");
    assert_safe((struct str){ NULL, 0 }, true, 10, "");
    assert_safe(STR("plain ~ text\n\tindented\n"), false, 0, "plain ~ text\n\tindented\n");
    assert_safe(STR("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82 \xe6\xbc\xa2"), true, 0,
                "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82 \xe6\xbc\xa2");
    assert_safe(STR("back\\slash \\x1b"), false, 0, "back\\slash \\x1b");
    assert_safe(STR("\xe2\x9a\xa0\xef\xb8\x8f sign"), false, 0, "\xe2\x9a\xa0\xef\xb8\x8f sign");
}

TEST(controls_are_shown_by_number)
{
    assert_safe(STR("\x1b[2J\x1b]0;title\x07"), false, 0, "\\x1b[2J\\x1b]0;title\\x07");
    assert_safe(STR("a\0b"), false, 0, "a\\x00b");
    assert_safe(STR("ok\rforged"), false, 0, "ok\\x0dforged");
    assert_safe(STR("a\bb\x7f\v\f"), false, 0, "a\\x08b\\x7f\\x0b\\x0c");
    assert_safe(STR("\xc2\x9b" "31m\xc2\x85"), false, 0, "\\u{9b}31m\\u{85}");
}

TEST(line_ends_are_line_ends)
{
    assert_safe(STR("a\r\nb\n"), false, 0, "a\nb\n");
    assert_safe(STR("a\r\nb\n\tc"), true, 0, "a b  c");
    assert_safe(STR("a\rb\r"), true, 0, "a\\x0db\\x0d");
    assert_safe(STR("a\xe2\x80\xa8" "b"), true, 0, "a\\u{2028}b");
}

TEST(direction_and_hidden_characters_are_shown_by_number)
{
    assert_safe(STR("if \xe2\x80\xae\xe2\x81\xa6// x\xe2\x81\xa9"), false, 0,
                "if \\u{202e}\\u{2066}// x\\u{2069}");
    assert_safe(STR("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"), false, 0, "\\u{61c}\\u{200e}\\u{200f}");
    assert_safe(STR("a\xe2\x80\x8b" "b\xe2\x80\x8d" "c\xef\xbb\xbf" "d\xc2\xad"), false, 0,
                "a\\u{200b}b\\u{200d}c\\u{feff}d\\u{ad}");
    assert_safe(STR("\xf3\xa0\x81\x81\xf3\xa0\x84\x80"), false, 0, "\\u{e0041}\\u{e0100}");
}

TEST(bad_bytes_are_shown_by_number)
{
    assert_safe(STR("\xff\x80"), false, 0, "\\xff\\x80");
    assert_safe(STR("\xe2\x82"), false, 0, "\\xe2\\x82");
    assert_safe(STR("\xe2\x82\xe2\x82\xac"), false, 0, "\\xe2\\x82\xe2\x82\xac");
    assert_safe(STR("\xc0\x9b"), false, 0, "\\xc0\\x9b");
    assert_safe(STR("\xed\xa0\x80"), false, 0, "\\xed\\xa0\\x80");
}

TEST(what_is_too_long_is_cut_at_a_character)
{
    assert_safe(STR("12345678"), false, 8, "12345678");
    assert_safe(STR("123456789"), false, 8, "12345...");
    assert_safe(STR("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"), false, 9,
                "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac");
    assert_safe(STR("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"), false, 8, "\xe2\x82\xac...");
    assert_safe(STR("ab\x1b" "cd"), false, 8, "ab\\x1bcd");
    assert_safe(STR("ab\x1b" "cde"), false, 8, "ab...");
    assert_safe(STR("ab\xe2\x80\xae"), false, 9, "ab...");
    assert_safe(STR("ab\xe2\x80\xae"), false, 10, "ab\\u{202e}");
    assert_safe(STR("abcd"), false, 3, "...");
    assert_safe(STR("abcd"), false, 2, "..");
    assert_safe(STR("abcd"), false, 1, ".");
    assert_safe(STR("a"), false, 1, "a");
    assert_safe(STR("abc"), false, SIZE_MAX, "abc");
}

TEST(every_character_is_either_plain_or_shown)
{
    struct buf out;

    buf_init(&out, 1000);
    for (uint32_t code = 0; code < 0x10000; code++) {
        char text[4];
        char shown[16];
        struct str one;

        if (code < 0x80) {
            one = (struct str){ text, 1 };
            text[0] = (char)code;
        } else if (code < 0x800) {
            one = (struct str){ text, 2 };
            text[0] = (char)(0xc0 | code >> 6);
            text[1] = (char)(0x80 | (code & 0x3f));
        } else {
            one = (struct str){ text, 3 };
            text[0] = (char)(0xe0 | code >> 12);
            text[1] = (char)(0x80 | (code >> 6 & 0x3f));
            text[2] = (char)(0x80 | (code & 0x3f));
        }
        buf_clear(&out);
        safe_text(&out, one, false, 0);
        if (str_eq(buf_str(&out), one)) continue;
        if (code >= 0xd800 && code <= 0xdfff) continue;
        (void)snprintf(shown, sizeof shown, code < 0x80 ? "\\x%02x" : "\\u{%x}", (unsigned)code);
        assert_string_equal(buf_cstr(&out), shown);
    }
    buf_release(&out);
}

TEST(made_safe_twice_is_the_same)
{
    struct buf once, twice;

    for (size_t bytes_max = 0; bytes_max < 60; bytes_max++) {
        buf_init(&once, 1000);
        buf_init(&twice, 1000);
        safe_text(&once, STR("a\x1b[1m\t\xff\r\n\xe2\x80\xae \xe2\x82\xac and more of it"), false,
                  bytes_max);
        assert_true(bytes_max == 0 || once.size <= bytes_max);
        assert_int_equal(utf8_prefix(buf_str(&once)), once.size);
        safe_text(&twice, buf_str(&once), false, bytes_max);
        assert_true(str_eq(buf_str(&once), buf_str(&twice)));
        buf_release(&once);
        buf_release(&twice);
    }
}

TEST(a_buffer_that_is_full_says_so)
{
    struct buf out;

    buf_init(&out, 4);
    safe_text(&out, STR("ab\x1b" "cd"), false, 0);
    assert_true(out.overflow);
    assert_string_equal(buf_cstr(&out), "ab");
    buf_release(&out);
}

TEST(a_copy_that_is_too_long_is_cut_and_not_lost)
{
    struct arena arena = { 0 };

    assert_string_equal(safe_copy(&arena, STR("0123456789"), 10), "0123456789");
    assert_string_equal(safe_copy(&arena, STR("0123456789a"), 10), "0123456...");
    assert_string_equal(safe_copy(&arena, STR("01234\t678 and much more than fits"), 10),
                        "01234 6...");
    arena_release(&arena);
}
