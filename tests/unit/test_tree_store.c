/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_store.c - a tree as a file, and git's answer as lines: whole, or refused. */
#include "ground.h"
#include "io/git/status.h"
#include "io/tree/tree_entry.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ZEROS "0000000000000000000000000000000000000000"

/* ---- git's answer ---- */

static int parse(struct str text, struct arena *arena, struct status *out)
{
    struct err err = { 0 };

    return tree_parse_status(text, arena, out, &err);
}

TEST(status_is_read_line_by_line)
{
    const struct str text = STR("# branch.oid " OID_A "\0# branch.head main\0# stash 3\0"
                                "1 .M N... 100644 100644 100755 " OID_A " " OID_B " a b\n\0"
                                "1 D. SCMU 160000 000000 000000 " OID_A " " ZEROS " lib\0"
                                "u UU N... 100644 100644 000000 100644 " OID_A " " OID_B " " ZEROS
                                " c\0? \xff\"\0? nested/\0");
    struct arena arena = { 0 };
    struct status status;

    assert_int_equal(parse(text, &arena, &status), 0);
    assert_string_equal(status.head, OID_A);
    assert_true(str_is(status.branch, "main"));
    assert_int_equal(status.count, 5);
    assert_true(str_is(status.lines[0].path, "a b\n"));
    assert_int_equal(status.lines[0].head_mode, 0100644);
    assert_int_equal(status.lines[0].mode, 0100755);
    assert_string_equal(status.lines[0].head, OID_A);
    assert_string_equal(status.lines[0].staged, OID_B);
    assert_string_equal(status.lines[1].module, "SCMU");
    assert_string_equal(status.lines[1].staged, "");
    assert_true(str_is(status.lines[2].stages, "100644 " OID_A " 100644 " OID_B " 000000 -"));
    assert_string_equal(status.lines[2].head, OID_B);
    assert_true(status.lines[3].untracked && !status.lines[3].repository);
    assert_true(status.lines[4].repository && str_is(status.lines[4].path, "nested"));
    arena_release(&arena);
}

TEST(status_of_nothing_is_empty)
{
    struct arena arena = { 0 };
    struct status status;

    assert_int_equal(parse(STR(""), &arena, &status), 0);
    assert_int_equal(status.count, 0);
    assert_int_equal(parse(STR("# branch.oid (initial)\0# branch.head (detached)\0"), &arena,
                           &status), 0);
    assert_string_equal(status.head, "");
    arena_release(&arena);
}

TEST(status_that_git_would_not_say_is_refused)
{
    static const struct str texts[] = {
        STR("? a"),
        STR("\0"),
        STR("x\0"),
        STR("? \0"),
        STR("? /etc/passwd\0"),
        STR("? ../up\0"),
        STR("? a/../b\0"),
        STR("? a//\0"),
        STR("? .git/config\0"),
        STR("? sub/.git/hooks/x\0"),
        STR("! ignored\0"),
        STR("# branch.oid xyz\0"),
        STR("2 R. N... 100644 100644 100644 " OID_A " " OID_A " R100 b\0a\0"),
        STR("1 .M N... 100644 100644 100644 " OID_A " " OID_A "\0"),
        STR("1 .M N... 100644 100644 100644 " OID_A " " OID_A " \0"),
        STR("1 .M N... 100666 100644 100644 " OID_A " " OID_A " a\0"),
        STR("1 .M N... 100644 100644 100644 " OID_A "a " OID_A " a\0"),
        STR("1 .MM N... 100644 100644 100644 " OID_A " " OID_A " a\0"),
        STR("1 .M X... 100644 100644 100644 " OID_A " " OID_A " a\0"),
        STR("u UU N... 100644 100644 000000 100644 " OID_A " " OID_B " " OID_B " c\0"),
    };
    struct arena arena = { 0 };
    struct status status;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(parse(texts[i], &arena, &status), ERR_FORMAT);
    arena_release(&arena);
}

/* ---- a tree's file ---- */

static struct tree_entry entries[] = {
    { .path = STR("-a b\n\"\xff"), .mode = 0100644, .oid = OID_A },
    { .path = STR("b/c"), .mode = 0, .staged_mode = 0100755, .head_mode = 0120000,
      .staged = OID_A, .head = OID_B },
    { .path = STR("d"), .mode = 0160000, .oid = "repository" },
    { .path = STR("e"), .mode = 0100755, .oid = OID_B,
      .stages = STR("100644 " OID_A " 100644 " OID_B " 000000 -") },
};
static const char *const prefixes[] = { ".agents/", "x y", NULL };

static struct tree sample(void)
{
    return (struct tree){ .head = OID_A, .branch = STR("main"), .private_paths = prefixes,
                          .entries = entries, .count = 4 };
}

static void expect_same(const struct tree *a, const struct tree *b)
{
    assert_string_equal(a->head, b->head);
    assert_true(str_eq(a->branch, b->branch));
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct tree_entry *x = &a->entries[i], *y = &b->entries[i];

        assert_true(str_eq(x->path, y->path) && str_eq(x->stages, y->stages));
        assert_int_equal(x->mode, y->mode);
        assert_int_equal(x->head_mode, y->head_mode);
        assert_true(entry_same_staged(x, y));
        assert_string_equal(x->oid, y->oid);
        assert_string_equal(x->head, y->head);
    }
}

ON_GROUND(saved_tree_loads_as_it_was)
{
    const struct ground *ground = *state;
    struct tree tree = sample(), empty = { 0 }, loaded;
    struct err err = { 0 };

    assert_int_equal(tree_save(&tree, ground->root, "tree-one", &err), 0);
    assert_int_equal(tree_load(&loaded, at(ground, "tree-one"), &err), 0);
    expect_same(&tree, &loaded);
    assert_string_equal(loaded.private_paths[1], "x y");
    assert_null(loaded.private_paths[2]);
    tree_release(&loaded);
    assert_int_equal(tree_save(&empty, ground->root, "tree-two", &err), 0);
    assert_int_equal(tree_load(&loaded, at(ground, "tree-two"), &err), 0);
    expect_same(&empty, &loaded);
    tree_release(&loaded);
}

ON_GROUND(file_that_is_no_tree_is_refused)
{
    struct err err = { 0 };
    struct tree tree;

    put(at(*state, "text"), "hello\n");
    assert_int_equal(tree_load(&tree, at(*state, "text"), &err), ERR_FORMAT);
    assert_int_equal(tree_load(&tree, at(*state, "none"), &err), ERR_MISSING);
    tree_release(&tree);
}

/* Cut anywhere, or with one byte more, it is no tree. */
TEST(cut_tree_is_refused_at_every_byte)
{
    struct tree tree = sample(), loaded;
    struct buf text;

    buf_init(&text, 65536);
    tree_print(&tree, &text);
    for (size_t bytes = 0; bytes < text.size; bytes++)
        assert_false(tree_parse((struct str){ text.data, bytes }, &loaded));
    assert_true(tree_parse(buf_str(&text), &loaded));
    tree_release(&loaded);
    buf_byte(&text, '\0');
    assert_false(tree_parse(buf_str(&text), &loaded));
    buf_release(&text);
}

/* Any single byte changed: refused, or a tree that still keeps its promises. */
TEST(changed_byte_never_makes_a_broken_tree)
{
    static const char bytes[] = { '\0', ' ', '/', '.', '9', 'a', '\xff' };
    struct tree tree = sample();
    struct buf text;

    buf_init(&text, 65536);
    tree_print(&tree, &text);
    for (size_t i = 0; i < text.size; i++) {
        char before = text.data[i];

        for (size_t k = 0; k < sizeof bytes; k++) {
            struct tree loaded;

            text.data[i] = bytes[k];
            if (!tree_parse(buf_str(&text), &loaded)) continue;
            for (uint32_t e = 0; e < loaded.count; e++) {
                assert_true(tree_path_is_valid(loaded.entries[e].path));
                if (e) assert_true(str_compare(loaded.entries[e - 1].path,
                                               loaded.entries[e].path) < 0);
            }
            tree_release(&loaded);
        }
        text.data[i] = before;
    }
    buf_release(&text);
}

TEST(hostile_counts_ask_for_no_memory)
{
    static const struct str texts[] = {
        STR("hone tree 1\0\0main\0" "99999999999\0"),
        STR("hone tree 1\0\0main\0" "0\0" "4294967295\0end\0"),
        STR("hone tree 1\0\0main\0" "0\0" "1\0end\0"),
        STR("hone tree 1\0\0main\0" "0\0" "-1\0end\0"),
        STR("hone tree 2\0\0main\0" "0\0" "0\0end\0"),
    };
    struct tree tree;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(tree_parse(texts[i], &tree));
    assert_true(tree_parse(STR("hone tree 1\0\0main\0" "0\0" "0\0end\0"), &tree));
    tree_release(&tree);
}
