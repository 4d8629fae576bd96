/* SPDX-License-Identifier: Apache-2.0
 *
 * test_project.c - which files of a workspace are sources, and which are in the scope. */
#include "io/git/repo.h"
#include "project_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_refusal(const struct ground *ground, const struct scope *scope, int code,
                           const char *words)
{
    struct project project;
    struct err err = { 0 };

    assert_int_equal(project_open(&project, ground->work, scope, NULL, &err), code);
    expect_words(&err, words);
    assert_int_equal(project.count, 0);
    project_release(&project);
}

/* ---- which files ---- */

IN_REPOSITORY(sources_are_tracked_or_new_and_not_ignored)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/b.c"), "");
    put(at(ground, "work/.gitignore"), "build/\n*.gen.c\n");
    commit_all(ground);
    put(at(ground, "work/a/new.cc"), "");
    put(at(ground, "work/build/x.c"), "");
    put(at(ground, "work/y.gen.c"), "");
    put(at(ground, "work/notes.txt"), "");
    scene_list(&project, ground, NULL);
    expect_sources(&project, "a/new.cc b.c notes.txt");
    assert_ptr_equal(scene_source(&project, "a/new.cc")->language, &language_cxx);
    assert_true(project_has(&project, &language_c));
    assert_false(project_has(&project, &language_shell));
    assert_null(project_source(&project, STR("build/x.c")));
    project_release(&project);
}

IN_REPOSITORY(scripts_are_known_by_their_first_line)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.sh"), "echo\n");
    put(at(ground, "work/b.sh"), "#!/usr/bin/env bash\n");
    put(at(ground, "work/c.sh"), "#!/bin/zsh\n");
    put(at(ground, "work/d.ksh"), "");
    put(at(ground, "work/e"), "#!/bin/dash -e\n");
    put(at(ground, "work/f"), "#!/usr/bin/perl\n");
    put(at(ground, "work/g.txt"), "#!/bin/sh\n");
    put_script(at(ground, "work/h.in"), "#!/bin/sh\n");
    put(at(ground, "work/i"), "");
    scene_list(&project, ground, NULL);
    expect_sources(&project, "a.sh b.sh d.ksh e g.txt h.in");
    assert_string_equal(scene_source(&project, "a.sh")->shell, "sh");
    assert_string_equal(scene_source(&project, "b.sh")->shell, "bash");
    assert_string_equal(scene_source(&project, "d.ksh")->shell, "ksh");
    assert_string_equal(scene_source(&project, "e")->shell, "dash");
    assert_true(project_has(&project, &language_shell));
    project_release(&project);
}

IN_REPOSITORY(a_program_that_begins_like_a_script_is_none)
{
    static const char archive[] = "#!/bin/sh\nexec tail\n\0\1\2";
    const struct ground *ground = *state;
    struct project project;
    FILE *file = fopen(at(ground, "work/installer"), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(archive, 1, sizeof archive, file), sizeof archive);
    fclose(file);
    scene_list(&project, ground, NULL);
    expect_sources(&project, "");
    project_release(&project);
}

IN_REPOSITORY(links_are_not_followed)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "outside/secret.c"), "");
    put(at(ground, "work/dir/a.c"), "");
    put(at(ground, "work/b.c"), "");
    put_link(at(ground, "work/link.c"), "b.c");
    commit_all(ground);
    remove_all(at(ground, "work/dir"));
    put(at(ground, "outside/a.c"), "");
    put_link(at(ground, "work/dir"), "../outside"); /* git still knows dir/a.c */
    scene_list(&project, ground, NULL);
    expect_sources(&project, "b.c");
    project_release(&project);
}

IN_REPOSITORY(repositories_inside_are_not_looked_into)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/inner/b.c"), "");
    git_in(at(ground, "work/inner"), (const char *const[]){ "git", "init", "--quiet", NULL });
    put(at(ground, "other/c.c"), "");
    git_in(at(ground, "other"), (const char *const[]){ "git", "init", "--quiet", NULL });
    git_in(at(ground, "other"), (const char *const[]){ "git", "add", "c.c", NULL });
    git_in(at(ground, "other"), (const char *const[]){ "git", "commit", "-qm", "x", NULL });
    git(ground, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../other",
        "module");
    scene_list(&project, ground, NULL);
    expect_sources(&project, "a.c");
    project_release(&project);
}

IN_REPOSITORY(deleted_files_and_folders_named_like_sources_are_none)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/b.c"), "");
    commit_all(ground);
    remove_all(at(ground, "work/a.c"));
    put(at(ground, "work/dir.c/x.h"), "");
    scene_list(&project, ground, NULL);
    expect_sources(&project, "b.c dir.c/x.h");
    project_release(&project);
}

IN_REPOSITORY(names_may_hold_any_bytes)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a\nb.c"), "");
    put(at(ground, "work/\x1b[2J.c"), "");
    put(at(ground, "work/\xff\xfe.c"), "");
    put(at(ground, "work/-o.c"), "");
    put(at(ground, "work/@x \"y\" 'z' \\.c"), "");
    scene_list(&project, ground, NULL);
    expect_sources(&project, "\x1b[2J.c -o.c @x \"y\" 'z' \\.c a\nb.c \xff\xfe.c");
    scene_source(&project, "a\nb.c");
    project_release(&project);
}

IN_REPOSITORY(a_file_with_a_conflict_is_there_once)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.c"), "1\n");
    commit_all(ground);
    git(ground, "checkout", "--quiet", "-b", "side");
    put(at(ground, "work/a.c"), "2\n");
    commit_all(ground);
    git(ground, "checkout", "--quiet", "main");
    put(at(ground, "work/a.c"), "3\n");
    commit_all(ground);
    assert_int_not_equal(run_in(ground->work, (const char *const[]){ "git", "merge", "-q", "side",
                                                                     NULL }), 0);
    scene_list(&project, ground, "HEAD");
    expect_sources(&project, "a.c");
    expect_wanted(&project, "a.c");
    project_release(&project);
}

IN_REPOSITORY(headers_of_a_cxx_project_are_cxx)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/a.h"), "");
    scene_list(&project, ground, NULL);
    assert_ptr_equal(scene_source(&project, "a.h")->language, &language_c);
    assert_true(scene_source(&project, "a.h")->header);
    assert_false(project_has(&project, &language_c));
    project_release(&project);
    put(at(ground, "work/b.cpp"), "");
    scene_list(&project, ground, NULL);
    assert_ptr_equal(scene_source(&project, "a.h")->language, &language_cxx);
    project_release(&project);
    put(at(ground, "work/c.c"), "");
    scene_list(&project, ground, NULL);
    assert_ptr_equal(scene_source(&project, "a.h")->language, &language_c);
    project_release(&project);
}

/* ---- the scope ---- */

IN_REPOSITORY(the_scope_is_what_differs_from_a_commit)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/same.c"), "1\n");
    put(at(ground, "work/edited.c"), "1\n");
    put(at(ground, "work/staged.c"), "1\n");
    put(at(ground, "work/gone.c"), "1\n");
    put(at(ground, "work/moved.c"), "a\nb\nc\nd\n");
    put(at(ground, "work/.gitignore"), "*.o.c\n");
    commit_all(ground);
    put(at(ground, "work/later.c"), "");
    commit_all(ground);
    put(at(ground, "work/edited.c"), "2\n");
    put(at(ground, "work/staged.c"), "2\n");
    git(ground, "add", "staged.c");
    remove_all(at(ground, "work/gone.c"));
    git(ground, "mv", "moved.c", "there.c");
    put(at(ground, "work/new.c"), "");
    put(at(ground, "work/x.o.c"), "");
    scene_list(&project, ground, "HEAD~1");
    expect_sources(&project, "edited.c later.c new.c same.c staged.c there.c");
    expect_wanted(&project, "edited.c later.c new.c staged.c there.c");
    project_release(&project);
    scene_list(&project, ground, "HEAD");
    expect_wanted(&project, "edited.c new.c staged.c there.c");
    project_release(&project);
    scene_list(&project, ground, "");
    expect_wanted(&project, "edited.c later.c new.c same.c staged.c there.c");
    project_release(&project);
}

IN_REPOSITORY(the_language_does_not_depend_on_the_scope)
{
    const struct ground *ground = *state;
    struct project project;

    put(at(ground, "work/tool"), "#!/bin/sh\n");
    commit_all(ground);
    scene_list(&project, ground, "HEAD");
    expect_sources(&project, "tool");
    expect_wanted(&project, "");
    project_release(&project);
}

IN_REPOSITORY(a_commit_that_is_not_there_is_refused)
{
    const struct ground *ground = *state;

    expect_refusal(ground, &(struct scope){ .since = "nowhere" }, ERR_USAGE, "no commit 'nowhere'");
    expect_refusal(ground, &(struct scope){ .since = "--output=x" }, ERR_USAGE, "no commit");
    expect_refusal(ground, &(struct scope){ .since = "HEAD:clean" }, ERR_USAGE, "no commit");
    expect_refusal(ground, &(struct scope){ .since = "\x1b[2J" }, ERR_USAGE, "'\\x1b[2J'");
    assert_false(is_there(at(ground, "work/x")));
}

IN_REPOSITORY(excluded_files_are_no_sources)
{
    static const char *const patterns[] = { "third_party/", "*.gen.c", "/top.c", "", NULL };
    static const char *const inverted[] = { "!x", NULL };
    const struct ground *ground = *state;
    const struct scope scope = { .exclude = patterns };
    struct project project;
    struct err err = { 0 };

    put(at(ground, "work/a.c"), "");
    put(at(ground, "work/top.c"), "");
    put(at(ground, "work/sub/top.c"), "");
    put(at(ground, "work/sub/b.gen.c"), "");
    put(at(ground, "work/lib/third_party/x/c.c"), "");
    commit_all(ground);
    assert_int_equal(project_open(&project, ground->work, &scope, NULL, &err), 0);
    expect_sources(&project, "a.c sub/top.c");
    project_release(&project);
    expect_refusal(ground, &(struct scope){ .exclude = inverted }, ERR_USAGE, "cannot begin");
}

IN_REPOSITORY(private_paths_are_no_sources)
{
    static const char *const private_paths[] = { ".agents/tmp/", NULL };
    const struct ground *ground = *state;
    const struct scope scope = { .since = "HEAD" };
    struct project project;
    struct err err = { 0 };

    put(at(ground, "work/.agents/tmp/a.c"), "");
    put(at(ground, "work/.agents/b.c"), "");
    assert_int_equal(project_open(&project, ground->work, &scope, private_paths, &err), 0);
    expect_sources(&project, ".agents/b.c");
    project_release(&project);
}

/* ---- where ---- */

ON_GROUND(a_folder_without_git_has_hones_own)
{
    const struct ground *ground = *state;
    const struct scope scope = { 0 };
    struct project project;
    struct repo repo;
    struct err err = { 0 };

    put(at(ground, "work/a.c"), "");
    assert_int_equal(project_open(&project, ground->work, &scope, NULL, &err), ERR_MISSING);
    assert_int_equal(repo_open(&repo, ground->work, true, &err), 0);
    repo_release(&repo);
    put(at(ground, "work/b.c"), "");
    scene_list(&project, ground, "HEAD");
    expect_sources(&project, "a.c b.c");
    expect_wanted(&project, "b.c");
    project_release(&project);
}

ON_GROUND(an_empty_repository_has_no_sources)
{
    const struct ground *ground = *state;
    struct project project;

    git(ground, "init", "--quiet");
    scene_includes(&project, ground, NULL);
    assert_int_equal(project.count, 0);
    assert_string_equal(project.flags_from, "nothing");
    assert_null(project_source(&project, STR("a.c")));
    project_release(&project);
    project_release(&project);
}
