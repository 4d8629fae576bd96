/* SPDX-License-Identifier: Apache-2.0
 *
 * test_repairs.c - which findings a repair left unresolved: by what changed, and by its report. */
#include "drive/repairs.h"

#include "format/text/hunks.h"
#include "test.h"

#include <string.h>

/* The review found something in line 40 of a.c. */
static struct finding found = { .fingerprint = 7, .file = STR("a.c"), .line = 40 };

static const char *const words[DOUBT_COUNT] = { "", "unnamed", "untouched", "declined" };

struct scene {
    struct job reviewer;
    struct batch review;
    struct tree_change changes[2];
    struct tree_delta delta;
};

static void begin(struct scene *scene)
{
    *scene = (struct scene){ .reviewer = { .id = 1, .state = JOB_DONE } };
    scene->reviewer.result = (struct result){ .findings = &found, .finding_count = 1 };
    scene->review = (struct batch){ .jobs = &scene->reviewer, .count = 1, .round = 1 };
    scene->changes[0] = (struct tree_change){ .kind = CHANGE_MODIFIED, .path = STR("a.c") };
    scene->delta = (struct tree_delta){ .items = scene->changes, .count = 1 };
}

/* What a fixer leaves of the one finding. */
static const char *doubt(const struct scene *scene, const char *diff, const char *report)
{
    struct repaired repaired = { .review = &scene->review, .delta = &scene->delta,
                                 .report = str_of(report) };
    const struct doubtful *doubts;
    struct arena arena = { 0 };
    enum doubt why = DOUBT_NONE;
    uint32_t count;

    repaired.moved = line_map_read(str_of(diff), &arena);
    count = repair_doubts(&repaired, &arena, &doubts);
    assert_true(count <= 1);
    if (count) {
        assert_int_equal(doubts[0].fingerprint, 7);
        assert_int_equal(doubts[0].line, found.line);
        why = doubts[0].why;
    }
    arena_release(&arena);
    return words[why];
}

#define FILE_OF(name) "diff --git a/" name " b/" name "\n--- a/" name "\n+++ b/" name "\n"
#define HUNK(side) FILE_OF("a.c") "@@ -" side ",1 +1,1 @@\n-x\n+y\n"

TEST(a_finding_with_no_change_near_it_is_unresolved)
{
    static const struct {
        const char *diff, *wanted;
    } rows[] = {
        { HUNK("40"), "" },
        { HUNK("19"), "" },                     /* twenty lines behind its last are near */
        { HUNK("18"), "untouched" },
        { HUNK("60"), "" },                     /* twenty lines in front of it as well */
        { HUNK("61"), "untouched" },
        { FILE_OF("a.c") "@@ -60,0 +61 @@\n+y\n", "" },
        { FILE_OF("a.c") "@@ -61,0 +62 @@\n+y\n", "untouched" },
        { HUNK("1") "@@ -41 +50 @@\n-x\n+y\n", "" },             /* a second place */
        { FILE_OF("b.c") "@@ -40 +40 @@\n-x\n+y\n", "" },        /* of a.c nothing is known */
        { "diff --git a/a.c b/a.c\nBinary files differ\n", "" }, /* nor of its lines */
        { "diff --git a/a.c b/b.c\nrename from a.c\nrename to b.c\n", "untouched" },
        { "", "" },                             /* a diff that could not be made */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        begin(&scene);
        if (strcmp(doubt(&scene, rows[i].diff, "a.c:40 mended"), rows[i].wanted) != 0) {
            fail_msg("row %zu: wanted '%s'", i, rows[i].wanted);
        }
    }
}

/* The report names it and nothing changed near it: the fixer says why it left it. */
TEST(what_is_named_and_not_touched_is_declined)
{
    struct scene scene;

    begin(&scene);
    assert_string_equal(doubt(&scene, HUNK("90"), "a.c:40: not a fault, it is checked before"),
                        "declined");
    assert_string_equal(doubt(&scene, HUNK("90"), "Fixed all of it."), "untouched");
}

/* Said to be fixed, and nothing changed near it: that is no reason for leaving it. */
TEST(what_is_said_to_be_fixed_and_not_touched_is_not_declined)
{
    static const struct {
        const char *report, *wanted;
    } rows[] = {
        { "a.c:40: added a check", "untouched" },
        { "# Fixed: a.c", "untouched" },
        { "## Issues Fixed\n- [high] a.c:40 -- not checked: a check\n## Could Not Fix\nNone.\n",
          "untouched" },
        { "## Issues Fixed\nNone.\n## Could Not Fix\n- a.c:40 -- x: fixed by the caller\n",
          "declined" },
        { "**Fixed:**\n- a.c:40 the sum\n", "untouched" },
        { "## Not fixed\n- a.c:40 the sum\n## Files Modified\n- a.c\n", "declined" },
        { "## Fixed\n- a.c:40\n## Not fixed\n- a.c:400: the caller's\n", "untouched" },
        { "## Fixed\n- a.c, line 40\n## Not fixed\n- b.c:40\n", "untouched" },
        { "## Fixed\n- a.c:9\n## Not fixed\n- a.c, the sum: it is meant so\n", "declined" },
        { "# Done\na.c:40: it is meant so\n", "declined" },
        { "# Done\na.c:40: left as it is, the caller was changed\n", "declined" },
        { "I looked at src/fixed.c and a.c", "declined" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        begin(&scene);
        if (strcmp(doubt(&scene, HUNK("90"), rows[i].report), rows[i].wanted) != 0) {
            fail_msg("%s: wanted '%s'", rows[i].report, rows[i].wanted);
        }
    }
}

TEST(a_file_that_did_not_change_in_content_is_untouched)
{
    static const enum change_kind kinds[] = { CHANGE_HEAD, CHANGE_MODE };
    struct scene scene;

    begin(&scene);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        scene.changes[0].kind = kinds[i];
        assert_string_equal(doubt(&scene, "", "a.c:40: no fault"), "declined");
        assert_string_equal(doubt(&scene, "", "Fixed all of it."), "untouched");
    }
    scene.changes[0] = (struct tree_change){ .kind = CHANGE_MODIFIED, .path = STR("b.c") };
    assert_string_equal(doubt(&scene, "", "a.c:40: no fault"), "declined");
    scene.delta.count = 0;
    assert_string_equal(doubt(&scene, "", "Fixed all of it."), "untouched");
}

TEST(a_finding_that_the_report_does_not_name_is_unresolved)
{
    static const struct {
        const char *report, *wanted;
    } rows[] = {
        { "a.c:40 mended", "" },
        { "I changed `a.c`.", "" },
        { "/home/me/work/a.c", "" },
        { "data.c and a.cc, then b-a.c; a.c too", "" },
        { "data.c:40 and a.cc and b-a.c", "unnamed" },
        { "Fixed all of it.", "unnamed" },
        { "", "unnamed" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        begin(&scene);
        if (strcmp(doubt(&scene, HUNK("40"), rows[i].report), rows[i].wanted) != 0) {
            fail_msg("%s: wanted '%s'", rows[i].report, rows[i].wanted);
        }
    }
}

TEST(without_a_line_any_change_of_the_file_is_near_and_without_a_file_any_change)
{
    struct finding was = found;
    struct scene scene;

    begin(&scene);
    found.line = 0;
    assert_string_equal(doubt(&scene, HUNK("900"), "a.c"), "");
    found.file = STR("");
    assert_string_equal(doubt(&scene, "", "Fixed all of it."), "");
    assert_string_equal(doubt(&scene, "", " \n"), "unnamed");
    scene.delta.count = 0;
    assert_string_equal(doubt(&scene, "", "Fixed all of it."), "untouched");
    assert_string_equal(doubt(&scene, "", "It holds by design."), "declined");
    assert_string_equal(doubt(&scene, "", ""), "untouched");
    found = was;
}
