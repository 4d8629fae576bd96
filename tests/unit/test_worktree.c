/* SPDX-License-Identifier: Apache-2.0
 *
 * test_worktree.c - work trees are made whole, also from what a killed hone left of them, and
 * leave nothing. */
#include "ground.h"
#include "io/git/worktree.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scene {
    struct ground *ground;
    struct arena arena;
    struct repo repo;
    struct worktree worktree;
    struct buf notes;
};

static void scene_open(struct scene *scene, void **state)
{
    struct err err = { 0 };

    *scene = (struct scene){ .ground = *state };
    if (repo_open(&scene->repo, scene->ground->work, false, &err) != 0) fail_msg("%s", err.text);
    make_folder(at(*state, "trees"));
    scene->worktree = (struct worktree){
        .path = arena_cstr(&scene->arena, str_of(at(*state, "trees/one"))),
        .branch = "hone/run/one", .start = "HEAD" };
    buf_init(&scene->notes, 4096);
}

static void scene_close(struct scene *scene)
{
    buf_release(&scene->notes);
    repo_release(&scene->repo);
    arena_release(&scene->arena);
}

static enum worktree_made make(struct scene *scene)
{
    enum worktree_made made = WORKTREE_MADE_COUNT;
    struct err err = { 0 };

    if (worktree_make(&scene->repo, &scene->worktree, &made, &scene->notes, &err) != 0) {
        fail_msg("%s", err.text);
    }
    assert_non_null(worktree_git_dir(scene->worktree.path, &scene->arena));
    return made;
}

static void drop(struct scene *scene)
{
    struct err err = { 0 };

    if (worktree_remove(&scene->repo, scene->worktree.path, scene->worktree.branch, &err) != 0) {
        fail_msg("%s", err.text);
    }
}

static void expect_refs(struct scene *scene, const char *wanted)
{
    char *said = git_says(scene->ground, "for-each-ref", "--format=%(refname)");

    assert_string_equal(said, wanted);
    free(said);
}

/* A commit in the work tree, of a file with this name. */
static void commit_there(struct scene *scene, const char *name)
{
    put(at(scene->ground, "trees/one/%s", name), "work\n");
    git_in(scene->worktree.path, (const char *const[]){ "git", "add", "--all", NULL });
    git_in(scene->worktree.path, (const char *const[]){ "git", "commit", "--quiet", "-m", "x",
                                                        NULL });
}

IN_REPOSITORY(one_is_made_on_a_branch_of_its_own)
{
    struct scene scene;

    scene_open(&scene, state);
    assert_int_equal(make(&scene), WORKTREE_NEW);
    expect_content(at(*state, "trees/one/clean"), "clean\n");
    expect_refs(&scene, "refs/heads/hone/run/one\nrefs/heads/main");
    assert_int_equal(make(&scene), WORKTREE_THERE);
    scene_close(&scene);
}

IN_REPOSITORY(a_disposable_one_is_on_no_branch)
{
    struct scene scene;
    char *head;

    scene_open(&scene, state);
    head = git_says(scene.ground, "rev-parse", "HEAD");
    scene.worktree.branch = "";
    scene.worktree.start = head;
    assert_int_equal(make(&scene), WORKTREE_NEW);
    expect_content(at(*state, "trees/one/clean"), "clean\n");
    expect_refs(&scene, "refs/heads/main");
    drop(&scene);
    assert_false(is_there(at(*state, "trees/one")));
    assert_int_equal(count_in(at(*state, "work/.git/worktrees")), 0);
    free(head);
    scene_close(&scene);
}

IN_REPOSITORY(a_lock_that_a_killed_git_left_is_no_hindrance)
{
    struct scene scene;

    scene_open(&scene, state);
    put(at(*state, "work/.git/refs/heads/hone/run/one.lock"), "");
    assert_int_equal(make(&scene), WORKTREE_NEW);
    assert_false(is_there(at(*state, "work/.git/refs/heads/hone/run/one.lock")));
    scene_close(&scene);
}

IN_REPOSITORY(what_is_removed_leaves_nothing)
{
    struct scene scene;

    scene_open(&scene, state);
    make(&scene);
    put(at(*state, "trees/one/untracked"), "x");
    drop(&scene);
    assert_false(is_there(at(*state, "trees/one")));
    assert_int_equal(count_in(at(*state, "work/.git/worktrees")), 0);
    expect_refs(&scene, "refs/heads/main");
    drop(&scene); /* once more is fine */
    scene_close(&scene);
}

IN_REPOSITORY(a_deleted_folder_comes_back_with_what_was_committed)
{
    struct scene scene;

    scene_open(&scene, state);
    make(&scene);
    commit_there(&scene, "kept");
    put(at(*state, "trees/one/lost"), "x");
    remove_all(at(*state, "trees/one"));
    assert_null(worktree_git_dir(scene.worktree.path, &scene.arena));
    assert_int_equal(make(&scene), WORKTREE_AGAIN);
    expect_content(at(*state, "trees/one/kept"), "work\n");
    assert_false(is_there(at(*state, "trees/one/lost")));
    scene_close(&scene);
}

IN_REPOSITORY(one_that_was_never_whole_is_made_anew)
{
    struct scene scene;
    const char *dir;

    scene_open(&scene, state);
    make(&scene);
    dir = worktree_git_dir(scene.worktree.path, &scene.arena);
    assert_int_equal(unlink(arena_printf(&scene.arena, "%s/hone-ready", dir)), 0);
    put(arena_printf(&scene.arena, "%s/locked", dir), "initializing");
    put(arena_printf(&scene.arena, "%s/index.lock", dir), "");
    assert_int_equal(unlink(at(*state, "trees/one/clean")), 0);
    assert_int_equal(make(&scene), WORKTREE_AGAIN);
    expect_content(at(*state, "trees/one/clean"), "clean\n");
    drop(&scene);
    expect_refs(&scene, "refs/heads/main");
    scene_close(&scene);
}

IN_REPOSITORY(a_folder_that_git_does_not_know_is_kept_aside)
{
    struct scene scene;

    scene_open(&scene, state);
    put(at(*state, "trees/one/precious"), "x");
    assert_int_equal(make(&scene), WORKTREE_NEW);
    assert_false(is_there(at(*state, "trees/one/precious")));
    assert_int_equal(count_in(at(*state, "trees")), 2);
    assert_non_null(strstr(buf_cstr(&scene.notes), ".aside-"));
    scene_close(&scene);
}

IN_REPOSITORY(no_hook_of_the_repository_runs)
{
    static const char *const names[] = { "post-checkout", "reference-transaction",
                                         "post-index-change" };
    struct scene scene;

    scene_open(&scene, state);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *hook = at(*state, "work/.git/hooks/%s", names[i]);
        put(hook, arena_printf(&scene.arena, "#!/bin/sh\ntouch %s\n", at(*state, "ran")));
        assert_int_equal(chmod(hook, 0755), 0);
    }
    make(&scene);
    drop(&scene);
    assert_false(is_there(at(*state, "ran")));
    scene_close(&scene);
}

IN_REPOSITORY(git_knows_it_as_one_of_its_own)
{
    struct scene scene;
    char *said;

    scene_open(&scene, state);
    make(&scene);
    said = git_says(scene.ground, "worktree", "list", "--porcelain");
    assert_non_null(strstr(said, "/trees/one\n"));
    assert_non_null(strstr(said, "branch refs/heads/hone/run/one"));
    assert_null(strstr(said, "prunable"));
    free(said);
    said = git_output(scene.worktree.path, (const char *const[]){ "git", "status", "--short",
                                                                 NULL });
    assert_string_equal(said, "");
    free(said);
    git(scene.ground, "worktree", "remove", scene.worktree.path);
    assert_false(is_there(at(*state, "trees/one")));
    scene_close(&scene);
}

IN_REPOSITORY(a_repository_of_another_kind_is_left_to_git)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "config", "extensions.worktreeConfig", "true");
    put(at(*state, "work/.git/config.worktree"), "[hone]\n\ttest = yes\n");
    assert_int_equal(make(&scene), WORKTREE_NEW);
    expect_content(at(*state, "trees/one/clean"), "clean\n");
    assert_true(is_there(at(*state, "work/.git/worktrees/one/config.worktree")));
    drop(&scene);
    assert_false(is_there(at(*state, "trees/one")));
    expect_refs(&scene, "refs/heads/main");
    scene_close(&scene);
}

IN_REPOSITORY(another_ones_name_is_not_taken)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "worktree", "add", "--quiet", "-b", "theirs", at(*state, "theirs/one"));
    assert_int_equal(make(&scene), WORKTREE_NEW);
    drop(&scene);
    assert_true(is_there(at(*state, "theirs/one/clean")));
    git_in(at(*state, "theirs/one"), (const char *const[]){ "git", "status", NULL });
    scene_close(&scene);
}

IN_REPOSITORY(folders_that_nobody_may_write_to_go_too)
{
    struct scene scene;

    scene_open(&scene, state);
    make(&scene);
    put(at(*state, "trees/one/cache/a/b"), "x");
    put_link(at(*state, "trees/one/cache/link"), at(*state, "work"));
    assert_int_equal(chmod(at(*state, "trees/one/cache/a"), 0500), 0);
    assert_int_equal(chmod(at(*state, "trees/one/cache"), 0), 0);
    drop(&scene);
    assert_false(is_there(at(*state, "trees/one")));
    expect_content(at(*state, "work/clean"), "clean\n");
    scene_close(&scene);
}

IN_REPOSITORY(a_submodule_that_is_not_here_is_named)
{
    struct scene scene;

    scene_open(&scene, state);
    put(at(*state, "work/.gitmodules"),
        "[submodule \"lib\"]\n\tpath = some lib\n\turl = https://nowhere.invalid/lib\n");
    git(scene.ground, "add", "--all");
    git(scene.ground, "commit", "--quiet", "--message=module");
    assert_int_equal(make(&scene), WORKTREE_NEW);
    assert_non_null(strstr(buf_cstr(&scene.notes), "the submodule some lib is not in"));
    scene_close(&scene);
}

IN_REPOSITORY(names_may_hold_blanks_and_quotes)
{
    struct scene scene;

    scene_open(&scene, state);
    scene.worktree.path = arena_cstr(&scene.arena, str_of(at(*state, "trees/a 'b\" $(c)")));
    assert_int_equal(make(&scene), WORKTREE_NEW);
    drop(&scene);
    assert_int_equal(count_in(at(*state, "trees")), 0);
    scene_close(&scene);
}
