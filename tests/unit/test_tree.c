/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree.c - what a work tree holds, and what changed between two looks at it. */
#include "ground.h"
#include "io/file.h"
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

static const char *const no_private_paths[] = { NULL };

static struct tree take(const struct ground *ground)
{
    struct err err = { 0 };
    struct repo repo;
    struct tree tree = { 0 };

    if (repo_open(&repo, ground->work, true, &err) != 0 ||
        tree_take(&repo, no_private_paths, &tree, &err) != 0)
        fail_msg("%s", err.text);
    repo_release(&repo);
    return tree;
}

static const struct tree_entry *find(const struct tree *tree, const char *path)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        if (str_is(tree->entries[i].path, path)) return &tree->entries[i];
    }
    fail_msg("the tree has no %s", path);
    return NULL;
}

/* The delta as text: "modified clean, added new". With align, HEAD may have moved. */
static const char *describe(const struct ground *ground, struct tree *before, bool align)
{
    static struct buf text;
    struct tree after = take(ground);
    struct tree_delta delta;
    struct err err = { 0 };
    struct repo repo;

    buf_release(&text);
    buf_init(&text, 65536);
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    if (align) assert_int_equal(tree_align(&repo, before, &after, &err), 0);
    repo_release(&repo);
    tree_compare(before, &after, &delta);
    for (uint32_t i = 0; i < delta.count; i++) {
        buf_printf(&text, "%s%s%s%.*s", i ? ", " : "", change_word(delta.items[i].kind),
                   delta.items[i].path.size ? " " : "", STR_ARG(delta.items[i].path));
    }
    tree_delta_release(&delta);
    tree_release(&after);
    return buf_cstr(&text);
}

/* The change from now on, by what `act` does. */
static void expect_delta(const struct ground *ground, void (*act)(const struct ground *),
                         const char *expected)
{
    struct tree before = take(ground);

    act(ground);
    assert_string_equal(describe(ground, &before, false), expected);
    tree_release(&before);
}

/* ---- taking ---- */

static void clean_tree_is_head_and_nothing_else(void **state)
{
    const struct ground *ground = *state;
    struct tree tree = take(ground);
    char *head = git_says(ground, "rev-parse", "HEAD");

    assert_string_equal(tree.head, head);
    assert_true(str_is(tree.branch, "main"));
    assert_int_equal(tree.count, 0);
    assert_false(is_there(at(ground, "work/.git/hone")));
    free(head);
    tree_release(&tree);
    tree_release(&tree);
}

static void unborn_head_is_empty(void **state)
{
    const struct ground *ground = *state;
    struct tree tree;

    git(ground, "init", "--quiet", "--initial-branch=main");
    put(at(ground, "work/f"), "f");
    tree = take(ground);
    assert_string_equal(tree.head, "");
    assert_int_equal(tree.count, 1);
    tree_release(&tree);
}

static void entries_tell_mode_content_and_index(void **state)
{
    const struct ground *ground = *state;
    char *blob = git_says(ground, "rev-parse", "HEAD:clean"), *target;
    const struct tree_entry *entry;
    struct tree tree;

    put(at(ground, "target"), "/etc/passwd");
    target = git_says(ground, "hash-object", "../target");
    put(at(ground, "work/clean"), "other\n");
    put(at(ground, "work/new"), "clean\n");
    assert_int_equal(chmod(at(ground, "work/new"), 0755), 0);
    put_link(at(ground, "work/link"), "/etc/passwd");
    assert_int_equal(unlink(at(ground, "work/other")), 0);
    tree = take(ground);
    assert_int_equal(tree.count, 4);
    for (uint32_t i = 1; i < tree.count; i++)
        assert_true(str_compare(tree.entries[i - 1].path, tree.entries[i].path) < 0);
    entry = find(&tree, "clean");
    assert_int_equal(entry->mode, 0100644);
    assert_string_equal(entry->staged, blob);
    assert_string_equal(entry->head, blob);
    assert_string_not_equal(entry->oid, blob);
    entry = find(&tree, "new");
    assert_int_equal(entry->mode, 0100755);
    assert_string_equal(entry->oid, blob);
    assert_string_equal(entry->staged, "");
    assert_int_equal(entry->head_mode, 0);
    entry = find(&tree, "link");
    assert_int_equal(entry->mode, 0120000);
    assert_string_equal(entry->oid, target);
    entry = find(&tree, "other");
    assert_int_equal(entry->mode, 0);
    assert_string_equal(entry->oid, "");
    free(target);
    free(blob);
    tree_release(&tree);
}

static void every_name_is_taken_as_it_is(void **state)
{
    static const char *const names[] = { "a b",     "new\nline", "cr\r",     "\"quoted\"",
                                         "-dash",   "back\\",    "\xc3\xa4", "\xff\xfe",
                                         "tab\tx",  "#hash",     "? ask",    "*" };
    const struct ground *ground = *state;
    struct tree tree;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put(at(ground, "work/%s", names[i]), names[i]);
    tree = take(ground);
    assert_int_equal(tree.count, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(strlen(find(&tree, names[i])->oid), 40);
    tree_release(&tree);
}

static void private_and_ignored_paths_are_left_out(void **state)
{
    static const char *const private_paths[] = { ".agents/", "notes", NULL };
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct repo repo;
    struct tree tree;

    put(at(ground, "work/.gitignore"), "*.o\n");
    put(at(ground, "work/x.o"), "");
    put(at(ground, "work/.agents/tmp/state.json"), "");
    put(at(ground, "work/notes.md"), "");
    put(at(ground, "work/.hone/left"), "");
    put(at(ground, "work/sub/.agents/x"), "");
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    assert_int_equal(tree_take(&repo, private_paths, &tree, &err), 0);
    assert_int_equal(tree.count, 2);
    find(&tree, ".gitignore");
    find(&tree, "sub/.agents/x");
    assert_string_equal(tree.private_paths[1], "notes");
    assert_null(tree.private_paths[2]);
    tree_release(&tree);
    repo_release(&repo);
}

static void what_is_no_file_does_not_disturb(void **state)
{
    const struct ground *ground = *state;
    struct tree tree;

    assert_int_equal(mkfifo(at(ground, "work/pipe"), 0600), 0);
    assert_int_equal(unlink(at(ground, "work/clean")), 0);
    assert_int_equal(mkfifo(at(ground, "work/clean"), 0600), 0);
    make_folder(at(ground, "work/nested/empty"));
    git_in(at(ground, "work/nested"), (const char *const[]){ "git", "init", "--quiet", NULL });
    put(at(ground, "work/nested/file"), "");
    tree = take(ground);
    assert_int_equal(tree.count, 2);
    assert_int_equal(find(&tree, "clean")->mode, 0);
    assert_int_equal(find(&tree, "nested")->mode, 0160000);
    tree_release(&tree);
}

static void a_file_we_may_not_read_still_shows_its_changes(void **state)
{
    const struct ground *ground = *state;
    struct tree tree;

    if (geteuid() == 0) {
        fprintf(stderr, "skipped: root may read everything\n");
        skip();
    }
    put(at(ground, "work/secret"), "x");
    assert_int_equal(chmod(at(ground, "work/secret"), 0), 0);
    tree = take(ground);
    assert_int_equal(strncmp(find(&tree, "secret")->oid, "stat:1:", 7), 0);
    tree_release(&tree);
}

static void unmerged_paths_are_recorded(void **state)
{
    const struct ground *ground = *state;
    struct tree tree;

    git(ground, "checkout", "--quiet", "-b", "side");
    put(at(ground, "work/clean"), "side\n");
    git(ground, "commit", "--quiet", "--all", "--message=side");
    git(ground, "checkout", "--quiet", "main");
    put(at(ground, "work/clean"), "main\n");
    git(ground, "commit", "--quiet", "--all", "--message=main");
    assert_int_not_equal(
        run_in(ground->work, (const char *const[]){ "git", "merge", "side", NULL }), 0);
    tree = take(ground);
    assert_int_equal(tree.count, 1);
    assert_true(find(&tree, "clean")->stages.size > 0);
    assert_string_equal(find(&tree, "clean")->staged, "");
    assert_string_equal(describe(ground, &tree, false), "");
    git(ground, "add", "clean");
    assert_string_equal(describe(ground, &tree, false), "staged clean");
    tree_release(&tree);
}

static void submodules_are_gits_word(void **state)
{
    const struct ground *ground = *state;
    struct tree before;

    git_in(ground->root, (const char *const[]){ "git", "clone", "--quiet", "work", "lib", NULL });
    git(ground, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "lib");
    git(ground, "commit", "--quiet", "--message=with lib");
    before = take(ground);
    assert_int_equal(before.count, 0);
    put(at(ground, "work/lib/clean"), "changed\n");
    assert_string_equal(describe(ground, &before, false), "modified lib");
    tree_release(&before);
}

/* Takes the tree with a git in front of git that counts its calls. */
static int count_calls(const struct ground *ground, const struct repo *repo)
{
    char *path = strdup(getenv("PATH"));
    struct err err = { 0 };
    struct tree tree;
    struct buf calls;
    int count = 0;

    unlink(at(ground, "calls"));
    setenv("PATH", at(ground, "bin"), 1);
    assert_int_equal(tree_take(repo, no_private_paths, &tree, &err), 0);
    setenv("PATH", path, 1);
    tree_release(&tree);
    buf_init(&calls, 65536);
    assert_int_equal(file_read(at(ground, "calls"), &calls, &err), 0);
    for (size_t i = 0; i < calls.size; i++) count += calls.data[i] == '\n';
    buf_release(&calls);
    free(path);
    return count;
}

static void clean_trees_cost_one_call_and_changed_ones_two(void **state)
{
    const struct ground *ground = *state;
    struct err err = { 0 };
    char script[4096];
    struct repo repo;

    snprintf(script, sizeof script,
             "#!/bin/sh\necho call >> '%s/calls'\nPATH='%s'\nexec git \"$@\"\n", ground->root,
             getenv("PATH"));
    put(at(ground, "bin/git"), script);
    assert_int_equal(chmod(at(ground, "bin/git"), 0755), 0);
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    assert_int_equal(count_calls(ground, &repo), 1);
    put(at(ground, "work/one"), "1");
    put(at(ground, "work/new\nline"), "2");
    put(at(ground, "work/clean"), "3");
    assert_int_equal(count_calls(ground, &repo), 2);
    repo_release(&repo);
}

static void the_index_and_the_object_store_stay_untouched(void **state)
{
    const struct ground *ground = *state;
    struct stat before, after;
    struct tree tree;

    put(at(ground, "work/clean"), "clean\n"); /* the same, newer: git would like to note that */
    put(at(ground, "work/new"), "new");
    assert_int_equal(stat(at(ground, "work/.git/index"), &before), 0);
    tree = take(ground);
    assert_int_equal(tree.count, 1);
    assert_int_equal(stat(at(ground, "work/.git/index"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(count_in(at(ground, "work/.git/hone/objects")), 1);
    tree_release(&tree);
}

/* ---- comparing ---- */

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

static void same_content_is_no_change(void **state)
{
    expect_delta(*state, act_nothing, "");
    act_all_kinds(*state);
    put(at(*state, "work/clean"), "clean\nmore\n");
    expect_delta(*state, act_nothing, "modified clean"); /* dirty, then clean again */
}

static void every_kind_from_a_clean_tree(void **state)
{
    expect_delta(*state, act_all_kinds,
                 "modified clean, added new, deleted other, mode changed sub/deep");
}

static void every_kind_back_to_a_clean_tree(void **state)
{
    act_all_kinds(*state);
    expect_delta(*state, act_revert,
                 "modified clean, deleted new, added other, mode changed sub/deep");
}

static void staging_alone_is_staged(void **state)
{
    act_all_kinds(*state);
    expect_delta(*state, act_stage, "staged clean, staged new, staged other, staged sub/deep");
}

static void staging_what_was_reverted_shows(void **state)
{
    put(at(*state, "work/clean"), "changed\n");
    act_stage(*state);
    put(at(*state, "work/clean"), "clean\n"); /* index differs, work tree as HEAD */
    expect_delta(*state, act_stage, "staged clean");
}

static void removing_from_the_index_alone_is_staged(void **state)
{
    expect_delta(*state, act_remove_cached, "staged clean");
}

static void second_change_of_a_changed_file_shows(void **state)
{
    act_all_kinds(*state);
    put(at(*state, "work/clean"), "again\n");
    put(at(*state, "work/other"), "back, different\n");
    expect_delta(*state, act_all_kinds, "modified clean, deleted other");
}

static void types_that_swap_are_seen(void **state)
{
    expect_delta(*state, act_swap_types,
                 "modified clean, deleted other, added other/inside, added sub, deleted sub/deep");
}

static void other_branch_is_a_moved_head(void **state)
{
    expect_delta(*state, act_branch, "HEAD moved");
}

static void unaligned_commit_names_what_it_can(void **state)
{
    act_all_kinds(*state);
    expect_delta(*state, act_commit, "HEAD moved, modified clean, deleted new, added other, "
                                     "mode changed sub/deep");
}

static void aligned_commit_of_unchanged_content_is_staged_only(void **state)
{
    struct tree before;

    act_all_kinds(*state);
    before = take(*state);
    act_commit(*state);
    assert_string_equal(describe(*state, &before, true),
                        "HEAD moved, staged clean, staged new, staged other, staged sub/deep");
    tree_release(&before);
}

static void aligned_commit_of_new_work_is_that_work(void **state)
{
    struct tree before = take(*state);

    act_all_kinds(*state);
    act_commit(*state);
    put(at(*state, "work/new"), "newer\n");
    assert_string_equal(describe(*state, &before, true),
                        "HEAD moved, modified clean, added new, deleted other, "
                        "mode changed sub/deep");
    tree_release(&before);
}

static void aligned_first_commit_is_all_new(void **state)
{
    const struct ground *ground = *state;
    struct tree before;

    git(ground, "init", "--quiet", "--initial-branch=main");
    before = take(ground);
    put(at(ground, "work/f"), "f");
    act_commit(ground);
    assert_string_equal(describe(ground, &before, true), "HEAD moved, added f");
    tree_release(&before);
}

static void folder_without_git_is_compared_alike(void **state)
{
    struct tree before;

    put(at(*state, "work/clean"), "clean\n");
    put(at(*state, "work/other"), "other\n");
    put(at(*state, "work/sub/deep"), "deep\n");
    before = take(*state);
    assert_int_equal(before.count, 0);
    act_all_kinds(*state);
    assert_string_equal(describe(*state, &before, false),
                        "modified clean, added new, deleted other, mode changed sub/deep");
    tree_release(&before);
}

int main(void)
{
#define ON_GROUND(test) cmocka_unit_test_setup_teardown(test, ground_open, ground_close)
#define IN_REPOSITORY(test) cmocka_unit_test_setup_teardown(test, ground_open_git, ground_close)
    const struct CMUnitTest tests[] = {
        IN_REPOSITORY(clean_tree_is_head_and_nothing_else),
        ON_GROUND(unborn_head_is_empty),
        IN_REPOSITORY(entries_tell_mode_content_and_index),
        IN_REPOSITORY(every_name_is_taken_as_it_is),
        IN_REPOSITORY(private_and_ignored_paths_are_left_out),
        IN_REPOSITORY(what_is_no_file_does_not_disturb),
        IN_REPOSITORY(a_file_we_may_not_read_still_shows_its_changes),
        IN_REPOSITORY(unmerged_paths_are_recorded),
        IN_REPOSITORY(submodules_are_gits_word),
        IN_REPOSITORY(clean_trees_cost_one_call_and_changed_ones_two),
        IN_REPOSITORY(the_index_and_the_object_store_stay_untouched),
        IN_REPOSITORY(same_content_is_no_change),
        IN_REPOSITORY(every_kind_from_a_clean_tree),
        IN_REPOSITORY(every_kind_back_to_a_clean_tree),
        IN_REPOSITORY(staging_alone_is_staged),
        IN_REPOSITORY(staging_what_was_reverted_shows),
        IN_REPOSITORY(removing_from_the_index_alone_is_staged),
        IN_REPOSITORY(second_change_of_a_changed_file_shows),
        IN_REPOSITORY(types_that_swap_are_seen),
        IN_REPOSITORY(other_branch_is_a_moved_head),
        IN_REPOSITORY(unaligned_commit_names_what_it_can),
        IN_REPOSITORY(aligned_commit_of_unchanged_content_is_staged_only),
        IN_REPOSITORY(aligned_commit_of_new_work_is_that_work),
        ON_GROUND(aligned_first_commit_is_all_new),
        ON_GROUND(folder_without_git_is_compared_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
