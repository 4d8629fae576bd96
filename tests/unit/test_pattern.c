/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pattern.c - patterns of paths, and languages by name and by first line. */
#include "format/source/language.h"
#include "format/text/pattern.h"

#include "test.h"

#include <string.h>

static void yes(const char *pattern, const char *path)
{
    if (!pattern_matches(str_of(pattern), str_of(path))) fail_msg("%s, %s: no", pattern, path);
}

static void no(const char *pattern, const char *path)
{
    if (pattern_matches(str_of(pattern), str_of(path))) fail_msg("%s, %s: yes", pattern, path);
}

TEST(a_name_matches_at_any_depth)
{
    yes("a.c", "a.c");
    yes("a.c", "x/y/a.c");
    yes("*.c", "x/y/a.c");
    no("a.c", "ba.c");
    no("a.c", "a.cc");
    no("*.c", "x.c.txt");
}

TEST(a_pattern_with_a_slash_is_from_the_top)
{
    yes("x/a.c", "x/a.c");
    no("x/a.c", "y/x/a.c");
    yes("/a.c", "a.c");
    no("/a.c", "x/a.c");
    yes("x/*.c", "x/a.c");
    no("x/*.c", "x/y/a.c");
}

TEST(a_folder_holds_for_all_below_it)
{
    yes("gen/", "gen/a.c");
    yes("gen/", "x/gen/y/a.c");
    no("gen/", "gen");
    no("gen/", "x/gen");
    yes("gen", "gen/y/a.c");
    yes("x/gen/", "x/gen/a.c");
    no("x/gen/", "y/x/gen/a.c");
    yes("third_*", "lib/third_party/a/b.c");
}

TEST(two_stars_are_any_folders)
{
    yes("**/a.c", "a.c");
    yes("**/a.c", "x/y/a.c");
    yes("x/**", "x/y/a.c");
    no("x/**", "x");
    yes("x/**/a.c", "x/a.c");
    yes("x/**/a.c", "x/y/z/a.c");
    no("x/**/a.c", "y/a.c");
    yes("**/x/**/b", "a/x/c/d/b");
    no("**/x/**/b", "a/y/c/d/b");
    yes("a/**/b/**/c", "a/b/x/b/x/c");
}

TEST(sets_and_escapes)
{
    yes("[ab].c", "b.c");
    no("[ab].c", "c.c");
    yes("[!ab].c", "c.c");
    yes("[^ab].c", "c.c");
    yes("[a-f]?", "e9");
    no("[a-f]?", "e");
    yes("[]]", "]");
    yes("\\*", "*");
    no("\\*", "a");
    yes("\\!x", "!x");
    yes("[", "[");
    yes("a\nb", "x/a\nb");
}

TEST(nothing_matches_nothing)
{
    no("", "a");
    no("/", "a");
    no("//", "a/b");
    no("a", "");
}

TEST(no_pattern_takes_for_ever)
{
    char pattern[4000], path[4000];

    for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = i % 2 ? 'a' : '*';
    memset(path, 'a', sizeof path);
    path[sizeof path - 1] = 'b';
    assert_false(pattern_matches((struct str){ pattern, sizeof pattern },
                                 (struct str){ path, sizeof path }));
    for (size_t i = 0; i < 1000; i++) memcpy(pattern + 3 * i, i % 2 ? "a*/" : "**/", 3);
    for (size_t i = 0; i < 1000; i++) memcpy(path + 2 * i, "a/", 2);
    assert_true(pattern_matches((struct str){ pattern, 2999 }, (struct str){ path, 1999 }));
    pattern[2997] = 'b'; /* of the last part */
    assert_false(pattern_matches((struct str){ pattern, 2999 }, (struct str){ path, 1999 }));
}

static void expect_language(const char *path, const struct language *language, bool is_header)
{
    const struct language *const all[] = { &language_c, &language_cxx, &language_shell };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool header;

        assert_int_equal(language_has(all[i], str_of(path), &header), all[i] == language);
        assert_int_equal(header, all[i] == language && is_header);
    }
}

TEST(names_tell_the_language)
{
    expect_language("a.c", &language_c, false);
    expect_language("x/a.b.cpp", &language_cxx, false);
    expect_language("a.C", &language_cxx, false);
    expect_language("a.h", &language_c, true);
    expect_language("a.hpp", &language_cxx, true);
    expect_language("run.bash", &language_shell, false);
    expect_language("a.py", NULL, false);
    expect_language("c", NULL, false);
    expect_language("x/.c", NULL, false);
    expect_language(".sh", NULL, false);
    expect_language("a.c/b", NULL, false);
    expect_language("", NULL, false);
}

static void expect_shell(const char *head, const char *shell)
{
    const char *found = shell_of_head(str_of(head));

    if (!shell) assert_null(found);
    else assert_string_equal(found, shell);
}

TEST(first_lines_tell_the_shell)
{
    expect_shell("#!/bin/sh\n", "sh");
    expect_shell("#!/bin/bash -eu\n", "bash");
    expect_shell("#! /usr/bin/dash", "dash");
    expect_shell("#!/usr/bin/env bash\r\n", "bash");
    expect_shell("#!/usr/bin/env -S A=b ksh -x\n", "ksh");
    expect_shell("#!\t/bin/sh\t-e\n", "sh");
    expect_shell("#!/usr/bin/zsh\n", "");
    expect_shell("#!/usr/bin/env\n", "");
    expect_shell("#!/usr/bin/python3\nsh\n", "");
    expect_shell("#!", "");
    expect_shell("#!\n", "");
    expect_shell("# sh\n", NULL);
    expect_shell("", NULL);
}

TEST(first_lines_tell_the_program_and_so_the_language)
{
    const struct language python = { .programs = (const char *const[]){ "python", NULL } };
    struct str program;

    assert_true(program_of_head(STR("#!/usr/bin/env -S python3.11 -u\n"), &program));
    assert_true(str_is(program, "python3.11"));
    assert_true(language_has_program(&python, program));
    assert_true(language_has_program(&python, STR("python")));
    assert_false(language_has_program(&python, STR("pythonic")));
    assert_false(language_has_program(&python, STR("pytho")));
    assert_false(language_has_program(&python, STR("")));
    assert_false(language_has_program(&language_c, STR("")));
    assert_false(program_of_head(STR("import os\n"), &program));
}

TEST(a_language_may_be_a_part_of_a_wider_one)
{
    const struct language yaml = { .name = "YAML" };
    const struct language workflow = { .name = "workflow", .wider = &yaml };

    assert_true(language_is(&workflow, &yaml));
    assert_false(language_is(&yaml, &workflow));
    assert_true(language_is(&yaml, &language_any));
    assert_false(language_is(NULL, &language_any));
}
