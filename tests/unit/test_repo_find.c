/* SPDX-License-Identifier: Apache-2.0
 *
 * test_repo_find.c - what is found without git is what git finds, or nothing. */
#include "ground.h"
#include "io/git/repo.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same by both ways. */
static void expect_same(const char *start)
{
    struct err err = { 0 };
    struct repo quick, asked;

    assert_int_equal(repo_open(&asked, start, false, &err), 0);
    assert_true(repo_find(&quick, start));
    assert_string_equal(quick.workspace, asked.workspace);
    assert_string_equal(quick.git_dir, asked.git_dir);
    assert_string_equal(quick.common_dir, asked.common_dir);
    assert_string_equal(quick.hone_dir, asked.hone_dir);
    assert_int_equal(quick.is_git, asked.is_git);
    repo_release(&quick);
    repo_release(&asked);
}

static void expect_nothing(const char *start)
{
    struct repo repo;

    assert_false(repo_find(&repo, start));
    assert_null(repo.workspace);
    repo_release(&repo);
}

IN_REPOSITORY(finds_what_git_finds)
{
    const struct ground *ground = *state;

    put(at(ground, "work/sub/file"), "x");
    expect_same(ground->work);
    expect_same(at(ground, "work/sub"));
}

IN_REPOSITORY(finds_a_work_tree_and_what_it_shares)
{
    const struct ground *ground = *state;

    git(ground, "worktree", "add", "-q", "../linked");
    expect_same(at(ground, "linked"));
}

IN_REPOSITORY(follows_links_to_the_folder)
{
    const struct ground *ground = *state;

    put(at(ground, "work/sub/file"), "x");
    put_link(at(ground, "link"), at(ground, "work/sub"));
    expect_same(at(ground, "link"));
}

IN_REPOSITORY(finds_nothing_where_there_is_nothing)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "plain"));
    expect_nothing(at(ground, "plain"));
    expect_nothing(at(ground, "not-there"));
    expect_nothing("");
}

IN_REPOSITORY(takes_no_folder_for_a_repository_by_its_name)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "plain"));
    make_folder(at(ground, "plain/.git"));
    expect_nothing(at(ground, "plain"));
}

IN_REPOSITORY(takes_no_file_that_leads_nowhere)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "plain"));
    put(at(ground, "plain/.git"), "gitdir: /nowhere/at/all\n");
    expect_nothing(at(ground, "plain"));
    put(at(ground, "plain/.git"), "gitdir:");
    expect_nothing(at(ground, "plain"));
    put(at(ground, "plain/.git"), "something else\n");
    expect_nothing(at(ground, "plain"));
}

/* Only root can make a folder another user's. */
IN_REPOSITORY(leaves_a_repository_of_another_user_to_git)
{
    const struct ground *ground = *state;

    if (geteuid() != 0) skip();
    assert_int_equal(chown(at(ground, "work/.git"), 12345, 12345), 0);
    expect_nothing(ground->work);
}
