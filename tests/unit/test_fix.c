/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fix.c - edits as JSON, what is refused there, and the hash of a content. */
#include "format/report/fix.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char whole[] =
    "[{\"text\":\"use the format\",\"edits\":[{\"file\":\"a.c\",\"hash\":\"00c0ffee00c0ffee\","
    "\"start\":120,\"end\":124,\"text\":\"%zu\"}]},"
    "{\"edits\":[{\"file\":\"b/c.h\",\"hash\":\"ffffffffffffffff\",\"start\":0,\"end\":0,"
    "\"text\":\"\\u0000\\n\"},{\"file\":\"b/c.h\",\"hash\":\"0000000000000001\",\"start\":7,"
    "\"end\":18446744073709551615,\"text\":\"\"}]}]";

TEST(what_was_written_is_read_again)
{
    struct arena arena = { 0 };
    struct fixes fixes;
    struct err err;
    struct buf out;

    assert_int_equal(fixes_read(str_of(whole), &arena, &fixes, &err), 0);
    assert_int_equal(fixes.count, 2);
    assert_true(str_is(fixes.items[0].text, "use the format"));
    assert_int_equal(fixes.items[0].count, 1);
    assert_true(str_is(fixes.items[0].edits[0].file, "a.c"));
    assert_true(fixes.items[0].edits[0].hash == 0x00c0ffee00c0ffeeu);
    assert_int_equal(fixes.items[0].edits[0].start, 120);
    assert_int_equal(fixes.items[0].edits[0].end, 124);
    assert_true(str_is(fixes.items[0].edits[0].text, "%zu"));
    assert_int_equal(fixes.items[1].text.size, 0);
    assert_true(str_eq(fixes.items[1].edits[0].text, (struct str){ "\0\n", 2 }));
    assert_true(fixes.items[1].edits[1].end == UINT64_MAX);
    buf_init(&out, 4096);
    fixes_write(&fixes, &out);
    assert_string_equal(buf_cstr(&out), whole);
    buf_release(&out);
    arena_release(&arena);
}

TEST(no_fixes_are_a_list_too)
{
    struct arena arena = { 0 };
    struct fixes fixes = { .count = 7 };
    struct err err;
    struct buf out;

    assert_int_equal(fixes_read(STR("[]"), &arena, &fixes, &err), 0);
    assert_int_equal(fixes.count, 0);
    buf_init(&out, 4096);
    fixes_write(&fixes, &out);
    assert_string_equal(buf_cstr(&out), "[]");
    buf_release(&out);
    arena_release(&arena);
}

TEST(a_fix_that_json_cannot_carry_is_left_out)
{
    struct edit bad_text = { .file = STR("a"), .hash = 1, .text = STR("caf\xe9") };
    struct edit bad_path = { .file = STR("caf\xe9"), .hash = 1, .text = STR("x") };
    struct edit good = { .file = STR("a"), .hash = 1, .text = STR("caf\xc3\xa9") };
    struct fix items[] = {
        { .edits = &bad_text, .count = 1 },
        { .edits = &bad_path, .count = 1 },
        { .edits = NULL, .count = 0 },
        { .text = STR("caf\xe9"), .edits = &good, .count = 1 },
    };
    struct fixes fixes = { .items = items, .count = 4 };
    struct buf out;

    buf_init(&out, 4096);
    fixes_write(&fixes, &out);
    assert_string_equal(buf_cstr(&out),
                        "[{\"text\":\"caf\xef\xbf\xbd\",\"edits\":[{\"file\":\"a\",\"hash\":"
                        "\"0000000000000001\",\"start\":0,\"end\":0,\"text\":\"caf\xc3\xa9\"}]}]");
    buf_release(&out);
}

static void assert_refused(const char *json, const char *words)
{
    struct arena arena = { 0 };
    struct fixes fixes;
    struct err err = { 0 };

    assert_int_equal(fixes_read(str_of(json), &arena, &fixes, &err), ERR_FORMAT);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
    assert_int_equal(fixes.count, 0);
    arena_release(&arena);
}

TEST(what_is_no_list_of_fixes_is_refused)
{
    assert_refused("", "no JSON");
    assert_refused("[", "line 1");
    assert_refused("{}", "a list of fixes");
    assert_refused("[7]", "fix 1: it must be an object");
    assert_refused("[{}]", "fix 1: it has no edits");
    assert_refused("[{\"edits\":[]}]", "fix 1: it has no edits");
    assert_refused("[{\"edits\":7}]", "fix 1: \"edits\" must be a list");
    assert_refused("[{\"text\":7,\"edits\":[{}]}]", "fix 1: \"text\" must be a string");
    assert_refused("[{\"edits\":[7]}]", "fix 1: edit 1: it must be an object");
    assert_refused("[{\"edits\":[{}]}]", "\"file\" is missing");
}

/* An edit with these members in place of good ones. */
static const char *edit_of(struct arena *arena, const char *file, const char *hash,
                           const char *start, const char *end)
{
    return arena_printf(arena,
                        "[{\"edits\":[{\"file\":\"a\",\"hash\":\"0000000000000001\",\"start\":0,"
                        "\"end\":0,\"text\":\"\"},{\"file\":%s,\"hash\":%s,\"start\":%s,"
                        "\"end\":%s,\"text\":\"\"}]}]",
                        file, hash, start, end);
}

TEST(a_bad_member_is_named_with_its_edit)
{
    static const char *const good = "\"0000000000000001\"";
    struct arena arena = { 0 };

    assert_refused(edit_of(&arena, "7", good, "0", "0"), "fix 1: edit 2: \"file\" must be");
    assert_refused(edit_of(&arena, "\"b\"", "7", "0", "0"), "fix 1: edit 2: \"hash\" must be");
    assert_refused(edit_of(&arena, "\"b\"", "\"1\"", "0", "0"), "\"hash\" must be 16");
    assert_refused(edit_of(&arena, "\"b\"", "\"00000000000000G1\"", "0", "0"), "\"hash\" must be");
    assert_refused(edit_of(&arena, "\"b\"", "\"00000000000000A1\"", "0", "0"), "\"hash\" must be");
    assert_refused(edit_of(&arena, "\"b\"", good, "-1", "0"), "\"start\" must be");
    assert_refused(edit_of(&arena, "\"b\"", good, "0", "1.5"), "\"end\" must be");
    assert_refused(edit_of(&arena, "\"b\"", good, "0", "18446744073709551616"), "\"end\" must be");
    assert_refused(edit_of(&arena, "\"b\"", good, "3", "2"), "its end is before its start");
    arena_release(&arena);
}

TEST(a_path_that_is_not_clean_is_refused)
{
    static const char *const paths[] = {
        "", "/etc/passwd", "../x", "a/../x", "a//b", "./a", "a/.", "a/..", "..", ".", "/", "a/",
        "a\\u0000b",
    };
    struct arena arena = { 0 };
    char longest[300];

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *file = arena_printf(&arena, "\"%s\"", paths[i]);
        assert_refused(edit_of(&arena, file, "\"0000000000000001\"", "0", "0"),
                       "is no path inside the workspace");
    }
    memset(longest, 'x', sizeof longest);
    longest[0] = longest[257] = '"';
    longest[258] = '\0';
    assert_refused(edit_of(&arena, longest, "\"0000000000000001\"", "0", "0"), "is no path");
    arena_release(&arena);
}

TEST(a_refused_path_cannot_reach_the_terminal)
{
    struct arena arena = { 0 };
    struct fixes fixes;
    struct err err = { 0 };
    const char *json = edit_of(&arena, "\"/\\u001b[2J\\n\\u202e\"", "\"0000000000000001\"", "0",
                               "0");

    assert_int_equal(fixes_read(str_of(json), &arena, &fixes, &err), ERR_FORMAT);
    assert_null(strchr(err.text, '\x1b'));
    assert_null(strchr(err.text, '\n'));
    assert_null(strstr(err.text, "\xe2\x80\xae"));
    arena_release(&arena);
}

TEST(the_hash_is_the_same_on_every_machine)
{
    assert_true(content_hash((struct str){ NULL, 0 }) == content_hash(STR("")));
    assert_true(content_hash(STR("")) == 0x7af5cf0284916cd1u);
    assert_true(content_hash(STR("int main(void) { return 0; }\n")) == 0x1f4ab3a1fe9a38cau);
}

/* Every content of a family, hashed, and no two the same. */
static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void assert_all_differ(uint64_t *hashes, size_t count)
{
    qsort(hashes, count, sizeof *hashes, by_value);
    assert_true(hashes[0] != 0);
    for (size_t i = 1; i < count; i++) assert_true(hashes[i - 1] != hashes[i]);
}

TEST(contents_that_are_alike_have_different_hashes)
{
    enum { SIZE = 64, COUNT = SIZE * 8 * SIZE * 8 / 2 };
    uint64_t *hashes = malloc((COUNT + SIZE * 8 + 1) * sizeof *hashes);
    char text[SIZE];
    size_t count = 0;

    assert_non_null(hashes);
    memset(text, 'x', SIZE);
    hashes[count++] = content_hash((struct str){ text, SIZE });
    for (int i = 0; i < SIZE * 8; i++) { /* one bit and two bits changed */
        text[i / 8] ^= (char)(1 << i % 8);
        hashes[count++] = content_hash((struct str){ text, SIZE });
        for (int k = 0; k < i; k++) {
            text[k / 8] ^= (char)(1 << k % 8);
            hashes[count++] = content_hash((struct str){ text, SIZE });
            text[k / 8] ^= (char)(1 << k % 8);
        }
        text[i / 8] ^= (char)(1 << i % 8);
    }
    assert_all_differ(hashes, count);
    free(hashes);
}

TEST(zeros_of_every_length_have_different_hashes)
{
    static const char zeros[1000];
    uint64_t hashes[1000];

    for (size_t i = 0; i < 1000; i++) hashes[i] = content_hash((struct str){ zeros, i });
    assert_all_differ(hashes, 1000);
}
