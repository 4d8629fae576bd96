/* SPDX-License-Identifier: Apache-2.0
 *
 * Schemas of answers: valid JSON, strict all the way down, and such that the dialect's own example
 * has the members they ask for. */
#include "dialect/loops/loops.h"
#include "dialect/review/review.h"

#include "format/json/json.h"

#include "test.h"

#include <string.h>

/* Every object requires each of its members and allows no others: what strict services want. */
static void assert_strict(yyjson_val *schema)
{
    yyjson_val *properties = yyjson_obj_get(schema, "properties");
    yyjson_val *items = yyjson_obj_get(schema, "items");
    yyjson_val *required = yyjson_obj_get(schema, "required");
    yyjson_obj_iter members;
    yyjson_val *key;

    assert_true(yyjson_is_obj(schema));
    if (items) assert_strict(items);
    if (!properties) return;
    assert_true(yyjson_is_false(yyjson_obj_get(schema, "additionalProperties")));
    assert_int_equal(yyjson_arr_size(required), yyjson_obj_size(properties));
    members = yyjson_obj_iter_with(properties);
    while ((key = yyjson_obj_iter_next(&members))) {
        bool found = false;
        size_t at, count;
        yyjson_val *name;

        yyjson_arr_foreach(required, at, count, name) {
            found = found || strcmp(yyjson_get_str(name), yyjson_get_str(key)) == 0;
        }
        assert_true(found);
        assert_strict(yyjson_obj_iter_get_val(key));
    }
}

static void expect_schema(const char *text)
{
    yyjson_doc *doc;
    struct err err;

    assert_non_null(text);
    assert_int_equal(json_read(str_of(text), &doc, &err), 0);
    assert_strict(yyjson_doc_get_root(doc));
    yyjson_doc_free(doc);
}

TEST(reviewers_of_review_have_one)
{
    static const char *const roles[] = { "critic", "pedant", "witness", "security-reviewer",
                                         "silent-failure-hunter", "checker", "one-of-my-own" };

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        expect_schema(review_schema(roles[i]));
    }
    assert_null(review_schema("review-fixer"));
    assert_non_null(strstr(review_schema("witness"), "verification_method"));
    assert_null(strstr(review_schema("critic"), "verification_method"));
}

TEST(everybody_in_loops_but_the_builder_has_one)
{
    static const char *const roles[] = { "enumerator", "planner", "reviser", "loop-reviewer",
                                         "run-reviewer" };

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) expect_schema(loops_schema(roles[i]));
    assert_null(loops_schema("builder"));
}
