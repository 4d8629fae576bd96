/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refs.c - what HEAD, branches and tags point to: seen to hold, compared, put back. */
#include "ground.h"
#include "io/file/scratch.h"
#include "io/git/refs.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scene {
    struct ground *ground;
    struct repo repo;
    struct refs refs;
    struct buf what;
};

/* Refs that are old enough for their marks to count. */
static void take(struct scene *scene)
{
    struct err err = { 0 };

    for (int tries = 0; tries < 500 && scene->refs.mark_count == 0; tries++) {
        refs_release(&scene->refs);
        if (refs_take(&scene->repo, &scene->refs, &err) != 0) fail_msg("%s", err.text);
        if (scene->refs.mark_count == 0) usleep(10000);
    }
}

static void take_again(struct scene *scene)
{
    refs_release(&scene->refs);
    take(scene);
}

static void scene_open(struct scene *scene, void **state)
{
    struct err err = { 0 };

    *scene = (struct scene){ .ground = *state };
    buf_init(&scene->what, 4096);
    git(scene->ground, "branch", "side/one");
    git(scene->ground, "tag", "v1");
    if (repo_open(&scene->repo, scene->ground->work, false, &err) != 0) fail_msg("%s", err.text);
    take(scene);
}

static void scene_close(struct scene *scene)
{
    refs_release(&scene->refs);
    repo_release(&scene->repo);
    buf_release(&scene->what);
}

static void commit(struct scene *scene, const char *message)
{
    git(scene->ground, "commit", "--quiet", "--allow-empty", "-m", message);
}

static void expect_said(struct scene *scene, const char *const *argv, const char *wanted)
{
    char *said = git_output(scene->ground->work, argv);

    assert_string_equal(said, wanted);
    free(said);
}

#define expect_git(scene, wanted, ...)                                                           \
    expect_said(scene, (const char *const[]){ "git", __VA_ARGS__, NULL }, wanted)

/* What is said, and that all is as it was: a second look finds nothing. */
static void expect_restored(struct scene *scene, struct refs_order order, const char *what)
{
    struct err err = { 0 };

    order.repo = &scene->repo;
    order.before = &scene->refs;
    order.kept = "refs/hone/kept";
    for (int i = 0; i < 2; i++) {
        buf_clear(&scene->what);
        if (refs_restore(&order, &scene->what, &err) != 0) fail_msg("%s", err.text);
        assert_string_equal(buf_cstr(&scene->what), i == 0 ? what : "");
    }
}

IN_REPOSITORY(they_hold_while_nothing_moves)
{
    struct scene scene;

    scene_open(&scene, state);
    assert_true(refs_hold(&scene.refs));
    put(at(*state, "work/new"), "x");
    git(scene.ground, "add", "new");
    git(scene.ground, "status");
    assert_true(refs_hold(&scene.refs));
    scene_close(&scene);
}

IN_REPOSITORY(each_way_to_move_one_is_seen)
{
    static const char *const ways[][5] = {
        { "commit", "--allow-empty", "-q", "-m", "x" }, { "branch", "two" },
        { "branch", "side/two" }, { "tag", "v2" }, { "branch", "-D", "side/two" },
        { "symbolic-ref", "HEAD", "refs/heads/two" }, { "pack-refs", "--all" },
        { "update-ref", "refs/heads/two", "HEAD^" }, { "tag", "-d", "v2" },
        { "update-ref", "refs/stash", "HEAD" }, { "update-ref", "refs/replace/x", "HEAD" },
    };
    struct scene scene;

    scene_open(&scene, state);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *argv[7] = { "git" };

        memcpy(argv + 1, ways[i], sizeof ways[i]);
        take_again(&scene);
        assert_true(refs_hold(&scene.refs));
        git_in(scene.ground->work, argv);
        if (refs_hold(&scene.refs)) fail_msg("git %s %s was not seen", ways[i][0], ways[i][1]);
    }
    put(at(*state, "work/.git/refs/heads/two"), "0000000000000000000000000000000000000000\n");
    assert_false(refs_hold(&scene.refs));
    git(scene.ground, "update-ref", "-d", "refs/heads/two");
    take_again(&scene);
    put(at(*state, "work/.git/packed-refs"), "");
    assert_false(refs_hold(&scene.refs));
    scene_close(&scene);
}

IN_REPOSITORY(what_changed_a_moment_ago_proves_nothing)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, state);
    refs_release(&scene.refs);
    git(scene.ground, "tag", "v2");
    assert_int_equal(refs_take(&scene.repo, &scene.refs, &err), 0);
    assert_false(refs_hold(&scene.refs));
    assert_int_equal(scene.refs.count, 4);
    scene_close(&scene);
}

IN_REPOSITORY(a_branch_that_moved_goes_back_and_its_commit_keeps_a_name)
{
    struct scene scene;

    scene_open(&scene, state);
    commit(&scene, "new");
    expect_restored(&scene, (struct refs_order){ 0 }, "moved branch main");
    expect_git(&scene, "first", "log", "--format=%s", "main");
    expect_git(&scene, "new\nfirst", "log", "--format=%s", "refs/hone/kept/heads/main");
    scene_close(&scene);
}

IN_REPOSITORY(what_was_added_goes_and_what_was_deleted_comes_back)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "branch", "-D", "side/one");
    git(scene.ground, "branch", "side"); /* in its way */
    git(scene.ground, "tag", "v2");
    git(scene.ground, "tag", "-d", "v1");
    git(scene.ground, "pack-refs", "--all");
    expect_restored(&scene, (struct refs_order){ 0 },
                    "added branch side, deleted branch side/one, deleted tag v1, added tag v2");
    expect_git(&scene, "refs/heads/main\nrefs/heads/side/one\nrefs/hone/kept/heads/side\n"
               "refs/hone/kept/tags/v2\nrefs/tags/v1", "for-each-ref", "--format=%(refname)");
    scene_close(&scene);
}

IN_REPOSITORY(its_own_branch_may_go_forward_and_only_so)
{
    const struct refs_order own = { .own = "refs/heads/main" };
    struct scene scene;

    scene_open(&scene, state);
    commit(&scene, "new");
    expect_restored(&scene, own, "");
    expect_git(&scene, "new\nfirst", "log", "--format=%s", "main");
    take_again(&scene);
    git(scene.ground, "commit", "--quiet", "--amend", "--allow-empty", "-m", "other");
    expect_restored(&scene, own, "rewrote branch main");
    expect_git(&scene, "new\nfirst", "log", "--format=%s", "main");
    scene_close(&scene);
}

IN_REPOSITORY(below_a_folder_the_rest_is_not_looked_at)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "tag", "v2");
    git(scene.ground, "symbolic-ref", "HEAD", "refs/heads/side/one");
    git(scene.ground, "branch", "two");
    expect_restored(&scene, (struct refs_order){ .own = "refs/heads/main", .below = "refs/heads" },
                    "added branch two");
    expect_git(&scene, "v1\nv2", "tag", "--list");
    expect_git(&scene, "refs/heads/side/one", "symbolic-ref", "HEAD");
    scene_close(&scene);
}

IN_REPOSITORY(head_goes_back_wherever_it_was_put)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "switch", "--quiet", "-c", "two");
    expect_restored(&scene, (struct refs_order){ 0 }, "moved HEAD to branch two, added branch two");
    git(scene.ground, "checkout", "--quiet", "--detach");
    commit(&scene, "adrift");
    expect_restored(&scene, (struct refs_order){ 0 }, "moved HEAD to a commit");
    expect_git(&scene, "adrift\nfirst", "log", "--format=%s", "refs/hone/kept/HEAD");
    put(at(*state, "work/.git/HEAD"), "nonsense\x1b\n");
    expect_restored(&scene, (struct refs_order){ 0 }, "moved HEAD to nothing");
    expect_git(&scene, "refs/heads/main", "symbolic-ref", "HEAD");
    scene_close(&scene);
}

IN_REPOSITORY(a_detached_head_goes_back_to_its_commit)
{
    struct scene scene;

    scene_open(&scene, state);
    git(scene.ground, "checkout", "--quiet", "--detach");
    take_again(&scene);
    git(scene.ground, "switch", "--quiet", "main");
    expect_restored(&scene, (struct refs_order){ 0 }, "moved HEAD to branch main");
    expect_git(&scene, "HEAD", "rev-parse", "--abbrev-ref", "HEAD");
    scene_close(&scene);
}

IN_REPOSITORY(without_a_place_to_keep_them_nothing_is_put_back)
{
    struct scene scene;
    struct refs_order order = { 0 };
    struct err err = { 0 };

    scene_open(&scene, state);
    order.repo = &scene.repo;
    order.before = &scene.refs;
    commit(&scene, "new");
    assert_int_equal(refs_restore(&order, &scene.what, &err), 0);
    assert_string_equal(buf_cstr(&scene.what), "moved branch main");
    expect_git(&scene, "new\nfirst", "log", "--format=%s");
    scene_close(&scene);
}

IN_REPOSITORY(what_another_work_tree_is_on_is_not_looked_at)
{
    struct scene scene;
    struct buf lines;

    scene_open(&scene, state);
    git(scene.ground, "worktree", "add", "--quiet", at(*state, "other"), "side/one");
    take_again(&scene);
    buf_init(&lines, 4096);
    refs_elsewhere(&scene.repo, NULL, &lines);
    assert_string_equal(buf_cstr(&lines), "refs/heads/side/one\n");
    buf_release(&lines);
    git_in(at(*state, "other"), (const char *const[]){ "git", "commit", "--quiet", "--allow-empty",
                                                       "-m", "theirs", NULL });
    commit(&scene, "new");
    expect_restored(&scene, (struct refs_order){ 0 }, "moved branch main");
    expect_git(&scene, "theirs\nfirst", "log", "--format=%s", "side/one");
    scene_close(&scene);
}

static void restore(struct scene *scene, const char *what)
{
    struct refs_order order = { .repo = &scene->repo, .before = &scene->refs,
                                .kept = "refs/hone/kept" };
    struct err err = { 0 };

    buf_clear(&scene->what);
    if (refs_restore(&order, &scene->what, &err) != 0) fail_msg("%s", err.text);
    assert_string_equal(buf_cstr(&scene->what), what);
}

/* What an agent made, taken again as a later attempt takes it: through a file, as after a crash. */
static void carry(struct scene *scene)
{
    struct refs old = { 0 };
    struct err err = { 0 };

    assert_int_equal(refs_save(&scene->refs, at(scene->ground, "."), "refs", &err), 0);
    assert_int_equal(refs_load(&old, at(scene->ground, "."), "refs", &err), 0);
    take_again(scene);
    refs_carry(&scene->refs, &old);
    refs_release(&old);
}

IN_REPOSITORY(the_stash_is_told_and_left_until_it_is_as_it_was)
{
    struct scene scene;

    scene_open(&scene, state);
    put(at(*state, "work/clean"), "other\n");
    git(scene.ground, "stash", "--quiet");
    restore(&scene, "made a stash (left as it is)");
    expect_git(&scene, "other", "show", "stash@{0}:clean");
    carry(&scene);
    assert_true(refs_diverged(&scene.refs));
    restore(&scene, "made a stash (left as it is)");
    git(scene.ground, "stash", "pop", "--quiet");
    restore(&scene, "");
    assert_false(refs_diverged(&scene.refs));
    git(scene.ground, "stash", "--quiet");
    take_again(&scene);
    git(scene.ground, "stash", "drop", "--quiet");
    restore(&scene, "deleted the stash (its newest entry is back)");
    expect_git(&scene, "other", "show", "refs/stash:clean");
    scene_close(&scene);
}

/* Hidden work trees: told while they stand, and their commits keep names. */
IN_REPOSITORY(a_work_tree_that_was_added_is_told_until_it_is_gone)
{
    struct scene scene;
    const char *other = at(*state, "other"), *what;
    struct arena arena = { 0 };

    scene_open(&scene, state);
    git(scene.ground, "worktree", "add", "--quiet", "-b", "hidden", other);
    assert_false(refs_hold(&scene.refs));
    git_in(other, (const char *const[]){ "git", "commit", "--quiet", "--allow-empty", "-m",
                                         "apart", NULL });
    what = arena_printf(&arena, "added branch hidden, added work tree %s (left as it is)", other);
    restore(&scene, what);
    expect_git(&scene, "main\nside/one", "for-each-ref", "--format=%(refname:short)", "refs/heads");
    expect_git(&scene, "apart\nfirst", "log", "--format=%s", "refs/hone/kept/heads/hidden");
    expect_git(&scene, "apart\nfirst", "log", "--format=%s", "refs/hone/kept/worktrees/1");
    expect_git(&scene, "apart\nfirst", "-C", other, "log", "--format=%s");
    what = arena_printf(&arena, "added work tree %s (left as it is)", other);
    restore(&scene, what);
    assert_true(refs_diverged(&scene.refs));
    carry(&scene);
    assert_true(refs_diverged(&scene.refs));
    restore(&scene, what);
    git(scene.ground, "worktree", "remove", "--force", other);
    restore(&scene, "");
    assert_false(refs_diverged(&scene.refs));
    arena_release(&arena);
    scene_close(&scene);
}

IN_REPOSITORY(a_work_tree_that_was_there_is_nobodys_doing_unless_it_goes)
{
    struct scene scene;
    struct arena arena = { 0 };

    scene_open(&scene, state);
    git(scene.ground, "worktree", "add", "--quiet", "-b", "theirs", at(*state, "other"));
    take_again(&scene);
    assert_int_equal(scene.refs.worktree_count, 1);
    assert_true(refs_hold(&scene.refs));
    carry(&scene);
    restore(&scene, "");
    git(scene.ground, "worktree", "remove", at(*state, "other"));
    assert_false(refs_hold(&scene.refs));
    restore(&scene, arena_printf(&arena, "removed work tree %s", at(*state, "other")));
    assert_false(refs_diverged(&scene.refs));
    arena_release(&arena);
    scene_close(&scene);
}

/* Its own folder holds the work trees of lanes: other runs make and remove them. */
IN_REPOSITORY(work_trees_of_hone_are_passed_over)
{
    struct scene scene;
    struct arena arena = { 0 };

    scene_open(&scene, state);
    git(scene.ground, "worktree", "add", "--quiet", "-b", "lane",
        arena_printf(&arena, "%s/worktrees/lane", scene.repo.hone_dir));
    restore(&scene, "");
    arena_release(&arena);
    scene_close(&scene);
}

IN_REPOSITORY(many_are_counted_and_not_listed)
{
    struct scene scene;
    char name[32];

    scene_open(&scene, state);
    for (int i = 10; i < 25; i++) {
        snprintf(name, sizeof name, "t%d", i);
        git(scene.ground, "tag", name);
    }
    expect_restored(&scene, (struct refs_order){ 0 },
                    "added tag t10, added tag t11, added tag t12, added tag t13, added tag t14, "
                    "added tag t15, added tag t16, added tag t17, added tag t18, added tag t19 "
                    "and 5 more");
    scene_close(&scene);
}

IN_REPOSITORY(a_file_brings_them_back)
{
    struct scene scene;
    struct refs back = { 0 };
    struct err err = { 0 };

    scene_open(&scene, state);
    assert_int_equal(refs_save(&scene.refs, at(*state, "."), "refs", &err), 0);
    assert_int_equal(refs_load(&back, at(*state, "."), "refs", &err), 0);
    assert_int_equal(back.count, 3);
    assert_true(str_is(back.head, "ref: refs/heads/main"));
    assert_true(str_is(back.items[2].name, "refs/tags/v1"));
    assert_true(str_eq(back.items[2].oid, scene.refs.items[2].oid));
    assert_false(refs_hold(&back));
    refs_release(&back);
    scene_close(&scene);
}

#define OID "0123456789012345678901234567890123456789"

IN_REPOSITORY(a_file_that_is_not_whole_is_refused)
{
    static const char *const texts[] = {
        "", "ref: refs/heads/main\n", "x\nnonsense\nend\n", "x\nstash \nend", "x\nstash \n\nend\n",
        "x\nstash \n" OID " HEAD \nend\n",
        "x\nstash \n" OID "\nend\n", "x\nstash \n-rf refs/heads/x \nend\n",
        /* a name that leads elsewhere, one that stands for another, two in disorder, one twice */
        "x\nstash \n" OID " refs/heads/../../x \nend\n",
        "x\nstash \n" OID " refs/heads/a refs/heads/b\nend\n",
        "x\nstash \n" OID " refs/heads/b \n" OID " refs/heads/a \nend\n",
        "x\nstash \n" OID " refs/heads/a \n" OID " refs/heads/a \nend\n",
        "x\nstash \n" OID " refs/heads/aend\n", "x\nstash \n" OID " refs/heads/a \nend\nend\n",
        /* the stash is missing, is no hash, is a ref; a work tree without a name, without a path */
        "x\n" OID " refs/heads/a \nend\n", "x\nstash 1\nend\n",
        "x\nstash \n" OID " refs/stash \nend\n", "x\nstash \nworktree /b\nend\n",
        "x\nstash \nmade b\nend\n", "x\nstash \n" OID " refs/heads/a \nmade b/c\nend\n",
    };
    struct refs back = { 0 };
    struct err err = { 0 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(scratch_write(at(*state, "."), "refs", str_of(texts[i]), &err), 0);
        if (refs_load(&back, at(*state, "."), "refs", &err) != ERR_FORMAT) fail_msg("%s", texts[i]);
    }
    assert_int_equal(refs_load(&back, at(*state, "."), "none", &err), ERR_MISSING);
}

/* Lines behind the first would be taken for refs when the file is read back. */
IN_REPOSITORY(a_head_of_several_lines_is_none)
{
    struct scene scene;
    struct refs now = { 0 };

    scene_open(&scene, state);
    put(at(*state, "work/.git/HEAD"), "ref: refs/heads/main\n" OID " refs/heads/forged \n");
    refs_take_head(&scene.repo, &now);
    assert_int_equal(now.head.size, 0);
    refs_release(&now);
    put(at(*state, "work/.git/HEAD"), "ref: refs/heads/main\n");
    scene_close(&scene);
}
