/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json/json_walk.h"

#include "test.h"

#include <string.h>

TEST(a_member_is_found_in_its_line)
{
    static const struct { const char *text, *key; uint32_t line; } rows[] = {
        { "{\"a\":1}", "a", 1 },
        { "{\"a\":1,\n\"b\":2}", "b", 2 },
        { "\n\n{\n\"a\"\n:\n1}", "a", 6 },
        { "{\"x\":{\"a\":1},\n\"a\":2}", "a", 2 },
        { "{\"x\":[\"a\",{\"a\":[\n]}],\"a\":2}", "a", 2 },
        { "{\"x\":\"}\\\"\\\\\",\n\"a\":2}", "a", 2 },
        { "{\"x\":\"a\",\"y\":null,\"a\":-1.5e3}", "a", 1 },
        { "{\"a\":1}", "b", 0 },
        { "{}", "a", 0 },
        { "[\"a\",1]", "a", 0 },
        { "7", "a", 0 },
        { "", "a", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_walk walk = json_walk_start(str_of(rows[i].text));
        uint32_t line = json_walk_member(walk, rows[i].key, NULL);

        if (line != rows[i].line) fail_msg("row %zu: line %u", i, (unsigned)line);
    }
}

TEST(elements_are_walked_one_by_one)
{
    static const char text[] = "[1,\n\"x,]\",\n{\"a\":[1,2]\n},\n[ ] , true\n]";
    static const uint32_t lines[] = { 1, 2, 3, 5, 5 };
    struct json_walk walk = json_walk_start(str_of(text));
    size_t count = 0;

    assert_true(json_walk_enter(&walk));
    while (json_walk_next(&walk, NULL)) {
        assert_true(count < 5);
        assert_int_equal(walk.line, lines[count++]);
        json_walk_skip(&walk);
    }
    assert_int_equal(count, 5);
    assert_int_equal(walk.rest.size, 0);
}

TEST(what_is_inside_can_be_entered)
{
    struct json_walk walk = json_walk_start(STR("{\"a\":{\"b\":[10,\n20]},\"c\":3}"));
    struct str key;

    assert_true(json_walk_enter(&walk));
    assert_true(json_walk_next(&walk, &key));
    assert_true(str_is(key, "a"));
    assert_true(json_walk_enter(&walk));
    assert_true(json_walk_next(&walk, &key));
    assert_true(str_is(key, "b"));
    assert_true(json_walk_enter(&walk));
    while (json_walk_next(&walk, &key)) {
        assert_int_equal(key.size, 0);
        json_walk_skip(&walk);
    }
    assert_false(json_walk_next(&walk, &key));
    assert_true(json_walk_next(&walk, &key));
    assert_true(str_is(key, "c"));
    assert_int_equal(walk.line, 2);
}

/* Not JSON at all: the walk may say anything, but it ends and stays inside. */
TEST(any_bytes_are_walked_to_an_end)
{
    static const char alphabet[] = "{}[]\",:\\1 \n";
    enum { KINDS = sizeof alphabet - 1, LENGTH = 5 };

    for (uint32_t n = 0; n < KINDS * KINDS * KINDS * KINDS * KINDS; n++) {
        char text[LENGTH];
        struct json_walk walk;
        uint32_t rest = n, steps = 0;

        for (int i = 0; i < LENGTH; i++, rest /= KINDS) text[i] = alphabet[rest % KINDS];
        walk = json_walk_start((struct str){ text, LENGTH });
        json_walk_member(walk, "1", NULL);
        json_walk_enter(&walk);
        while (json_walk_next(&walk, NULL)) {
            json_walk_skip(&walk);
            assert_true(++steps < 20);
        }
    }
}
