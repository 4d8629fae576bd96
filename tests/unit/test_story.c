/* SPDX-License-Identifier: Apache-2.0
 *
 * test_story.c - the hunks of a diff that are about one place, and what became of an entry. */
#include "format/report/story.h"

#include "test.h"

static const char diff[] =
    "diff --git a/src/a b.c b/src/a b.c\n"
    "index 111..222 100644\n"
    "--- a/src/a b.c\t\n"
    "+++ b/src/a b.c\t\n"
    "@@ -3,7 +3,8 @@ int f(void)\n"
    " three\n four\n five\n-six\n+SIX\n+six and a half\n seven\n eight\n nine\n"
    "@@ -40,3 +41,2 @@\n"
    " forty\n-diff --git a/no b/no\n forty-two\n"
    "\\ No newline at end of file\n"
    "diff --git a/gone.c b/gone.c\n"
    "deleted file mode 100644\n"
    "index 333..000\n"
    "--- a/gone.c\n"
    "+++ /dev/null\n"
    "@@ -1 +0,0 @@\n"
    "-last\n"
    "diff --git a/new.c b/new.c\n"
    "new file mode 100644\n"
    "--- /dev/null\n"
    "+++ b/new.c\n"
    "@@ -0,0 +1 @@\n"
    "+first\n"
    "diff --git a/run.sh b/run.sh\n"
    "old mode 100644\n"
    "new mode 100755\n"
    "diff --git a/x.png b/x.png\n"
    "Binary files a/x.png and b/x.png differ\n";

static void expect_file(struct str *rest, const char *name, uint32_t hunks)
{
    struct story_file got;
    struct story_hunk hunk;
    struct buf path;
    uint32_t count = 0;

    assert_true(story_diff_file(rest, &got));
    buf_init(&path, 4096);
    story_diff_name(got.name, &path);
    assert_string_equal(buf_cstr(&path), name);
    buf_release(&path);
    while (story_diff_hunk(&got.hunks, &hunk)) count++;
    assert_int_equal(count, hunks);
}

TEST(files_of_a_diff_by_name)
{
    struct str rest = str_of(diff);
    struct story_file file;

    expect_file(&rest, "src/a b.c", 2);
    expect_file(&rest, "gone.c", 1);
    expect_file(&rest, "new.c", 1);
    expect_file(&rest, "run.sh", 0);
    expect_file(&rest, "x.png", 0);
    assert_false(story_diff_file(&rest, &file));
}

TEST(what_became_of_a_file)
{
    struct str rest = str_of(diff);
    struct story_file file;

    assert_true(story_diff_file(&rest, &file));
    assert_false(file.made || file.deleted || file.binary);
    assert_true(story_diff_file(&rest, &file));
    assert_true(file.deleted && !file.made);
    assert_true(story_diff_file(&rest, &file));
    assert_true(file.made && !file.deleted);
    assert_true(story_diff_file(&rest, &file));
    assert_false(file.made || file.deleted || file.binary);
    assert_true(story_diff_file(&rest, &file));
    assert_true(file.binary);
}

TEST(names_that_git_quotes)
{
    struct str rest = STR("diff --git \"a/\\303\\244\\t\\\"x\" \"b/\\303\\244\\t\\\"x\"\n"
                          "--- \"a/\\303\\244\\t\\\"x\"\n+++ \"b/\\303\\244\\t\\\"x\"\n"
                          "@@ -1 +1 @@\n-a\n+b\n"
                          "diff --git \"a/\\\\\" \"b/\\\\\"\nold mode 100644\n"
                          "diff --git \"a/\\\" \"b/\\\"\nold mode 100644\n");

    expect_file(&rest, "\xc3\xa4\t\"x", 1);
    expect_file(&rest, "\\", 0);
    expect_file(&rest, "\\", 0);
}

TEST(hunks_with_their_lines)
{
    struct str rest = str_of(diff);
    struct story_file file;
    struct story_hunk first, second;

    assert_true(story_diff_file(&rest, &file));
    assert_true(story_diff_hunk(&file.hunks, &first));
    assert_int_equal(first.old_first, 3);
    assert_true(str_ends(first.lines, STR(" nine\n")));
    assert_true(story_diff_hunk(&file.hunks, &second));
    assert_int_equal(second.new_first, 41);
    assert_int_equal(second.old_count, 3);
    assert_int_equal(second.new_count, 2);
    assert_true(str_ends(second.lines, STR("end of file\n")));
}

TEST(a_hunk_is_near_the_lines_that_it_shows)
{
    struct str rest = str_of(diff);
    struct story_file file;
    struct story_hunk hunk;

    assert_true(story_diff_file(&rest, &file));
    assert_true(story_diff_hunk(&file.hunks, &hunk));
    assert_true(story_hunk_is_near(&hunk, 6));
    assert_true(story_hunk_is_near(&hunk, 1));
    assert_true(story_hunk_is_near(&hunk, 12));
    assert_false(story_hunk_is_near(&hunk, 15));
    assert_false(story_hunk_is_near(&hunk, 40));
}

TEST(a_line_is_found_again_behind_the_hunks)
{
    static const char hunks[] = "@@ -3,7 +3,8 @@\n three\n four\n-five\n-six\n+FIVE\n+more\n"
                                "+SIX\n seven\n eight\n nine\n"
                                "@@ -20,4 +21,2 @@\n twenty\n-21\n-22\n\\ No newline\n last\n"
                                "@@ -30,0 +30,2 @@\n+a\n+b\n";
    static const uint32_t lines[][2] = {
        { 1, 1 }, { 3, 3 }, { 4, 4 }, /* before, and as it was */
        { 5, 5 }, { 6, 5 },           /* it went: the first of what came */
        { 7, 8 }, { 9, 10 }, { 10, 11 }, { 20, 21 },
        { 21, 22 }, { 22, 22 }, { 23, 22 }, /* it went, and nothing came */
        { 24, 23 }, { 30, 29 }, { 31, 32 }, /* what came stands behind line 30 */
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(story_hunks_line(str_of(hunks), lines[i][0]), lines[i][1]);
    }
    assert_int_equal(story_hunks_line(STR(""), 7), 7);
    assert_int_equal(story_hunks_line(STR("@@ -1,2 +0,0 @@\n-a\n-b\n"), 2), 1);
}

TEST(what_is_no_diff_has_no_file)
{
    struct str rest = STR("modified x (its content cannot be shown)\n(cut: 3 of 9 bytes)\n");
    struct story_file file;

    assert_false(story_diff_file(&rest, &file));
    rest = STR("diff --git ");
    assert_true(story_diff_file(&rest, &file));
    assert_int_equal(file.hunks.size, 0);
}

TEST(a_fate_is_found_by_its_entry)
{
    struct story_fate fates[] = { { .order = 3 }, { .order = 9 }, { .order = 70 } };
    struct story story = { .fates = fates, .fate_count = 3 };

    for (uint32_t i = 0; i < 3; i++) {
        struct ledger_entry entry = { .order = fates[i].order };
        assert_ptr_equal(story_fate(&story, &entry), &fates[i]);
    }
    assert_null(story_fate(&story, &(struct ledger_entry){ .order = 10 }));
    assert_null(story_fate(NULL, &(struct ledger_entry){ .order = 9 }));
}
