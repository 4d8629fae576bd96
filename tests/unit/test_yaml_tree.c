/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML as a tree: what people write comes with its lines, what could grow or mean two things is
 * refused with the line that has it, and what is written comes back. */
#include "format/text/yaml_tree.h"

#include "test.h"

#include <string.h>

TESTS_ARENA
TESTS_WITHIN(NULL, release)

static struct yaml_node *tree_of(const char *text)
{
    struct yaml_node *tree;
    struct err err = { 0 };
    uint32_t line;

    if (yaml_tree_read(str_of(text), &arena, &tree, &line, &err) != 0) {
        fail_msg("line %u: %s", line, err.text);
    }
    return tree;
}

static void is_refused(const char *text, uint32_t wanted_line, const char *words)
{
    struct yaml_node *tree;
    struct err err = { 0 };
    uint32_t line;

    assert_int_not_equal(yaml_tree_read(str_of(text), &arena, &tree, &line, &err), 0);
    assert_null(tree);
    assert_has(err.text, words);
    assert_int_equal(line, wanted_line);
}

TEST(a_file_is_texts_lists_and_mappings_with_their_lines)
{
    struct yaml_node *tree = tree_of("about: a loop\n"
                                     "phases:\n"
                                     "  - name: one\n"
                                     "    gate: { reviewers: [a, 'b'] }\n"
                                     "remit: |\n"
                                     "  two\n"
                                     "  lines\n");
    const struct yaml_node *phases = yaml_get(tree, "phases"), *gate, *list;

    assert_int_equal(tree->kind, YAML_MAP);
    assert_int_equal(tree->count, 3);
    assert_str(yaml_get(tree, "about")->text, "a loop");
    assert_true(yaml_get(tree, "about")->plain);
    assert_int_equal(tree->key_lines[1], 2);
    assert_int_equal(phases->kind, YAML_LIST);
    assert_int_equal(phases->items[0]->line, 3);
    gate = yaml_get(phases->items[0], "gate");
    list = yaml_get(gate, "reviewers");
    assert_int_equal(list->count, 2);
    assert_int_equal(list->items[0]->line, 4);
    assert_str(list->items[1]->text, "b");
    assert_false(list->items[1]->plain);
    assert_str(yaml_get(tree, "remit")->text, "two\nlines\n");
    assert_false(yaml_get(tree, "remit")->plain);
    assert_null(yaml_get(tree, "task"));
    assert_null(yaml_get(list, "task"));
}

TEST(what_could_grow_or_mean_two_things_is_refused_with_its_line)
{
    is_refused("", 1, "there is nothing in it");
    is_refused("a: 1\nb: &x 2\n", 2, "anchors, aliases and tags are refused");
    is_refused("a: 1\nb: *a\n", 2, "anchors, aliases and tags are refused");
    is_refused("a: !!str 1\n", 1, "anchors, aliases and tags are refused");
    is_refused("a: 1\nb: 2\na: 3\n", 3, "this key stands twice");
    is_refused("x:\n  y: 1\n  y: 2\n", 3, "this key stands twice");
    is_refused("[a]: 1\n", 1, "a key is one word");
    is_refused("a: 1\n---\nb: 1\n", 2, "a second document begins here");
    is_refused("a: \"x\\0y\"\n", 1, "a NUL stands in this text");
    is_refused("a:\n\tb: 1\n", 2, "found character that cannot start any token");
    is_refused("a: \xff\n", 1, "invalid");
    is_refused("a: [1\n", 2, "did not find expected");
    is_refused("a: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]\n", 1, "too many levels");
}

TEST(what_is_too_large_is_refused)
{
    static char many[4 * YAML_NODES_MAX], large[YAML_BYTES_MAX + 2];

    for (uint32_t i = 0; i < YAML_NODES_MAX; i++) memcpy(many + i * 4, "- a\n", 4);
    many[sizeof many - 1] = '\0';
    is_refused(many, YAML_NODES_MAX, "this is too much");
    memset(large, 'a', sizeof large - 1);
    is_refused(large, 1, "it has more than 256 KiB");
}

static void comes_back(const char *text)
{
    struct yaml_node *map = yaml_new(YAML_MAP, &arena), *list = yaml_new(YAML_LIST, &arena), *back;
    struct buf out;

    yaml_append(list, yaml_new_text(str_of(text), &arena), &arena);
    yaml_put(map, "text", yaml_new_text(str_of(text), &arena), &arena);
    yaml_put(map, "list", list, &arena);
    yaml_put(map, "empty", yaml_new(YAML_MAP, &arena), &arena);
    yaml_put(map, "none", yaml_new(YAML_LIST, &arena), &arena);
    buf_init(&out, 1 << 16);
    yaml_tree_write(map, &out);
    back = tree_of(buf_cstr(&out));
    assert_str(yaml_get(back, "text")->text, text);
    assert_str(yaml_get(back, "list")->items[0]->text, text);
    assert_int_equal(yaml_get(back, "empty")->kind, YAML_MAP);
    assert_int_equal(yaml_get(back, "none")->kind, YAML_LIST);
    buf_release(&out);
}

TEST(what_is_written_comes_back)
{
    static const char *const odd[] = {
        "plain", "", "yes", "12", "two\nlines\n", "no end\nhere", " begins\n with a blank\n",
        "ends in two\n\n", "\n\nbegins empty\n", "tab\tand\nline\n", "# no comment", "- no list",
        "a: b", "'quoted' \"twice\"", "back\\slash", "blank at its end \n", "\xc3\xa4\xe2\x82\xac",
        "---\nno document\n...\n", "%x", "@x", "`x`", "{x}", "[x", "x,", "\x7f", "\x1b[31m",
    };

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) comes_back(odd[i]);
}

TEST(a_block_is_written_as_people_read_it)
{
    struct yaml_node *map = yaml_new(YAML_MAP, &arena);
    struct buf out;

    yaml_put(map, "remit", yaml_new_text(STR("Look at it.\nSay what is wrong.\n"), &arena), &arena);
    buf_init(&out, 1 << 16);
    yaml_tree_write(map, &out);
    assert_string_equal(buf_cstr(&out), "remit: |\n  Look at it.\n  Say what is wrong.\n");
    buf_release(&out);
}
