/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree_hidden.c - files that git is told not to look at are looked at. */
#include "base/buf.h"
#include "io/file/file.h"
#include "io/git/index.h"
#include "spoil.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

static bool hides_at(const struct ground *ground, size_t oid_bytes)
{
    struct err err;
    struct buf text;
    bool hides;

    buf_init(&text, 1 << 20);
    assert_int_equal(file_read(at(ground, "work/.git/index"), &text, &err), 0);
    hides = index_bytes_hide(buf_str(&text), oid_bytes);
    for (size_t size = 0; size < 12; size++) { /* cut off, it proves nothing */
        assert_true(index_bytes_hide((struct str){ text.data, size }, oid_bytes));
    }
    buf_release(&text);
    return hides;
}

IN_REPOSITORY(an_index_without_marks_is_known)
{
    const struct ground *ground = *state;

    assert_false(hides_at(ground, 20));
    git(ground, "update-index", "--index-version", "4");
    assert_false(hides_at(ground, 20));
    git(ground, "update-index", "--index-version", "3");
    put(at(ground, "work/meant"), "x");
    git(ground, "add", "--intent-to-add", "meant"); /* more flags, and no mark */
    assert_false(hides_at(ground, 20));
}

IN_REPOSITORY(each_mark_is_seen)
{
    static const char *const marks[][2] = { { "--assume-unchanged", "--no-assume-unchanged" },
                                            { "--skip-worktree", "--no-skip-worktree" } };
    static const char *const versions[] = { "2", "3", "4" };
    const struct ground *ground = *state;

    for (size_t v = 0; v < 3; v++) {
        git(ground, "update-index", "--index-version", versions[v]);
        for (size_t i = 0; i < 2; i++) {
            git(ground, "update-index", marks[i][0], "sub/deep");
            assert_true(hides_at(ground, 20));
            git(ground, "update-index", marks[i][1], "sub/deep");
            assert_false(hides_at(ground, 20));
        }
    }
}

IN_REPOSITORY(an_index_in_two_files_is_not_understood)
{
    const struct ground *ground = *state;

    git(ground, "update-index", "--split-index");
    assert_true(hides_at(ground, 20));
}

ON_GROUND(longer_hashes_are_told_apart)
{
    const struct ground *ground = *state;

    git(ground, "init", "--quiet", "--object-format=sha256");
    put(at(ground, "work/a"), "a");
    git(ground, "add", "a");
    assert_false(hides_at(ground, 32));
    git(ground, "update-index", "--assume-unchanged", "a");
    assert_true(hides_at(ground, 32));
}

/* The mark on "clean", then a change of it. */
static void expect_seen(void **state, const char *mark)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "update-index", mark, "clean");
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 1);
    assert_true(spoil.before.entries[0].hidden);
    put(at(ground, "work/clean"), "spoilt\n");
    assert_string_equal(spoil_delta(&spoil, false), "modified clean");
    spoil_end(&spoil);
    expect_content(at(ground, "work/clean"), "clean\n");
    expect_content(at(ground, "keep/clean"), "spoilt\n");
}

IN_REPOSITORY(a_change_behind_assume_unchanged_shows)
{
    expect_seen(state, "--assume-unchanged");
}

IN_REPOSITORY(a_change_behind_skip_worktree_shows)
{
    expect_seen(state, "--skip-worktree");
}

IN_REPOSITORY(a_mark_that_comes_with_the_change_helps_nobody)
{
    static const char *const marks[] = { "--assume-unchanged", "--skip-worktree" };
    const struct ground *ground = *state;
    struct spoil spoil;

    for (size_t i = 0; i < 2; i++) {
        spoil_begin(&spoil, state);
        git(ground, "update-index", marks[i], "clean");
        assert_string_equal(spoil_delta(&spoil, false), "");
        put(at(ground, "work/clean"), "spoilt\n");
        assert_string_equal(spoil_delta(&spoil, false), "modified clean");
        spoil_end(&spoil);
        expect_content(at(ground, "work/clean"), "clean\n");
    }
}

IN_REPOSITORY(a_marked_file_that_goes_is_deleted)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "update-index", "--assume-unchanged", "clean");
    git(ground, "update-index", "--skip-worktree", "other");
    spoil_begin(&spoil, state);
    assert_int_equal(unlink(at(ground, "work/clean")), 0);
    assert_int_equal(unlink(at(ground, "work/other")), 0);
    assert_string_equal(spoil_delta(&spoil, false), "deleted clean");
    spoil_finish(&spoil);
}

IN_REPOSITORY(what_a_sparse_checkout_leaves_out_is_not_missing)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    git(ground, "sparse-checkout", "set", "--no-cone", "/clean");
    assert_false(is_there(at(ground, "work/other")));
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 0);
    put(at(ground, "work/other"), "planted\n");
    assert_string_equal(spoil_delta(&spoil, false), "modified other");
    spoil_finish(&spoil);
}

IN_REPOSITORY(staged_and_marked_is_both)
{
    const struct ground *ground = *state;
    struct spoil spoil;

    put(at(ground, "work/clean"), "staged\n");
    git(ground, "add", "clean");
    git(ground, "update-index", "--assume-unchanged", "clean");
    spoil_begin(&spoil, state);
    assert_int_equal(spoil.before.count, 1);
    assert_string_not_equal(spoil.before.entries[0].staged, spoil.before.entries[0].head);
    put(at(ground, "work/clean"), "spoilt\n");
    assert_string_equal(spoil_delta(&spoil, false), "modified clean");
    spoil_end(&spoil);
    expect_content(at(ground, "work/clean"), "staged\n");
}

/* HEAD holds "evil", the file something else, and git's index says that they are the same. */
IN_REPOSITORY(an_index_of_ours_sees_what_gits_own_denies)
{
    static const char *const none[] = { NULL };
    const struct ground *ground = *state;
    struct tree tree;
    struct repo repo;
    struct err err;

    assert_int_equal(run_in(ground->work, (const char *const[]){
        "cp", ".git/index", at(ground, "ours"), NULL }), 0);
    put(at(ground, "work/clean"), "evil\n");
    git(ground, "commit", "--quiet", "--all", "--message=evil");
    put(at(ground, "work/clean"), "good\n");
    assert_int_equal(run_in(ground->work, (const char *const[]){
        "touch", "-d", "2020-01-01", "clean", NULL }), 0); /* else git looks twice */
    put(at(ground, "attributes"), "clean filter=lie\n");
    git(ground, "-c", "core.attributesFile=../attributes", "-c", "filter.lie.clean=echo evil",
        "add", "clean");
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    assert_int_equal(tree_take(&repo, none, &tree, &err), 0);
    assert_int_equal(tree.count, 0);
    tree_release(&tree);
    assert_int_equal(tree_take_by(&repo, at(ground, "ours"), none, &tree, &err), 0);
    assert_int_equal(tree.count, 1);
    assert_string_not_equal(tree.entries[0].oid, tree.entries[0].head);
    tree_release(&tree);
    repo_release(&repo);
}

IN_REPOSITORY(an_index_of_ours_finds_what_was_committed_and_is_ignored)
{
    static const char *const none[] = { NULL };
    const struct ground *ground = *state;
    struct tree tree;
    struct repo repo;
    struct err err;

    assert_int_equal(run_in(ground->work, (const char *const[]){
        "cp", ".git/index", at(ground, "ours"), NULL }), 0);
    put(at(ground, "work/.git/info/exclude"), "made\n");
    put(at(ground, "work/made"), "made\n");
    git(ground, "add", "--force", "made");
    git(ground, "commit", "--quiet", "--message=made");
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    assert_int_equal(tree_take_by(&repo, at(ground, "ours"), none, &tree, &err), 0);
    assert_int_equal(tree.count, 1);
    assert_string_equal(tree.entries[0].oid, tree.entries[0].head);
    tree_release(&tree);
    repo_release(&repo);
}
