/* SPDX-License-Identifier: Apache-2.0
 *
 * test_repairs.c - which findings a repair left unresolved: by what changed, and by its report. */
#include "drive/repairs.h"

#include "test.h"

#include <string.h>

/* The review found something in line 40 of a.c. */
static struct finding found = { .fingerprint = 7, .file = STR("a.c"), .line = 40 };

static const char *const words[DOUBT_COUNT] = { "", "unnamed", "untouched" };

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
                                 .diff = str_of(diff), .report = str_of(report) };
    const struct doubtful *doubts;
    struct arena arena = { 0 };
    enum doubt why = DOUBT_NONE;
    uint32_t count = repair_doubts(&repaired, &arena, &doubts);

    assert_true(count <= 1);
    if (count) {
        assert_int_equal(doubts[0].fingerprint, 7);
        assert_int_equal(doubts[0].line, found.line);
        why = doubts[0].why;
    }
    arena_release(&arena);
    return words[why];
}

#define HUNK(side) "--- a/a.c\n+++ b/a.c\n@@ " side " +1,9 @@\n-x\n+y\n"

TEST(a_finding_with_no_change_near_it_is_unresolved)
{
    static const struct {
        const char *diff, *wanted;
    } rows[] = {
        { HUNK("-40,3"), "" },
        { HUNK("-40"), "" },
        { HUNK("-20,1"), "" },                    /* twenty lines away are near */
        { HUNK("-60,1"), "" },
        { HUNK("-61,1"), "untouched" },
        { HUNK("-1,10"), "untouched" },
        { HUNK("-1,200"), "" },                   /* inside of it */
        { HUNK("-1,2") "@@ -41,2 +50,2 @@\n", "" }, /* a second place */
        { "--- a/b.c\n+++ b/b.c\n@@ -40,3 +40,3 @@\n", "" }, /* of a.c nothing is known */
        { "", "" },                               /* a diff that could not be made */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        begin(&scene);
        if (strcmp(doubt(&scene, rows[i].diff, "a.c:40 mended"), rows[i].wanted) != 0) {
            fail_msg("row %zu: wanted '%s'", i, rows[i].wanted);
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
        assert_string_equal(doubt(&scene, "", "a.c:40 mended"), "untouched");
    }
    scene.changes[0] = (struct tree_change){ .kind = CHANGE_MODIFIED, .path = STR("b.c") };
    assert_string_equal(doubt(&scene, "", "a.c:40 mended"), "untouched");
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
        if (strcmp(doubt(&scene, HUNK("-40,3"), rows[i].report), rows[i].wanted) != 0) {
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
    assert_string_equal(doubt(&scene, HUNK("-900,1"), "a.c"), "");
    found.file = STR("");
    assert_string_equal(doubt(&scene, "", "Fixed all of it."), "");
    assert_string_equal(doubt(&scene, "", " \n"), "unnamed");
    scene.delta.count = 0;
    assert_string_equal(doubt(&scene, "", "Fixed all of it."), "untouched");
    found = was;
}
