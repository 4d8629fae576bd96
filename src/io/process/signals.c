/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c - a self-pipe: the handler writes a byte, everything else happens outside it. */
#include "io/process/signals.h"

#include "io/file/descriptor.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int signals_caught[] = { SIGINT, SIGTERM, SIGHUP };
enum { CAUGHT_COUNT = sizeof signals_caught / sizeof *signals_caught };

static volatile sig_atomic_t handler_fd = -1;
static int reader_fd = -1;

static void on_signal(int number)
{
    int saved = errno;
    int fd = (int)handler_fd;

    (void)number;
    if (fd >= 0 && write(fd, "s", 1) < 0) errno = saved; /* full: enough of them are in it */
    errno = saved;
}

int signals_open(struct signals *signals, struct err *err)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    int ends[2];

    *signals = (struct signals){ .fd = -1, .write_fd = -1 };
    assert(handler_fd == -1);
    if (fd_pipe(ends, false) != 0) return err_system(err, errno, "make a pipe");
    signals->fd = ends[0];
    signals->write_fd = ends[1];
    handler_fd = ends[1];
    reader_fd = ends[0];
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CAUGHT_COUNT; i++) sigaction(signals_caught[i], &action, NULL);
    return 0;
}

void signals_close(struct signals *signals)
{
    if (signals->fd < 0) return;
    for (size_t i = 0; i < CAUGHT_COUNT; i++) signal(signals_caught[i], SIG_DFL);
    handler_fd = reader_fd = -1;
    close(signals->fd);
    close(signals->write_fd);
    *signals = (struct signals){ .fd = -1, .write_fd = -1 };
}

bool signals_waiting(void)
{
    struct pollfd polled = { .fd = reader_fd, .events = POLLIN };

    return reader_fd >= 0 && poll(&polled, 1, 0) > 0;
}

uint32_t signals_take(struct signals *signals)
{
    char bytes[16];
    ssize_t got = read(signals->fd, bytes, sizeof bytes);

    return got > 0 ? (uint32_t)got : 0;
}

void wait_for_any(const struct awaited *items, uint32_t count, int64_t timeout_ms)
{
    struct pollfd polled[AWAITED_MAX];
    int timeout = timeout_ms > INT_MAX ? INT_MAX : timeout_ms < 0 ? -1 : (int)timeout_ms;

    assert(count <= AWAITED_MAX);
    for (uint32_t i = 0; i < count; i++) {
        polled[i] = (struct pollfd){ .fd = items[i].fd,
                                     .events = items[i].to_write ? POLLOUT : POLLIN };
    }
    /* An interrupted wait is a wait that is over: the caller looks at everything anyway. */
    (void)poll(polled, count, timeout);
}

void wait_readable(int a, int b, int64_t timeout_ms)
{
    wait_for_any((const struct awaited[2]){ { .fd = a }, { .fd = b } }, 2, timeout_ms);
}

bool process_exists(long pid)
{
    return pid > 0 && (pid_t)pid == pid && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
}

long process_id(void)
{
    return (long)getpid();
}

/* ---- crashes ---- */

static volatile sig_atomic_t crash_code;
static const char *volatile crash_text = "";

static void on_crash(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, crash_text, strlen(crash_text)) < 0) _exit(crash_code);
    _exit(crash_code);
}

void crash_becomes(int code, const char *text)
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    struct sigaction action = { .sa_handler = on_crash };

    crash_text = text;
    crash_code = code;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL);
    }
}
