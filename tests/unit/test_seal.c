/* SPDX-License-Identifier: Apache-2.0
 *
 * test_seal.c - equal seals mean an untouched tree; every change a reviewer could make breaks
 * them. */
#include "ground.h"
#include "io/tree/seal.h"
#include "test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const private_paths[] = { ".agents/", NULL };

/* A seal that can be used: waits until the newest change is no longer fresh. refs: as for
 * seal_take(). */
static struct seal take_with(const struct ground *ground, const char *refs)
{
    struct repo repo;
    struct err err;
    struct seal seal;

    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    do {
        seal_take(&repo, private_paths, refs, &seal);
        if (!seal.usable) usleep(10000);
    } while (!seal.usable && !seal.large);
    repo_release(&repo);
    return seal;
}

static struct seal take(const struct ground *ground)
{
    return take_with(ground, NULL);
}

static void expect_broken_by(const struct ground *ground, void (*change)(const struct ground *))
{
    struct seal before = take(ground), after;

    change(ground);
    after = take(ground);
    assert_false(seal_proves_same(&before, &after));
}

static void modify(const struct ground *ground)
{
    put(at(ground, "work/sub/file"), "two");
}

static void add(const struct ground *ground)
{
    put(at(ground, "work/sub/new"), "");
}

static void erase(const struct ground *ground)
{
    unlink(at(ground, "work/sub/file"));
}

static void make_executable(const struct ground *ground)
{
    chmod(at(ground, "work/sub/file"), 0755);
}

static void replace_and_set_times_back(const struct ground *ground)
{
    const char *const argv[] = { "sh", "-c", "touch -r sub/file ../stamp; printf two >sub/file; "
                                 "touch -r ../stamp sub/file", NULL };

    assert_int_equal(run_in(ground->work, argv), 0);
}

static void stage(const struct ground *ground)
{
    git(ground, "add", ".");
}

static void commit(const struct ground *ground)
{
    git(ground, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m",
        "x");
}

IN_REPOSITORY(every_kind_of_change_breaks_it)
{
    static void (*const changes[])(const struct ground *) = {
        modify, add, make_executable, replace_and_set_times_back, stage, commit, erase,
    };

    put(at(*state, "work/sub/file"), "one");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        expect_broken_by(*state, changes[i]);
    }
}

IN_REPOSITORY(an_untouched_tree_keeps_it)
{
    struct seal before, after;

    put(at(*state, "work/sub/file"), "one");
    before = take(*state);
    after = take(*state);
    assert_true(seal_proves_same(&before, &after));
}

IN_REPOSITORY(contract_files_do_not_count)
{
    struct seal before, after;

    put(at(*state, "work/.agents/tmp/state.json"), "{}");
    before = take(*state);
    put(at(*state, "work/.agents/tmp/other"), "{}");
    after = take(*state);
    assert_true(seal_proves_same(&before, &after));
}

IN_REPOSITORY(a_fresh_change_makes_it_unusable)
{
    const struct ground *ground = *state;
    struct repo repo;
    struct err err;
    struct seal seal;

    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    put(at(ground, "work/now"), "");
    seal_take(&repo, private_paths, NULL, &seal);
    assert_false(seal.usable);
    assert_false(seal_proves_same(&seal, &seal));
    repo_release(&repo);
}

IN_REPOSITORY(too_many_files_are_not_walked)
{
    for (int i = 0; i < 1100; i++) put(at(*state, "work/many/%d", i), "");
    assert_true(take(*state).large);
    assert_false(take(*state).usable);
}

/* Lanes share the refs of their repository: a lane's tree stays as it is while others commit. */
IN_REPOSITORY(only_refs_of_the_folder_that_is_named_count)
{
    static const char own[] = "refs/heads/hone/run/a";
    const struct ground *ground = *state;
    struct seal before, after;

    git(ground, "update-ref", "refs/heads/hone/run/a/work", "HEAD");
    before = take_with(ground, own);
    git(ground, "update-ref", "refs/heads/hone/run/b/work", "HEAD");
    after = take_with(ground, own);
    assert_true(seal_proves_same(&before, &after));
    git(ground, "update-ref", "-d", "refs/heads/hone/run/a/work");
    after = take_with(ground, own);
    assert_false(seal_proves_same(&before, &after));
}

IN_REPOSITORY(refs_of_many_lanes_are_not_walked_for_one)
{
    for (int i = 0; i < 600; i++)
        put(at(*state, "work/.git/refs/heads/hone/run/%d/work", i), "");
    assert_true(take(*state).large);
    assert_true(take_with(*state, "refs/heads/hone/run/7").usable);
}

IN_REPOSITORY(identity_is_of_the_folder_not_of_its_name)
{
    const struct ground *ground = *state;
    uint64_t a[2], b[2];
    struct err err;

    put_link(at(ground, "link"), "work");
    assert_int_equal(file_identity(ground->work, &a[0], &a[1], &err), 0);
    assert_int_equal(file_identity(at(ground, "link"), &b[0], &b[1], &err), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(file_identity(at(ground, "nowhere"), &b[0], &b[1], &err), ERR_SYSTEM);
}
