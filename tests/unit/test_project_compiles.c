/* SPDX-License-Identifier: Apache-2.0
 *
 * test_project_compiles.c - whether what depends on some files still compiles, and what is said
 * when it does not. */
#include "project_scene.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define FILES(...) (const char *const[]){ __VA_ARGS__ }, \
                   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)

/* problem NULL: it compiles. */
static void expect(const struct project *project, const char *const *files, size_t count,
                   const char *problem)
{
    struct err err = { 0 };
    struct buf said;
    bool ok = problem != NULL;

    buf_init(&said, 1 << 16);
    if (project_compiles(project, files, (uint32_t)count, &ok, &said, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(ok, problem == NULL);
    if (problem && !strstr(buf_cstr(&said), problem))
        fail_msg("\"%s\" is not in: %s", problem, buf_cstr(&said));
    if (!problem) assert_string_equal(buf_cstr(&said), "");
    buf_release(&said);
}

IN_REPOSITORY(units_are_compiled_with_their_flags)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/lib/a.c"), "#include <x.h>\nint y = Y;\n");
    put(at(ground, "work/lib/inc/x.h"), "typedef int t;\n");
    put(at(ground, "work/Makefile"), "all:\n\tcd lib && gcc -Iinc -DY=1 -Wall -c a.c\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("lib/a.c"), NULL);
    put(at(ground, "work/lib/a.c"), "#include <x.h>\nint y = Y\n");
    expect(&project, FILES("lib/a.c"), "lib/a.c: expected");
    assert_int_equal(count_in(at(ground, "work/lib")), 2); /* nothing was written */
    project_release(&project);
}

IN_REPOSITORY(who_depends_on_a_file_is_compiled)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"x.h\"\nint y = X;\n");
    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/x.h"), "#define X 1\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("x.h"), NULL);
    put(at(ground, "work/x.h"), "#define X (\n");
    put(at(ground, "work/b.c"), "broken, but nobody asks\n");
    expect(&project, FILES("x.h"), "a.c: ");
    expect(&project, FILES("none.c", "clean"), NULL);
    expect(&project, NULL, 0, NULL);
    project_release(&project);
}

IN_REPOSITORY(a_file_of_any_name_may_be_included)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "#include \"sub/table.inc\"\n");
    put(at(ground, "work/sub/table.inc"), "int x;\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("sub/table.inc"), NULL);
    put(at(ground, "work/sub/table.inc"), "int int;\n");
    expect(&project, FILES("sub/table.inc"), "a.c: ");
    project_release(&project);
}

IN_REPOSITORY(warnings_are_no_problem)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "int f(void) { int x; }\n#warning \"x\"\n");
    put(at(ground, "work/Makefile"), "all:\n\tgcc -Wall -Werror=return-type -c a.c\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("a.c"), NULL);
    project_release(&project);
}

IN_REPOSITORY(cxx_is_compiled_as_cxx)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.cc"), "template <class T> T f(T t) { return t; }\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("a.cc"), NULL);
    put(at(ground, "work/a.cc"), "template <class T> T f(T t) { return u; }\n");
    expect(&project, FILES("a.cc"), "a.cc: 'u' was not declared");
    project_release(&project);
}

IN_REPOSITORY(scripts_are_parsed_by_their_shell)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a"), "#!/bin/bash\nx=(1 2)\n");
    put(at(ground, "work/b.sh"), "x=(1 2)\n");
    put(at(ground, "work/c.ksh"), "exit 0\n");
    put(at(ground, "work/d.sh"), "touch planted\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("a"), NULL);
    expect(&project, FILES("b.sh"), "b.sh: ");
    expect(&project, FILES("c.ksh"), NULL);
    expect(&project, FILES("d.sh"), NULL);
    assert_false(is_there(at(ground, "work/planted")));
    project_release(&project);
}

IN_REPOSITORY(what_was_broken_before_is_not_asked_again)
{
    const struct ground *ground = *state;
    struct project project;
    struct err err = { 0 };

    put(at(ground, "work/a.c"), "#include \"not-installed.h\"\n");
    put(at(ground, "work/b.c"), "");
    scene_includes(&project, ground, NULL);
    assert_int_equal(project_find_broken(&project, FILES("a.c", "b.c"), &err), 0);
    assert_true(scene_source(&project, "a.c")->broken);
    assert_false(scene_source(&project, "b.c")->broken);
    expect(&project, FILES("a.c", "b.c"), NULL);
    put(at(ground, "work/b.c"), "int int;\n");
    expect(&project, FILES("a.c", "b.c"), "b.c: ");
    project_release(&project);
}

IN_REPOSITORY(at_most_five_are_named)
{
    const struct ground *ground = *state;
    struct project project;
    const char *files[] = { "0.c", "1.c", "2.c", "3.c", "4.c", "5.c", "6.c" };

    for (int i = 0; i < 7; i++) put(at(ground, "work/%d.c", i), "x int;\nint y z;\n");
    scene_includes(&project, ground, NULL);
    expect(&project, files, 7, "4.c: ");
    expect(&project, files, 7, "\nand 2 more\n");
    expect(&project, files, 6, "\nand 1 more\n");
    project_release(&project);
}

IN_REPOSITORY(names_are_harmless_as_words_and_as_arguments)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/-o.c"), "int x;\n");
    put(at(ground, "work/@list.c"), "int x;\n");
    put(at(ground, "work/\x1b[2J\n.c"), "int\n");
    scene_includes(&project, ground, NULL);
    expect(&project, FILES("-o.c", "@list.c"), NULL);
    expect(&project, FILES("\x1b[2J\n.c"), "\\x1b[2J .c: ");
    project_release(&project);
}

IN_REPOSITORY(a_missing_compiler_is_said)
{
    const struct ground *ground = *state;
    char *path = strdup(getenv("PATH"));
    struct project project;
    struct err err = { 0 };
    struct buf said;
    bool ok;

    put(at(ground, "work/a.cc"), "");
    scene_includes(&project, ground, NULL);
    buf_init(&said, 1 << 16);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    assert_int_equal(project_compiles(&project, FILES("a.cc"), &ok, &said, &err), ERR_MISSING);
    assert_int_equal(setenv("PATH", path, 1), 0);
    expect_words(&err, "apt-get install g++");
    buf_release(&said);
    free(path);
    project_release(&project);
}
