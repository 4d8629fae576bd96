/* SPDX-License-Identifier: Apache-2.0
 *
 * test_staged.c - what is staged is kept and put back, and git may write its index as it likes. */
#include "ground.h"
#include "io/git/index.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct scene {
    struct ground *ground;
    struct repo repo;
};

static void scene_open(struct scene *scene, void **state)
{
    struct err err = { 0 };

    *scene = (struct scene){ .ground = *state };
    if (repo_open(&scene->repo, scene->ground->work, false, &err) != 0) fail_msg("%s", err.text);
}

static void keep(struct scene *scene)
{
    struct err err = { 0 };

    if (staged_keep(&scene->repo, scene->ground->root, "index", &err) != 0) {
        fail_msg("%s", err.text);
    }
}

static bool restore(struct scene *scene)
{
    const char *away = at(scene->ground, "away");
    struct err err = { 0 };
    bool changed;

    if (staged_restore(&scene->repo, scene->ground->root, "index", away, &changed, &err) != 0) {
        fail_msg("%s", err.text);
    }
    return changed;
}

static void expect_staged(struct scene *scene, const char *wanted)
{
    char *said = git_says(scene->ground, "diff", "--cached", "--name-status");

    assert_string_equal(said, wanted);
    free(said);
}

IN_REPOSITORY(what_was_staged_is_unstaged_again)
{
    struct scene scene;

    scene_open(&scene, state);
    put(at(*state, "work/mine"), "mine\n");
    git(scene.ground, "add", "mine");
    keep(&scene);
    assert_false(restore(&scene));
    put(at(*state, "work/new"), "new\n");
    git(scene.ground, "add", "new");
    assert_true(restore(&scene));
    expect_staged(&scene, "A\tmine");
    expect_content(at(*state, "work/new"), "new\n");
    assert_true(is_there(at(*state, "away/index")));
    assert_false(is_there(at(*state, "work/.git/index.lock")));
    assert_false(restore(&scene));
    git(scene.ground, "reset", "--quiet");
    assert_true(restore(&scene));
    expect_staged(&scene, "A\tmine");
    repo_release(&scene.repo);
}

IN_REPOSITORY(an_index_that_git_wrote_anew_is_the_same)
{
    struct scene scene;
    struct stat before, after;

    scene_open(&scene, state);
    keep(&scene);
    assert_int_equal(stat(at(*state, "work/.git/index"), &before), 0);
    put(at(*state, "work/clean"), "clean\n"); /* another time, the same content */
    git(scene.ground, "update-index", "--force-write-index", "--refresh");
    assert_int_equal(stat(at(*state, "work/.git/index"), &after), 0);
    assert_true(before.st_ino != after.st_ino);
    assert_false(restore(&scene));
    repo_release(&scene.repo);
}

IN_REPOSITORY(flags_that_hide_a_file_count)
{
    struct scene scene;

    scene_open(&scene, state);
    keep(&scene);
    git(scene.ground, "update-index", "--assume-unchanged", "clean");
    assert_true(restore(&scene));
    put(at(*state, "work/clean"), "seen\n");
    expect_staged(&scene, "");
    repo_release(&scene.repo);
}

IN_REPOSITORY(where_there_was_no_index_there_is_none)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "rm", "-r", "--quiet", "--cached", ".");
    assert_int_equal(unlink(at(*state, "work/.git/index")), 0);
    keep(&scene);
    assert_false(restore(&scene));
    git(scene.ground, "add", "clean");
    assert_true(restore(&scene));
    assert_false(is_there(at(*state, "work/.git/index")));
    repo_release(&scene.repo);
}

IN_REPOSITORY(an_index_that_is_gone_comes_back)
{
    struct scene scene;

    scene_open(&scene, state);
    keep(&scene);
    assert_int_equal(unlink(at(*state, "work/.git/index")), 0);
    assert_true(restore(&scene));
    expect_staged(&scene, "");
    assert_int_equal(unlink(at(*state, "work/.git/index")), 0);
    put(at(*state, "work/.git/index"), "nonsense");
    assert_true(restore(&scene));
    expect_staged(&scene, "");
    repo_release(&scene.repo);
}

IN_REPOSITORY(another_git_at_work_is_not_disturbed)
{
    struct scene scene;
    struct err err = { 0 };
    bool changed;

    scene_open(&scene, state);
    keep(&scene);
    put(at(*state, "work/new"), "new\n");
    git(scene.ground, "add", "new");
    put(at(*state, "work/.git/index.lock"), "theirs");
    assert_int_equal(staged_restore(&scene.repo, scene.ground->root, "index", at(*state, "away"),
                                    &changed, &err), ERR_BUSY);
    expect_content(at(*state, "work/.git/index.lock"), "theirs");
    expect_staged(&scene, "A\tnew");
    repo_release(&scene.repo);
}

IN_REPOSITORY(where_nothing_was_kept_nothing_is_known)
{
    struct scene scene;

    scene_open(&scene, state);
    put(at(*state, "work/new"), "new\n");
    git(scene.ground, "add", "new");
    assert_false(restore(&scene));
    expect_staged(&scene, "A\tnew");
    repo_release(&scene.repo);
}
