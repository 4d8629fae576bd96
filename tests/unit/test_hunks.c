/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hunks.c - a diff of git's as a line map: which lines went and came, and under which names.
 *
 * A map is compared as lines "OLD>NEW A,B+C,D A,B+C,D". */
#include "format/text/hunks.h"

#include "base/buf.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

#define GIT(a, b) "diff --git a/" a " b/" b "\n"
#define SIDES(a, b) "--- a/" a "\n+++ b/" b "\n"
#define FILE_OF(name) GIT(name, name) "index 1..2 100644\n" SIDES(name, name)

static void expect_map(const char *diff, const char *expected)
{
    struct arena arena = { 0 };
    struct line_map map = line_map_read(str_of(diff), &arena);
    struct buf out;

    buf_init(&out, 1 << 16);
    for (uint32_t i = 0; i < map.file_count; i++) {
        const struct file_move *file = &map.files[i];

        buf_printf(&out, "%.*s>%.*s", STR_ARG(file->old_path), STR_ARG(file->new_path));
        for (uint32_t k = 0; k < file->hunk_count; k++) {
            const struct line_hunk *hunk = &file->hunks[k];

            buf_printf(&out, " %" PRIu32 ",%" PRIu32 "+%" PRIu32 ",%" PRIu32, hunk->old_line,
                       hunk->old_count, hunk->new_line, hunk->new_count);
        }
        buf_byte(&out, '\n');
    }
    if (!str_eq(buf_str(&out), str_of(expected))) {
        fail_msg("of\n%swanted\n%sgot\n%s", diff, expected, buf_cstr(&out));
    }
    buf_release(&out);
    arena_release(&arena);
}

TEST(a_head_is_read_and_nothing_else_is_one)
{
    static const struct {
        const char *line;
        bool good;
        struct line_hunk hunk;
    } rows[] = {
        { "@@ -7,2 +9,3 @@", true, { 7, 2, 9, 3 } },
        { "@@ -7 +9 @@ int main(void)", true, { 7, 1, 9, 1 } },
        { "@@ -0,0 +1,4 @@", true, { 0, 0, 1, 4 } },
        { "@@ -2147483647 +1 @@", true, { 2147483647, 1, 1, 1 } },
        { "@@ -2147483648 +1 @@", false, { 0 } },
        { "@@ -1,99999999999999999999 +1 @@", false, { 0 } },
        { "@@ -7,2 +9,3", false, { 0 } },
        { "@@ -7,2 @@", false, { 0 } },
        { "@@ -,2 +9 @@", false, { 0 } },
        { "@@ -7, +9 @@", false, { 0 } },
        { "@@ +7 -9 @@", false, { 0 } },
        { "@@@ -7 -7 +9 @@@", false, { 0 } },
        { " @@ -7 +9 @@", false, { 0 } },
        { "", false, { 0 } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct line_hunk hunk = { 0 };

        if (hunk_read(str_of(rows[i].line), &hunk) != rows[i].good) fail_msg("%s", rows[i].line);
        if (!rows[i].good) continue;
        assert_int_equal(hunk.old_line, rows[i].hunk.old_line);
        assert_int_equal(hunk.old_count, rows[i].hunk.old_count);
        assert_int_equal(hunk.new_line, rows[i].hunk.new_line);
        assert_int_equal(hunk.new_count, rows[i].hunk.new_count);
    }
}

TEST(hunks_without_context_are_as_their_heads_say)
{
    expect_map(FILE_OF("a.c") "@@ -7,2 +7,3 @@ f()\n-x\n-y\n+1\n+2\n+3\n", "a.c>a.c 7,2+7,3\n");
    expect_map(FILE_OF("a.c") "@@ -7,0 +8,2 @@\n+1\n+2\n@@ -9,2 +11,0 @@\n-x\n-y\n",
               "a.c>a.c 7,0+8,2 9,2+11,0\n");
    expect_map(FILE_OF("a.c") "@@ -3 +3 @@\n-x\n+y\n" FILE_OF("b/c d.c") "@@ -1 +1 @@\n-x\n+y\n",
               "a.c>a.c 3,1+3,1\nb/c d.c>b/c d.c 1,1+1,1\n");
}

/* Lines of context are not part of a change. */
TEST(with_context_a_hunk_is_as_many_as_it_has_runs)
{
    expect_map(FILE_OF("a.c") "@@ -7,9 +7,10 @@\n 7\n 8\n-9\n+9\n 10\n 11\n+new\n 12\n-13\n 14\n"
                              "+end\n 15\n",
               "a.c>a.c 9,1+9,1 11,0+12,1 13,1+13,0 14,0+15,1\n");
    expect_map(FILE_OF("a.c") "@@ -1,3 +1,4 @@\n+first\n 1\n 2\n 3\n", "a.c>a.c 0,0+1,1\n");
    expect_map(FILE_OF("a.c") "@@ -1,3 +1,2 @@\n-first\n 2\n 3\n", "a.c>a.c 1,1+0,0\n");
    /* Some programs strip the blank of an empty line. */
    expect_map(FILE_OF("a.c") "@@ -1,3 +1,3 @@\n\n-x\n+y\n\n", "a.c>a.c 2,1+2,1\n");
}

TEST(a_file_that_is_made_or_deleted_has_one_name)
{
    expect_map(GIT("new.c", "new.c") "new file mode 100644\nindex 0..1\n--- /dev/null\n"
               "+++ b/new.c\n@@ -0,0 +1,2 @@\n+1\n+2\n", ">new.c 0,0+1,2\n");
    expect_map(GIT("old.c", "old.c") "deleted file mode 100644\nindex 1..0\n--- a/old.c\n"
               "+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", "old.c> 1,2+0,0\n");
}

TEST(a_rename_has_two_with_or_without_hunks)
{
    expect_map(GIT("a.c", "lib/b.c") "similarity index 100%\nrename from a.c\nrename to lib/b.c\n",
               "a.c>lib/b.c\n");
    expect_map(GIT("a.c", "lib/b.c") "similarity index 90%\nrename from a.c\nrename to lib/b.c\n"
               "index 1..2\n" SIDES("a.c", "lib/b.c") "@@ -1 +1 @@\n-x\n+y\n",
               "a.c>lib/b.c 1,1+1,1\n");
}

TEST(a_file_without_hunks_is_listed)
{
    expect_map(GIT("a.sh", "a.sh") "old mode 100644\nnew mode 100755\n", "a.sh>a.sh\n");
    expect_map(GIT("a.png", "a.png") "index 1..2\nBinary files a/a.png and b/a.png differ\n",
               "a.png>a.png\n");
    expect_map(GIT("a b/a b", "a b/a b") "old mode 100644\nnew mode 100755\n", "a b/a b>a b/a b\n");
}

/* A tab stands behind a name with blanks. */
TEST(names_with_blanks_are_whole)
{
    expect_map(GIT("a b.c", "a b.c") "--- a/a b.c\t\n+++ b/a b.c\t\n@@ -1 +1 @@\n-x\n+y\n",
               "a b.c>a b.c 1,1+1,1\n");
}

/* What is in a file is counted, and cannot pass for the diff's own lines. */
TEST(lines_in_a_hunk_that_look_like_heads_are_lines)
{
    expect_map(FILE_OF("a.c") "@@ -1,4 +1,4 @@\n--- a/x.c\n-@@ -9 +9 @@\n-diff --git a/x b/x\n"
               "-rename from z\n+++ b/x.c\n+@@ -9 +9 @@\n+diff --git a/x b/x\n+rename to z\n"
               FILE_OF("b.c") "@@ -2 +2 @@\n-x\n+y\n",
               "a.c>a.c 1,4+1,4\nb.c>b.c 2,1+2,1\n");
    expect_map(FILE_OF("a.c") "@@ -1,4 +1,4 @@\n diff --git a/x b/x\n @@ -9 +9 @@\n"
               " +++ b/x\n-x\n+y\n", "a.c>a.c 4,1+4,1\n");
}

TEST(a_last_line_without_a_newline_is_a_line)
{
    expect_map(FILE_OF("a.c") "@@ -1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n"
               "\\ No newline at end of file\n" FILE_OF("b.c") "@@ -2 +2 @@\n-x\n+y\n",
               "a.c>a.c 1,1+1,2\nb.c>b.c 2,1+2,1\n");
}

TEST(a_file_whose_name_git_quotes_is_not_listed)
{
    expect_map("diff --git \"a/x\\ty\" \"b/x\\ty\"\nindex 1..2\n--- \"a/x\\ty\"\n+++ \"b/x\\ty\"\n"
               "@@ -1 +1 @@\n-x\n+y\n" FILE_OF("b.c") "@@ -2 +2 @@\n-x\n+y\n",
               "b.c>b.c 2,1+2,1\n");
    expect_map("diff --git a/p.c \"b/x\\ty\"\nsimilarity index 100%\nrename from p.c\n"
               "rename to \"x\\ty\"\n", "");
    expect_map("diff --git \"a/x\\ty\" b/p.c\nsimilarity index 90%\nrename from \"x\\ty\"\n"
               "rename to p.c\nindex 1..2\n--- \"a/x\\ty\"\n+++ b/p.c\n@@ -1 +1 @@\n-x\n+y\n", "");
}

/* Of what is no diff nothing is made, and nothing behind it is lost. */
TEST(what_is_broken_is_passed_over)
{
    expect_map("", "");
    expect_map("--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-x\n+y\n", ""); /* no file has begun */
    expect_map("diff --git \ndiff --git x\n", "");
    expect_map(FILE_OF("a.c") "@@ -1,9 +1,9 @@\n-x\n" FILE_OF("b.c") "@@ -2 +2 @@\n-x\n+y\n",
               "a.c>a.c 1,1+0,0\nb.c>b.c 2,1+2,1\n");
    expect_map(FILE_OF("a.c") "@@ -0,1 +0,1 @@\n+x\n-y\n", "a.c>a.c 0,1+0,1\n");
    expect_map(FILE_OF("a.c") "@@ -0,2 +0,2 @@\n+x\n", "a.c>a.c 0,0+0,1\n");
    expect_map(FILE_OF("a.c") "@@ -1,2 +1,2 @@\n", "a.c>a.c\n");
}

/* A file of which hunks would be missing has none: then all of it counts as changed. */
TEST(no_more_hunks_are_kept_than_a_journal_should_hold)
{
    struct arena arena = { 0 };
    struct line_map map;
    struct buf diff;

    buf_init(&diff, 64 << 20);
    buf_text(&diff, FILE_OF("a.c") "@@ -1 +1 @@\n-x\n+y\n" FILE_OF("b.c"));
    for (uint32_t i = 1; i <= LINE_MAP_HUNKS_MAX; i++) {
        buf_printf(&diff, "@@ -%" PRIu32 " +%" PRIu32 " @@\n-x\n+y\n", 2 * i, 2 * i);
    }
    buf_text(&diff, FILE_OF("c.c") "@@ -1 +1 @@\n-x\n+y\n");
    assert_false(diff.overflow);
    map = line_map_read(buf_str(&diff), &arena);
    assert_int_equal(map.file_count, 3);
    assert_int_equal(map.files[0].hunk_count, 1);
    assert_int_equal(map.files[1].hunk_count, 0);
    assert_int_equal(map.files[2].hunk_count, 0);
    buf_release(&diff);
    arena_release(&arena);
}

/* ---- places ---- */

static void expect_carried(const struct line_map *map, const char *from, bool about,
                           const char *to)
{
    struct str place = str_of(from), file;
    char got[64];
    uint64_t number;
    uint32_t line;

    str_cut(&place, ':', &file);
    assert_true(str_number(place, &number));
    line = (uint32_t)number;
    if (line_map_carry(map, &file, &line) != about) fail_msg("%s", from);
    snprintf(got, sizeof got, "%.*s:%" PRIu32, STR_ARG(file), line);
    assert_string_equal(got, to);
}

TEST(a_place_is_carried_through_hunks_and_renames)
{
    struct arena arena = { 0 };
    struct line_map read = line_map_read(
        STR(GIT("a.c", "b.c") "rename from a.c\nrename to b.c\n" SIDES("a.c", "b.c")
            "@@ -10,2 +10,5 @@\n-x\n-y\n+1\n+2\n+3\n+4\n+5\n@@ -20,3 +22,0 @@\n-x\n-y\n-z\n"
            "@@ -30,0 +31 @@\n+n\n"
            GIT("gone.c", "gone.c") "--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
            GIT("m.c", "m.c") "old mode 100644\nnew mode 100755\n"), &arena);
    struct line_map map = line_map_copy(&read, &arena);

    expect_carried(&map, "a.c:9", false, "b.c:9");
    expect_carried(&map, "a.c:10", true, "b.c:10");
    expect_carried(&map, "a.c:11", true, "b.c:11");
    expect_carried(&map, "a.c:12", false, "b.c:15");
    expect_carried(&map, "./a.c:12", false, "b.c:15");
    expect_carried(&map, "a.c:21", true, "b.c:23"); /* gone: where it was */
    expect_carried(&map, "a.c:23", false, "b.c:23");
    expect_carried(&map, "a.c:30", false, "b.c:30");
    expect_carried(&map, "a.c:31", false, "b.c:32");
    expect_carried(&map, "a.c:0", true, "b.c:0");
    expect_carried(&map, "gone.c:1", true, "gone.c:1");
    expect_carried(&map, "m.c:5", false, "m.c:5");
    expect_carried(&map, "m.c:0", false, "m.c:0");
    expect_carried(&map, "other.c:10", false, "other.c:10");
    expect_carried(&map, "b.c:10", false, "b.c:10"); /* its name of now is none of before */
    assert_true(line_map_wrote(&map, STR("b.c"), 12, 0));
    assert_false(line_map_wrote(&map, STR("b.c"), 15, 0));
    assert_true(line_map_wrote(&map, STR("b.c"), 15, 1));
    assert_false(line_map_wrote(&map, STR("a.c"), 12, 3));
    assert_false(line_map_wrote(&map, STR("m.c"), 5, 3));
    assert_false(line_map_wrote(&map, STR(""), 5, 3));
    arena_release(&arena);
}

/* Numbers that no file has, as a journal could hold them. */
TEST(wild_hunks_do_no_harm)
{
    static const struct line_hunk hunks[] = {
        { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX }, { 0, UINT32_MAX, 0, UINT32_MAX },
        { 5, 0, UINT32_MAX, 0 }, { 1, 1, 1, 1 },
    };
    const struct file_move file = { STR("a.c"), STR("a.c"), hunks, 4 };
    const struct line_map map = { &file, 1 };
    static const uint32_t lines[] = { 0, 1, 5, 1000, UINT32_MAX - 1, UINT32_MAX };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct str name = STR("a.c");
        uint32_t line = lines[i];

        (void)line_map_carry(&map, &name, &line);
        assert_true(str_is(name, "a.c"));
        (void)line_map_wrote(&map, name, lines[i], 3);
    }
}
