/* SPDX-License-Identifier: Apache-2.0
 *
 * test_travel.c - a work tree goes to a worker, exactly, and what an agent made comes back. */
#include "journey.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const says_status[] = { "git", "status", "--porcelain", NULL };
static const char *const says_diff[] = { "git", "diff", NULL };
static const char *const says_log[] = { "git", "log", "--oneline", "--decorate=no", NULL };
static const char *const says_head[] = { "git", "rev-parse", "HEAD", NULL };

/* Everything that a work tree may hold otherwise than HEAD. */
static void make_dirty(void **state)
{
    put(at(*state, "work/.gitignore"), "*.o\n");
    put(at(*state, "work/tool"), "#!/bin/sh\n");
    put(at(*state, "work/gone"), "to go\n");
    commit_all(*state);
    put(at(*state, "work/clean"), "changed\n");
    put(at(*state, "work/new/deeper/file"), "new\n");
    put(at(*state, "work/staged"), "staged\n");
    git((struct ground *)*state, "add", "staged");
    put(at(*state, "work/staged"), "and changed again\n");
    put_link(at(*state, "work/link"), "sub/deep");
    put_link(at(*state, "work/dangling"), "/nowhere/at all");
    assert_int_equal(unlink(at(*state, "work/gone")), 0);
    assert_int_equal(chmod(at(*state, "work/tool"), 0755), 0);
    put(at(*state, "work/line\nbreak \"quoted\"\t\\"), "odd name\n");
    put(at(*state, "work/\xff\xfe" "bytes"), "no UTF-8\n");
    put(at(*state, "work/-dash"), "a dash\n");
}

/* What an agent may do, in the place. */
static void agent_works(struct journey *journey)
{
    put(there(journey, "clean"), "by the agent\n");
    put(there(journey, "made/by/agent"), "new there\n");
    put_link(there(journey, "other-link"), "clean");
    put(there(journey, "\xfe\n"), "odd\n");
    assert_int_equal(unlink(there(journey, "other")), 0);
    assert_int_equal(chmod(there(journey, "sub/deep"), 0755), 0);
}

static void expect_agents_work(const struct ground *ground)
{
    expect_content(at(ground, "work/clean"), "by the agent\n");
    expect_content(at(ground, "work/made/by/agent"), "new there\n");
    expect_link(at(ground, "work/other-link"), "clean");
    expect_content(at(ground, "work/\xfe\n"), "odd\n");
    assert_false(is_there(at(ground, "work/other")));
    assert_int_equal(mode_of(at(ground, "work/sub/deep")) & 0100, 0100);
}

IN_REPOSITORY(a_dirty_tree_arrives_byte_by_byte_and_git_says_the_same_there)
{
    struct journey journey;

    make_dirty(state);
    git((struct ground *)*state, "reset", "--quiet"); /* what is staged is not, there */
    journey_begin(&journey, state);
    journey.since = "HEAD~1";
    journey_go(&journey);
    expect_git_agrees(&journey, says_status);
    expect_git_agrees(&journey, says_diff);
    expect_git_agrees(&journey, says_log);
    expect_git_agrees(&journey, (const char *const[]){ "git", "diff", journey.packed.ids.since,
                                                       NULL });
    expect_git_agrees(&journey, (const char *const[]){ "git", "symbolic-ref", "HEAD", NULL });
    expect_untouched(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(what_is_staged_arrives_too_and_stays_staged_at_the_driver)
{
    struct journey journey;

    make_dirty(state);
    journey_begin(&journey, state);
    journey_go(&journey);
    expect_content(there(&journey, "staged"), "and changed again\n");
    expect_untouched(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(what_an_agent_changed_comes_back)
{
    struct journey journey;

    make_dirty(state);
    journey_begin(&journey, state);
    journey_go(&journey);
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    expect_untouched(&journey);
    assert_int_equal(journey.applied.changed, 6);
    assert_false(journey.applied.moved);
    journey_end(&journey);
}

IN_REPOSITORY(nothing_was_changed_so_nothing_comes_back)
{
    struct journey journey;

    make_dirty(state);
    journey_begin(&journey, state);
    journey_go(&journey);
    put(there(&journey, "x.o"), "ignored\n");
    put(there(&journey, ".agents/notes"), "a contract file\n");
    journey_result(&journey);
    assert_string_equal(journey.made.commit, "");
    assert_string_equal(journey.made.tree, journey.packed.ids.tree);
    journey_end(&journey);
}

IN_REPOSITORY(contract_files_go_neither_way)
{
    struct journey journey;

    put(at(*state, "work/.agents/secret"), "stays\n");
    journey_begin(&journey, state);
    journey_pack(&journey);
    journey_unpack(&journey);
    assert_false(is_there(there(&journey, ".agents/secret")));
    put(there(&journey, ".agents/secret"), "other\n");
    put(there(&journey, "clean"), "by the agent\n");
    journey_return(&journey);
    expect_content(at(*state, "work/.agents/secret"), "stays\n");
    expect_content(at(*state, "work/clean"), "by the agent\n");
    journey_end(&journey);
}

IN_REPOSITORY(the_same_tree_is_the_same_snapshot_and_another_is_thin)
{
    char first[OID_BYTES];
    struct journey journey;

    journey_begin(&journey, state);
    journey_go(&journey);
    memcpy(first, journey.packed.ids.snapshot, sizeof first);
    assert_false(journey.packed.thin);
    git((struct ground *)*state, "bundle", "verify", "--quiet", "../files/out"); /* it is git's */
    journey_go(&journey);
    assert_string_equal(journey.packed.ids.snapshot, first);
    assert_true(journey.place.warm);
    journey.known[0] = first;
    journey.known[1] = "1111111111111111111111111111111111111111"; /* not here: passed over */
    put(at(*state, "work/clean"), "changed\n");
    journey_go(&journey);
    assert_true(journey.packed.thin);
    journey_end(&journey);
}

IN_REPOSITORY(a_bundle_whose_base_is_missing_says_so_and_then_it_is_learned)
{
    struct journey journey;
    struct travel_file file;
    struct err err = { 0 };
    uint64_t bytes;
    char head[OID_BYTES];

    put(at(*state, "work/clean"), "second\n");
    commit_all(*state);
    put(at(*state, "work/clean"), "changed\n");
    journey_begin(&journey, state);
    journey_pack(&journey);
    memcpy(head, journey.packed.ids.head, sizeof head);
    journey.known[0] = head;
    journey_pack(&journey);
    assert_int_equal(journey_try_unpack(&journey, &err), ERR_MISSING);
    assert_false(travel_knows(&journey.store, "abc", head));
    file = (struct travel_file){ at(*state, "files"), "base", 1 << 20 };
    assert_int_equal(travel_base(&journey.repo, &journey.packed.ids, &file, &bytes, &err), 0);
    if (travel_learn(&journey.store, "abc", &journey.packed.ids, at(*state, "files/base"), &err))
        fail_msg("%s", err.text);
    assert_true(travel_knows(&journey.store, "abc", head));
    journey.since = "HEAD~1"; /* the history was made without it */
    journey_pack(&journey);
    journey_unpack(&journey);
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    journey_end(&journey);
}

ON_GROUND(before_the_first_commit_a_tree_travels_both_ways)
{
    struct journey journey;

    git((struct ground *)*state, "init", "--quiet", "--initial-branch=first");
    put(at(*state, "work/clean"), "clean\n");
    put(at(*state, "work/other"), "other\n");
    put(at(*state, "work/sub/deep"), "deep\n");
    journey_begin(&journey, state);
    journey_go(&journey);
    expect_git_agrees(&journey, says_status);
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    journey_end(&journey);
}

ON_GROUND(a_folder_without_a_repository_travels)
{
    struct journey journey;

    put(at(*state, "work/clean"), "clean\n");
    put(at(*state, "work/other"), "other\n");
    put(at(*state, "work/sub/deep"), "deep\n");
    journey_begin(&journey, state);
    put(at(*state, "work/clean"), "changed\n");
    journey_pack(&journey);
    journey_unpack(&journey);
    expect_content(there(&journey, "clean"), "changed\n");
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    journey_end(&journey);
}

IN_REPOSITORY(a_detached_head_is_detached_there)
{
    struct journey journey;

    git((struct ground *)*state, "checkout", "--quiet", "--detach");
    make_dirty(state);
    journey_begin(&journey, state);
    journey_go(&journey);
    assert_string_equal(journey.packed.ids.branch, "");
    expect_git_agrees(&journey, says_head);
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    journey_end(&journey);
}

ON_GROUND(a_repository_with_long_ids_travels_both_ways)
{
    struct journey journey;

    git((struct ground *)*state, "init", "--quiet", "--object-format=sha256",
        "--initial-branch=main");
    put(at(*state, "work/clean"), "clean\n");
    put(at(*state, "work/other"), "other\n");
    put(at(*state, "work/sub/deep"), "deep\n");
    commit_all(*state);
    make_dirty(state);
    git((struct ground *)*state, "reset", "--quiet");
    journey_begin(&journey, state);
    journey_go(&journey);
    assert_int_equal(strlen(journey.packed.ids.tree), 64);
    expect_git_agrees(&journey, says_status);
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    journey_go(&journey);
    assert_true(journey.place.warm);
    journey_end(&journey);
}

IN_REPOSITORY(a_shallow_clone_travels_and_is_shallow_there)
{
    struct journey journey;
    char url[GROUND_PATH_BYTES + 16];

    for (int i = 0; i < 4; i++) {
        put(at(*state, "work/clean"), (const char *const[]){ "1\n", "2\n", "3\n", "4\n" }[i]);
        commit_all(*state);
    }
    git((struct ground *)*state, "branch", "whole");
    snprintf(url, sizeof url, "file://%s", at(*state, "work"));
    git_in(at(*state, "."), (const char *const[]){ "git", "clone", "--quiet", "--depth=2", url,
                                                   "small", NULL });
    remove_all(at(*state, "work"));
    assert_int_equal(rename(at(*state, "small"), at(*state, "work")), 0);
    put(at(*state, "work/clean"), "dirty\n");
    journey_begin(&journey, state);
    journey_go(&journey);
    expect_git_agrees(&journey, says_log);
    expect_git_agrees(&journey, says_diff);
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    journey_end(&journey);
}

IN_REPOSITORY(a_submodule_is_an_empty_folder_there_and_stays_as_it_is_here)
{
    struct journey journey;
    char *before, *after;

    git_in(at(*state, "."), (const char *const[]){ "git", "clone", "--quiet", "work", "inner",
                                                   NULL });
    git((struct ground *)*state, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
        "../inner", "inner");
    commit_all(*state);
    put(at(*state, "work/inner/clean"), "of the user\n");
    journey_begin(&journey, state);
    before = picture(at(*state, "work/inner"));
    journey_pack(&journey);
    journey_unpack(&journey);
    assert_has(buf_cstr(&journey.packed.notes), "submodules");
    assert_int_equal(count_in(there(&journey, "inner")), 0);
    put(there(&journey, "inner/clean"), "by the agent\n");
    put(there(&journey, "clean"), "by the agent\n");
    journey_return(&journey);
    after = picture(at(*state, "work/inner"));
    assert_string_equal(before, after);
    expect_content(at(*state, "work/clean"), "by the agent\n");
    free(before);
    free(after);
    journey_end(&journey);
}

IN_REPOSITORY(what_does_not_travel_is_said)
{
    struct journey journey;
    const char *notes;

    put(at(*state, "work/.gitignore"), "*.o\n.own\n");
    put(at(*state, "work/x.o"), "object\n");
    make_folder(at(*state, "work/.own"));
    put(at(*state, "work/.own/state"), "ours\n");
    make_folder(at(*state, "work/empty"));
    make_folder(at(*state, "work/nested"));
    git_in(at(*state, "work/nested"), (const char *const[]){ "git", "init", "--quiet", NULL });
    put(at(*state, "work/nested/file"), "x\n");
    journey_begin(&journey, state);
    journey_pack(&journey);
    notes = buf_cstr(&journey.packed.notes);
    assert_has(notes, "ignored files do not travel: x.o\n");
    assert_has(notes, "repositories inside the tree do not travel: nested\n");
    assert_has(notes, "empty folders do not travel\n");
    journey_unpack(&journey);
    assert_false(is_there(there(&journey, "x.o")));
    assert_false(is_there(there(&journey, "nested")));
    journey_end(&journey);
}

IN_REPOSITORY(ignored_files_come_along_where_they_are_named)
{
    struct journey journey;

    put(at(*state, "work/.gitignore"), "*.env\nlib/\n");
    put(at(*state, "work/.git/info/exclude"), "mine\n");
    put(at(*state, "work/a.env"), "one\n");
    put(at(*state, "work/lib/deep/x"), "two\n");
    put(at(*state, "work/mine"), "three\n");
    put(at(*state, "work/b.env"), "stays\n");
    put_link(at(*state, "work/lib/link"), "deep/x");
    journey_begin(&journey, state);
    memcpy(journey.carry, (const char *const[]){ "a.env", "lib/**", "mine", NULL },
           sizeof journey.carry);
    journey_pack(&journey);
    assert_int_equal(journey.packed.carried, 4);
    journey_unpack(&journey);
    expect_content(there(&journey, "a.env"), "one\n");
    expect_content(there(&journey, "lib/deep/x"), "two\n");
    expect_content(there(&journey, "mine"), "three\n");
    expect_link(there(&journey, "lib/link"), "deep/x");
    assert_false(is_there(there(&journey, "b.env")));
    expect_git_agrees(&journey, says_status);
    put(there(&journey, "a.env"), "changed\n");
    journey_result(&journey);
    assert_string_equal(journey.made.commit, ""); /* they do not go back */
    journey_end(&journey);
}

/* ---- bytes that git would change ---- */

IN_REPOSITORY(line_ends_arrive_as_they_lie_there)
{
    struct journey journey;

    git((struct ground *)*state, "config", "core.autocrlf", "true");
    put(at(*state, "work/lines"), "one\r\ntwo\r\n");
    commit_all(*state); /* it is LF in the commit */
    put(at(*state, "work/mixed"), "one\r\ntwo\n");
    journey_begin(&journey, state);
    journey_go(&journey);
    expect_content(there(&journey, "lines"), "one\r\ntwo\r\n");
    expect_git_agrees(&journey, says_status);
    put(at(*state, "work/lines"), "one\r\n2\r\n");
    journey_go(&journey);
    expect_git_agrees(&journey, says_diff);
    put(there(&journey, "lines"), "by the agent\r\n");
    journey_return(&journey);
    expect_content(at(*state, "work/lines"), "by the agent\r\n");
    journey_end(&journey);
}

IN_REPOSITORY(line_ends_that_attributes_ask_for_arrive)
{
    struct journey journey;

    put(at(*state, "work/.gitattributes"), "*.bat text eol=crlf\n*.id ident\n"
                                           "*.wide text working-tree-encoding=UTF-16LE\n");
    put(at(*state, "work/run.bat"), "one\r\ntwo\r\n");
    put(at(*state, "work/x.id"), "$Id$\n");
    put(at(*state, "work/a.txt"), "plain\n");
    commit_all(*state);
    assert_int_equal(unlink(at(*state, "work/x.id")), 0);
    git((struct ground *)*state, "checkout", "--quiet", "--", "x.id"); /* now it is filled in */
    journey_begin(&journey, state);
    journey_go(&journey);
    expect_git_agrees(&journey, says_status);
    put(there(&journey, "run.bat"), "one\r\nby the agent\r\n");
    journey_return(&journey);
    expect_content(at(*state, "work/run.bat"), "one\r\nby the agent\r\n");
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    journey_end(&journey);
}

/* As Git LFS: the commit has a pointer, the work tree the content. The same length, too. */
IN_REPOSITORY(what_a_filter_made_arrives_and_the_filter_does_not_run)
{
    struct journey journey;

    git((struct ground *)*state, "config", "filter.swap.clean", "tr a-z A-Z");
    git((struct ground *)*state, "config", "filter.swap.smudge", "tr A-Z a-z");
    git((struct ground *)*state, "config", "filter.swap.required", "true");
    put(at(*state, "work/.gitattributes"), "*.big filter=swap\n");
    put(at(*state, "work/x.big"), "content\n");
    put(at(*state, "work/y.big"), "other content\n");
    commit_all(*state);
    git((struct ground *)*state, "config", "filter.swap.clean", "touch ../ran; cat");
    git((struct ground *)*state, "config", "filter.swap.smudge", "touch ../ran; cat");
    journey_begin(&journey, state);
    journey_go(&journey);
    expect_content(there(&journey, "x.big"), "content\n");
    assert_false(is_there(at(*state, "ran")));
    expect_git_agrees(&journey, says_status);
    (void)unlink(at(*state, "ran")); /* the user's own git may run it */
    put(there(&journey, "x.big"), "by the agent\n");
    journey_return(&journey);
    expect_content(at(*state, "work/x.big"), "by the agent\n");
    expect_content(at(*state, "work/y.big"), "other content\n");
    assert_int_equal(journey.applied.changed, 1);
    assert_false(is_there(at(*state, "ran")));
    expect_untouched(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(hooks_monitors_and_drivers_of_the_repository_do_not_run)
{
    struct journey journey;

    put_script(at(*state, "work/.git/hooks/post-index-change"), "#!/bin/sh\ntouch ../ran\n");
    put_script(at(*state, "work/.git/hooks/reference-transaction"), "#!/bin/sh\ntouch ../ran\n");
    put_script(at(*state, "work/.git/hooks/post-checkout"), "#!/bin/sh\ntouch ../ran\n");
    git((struct ground *)*state, "config", "core.fsmonitor", "touch ../ran");
    git((struct ground *)*state, "config", "diff.external", "touch ../ran");
    git((struct ground *)*state, "config", "core.sshCommand", "touch ../ran");
    put(at(*state, "work/clean"), "changed\n");
    (void)unlink(at(*state, "ran"));
    journey_begin(&journey, state);
    journey_go(&journey);
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    assert_false(is_there(at(*state, "ran")));
    journey_end(&journey);
}

/* ---- places ---- */

IN_REPOSITORY(another_run_finds_a_clean_tree_and_the_same_run_its_ignored_files)
{
    struct journey journey;

    put(at(*state, "work/.gitignore"), "*.o\n");
    commit_all(*state);
    journey_begin(&journey, state);
    journey_go(&journey);
    put(there(&journey, "x.o"), "built\n");
    put(there(&journey, "untracked"), "left there\n");
    put(there(&journey, "clean"), "left there\n");
    journey_unpack(&journey);
    expect_content(there(&journey, "x.o"), "built\n");
    assert_false(is_there(there(&journey, "untracked")));
    expect_content(there(&journey, "clean"), "clean\n");
    journey.run = "run-2";
    journey_unpack(&journey);
    assert_true(journey.place.warm);
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    journey_end(&journey);
}

IN_REPOSITORY(two_attempts_have_two_trees_and_each_its_own_refs)
{
    struct journey journey;
    struct travel_place first;

    journey_begin(&journey, state);
    journey_go(&journey);
    first = journey.place;
    journey.place = (struct travel_place){ .lock = { .fd = -1 } };
    journey_go(&journey);
    assert_string_not_equal(first.folder, journey.place.folder);
    put(there(&journey, "clean"), "of the second\n");
    travel_leave(&first);
    journey_end(&journey);
}

/* What a hostile agent may leave for the attempt behind it. */
IN_REPOSITORY(an_agent_leaves_no_trap_in_its_place)
{
    struct journey journey;
    struct stat st;
    struct timespec times[2];

    put(at(*state, "work/.gitignore"), "*.o\n");
    commit_all(*state);
    journey_begin(&journey, state);
    journey_go(&journey);
    put_script(there(&journey, ".git/hooks/post-checkout"), "#!/bin/sh\ntouch ../ran\n");
    put(there(&journey, ".git/config"), "[core]\n\tfsmonitor = touch ran\n");
    put(there(&journey, ".git/info/attributes"), "* filter=x\n");
    /* The same length, and the time that it had. */
    assert_int_equal(stat(there(&journey, "clean"), &st), 0);
    put(there(&journey, "clean"), "dirty\n");
    times[0] = times[1] = st.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, there(&journey, "clean"), times, 0), 0);
    /* A folder that is elsewhere now, with the very same files in it. */
    assert_int_equal(rename(there(&journey, "sub"), at(*state, "elsewhere")), 0);
    put_link(there(&journey, "sub"), at(*state, "elsewhere"));
    put(there(&journey, "locked/file"), "x\n");
    assert_int_equal(chmod(there(&journey, "locked"), 0500), 0);
    put(there(&journey, "x.o"), "ignored\n");
    journey.run = "run-2";
    journey_unpack(&journey);
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    expect_git_agrees(&journey, says_status);
    expect_content(at(*state, "elsewhere/deep"), "deep\n");
    assert_false(is_there(there(&journey, "ran")));
    journey_end(&journey);
}

IN_REPOSITORY(a_sweep_takes_what_no_attempt_holds)
{
    struct journey journey;
    struct err err = { 0 };
    uint64_t freed;

    journey_begin(&journey, state);
    journey_go(&journey);
    if (travel_sweep(&journey.store, UINT64_MAX, &freed, &err) != 0) fail_msg("%s", err.text);
    assert_int_equal(freed, 0);
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    travel_leave(&journey.place);
    assert_int_equal(travel_sweep(&journey.store, 0, &freed, &err), 0);
    assert_int_equal(freed, 0);
    if (travel_sweep(&journey.store, UINT64_MAX, &freed, &err) != 0) fail_msg("%s", err.text);
    assert_true(freed > 0);
    assert_false(is_there(at(*state, "store/abc")));
    journey_unpack(&journey); /* and all begins again */
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    journey_end(&journey);
}

/* How often this process waited for a disk. */
static int syncs;

int fsync(int fd)
{
    (void)fd;
    syncs++;
    return 0;
}

/* A work tree at a worker can be made again: an attempt waits for no disk before its agent begins,
 * but for git's own, once. */
IN_REPOSITORY(a_warm_place_is_made_without_waiting_for_a_disk)
{
    struct journey journey;

    journey_begin(&journey, state);
    git((struct ground *)*state, "checkout", "-q", "-b", "of/a/lane");
    journey_go(&journey);
    put(at(*state, "work/clean"), "another\n");
    journey_pack(&journey);
    syncs = 0;
    journey_unpack(&journey);
    assert_true(journey.place.warm);
    assert_int_equal(syncs, 0);
    journey_end(&journey);
}

/* Neither a pack nor a look at what other attempts left: what an attempt costs does not grow with
 * those before it. */
IN_REPOSITORY(an_attempt_adds_no_pack_and_looks_at_no_other)
{
    struct journey journey;
    char head[OID_BYTES];
    size_t packs;

    for (int i = 0; i < 150; i++) put(at(*state, "work/many/%d", i), at(*state, "%d", i));
    commit_all(*state);
    journey_begin(&journey, state);
    journey_go(&journey);
    packs = count_in(at(*state, "store/abc/clone/objects/pack")); /* of the history */
    assert_true(packs > 0);
    memcpy(head, journey.packed.ids.head, sizeof head);
    journey.known[0] = head;
    /* As another attempt's that is broken: git says so where it reads it. */
    put(at(*state, "store/abc/clone/refs/hone/has/%s", "1111111111111111111111111111111111111111"),
        "1111111111111111111111111111111111111111\n");
    for (int i = 0; i < 3; i++) {
        put(at(*state, "work/clean"), at(*state, "%d", i));
        journey_go(&journey);
        put(there(&journey, "other"), at(*state, "of the agent %d", i));
        journey_return(&journey);
        expect_content(at(*state, "work/other"), at(*state, "of the agent %d", i));
    }
    assert_int_equal(count_in(at(*state, "store/abc/clone/objects/pack")), packs);
    assert_int_equal(count_in(at(*state, "work/.git/hone/objects/pack")), 0);
    journey_end(&journey);
}

/* Snapshots that are of no use any more go with their objects; what a place stands on stays. */
IN_REPOSITORY(a_sweep_drops_what_old_attempts_brought)
{
    static const char *const objects[] = { "git", "count-objects", NULL };
    struct journey journey;
    struct err err = { 0 };
    char clone[GROUND_PATH_BYTES], head[OID_BYTES], *said;
    uint64_t freed;

    journey_begin(&journey, state);
    journey_go(&journey);
    memcpy(head, journey.packed.ids.head, sizeof head);
    journey.known[0] = head;
    for (int i = 0; i < 51; i++) {
        put(at(*state, "work/clean"), at(*state, "%d", i));
        journey_pack(&journey);
        journey_unpack(&journey);
    }
    snprintf(clone, sizeof clone, "%s", at(*state, "store/abc/clone"));
    assert_true(count_in(at(*state, "store/abc/clone/refs/hone/has")) > 51);
    if (travel_sweep(&journey.store, UINT64_MAX, &freed, &err) != 0) fail_msg("%s", err.text);
    assert_int_equal(count_in(at(*state, "store/abc/clone/refs/hone/has")), 2);
    said = git_output(clone, objects);
    assert_string_equal(said, "0 objects, 0 kilobytes");
    free(said);
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "fsck", NULL });
    journey_end(&journey);
}

/* Histories are packs; a sweep makes one of them, under a work tree that is in use. */
IN_REPOSITORY(a_sweep_joins_very_many_packs)
{
    struct journey journey;
    struct err err = { 0 };
    char clone[GROUND_PATH_BYTES];
    uint64_t freed;

    journey_begin(&journey, state);
    journey_go(&journey);
    snprintf(clone, sizeof clone, "%s", at(*state, "store/abc/clone"));
    put(at(*state, "split"), "i=0; while [ $i -lt 60 ]; do echo $i | git hash-object -w --stdin |\n"
                             "git pack-objects -q objects/pack/pack; i=$((i+1)); done\n");
    assert_int_equal(run_in(clone, (const char *const[]){ "sh", at(*state, "split"), NULL }), 0);
    if (travel_sweep(&journey.store, UINT64_MAX, &freed, &err) != 0) fail_msg("%s", err.text);
    assert_true(count_in(at(*state, "store/abc/clone/objects/pack")) <= 4);
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "fsck", NULL });
    agent_works(&journey);
    journey_return(&journey);
    expect_agents_work(*state);
    journey_go(&journey);
    journey_end(&journey);
}

/* ---- agents that commit ---- */

/* A lane's work tree is one that is linked to the user's repository. */
IN_REPOSITORY(a_linked_work_tree_travels_and_its_branch_alone_moves)
{
    struct journey journey;
    struct err err = { 0 };
    char *main_was, *main_is;

    git((struct ground *)*state, "worktree", "add", "--quiet", "-b", "lane", "../lane");
    put(at(*state, "lane/new"), "of the lane\n");
    journey_begin(&journey, state);
    repo_release(&journey.repo);
    if (repo_open(&journey.repo, at(*state, "lane"), REPO_FIND, &err) != 0)
        fail_msg("%s", err.text);
    main_was = git_says((struct ground *)*state, "rev-parse", "main");
    journey_pack(&journey);
    assert_string_equal(journey.packed.ids.branch, "lane");
    journey_unpack(&journey);
    expect_content(there(&journey, "new"), "of the lane\n");
    put(there(&journey, "clean"), "by the agent\n");
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "add", "--all", NULL });
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "commit", "--quiet",
                                                                "--message=by the agent", NULL });
    journey_return(&journey);
    if (travel_forward(&journey.repo, &journey.packed.ids, &journey.made, "hone: x", &err) != 0)
        fail_msg("%s", err.text);
    expect_content(at(*state, "lane/clean"), "by the agent\n");
    expect_content(at(*state, "work/clean"), "clean\n");
    expect_git_agrees(&journey, says_status);
    expect_git_agrees(&journey, says_head);
    main_is = git_says((struct ground *)*state, "rev-parse", "main");
    assert_string_equal(main_was, main_is);
    free(main_was);
    free(main_is);
    journey_end(&journey);
}

IN_REPOSITORY(a_commit_that_went_round_a_filter_is_refused)
{
    struct journey journey;
    struct err err = { 0 };

    git((struct ground *)*state, "config", "filter.swap.clean", "tr a-z A-Z");
    git((struct ground *)*state, "config", "filter.swap.smudge", "tr A-Z a-z");
    put(at(*state, "work/.gitattributes"), "*.big filter=swap\n");
    put(at(*state, "work/x.big"), "content\n");
    commit_all(*state);
    journey_begin(&journey, state);
    journey_go(&journey);
    put(there(&journey, "x.big"), "by the agent\n");
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "commit", "--quiet", "--all",
                                                                "--message=x", NULL });
    journey_result(&journey);
    assert_int_equal(journey_try_apply(&journey, &err), ERR_FAILED);
    assert_has(err.text, "x.big was committed elsewhere without the filter swap");
    journey_end(&journey);
}

IN_REPOSITORY(commits_come_back_and_head_moves_with_index_and_files)
{
    struct journey journey;
    struct err err = { 0 };
    char *log;

    make_dirty(state);
    git((struct ground *)*state, "reset", "--quiet");
    journey_begin(&journey, state);
    journey_go(&journey);
    agent_works(&journey);
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "add", "--all", NULL });
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "commit", "--quiet",
                                                                "--message=by the agent", NULL });
    put(there(&journey, "behind"), "not committed\n");
    journey_return(&journey);
    expect_untouched(&journey);
    assert_true(journey.applied.moved);
    if (travel_forward(&journey.repo, &journey.packed.ids, &journey.made, "hone: x", &err) != 0)
        fail_msg("%s", err.text);
    expect_agents_work(*state);
    expect_git_agrees(&journey, says_status);
    expect_git_agrees(&journey, says_log);
    expect_git_agrees(&journey, says_diff);
    assert_int_equal(travel_forward(&journey.repo, &journey.packed.ids, &journey.made, "x", &err),
                     0); /* again: nothing is left to be done */
    log = git_says((struct ground *)*state, "fsck", "--strict");
    free(log);
    git((struct ground *)*state, "commit", "--quiet", "--allow-empty", "--message=of the user");
    assert_int_equal(travel_forward(&journey.repo, &journey.packed.ids, &journey.made, "x", &err),
                     ERR_BUSY);
    journey_end(&journey);
}

IN_REPOSITORY(a_head_that_went_elsewhere_is_refused)
{
    struct journey journey;
    struct travel_file file = { .name = NULL };
    struct travel_made made;
    struct err err = { 0 };
    uint64_t bytes;

    put(at(*state, "work/clean"), "2\n");
    commit_all(*state);
    journey_begin(&journey, state);
    journey_go(&journey);
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "reset", "--quiet",
                                                                "HEAD~1", NULL });
    assert_int_equal(travel_result(&journey.place, &file, &made, &bytes, &err), ERR_FAILED);
    assert_has(err.text, "does not descend");
    journey_unpack(&journey);
    git_in(journey.place.repo.workspace, (const char *const[]){ "git", "switch", "--quiet",
                                                                "--create", "mine", NULL });
    git_in(journey.place.repo.workspace,
           (const char *const[]){ "git", "commit", "--quiet", "--allow-empty", "--message=x",
                                  NULL });
    assert_int_equal(travel_result(&journey.place, &file, &made, &bytes, &err), ERR_FAILED);
    assert_has(err.text, "left it on mine");
    journey_end(&journey);
}
