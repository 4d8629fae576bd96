/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tree.c - what a work tree holds. */
#include "ground.h"
#include "io/file/file.h"
#include "io/tree/tree.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- taking ---- */

IN_REPOSITORY(clean_tree_is_head_and_nothing_else)
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

ON_GROUND(unborn_head_is_empty)
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

IN_REPOSITORY(entries_tell_mode_content_and_index)
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

IN_REPOSITORY(every_name_is_taken_as_it_is)
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

IN_REPOSITORY(private_and_ignored_paths_are_left_out)
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
    put(at(ground, "work/.hone/left"), ""); /* hone's own folder is another one here */
    put(at(ground, "work/sub/.agents/x"), "");
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    assert_int_equal(tree_take(&repo, private_paths, &tree, &err), 0);
    assert_int_equal(tree.count, 3);
    find(&tree, ".gitignore");
    find(&tree, ".hone/left");
    find(&tree, "sub/.agents/x");
    assert_string_equal(tree.private_paths[1], "notes");
    assert_null(tree.private_paths[2]);
    tree_release(&tree);
    repo_release(&repo);
}

IN_REPOSITORY(what_is_no_file_does_not_disturb)
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

IN_REPOSITORY(a_file_we_may_not_read_still_shows_its_changes)
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

IN_REPOSITORY(files_that_come_and_go_do_not_stop_it)
{
    const struct ground *ground = *state;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (unsigned i = 0;; i++) {
            char name[32];

            snprintf(name, sizeof name, "work/busy%u", i % 5);
            if (i % 2) unlink(at(ground, "%s", name));
            else put(at(ground, "%s", name), "here and gone");
        }
    }
    put(at(ground, "work/new"), "stays");
    for (int i = 0; i < 10; i++) {
        struct tree tree = take(ground);

        assert_int_equal(strlen(find(&tree, "new")->oid), 40);
        tree_release(&tree);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
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

IN_REPOSITORY(clean_trees_cost_one_call_and_changed_ones_two)
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

IN_REPOSITORY(the_index_and_the_object_store_stay_untouched)
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
