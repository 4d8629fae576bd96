/* SPDX-License-Identifier: Apache-2.0
 *
 * test_flat_config.c - `key: value` lines, with comments, quotes and blocks. */
#include "base/buf.h"
#include "format/json/flat_config.h"

#include "test.h"

#include <string.h>

TESTS_ARENA
static struct flat_config config;

static void value_is(const char *key, const char *wanted, uint32_t line)
{
    const struct flat_value *value = flat_config_find(&config, key);

    assert_non_null(value);
    if (!str_is(value->text, wanted)) {
        fail_msg("%s: got '%.*s', wanted '%s'", key, STR_ARG(value->text), wanted);
    }
    assert_int_equal(value->line, line);
}

TEST_WITH(a_line_is_a_key_and_a_value, NULL, release)
{
    flat_config_read(STR("\xef\xbb\xbf# Settings\n---\na: 1\r\n  b :two words  \n\nc:\n```\n"
                         "d: x:y#z\n"), &arena, &config);
    assert_int_equal(config.problem_count, 0);
    assert_int_equal(config.count, 4);
    value_is("a", "1", 3);
    value_is("b", "two words", 4);
    value_is("c", "", 6);
    value_is("d", "x:y#z", 8);
    assert_null(flat_config_find(&config, "e"));
}

TEST_WITH(a_comment_may_follow_a_value_but_not_in_quotes, NULL, release)
{
    flat_config_read(STR("a: 1 # one\nb: \"x # y\" # z\nc: '# it''s'\nd: # nothing\n"
                         "e: \"\\\"\\\\\\n\\t\"\n"), &arena, &config);
    assert_int_equal(config.problem_count, 0);
    value_is("a", "1", 1);
    value_is("b", "x # y", 2);
    value_is("c", "# it's", 3);
    value_is("d", "", 4);
    value_is("e", "\"\\\n\t", 5);
}

TEST_WITH(a_block_is_its_lines_without_their_indentation, NULL, release)
{
    flat_config_read(STR("a: | # text\n\n    one: 1\n      two # no comment\n\n  three  \n\n\n"
                         "b: |\nc: |-\n\tx\nd: 1"), &arena, &config);
    assert_int_equal(config.problem_count, 0);
    value_is("a", "one: 1\n  two # no comment\n\nthree", 1);
    value_is("b", "", 9);
    value_is("c", "x", 10);
    value_is("d", "1", 12);
}

TEST_WITH(of_a_key_that_comes_twice_the_last_one_counts, NULL, release)
{
    flat_config_read(STR("a: 1\nb: 2\na: 3\n"), &arena, &config);
    value_is("a", "3", 3);
    assert_true(config.values[0].replaced);
    assert_false(config.values[1].replaced);
    assert_false(config.values[2].replaced);
}

TEST_WITH(what_is_no_setting_is_told_with_its_line, NULL, release)
{
    flat_config_read(STR("words\na: \"x\nb: 'x' y\n- c: 1\nd: 2\n: 3\n"), &arena, &config);
    assert_int_equal(config.problem_count, 5);
    assert_int_equal(config.problems[0].line, 1);
    assert_int_equal(config.problems[1].line, 2);
    assert_string_equal(config.problems[1].text, "a quote is not closed; the line is left out");
    assert_int_equal(config.problems[2].line, 3);
    assert_int_equal(config.problems[3].line, 4);
    assert_int_equal(config.problems[4].line, 6);
    assert_int_equal(config.count, 1);
    value_is("d", "2", 5);
}

TEST_WITH(settings_without_end_are_bounded, NULL, release)
{
    enum { LINES = 100000 };
    struct buf text;

    buf_init(&text, 1 << 21);
    for (int i = 0; i < LINES; i++) buf_printf(&text, "k%d: 1\n", i);
    flat_config_read(buf_str(&text), &arena, &config);
    assert_int_equal(config.count, 2000);
    assert_int_equal(config.problem_count, 200);
    buf_release(&text);
}
