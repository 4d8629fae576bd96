/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_put_back.c - a tree put back is the tree it was, and what replaced it is kept.
 *
 * Every scene is the same: a tree is taken, somebody does something to it, it is put back, and
 * then it is compared with what was taken, HEAD and index included. */
#include "ground.h"
#include "io/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const private_paths[] = { ".agents/", NULL };

struct scene {
    struct ground *ground;
    struct repo repo;
    struct tree before;
};

static void begin(struct scene *scene, void **state)
{
    struct err err = { 0 };

    scene->ground = *state;
    if (repo_open(&scene->repo, scene->ground->work, true, &err) != 0 ||
        tree_take(&scene->repo, private_paths, &scene->before, &err) != 0)
        fail_msg("%s", err.text);
}

/* Puts the tree back into keep; the code, and err. */
static int put_back(struct scene *scene, const char *keep, struct err *err)
{
    struct tree_delta delta;
    struct tree after;
    int rc;

    *err = (struct err){ 0 };
    assert_int_equal(tree_take(&scene->repo, private_paths, &after, err), 0);
    tree_compare(&scene->before, &after, &delta);
    rc = tree_put_back(&scene->repo, &scene->before, &delta, keep, err);
    tree_delta_release(&delta);
    tree_release(&after);
    return rc;
}

static void finish(struct scene *scene)
{
    tree_release(&scene->before);
    repo_release(&scene->repo);
}

/* Nothing differs from what was taken. */
static void expect_as_before(struct scene *scene)
{
    struct tree_delta delta;
    struct err err = { 0 };
    struct tree now;

    assert_int_equal(tree_take(&scene->repo, private_paths, &now, &err), 0);
    tree_compare(&scene->before, &now, &delta);
    if (delta.count)
        fail_msg("still there: %s %.*s", change_word(delta.items[0].kind),
                 STR_ARG(delta.items[0].path));
    tree_delta_release(&delta);
    tree_release(&now);
}

static void end(struct scene *scene)
{
    struct err err;

    if (put_back(scene, at(scene->ground, "keep"), &err) != 0) fail_msg("%s", err.text);
    expect_as_before(scene);
    finish(scene);
}

/* ---- one thing at a time ---- */

static void clean_file_that_was_modified(void **state)
{
    struct scene scene;

    begin(&scene, state);
    put(at(*state, "work/clean"), "spoilt\n");
    end(&scene);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "keep/clean"), "spoilt\n");
}

static void changed_file_that_was_modified_again(void **state)
{
    struct scene scene;

    put(at(*state, "work/clean"), "users work\n");
    put(at(*state, "work/new"), "untracked work");
    assert_int_equal(chmod(at(*state, "work/new"), 0600), 0);
    begin(&scene, state);
    put(at(*state, "work/clean"), "spoilt\n");
    put(at(*state, "work/new"), "spoilt");
    end(&scene);
    expect_content(at(*state, "work/clean"), "users work\n");
    expect_content(at(*state, "work/new"), "untracked work");
    assert_int_equal(mode_of(at(*state, "work/new")) & 0777, 0600);
    expect_content(at(*state, "keep/new"), "spoilt");
}

static void added_file_and_its_folders_go(void **state)
{
    struct scene scene;

    begin(&scene, state);
    put(at(*state, "work/a/b/c"), "junk");
    put(at(*state, "work/sub/junk"), "junk");
    end(&scene);
    assert_false(is_there(at(*state, "work/a")));
    assert_true(is_there(at(*state, "work/sub/deep")));
    expect_content(at(*state, "keep/a/b/c"), "junk");
}

static void deleted_files_come_back(void **state)
{
    struct scene scene;

    put(at(*state, "work/new/er"), "untracked");
    begin(&scene, state);
    remove_all(at(*state, "work/new"));
    remove_all(at(*state, "work/sub"));
    end(&scene);
    expect_content(at(*state, "work/new/er"), "untracked");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
}

static void modes_come_back(void **state)
{
    struct scene scene;

    put(at(*state, "work/new"), "script");
    assert_int_equal(chmod(at(*state, "work/new"), 0755), 0);
    begin(&scene, state);
    assert_int_equal(chmod(at(*state, "work/new"), 0644), 0);
    assert_int_equal(chmod(at(*state, "work/clean"), 0755), 0);
    end(&scene);
    assert_int_equal(mode_of(at(*state, "work/new")) & 0111, 0111);
    assert_int_equal(mode_of(at(*state, "work/clean")) & 0111, 0);
}

static void links_and_files_that_swapped(void **state)
{
    struct scene scene;

    put(at(*state, "outside"), "precious");
    put_link(at(*state, "work/link"), "../outside");
    begin(&scene, state);
    assert_int_equal(unlink(at(*state, "work/link")), 0);
    put(at(*state, "work/link"), "no link");
    assert_int_equal(unlink(at(*state, "work/clean")), 0);
    put_link(at(*state, "work/clean"), "../outside");
    end(&scene);
    expect_link(at(*state, "work/link"), "../outside");
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "outside"), "precious");
    expect_link(at(*state, "keep/clean"), "../outside");
}

static void files_and_folders_that_swapped(void **state)
{
    struct scene scene;

    put(at(*state, "work/new"), "untracked");
    begin(&scene, state);
    assert_int_equal(unlink(at(*state, "work/clean")), 0);
    put(at(*state, "work/clean/inside/x"), "junk");
    assert_int_equal(unlink(at(*state, "work/new")), 0);
    put(at(*state, "work/new/inside"), "junk");
    remove_all(at(*state, "work/sub"));
    put(at(*state, "work/sub"), "junk");
    end(&scene);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "work/new"), "untracked");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    expect_content(at(*state, "keep/clean/inside/x"), "junk");
    expect_content(at(*state, "keep/sub"), "junk");
}

static void planted_links_do_not_lead_outside(void **state)
{
    struct scene scene;

    put(at(*state, "outside/deep"), "precious");
    put(at(*state, "outside2/er"), "precious");
    put(at(*state, "work/new/er"), "untracked");
    begin(&scene, state);
    remove_all(at(*state, "work/sub"));
    put_link(at(*state, "work/sub"), "../outside");
    remove_all(at(*state, "work/new"));
    put_link(at(*state, "work/new"), "../outside2");
    end(&scene);
    expect_content(at(*state, "outside/deep"), "precious");
    expect_content(at(*state, "outside2/er"), "precious");
    expect_content(at(*state, "work/new/er"), "untracked");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    expect_link(at(*state, "keep/sub"), "../outside");
}

/* The link is ignored, so that no delta names it. */
static void hidden_links_do_not_lead_outside(void **state)
{
    struct scene scene;

    put(at(*state, "outside/deep"), "precious");
    put(at(*state, "work/.git/info/exclude"), "/sub\n");
    begin(&scene, state);
    remove_all(at(*state, "work/sub"));
    put_link(at(*state, "work/sub"), "../outside");
    end(&scene);
    expect_content(at(*state, "outside/deep"), "precious");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    expect_link(at(*state, "keep/sub"), "../outside");
}

static void odd_names(void **state)
{
    static const char *const names[] = { "a b", "new\nline", "\"q\"", "-dash", "\xc3\xa4",
                                         "\xff", "back\\", "tab\t", ":(top)x", "*" };
    const size_t count = sizeof names / sizeof names[0];
    struct scene scene;

    for (size_t i = 0; i < count; i++) {
        put(at(*state, "work/changed/%s", names[i]), "old");
        put(at(*state, "work/clean dir/%s", names[i]), "old");
    }
    git((struct ground *)*state, "add", "--", "clean dir");
    git((struct ground *)*state, "commit", "--quiet", "--message=odd");
    begin(&scene, state);
    for (size_t i = 0; i < count; i++) {
        put(at(*state, "work/changed/%s", names[i]), "spoilt");
        put(at(*state, "work/clean dir/%s", names[i]), "spoilt");
        put(at(*state, "work/added/%s", names[i]), "junk");
    }
    end(&scene);
    for (size_t i = 0; i < count; i++) {
        expect_content(at(*state, "work/changed/%s", names[i]), "old");
        expect_content(at(*state, "work/clean dir/%s", names[i]), "old");
        expect_content(at(*state, "keep/added/%s", names[i]), "junk");
    }
    assert_false(is_there(at(*state, "work/added")));
}

/* ---- index and HEAD ---- */

static void what_was_staged_is_staged_again(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;
    char *staged;

    put(at(ground, "work/clean"), "staged\n");
    put(at(ground, "work/new"), "staged new\n");
    git(ground, "add", "clean", "new");
    put(at(ground, "work/clean"), "further\n");
    begin(&scene, state);
    git(ground, "reset", "--quiet", "--hard");
    end(&scene);
    expect_content(at(ground, "work/clean"), "further\n");
    staged = git_says(ground, "show", ":clean");
    assert_string_equal(staged, "staged");
    free(staged);
}

static void what_was_not_staged_is_not(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;
    char *status;

    put(at(ground, "work/clean"), "changed\n");
    put(at(ground, "work/new"), "new\n");
    begin(&scene, state);
    git(ground, "rm", "--quiet", "--cached", "sub/deep");
    git(ground, "add", "clean", "new");
    end(&scene);
    status = git_says(ground, "status", "--porcelain");
    assert_string_equal(status, " M clean\n?? new");
    free(status);
    assert_false(is_there(at(ground, "keep/clean")));
}

static void commits_are_undone_and_work_is_not_lost(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;

    put(at(ground, "work/clean"), "users work\n");
    put(at(ground, "work/new"), "untracked\n");
    begin(&scene, state);
    put(at(ground, "work/other"), "spoilt\n");
    put(at(ground, "work/junk"), "junk\n");
    put(at(ground, "work/.agents/state"), "contract file\n");
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=not asked for");
    assert_int_equal(unlink(at(ground, "work/sub/deep")), 0);
    git(ground, "commit", "--quiet", "--all", "--message=nor this");
    end(&scene);
    expect_content(at(ground, "work/clean"), "users work\n");
    expect_content(at(ground, "work/new"), "untracked\n");
    expect_content(at(ground, "work/other"), "other\n");
    expect_content(at(ground, "work/sub/deep"), "deep\n");
    expect_content(at(ground, "work/.agents/state"), "contract file\n");
    expect_content(at(ground, "keep/other"), "spoilt\n");
    expect_content(at(ground, "keep/junk"), "junk\n");
    assert_false(is_there(at(ground, "keep/clean"))); /* it was committed as it was */
}

static void first_commit_is_undone(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;

    git(ground, "init", "--quiet", "--initial-branch=main");
    put(at(ground, "work/f"), "f");
    begin(&scene, state);
    git(ground, "add", "f");
    git(ground, "commit", "--quiet", "--message=first");
    end(&scene);
    expect_content(at(ground, "work/f"), "f");
}

static void lost_branch_comes_back(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;

    begin(&scene, state);
    git(ground, "update-ref", "-d", "HEAD");
    end(&scene);
}

static void other_branch_is_refused_untouched(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;
    struct err err;

    begin(&scene, state);
    git(ground, "checkout", "--quiet", "-b", "aside");
    put(at(ground, "work/clean"), "spoilt\n");
    assert_int_equal(put_back(&scene, at(ground, "keep"), &err), ERR_FAILED);
    assert_non_null(strstr(err.text, "main"));
    assert_non_null(strstr(err.text, "aside"));
    expect_content(at(ground, "work/clean"), "spoilt\n");
    git(ground, "checkout", "--quiet", "main");
    end(&scene);
}

static void merge_conflict_is_unmerged_again(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;

    git(ground, "checkout", "--quiet", "-b", "side");
    put(at(ground, "work/clean"), "side\n");
    git(ground, "commit", "--quiet", "--all", "--message=side");
    git(ground, "checkout", "--quiet", "main");
    put(at(ground, "work/clean"), "main\n");
    git(ground, "commit", "--quiet", "--all", "--message=main");
    run_in(ground->work, (const char *const[]){ "git", "merge", "side", NULL });
    begin(&scene, state);
    put(at(ground, "work/clean"), "resolved\n");
    git(ground, "add", "clean");
    end(&scene);
}

/* ---- ignore rules ---- */

static void uncovered_files_of_the_user_stay(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;

    put(at(ground, "work/.gitignore"), ".env\n");
    put(at(ground, "work/.env"), "secret");
    git(ground, "add", ".gitignore");
    git(ground, "commit", "--quiet", "--message=ignore");
    begin(&scene, state);
    put(at(ground, "work/.gitignore"), "");
    end(&scene);
    expect_content(at(ground, "work/.env"), "secret");
    assert_false(is_there(at(ground, "keep/.env")));
}

static void hidden_files_go_too(void **state)
{
    struct scene scene;

    begin(&scene, state);
    put(at(*state, "work/sub/.gitignore"), "junk\n");
    put(at(*state, "work/sub/junk"), "junk");
    end(&scene);
    assert_false(is_there(at(*state, "work/sub/junk")));
    expect_content(at(*state, "keep/sub/junk"), "junk");
}

/* ---- limits ---- */

static void what_the_delta_does_not_name_is_left_alone(void **state)
{
    struct tree_change only = { .kind = CHANGE_MODIFIED, .path = STR("clean") };
    const struct tree_delta delta = { .items = &only, .count = 1 };
    struct err err = { 0 };
    struct scene scene;

    begin(&scene, state);
    put(at(*state, "work/clean"), "spoilt\n");
    put(at(*state, "work/other"), "the users, meanwhile\n");
    assert_int_equal(
        tree_put_back(&scene.repo, &scene.before, &delta, at(*state, "keep"), &err), 0);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "work/other"), "the users, meanwhile\n");
    finish(&scene);
}

static void what_cannot_be_put_back_is_named_after_the_rest_was(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;
    struct err err;

    make_folder(at(ground, "work/nested"));
    git_in(at(ground, "work/nested"), (const char *const[]){ "git", "init", "--quiet", NULL });
    put(at(ground, "work/nested/work"), "somebodys work");
    begin(&scene, state);
    remove_all(at(ground, "work/nested/.git"));
    put(at(ground, "work/other"), "spoilt\n");
    assert_int_equal(put_back(&scene, at(ground, "keep"), &err), ERR_FAILED);
    assert_non_null(strstr(err.text, "nested"));
    expect_content(at(ground, "work/other"), "other\n");
    expect_content(at(ground, "work/nested/work"), "somebodys work");
    finish(&scene);
}

static void a_cloned_repository_is_moved_away(void **state)
{
    const struct ground *ground = *state;
    struct scene scene;

    begin(&scene, state);
    git(ground, "clone", "--quiet", ".", "copy");
    end(&scene);
    assert_false(is_there(at(ground, "work/copy")));
    assert_true(is_there(at(ground, "keep/copy/.git")));
}

static void kept_versions_may_lie_on_another_file_system(void **state)
{
    char keep[] = "/dev/shm/keep.XXXXXX";
    const struct ground *ground = *state;
    char path[64];
    struct stat here, there;
    struct scene scene;
    struct err err;

    if (!mkdtemp(keep)) skip();
    if (stat(keep, &there) != 0 || stat(ground->work, &here) != 0 ||
        here.st_dev == there.st_dev) {
        rmdir(keep);
        fprintf(stderr, "skipped: /dev/shm is no other file system\n");
        skip();
    }
    begin(&scene, state);
    assert_int_equal(unlink(at(ground, "work/clean")), 0);
    put(at(ground, "work/clean/in/side"), "junk");
    put_link(at(ground, "work/clean/link"), "in");
    put(at(ground, "work/other"), "spoilt\n");
    assert_int_equal(chmod(at(ground, "work/other"), 0700), 0);
    assert_int_equal(put_back(&scene, keep, &err), 0);
    expect_as_before(&scene);
    snprintf(path, sizeof path, "%s/clean/in/side", keep);
    expect_content(path, "junk");
    snprintf(path, sizeof path, "%s/clean/link", keep);
    expect_link(path, "in");
    snprintf(path, sizeof path, "%s/other", keep);
    expect_content(path, "spoilt\n");
    assert_int_equal(mode_of(path) & 0777, 0700);
    finish(&scene);
    remove_all(keep);
}

static void folder_without_git_is_put_back_alike(void **state)
{
    struct scene scene;

    put(at(*state, "work/one"), "1");
    begin(&scene, state);
    put(at(*state, "work/one"), "spoilt");
    put(at(*state, "work/two"), "junk");
    end(&scene);
    expect_content(at(*state, "work/one"), "1");
    expect_content(at(*state, "keep/two"), "junk");
}

int main(void)
{
#define ON_GROUND(test) cmocka_unit_test_setup_teardown(test, ground_open, ground_close)
#define IN_REPOSITORY(test) cmocka_unit_test_setup_teardown(test, ground_open_git, ground_close)
    const struct CMUnitTest tests[] = {
        IN_REPOSITORY(clean_file_that_was_modified),
        IN_REPOSITORY(changed_file_that_was_modified_again),
        IN_REPOSITORY(added_file_and_its_folders_go),
        IN_REPOSITORY(deleted_files_come_back),
        IN_REPOSITORY(modes_come_back),
        IN_REPOSITORY(links_and_files_that_swapped),
        IN_REPOSITORY(files_and_folders_that_swapped),
        IN_REPOSITORY(planted_links_do_not_lead_outside),
        IN_REPOSITORY(hidden_links_do_not_lead_outside),
        IN_REPOSITORY(odd_names),
        IN_REPOSITORY(what_was_staged_is_staged_again),
        IN_REPOSITORY(what_was_not_staged_is_not),
        IN_REPOSITORY(commits_are_undone_and_work_is_not_lost),
        ON_GROUND(first_commit_is_undone),
        IN_REPOSITORY(lost_branch_comes_back),
        IN_REPOSITORY(other_branch_is_refused_untouched),
        IN_REPOSITORY(merge_conflict_is_unmerged_again),
        IN_REPOSITORY(uncovered_files_of_the_user_stay),
        IN_REPOSITORY(hidden_files_go_too),
        IN_REPOSITORY(what_the_delta_does_not_name_is_left_alone),
        IN_REPOSITORY(what_cannot_be_put_back_is_named_after_the_rest_was),
        IN_REPOSITORY(a_cloned_repository_is_moved_away),
        IN_REPOSITORY(kept_versions_may_lie_on_another_file_system),
        ON_GROUND(folder_without_git_is_put_back_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
