/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics become findings: with paths that can be trusted, places in bytes, and fixes that fit
 * the files as they are. */
#include "analyze/locate.h"
#include "format/report/fix.h"
#include "ground.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const private_paths[] = { ".agents/", ".hone/", NULL };

struct scene {
    struct ground *ground;
    struct locator locator;
    struct arena arena;
};

static int scene_open(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    void *ground;

    assert_non_null(scene);
    ground_open(&ground);
    scene->ground = ground;
    locator_init(&scene->locator, scene->ground->work, private_paths, false);
    *state = scene;
    return 0;
}

static int scene_close(void **state)
{
    struct scene *scene = *state;
    void *ground = scene->ground;

    locator_release(&scene->locator);
    arena_release(&scene->arena);
    free(scene);
    return ground_close(&ground);
}

static void put_file(struct scene *scene, const char *path, const char *content)
{
    put(at(scene->ground, "work/%s", path), content);
}

static struct place columns(uint32_t line, uint32_t column, uint32_t end_line,
                            uint32_t end_column, enum column_unit unit)
{
    return (struct place){ .line = line, .column = column, .end_line = end_line,
                           .end_column = end_column, .unit = unit };
}

/* ---- paths ---- */

/* What a tool's path is below the workspace; NULL: outside. */
static void expect_path(struct scene *scene, const char *path, const char *folder,
                        const char *below)
{
    struct str found = { NULL, 0 };
    bool inside = locate_path(&scene->locator, str_of(path), folder, &found);

    assert_int_equal(inside, below != NULL);
    if (below) assert_true(str_is(found, below));
}

#define ON_SCENE(name) TEST_WITH(name, scene_open, scene_close)

ON_SCENE(paths_are_taken_from_the_folder_of_the_tool)
{
    struct scene *scene = *state;
    const char *work = scene->ground->work;
    const char *build = at(scene->ground, "work/build");

    put_file(scene, "src/a.c", "");
    put_file(scene, "name with\nline end \x1b[31m.c", "");
    expect_path(scene, "src/a.c", work, "src/a.c");
    expect_path(scene, "./src//a.c", work, "src/a.c");
    expect_path(scene, "../src/a.c", build, "src/a.c");
    expect_path(scene, "../src/./x/../a.c", build, "src/a.c");
    expect_path(scene, at(scene->ground, "work/src/a.c"), build, "src/a.c");
    expect_path(scene, at(scene->ground, "work/build/../src/a.c"), "/", "src/a.c");
    expect_path(scene, "name with\nline end \x1b[31m.c", work, "name with\nline end \x1b[31m.c");
    expect_path(scene, "not/there.c", work, "not/there.c");
    expect_path(scene, "src", work, "src"); /* a folder is no file, but a place */
    expect_path(scene, ".", work, "");      /* the whole */
    expect_path(scene, work, "/", "");
}

ON_SCENE(paths_outside_are_refused)
{
    struct scene *scene = *state;
    const char *work = scene->ground->work;
    struct str found;

    put(at(scene->ground, "out.c"), "");
    put(at(scene->ground, "work-2/b.c"), "");
    put_file(scene, "a.c", "");
    put_file(scene, ".git/config", "");
    put_file(scene, "sub/.git/config", "");
    put_file(scene, ".agents/tmp/x.c", "");
    expect_path(scene, "../out.c", work, NULL);
    expect_path(scene, "x/../../out.c", work, NULL);
    expect_path(scene, at(scene->ground, "out.c"), work, NULL);
    expect_path(scene, at(scene->ground, "work-2/b.c"), work, NULL); /* begins like it */
    expect_path(scene, "/usr/include/stdio.h", work, NULL);
    expect_path(scene, "/", work, NULL);
    expect_path(scene, "", work, NULL);
    expect_path(scene, ".git/config", work, NULL);
    expect_path(scene, "sub/.git/config", work, NULL);
    expect_path(scene, ".agents/tmp/x.c", work, NULL);
    expect_path(scene, "../../../../../../../../../../etc/passwd", work, NULL);
    assert_false(locate_path(&scene->locator, STR("a.c\0x"), work, &found));
}

ON_SCENE(a_link_on_the_way_is_refused_or_followed)
{
    struct scene *scene = *state;
    const char *work = scene->ground->work;

    put(at(scene->ground, "else/b.h"), "");
    put_file(scene, "real/a.h", "");
    put_link(at(scene->ground, "work/link"), "real");
    put_link(at(scene->ground, "work/away"), "../else");
    put_link(at(scene->ground, "work/a.c"), "real/a.h");
    put_link(at(scene->ground, "around"), "work");
    expect_path(scene, "link/a.h", work, NULL);
    expect_path(scene, "away/b.h", work, NULL);
    expect_path(scene, "a.c", work, NULL);
    expect_path(scene, at(scene->ground, "around/real/a.h"), work, NULL);
    scene->locator.follow = true;
    expect_path(scene, "link/a.h", work, "real/a.h");
    expect_path(scene, "a.c", work, "real/a.h");
    expect_path(scene, at(scene->ground, "around/real/a.h"), work, "real/a.h");
    expect_path(scene, "away/b.h", work, NULL); /* it leads out */
    expect_path(scene, "away/../work/real/a.h", work, "real/a.h");
    expect_path(scene, "away/../real/a.h", work, NULL); /* not what its letters say */
}

/* ---- findings ---- */

static struct finding locate(struct scene *scene, const struct diagnostic *diagnostic)
{
    struct finding finding;

    assert_true(locate_finding(&scene->locator, diagnostic, scene->ground->work, &scene->arena,
                               &finding));
    return finding;
}

ON_SCENE(a_finding_has_all_the_tool_said)
{
    struct scene *scene = *state;
    struct diagnostic diagnostic = {
        .severity = SEVERITY_HIGH, .rule = STR("-Wformat"), .text = STR("bad format"),
        .help = STR("https://example.org"), .file = STR("./a.c"),
        .place = columns(2, 5, 2, 8, COLUMN_BYTES),
    };
    struct finding finding;

    put_file(scene, "a.c", "one\n\tputs (x);  \n");
    finding = locate(scene, &diagnostic);
    assert_int_equal(finding.severity, SEVERITY_HIGH);
    assert_true(str_is(finding.kind, "-Wformat"));
    assert_true(str_is(finding.text, "bad format"));
    assert_true(str_is(finding.suggestion, "https://example.org"));
    assert_true(str_is(finding.file, "a.c"));
    assert_true(str_is(finding.evidence, "puts (x);"));
    assert_int_equal(finding.line, 2);
    assert_int_equal(finding.column, 5);
    assert_int_equal(finding.end_line, 2);
    assert_int_equal(finding.end_column, 8);
    assert_int_equal(finding.source.size, 0);
    assert_int_equal(finding.fix.size, 0);
    assert_int_equal(finding.fingerprint, finding_fingerprint(&finding));
}

ON_SCENE(a_place_that_is_not_there_is_left_out_part_by_part)
{
    struct scene *scene = *state;
    struct diagnostic diagnostic = { .text = STR("x"), .file = STR("a.c") };
    struct finding finding;

    put_file(scene, "a.c", "one\ntwo\n");
    diagnostic.place = columns(2, 2, 9, 9, COLUMN_BYTES);
    finding = locate(scene, &diagnostic);
    assert_int_equal(finding.line, 2);
    assert_int_equal(finding.column, 2);
    assert_int_equal(finding.end_line, 0);
    diagnostic.place = columns(2, 99, 2, 100, COLUMN_BYTES);
    finding = locate(scene, &diagnostic);
    assert_int_equal(finding.line, 2);
    assert_int_equal(finding.column, 0);
    assert_true(str_is(finding.evidence, "two"));
    diagnostic.place = columns(77, 1, 77, 2, COLUMN_BYTES);
    finding = locate(scene, &diagnostic);
    assert_int_equal(finding.line, 0);
    assert_int_equal(finding.evidence.size, 0);
    diagnostic.place = columns(1, 0, 0, 0, COLUMN_BYTES); /* a line, and no more was said */
    finding = locate(scene, &diagnostic);
    assert_int_equal(finding.line, 1);
    assert_int_equal(finding.column, 0);
    assert_int_equal(finding.end_line, 0);
    diagnostic.place = (struct place){ .by_offset = true, .offset = 99, .end_offset = 99 };
    finding = locate(scene, &diagnostic);
    assert_int_equal(finding.line, 0);
}

ON_SCENE(a_finding_outside_keeps_its_words)
{
    struct scene *scene = *state;
    struct diagnostic diagnostic = { .text = STR("x"), .rule = STR("r"),
                                     .file = STR("/usr/include/stdio.h") };
    struct finding finding;

    assert_false(locate_finding(&scene->locator, &diagnostic, "/", &scene->arena, &finding));
    assert_true(str_is(finding.text, "x"));
    assert_int_equal(finding.file.size, 0);
    assert_int_equal(finding.line, 0);
}

ON_SCENE(a_finding_about_nothing_or_a_missing_file_stays)
{
    struct scene *scene = *state;
    struct diagnostic diagnostic = { .rule = STR("rule"), .place = columns(3, 1, 3, 2,
                                                                         COLUMN_BYTES) };
    struct finding finding = locate(scene, &diagnostic);

    assert_true(str_is(finding.text, "rule")); /* never without a word */
    assert_int_equal(finding.file.size, 0);
    diagnostic.file = STR("gone.c");
    finding = locate(scene, &diagnostic);
    assert_true(str_is(finding.file, "gone.c"));
    assert_int_equal(finding.line, 3);
    assert_int_equal(finding.column, 0);
}

ON_SCENE(evidence_is_short_and_whole)
{
    struct scene *scene = *state;
    struct diagnostic diagnostic = { .text = STR("x"), .file = STR("a.c"),
                                     .place = { .line = 1 } };
    char line[1001] = "";
    struct finding finding;

    for (size_t i = 0; i < 1000; i += 2) memcpy(line + i, "\xc3\xa4", 2);
    line[0] = line[1] = 'x';
    memmove(line + 1, line + 2, 998); /* an odd beginning: the bound is inside a character */
    put_file(scene, "a.c", line);
    finding = locate(scene, &diagnostic);
    assert_true(finding.evidence.size <= 240);
    assert_true(finding.evidence.size >= 238);
    assert_int_equal((finding.evidence.size - 1) % 2, 0);
}

/* ---- fixes ---- */

static struct finding locate_fix(struct scene *scene, struct tool_fix *fixes, uint32_t count)
{
    struct diagnostic diagnostic = { .text = STR("x"), .file = STR("a.c"), .fixes = fixes,
                                     .fix_count = count };

    return locate(scene, &diagnostic);
}

static struct fixes read_fixes(struct scene *scene, const struct finding *finding)
{
    struct fixes fixes;
    struct err err;

    assert_int_equal(fixes_read(finding->fix, &scene->arena, &fixes, &err), 0);
    return fixes;
}

ON_SCENE(fixes_are_bytes_with_the_hash_of_the_file)
{
    struct scene *scene = *state;
    struct tool_edit edits[] = {
        { .file = STR("./a.c"), .place = columns(2, 2, 2, 3, COLUMN_UTF16), .text = STR("b") },
        { .file = STR("a.c"), .place = columns(1, 1, 1, 1, COLUMN_BYTES), .text = STR("new ") },
    };
    struct tool_fix fix = { .text = STR("mend it"), .edits = edits, .count = 2 };
    struct finding finding;
    struct fixes fixes;

    put_file(scene, "a.c", "one\n\xc3\xa4x\n");
    finding = locate_fix(scene, &fix, 1);
    fixes = read_fixes(scene, &finding);
    assert_int_equal(fixes.count, 1);
    assert_true(str_is(fixes.items[0].text, "mend it"));
    assert_int_equal(fixes.items[0].count, 2);
    assert_int_equal(fixes.items[0].edits[0].start, 0); /* in the order of their places */
    assert_int_equal(fixes.items[0].edits[0].end, 0);
    assert_int_equal(fixes.items[0].edits[1].start, 6);
    assert_int_equal(fixes.items[0].edits[1].end, 7);
    assert_true(str_is(fixes.items[0].edits[1].file, "a.c"));
    assert_int_equal(fixes.items[0].edits[1].hash, content_hash(STR("one\n\xc3\xa4x\n")));
}

static void expect_left_out(struct scene *scene, struct tool_edit edit, enum fix_problem problem)
{
    struct tool_edit good = { .file = STR("a.c"), .place = columns(1, 1, 1, 2, COLUMN_BYTES),
                              .text = STR("O") };
    struct tool_edit both[] = { good, edit };
    struct tool_fix fixes[] = { { .edits = both, .count = 2 }, { .edits = &good, .count = 1 } };
    uint32_t before = scene->locator.fix_problems[problem];
    struct finding finding = locate_fix(scene, fixes, 2);
    struct fixes kept = read_fixes(scene, &finding);

    assert_int_equal(scene->locator.fix_problems[problem], before + 1);
    assert_int_equal(kept.count, 1); /* the alternative stays */
    assert_int_equal(kept.items[0].count, 1);
}

ON_SCENE(a_fix_that_does_not_fit_is_left_out_whole)
{
    struct scene *scene = *state;
    struct findings findings = { 0 };

    put_file(scene, "a.c", "one\ntwo\n");
    put(at(scene->ground, "out.c"), "out\n");
    put_file(scene, "large.c", "");
    assert_int_equal(truncate(at(scene->ground, "work/large.c"), (16 << 20) + 1), 0);
    expect_left_out(scene, (struct tool_edit){ .file = STR("a.c"), .text = STR("x"),
                    .place = columns(9, 1, 9, 2, COLUMN_BYTES) }, FIX_PAST_END);
    expect_left_out(scene, (struct tool_edit){ .file = STR("a.c"), .text = STR("x"),
                    .place = columns(2, 1, 2, 99, COLUMN_BYTES) }, FIX_PAST_END);
    expect_left_out(scene, (struct tool_edit){ .file = STR("../out.c"), .text = STR("x"),
                    .place = columns(1, 1, 1, 2, COLUMN_BYTES) }, FIX_OUTSIDE);
    expect_left_out(scene, (struct tool_edit){ .file = STR(".git/config"), .text = STR("x"),
                    .place = columns(1, 1, 1, 2, COLUMN_BYTES) }, FIX_OUTSIDE);
    expect_left_out(scene, (struct tool_edit){ .file = STR("gone.c"), .text = STR("x"),
                    .place = columns(1, 1, 1, 2, COLUMN_BYTES) }, FIX_MISSING);
    expect_left_out(scene, (struct tool_edit){ .file = STR("large.c"), .text = STR("x"),
                    .place = columns(1, 1, 1, 2, COLUMN_BYTES) }, FIX_LARGE);
    expect_left_out(scene, (struct tool_edit){ .file = STR("a.c"), .text = STR("x"),
                    .place = columns(1, 1, 1, 3, COLUMN_BYTES) }, FIX_OVERLAPS);
    locate_notes(&scene->locator, &findings, &scene->arena);
    assert_int_equal(findings.note_count, 5);
    assert_true(str_is(findings.notes[0], "2 fixes are left out: for a file outside the "
                                          "workspace"));
    assert_true(str_is(findings.notes[1], "1 fix is left out: for a file that is not there"));
    free(findings.notes);
}

ON_SCENE(an_edit_said_twice_counts_once_and_one_that_changes_nothing_not_at_all)
{
    struct scene *scene = *state;
    struct tool_edit edit = { .file = STR("a.c"), .place = columns(1, 1, 1, 4, COLUMN_BYTES),
                              .text = STR("two") };
    struct tool_edit same = { .file = STR("a.c"), .place = columns(1, 1, 1, 4, COLUMN_BYTES),
                              .text = STR("one") };
    struct tool_edit edits[] = { edit, edit, same };
    struct tool_fix fix = { .edits = edits, .count = 3 };
    struct tool_fix nothing = { .edits = &same, .count = 1 };
    struct finding finding;

    put_file(scene, "a.c", "one\n");
    finding = locate_fix(scene, &fix, 1);
    assert_int_equal(read_fixes(scene, &finding).items[0].count, 1);
    finding = locate_fix(scene, &nothing, 1);
    assert_int_equal(finding.fix.size, 0);
}

ON_SCENE(insertions_at_one_place_keep_their_order)
{
    struct scene *scene = *state;
    struct tool_edit edits[] = {
        { .file = STR("a.c"), .place = columns(1, 2, 1, 3, COLUMN_BYTES), .text = STR("N") },
        { .file = STR("a.c"), .place = columns(1, 2, 1, 2, COLUMN_BYTES), .text = STR("\"") },
        { .file = STR("a.c"), .place = columns(1, 2, 1, 2, COLUMN_BYTES), .text = STR("\"") },
        { .file = STR("a.c"), .place = columns(1, 2, 1, 2, COLUMN_BYTES), .text = STR("a") },
        { .file = STR("a.c"), .place = columns(1, 3, 1, 3, COLUMN_BYTES), .text = STR("z") },
    };
    struct tool_fix fix = { .edits = edits, .count = 5 };
    struct finding finding;
    struct fixes fixes;

    put_file(scene, "a.c", "one\n");
    finding = locate_fix(scene, &fix, 1);
    fixes = read_fixes(scene, &finding);
    assert_int_equal(fixes.items[0].count, 2);
    assert_int_equal(fixes.items[0].edits[0].start, 1);
    assert_int_equal(fixes.items[0].edits[0].end, 2);
    assert_true(str_is(fixes.items[0].edits[0].text, "\"\"aN"));
    assert_int_equal(fixes.items[0].edits[1].start, 2);
    assert_true(str_is(fixes.items[0].edits[1].text, "z"));
}

ON_SCENE(a_kept_finding_is_checked_like_a_new_one)
{
    struct scene *scene = *state;
    struct finding good = {
        .file = STR("a.c"),
        .fix = STR("[{\"edits\":[{\"file\":\"a.c\",\"hash\":\"0000000000000001\",\"start\":0,"
                   "\"end\":1,\"text\":\"x\"}]}]"),
    };
    struct finding bad;

    put_file(scene, "a.c", "one\n");
    put_link(at(scene->ground, "work/link.c"), "a.c");
    assert_true(locate_check(&scene->locator, &good));
    bad = good;
    bad.file = STR("../a.c");
    assert_false(locate_check(&scene->locator, &bad));
    bad.file = STR("./a.c");
    assert_false(locate_check(&scene->locator, &bad));
    bad.file = STR("link.c");
    assert_false(locate_check(&scene->locator, &bad));
    bad = good;
    bad.fix = STR("[{\"edits\":[{\"file\":\".git/config\",\"hash\":\"0000000000000001\","
                  "\"start\":0,\"end\":1,\"text\":\"x\"}]}]");
    assert_false(locate_check(&scene->locator, &bad));
    bad.fix = STR("nonsense");
    assert_false(locate_check(&scene->locator, &bad));
}
