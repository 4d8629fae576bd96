/* SPDX-License-Identifier: Apache-2.0
 *
 * test_schema_check.c - what fits a schema, and what is said about what does not. */
#include "serve/schema_check.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static void expect(const char *schema, const char *value, const char *problems)
{
    yyjson_doc *first, *second = NULL;
    struct err err;
    struct buf out;

    buf_init(&out, 4096);
    assert_int_equal(json_read(str_of(schema), &first, &err), 0);
    if (value) assert_int_equal(json_read(str_of(value), &second, &err), 0);
    schema_check(yyjson_doc_get_root(first), yyjson_doc_get_root(second), &out);
    assert_string_equal(buf_cstr(&out), problems);
    buf_release(&out);
    yyjson_doc_free(first);
    yyjson_doc_free(second);
}

TEST(types_are_looked_at)
{
    static const struct {
        const char *type, *good, *bad, *found;
    } rows[] = {
        { "string", "\"\"", "1", "number" },      { "boolean", "false", "0", "number" },
        { "integer", "7", "7.5", "number" },      { "integer", "7.0", "\"7\"", "string" },
        { "integer", "-3", "1e300", "number" },   { "number", "7.5", "\"7\"", "string" },
        { "array", "[]", "{}", "object" },        { "object", "{}", "[]", "array" },
        { "null", "null", "false", "boolean" },   { "string", "\"x\"", "null", "null" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char schema[64], problem[128];

        snprintf(schema, sizeof schema, "{\"type\":\"%s\"}", rows[i].type);
        snprintf(problem, sizeof problem, "- the object must be of type %s, not %s\n",
                 rows[i].type, rows[i].found);
        expect(schema, rows[i].good, "");
        expect(schema, rows[i].bad, problem);
    }
}

TEST(members_that_must_be_there_are_missed_by_name)
{
    const char *schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
                         "\"required\":[\"a\",\"b\"]}";

    expect(schema, "{\"a\":\"\",\"b\":null}", "");
    expect(schema, "{\"b\":1}", "- the object must have \"a\", of type string\n");
    expect(schema, "{}", "- the object must have \"a\", of type string\n"
           "- the object must have \"b\"\n");
    expect(schema, NULL, "- the object must have \"a\", of type string\n"
           "- the object must have \"b\"\n");
}

TEST(other_members_are_refused_where_the_schema_says_so)
{
    expect("{\"type\":\"object\"}", "{\"x\":1}", "");
    expect("{\"type\":\"object\",\"additionalProperties\":false}", "{\"x\\u001b\":1}",
           "- the object has no member \"x\\x1b\"\n");
    expect("{\"type\":\"object\"}", "{\"x\":1,\"x\":2}", "- the object has a member twice\n");
}

TEST(a_problem_says_where_it_is)
{
    const char *schema =
        "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"object\",\"properties\":{\"line\":{\"type\":\"number\"}},\"required\":[\"line\"]}}}}";

    expect(schema, "{\"list\":[{\"line\":1},{\"line\":2}]}", "");
    expect(schema, "{\"list\":[{\"line\":1},{\"line\":\"2\"},7,{}]}",
           "- list[1].line must be of type number, not string\n"
           "- list[2] must be of type object, not number\n"
           "- list[3] must have \"line\", of type number\n");
}

TEST(bounds_and_words_are_looked_at)
{
    expect("{\"minimum\":1,\"maximum\":5}", "1", "");
    expect("{\"minimum\":1,\"maximum\":5}", "5", "");
    expect("{\"minimum\":1,\"maximum\":5}", "0.5", "- the object must be at least 1\n");
    expect("{\"minimum\":1,\"maximum\":5}", "6", "- the object must be at most 5\n");
    expect("{\"minLength\":1,\"maxLength\":3}", "\"abc\"", "");
    expect("{\"minLength\":1}", "\"\"", "- the object must not be empty\n");
    expect("{\"maxLength\":3}", "\"abcd\"", "- the object must have at most 3 bytes\n");
    expect("{\"maxItems\":1}", "[1]", "");
    expect("{\"maxItems\":1}", "[1,2]", "- the object must have at most 1 elements\n");
    expect("{\"enum\":[\"a\",\"b\"]}", "\"b\"", "");
    expect("{\"enum\":[\"a\",\"b\"]}", "\"c\"", "- the object must be one of: a, b\n");
}

TEST(only_some_problems_are_told)
{
    char value[4096] = "[";
    struct str rest;
    yyjson_doc *schema, *list;
    struct err err;
    struct buf out;
    uint32_t lines = 0;
    struct str line;

    for (int i = 0; i < 100; i++) {
        size_t used = strlen(value);
        snprintf(value + used, sizeof value - used, "%s1", i ? "," : "");
    }
    snprintf(value + strlen(value), sizeof value - strlen(value), "]");
    buf_init(&out, 4096);
    assert_int_equal(json_read(STR("{\"items\":{\"type\":\"string\"}}"), &schema, &err), 0);
    assert_int_equal(json_read(str_of(value), &list, &err), 0);
    schema_check(yyjson_doc_get_root(schema), yyjson_doc_get_root(list), &out);
    rest = buf_str(&out);
    while (str_cut(&rest, '\n', &line)) lines++;
    assert_int_equal(lines, SCHEMA_PROBLEMS_MAX);
    yyjson_doc_free(schema);
    yyjson_doc_free(list);
    buf_release(&out);
}
