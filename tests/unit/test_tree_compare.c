/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_compare.c - what changed between two looks at a work tree. */
#include "spoil.h"
#include "test.h"

#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

/* The change from now on, by what `act` does. */
static void expect_delta(void **state, void (*act)(const struct ground *), const char *expected)
{
    struct spoil spoil;

    spoil_begin(&spoil, state);
    act(spoil.ground);
    assert_string_equal(spoil_delta(&spoil, false), expected);
    spoil_finish(&spoil);
}

static void act_nothing(const struct ground *ground)
{
    put(at(ground, "work/clean"), "clean\n");
}

static void act_all_kinds(const struct ground *ground)
{
    put(at(ground, "work/clean"), "changed\n");
    put(at(ground, "work/new"), "new\n");
    assert_int_equal(unlink(at(ground, "work/other")), 0);
    assert_int_equal(chmod(at(ground, "work/sub/deep"), 0755), 0);
}

static void act_stage(const struct ground *ground)
{
    git(ground, "add", "--all");
}

static void act_revert(const struct ground *ground)
{
    git(ground, "reset", "--quiet", "--hard");
    git(ground, "clean", "-fdq");
}

static void act_commit(const struct ground *ground)
{
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=more");
}

static void act_remove_cached(const struct ground *ground)
{
    git(ground, "rm", "--quiet", "--cached", "clean");
}

static void act_swap_types(const struct ground *ground)
{
    assert_int_equal(unlink(at(ground, "work/clean")), 0);
    put_link(at(ground, "work/clean"), "other");
    remove_all(at(ground, "work/sub"));
    put_link(at(ground, "work/sub"), "/etc");
    assert_int_equal(unlink(at(ground, "work/other")), 0);
    put(at(ground, "work/other/inside"), "x");
}

static void act_branch(const struct ground *ground)
{
    git(ground, "checkout", "--quiet", "-b", "aside");
}

IN_REPOSITORY(same_content_is_no_change)
{
    expect_delta(state, act_nothing, "");
    act_all_kinds(*state);
    put(at(*state, "work/clean"), "clean\nmore\n");
    expect_delta(state, act_nothing, "modified clean"); /* dirty, then clean again */
}

IN_REPOSITORY(every_kind_from_a_clean_tree)
{
    expect_delta(state, act_all_kinds,
                 "modified clean, added new, deleted other, mode changed sub/deep");
}

IN_REPOSITORY(every_kind_back_to_a_clean_tree)
{
    act_all_kinds(*state);
    expect_delta(state, act_revert,
                 "modified clean, deleted new, added other, mode changed sub/deep");
}

IN_REPOSITORY(staging_alone_is_staged)
{
    act_all_kinds(*state);
    expect_delta(state, act_stage, "staged clean, staged new, staged other, staged sub/deep");
}

IN_REPOSITORY(staging_what_was_reverted_shows)
{
    put(at(*state, "work/clean"), "changed\n");
    act_stage(*state);
    put(at(*state, "work/clean"), "clean\n"); /* index differs, work tree as HEAD */
    expect_delta(state, act_stage, "staged clean");
}

IN_REPOSITORY(removing_from_the_index_alone_is_staged)
{
    expect_delta(state, act_remove_cached, "staged clean");
}

IN_REPOSITORY(second_change_of_a_changed_file_shows)
{
    act_all_kinds(*state);
    put(at(*state, "work/clean"), "again\n");
    put(at(*state, "work/other"), "back, different\n");
    expect_delta(state, act_all_kinds, "modified clean, deleted other");
}

IN_REPOSITORY(types_that_swap_are_seen)
{
    expect_delta(state, act_swap_types,
                 "modified clean, deleted other, added other/inside, added sub, deleted sub/deep");
}

IN_REPOSITORY(other_branch_is_a_moved_head)
{
    expect_delta(state, act_branch, "HEAD moved");
}

IN_REPOSITORY(unaligned_commit_names_what_it_can)
{
    act_all_kinds(*state);
    expect_delta(state, act_commit, "HEAD moved, modified clean, deleted new, added other, "
                                     "mode changed sub/deep");
}

IN_REPOSITORY(aligned_commit_of_unchanged_content_is_staged_only)
{
    struct spoil spoil;

    act_all_kinds(*state);
    spoil_begin(&spoil, state);
    act_commit(*state);
    assert_string_equal(spoil_delta(&spoil, true),
                        "HEAD moved, staged clean, staged new, staged other, staged sub/deep");
    spoil_finish(&spoil);
}

IN_REPOSITORY(aligned_commit_of_new_work_is_that_work)
{
    struct spoil spoil;

    spoil_begin(&spoil, state);
    act_all_kinds(*state);
    act_commit(*state);
    put(at(*state, "work/new"), "newer\n");
    assert_string_equal(spoil_delta(&spoil, true),
                        "HEAD moved, modified clean, added new, deleted other, "
                        "mode changed sub/deep");
    spoil_finish(&spoil);
}

ON_GROUND(aligned_first_commit_is_all_new)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "init", "--quiet", "--initial-branch=main");
    spoil_begin(&spoil, state);
    put(at(ground, "work/f"), "f");
    act_commit(ground);
    assert_string_equal(spoil_delta(&spoil, true), "HEAD moved, added f");
    spoil_finish(&spoil);
}

ON_GROUND(folder_without_git_is_compared_alike)
{
    struct spoil spoil;

    put(at(*state, "work/clean"), "clean\n");
    put(at(*state, "work/other"), "other\n");
    put(at(*state, "work/sub/deep"), "deep\n");
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 0);
    act_all_kinds(*state);
    assert_string_equal(spoil_delta(&spoil, false),
                        "modified clean, added new, deleted other, mode changed sub/deep");
    spoil_finish(&spoil);
}

IN_REPOSITORY(unmerged_paths_are_recorded)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "checkout", "--quiet", "-b", "side");
    put(at(ground, "work/clean"), "side\n");
    git(ground, "commit", "--quiet", "--all", "--message=side");
    git(ground, "checkout", "--quiet", "main");
    put(at(ground, "work/clean"), "main\n");
    git(ground, "commit", "--quiet", "--all", "--message=main");
    assert_int_not_equal(
        run_in(ground->work, (const char *const[]){ "git", "merge", "side", NULL }), 0);
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 1);
    assert_true(spoil.before.entries[0].stages.size > 0);
    assert_string_equal(spoil.before.entries[0].staged, "");
    assert_string_equal(spoil_delta(&spoil, false), "");
    git(ground, "add", "clean");
    assert_string_equal(spoil_delta(&spoil, false), "staged clean");
    spoil_finish(&spoil);
}

IN_REPOSITORY(submodules_are_looked_into)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git_in(ground->root, (const char *const[]){ "git", "clone", "--quiet", "work", "lib", NULL });
    git(ground, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "lib");
    git(ground, "commit", "--quiet", "--message=with lib");
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 0);
    put(at(ground, "work/lib/clean"), "changed\n");
    assert_string_equal(spoil_delta(&spoil, false), "modified lib");
    spoil_finish(&spoil);
    /* Dirty before, and otherwise so now; then at another commit. */
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 1);
    put(at(ground, "work/lib/clean"), "changed again\n");
    assert_string_equal(spoil_delta(&spoil, false), "modified lib");
    put(at(ground, "work/lib/clean"), "changed\n");
    assert_string_equal(spoil_delta(&spoil, false), "");
    git_in(at(ground, "work/lib"),
           (const char *const[]){ "git", "commit", "--quiet", "--all", "--message=x", NULL });
    assert_string_equal(spoil_delta(&spoil, false), "modified lib");
    spoil_finish(&spoil);
}

IN_REPOSITORY(repositories_that_are_not_tracked_are_looked_into)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    make_folder(at(ground, "work/own"));
    git_in(at(ground, "work/own"), (const char *const[]){ "git", "init", "-q", NULL });
    put(at(ground, "work/own/file"), "one\n");
    put(at(ground, "work/broken/.git/HEAD"), "nothing\n");
    put(at(ground, "work/broken/file"), "one\n");
    git(ground, "worktree", "add", "-q", "inside");
    spoil_begin(&spoil, state);
    assert_string_equal(spoil_delta(&spoil, false), "");
    put(at(ground, "work/own/file"), "two\n");
    assert_string_equal(spoil_delta(&spoil, false), "modified own");
    put(at(ground, "work/own/file"), "one\n");
    assert_string_equal(spoil_delta(&spoil, false), "");
    put(at(ground, "work/broken/file"), "two\n");
    assert_non_null(strstr(spoil_delta(&spoil, false), "broken"));
    put(at(ground, "work/inside/clean"), "another work tree is its user's\n");
    assert_null(strstr(spoil_delta(&spoil, false), "inside"));
    spoil_finish(&spoil);
}
