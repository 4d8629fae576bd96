/* SPDX-License-Identifier: Apache-2.0
 *
 * test_forward.c - a checkout moves forward as a whole, or not at all. */
#include "ground.h"
#include "io/tree/forward.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct scene {
    struct ground *ground;
    struct repo repo;
    struct forward forward;
    char *from, *to;
};

/* Two commits: "clean" changes, "sub/deep" goes, "new/er" comes, "run" gets its mode. The checkout
 * is at the first. */
static void scene_open(struct scene *scene, void **state)
{
    struct ground *ground = *state;
    struct err err = { 0 };

    *scene = (struct scene){ .ground = ground };
    put(at(ground, "work/run"), "run\n");
    put(at(ground, "work/.gitignore"), "*.o\nbuild/\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=second");
    scene->from = git_says(ground, "rev-parse", "HEAD");
    put(at(ground, "work/clean"), "changed\n");
    put(at(ground, "work/new/er"), "new\n");
    put(at(ground, "work/x.o"), "object\n");
    put(at(ground, "work/build"), "a file\n");
    assert_int_equal(chmod(at(ground, "work/run"), 0755), 0);
    assert_int_equal(unlink(at(ground, "work/sub/deep")), 0);
    git(ground, "add", "--all", "--force");
    git(ground, "commit", "--quiet", "--message=third");
    scene->to = git_says(ground, "rev-parse", "HEAD");
    git(ground, "reset", "--quiet", "--hard", scene->from);
    make_folder(at(ground, "state"));
    if (repo_open(&scene->repo, ground->work, false, &err) != 0) fail_msg("%s", err.text);
    scene->forward = (struct forward){ .repo = &scene->repo, .state = strdup(at(ground, "state")) };
}

static void scene_close(struct scene *scene)
{
    free((void *)(uintptr_t)scene->forward.state);
    free(scene->from);
    free(scene->to);
    repo_release(&scene->repo);
}

static void expect_git(struct scene *scene, const char *wanted, const char *const *argv)
{
    char *said = git_output(scene->ground->work, argv);

    assert_string_equal(said, wanted);
    free(said);
}

static void expect_status(struct scene *scene, const char *wanted)
{
    expect_git(scene, wanted, (const char *const[]){ "git", "status", "--short",
                                                     "--untracked-files=all", NULL });
}

static void expect_head(struct scene *scene, const char *commit)
{
    expect_git(scene, commit, (const char *const[]){ "git", "rev-parse", "main", NULL });
}

static int move(struct scene *scene, struct err *err)
{
    *err = (struct err){ 0 };
    return forward_run(&scene->forward, scene->from, scene->to, "test", err);
}

static void expect_at_from(struct scene *scene)
{
    expect_head(scene, scene->from);
    expect_content(at(scene->ground, "work/clean"), "clean\n");
    expect_content(at(scene->ground, "work/sub/deep"), "deep\n");
    assert_false(is_there(at(scene->ground, "work/new")));
    assert_false(is_there(at(scene->ground, "work/.git/index.lock")));
}

static void expect_at_to(struct scene *scene)
{
    expect_head(scene, scene->to);
    expect_content(at(scene->ground, "work/clean"), "changed\n");
    expect_content(at(scene->ground, "work/new/er"), "new\n");
    assert_false(is_there(at(scene->ground, "work/sub")));
    assert_true(mode_of(at(scene->ground, "work/run")) & S_IXUSR);
    assert_false(is_there(at(scene->ground, "work/.git/index.lock")));
    assert_false(is_there(at(scene->ground, "state/forward")));
}

/* ---- moving ---- */

IN_REPOSITORY(files_index_and_branch_move_together)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    assert_int_equal(move(&scene, &err), 0);
    expect_at_to(&scene);
    expect_status(&scene, "");
    scene_close(&scene);
}

IN_REPOSITORY(what_the_user_has_changed_elsewhere_stays)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    put(at(*state, "work/other"), "mine\n");
    put(at(*state, "work/staged"), "staged\n");
    git((struct ground *)*state, "add", "staged");
    put(at(*state, "work/untracked"), "mine\n");
    assert_int_equal(move(&scene, &err), 0);
    expect_at_to(&scene);
    expect_status(&scene, " M other\nA  staged\n?? untracked");
    scene_close(&scene);
}

IN_REPOSITORY(a_file_that_was_only_touched_is_not_in_the_way)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    put(at(*state, "work/clean"), "clean\n"); /* another inode, another time, the same content */
    assert_int_equal(move(&scene, &err), 0);
    expect_at_to(&scene);
    scene_close(&scene);
}

/* ---- what is in the way ---- */

static void expect_refused(void **state, const char *path, const char *content, const char *word)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    put(at(*state, "work/%s", path), content);
    assert_int_equal(move(&scene, &err), ERR_BUSY);
    assert_non_null(strstr(err.text, word));
    expect_head(&scene, scene.from);
    expect_content(at(*state, "work/%s", path), content);
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    assert_false(is_there(at(*state, "work/.git/index.lock")));
    scene_close(&scene);
}

IN_REPOSITORY(a_changed_file_is_in_the_way)
{
    expect_refused(state, "clean", "mine\n", "clean in your checkout has changes");
}

IN_REPOSITORY(a_changed_file_that_would_go_is_in_the_way)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    put(at(*state, "work/sub/deep"), "mine\n");
    assert_int_equal(move(&scene, &err), ERR_BUSY);
    expect_content(at(*state, "work/sub/deep"), "mine\n");
    expect_head(&scene, scene.from);
    scene_close(&scene);
}

IN_REPOSITORY(an_untracked_file_is_in_the_way)
{
    expect_refused(state, "new/er", "mine\n", "new/er");
}

IN_REPOSITORY(a_file_where_a_folder_must_be_is_in_the_way)
{
    expect_refused(state, "new", "mine\n", "new");
}

IN_REPOSITORY(an_ignored_file_is_in_the_way)
{
    expect_refused(state, "x.o", "mine\n", "x.o is there in your checkout");
}

IN_REPOSITORY(an_ignored_folder_is_in_the_way)
{
    expect_refused(state, "build/output", "mine\n", "build is there in your checkout");
}

IN_REPOSITORY(a_checkout_that_is_elsewhere_is_left_alone)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    git((struct ground *)*state, "commit", "--quiet", "--allow-empty", "--message=mine");
    assert_int_equal(move(&scene, &err), ERR_BUSY);
    expect_content(at(*state, "work/clean"), "clean\n");
    scene_close(&scene);
}

/* ---- killed ---- */

/* A git that kills its caller at one of its verbs: before it, after it, or in the middle,
 * which leaves a file half written. */
static void put_deadly_git(void **state, const char *verb, const char *when)
{
    char text[2048];

    snprintf(text, sizeof text,
             "#!/bin/sh\nPATH=/usr/bin:/bin\ncase \" $* \" in *' %s '*)\n"
             "[ %s = before ] && kill -9 $PPID && exit 1\n"
             "git \"$@\"\n"
             "[ %s = amid ] && { printf half >clean; printf h >new/er; }\n"
             "kill -9 $PPID; exit 1;; esac\nexec git \"$@\"\n", verb, when, when);
    put(at(*state, "bin/git"), text);
    assert_int_equal(chmod(at(*state, "bin/git"), 0755), 0);
}

static void move_and_die(struct scene *scene, void **state, const char *verb, const char *when)
{
    struct err err;
    pid_t pid;
    int status;

    put_deadly_git(state, verb, when);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("PATH", at(*state, "bin"), 1);
        move(scene, &err);
        _exit(7);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

static void expect_recovered(void **state, const char *verb, const char *when, bool moved)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, state);
    put(at(*state, "work/other"), "mine\n");
    move_and_die(&scene, state, verb, when);
    if (forward_recover(&scene.forward, &err) != 0) fail_msg("%s", err.text);
    if (!moved) {
        expect_at_from(&scene);
        expect_status(&scene, " M other");
        assert_int_equal(move(&scene, &err), 0);
    }
    expect_at_to(&scene);
    expect_status(&scene, " M other");
    scene_close(&scene);
}

IN_REPOSITORY(killed_before_the_files)
{
    expect_recovered(state, "read-tree", "before", false);
}

IN_REPOSITORY(killed_behind_the_files)
{
    expect_recovered(state, "read-tree", "after", false);
}

IN_REPOSITORY(killed_amid_the_files)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, state);
    move_and_die(&scene, state, "read-tree", "amid");
    expect_content(at(*state, "work/clean"), "half");
    if (forward_recover(&scene.forward, &err) != 0) fail_msg("%s", err.text);
    expect_at_from(&scene);
    expect_status(&scene, "");
    scene_close(&scene);
}

IN_REPOSITORY(killed_before_the_branch)
{
    expect_recovered(state, "update-ref", "before", false);
}

IN_REPOSITORY(killed_behind_the_branch)
{
    expect_recovered(state, "update-ref", "after", true);
}

/* What the user changed between the kill and the resume, elsewhere in the tree, stays. */
IN_REPOSITORY(what_came_between_stays)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, state);
    move_and_die(&scene, state, "read-tree", "after");
    put(at(*state, "work/other"), "mine\n");
    put(at(*state, "work/untracked"), "mine\n");
    if (forward_recover(&scene.forward, &err) != 0) fail_msg("%s", err.text);
    expect_at_from(&scene);
    expect_status(&scene, " M other\n?? untracked");
    scene_close(&scene);
}

IN_REPOSITORY(the_lock_of_another_is_not_ours_to_remove)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, state);
    move_and_die(&scene, state, "read-tree", "before");
    assert_int_equal(unlink(at(*state, "work/.git/index.lock")), 0);
    put(at(*state, "work/.git/index.lock"), "");
    (void)forward_recover(&scene.forward, &err);
    assert_true(is_there(at(*state, "work/.git/index.lock")));
    scene_close(&scene);
}

/* It is waited for, for a while; then nothing has happened. */
IN_REPOSITORY(where_another_git_is_at_work_nothing_moves)
{
    struct scene scene;
    struct err err;

    scene_open(&scene, state);
    put(at(scene.ground, "work/.git/index.lock"), "");
    assert_int_equal(move(&scene, &err), ERR_BUSY);
    assert_non_null(strstr(err.text, "another git is at work"));
    assert_true(is_there(at(scene.ground, "work/.git/index.lock")));
    assert_int_equal(unlink(at(scene.ground, "work/.git/index.lock")), 0);
    expect_at_from(&scene);
    expect_status(&scene, "");
    if (move(&scene, &err) != 0) fail_msg("%s", err.text);
    expect_at_to(&scene);
    scene_close(&scene);
}

IN_REPOSITORY(nothing_to_recover_does_nothing)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, state);
    assert_int_equal(forward_recover(&scene.forward, &err), 0);
    expect_at_from(&scene);
    scene_close(&scene);
}
