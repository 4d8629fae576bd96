/* SPDX-License-Identifier: Apache-2.0
 *
 * test_project_includes.c - what units depend on, what makes them wanted, and when their key
 * changes. */
#include "project_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t key_of(const struct ground *ground, const char *path)
{
    struct project project;
    uint64_t key;

    scene_includes(&project, ground, NULL);
    key = source_key(&project, scene_source(&project, path));
    project_release(&project);
    return key;
}

static void put_flags(const struct ground *ground, const char *flags)
{
    char text[512];

    snprintf(text, sizeof text, "all:\n\tcc %s -c a.c\n", flags);
    put(at(ground, "work/Makefile"), text);
}

/* ---- which files ---- */

IN_REPOSITORY(headers_are_found_as_the_compiler_finds_them)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/src/a.c"), "#include \"x.h\"\n#include <y.h>\n");
    put(at(ground, "work/src/x.h"), "#include \"deep/z.h\"\n");
    put(at(ground, "work/x.h"), "");
    put(at(ground, "work/src/y.h"), "");
    put(at(ground, "work/inc/y.h"), "#include \"../top.h\"\n");
    put(at(ground, "work/src/deep/z.h"), "#include \"x.h\"\n"); /* by -I: not beside it */
    put(at(ground, "work/top.h"), "");
    put(at(ground, "work/Makefile"), "all:\n\tcc -Iinc -Isrc -c src/a.c\n");
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "src/a.c", "inc/y.h src/deep/z.h src/x.h top.h");
    expect_includes(&project, "src/x.h", "");
    assert_false(scene_source(&project, "src/a.c")->uncertain);
    project_release(&project);
}

IN_REPOSITORY(each_flag_has_its_place_in_the_search)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"x.h\"\n");
    put(at(ground, "work/b.c"), "#include <x.h>\n");
    put(at(ground, "work/quote/x.h"), "");
    put(at(ground, "work/plain/x.h"), "");
    put(at(ground, "work/system/x.h"), "");
    put(at(ground, "work/after/x.h"), "");
    put(at(ground, "work/forced.h"), "");
    put(at(ground, "work/Makefile"), "all:\n\tcc -idirafter after -isystem system -Iplain "
        "-iquote quote -include forced.h -c a.c b.c\n");
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "a.c", "forced.h quote/x.h");
    expect_includes(&project, "b.c", "forced.h plain/x.h");
    remove_all(at(ground, "work/quote"));
    remove_all(at(ground, "work/plain"));
    project_release(&project);
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "a.c", "forced.h system/x.h");
    project_release(&project);
}

IN_REPOSITORY(units_may_find_different_files_for_one_name)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"shared.h\"\n");
    put(at(ground, "work/b.c"), "#include \"shared.h\"\n");
    put(at(ground, "work/shared.h"), "#include <config.h>\n");
    put(at(ground, "work/one/config.h"), "");
    put(at(ground, "work/two/config.h"), "");
    put(at(ground, "work/Makefile"), "all:\n\tcc -Ione -c a.c\n\tcc -Itwo -c b.c\n");
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "a.c", "one/config.h shared.h");
    expect_includes(&project, "b.c", "shared.h two/config.h");
    project_release(&project);
}

IN_REPOSITORY(the_next_of_a_name_is_any_of_them)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include <x.h>\n");
    put(at(ground, "work/one/x.h"), "#include_next <x.h>\n");
    put(at(ground, "work/two/x.h"), "");
    put(at(ground, "work/three/x.h"), "");
    put_flags(ground, "-Ione -Itwo -Ithree");
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "a.c", "one/x.h three/x.h two/x.h");
    project_release(&project);
}

IN_REPOSITORY(circles_end)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"x.h\"\n#include \"a.c\"\n");
    put(at(ground, "work/x.h"), "#include \"y.h\"\n");
    put(at(ground, "work/y.h"), "#include \"x.h\"\n#include \"y.h\"\n");
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "a.c", "x.h y.h");
    project_release(&project);
}

IN_REPOSITORY(a_link_to_a_header_is_that_header)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"link.h\"\n#include \"dir/x.h\"\n");
    put(at(ground, "work/real.h"), "");
    put(at(ground, "work/inc/x.h"), "");
    put_link(at(ground, "work/link.h"), "real.h");
    put_link(at(ground, "work/dir"), "inc");
    scene_includes(&project, ground, NULL);
    expect_includes(&project, "a.c", "inc/x.h real.h");
    project_release(&project);
}

/* ---- what is wanted ---- */

IN_REPOSITORY(who_includes_what_changed_is_wanted)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"x.h\"\n");
    put(at(ground, "work/b.c"), "#include \"y.h\"\n");
    put(at(ground, "work/c.c"), "");
    put(at(ground, "work/d.sh"), "");
    put(at(ground, "work/x.h"), "#include \"y.h\"\n");
    put(at(ground, "work/y.h"), "");
    put(at(ground, "work/z.h"), "#include \"y.h\"\n");
    commit_all(ground);
    put(at(ground, "work/x.h"), "#include \"y.h\"\nint x;\n");
    scene_includes(&project, ground, "HEAD");
    expect_wanted(&project, "a.c x.h");
    assert_false(scene_source(&project, "a.c")->changed);
    project_release(&project);
    put(at(ground, "work/y.h"), "int y;\n");
    put(at(ground, "work/d.sh"), "echo\n");
    scene_includes(&project, ground, "HEAD");
    expect_wanted(&project, "a.c b.c d.sh x.h y.h");
    project_release(&project);
}

IN_REPOSITORY(who_includes_a_changed_file_of_any_name_is_wanted)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"table.inc\"\n");
    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/table.inc"), "1,\n");
    commit_all(ground);
    put(at(ground, "work/table.inc"), "2,\n");
    scene_includes(&project, ground, "HEAD");
    expect_wanted(&project, "a.c");
    project_release(&project);
}

/* ---- the key ---- */

IN_REPOSITORY(the_key_changes_with_all_that_a_unit_reads)
{
    const struct ground *ground = *state;
    uint64_t key, next;

    put(at(ground, "work/.gitignore"), "made.h\n");
    put(at(ground, "work/a.c"), "#include \"x.h\"\n#include \"made.h\"\n#include <none.h>\n");
    put(at(ground, "work/x.h"), "#include \"y.h\"\n");
    put(at(ground, "work/y.h"), "");
    put(at(ground, "work/made.h"), "");
    put_flags(ground, "-I. -Ilater");
    key = key_of(ground, "a.c");
    assert_true(key == key_of(ground, "a.c"));
    put(at(ground, "work/b.c"), "int other;\n");
    put(at(ground, "work/z.h"), "int other;\n");
    assert_true(key == key_of(ground, "a.c"));

    put(at(ground, "work/y.h"), "int y;\n");
    assert_true(key != (next = key_of(ground, "a.c")));
    key = next;
    put(at(ground, "work/made.h"), "int made;\n");
    assert_true(key != (next = key_of(ground, "a.c")));
    key = next;
    put_flags(ground, "-I. -DX");
    assert_true(key != (next = key_of(ground, "a.c")));
    key = next;
    put(at(ground, "work/none.h"), "");
    assert_true(key != (next = key_of(ground, "a.c")));
    key = next;
    put(at(ground, "work/a.c"), "#include \"x.h\"\n#include \"made.h\"\n#include <none.h>\n\n");
    assert_true(key != key_of(ground, "a.c"));
}

IN_REPOSITORY(a_header_that_comes_in_between_changes_the_key)
{
    const struct ground *ground = *state;
    uint64_t key;

    put(at(ground, "work/a.c"), "#include <x.h>\n");
    put(at(ground, "work/two/x.h"), "");
    make_folder(at(ground, "work/one"));
    put_flags(ground, "-Ione -Itwo");
    key = key_of(ground, "a.c");
    put(at(ground, "work/one/x.h"), "");
    assert_true(key != key_of(ground, "a.c"));
}

IN_REPOSITORY(keys_of_units_with_equal_content_differ)
{
    const struct ground *ground = *state;

    put(at(ground, "work/a.c"), "int x;\n");
    put(at(ground, "work/b.c"), "int x;\n");
    assert_true(key_of(ground, "a.c") != key_of(ground, "b.c"));
}

IN_REPOSITORY(system_headers_are_part_of_it)
{
    const struct ground *ground = *state;
    struct project project;
    uint64_t outside;

    put(at(ground, "work/a.c"), "#include <stdio.h>\n");
    put(at(ground, "work/b.c"), "");
    scene_includes(&project, ground, NULL);
    outside = scene_source(&project, "a.c")->outside_hash;
    assert_true(outside != 0);
    assert_true(scene_source(&project, "b.c")->outside_hash == 0);
    assert_false(scene_source(&project, "a.c")->uncertain);
    project_release(&project);
    put(at(ground, "work/a.c"), "#include <string.h>\n");
    scene_includes(&project, ground, NULL);
    assert_true(scene_source(&project, "a.c")->outside_hash != outside);
    project_release(&project);
}

IN_REPOSITORY(who_includes_by_a_macro_is_uncertain)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"x.h\"\n");
    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/x.h"), "#include CONFIG\n");
    scene_includes(&project, ground, NULL);
    assert_true(scene_source(&project, "a.c")->uncertain);
    assert_false(scene_source(&project, "b.c")->uncertain);
    project_release(&project);
}

/* ---- what cannot be read ---- */

/* What is wrong with a source; NULL: nothing, which is right where there is no such source. */
static void expect_problem(const struct ground *ground, const struct scope *scope,
                           const char *path, const char *problem)
{
    const struct source *source;
    struct project project;
    struct err err = { 0 };

    assert_int_equal(project_open(&project, ground->work, scope, NULL, &err), 0);
    assert_int_equal(project_find_flags(&project, &err), 0);
    assert_int_equal(project_find_includes(&project, &err), 0);
    source = project_source(&project, str_of(path));
    if (problem) assert_non_null(source);
    if (problem) assert_string_equal(source->problem, problem);
    else assert_true(!source || !source->problem);
    project_release(&project);
}

static void put_binary(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite("\177ELF\0\0\0", 1, 7, file), 7);
    fclose(file);
}

IN_REPOSITORY(a_source_that_is_no_text_is_a_problem_of_those_that_need_it)
{
    static const char *const without[] = { "bin.*", NULL };
    static const char no_text[] = "it is no text, although its name says so";
    const struct ground *ground = *state;

    put(at(ground, "work/a.c"), "#include \"bin.h\"\n");
    put(at(ground, "work/b.c"), "int b;\n");
    commit_all(ground);
    put_binary(at(ground, "work/bin.h"));
    expect_problem(ground, &(struct scope){ 0 }, "bin.h", no_text);
    expect_problem(ground, &(struct scope){ 0 }, "a.c",
                   "it includes bin.h: it is no text, although its name says so");
    expect_problem(ground, &(struct scope){ 0 }, "b.c", NULL);
    expect_problem(ground, &(struct scope){ .exclude = without }, "a.c", NULL);
}

IN_REPOSITORY(a_script_that_is_no_text_has_a_problem)
{
    const struct ground *ground = *state;

    put_binary(at(ground, "work/run\n.sh"));
    expect_problem(ground, &(struct scope){ 0 }, "run\n.sh",
                   "it is no text, although its name says so");
}

IN_REPOSITORY(a_source_that_is_too_large_has_a_problem)
{
    const struct ground *ground = *state;

    put(at(ground, "work/huge.c"), "");
    assert_int_equal(truncate(at(ground, "work/huge.c"), 100 << 20), 0);
    expect_problem(ground, &(struct scope){ 0 }, "huge.c", "it is larger than 16 MB");
}

IN_REPOSITORY(a_file_outside_that_cannot_be_read_makes_it_uncertain)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/.gitignore"), "huge.inc\n");
    put(at(ground, "work/a.c"), "#include \"huge.inc\"\n");
    put(at(ground, "work/huge.inc"), "");
    assert_int_equal(truncate(at(ground, "work/huge.inc"), 100 << 20), 0);
    scene_includes(&project, ground, NULL);
    assert_true(scene_source(&project, "a.c")->uncertain);
    project_release(&project);
}
