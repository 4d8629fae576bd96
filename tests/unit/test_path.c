/* SPDX-License-Identifier: Apache-2.0
 *
 * test_path.c - paths as text, and hashes as they are written. */
#include "base/path.h"
#include "base/text_map.h"

#include "shared/prng.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

TEST(a_clean_path_leads_nowhere_else)
{
    static const char *const clean[] = { "a", "a/b", ".a", "...", "a b/c\n", "..a/b.." };
    static const char *const refused[] = {
        "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "../a", "a/../b", "a/..",
    };
    char part[258];

    for (size_t i = 0; i < COUNT(clean); i++) assert_true(path_is_clean(str_of(clean[i])));
    for (size_t i = 0; i < COUNT(refused); i++) assert_false(path_is_clean(str_of(refused[i])));
    assert_false(path_is_clean(STR("a\0b")));
    memset(part, 'x', sizeof part);
    assert_true(path_is_clean((struct str){ part, 255 }));
    assert_false(path_is_clean((struct str){ part, 256 }));
}

TEST(only_two_dots_alone_go_up)
{
    assert_true(path_goes_up(STR("..")));
    assert_true(path_goes_up(STR("/a/../b")));
    assert_true(path_goes_up(STR("a/..")));
    assert_false(path_goes_up(STR("")));
    assert_false(path_goes_up(STR("a/...")));
    assert_false(path_goes_up(STR("..a/b..")));
}

TEST(a_path_is_joined_by_its_text)
{
    static const struct { const char *folder, *path, *joined; } rows[] = {
        { "/a/b", "c", "/a/b/c" },       { "/a/b", "/c", "/c" },
        { "/a/b", "../c", "/a/c" },      { "/a/b", "../../../c", "/c" },
        { "/a/b", "./c//d/.", "/a/b/c/d" }, { "/a", "..", "/" },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(path_joined(rows[i].folder, str_of(rows[i].path), &arena),
                            rows[i].joined);
    }
    arena_release(&arena);
}

TEST(a_text_keeps_its_number_while_a_map_grows)
{
    struct text_map map = { 0 };
    struct arena arena = { 0 };

    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *number = text_map_put(&map, str_of(arena_printf(&arena, "t%u", i)), NULL);

        assert_int_equal(*number, MAP_NONE);
        *number = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(*text_map_put(&map, str_of(arena_printf(&arena, "t%u", i)), NULL), i);
    }
    assert_int_equal(*text_map_put(&map, STR(""), NULL), MAP_NONE);
    text_map_release(&map);
    arena_release(&arena);
}

/* A map that texts come into and leave: each is where it was put, and the map does not grow. */
TEST(a_text_that_leaves_a_map_leaves_the_others_where_they_are)
{
    enum { TEXTS = 400, STEPS = 20000, SLOTS_MAX = 2048 };
    static char texts[TEXTS][8];
    struct text_map map = { 0 };
    struct prng prng = { 20261119 };
    bool there[TEXTS] = { false };

    assert_int_equal(text_map_find(&map, STR("t0")), MAP_NONE);
    text_map_remove(&map, STR("t0"));
    for (uint32_t i = 0; i < TEXTS; i++) snprintf(texts[i], sizeof texts[i], "t%u", i);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t i = (uint32_t)prng_below(&prng, TEXTS), look = (uint32_t)prng_below(&prng, TEXTS);

        if (there[i]) text_map_remove(&map, str_of(texts[i]));
        else *text_map_put(&map, str_of(texts[i]), NULL) = i;
        there[i] = !there[i];
        assert_int_equal(text_map_find(&map, str_of(texts[look])), there[look] ? look : MAP_NONE);
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        assert_int_equal(text_map_find(&map, str_of(texts[i])), there[i] ? i : MAP_NONE);
    }
    assert_true(map.cap <= SLOTS_MAX);
    text_map_release(&map);
}

TEST(a_path_is_its_folder_and_its_leaf)
{
    static const struct { const char *path, *folder, *leaf, *text; } rows[] = {
        { "a/b/c", "a/b", "c", "a/b" }, { "c", "", "c", "." }, { "/c", "", "c", "/" },
        { "/a/c", "/a", "c", "/a" }, { "a/", "a", "", "a" }, { "/", "", "", "/" },
        { "", "", "", "." },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str path = str_of(rows[i].path);

        assert_true(str_is(path_folder(path), rows[i].folder));
        assert_true(str_is(path_leaf(path), rows[i].leaf));
        assert_string_equal(path_folder_text(rows[i].path, &arena), rows[i].text);
        assert_string_equal(path_leaf_text(rows[i].path), rows[i].leaf);
    }
    arena_release(&arena);
}

TEST(a_hash_is_sixteen_small_digits)
{
    static const char *const refused[] = {
        "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg",
        " 123456789abcdef", "0x23456789abcdef", "-123456789abcdef",
    };
    uint64_t value = 7;

    for (size_t i = 0; i < COUNT(refused); i++) {
        assert_false(str_hash(str_of(refused[i]), &value));
        assert_int_equal(value, 7);
    }
    assert_true(str_hash(STR("0123456789abcdef"), &value));
    assert_true(value == UINT64_C(0x0123456789abcdef));
    assert_true(str_hash(STR("ffffffffffffffff"), &value));
    assert_true(value == UINT64_MAX);
}
