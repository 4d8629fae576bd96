/* SPDX-License-Identifier: Apache-2.0
 *
 * test_json_edit.c - one place of a JSON text changed: it looks like what stands around it, every
 * other byte stays, and taking out what was put in gives the old text. */
#include "format/json/json_edit.h"

#include "base/arena.h"
#include "format/json/json.h"

#include "shared/prng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct buf out;

static int begin(void **state)
{
    (void)state;
    buf_init(&out, 1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    buf_release(&out);
    return 0;
}

static const struct json_step steps_ab[] = { { .key = "a" }, { .key = "b" } };
static const struct json_path path_ab = { steps_ab, 2 }, path_a = { steps_ab, 1 };

static void expect_set(const char *text, struct json_path path, const char *value,
                       const char *wanted)
{
    buf_clear(&out);
    assert_true(json_edit_set(str_of(text), path, str_of(value), &out));
    assert_string_equal(buf_cstr(&out), wanted);
}

static void expect_drop(const char *text, struct json_path path, const char *wanted)
{
    buf_clear(&out);
    assert_true(json_edit_drop(str_of(text), path, &out));
    assert_string_equal(buf_cstr(&out), wanted);
}

TEST_WITH(a_member_is_added_in_the_look_of_its_object, begin, end)
{
    expect_set("{}", path_a, "1", "{\n  \"a\": 1\n}");
    expect_set("{}\n", path_ab, "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
    expect_set("{ }", path_a, "1", "{ \"a\":1 }");
    expect_set("{\"x\":1}", path_ab, "[1, 2]", "{\"x\":1,\"a\":{\"b\":[1,2]}}");
    expect_set("{\n\t\"x\": 1\n}\n", path_ab, "{\"c\":1}",
               "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"b\": {\n\t\t\t\"c\": 1\n\t\t}\n\t}\n}\n");
    expect_set("{\r\n  \"x\": 1\r\n}\r\n", path_a, "{\"c\":1}",
               "{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"c\": 1\r\n  }\r\n}\r\n");
    expect_set("{\n  \"a\": {\n    \"z\": \"}]\\\"\"\n  }\n}", path_ab, "true",
               "{\n  \"a\": {\n    \"z\": \"}]\\\"\",\n    \"b\": true\n  }\n}");
}

TEST_WITH(a_member_that_is_there_is_replaced_in_its_place, begin, end)
{
    expect_set("{ \"a\" : { \"b\" : [ 1 , 2 ] , \"c\":3 } }", path_ab, "true",
               "{ \"a\" : { \"b\" : true , \"c\":3 } }");
    expect_set("{\"a\":1}", path_a, "\"x\"", "{\"a\":\"x\"}");
}

TEST_WITH(what_is_in_the_way_is_never_replaced, begin, end)
{
    assert_false(json_edit_set(STR("{\"a\":[]}"), path_ab, STR("1"), &out));
    assert_false(json_edit_set(STR("{\"a\":1}"), path_ab, STR("1"), &out));
    assert_false(json_edit_set(STR("[]"), path_a, STR("1"), &out));
    assert_false(json_edit_add(STR("{\"a\":{}}"), path_a, STR("1"), &out));
    assert_int_equal(out.size, 0);
}

TEST_WITH(an_element_is_added_at_the_end, begin, end)
{
    assert_true(json_edit_add(STR("{\"a\":[1]}"), path_a, STR("{\"b\": 2}"), &out));
    assert_string_equal(buf_cstr(&out), "{\"a\":[1,{\"b\":2}]}");
    buf_clear(&out);
    assert_true(json_edit_add(STR("{}"), path_ab, STR("2"), &out));
    assert_string_equal(buf_cstr(&out), "{\n  \"a\": {\n    \"b\": [\n      2\n    ]\n  }\n}");
}

TEST_WITH(what_is_taken_out_leaves_no_comma, begin, end)
{
    struct json_step steps[] = { { .key = "a" }, { .index = 1 } };

    expect_drop("{\"a\":1,\"x\":2}", path_a, "{\"x\":2}");
    expect_drop("{\"x\":2 , \"a\":1 }", path_a, "{\"x\":2 }");
    expect_drop("{\"a\":[1, 2 ,3]}", (struct json_path){ steps, 2 }, "{\"a\":[1 ,3]}");
    assert_false(json_edit_drop(STR("{\"a\":[1]}"), (struct json_path){ steps, 2 }, &out));
    assert_false(json_edit_drop(STR("{}"), path_a, &out));
    assert_false(json_edit_drop(STR("{}"), (struct json_path){ steps, 0 }, &out));
}

TEST_WITH(what_becomes_empty_goes_too, begin, end)
{
    expect_drop("{\n  \"x\": 1,\n  \"a\": {\n    \"b\": 1\n  }\n}\n", path_ab,
                "{\n  \"x\": 1\n}\n");
    expect_drop("{\"a\": {\"b\": 1}}\n", path_ab, "{}\n");
}

/* ---- the law ---- */

static void put_blanks(struct prng *prng, struct buf *text)
{
    static const char *const blanks[] = { "", "", " ", "\n", "\n  ", "\t", "\r\n    ", "\n\t\t" };

    buf_text(text, blanks[prng_below(prng, COUNT(blanks))]);
}

static void put_random(struct prng *prng, uint32_t depth, struct buf *text)
{
    static const char *const plain[] = { "1", "-2.5e3", "true", "null", "\"\"", "\"a,}]\\\"\\\\\"",
                                         "\"\\u00e9\"" };
    uint32_t kind = depth > 3 ? 2 : prng_below(prng, 4), count = prng_below(prng, 4);

    if (kind > 1) {
        buf_text(text, plain[prng_below(prng, COUNT(plain))]);
        return;
    }
    buf_byte(text, kind ? '[' : '{');
    put_blanks(prng, text);
    for (uint32_t i = 0; i < count; i++) {
        if (i) buf_byte(text, ',');
        if (i) put_blanks(prng, text);
        if (!kind) buf_printf(text, "\"k%u\"", (unsigned)(i + 10 * prng_below(prng, 9)));
        if (!kind) put_blanks(prng, text);
        if (!kind) buf_byte(text, ':');
        if (!kind) put_blanks(prng, text);
        put_random(prng, depth + 1, text);
        put_blanks(prng, text);
    }
    buf_byte(text, kind ? ']' : '}');
}

TEST_WITH(taking_out_what_was_put_in_gives_the_old_text, begin, end)
{
    struct prng prng = { .state = 7 };
    uint32_t tried = 0;

    for (uint32_t n = 0; n < 20000; n++) {
        struct buf text, changed;
        yyjson_doc *doc;
        struct err err;
        buf_init(&text, 1 << 20);
        buf_init(&changed, 1 << 20);
        put_blanks(&prng, &text);
        put_random(&prng, 0, &text);
        put_blanks(&prng, &text);
        buf_clear(&out);
        assert_int_equal(json_read(buf_str(&text), &doc, &err), 0);
        if (json_edit_set(buf_str(&text), path_ab, STR("{\"x\":[1,{}]}"), &changed)) {
            struct str value;
            yyjson_doc_free(doc);
            assert_int_equal(json_read(buf_str(&changed), &doc, &err), 0);
            assert_true(json_edit_find(buf_str(&changed), path_ab, &value));
            assert_true(json_edit_drop(buf_str(&changed), path_ab, &out));
            assert_string_equal(buf_cstr(&out), buf_cstr(&text));
            tried++;
        }
        yyjson_doc_free(doc);
        buf_release(&text);
        buf_release(&changed);
    }
    assert_true(tried > 2000);
}
