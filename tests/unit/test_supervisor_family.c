/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything an attempt starts goes with it: after a stop, after a normal end, after the death of
 * the engine or of the supervisor itself.
 *
 * row: agent.outlives | it outlives the run, hangs, floods the disk | a process namespace per attempt, which dies with its parent; a supervisor that ends the whole family of an attempt, known by limits that a process cannot raise however it hides; limits on time, silence and output | without bubblewrap, where hone and its supervisor are both killed: what is left is ended by the next run in the workspace, known by a mark in its environment, but not a process that started itself again with another environment | `test_supervisor_family.c: a_limit_ends_the_whole_family`, `test_supervisor_family.c: a_normal_end_leaves_nobody_behind`, `test_supervisor_family.c: who_hid_goes_with_its_attempt`, `cage_processes.sh: no process outlives hone and its supervisor` */
#include "supervised.h"
#include "test.h"

#include "io/process/host.h"
#include "io/process/signals.h"
#include "io/process/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMBERS_MAX = 8 };

/* Starts an agent with a family of `parts`; pids gets its members and at last itself. */
static void start_family(struct stage *stage, struct spawn *spawn, const char *parts,
                         const char *end, pid_t *pids)
{
    const char *argv[] = { stage_self(), "family", parts, end, NULL };
    char tag[40];
    const char *env[] = { tag, NULL };

    snprintf(tag, sizeof tag, "STAGE_TAG=%d.%lu", (int)getpid(), (unsigned long)spawn->id);
    spawn->argv = argv;
    spawn->env = env;
    spawn->tag = tag;
    stage_start(stage, spawn);
    if (pids) stage_listen(stage, pids, (uint32_t)strlen(parts) + 1);
    spawn->argv = spawn->env = NULL;
    spawn->tag = NULL;
}

static void expect_gone(const pid_t *pids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(pids[i] > 1);
        if (is_alive(pids[i])) fail_msg("number %u (pid %d) is still there", i, (int)pids[i]);
    }
}

static void expect_there(const pid_t *pids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) assert_true(is_alive(pids[i]));
}

#define STAGED(name) TEST_WITH(name, stage_open, stage_close)

STAGED(a_stop_ends_the_whole_family)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    pid_t pids[MEMBERS_MAX];
    struct err err;

    spawn.grace_ms = 100;
    start_family(stage, &spawn, "psdti", "wait", pids);
    expect_there(pids, 6);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, false, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    expect_gone(pids, 6);
    stage_expect_no_status(stage, "1.status");
}

STAGED(a_stop_now_ends_the_whole_family)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    pid_t pids[MEMBERS_MAX];
    struct err err;

    start_family(stage, &spawn, "psdth", "wait", pids);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, true, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    expect_gone(pids, 6);
}

STAGED(a_limit_ends_the_whole_family)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    pid_t pids[MEMBERS_MAX];

    spawn.grace_ms = 50;
    spawn.time_ms_max = 3000; /* the family is there by then */
    start_family(stage, &spawn, "psd", "wait", pids);
    stage_expect(stage, 1, ENDED_TIME, 0);
    expect_gone(pids, 4);
}

STAGED(a_normal_end_leaves_nobody_behind)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    pid_t pids[MEMBERS_MAX];

    spawn.grace_ms = 100;
    start_family(stage, &spawn, "psdti", "exit", pids);
    stage_expect(stage, 1, ENDED_EXIT, 0);
    expect_gone(pids, 6);
    stage_expect_status(stage, "1.status", ENDED_EXIT, 0);
}

STAGED(those_who_listen_need_no_grace)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL); /* a minute: longer than we wait */
    pid_t pids[MEMBERS_MAX];
    struct err err;

    start_family(stage, &spawn, "pst", "exit", pids);
    stage_expect(stage, 1, ENDED_EXIT, 0);
    expect_gone(pids, 4);
    spawn = stage_spawn(stage, 2, NULL);
    start_family(stage, &spawn, "pst", "wait", pids);
    assert_int_equal(supervisor_stop(&stage->supervisor, 2, false, &err), 0);
    stage_expect(stage, 2, ENDED_STOP, 0);
    expect_gone(pids, 4);
}

STAGED(one_attempt_does_not_take_anothers_family)
{
    struct stage *stage = *state;
    struct spawn first = stage_spawn(stage, 1, NULL);
    struct spawn second = stage_spawn(stage, 2, NULL);
    pid_t one[MEMBERS_MAX], two[MEMBERS_MAX];
    struct err err;

    first.grace_ms = second.grace_ms = 100;
    start_family(stage, &first, "psd", "wait", one);
    start_family(stage, &second, "psde", "exit", two);
    stage_expect(stage, 2, ENDED_EXIT, 0);
    expect_gone(two, 5);
    expect_there(one, 4);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, false, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    expect_gone(one, 4);
}

/* No session, group, parent or environment tells whose it was. */
STAGED(who_hid_goes_with_its_attempt)
{
    struct stage *stage = *state;
    struct spawn first = stage_spawn(stage, 1, NULL);
    struct spawn second = stage_spawn(stage, 2, NULL);
    pid_t one[MEMBERS_MAX], two[MEMBERS_MAX];
    struct err err;

    first.grace_ms = second.grace_ms = 100;
    start_family(stage, &first, "p", "wait", one);
    start_family(stage, &second, "hp", "exit", two);
    stage_expect(stage, 2, ENDED_EXIT, 0);
    expect_gone(two, 3);
    expect_there(one, 2);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, false, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    expect_gone(one, 2);
}

STAGED(who_is_anothers_stays_however_it_hid)
{
    struct stage *stage = *state;
    struct spawn first = stage_spawn(stage, 1, NULL);
    struct spawn second = stage_spawn(stage, 2, NULL);
    pid_t one[MEMBERS_MAX], two[MEMBERS_MAX];

    first.grace_ms = second.grace_ms = 100;
    start_family(stage, &first, "hd", "wait", one);
    start_family(stage, &second, "hp", "exit", two);
    stage_expect(stage, 2, ENDED_EXIT, 0);
    expect_gone(two, 3);
    expect_there(one, 3);
}

STAGED(who_changed_its_limits_goes_with_the_next_that_ends)
{
    struct stage *stage = *state;
    struct spawn first = stage_spawn(stage, 1, NULL);
    struct spawn second = stage_spawn(stage, 2, NULL);
    struct spawn third = stage_spawn(stage, 3, NULL);
    pid_t one[MEMBERS_MAX], two[MEMBERS_MAX], three[MEMBERS_MAX];

    first.grace_ms = second.grace_ms = third.grace_ms = 100;
    start_family(stage, &first, "p", "wait", one);
    start_family(stage, &second, "l", "wait", two);
    start_family(stage, &third, "p", "exit", three);
    stage_expect(stage, 3, ENDED_EXIT, 0);
    expect_gone(three, 2);
    expect_gone(two, 1);
    expect_there(two + 1, 1);
    expect_there(one, 2);
}

STAGED(close_ends_everything_at_once)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL); /* its grace of a minute is not waited for */
    pid_t pids[MEMBERS_MAX];

    start_family(stage, &spawn, "psdth", "wait", pids);
    supervisor_close(&stage->supervisor);
    expect_gone(pids, 6);
    stage_expect_no_status(stage, "1.status");
    stage_expect_text(stage, "1.out", "");
}

STAGED(a_terminated_supervisor_ends_everything)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    struct notice notice;
    pid_t pids[MEMBERS_MAX];

    start_family(stage, &spawn, "psdh", "wait", pids);
    assert_int_equal(kill(stage->supervisor.pid, SIGTERM), 0);
    stage_wait_readable(stage->supervisor.fd);
    assert_int_equal(supervisor_next(&stage->supervisor, &notice), -1);
    expect_gone(pids, 5);
}

STAGED(an_engine_that_falls_silent_is_gone)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    struct notice notice;
    pid_t pids[MEMBERS_MAX];
    struct err err;

    start_family(stage, &spawn, "psdh", "wait", pids);
    assert_int_equal(supervisor_live(&stage->supervisor, 20, &err), 0);
    stage_wait_readable(stage->supervisor.fd);
    assert_int_equal(supervisor_next(&stage->supervisor, &notice), -1);
    expect_gone(pids, 5);
    stage_expect_no_status(stage, "1.status");
}

STAGED(an_engine_may_be_silent_while_nothing_runs)
{
    struct stage *stage = *state;
    struct pollfd polled = { .fd = stage->supervisor.fd, .events = POLLIN };
    struct err err;

    assert_int_equal(supervisor_live(&stage->supervisor, 1, &err), 0);
    assert_int_equal(poll(&polled, 1, 50), 0); /* it is still there */
    assert_int_equal(supervisor_live(&stage->supervisor, UINT64_MAX, &err), 0);
    stage_shell(stage, 1, "exit 4");
    stage_expect(stage, 1, ENDED_EXIT, 4);
}

STAGED(a_killed_supervisor_leaves_nobody)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    struct notice notice;
    pid_t pids[MEMBERS_MAX];
    struct err err;

    start_family(stage, &spawn, "psdthl", "wait", pids);
    assert_int_equal(kill(stage->supervisor.pid, SIGKILL), 0);
    stage_wait_readable(stage->supervisor.fd);
    assert_int_equal(supervisor_next(&stage->supervisor, &notice), -1);
    assert_int_not_equal(supervisor_stop(&stage->supervisor, 1, true, &err), 0);
    supervisor_close(&stage->supervisor);
    expect_gone(pids, 7);
    stage_expect_no_status(stage, "1.status");
}

/* Without any help of the engine: it may be dead, too. */
STAGED(an_agent_dies_with_a_killed_supervisor)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "deaf", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    int pid_fd;
    pid_t pid;

    stage_start(stage, &spawn);
    stage_listen(stage, &pid, 1);
    pid_fd = pidfd_open(pid, 0);
    assert_true(pid_fd >= 0);
    assert_int_equal(kill(stage->supervisor.pid, SIGKILL), 0);
    stage_wait_readable(pid_fd); /* readable: it has ended */
    close(pid_fd);
}

/* ---- the engine dies ---- */

/* A fake engine: holds the lock, has one attempt that ended by itself and one family at work, says
 * its pid and waits to be killed. */
static _Noreturn void play_engine(struct stage *stage, int lock_fd)
{
    struct spawn spawn = stage_spawn(stage, 2, NULL);
    pid_t self = getpid();
    struct err err;

    if (supervisor_start(&stage->supervisor, lock_fd, &err) != 0) _exit(1);
    stage_shell(stage, 1, "exit 6");
    stage_expect(stage, 1, ENDED_EXIT, 6);
    start_family(stage, &spawn, "psdth", "wait", NULL);
    dprintf(stage->talk_fd, "%d\n", (int)self);
    for (;;) pause();
}

STAGED(when_the_engine_is_killed_the_lock_outlives_the_agents)
{
    struct stage *stage = *state;
    pid_t pids[MEMBERS_MAX];
    int lock_fd, other_fd;
    pid_t engine;

    lock_fd = open(stage_path(stage, "lock"), O_RDWR | O_CREAT, 0600);
    other_fd = open(stage_path(stage, "lock"), O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lock_fd, LOCK_EX | LOCK_NB), 0);
    supervisor_close(&stage->supervisor);
    engine = fork();
    if (engine == 0) {
        close(other_fd);
        play_engine(stage, lock_fd);
    }
    close(lock_fd);
    stage_listen(stage, pids, 7); /* the engine, in any place, and six of its family */
    assert_int_equal(flock(other_fd, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    for (int i = 0; i < 7; i++) assert_true(is_alive(pids[i]));
    assert_int_equal(kill(engine, SIGKILL), 0);
    assert_int_equal(waitpid(engine, NULL, 0), engine);
    assert_int_equal(flock(other_fd, LOCK_EX), 0); /* waits for the last of them */
    expect_gone(pids, 7);
    stage_expect_status(stage, "1.status", ENDED_EXIT, 6);
    stage_expect_no_status(stage, "2.status");
    close(other_fd);
}

/* An attempt that ended while the engine was not looking has ended by itself. */
STAGED(an_end_nobody_read_is_left_in_a_file)
{
    struct stage *stage = *state;

    stage_shell(stage, 1, "exit 9");
    stage_wait_readable(stage->supervisor.fd);
    supervisor_close(&stage->supervisor);
    stage_expect_status(stage, "1.status", ENDED_EXIT, 9);
}

/* The status is there although a deaf leftover holds the notice back. */
STAGED(a_status_does_not_wait_for_leftovers)
{
    struct stage *stage = *state;
    struct spawn spawn = stage_spawn(stage, 1, NULL);
    struct notice notice;
    pid_t pids[MEMBERS_MAX];

    start_family(stage, &spawn, "d", "exit", pids);
    while (stage_size(stage, "1.status") == 0) poll(NULL, 0, 5);
    assert_int_equal(supervisor_next(&stage->supervisor, &notice), 0);
    supervisor_close(&stage->supervisor);
    stage_expect_status(stage, "1.status", ENDED_EXIT, 0);
    expect_gone(pids, 2);
}

/* ---- /proc ---- */

static bool has_pid(const struct pids *pids, pid_t pid)
{
    for (uint32_t i = 0; i < pids->count; i++) {
        if (pids->items[i] == pid) return true;
    }
    return false;
}

TEST(children_are_found_by_list_and_by_scan)
{
    enum { COUNT = 20 };
    struct pids listed = { 0 }, scanned = { 0 }, none = { 0 };
    pid_t children[COUNT];

    for (int i = 0; i < COUNT; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            for (;;) pause();
        }
    }
    assert_true(family_children(getpid(), &listed));
    assert_true(family_children_scan(getpid(), &scanned));
    assert_int_equal(listed.count, COUNT);
    assert_int_equal(scanned.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_true(has_pid(&listed, children[i]));
        assert_true(has_pid(&scanned, children[i]));
        assert_true(family_signal(children[i], SIGKILL, false));
        assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
    }
    assert_true(family_children(children[0], &none)); /* who is gone has none */
    assert_int_equal(none.count, 0);
    pids_release(&listed);
    pids_release(&scanned);
}

TEST(a_name_cannot_forge_a_parent)
{
    struct kin kin = { 0 };
    char before[16];

    prctl(PR_GET_NAME, before);
    prctl(PR_SET_NAME, "a) S 1 1 1 (b");
    assert_true(family_look(getpid(), &kin));
    prctl(PR_SET_NAME, before);
    assert_int_equal(kin.parent, getppid());
    assert_int_equal(kin.group, getpgrp());
    assert_int_equal(kin.session, getsid(0));
    assert_false(family_look(INT32_MAX, &kin));
}

TEST(ancestors_are_the_parent_and_its_parents_and_no_other)
{
    pid_t top = getpid(), child;
    int status = -1;

    assert_true(host_is_ancestor(getppid()));
    assert_false(host_is_ancestor(getpid()));
    assert_false(host_is_ancestor(INT32_MAX));
    child = fork();
    if (child == 0) {
        pid_t grandchild = fork();

        if (grandchild == 0) _exit(host_is_ancestor(getppid()) && host_is_ancestor(top) ? 0 : 1);
        if (waitpid(grandchild, &status, 0) != grandchild) _exit(2);
        _exit(status == 0 && !host_is_ancestor(grandchild) ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(host_is_ancestor(child));
}

static bool is_this(const void *folder, const char *path)
{
    return strcmp(folder, path) == 0;
}

TEST(a_process_is_found_by_its_name_and_its_folder)
{
    char before[16], own[PATH_MAX];

    assert_non_null(getcwd(own, sizeof own));
    prctl(PR_GET_NAME, before);
    process_name("hone-test-name");
    assert_true(family_any_in("hone-test", is_this, own)); /* the beginning is enough */
    assert_true(family_any_in("hone-test-name", is_this, own));
    assert_false(family_any_in("hone-test", is_this, "/nowhere"));
    assert_false(family_any_in("test-name", is_this, own));
    process_name(before);
}

TEST(a_tag_is_a_whole_entry)
{
    struct str environment = STR("A=1\0TAG=12\0XTAG=1\0TAG=1x");
    struct buf own;

    assert_true(environ_has(environment, "A=1"));
    assert_true(environ_has(environment, "TAG=12"));
    assert_true(environ_has(environment, "TAG=1x"));
    assert_false(environ_has(environment, "TAG=1"));
    assert_false(environ_has(environment, ""));
    assert_false(environ_has((struct str){ NULL, 0 }, "A=1"));
    family_environ(INT32_MAX, &own);
    assert_int_equal(own.size, 0);
    buf_release(&own);
    family_environ(getpid(), &own);
    assert_true(own.size > 0);
    buf_release(&own);
}

TESTS_CALLED(stage_play)
