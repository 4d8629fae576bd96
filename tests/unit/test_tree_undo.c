/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_undo.c - commits, staging and new ignore rules are undone, and no work of the
 * user with them. */
#include "spoil.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- index and HEAD ---- */

IN_REPOSITORY(what_was_staged_is_staged_again)
{
    const struct ground *ground = *state;
    struct spoil spoil;
    char *staged;

    put(at(ground, "work/clean"), "staged\n");
    put(at(ground, "work/new"), "staged new\n");
    git(ground, "add", "clean", "new");
    put(at(ground, "work/clean"), "further\n");
    spoil_begin(&spoil, state);
    git(ground, "reset", "--quiet", "--hard");
    spoil_end(&spoil);
    expect_content(at(ground, "work/clean"), "further\n");
    staged = git_says(ground, "show", ":clean");
    assert_string_equal(staged, "staged");
    free(staged);
}

IN_REPOSITORY(what_was_not_staged_is_not)
{
    const struct ground *ground = *state;
    struct spoil spoil;
    char *status;

    put(at(ground, "work/clean"), "changed\n");
    put(at(ground, "work/new"), "new\n");
    spoil_begin(&spoil, state);
    git(ground, "rm", "--quiet", "--cached", "sub/deep");
    git(ground, "update-index", "--chmod=+x", "other");
    git(ground, "add", "clean", "new");
    spoil_end(&spoil);
    status = git_says(ground, "status", "--porcelain");
    assert_string_equal(status, " M clean\n?? new");
    free(status);
    assert_false(is_there(at(ground, "keep/clean")));
}

IN_REPOSITORY(commits_are_undone_and_work_is_not_lost)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    put(at(ground, "work/clean"), "users work\n");
    put(at(ground, "work/new"), "untracked\n");
    spoil_begin(&spoil, state);
    put(at(ground, "work/other"), "spoilt\n");
    put(at(ground, "work/junk"), "junk\n");
    put(at(ground, "work/.agents/state"), "contract file\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=not asked for");
    assert_int_equal(unlink(at(ground, "work/sub/deep")), 0);
    git(ground, "commit", "--quiet", "--all", "--message=nor this");
    spoil_end(&spoil);
    expect_content(at(ground, "work/clean"), "users work\n");
    expect_content(at(ground, "work/new"), "untracked\n");
    expect_content(at(ground, "work/other"), "other\n");
    expect_content(at(ground, "work/sub/deep"), "deep\n");
    expect_content(at(ground, "work/.agents/state"), "contract file\n");
    expect_content(at(ground, "keep/other"), "spoilt\n");
    expect_content(at(ground, "keep/junk"), "junk\n");
    assert_false(is_there(at(ground, "keep/clean"))); /* it was committed as it was */
}

ON_GROUND(first_commit_is_undone)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "init", "--quiet", "--initial-branch=main");
    put(at(ground, "work/f"), "f");
    spoil_begin(&spoil, state);
    git(ground, "add", "f");
    git(ground, "commit", "--quiet", "--message=first");
    spoil_end(&spoil);
    expect_content(at(ground, "work/f"), "f");
}

IN_REPOSITORY(lost_branch_comes_back)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    spoil_begin(&spoil, state);
    git(ground, "update-ref", "-d", "HEAD");
    spoil_end(&spoil);
}

IN_REPOSITORY(other_branch_is_refused_untouched)
{
    const struct ground *ground = *state;
    struct spoil spoil;
    struct err err;

    spoil_begin(&spoil, state);
    git(ground, "checkout", "--quiet", "-b", "aside");
    put(at(ground, "work/clean"), "spoilt\n");
    assert_int_equal(spoil_put_back(&spoil, at(ground, "keep"), &err), ERR_FAILED);
    assert_non_null(strstr(err.text, "main"));
    assert_non_null(strstr(err.text, "aside"));
    expect_content(at(ground, "work/clean"), "spoilt\n");
    git(ground, "checkout", "--quiet", "main");
    spoil_end(&spoil);
}

IN_REPOSITORY(merge_conflict_is_unmerged_again)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "checkout", "--quiet", "-b", "side");
    put(at(ground, "work/clean"), "side\n");
    git(ground, "commit", "--quiet", "--all", "--message=side");
    git(ground, "checkout", "--quiet", "main");
    put(at(ground, "work/clean"), "main\n");
    git(ground, "commit", "--quiet", "--all", "--message=main");
    run_in(ground->work, (const char *const[]){ "git", "merge", "side", NULL });
    spoil_begin(&spoil, state);
    put(at(ground, "work/clean"), "resolved\n");
    git(ground, "add", "clean");
    spoil_end(&spoil);
}

/* ---- ignore rules ---- */

IN_REPOSITORY(uncovered_files_of_the_user_stay)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    put(at(ground, "work/.gitignore"), ".env\n");
    put(at(ground, "work/.env"), "secret");
    git(ground, "add", ".gitignore");
    git(ground, "commit", "--quiet", "--message=ignore");
    spoil_begin(&spoil, state);
    put(at(ground, "work/.gitignore"), "");
    spoil_end(&spoil);
    expect_content(at(ground, "work/.env"), "secret");
    assert_false(is_there(at(ground, "keep/.env")));
}

IN_REPOSITORY(hidden_files_go_too)
{
    struct spoil spoil;

    spoil_begin(&spoil, state);
    put(at(*state, "work/sub/.gitignore"), "junk\n");
    put(at(*state, "work/sub/junk"), "junk");
    spoil_end(&spoil);
    assert_false(is_there(at(*state, "work/sub/junk")));
    expect_content(at(*state, "keep/sub/junk"), "junk");
}

/* ---- other repositories ---- */

IN_REPOSITORY(line_ends_are_as_they_were)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    put(at(ground, "work/.gitattributes"), "* text eol=crlf\n");
    put(at(ground, "work/dos"), "a\r\nb\r\n");
    put(at(ground, "work/changed"), "a\r\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=dos");
    put(at(ground, "work/changed"), "mixed\r\nends\n");
    spoil_begin(&spoil, state);
    assert_non_null(tree_find(&spoil.before, STR("changed")));
    put(at(ground, "work/dos"), "spoilt\r\n");
    put(at(ground, "work/changed"), "mixed\nends\n");
    spoil_end(&spoil);
    expect_content(at(ground, "work/dos"), "a\r\nb\r\n");
    expect_content(at(ground, "work/changed"), "mixed\r\nends\n");
}

/* The user's git renews its times: what it names changes, and no content does. */
IN_REPOSITORY(a_git_status_of_the_users_is_no_change)
{
    const struct ground *ground = *state;
    struct tree now = { 0 };
    struct spoil spoil;
    struct err err = { 0 };

    put(at(ground, "work/.gitattributes"), "* text eol=crlf\n");
    put(at(ground, "work/dos"), "a\r\nb\r\n");
    put(at(ground, "work/mixed"), "a\r\nb\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=dos");
    put(at(ground, "work/dos"), "a\r\nb\r\n"); /* another time of change */
    put(at(ground, "work/mixed"), "a\r\nb\n");
    spoil_begin(&spoil, state);
    assert_null(tree_find(&spoil.before, STR("dos"))); /* as a checkout writes it */
    assert_non_null(tree_find(&spoil.before, STR("mixed")));
    git(ground, "update-index", "--refresh");
    assert_int_equal(tree_take(&spoil.repo, NULL, &now, &err), 0);
    assert_int_equal(tree_settle(&spoil.repo, &spoil.before, &now, &err), 0);
    assert_null(tree_find(&now, STR("dos")));
    assert_non_null(tree_find(&now, STR("mixed")));
    assert_string_equal(tree_find(&now, STR("mixed"))->oid,
                        tree_find(&spoil.before, STR("mixed"))->oid);
    tree_release(&now);
    spoil_finish(&spoil);
}

ON_GROUND(longer_hashes_work_alike)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "init", "--quiet", "--initial-branch=main", "--object-format=sha256");
    put(at(ground, "work/a"), "a\n");
    put(at(ground, "work/b"), "b\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=first");
    put(at(ground, "work/a"), "users\n");
    spoil_begin(&spoil, state);
    assert_int_equal(strlen(spoil.before.head), 64);
    put(at(ground, "work/a"), "spoilt\n");
    put(at(ground, "work/b"), "spoilt\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=second");
    git(ground, "rm", "--quiet", "--cached", "b");
    spoil_end(&spoil);
    expect_content(at(ground, "work/a"), "users\n");
}

IN_REPOSITORY(second_work_tree_is_put_back_alone)
{
    struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "worktree", "add", "--quiet", "../second");
    snprintf(ground->work, sizeof ground->work, "%s", at(ground, "second"));
    spoil_begin(&spoil, state);
    put(at(ground, "second/clean"), "spoilt\n");
    put(at(ground, "work/clean"), "somebody else's\n");
    git(ground, "commit", "--quiet", "--all", "--message=not asked for");
    spoil_end(&spoil);
    expect_content(at(ground, "second/clean"), "clean\n");
    expect_content(at(ground, "work/clean"), "somebody else's\n");
    expect_content(at(ground, "keep/clean"), "spoilt\n");
}
