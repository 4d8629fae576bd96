/* SPDX-License-Identifier: Apache-2.0
 *
 * test_json.c - JSON by our rules: strict, of bounded depth, with lines in errors, and only valid
 * UTF-8 going out. The characters themselves (utf8.c) are tried here too. */
#include "base/err.h"
#include "format/json/json.h"
#include "format/text/utf8.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static yyjson_doc *read_good(struct str text)
{
    struct err err;
    yyjson_doc *doc;

    assert_int_equal(json_read(text, &doc, &err), 0);
    assert_non_null(doc);
    return doc;
}

/* The error that text gives. */
static const char *read_bad(struct str text)
{
    static struct err err;
    yyjson_doc *doc = (yyjson_doc *)&err;

    assert_int_equal(json_read(text, &doc, &err), ERR_FORMAT);
    assert_int_equal(err.code, ERR_FORMAT);
    assert_null(doc);
    return err.text;
}

TEST(good_texts_are_read)
{
    static const char *const texts[] = {
        "{}", "[]", "1", "\"\"", "null", " \n\t{ \"a\" : [ 1 , 2 ] }\r\n", "-0.5e-3", "\"\\u0000\"",
    };

    for (size_t i = 0; i < COUNT(texts); i++) yyjson_doc_free(read_good(str_of(texts[i])));
}

TEST(what_is_not_json_is_refused_with_its_line)
{
    static const struct {
        struct str text;
        const char *line;
    } cases[] = {
        { STR(""), "line 1: " },
        { STR(" \n \t"), "line 1: there is no JSON here" },
        { STR("{"), "line 1: " },
        { STR("{\n\"a\": 1,\n\"b\": oops\n}"), "line 3: " },
        { STR("{\"a\": 1,}"), "line 1: " },
        { STR("[1,\n2,\n]"), "line 2: " },
        { STR("{} {}"), "line 1: " },
        { STR("{}\n\n\nx"), "line 4: " },
        { STR("// comment\n{}"), "line 1: " },
        { STR("{\"a\": /* c */ 1}"), "line 1: " },
        { STR("{'a': 1}"), "line 1: " },
        { STR("NaN"), "line 1: " },
        { STR("[1e999]"), "line 1: " },
        { STR("[01]"), "line 1: " },
        { STR("\"\xff\""), "line 1: " },
        { STR("\"\xc0\xaf\""), "line 1: " },
        { STR("\"\xed\xa0\x80\""), "line 1: " },
        { STR("\"\\ud800\""), "line 1: " },
        { STR("\"a\nb\""), "line 1: " },
        { STR("\xef\xbb\xbf{}"), "line 1: " },
        { STR("{}\0{}"), "line 1: " },
    };

    assert_non_null(strstr(read_bad((struct str){ NULL, 0 }), "line 1: "));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = read_bad(cases[i].text);
        if (strncmp(text, cases[i].line, strlen(cases[i].line)) != 0) {
            fail_msg("case %zu: %s", i, text);
        }
    }
}

/* levels times open, middle, then the same number of times close. */
static struct buf nested(size_t levels, const char *open, const char *middle, const char *close)
{
    struct buf text;

    buf_init(&text, SIZE_MAX / 4);
    for (size_t i = 0; i < levels; i++) buf_text(&text, open);
    buf_text(&text, middle);
    for (size_t i = 0; i < levels; i++) buf_text(&text, close);
    return text;
}

TEST(depth_is_bounded_exactly)
{
    struct buf text;

    text = nested(JSON_DEPTH_MAX, "[", "", "]");
    yyjson_doc_free(read_good(buf_str(&text)));
    buf_release(&text);

    text = nested(JSON_DEPTH_MAX + 1, "[\n", "", "]");
    assert_string_equal(read_bad(buf_str(&text)), "line 65: nested deeper than 64 levels");
    buf_release(&text);

    text = nested(JSON_DEPTH_MAX / 2, "[{\"a\\\"[[\":", "1", "}]");
    yyjson_doc_free(read_good(buf_str(&text)));
    buf_release(&text);

    text = nested(JSON_DEPTH_MAX / 2, "[{\"a\\\"[[\":", "{\"\\\"[[[[[[\":\n[]}", "}]");
    assert_string_equal(read_bad(buf_str(&text)), "line 1: nested deeper than 64 levels");
    buf_release(&text);

    text = nested(JSON_DEPTH_MAX / 2 - 1, "[{\"a\":", "[\"\\\"[[[[[[\",\n[[]]]", "}]");
    assert_string_equal(read_bad(buf_str(&text)), "line 2: nested deeper than 64 levels");
    buf_release(&text);

    /* Many values side by side are not deep. */
    text = nested(1000, "", "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                  "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                  "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]", "");
    yyjson_doc_free(read_good(buf_str(&text)));
    buf_release(&text);
}

TEST(a_million_levels_do_no_harm)
{
    struct buf text = nested(1000000, "[", "", "]");

    assert_non_null(strstr(read_bad(buf_str(&text)), "deeper"));
    buf_release(&text);
}

TEST(brackets_inside_strings_have_no_depth)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "[\"\\\\\", \"\\\"[[[[");
    for (int i = 0; i < 100; i++) buf_text(&text, "[{");
    buf_text(&text, "\"");
    for (int i = 0; i < 100; i++) buf_text(&text, ", {\"[\": []}");
    buf_text(&text, "]");
    yyjson_doc_free(read_good(buf_str(&text)));
    buf_release(&text);
}

TEST(duplicates_are_seen_however_they_are_written)
{
    static const struct {
        const char *text;
        bool duplicates;
    } cases[] = {
        { "{}", false },
        { "{\"a\":1}", false },
        { "{\"a\":1,\"b\":2,\"A\":3,\"\":4}", false },
        { "{\"a\":1,\"b\":2,\"a\":3}", true },
        { "{\"a\":1,\"\\u0061\":2}", true },
        { "{\"a\":1,\"a\\u0000\":2}", false },
        { "{\"\":1,\"\":2}", true },
        { "{\"a\":{\"b\":1,\"b\":2}}", false },
        { "[1,1]", false },
        { "1", false },
    };

    assert_false(json_has_duplicates(NULL));
    for (size_t i = 0; i < COUNT(cases); i++) {
        yyjson_doc *doc = read_good(str_of(cases[i].text));
        assert_int_equal(json_has_duplicates(yyjson_doc_get_root(doc)), cases[i].duplicates);
        yyjson_doc_free(doc);
    }
}

TEST(of_duplicates_the_first_is_taken)
{
    yyjson_doc *doc = read_good(STR("{\"a\":\"x\",\"a\":\"y\",\"n\":1,\"n\":2}"));
    yyjson_val *root = yyjson_doc_get_root(doc);
    uint64_t number = 0;

    assert_true(str_is(json_str(root, "a"), "x"));
    assert_true(json_uint(root, "n", &number));
    assert_int_equal(number, 1);
    yyjson_doc_free(doc);
}

TEST(json_str_is_null_for_anything_else)
{
    yyjson_doc *doc = read_good(
        STR("{\"s\":\"a\\u0000b\",\"e\":\"\",\"n\":1,\"z\":null,\"l\":[]}"));
    yyjson_val *root = yyjson_doc_get_root(doc);

    assert_true(str_eq(json_str(root, "s"), STR("a\0b")));
    assert_non_null(json_str(root, "e").data);
    assert_int_equal(json_str(root, "e").size, 0);
    assert_null(json_str(root, "n").data);
    assert_int_equal(json_str(root, "n").size, 0);
    assert_null(json_str(root, "z").data);
    assert_null(json_str(root, "l").data);
    assert_int_equal(json_str(root, "l").size, 0);
    assert_null(json_str(root, "missing").data);
    assert_null(json_str(yyjson_obj_get(root, "s"), "s").data);
    assert_null(json_str(NULL, "s").data);
    yyjson_doc_free(doc);
}

TEST(json_uint_takes_whole_numbers_only)
{
    static const char *const bad[] = {
        "-1", "1.5", "1.0", "1e3", "\"1\"", "null", "true", "[]", "18446744073709551616",
    };
    uint64_t number = 7;

    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[64];
        yyjson_doc *doc;

        snprintf(text, sizeof text, "{\"n\":%s}", bad[i]);
        doc = read_good(str_of(text));
        assert_false(json_uint(yyjson_doc_get_root(doc), "n", &number));
        assert_false(json_uint(yyjson_doc_get_root(doc), "m", &number));
        assert_int_equal(number, 7);
        yyjson_doc_free(doc);
    }
    assert_false(json_uint(NULL, "n", &number));
    {
        yyjson_doc *doc = read_good(STR("{\"n\":18446744073709551615,\"z\":0}"));
        assert_true(json_uint(yyjson_doc_get_root(doc), "n", &number));
        assert_true(number == UINT64_MAX);
        assert_true(json_uint(yyjson_doc_get_root(doc), "z", &number));
        assert_true(number == 0);
        yyjson_doc_free(doc);
    }
}

/* What bytes become when they are written as a JSON text. */
static void assert_text(struct str bytes, const char *expected)
{
    yyjson_mut_doc *doc = json_new();
    struct buf out;

    buf_init(&out, 1 << 20);
    yyjson_mut_doc_set_root(doc, json_text(doc, bytes));
    json_write(doc, false, &out);
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

TEST(json_text_is_always_utf8)
{
    assert_text((struct str){ NULL, 0 }, "\"\"");
    assert_text(STR("plain"), "\"plain\"");
    assert_text(STR("\"\\\n\x1b\0"), "\"\\\"\\\\\\n\\u001B\\u0000\"");
    assert_text(STR("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82"),
                "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82\"");
    assert_text(STR("a\xff" "b"), "\"a\xef\xbf\xbd" "b\"");
    assert_text(STR("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    assert_text(STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    assert_text(STR("long enough to be looked at eight bytes at once \x80 and behind it"),
                "\"long enough to be looked at eight bytes at once \xef\xbf\xbd and behind it\"");
}

TEST(json_text_copies_the_bytes)
{
    char bytes[] = "before";
    yyjson_mut_doc *doc = json_new();
    struct buf out;

    yyjson_mut_doc_set_root(doc, json_text(doc, str_of(bytes)));
    memset(bytes, 'x', strlen(bytes));
    buf_init(&out, 100);
    json_write(doc, false, &out);
    assert_string_equal(buf_cstr(&out), "\"before\"");
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

TEST(json_write_appends_in_one_line_or_indented)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    struct buf out;

    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_add_uint(doc, root, "a", UINT64_MAX);
    yyjson_mut_arr_add_bool(doc, yyjson_mut_obj_add_arr(doc, root, "l"), true);
    buf_init(&out, 1000);
    buf_text(&out, "> ");
    json_write(doc, false, &out);
    assert_string_equal(buf_cstr(&out), "> {\"a\":18446744073709551615,\"l\":[true]}");
    buf_clear(&out);
    json_write(doc, true, &out);
    assert_string_equal(buf_cstr(&out),
                        "{\n  \"a\": 18446744073709551615,\n  \"l\": [\n    true\n  ]\n}\n");
    buf_release(&out);

    buf_init(&out, 3);
    json_write(doc, false, &out);
    assert_true(out.overflow);
    assert_int_equal(out.size, 0);
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

/* Writes a number as UTF-8 the plain way, surrogates and all. */
static size_t encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

TEST(json_write_holds_no_command_of_a_log)
{
    static const char text[] = "##[add-mask]x ###[#[##";
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    yyjson_doc *back;
    struct err err;
    struct buf out;

    buf_init(&out, 4096);
    yyjson_mut_arr_append(list, json_text(doc, str_of(text)));
    yyjson_mut_arr_append(list, yyjson_mut_arr(doc));
    yyjson_mut_doc_set_root(doc, list);
    json_write(doc, false, &out);
    assert_string_equal(buf_cstr(&out), "[\"##\\u005badd-mask]x ###\\u005b#[##\",[]]");
    assert_int_equal(json_read(buf_str(&out), &back, &err), 0);
    assert_string_equal(yyjson_get_str(yyjson_arr_get_first(yyjson_doc_get_root(back))), text);
    yyjson_doc_free(back);
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

TEST(json_write_holds_nothing_that_a_terminal_obeys)
{
    static const char text[] = "\x1b]0;x\x07 \x7f \xc2\x80\xc2\x9f\xc2\xa0 \xe2\x80\xae"
                               "\xe2\x80\xaf \xe2\x81\xa6\xd8\x9c \xf0\x9f\x98\x80";
    yyjson_mut_doc *doc = json_new();
    yyjson_doc *back;
    struct err err;
    struct buf out;

    buf_init(&out, 4096);
    yyjson_mut_doc_set_root(doc, json_text(doc, str_of(text)));
    json_write(doc, false, &out);
    assert_string_equal(buf_cstr(&out),
                        "\"\\u001B]0;x\\u0007 \\u007f \\u0080\\u009f\xc2\xa0 \\u202e"
                        "\xe2\x80\xaf "
                        "\\u2066\\u061c \xf0\x9f\x98\x80\"");
    assert_int_equal(json_read(buf_str(&out), &back, &err), 0);
    assert_string_equal(yyjson_get_str(yyjson_doc_get_root(back)), text);
    yyjson_doc_free(back);
    yyjson_mut_doc_free(doc);
    buf_release(&out);
}

TEST(every_character_is_known_and_nothing_else)
{
    for (uint32_t code = 0; code < 0x120000; code++) {
        char bytes[4];
        struct str text = { bytes, encode(code, bytes) };
        bool good = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        uint32_t found = 0;
        size_t size = utf8_next(text, &found);

        if (size != (good ? text.size : 0) || (good && found != code)) {
            fail_msg("U+%X: %zu bytes, U+%X", (unsigned)code, size, (unsigned)found);
        }
        text.size--;
        if (text.size && utf8_next(text, &found) != 0) fail_msg("U+%X cut", (unsigned)code);
    }
}

TEST(forms_that_are_too_long_are_no_characters)
{
    static const struct str bad[] = {
        STR("\x80"), STR("\xbf"), STR("\xc0\x80"), STR("\xc1\xbf"), STR("\xe0\x9f\xbf"),
        STR("\xf0\x8f\xbf\xbf"), STR("\xf8\x88\x80\x80\x80"), STR("\xfe"), STR("\xff"),
        STR("\xc3("), STR("\xe2\x28\xa1"), STR("\xe2\x82("), STR(""),
    };
    uint32_t code;

    for (size_t i = 0; i < COUNT(bad); i++) assert_int_equal(utf8_next(bad[i], &code), 0);
    assert_int_equal(utf8_prefix(STR("0123456789\xc3\xa4\xc3")), 12);
    assert_int_equal(utf8_prefix(STR("0123456\xff")), 7);
    assert_int_equal(utf8_prefix(STR("")), 0);
}

TEST(what_is_written_is_valid_though_a_text_in_it_is_not)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *object = json_object(doc);
    struct buf out;

    yyjson_mut_obj_add_str(doc, object, "id", "a\xff\x1b[31m\xc2\x9b");
    yyjson_mut_obj_add_real(doc, object, "no", 1e308 * 10);
    buf_init(&out, 4096);
    json_write(doc, false, &out);
    assert_string_equal(buf_cstr(&out),
                        "{\"id\":\"a\xef\xbf\xbd\\u001B[31m\\u009b\",\"no\":null}");
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}
