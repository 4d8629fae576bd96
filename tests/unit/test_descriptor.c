/* SPDX-License-Identifier: Apache-2.0
 *
 * test_descriptor.c - what descriptor.h promises, on any system that fills it. */
#include "ground.h"
#include "io/file/descriptor.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd polled = { .fd = fd, .events = POLLIN };

    return poll(&polled, 1, timeout_ms) == 1;
}

static void expect_closed_in_programs(int fd)
{
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

static void close_both(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

TEST(no_program_inherits_a_pipe_and_it_waits_only_where_that_is_wanted)
{
    for (int waits = 0; waits <= 1; waits++) {
        int ends[2];

        assert_int_equal(fd_pipe(ends, waits), 0);
        for (int i = 0; i < 2; i++) {
            expect_closed_in_programs(ends[i]);
            assert_int_equal((fcntl(ends[i], F_GETFL) & O_NONBLOCK) == 0, waits);
        }
        close_both(ends);
    }
}

TEST(a_stream_whose_other_end_is_gone_is_an_error_and_no_signal)
{
    char byte = 0;
    int ends[2];

    assert_int_equal(fd_stream_pair(ends), 0);
    expect_closed_in_programs(ends[0]);
    expect_closed_in_programs(ends[1]);
    assert_int_equal(fd_send(ends[0], STR("x"), true), 1);
    assert_int_equal(read(ends[1], &byte, 1), 1);
    assert_int_equal(byte, 'x');
    close(ends[1]);
    assert_int_equal(fd_send(ends[0], STR("x"), false), -1);
    assert_int_equal(errno, EPIPE);
    close(ends[0]);
}

TEST(a_full_stream_does_not_keep_a_sender_that_does_not_wait)
{
    static const char many[1 << 16];
    int ends[2];

    assert_int_equal(fd_stream_pair(ends), 0);
    while (fd_send(ends[0], (struct str){ many, sizeof many }, false) > 0) {}
    assert_int_equal(errno, EAGAIN);
    close_both(ends);
}

TEST(neither_a_listener_nor_a_connection_waits)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    int fd = fd_listener(), client, taken;
    char byte;

    assert_true(fd >= 0);
    expect_closed_in_programs(fd);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    assert_int_equal(fd_accept(fd), -1);
    assert_int_equal(errno, EAGAIN);
    client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(is_readable(fd, -1));
    taken = fd_accept(fd);
    assert_true(taken >= 0);
    expect_closed_in_programs(taken);
    assert_int_equal(read(taken, &byte, 1), -1);
    assert_int_equal(errno, EAGAIN);
    close(taken);
    close(client);
    close(fd);
}

ON_GROUND(a_file_that_is_opened_again_has_flags_of_its_own)
{
    int fd = open(at(*state, "file"), O_RDWR | O_CREAT, 0600), again;

    assert_true(fd >= 0);
    again = fd_reopen(fd, O_WRONLY | O_NONBLOCK);
    assert_true(again >= 0);
    expect_closed_in_programs(again);
    assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(fcntl(again, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    close(fd);
    close(again);
}

ON_GROUND(it_is_known_which_process_has_a_file_open)
{
    int fd = open(at(*state, "file"), O_RDWR | O_CREAT, 0600);
    struct stat file;

    assert_int_equal(fstat(fd, &file), 0);
    assert_true(fd_is_open_in(getpid(), &file));
    assert_false(fd_is_open_in(INT32_MAX, &file));
    close(fd);
    assert_false(fd_is_open_in(getpid(), &file));
}

TEST(descriptors_in_between_are_closed_and_those_beside_stay)
{
    int fds[4];

    for (int i = 0; i < 4; i++) fds[i] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 200 + i);
    fd_close_between((unsigned)fds[1], (unsigned)fds[2]);
    fd_close_between((unsigned)fds[3], (unsigned)fds[0]); /* none */
    assert_true(fcntl(fds[0], F_GETFD) >= 0);
    assert_int_equal(fcntl(fds[1], F_GETFD), -1);
    assert_int_equal(fcntl(fds[2], F_GETFD), -1);
    assert_true(fcntl(fds[3], F_GETFD) >= 0);
    close(fds[0]);
    close(fds[3]);
}

TEST(signals_that_are_blocked_are_read_one_by_one)
{
    sigset_t set, before;
    int fd;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    assert_int_equal(sigprocmask(SIG_BLOCK, &set, &before), 0);
    fd = fd_signals(&set);
    assert_true(fd >= 0);
    expect_closed_in_programs(fd);
    assert_int_equal(fd_signals_next(fd), 0);
    assert_int_equal(kill(getpid(), SIGUSR2), 0);
    assert_true(is_readable(fd, -1));
    assert_int_equal(fd_signals_next(fd), SIGUSR2);
    assert_int_equal(fd_signals_next(fd), 0);
    close(fd);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

TEST(a_process_is_signalled_and_its_end_is_seen_by_its_descriptor)
{
    pid_t pid = fork();
    int status, fd;

    if (pid == 0) {
        for (;;) pause();
    }
    fd = fd_process(pid);
    assert_true(fd >= 0);
    expect_closed_in_programs(fd);
    assert_false(is_readable(fd, 0));
    assert_int_equal(fd_process_signal(fd, pid, SIGKILL), 0);
    assert_true(is_readable(fd, -1));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(fd_process_signal(fd, pid, SIGKILL), -1);
    assert_int_equal(errno, ESRCH);
    close(fd);
    assert_int_equal(fd_process(pid), -1);
    assert_int_equal(errno, ESRCH);
}
