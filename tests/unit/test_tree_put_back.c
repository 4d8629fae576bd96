/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_put_back.c - a work tree put back is what it was, and what replaced it is kept. */
#include "spoil.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one thing at a time ---- */

IN_REPOSITORY(clean_file_that_was_modified)
{
    struct spoil spoil;

    spoil_begin(&spoil, state);
    put(at(*state, "work/clean"), "spoilt\n");
    spoil_end(&spoil);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "keep/clean"), "spoilt\n");
}

IN_REPOSITORY(changed_file_that_was_modified_again)
{
    struct spoil spoil;

    put(at(*state, "work/clean"), "users work\n");
    put(at(*state, "work/new"), "untracked work");
    assert_int_equal(chmod(at(*state, "work/new"), 0600), 0);
    spoil_begin(&spoil, state);
    put(at(*state, "work/clean"), "spoilt\n");
    put(at(*state, "work/new"), "spoilt");
    spoil_end(&spoil);
    expect_content(at(*state, "work/clean"), "users work\n");
    expect_content(at(*state, "work/new"), "untracked work");
    assert_int_equal(mode_of(at(*state, "work/new")) & 0777, 0600);
    expect_content(at(*state, "keep/new"), "spoilt");
}

IN_REPOSITORY(added_file_and_its_folders_go)
{
    struct spoil spoil;

    spoil_begin(&spoil, state);
    put(at(*state, "work/a/b/c"), "junk");
    put(at(*state, "work/sub/junk"), "junk");
    spoil_end(&spoil);
    assert_false(is_there(at(*state, "work/a")));
    assert_true(is_there(at(*state, "work/sub/deep")));
    expect_content(at(*state, "keep/a/b/c"), "junk");
}

IN_REPOSITORY(deleted_files_come_back)
{
    struct spoil spoil;

    put(at(*state, "work/new/er"), "untracked");
    spoil_begin(&spoil, state);
    remove_all(at(*state, "work/new"));
    remove_all(at(*state, "work/sub"));
    spoil_end(&spoil);
    expect_content(at(*state, "work/new/er"), "untracked");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
}

IN_REPOSITORY(modes_come_back)
{
    struct spoil spoil;

    put(at(*state, "work/new"), "script");
    assert_int_equal(chmod(at(*state, "work/new"), 0755), 0);
    spoil_begin(&spoil, state);
    assert_int_equal(chmod(at(*state, "work/new"), 0644), 0);
    assert_int_equal(chmod(at(*state, "work/clean"), 0755), 0);
    spoil_end(&spoil);
    assert_int_equal(mode_of(at(*state, "work/new")) & 0111, 0111);
    assert_int_equal(mode_of(at(*state, "work/clean")) & 0111, 0);
}

IN_REPOSITORY(links_and_files_that_swapped)
{
    struct spoil spoil;

    put(at(*state, "outside"), "precious");
    put_link(at(*state, "work/link"), "../outside");
    spoil_begin(&spoil, state);
    assert_int_equal(unlink(at(*state, "work/link")), 0);
    put(at(*state, "work/link"), "no link");
    assert_int_equal(unlink(at(*state, "work/clean")), 0);
    put_link(at(*state, "work/clean"), "../outside");
    spoil_end(&spoil);
    expect_link(at(*state, "work/link"), "../outside");
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "outside"), "precious");
    expect_link(at(*state, "keep/clean"), "../outside");
}

IN_REPOSITORY(files_and_folders_that_swapped)
{
    struct spoil spoil;

    put(at(*state, "work/new"), "untracked");
    spoil_begin(&spoil, state);
    assert_int_equal(unlink(at(*state, "work/clean")), 0);
    put(at(*state, "work/clean/inside/x"), "junk");
    assert_int_equal(unlink(at(*state, "work/new")), 0);
    put(at(*state, "work/new/inside"), "junk");
    remove_all(at(*state, "work/sub"));
    put(at(*state, "work/sub"), "junk");
    spoil_end(&spoil);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "work/new"), "untracked");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    expect_content(at(*state, "keep/clean/inside/x"), "junk");
    expect_content(at(*state, "keep/sub"), "junk");
}

IN_REPOSITORY(planted_links_do_not_lead_outside)
{
    struct spoil spoil;

    put(at(*state, "outside/deep"), "precious");
    put(at(*state, "outside2/er"), "precious");
    put(at(*state, "work/new/er"), "untracked");
    spoil_begin(&spoil, state);
    remove_all(at(*state, "work/sub"));
    put_link(at(*state, "work/sub"), "../outside");
    remove_all(at(*state, "work/new"));
    put_link(at(*state, "work/new"), "../outside2");
    spoil_end(&spoil);
    expect_content(at(*state, "outside/deep"), "precious");
    expect_content(at(*state, "outside2/er"), "precious");
    expect_content(at(*state, "work/new/er"), "untracked");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    expect_link(at(*state, "keep/sub"), "../outside");
}

/* The link is ignored, so that no delta names it. */
IN_REPOSITORY(hidden_links_do_not_lead_outside)
{
    struct spoil spoil;

    put(at(*state, "outside/deep"), "precious");
    put(at(*state, "work/.git/info/exclude"), "/sub\n");
    spoil_begin(&spoil, state);
    remove_all(at(*state, "work/sub"));
    put_link(at(*state, "work/sub"), "../outside");
    spoil_end(&spoil);
    expect_content(at(*state, "outside/deep"), "precious");
    expect_content(at(*state, "work/sub/deep"), "deep\n");
    expect_link(at(*state, "keep/sub"), "../outside");
}

IN_REPOSITORY(odd_names)
{
    static const char *const names[] = { "a b", "new\nline", "\"q\"", "-dash", "\xc3\xa4",
                                         "\xff", "back\\", "tab\t", ":(top)x", "*" };
    const size_t count = sizeof names / sizeof names[0];
    struct spoil spoil;

    for (size_t i = 0; i < count; i++) {
        put(at(*state, "work/changed/%s", names[i]), "old");
        put(at(*state, "work/clean dir/%s", names[i]), "old");
    }
    git((struct ground *)*state, "add", "--", "clean dir");
    git((struct ground *)*state, "commit", "--quiet", "--message=odd");
    spoil_begin(&spoil, state);
    for (size_t i = 0; i < count; i++) {
        put(at(*state, "work/changed/%s", names[i]), "spoilt");
        put(at(*state, "work/clean dir/%s", names[i]), "spoilt");
        put(at(*state, "work/added/%s", names[i]), "junk");
    }
    spoil_end(&spoil);
    for (size_t i = 0; i < count; i++) {
        expect_content(at(*state, "work/changed/%s", names[i]), "old");
        expect_content(at(*state, "work/clean dir/%s", names[i]), "old");
        expect_content(at(*state, "keep/added/%s", names[i]), "junk");
    }
    assert_false(is_there(at(*state, "work/added")));
}

/* ---- limits ---- */

IN_REPOSITORY(what_the_delta_does_not_name_is_left_alone)
{
    struct tree_change only = { .kind = CHANGE_MODIFIED, .path = STR("clean") };
    const struct tree_delta delta = { .items = &only, .count = 1 };
    struct err err = { 0 };
    struct spoil spoil;

    spoil_begin(&spoil, state);
    put(at(*state, "work/clean"), "spoilt\n");
    put(at(*state, "work/other"), "the users, meanwhile\n");
    assert_int_equal(
        tree_put_back(&spoil.repo, &spoil.before, &delta, at(*state, "keep"), &err), 0);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "work/other"), "the users, meanwhile\n");
    spoil_finish(&spoil);
}

IN_REPOSITORY(what_cannot_be_put_back_is_named_after_the_rest_was)
{
    const struct ground *ground = *state;
    struct spoil spoil;
    struct err err;

    make_folder(at(ground, "work/nested"));
    git_in(at(ground, "work/nested"), (const char *const[]){ "git", "init", "--quiet", NULL });
    put(at(ground, "work/nested/work"), "somebodys work");
    spoil_begin(&spoil, state);
    remove_all(at(ground, "work/nested/.git"));
    put(at(ground, "work/other"), "spoilt\n");
    assert_int_equal(spoil_put_back(&spoil, at(ground, "keep"), &err), ERR_FAILED);
    assert_non_null(strstr(err.text, "nested"));
    expect_content(at(ground, "work/other"), "other\n");
    expect_content(at(ground, "work/nested/work"), "somebodys work");
    spoil_finish(&spoil);
}

IN_REPOSITORY(a_cloned_repository_is_moved_away)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    spoil_begin(&spoil, state);
    git(ground, "clone", "--quiet", ".", "copy");
    spoil_end(&spoil);
    assert_false(is_there(at(ground, "work/copy")));
    assert_true(is_there(at(ground, "keep/copy/.git")));
}

IN_REPOSITORY(kept_versions_may_lie_on_another_file_system)
{
    char keep[] = "/dev/shm/keep.XXXXXX";
    const struct ground *ground = *state;
    char path[64];
    struct stat here, there;
    struct spoil spoil;
    struct err err;

    if (!mkdtemp(keep)) skip();
    if (stat(keep, &there) != 0 || stat(ground->work, &here) != 0 ||
        here.st_dev == there.st_dev) {
        rmdir(keep);
        fprintf(stderr, "skipped: /dev/shm is no other file system\n");
        skip();
    }
    spoil_begin(&spoil, state);
    assert_int_equal(unlink(at(ground, "work/clean")), 0);
    put(at(ground, "work/clean/in/side"), "junk");
    put_link(at(ground, "work/clean/link"), "in");
    put(at(ground, "work/other"), "spoilt\n");
    assert_int_equal(chmod(at(ground, "work/other"), 0700), 0);
    assert_int_equal(spoil_put_back(&spoil, keep, &err), 0);
    spoil_expect_as_before(&spoil);
    snprintf(path, sizeof path, "%s/clean/in/side", keep);
    expect_content(path, "junk");
    snprintf(path, sizeof path, "%s/clean/link", keep);
    expect_link(path, "in");
    snprintf(path, sizeof path, "%s/other", keep);
    expect_content(path, "spoilt\n");
    assert_int_equal(mode_of(path) & 0777, 0700);
    spoil_finish(&spoil);
    remove_all(keep);
}

IN_REPOSITORY(versions_kept_before_are_not_overwritten)
{
    struct spoil spoil;
    struct err err;

    spoil_begin(&spoil, state);
    put(at(*state, "work/clean"), "spoilt\n");
    assert_int_equal(spoil_put_back(&spoil, at(*state, "keep"), &err), 0);
    put(at(*state, "work/clean"), "spoilt again\n");
    spoil_end(&spoil);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "keep/clean"), "spoilt\n");
    expect_content(at(*state, "keep/clean.1"), "spoilt again\n");
}

ON_GROUND(folder_without_git_is_put_back_alike)
{
    struct spoil spoil;

    put(at(*state, "work/one"), "1");
    spoil_begin(&spoil, state);
    put(at(*state, "work/one"), "spoilt");
    put(at(*state, "work/two"), "junk");
    spoil_end(&spoil);
    expect_content(at(*state, "work/one"), "1");
    expect_content(at(*state, "keep/two"), "junk");
}
