/* SPDX-License-Identifier: Apache-2.0
 *
 * test_project_flags.c - how units are compiled: by the list that a build wrote, by make, by their
 * neighbours, by a guess. */
#include "io/process/sandbox.h"
#include "project_scene.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text; valid until the next call. */
__attribute__((format(printf, 1, 2))) static const char *text_of(const char *format, ...)
{
    static char text[8 * GROUND_PATH_BYTES];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_in_range(size, 0, sizeof text - 1);
    return text;
}

/* compile_commands.json in a folder below work, with one command. */
static void put_database(const struct ground *ground, const char *folder, const char *directory,
                         const char *file, const char *command)
{
    put(at(ground, "work/%scompile_commands.json", folder),
        text_of("[{\"directory\":\"%s\",\"file\":\"%s\",\"command\":\"%s\"}]", directory, file,
                command));
}

/* ---- compile_commands.json ---- */

IN_REPOSITORY(the_list_of_a_build_is_read)
{
    static const char *const folders[] = { "", "build/", "out/", "cmake-build-debug/" };
    const struct ground *ground = *state;

    put(at(ground, "work/src/a.c"), "");
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        struct project project;

        put_database(ground, folders[i], at(ground, "work/src"), "a.c", "cc -I../inc -O2 -c a.c");
        scene_flags(&project, ground, NULL);
        expect_flags(&project, "src/a.c", "-I../inc");
        assert_string_equal(scene_source(&project, "src/a.c")->folder, at(ground, "work/src"));
        assert_string_equal(project.flags_from, text_of("%scompile_commands.json", folders[i]));
        project_release(&project);
        remove_all(at(ground, "work/%scompile_commands.json", folders[i]));
    }
}

IN_REPOSITORY(the_list_may_be_a_link)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put_database(ground, "some/where/", ground->work, at(ground, "work/./x/../a.c"),
                 "cc -DA -c a.c");
    put_link(at(ground, "work/compile_commands.json"), "some/where/compile_commands.json");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DA");
    project_release(&project);
}

IN_REPOSITORY(a_list_through_other_names_of_the_workspace_is_read)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/b.c"), "");
    put_link(at(ground, "alias"), "work");
    put(at(ground, "work/compile_commands.json"),
        text_of("[{\"directory\":\"%s\",\"file\":\"a.c\",\"command\":\"cc -DA\"},"
                "{\"directory\":\"/\",\"file\":\"%s/b.c\",\"command\":\"cc -DB\"}]",
                at(ground, "alias"), at(ground, "alias")));
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DA");
    assert_string_equal(scene_source(&project, "a.c")->folder, ground->work);
    expect_flags(&project, "b.c", "-DB");
    assert_string_equal(scene_source(&project, "b.c")->folder, "/");
    project_release(&project);
}

IN_REPOSITORY(a_list_that_is_none_is_refused_by_name)
{
    const struct ground *ground = *state;
    const struct scope scope = { 0 };
    struct project project;
    struct err err = { 0 };

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/build/compile_commands.json"), "[{\n");
    assert_int_equal(project_open(&project, ground->work, &scope, NULL, &err), 0);
    assert_int_equal(project_find_flags(&project, &err), ERR_FORMAT);
    expect_words(&err, "build/compile_commands.json: mend it or remove it: line");
    project_release(&project);
}

IN_REPOSITORY(a_list_for_somebody_else_is_passed_over)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/x.h"), "");
    put_database(ground, "", "/not/there", "a.c", "cc -DNO -c a.c");
    put_database(ground, "build/", ground->work, "../outside.c", "cc -DNO -c ../outside.c");
    put_database(ground, "out/", ground->work, "x.h", "cc -DNO -c x.h");
    put(at(ground, "work/Makefile"), "a.o:\n\tcc -DYES -c a.c\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DYES");
    assert_string_equal(project.flags_from, "the Makefile");
    project_release(&project);
}

IN_REPOSITORY(of_two_commands_the_first_counts)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/compile_commands.json"),
        "[{\"file\":\"a.c\",\"command\":\"cc -D1\"},{\"file\":\"a.c\",\"command\":\"cc -D2\"}]");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-D1");
    project_release(&project);
}

IN_REPOSITORY(units_that_are_compiled_alike_share_their_flags)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/c.c"), "");
    put(at(ground, "work/compile_commands.json"),
        "[{\"file\":\"a.c\",\"command\":\"cc -DA -c a.c\"},"
        "{\"file\":\"b.c\",\"command\":\"cc -DA -c b.c\"},"
        "{\"file\":\"c.c\",\"command\":\"cc -DC -c c.c\"}]");
    scene_flags(&project, ground, NULL);
    assert_ptr_equal(scene_source(&project, "a.c")->flags, scene_source(&project, "b.c")->flags);
    assert_ptr_not_equal(scene_source(&project, "a.c")->flags,
                         scene_source(&project, "c.c")->flags);
    project_release(&project);
}

/* ---- make ---- */

IN_REPOSITORY(rules_that_make_knows_by_itself_are_read)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/b.cc"), "");
    put(at(ground, "work/Makefile"),
        "CFLAGS = -Wall -Iinc\nCXXFLAGS = -std=c++17\nall: a.o b.o\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-Wall -Iinc");
    expect_flags(&project, "b.cc", "-std=c++17");
    project_release(&project);
}

IN_REPOSITORY(what_is_built_already_is_read_all_the_same)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/a.o"), "");
    put(at(ground, "work/GNUmakefile"), "a.o: a.c\n\t@cc -DA -c a.c\n");
    put(at(ground, "work/Makefile"), "a.o: a.c\n\t@cc -DNO -c a.c\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DA");
    project_release(&project);
}

IN_REPOSITORY(make_may_call_itself_in_folders)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/lib/a.c"), "");
    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/Makefile"), "all:\n\t$(MAKE) -C lib\n\tcc -DB -c b.c\n");
    put(at(ground, "work/lib/Makefile"), "all:\n\tcc -I.. -c a.c\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "lib/a.c", "-I..");
    assert_string_equal(scene_source(&project, "lib/a.c")->folder, at(ground, "work/lib"));
    expect_flags(&project, "b.c", "-DB");
    project_release(&project);
}

IN_REPOSITORY(make_may_be_told_not_to_say_where_it_is)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/lib/a.c"), "");
    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/Makefile"), "MAKEFLAGS += --no-print-directory\n"
        "all:\n\t$(MAKE) -C lib\n\tcc -DB -c b.c\n");
    put(at(ground, "work/lib/Makefile"), "all:\n\tcc -I.. -c a.c\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "lib/a.c", "-I..");
    assert_string_equal(scene_source(&project, "lib/a.c")->folder, at(ground, "work/lib"));
    expect_flags(&project, "b.c", "-DB");
    assert_string_equal(scene_source(&project, "b.c")->folder, ground->work);
    project_release(&project);
}

IN_REPOSITORY(a_makefile_that_fails_tells_what_it_can)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/Makefile"), "all: missing a.o\na.o:\n\tcc -DA -c a.c\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DA");
    project_release(&project);
    put(at(ground, "work/Makefile"), "all:\n\tcc -DA -c a.c\n$(error not configured)\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "");
    assert_string_equal(project.flags_from, "nothing");
    project_release(&project);
}

IN_REPOSITORY(an_outer_make_does_not_shine_through)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/Makefile"), "all:\n\tcc -DLEVEL=$(MAKELEVEL) $(CPPFLAGS) -c a.c\n");
    assert_int_equal(setenv("MAKEFLAGS", "s -- CPPFLAGS=-DOUTER", 1), 0);
    assert_int_equal(setenv("MAKELEVEL", "3", 1), 0);
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DLEVEL=0");
    project_release(&project);
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
}

IN_REPOSITORY(make_cannot_write_to_the_workspace)
{
    const struct ground *ground = *state;
    struct project project;

    if (sandbox_problem()) skip();
    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/Makefile"), "X := $(shell touch planted; rm -f a.c)\n"
        "all:\n\t+-touch planted\n\tcc -DA -c a.c\n");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DA");
    assert_false(is_there(at(ground, "work/planted")));
    assert_true(is_there(at(ground, "work/a.c")));
    project_release(&project);
}

IN_REPOSITORY(make_does_not_run_for_scripts_alone)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.sh"), "");
    put(at(ground, "work/Makefile"), "all:\n\tcc -DA -c a.c\n");
    scene_flags(&project, ground, NULL);
    assert_null(scene_source(&project, "a.sh")->flags);
    assert_string_equal(project.flags_from, "nothing");
    put(at(ground, "work/a.c"), "");
    project_release(&project);
    if (sandbox_problem()) skip();
    scene_flags(&project, ground, NULL);
    assert_string_equal(project.flags_from, "the Makefile");
    project_release(&project);
}

/* To ask it is to run its code: the closed cage. */
IN_REPOSITORY(make_writes_and_reads_nothing_of_the_user)
{
    const struct ground *ground = *state;
    struct project project;

    if (sandbox_problem()) skip();
    setenv("HONE_TEST_SECRET", "x", 1);
    put(at(ground, "secret"), "x");
    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/Makefile"),
        text_of("X := $(shell touch %s; test -z \"$$HONE_TEST_SECRET\" && echo -DBARE)\n"
                "all:\n\tcc $(X) -c a.c\n", at(ground, "ran")));
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "a.c", "-DBARE");
    assert_false(is_there(at(ground, "ran")));
    unsetenv("HONE_TEST_SECRET");
    project_release(&project);
}

/* ---- neighbours and guesses ---- */

IN_REPOSITORY(a_unit_nobody_names_is_compiled_as_its_neighbour)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/lib/a.c"), "");
    put(at(ground, "work/lib/b.c"), "");
    put(at(ground, "work/src/c.c"), "");
    put(at(ground, "work/src/d.c"), "");
    put(at(ground, "work/tests/t.c"), "");
    put(at(ground, "work/src/x.cc"), "");
    put(at(ground, "work/compile_commands.json"),
        "[{\"file\":\"lib/b.c\",\"command\":\"cc -DLIB\"},"
        "{\"file\":\"src/c.c\",\"command\":\"cc -DSRC\"}]");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "lib/a.c", "-DLIB");
    expect_flags(&project, "src/d.c", "-DSRC");
    expect_flags(&project, "tests/t.c", "-DSRC");
    expect_flags(&project, "src/x.cc", "");
    project_release(&project);
}

IN_REPOSITORY(without_a_build_folders_of_headers_are_guessed)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/include/my/a.h"), "");
    put(at(ground, "work/lib/x/x.h"), "");
    put(at(ground, "work/lib/x/x.c"), "");
    put(at(ground, "work/src/main.c"), "");
    scene_flags(&project, ground, NULL);
    expect_flags(&project, "lib/x/x.c", "-I. -Iinclude/ -Ilib/x/");
    expect_flags(&project, "src/main.c", "-I. -Iinclude/");
    assert_string_equal(scene_source(&project, "src/main.c")->folder, ground->work);
    assert_null(scene_source(&project, "lib/x/x.h")->flags);
    assert_string_equal(project.flags_from, "nothing");
    project_release(&project);
}
