/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lock.c - one owner at a time, free when it is gone, signalled only if it is the owner. */
#include "ground.h"
#include "io/file/lock.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that waits to be ended, after one byte on a pipe that says it is ready. */
struct child {
    pid_t pid;
    int ready_fd;
};

static struct child start_child(void)
{
    struct child child;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    child.pid = fork();
    assert_true(child.pid >= 0);
    if (child.pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a test fails */
    child.ready_fd = ends[child.pid == 0];
    close(ends[child.pid != 0]);
    return child;
}

static _Noreturn void wait_to_be_ended(int ready_fd)
{
    if (write(ready_fd, "r", 1) != 1) _exit(1);
    for (;;) pause();
}

static void wait_ready(const struct child *child)
{
    char byte;

    assert_int_equal(read(child->ready_fd, &byte, 1), 1);
    close(child->ready_fd);
}

static int end_child(const struct child *child, int signal)
{
    int status;

    kill(child->pid, signal);
    assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* A child that holds the lock. */
static struct child start_owner(const char *path, const char *note)
{
    struct child child = start_child();

    if (child.pid == 0) {
        struct lock_owner owner;
        struct err err = { 0 };
        struct lock lock;

        if (lock_open(&lock, path, note, 0, &owner, &err) != 0) _exit(1);
        wait_to_be_ended(child.ready_fd);
    }
    wait_ready(&child);
    return child;
}

static int open_now(struct lock *lock, const char *path, struct lock_owner *owner)
{
    struct err err = { 0 };

    return lock_open(lock, path, "run 7", 0, owner, &err);
}

ON_GROUND(one_owner_at_a_time)
{
    const char *path = at(*state, "lock");
    struct lock_owner owner;
    struct err err = { 0 };
    struct lock one, two;

    assert_int_equal(open_now(&one, path, &owner), 0);
    assert_int_equal(lock_open(&two, path, "run 8", 0, &owner, &err), ERR_BUSY);
    assert_int_equal(two.fd, -1);
    assert_int_equal(owner.pid, getpid());
    assert_string_equal(owner.note, "run 7");
    assert_non_null(strstr(err.text, "run 7"));
    lock_close(&one);
    lock_close(&one);
    assert_int_equal(open_now(&two, path, NULL), 0);
    lock_close(&two);
}

ON_GROUND(lock_file_is_private_and_not_inherited_by_programs)
{
    const char *path = at(*state, "lock");
    struct lock lock;

    assert_int_equal(open_now(&lock, path, NULL), 0);
    assert_int_equal(mode_of(path) & 0777, 0600);
    assert_int_equal(fcntl(lock.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    lock_close(&lock);
}

ON_GROUND(killed_owner_leaves_it_free)
{
    const char *path = at(*state, "lock");
    struct child owner = start_owner(path, "doomed");
    struct lock_owner seen;
    struct lock lock;

    assert_int_equal(open_now(&lock, path, &seen), ERR_BUSY);
    assert_int_equal(seen.pid, owner.pid);
    assert_string_equal(seen.note, "doomed");
    end_child(&owner, SIGKILL);
    assert_false(lock_is_held(path, &seen));
    assert_int_equal(seen.pid, 0);
    assert_int_equal(open_now(&lock, path, NULL), 0);
    lock_close(&lock);
}

ON_GROUND(an_owner_works_while_it_lives_and_has_the_file)
{
    const char *path = at(*state, "lock"), *another = at(*state, "another");
    struct child owner = start_owner(path, "at work"), stranger = start_owner(another, "elsewhere");
    struct lock_owner seen;

    assert_true(lock_is_held(path, &seen));
    assert_true(lock_owner_works(path, &seen));
    assert_false(lock_owner_works(another, &seen));
    assert_false(lock_owner_works(path, &(struct lock_owner){ .pid = stranger.pid }));
    assert_false(lock_owner_works(path, &(struct lock_owner){ .pid = 0 }));
    end_child(&owner, SIGKILL);
    assert_false(lock_owner_works(path, &seen));
    end_child(&stranger, SIGKILL);
}

ON_GROUND(heir_keeps_it_held)
{
    const char *path = at(*state, "lock");
    struct child heir;
    struct lock lock;

    assert_int_equal(open_now(&lock, path, NULL), 0);
    heir = start_child();
    if (heir.pid == 0) wait_to_be_ended(heir.ready_fd);
    wait_ready(&heir);
    lock_close(&lock);
    assert_true(lock_is_held(path, NULL));
    assert_int_equal(open_now(&lock, path, NULL), ERR_BUSY);
    end_child(&heir, SIGKILL);
    assert_int_equal(open_now(&lock, path, NULL), 0);
    lock_close(&lock);
}

ON_GROUND(waits_for_a_dying_owner)
{
    const char *path = at(*state, "lock");
    struct child owner = start_child();
    struct err err = { 0 };
    struct lock lock;

    if (owner.pid == 0) {
        struct lock theirs;

        if (lock_open(&theirs, path, "dying", 0, NULL, &err) != 0) _exit(1);
        if (write(owner.ready_fd, "r", 1) != 1) _exit(1);
        poll(NULL, 0, 60); /* it takes its time to die: longer than a mere question */
        _exit(0);
    }
    wait_ready(&owner);
    assert_int_equal(lock_open(&lock, path, "next", 60000, NULL, &err), 0);
    lock_close(&lock);
    end_child(&owner, 0);
}

ON_GROUND(asking_takes_nothing_and_makes_nothing)
{
    const char *path = at(*state, "lock");
    struct lock_owner owner;
    struct lock lock;

    assert_false(lock_is_held(path, &owner));
    assert_false(is_there(path));
    assert_int_equal(open_now(&lock, path, NULL), 0);
    assert_true(lock_is_held(path, &owner));
    assert_true(lock_is_held(path, &owner));
    assert_int_equal(owner.pid, getpid());
    lock_close(&lock);
    assert_false(lock_is_held(path, NULL));
    assert_int_equal(open_now(&lock, path, NULL), 0);
    lock_close(&lock);
}

/* A child asks without pause while we take the lock again and again, not waiting. */
ON_GROUND(a_question_is_not_taken_for_an_owner)
{
    const char *path = at(*state, "lock");
    struct child asker = start_child();
    struct lock lock;

    if (asker.pid == 0) {
        if (write(asker.ready_fd, "r", 1) != 1) _exit(1);
        for (;;) lock_is_held(path, NULL);
    }
    wait_ready(&asker);
    for (int i = 0; i < 50; i++) {
        struct err err = { 0 };

        assert_int_equal(lock_open(&lock, path, "again", 1000, NULL, &err), 0);
        lock_close(&lock);
    }
    end_child(&asker, SIGKILL);
}

ON_GROUND(text_that_is_not_ours_names_nobody)
{
    static const char *const texts[] = { "", "x", "0 a\n", "-1 a\n", "99999999999 a\n",
                                         "12", "12 a", "\n", " 12 a\n", "12x a\n" };
    const char *path = at(*state, "lock");

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct lock_owner owner;
        struct lock lock;

        assert_int_equal(open_now(&lock, path, NULL), 0);
        assert_int_equal(ftruncate(lock.fd, 0), 0);
        assert_int_equal(pwrite(lock.fd, texts[i], strlen(texts[i]), 0), strlen(texts[i]));
        assert_true(lock_is_held(path, &owner));
        assert_int_equal(owner.pid, 0);
        lock_close(&lock);
    }
}

ON_GROUND(long_notes_are_cut)
{
    char note[200];
    struct lock_owner owner;
    struct err err = { 0 };
    struct lock lock;

    memset(note, 'n', sizeof note);
    note[sizeof note - 1] = '\0';
    assert_int_equal(lock_open(&lock, at(*state, "lock"), note, 0, NULL, &err), 0);
    assert_true(lock_is_held(at(*state, "lock"), &owner));
    assert_int_equal(strlen(owner.note), sizeof owner.note - 1);
    lock_close(&lock);
}

ON_GROUND(link_is_not_followed)
{
    struct err err = { 0 };
    struct lock lock;

    put(at(*state, "precious"), "precious");
    put_link(at(*state, "lock"), "precious");
    assert_int_equal(lock_open(&lock, at(*state, "lock"), "x", 0, NULL, &err), ERR_SYSTEM);
    assert_false(lock_is_held(at(*state, "lock"), NULL));
    expect_content(at(*state, "precious"), "precious");
}

ON_GROUND(signal_reaches_the_owner)
{
    const char *path = at(*state, "lock");
    struct child owner = start_owner(path, "run");
    struct err err = { 0 };
    int status;

    assert_int_equal(lock_signal(path, SIGTERM, &err), 0);
    assert_int_equal(waitpid(owner.pid, &status, 0), owner.pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_int_equal(lock_signal(path, SIGTERM, &err), ERR_MISSING);
}

ON_GROUND(signal_without_a_lock_reaches_nobody)
{
    struct err err = { 0 };

    assert_int_equal(lock_signal(at(*state, "lock"), SIGKILL, &err), ERR_MISSING);
    assert_false(is_there(at(*state, "lock")));
}

/* The engine is dead, its heir holds the lock, and its number is a stranger's by now. */
ON_GROUND(signal_spares_a_stranger_with_the_owners_number)
{
    const char *path = at(*state, "lock");
    struct child stranger = start_child();
    struct err err = { 0 };
    struct lock lock;
    char text[64];
    int status;

    if (stranger.pid == 0) wait_to_be_ended(stranger.ready_fd);
    wait_ready(&stranger);
    assert_int_equal(open_now(&lock, path, NULL), 0);
    snprintf(text, sizeof text, "%ld run\n", (long)stranger.pid);
    assert_int_equal(ftruncate(lock.fd, 0), 0);
    assert_int_equal(pwrite(lock.fd, text, strlen(text), 0), strlen(text));
    assert_int_equal(lock_signal(path, SIGKILL, &err), ERR_MISSING);
    assert_int_equal(waitpid(stranger.pid, &status, WNOHANG), 0);
    lock_close(&lock);
    end_child(&stranger, SIGKILL);
}
