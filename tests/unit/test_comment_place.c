/* SPDX-License-Identifier: Apache-2.0
 *
 * test_comment_place.c - where in a diff a finding stands, and what is offered instead. */
#include "format/report/comment.h"

#include "format/report/fix.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char diff[] =
    "diff --git a/a.c b/a.c\n"
    "index 1111111..2222222 100644\n"
    "--- a/a.c\n"
    "+++ b/a.c\n"
    "@@ -2,5 +2,6 @@ int f(void)\n"
    " two\n"
    " three\n"
    "-four\n"
    "+FOUR\n"
    "+FIVE\n"
    " six\n"
    " seven\n"
    "@@ -20,3 +21,2 @@\n"
    " twenty\n"
    "-gone\n"
    " end\n"
    "diff --git a/old b.c b/new b.c\n"
    "similarity index 90%\n"
    "rename from old b.c\n"
    "rename to new b.c\n"
    "index 3333333..4444444 100644\n"
    "--- a/old b.c\t\n"
    "+++ b/new b.c\t\n"
    "@@ -1 +1,2 @@\n"
    " one\n"
    "+two\n"
    "\\ No newline at end of file\n"
    "diff --git \"a/t\\303\\244\\\"x\" \"b/t\\303\\244\\\"x\"\n"
    "new file mode 100644\n"
    "index 0000000..5555555\n"
    "--- /dev/null\n"
    "+++ \"b/t\\303\\244\\\"x\"\n"
    "@@ -0,0 +1,2 @@\n"
    "+diff --git a/evil b/evil\n"
    "++++ b/evil\n"
    "diff --git a/gone.c b/gone.c\n"
    "deleted file mode 100644\n"
    "index 6666666..0000000\n"
    "--- a/gone.c\n"
    "+++ /dev/null\n"
    "@@ -1 +0,0 @@\n"
    "-gone\n"
    "diff --git a/moved b/renamed\n"
    "similarity index 100%\n"
    "rename from moved\n"
    "rename to renamed\n";

static struct comment_item placed(struct finding finding, enum comment_filter filter,
                                  struct str content, struct arena *arena)
{
    struct diff_places places = diff_places_read(str_of(diff), arena);
    struct ledger_entry *entry = arena_alloc(arena, sizeof *entry);
    struct comment_item item = { .entry = entry };

    entry->finding = finding;
    comment_item_place(&item, &places, filter, content, arena);
    return item;
}

/* start 0: it has no place. */
static void expect_place(struct finding finding, enum comment_filter filter, uint32_t start,
                         uint32_t line, uint32_t old_line)
{
    struct arena arena = { 0 };
    struct comment_item item = placed(finding, filter, (struct str){ NULL, 0 }, &arena);

    assert_int_equal(item.left != NULL, start == 0);
    if (start > 0) {
        assert_int_equal(item.place.start_line, start);
        assert_int_equal(item.place.line, line);
        assert_int_equal(item.place.at.added ? 0 : item.place.at.old, old_line);
        assert_true(str_eq(item.place.path, finding.file));
    }
    arena_release(&arena);
}

/* Where its lines stand in the older file: what was added, before which line. */
static void expect_old(struct finding finding, uint32_t first, uint32_t last)
{
    struct arena arena = { 0 };
    struct comment_item item = placed(finding, COMMENT_ADDED, (struct str){ NULL, 0 }, &arena);

    assert_null(item.left);
    assert_int_equal(item.place.start_at.old, first);
    assert_int_equal(item.place.at.old, last);
    arena_release(&arena);
}

TEST(a_diff_is_read)
{
    struct arena arena = { 0 };
    struct diff_places places = diff_places_read(str_of(diff), &arena);
    const struct diff_file *file;

    assert_int_equal(places.count, 5);
    file = diff_places_file(&places, STR("a.c"));
    assert_int_equal(file->hunk_count, 2);
    assert_true(str_is(file->blob, "2222222"));
    assert_true(str_is(diff_places_file(&places, STR("new b.c"))->old_path, "old b.c"));
    assert_non_null(diff_places_file(&places, STR("t\xc3\xa4\"x")));
    assert_null(diff_places_file(&places, STR("evil")));
    assert_null(diff_places_file(&places, STR("gone.c")));
    assert_null(diff_places_file(&places, STR("")));
    assert_int_equal(diff_places_file(&places, STR("renamed"))->hunk_count, 0);
    assert_int_equal(diff_places_read(STR("@@ -1 +1,9999999 @@\n+x\n"), &arena).count, 0);
    assert_int_equal(diff_places_read(STR("diff --git a/x b/x\n+++ b/x\n@@ -0,0 +1,2147483647 @@\n"
                                          "+x\n"), &arena).files[0].hunk_count, 0);
    arena_release(&arena);
}

TEST(only_lines_that_the_diff_shows)
{
    struct finding at4 = { .file = STR("a.c"), .line = 4 }, at3 = { .file = STR("a.c"), .line = 3 };
    struct finding at9 = { .file = STR("a.c"), .line = 9 };
    struct finding late = { .file = STR("a.c"), .line = 22 };

    expect_place(at4, COMMENT_ADDED, 4, 4, 0);
    expect_place(at3, COMMENT_ADDED, 0, 0, 0);
    expect_place(at3, COMMENT_DIFF_CONTEXT, 3, 3, 3);
    expect_place(at9, COMMENT_DIFF_CONTEXT, 0, 0, 0);
    expect_place(late, COMMENT_ADDED, 0, 0, 0);
    expect_place(late, COMMENT_DIFF_CONTEXT, 22, 22, 22);
    expect_place((struct finding){ .file = STR("a.c") }, COMMENT_DIFF_CONTEXT, 0, 0, 0);
    expect_place((struct finding){ .file = STR("gone.c"), .line = 1 }, COMMENT_DIFF_CONTEXT,
                 0, 0, 0);
    expect_place((struct finding){ .file = STR("z.c"), .line = 1 }, COMMENT_DIFF_CONTEXT, 0, 0, 0);
    expect_place((struct finding){ .file = STR("new b.c"), .line = 2 }, COMMENT_ADDED, 2, 2, 0);
}

TEST(several_lines_that_lie_in_one_hunk)
{
    struct finding finding = { .file = STR("a.c"), .line = 3, .end_line = 5 };

    expect_place(finding, COMMENT_ADDED, 3, 5, 0);
    expect_old(finding, 3, 5);
    finding.line = 4;
    finding.end_line = 6;
    expect_old(finding, 5, 5);
    finding.line = 3;
    finding.end_line = 21; /* into another hunk: the first that fits */
    expect_place(finding, COMMENT_ADDED, 4, 4, 0);
    expect_place(finding, COMMENT_DIFF_CONTEXT, 3, 3, 3);
    finding.end_line = UINT32_MAX;
    expect_place(finding, COMMENT_ADDED, 4, 4, 0);
    finding = (struct finding){ .file = STR("a.c"), .line = 3, .column = 2, .end_line = 5,
                                .end_column = 1 }; /* up to the end of line 4 */
    expect_place(finding, COMMENT_ADDED, 3, 4, 0);
    finding = (struct finding){ .file = STR("a.c"), .line = 4, .end_line = 2 };
    expect_place(finding, COMMENT_ADDED, 4, 4, 0);
}

static const char content[] = "one\ntwo\nthree\nFOUR\nFIVE\nsix\nseven\n";

/* A fix of one edit, and the lines that are offered; instead NULL: none are. */
static void expect_instead(uint64_t start, uint64_t end, const char *text, const char *instead,
                           uint32_t first, uint32_t last)
{
    struct arena arena = { 0 };
    struct edit edit = { .file = STR("a.c"), .hash = content_hash(str_of(content)), .start = start,
                         .end = end, .text = str_of(text) };
    struct fix fix = { .edits = &edit, .count = 1 };
    struct fixes fixes = { .items = &fix, .count = 1 };
    struct finding finding = { .file = STR("a.c"), .line = 4 };
    struct comment_item item;
    struct buf json;

    buf_init(&json, 1 << 16);
    fixes_write(&fixes, &json);
    finding.fix = buf_str(&json);
    item = placed(finding, COMMENT_ADDED, str_of(content), &arena);
    assert_null(item.left);
    assert_int_equal(item.has_instead, instead != NULL);
    if (instead) {
        assert_true(str_is(item.instead, instead));
        assert_int_equal(item.place.start_line, first);
        assert_int_equal(item.place.line, last);
    }
    item = placed(finding, COMMENT_ADDED, STR("another"), &arena);
    assert_false(item.has_instead); /* of another file it is no fix */
    buf_release(&json);
    arena_release(&arena);
}

TEST(a_fix_is_offered_as_whole_lines)
{
    expect_instead(14, 18, "four", "four", 4, 4);           /* FOUR */
    expect_instead(16, 21, "u", "FOuVE", 4, 5);             /* over a line end */
    expect_instead(14, 19, "", "", 4, 4);                   /* the line goes */
    expect_instead(18, 19, "", "FOURFIVE", 4, 5);           /* its end goes: the next, too */
    expect_instead(14, 14, "x = 1;\n", "x = 1;\nFOUR", 4, 4);
    expect_instead(8, 9, "T", NULL, 0, 0);                  /* in context alone: not there */
    expect_instead(34, 34, "end\n", NULL, 0, 0);
}

TEST(what_a_page_would_not_show_as_it_is_is_not_offered)
{
    expect_instead(14, 18, "```", NULL, 0, 0);
    expect_instead(14, 18, "~~~", NULL, 0, 0);
    expect_instead(14, 18, "/close", NULL, 0, 0);
    expect_instead(14, 18, "x\n/merge", NULL, 0, 0);
    expect_instead(14, 18, "a\xe2\x80\xae" "b", NULL, 0, 0);
    expect_instead(14, 18, "a\x1b[31m", NULL, 0, 0);
    expect_instead(14, 18, "a / b", "a / b", 4, 4);
}
