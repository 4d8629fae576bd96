/* SPDX-License-Identifier: Apache-2.0
 *
 * test_git_locks.c - locks that a killed git left go, and no others. */
#include "base/buf.h"
#include "ground.h"
#include "io/file/file.h"
#include "io/git/git_locks.h"
#include "test.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_BYTES = 4096 };

/* A file that was made ten seconds ago. */
static void put_old(const struct ground *ground, const char *path)
{
    const struct timespec then = { .tv_sec = (time_t)(now_wall_ms() / 1000) - 10 };
    const struct timespec times[2] = { then, then };

    put(at(ground, "work/.git/%s", path), "");
    assert_int_equal(utimensat(-1, at(ground, "work/.git/%s", path), times, 0), 0);
}

/* The names of what goes, of what was made since then. */
static void expect_cleared(const struct ground *ground, uint64_t since_ms, const char *expected)
{
    struct repo repo;
    struct err err;
    struct buf names;

    buf_init(&names, NAMES_BYTES);
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    git_locks_clear(&repo, since_ms, &names);
    assert_string_equal(buf_cstr(&names), expected);
    repo_release(&repo);
    buf_release(&names);
}

IN_REPOSITORY(locks_of_every_kind_go)
{
    static const char *const paths[] = {
        "packed-refs.lock", "refs/heads/main.lock", "refs/hone/run/integration.lock",
        "worktrees/lane/HEAD.lock", "worktrees/lane/index.lock",
    };
    const struct ground *ground = *state;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        put_old(ground, paths[i]);
        expect_cleared(ground, 1, paths[i]);
        assert_false(is_there(at(ground, "work/.git/%s", paths[i])));
        expect_cleared(ground, 1, "");
    }
    git(ground, "commit", "--quiet", "--allow-empty", "--message=goes on");
}

IN_REPOSITORY(a_new_lock_is_waited_for)
{
    const struct ground *ground = *state;

    put(at(ground, "work/.git/HEAD.lock"), "");
    expect_cleared(ground, 1, "HEAD.lock");
}

IN_REPOSITORY(what_was_there_before_stays)
{
    const struct ground *ground = *state;

    put_old(ground, "index.lock");
    expect_cleared(ground, now_wall_ms() - 5000, "");
    assert_true(is_there(at(ground, "work/.git/index.lock")));
}

IN_REPOSITORY(a_lock_with_a_second_name_stays)
{
    const struct ground *ground = *state;

    put_old(ground, "index.lock");
    assert_int_equal(link(at(ground, "work/.git/index.lock"), at(ground, "second")), 0);
    expect_cleared(ground, 1, "");
    assert_true(is_there(at(ground, "work/.git/index.lock")));
}

IN_REPOSITORY(other_files_and_folders_stay)
{
    const struct ground *ground = *state;

    put_old(ground, "refs/heads/locked");
    put_old(ground, "refs/heads/folder.lock/main");
    put_old(ground, "hone/runs/x.lock");
    put_link(at(ground, "work/.git/link.lock"), "config");
    expect_cleared(ground, 1, "");
    assert_true(is_there(at(ground, "work/.git/link.lock")));
}

/* It answers one question, and waits for the next in that folder. */
static void expect_kept_while_at_work(const struct ground *ground, const char *folder)
{
    int in[2], out[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    put_old(ground, "HEAD.lock");
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (chdir(folder) != 0 || dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0) _exit(1);
        close(in[1]);
        execlp("git", "git", "cat-file", "--batch-check", (char *)NULL);
        _exit(1);
    }
    close(out[1]);
    assert_int_equal(write(in[1], "HEAD\n", 5), 5);
    assert_int_equal(read(out[0], &byte, 1), 1);
    expect_cleared(ground, 1, "");
    close(in[1]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    expect_cleared(ground, 1, "HEAD.lock");
    close(in[0]);
    close(out[0]);
}

IN_REPOSITORY(a_git_at_work_keeps_its_lock)
{
    const struct ground *ground = *state;

    expect_kept_while_at_work(ground, ground->work);
    git(ground, "worktree", "add", "--quiet", "--detach", at(ground, "other"));
    expect_kept_while_at_work(ground, at(ground, "other"));
}
