/* SPDX-License-Identifier: Apache-2.0
 *
 * test_repo_plain.c - a plain repository is as git tells it; where something is special, git is
 * asked. */
#include "ground.h"
#include "io/git/repo.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_plain(const char *start)
{
    struct repo repo = { .workspace = start };
    bool plain = repo_take_plain(&repo);

    repo_release(&repo);
    return plain;
}

static void expect_as_git_tells(const char *start)
{
    struct err err = { 0 };
    struct repo quick, asked;

    assert_true(is_plain(start));
    if (repo_open(&quick, start, false, &err) != 0) fail_msg("%s", err.text);
    setenv("GIT_CEILING_DIRECTORIES", "/nowhere", 1); /* then git is asked */
    if (repo_open(&asked, start, false, &err) != 0) fail_msg("%s", err.text);
    unsetenv("GIT_CEILING_DIRECTORIES");
    assert_string_equal(quick.workspace, asked.workspace);
    assert_string_equal(quick.git_dir, asked.git_dir);
    assert_string_equal(quick.common_dir, asked.common_dir);
    assert_string_equal(quick.hone_dir, asked.hone_dir);
    assert_true(quick.is_git && asked.is_git);
    repo_release(&quick);
    repo_release(&asked);
}

IN_REPOSITORY(a_plain_repository_is_as_git_tells_it)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "work/one/two"));
    expect_as_git_tells(ground->work);
    expect_as_git_tells(at(ground, "work/one/two"));
    git(ground, "config", "user.name", "Bareta");
    assert_false(is_plain(ground->work)); /* a word too many costs a process, no more */
}

IN_REPOSITORY(a_configuration_that_says_more_is_left_to_git)
{
    const struct ground *ground = *state;
    static const char *const special[][2] = {
        { "core.worktree", ".." },        { "core.bare", "true" },
        { "include.path", "elsewhere" },  { "extensions.worktreeConfig", "true" },
        { "core.repositoryformatversion", "1" }, { "includeIf.gitdir:x.path", "y" },
    };

    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        put(at(ground, "work/.git/config"), "[core]\n\tbare = false\n");
        assert_true(is_plain(ground->work));
        git(ground, "config", special[i][0], special[i][1]);
        if (is_plain(ground->work)) fail_msg("%s is plain", special[i][0]);
    }
    put(at(ground, "work/.git/config"), "[core]\nBARE\n");
    assert_false(is_plain(ground->work));
    put(at(ground, "work/.git/config"), "[Core]\n\tBare = True\n");
    assert_false(is_plain(ground->work));
    unlink(at(ground, "work/.git/config"));
    assert_false(is_plain(ground->work));
}

IN_REPOSITORY(other_shapes_are_left_to_git)
{
    const struct ground *ground = *state;

    git(ground, "worktree", "add", "-q", "../linked");
    assert_false(is_plain(at(ground, "linked")));
    git(ground, "init", "-q", "--bare", "bare");
    assert_false(is_plain(at(ground, "work/bare")));
    assert_false(is_plain(at(ground, "work/bare/refs")));
    assert_false(is_plain(at(ground, "work/.git")));
    assert_false(is_plain(at(ground, "work/.git/refs")));
    assert_false(is_plain(ground->root));
    assert_true(is_plain(ground->work));
    put(at(ground, "work/.git/commondir"), "../elsewhere\n");
    assert_false(is_plain(ground->work));
    unlink(at(ground, "work/.git/commondir"));
    assert_int_equal(rename(at(ground, "work/.git/HEAD"), at(ground, "work/.git/head")), 0);
    assert_false(is_plain(ground->work));
    assert_int_equal(rename(at(ground, "work/.git/head"), at(ground, "work/.git/HEAD")), 0);
    assert_int_equal(rename(at(ground, "work/.git"), at(ground, "real")), 0);
    assert_int_equal(symlink(at(ground, "real"), at(ground, "work/.git")), 0);
    assert_false(is_plain(ground->work));
}

IN_REPOSITORY(a_repository_of_somebody_else_is_left_to_git)
{
    const struct ground *ground = *state;

    if (geteuid() != 0) skip();
    assert_int_equal(chown(at(ground, "work/.git"), 12345, 12345), 0);
    assert_false(is_plain(ground->work));
    assert_int_equal(chown(at(ground, "work/.git"), 0, 0), 0);
    assert_int_equal(chown(ground->work, 12345, 12345), 0);
    assert_false(is_plain(ground->work));
}

IN_REPOSITORY(bounds_of_the_search_are_left_to_git)
{
    const struct ground *ground = *state;
    char *path = strdup(getenv("PATH"));

    setenv("GIT_CEILING_DIRECTORIES", "/", 1);
    assert_false(is_plain(ground->work));
    unsetenv("GIT_CEILING_DIRECTORIES");
    setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1", 1);
    assert_false(is_plain(ground->work));
    unsetenv("GIT_DISCOVERY_ACROSS_FILESYSTEM");
    setenv("PATH", at(ground, "empty"), 1);
    assert_false(is_plain(ground->work)); /* and git that is not there */
    setenv("PATH", path, 1);
    free(path);
    assert_true(is_plain(ground->work));
}
