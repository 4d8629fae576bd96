/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_bring.c - what one tree has otherwise than another comes to a work tree, where that is
 * still as the first. */
#include "spoil.h"
#include "test.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const private_paths[] = { ".agents/", NULL };

/* A work tree as it was (base), as it became (want), and as it was again. */
struct bring {
    struct spoil spoil;
    struct tree want;
    struct tree_delta left;
    bool half;
};

static void bring_begin(struct bring *bring, void **state)
{
    *bring = (struct bring){ 0 };
    put(at(*state, "work/dirty"), "dirty\n");
    put(at(*state, "work/gone"), "to go\n");
    spoil_begin(&bring->spoil, state);
}

/* The work tree is as it became; now it is made what it was. */
static void bring_back(struct bring *bring)
{
    struct spoil *spoil = &bring->spoil;
    struct err err = { 0 };

    assert_int_equal(tree_take(&spoil->repo, private_paths, &bring->want, &err), 0);
    assert_int_equal(tree_spell(&spoil->repo, &spoil->before, &bring->want, &err), 0);
    assert_int_equal(spoil_put_back(spoil, at(spoil->ground, "undone"), &err), 0);
}

static int bring_try(struct bring *bring, struct err *err)
{
    struct ground *ground = bring->spoil.ground;
    struct tree_bring order = {
        .repo = &bring->spoil.repo, .base = &bring->spoil.before, .want = &bring->want,
        .keep_dir = at(ground, "keep"), .left_dir = at(ground, "left"),
        .private_paths = private_paths,
    };

    tree_delta_release(&bring->left);
    return tree_bring(&order, &bring->left, &bring->half, err);
}

static void bring_it(struct bring *bring)
{
    struct err err = { 0 };

    if (bring_try(bring, &err) != 0) fail_msg("%s", err.text);
}

static void bring_end(struct bring *bring)
{
    tree_delta_release(&bring->left);
    tree_release(&bring->want);
    spoil_finish(&bring->spoil);
}

static void repair(void **state)
{
    put(at(*state, "work/clean"), "repaired\n");
    put(at(*state, "work/dirty"), "repaired, too\n");
    put(at(*state, "work/made/new"), "new\n");
    assert_int_equal(unlink(at(*state, "work/gone")), 0);
}

static void expect_repaired(void **state)
{
    expect_content(at(*state, "work/clean"), "repaired\n");
    expect_content(at(*state, "work/dirty"), "repaired, too\n");
    expect_content(at(*state, "work/made/new"), "new\n");
    assert_false(is_there(at(*state, "work/gone")));
}

IN_REPOSITORY(what_differs_comes_and_what_it_replaced_is_kept)
{
    struct bring bring;

    bring_begin(&bring, state);
    repair(state);
    bring_back(&bring);
    bring_it(&bring);
    expect_repaired(state);
    assert_int_equal(bring.left.count, 0);
    expect_content(at(*state, "keep/dirty"), "dirty\n");
    expect_content(at(*state, "keep/gone"), "to go\n");
    bring_end(&bring);
}

IN_REPOSITORY(what_another_changed_elsewhere_stays)
{
    struct bring bring;

    bring_begin(&bring, state);
    repair(state);
    bring_back(&bring);
    put(at(*state, "work/sub/deep"), "of a person\n");
    put(at(*state, "work/mine"), "mine\n");
    bring_it(&bring);
    expect_repaired(state);
    expect_content(at(*state, "work/sub/deep"), "of a person\n");
    expect_content(at(*state, "work/mine"), "mine\n");
    bring_end(&bring);
}

IN_REPOSITORY(a_file_that_both_changed_is_not_overwritten)
{
    struct bring bring;

    bring_begin(&bring, state);
    repair(state);
    bring_back(&bring);
    put(at(*state, "work/dirty"), "of a person\n");
    assert_int_equal(unlink(at(*state, "work/clean")), 0);
    bring_it(&bring);
    expect_content(at(*state, "work/dirty"), "of a person\n");
    assert_false(is_there(at(*state, "work/clean"))); /* a person deleted it */
    expect_content(at(*state, "work/made/new"), "new\n");
    assert_int_equal(bring.left.count, 2);
    expect_content(at(*state, "left/dirty"), "repaired, too\n");
    expect_content(at(*state, "left/clean"), "repaired\n");
    bring_end(&bring);
}

IN_REPOSITORY(what_a_killed_call_left_is_finished)
{
    struct bring bring;

    bring_begin(&bring, state);
    repair(state);
    bring_back(&bring);
    /* Killed when one file was there, one moved away, and the others as before. */
    put(at(*state, "work/clean"), "repaired\n");
    put(at(*state, "keep/dirty"), "dirty\n");
    assert_int_equal(unlink(at(*state, "work/dirty")), 0);
    bring_it(&bring);
    expect_repaired(state);
    assert_int_equal(bring.left.count, 0);
    bring_it(&bring); /* nothing is left to be done */
    expect_repaired(state);
    assert_int_equal(bring.left.count, 0);
    bring_end(&bring);
}

/* The last file of it cannot be written: those before it had come. */
IN_REPOSITORY(a_change_that_cannot_come_whole_does_not_come)
{
    struct tree_entry *entry = NULL;
    struct err err = { 0 };
    struct bring bring;
    char first;

    bring_begin(&bring, state);
    repair(state);
    bring_back(&bring);
    for (uint32_t i = 0; i < bring.want.count; i++) {
        if (str_is(bring.want.entries[i].path, "made/new")) entry = &bring.want.entries[i];
    }
    assert_non_null(entry);
    first = entry->oid[0];
    entry->oid[0] = first == 'a' ? 'b' : 'a'; /* no such content */
    assert_int_not_equal(bring_try(&bring, &err), 0);
    assert_non_null(strstr(err.text, "to the tree, which is as it was: "));
    assert_false(bring.half);
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_content(at(*state, "work/dirty"), "dirty\n");
    expect_content(at(*state, "work/gone"), "to go\n");
    assert_false(is_there(at(*state, "work/made")));

    /* What a person deletes now is deleted, and was not moved away by that call. */
    assert_int_equal(unlink(at(*state, "work/gone")), 0);
    assert_int_equal(unlink(at(*state, "work/dirty")), 0);
    entry->oid[0] = first;
    bring_it(&bring);
    expect_content(at(*state, "work/clean"), "repaired\n");
    expect_content(at(*state, "work/made/new"), "new\n");
    assert_false(is_there(at(*state, "work/dirty")));
    expect_content(at(*state, "left/dirty"), "repaired, too\n");
    assert_int_equal(bring.left.count, 1);
    bring_end(&bring);
}

IN_REPOSITORY(a_change_that_is_undone_comes_too)
{
    struct bring bring;

    bring = (struct bring){ 0 };
    put(at(*state, "work/clean"), "dirty\n");
    spoil_begin(&bring.spoil, state);
    put(at(*state, "work/clean"), "clean\n"); /* as it was committed */
    bring_back(&bring);
    expect_content(at(*state, "work/clean"), "dirty\n");
    bring_it(&bring);
    expect_content(at(*state, "work/clean"), "clean\n");
    bring_end(&bring);
}

IN_REPOSITORY(modes_and_links_come)
{
    struct bring bring;

    bring_begin(&bring, state);
    assert_int_equal(chmod(at(*state, "work/clean"), 0755), 0);
    put_link(at(*state, "work/link"), "clean");
    bring_back(&bring);
    bring_it(&bring);
    assert_int_equal(mode_of(at(*state, "work/clean")) & 0111, 0111);
    expect_link(at(*state, "work/link"), "clean");
    bring_end(&bring);
}

/* What no look names, or stands where the other kind is needed, is not the repair's to move. */
IN_REPOSITORY(what_stands_where_a_new_file_comes_stays)
{
    struct bring bring;

    bring = (struct bring){ 0 };
    spoil_begin(&bring.spoil, state);
    put(at(*state, "work/a.log"), "of the repair\n");
    put(at(*state, "work/b"), "of the repair\n");
    put(at(*state, "work/c/d"), "of the repair\n");
    put(at(*state, "work/e"), "of the repair\n");
    bring_back(&bring);
    put(at(*state, "work/.gitignore"), "*.log\n");
    put(at(*state, "work/a.log"), "ignored\n");
    put(at(*state, "work/b/mine"), "mine\n");
    put(at(*state, "work/c"), "mine\n");
    bring_it(&bring);
    expect_content(at(*state, "work/a.log"), "ignored\n");
    expect_content(at(*state, "work/b/mine"), "mine\n");
    expect_content(at(*state, "work/c"), "mine\n");
    expect_content(at(*state, "work/e"), "of the repair\n");
    assert_int_equal(bring.left.count, 3);
    expect_content(at(*state, "left/a.log"), "of the repair\n");
    expect_content(at(*state, "left/b"), "of the repair\n");
    expect_content(at(*state, "left/c/d"), "of the repair\n");
    bring_end(&bring);
}

IN_REPOSITORY(a_folder_that_becomes_a_file_and_a_file_that_becomes_a_folder_come)
{
    struct bring bring;

    bring_begin(&bring, state);
    assert_int_equal(unlink(at(*state, "work/sub/deep")), 0);
    assert_int_equal(rmdir(at(*state, "work/sub")), 0);
    put(at(*state, "work/sub"), "a file now\n");
    assert_int_equal(unlink(at(*state, "work/gone")), 0);
    put(at(*state, "work/gone/in"), "a folder now\n");
    bring_back(&bring);
    bring_it(&bring);
    assert_int_equal(bring.left.count, 0);
    expect_content(at(*state, "work/sub"), "a file now\n");
    expect_content(at(*state, "work/gone/in"), "a folder now\n");
    bring_end(&bring);
}
