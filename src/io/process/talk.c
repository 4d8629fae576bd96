/* SPDX-License-Identifier: Apache-2.0
 *
 * talk.c - a program at the other end of two pipes.
 *
 * 1. Neither side can block the other: bytes that the program does not read wait in a bounded queue
 *    here, and meanwhile we go on reading what it writes.
 * 2. Its end is that of its output: something it left in the background may live on, and is the
 *    supervisor's affair.
 * 3. It is reaped exactly once, in talk_stop(). */
#include "io/process/talk.h"

#include "io/file/file.h"
#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int talk_start(struct talk *talk, const char *const *argv, bool apart, size_t unsent_bytes_max,
               struct err *err)
{
    int in = -1, out = -1, error = -1, rc = 0;
    struct start start = { .argv = argv, .own_session = apart };

    *talk = (struct talk){ .pid_fd = -1, .in_fd = -1, .out_fd = -1 };
    buf_init(&talk->unsent, unsent_bytes_max);
    signal(SIGPIPE, SIG_IGN);
    error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (error < 0 || !pipe_open(&talk->in_fd, &in, false) ||
        !pipe_open(&talk->out_fd, &out, true)) {
        rc = err_system(err, errno, "make a pipe");
    } else {
        start.fds[0] = in;
        start.fds[1] = out;
        start.fds[2] = error;
        rc = program_start(&start, &talk->pid, &talk->pid_fd);
        if (rc != 0) rc = err_system(err, rc, "start %s", argv[0]);
        if (rc != 0) talk->pid = 0;
    }
    fd_close(&in);
    fd_close(&out);
    fd_close(&error);
    if (rc != 0) talk_stop(talk, 0);
    return rc;
}

void talk_adopt(struct talk *talk, size_t unsent_bytes_max)
{
    *talk = (struct talk){ .pid_fd = -1, .in_fd = STDOUT_FILENO, .out_fd = STDIN_FILENO };
    buf_init(&talk->unsent, unsent_bytes_max);
    signal(SIGPIPE, SIG_IGN);
    (void)fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    (void)fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
}

int talk_send(struct talk *talk, struct str bytes, struct err *err)
{
    if (talk->deaf || buf_add(&talk->unsent, bytes) == 0) return 0;
    return err_set(err, ERR_LIMIT, "the agent reads nothing of what it is sent");
}

/* As much of the queue as the pipe takes. */
static void flush(struct talk *talk)
{
    size_t sent = 0;

    while (sent < talk->unsent.size && talk->in_fd >= 0) {
        ssize_t put = write(talk->in_fd, talk->unsent.data + sent, talk->unsent.size - sent);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno != EAGAIN) {
            talk->deaf = true;
            fd_close(&talk->in_fd);
        }
        if (put <= 0) break;
        sent += (size_t)put;
    }
    if (talk->deaf) sent = talk->unsent.size;
    if (sent == 0) return;
    talk->unsent.size -= sent;
    memmove(talk->unsent.data, talk->unsent.data + sent, talk->unsent.size);
}

/* One read; false at the end of its output. */
static bool listen_once(struct talk *talk, struct buf *said, uint32_t *events)
{
    char piece[READ_BYTES];
    ssize_t got = read(talk->out_fd, piece, sizeof piece);

    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;
    buf_add(said, (struct str){ piece, (size_t)got });
    *events |= TALK_SAID;
    return true;
}

uint32_t talk_wait(struct talk *talk, int signal_fd, int64_t timeout_ms, struct buf *said)
{
    uint32_t events = 0;

    flush(talk);
    for (;;) {
        bool queued = talk->unsent.size > 0 && talk->in_fd >= 0;
        struct pollfd fds[] = {
            { .fd = talk->out_fd, .events = POLLIN },
            { .fd = signal_fd, .events = POLLIN },
            { .fd = queued ? talk->in_fd : -1, .events = POLLOUT },
        };
        int ready = poll(fds, 3, timeout_ms < 0 ? -1
                         : timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms);

        if (ready == 0) return TALK_TIME;
        if (ready > 0 && fds[2].revents) flush(talk);
        if (ready > 0 && fds[1].revents) events |= TALK_SIGNAL;
        if (ready > 0 && fds[0].revents && !listen_once(talk, said, &events)) events |= TALK_ENDED;
        if (events || talk->out_fd < 0) return events ? events : (uint32_t)TALK_ENDED;
    }
}

/* Waits for its end, throwing away what it says, so that a full pipe does not hold it. */
static bool wait_end(struct talk *talk, int64_t ms)
{
    uint64_t until_ms = now_steady_ms() + (uint64_t)ms;
    char piece[4096];

    for (;;) {
        uint64_t now_ms = now_steady_ms();

        if (talk->out_fd >= 0) {
            while (read(talk->out_fd, piece, sizeof piece) > 0) {}
        }
        if (program_ended(talk->pid)) return true;
        if (now_ms >= until_ms) return false;
        (void)poll(&(struct pollfd){ .fd = talk->pid_fd, .events = POLLIN }, 1, LOOK_EVERY_MS);
    }
}

void talk_deafen(struct talk *talk)
{
    fd_close(&talk->in_fd);
    talk->deaf = true;
    buf_clear(&talk->unsent);
}

void talk_kill(const struct talk *talk)
{
    if (talk->pid > 0) kill(talk->pid, SIGKILL);
}

int talk_stop(struct talk *talk, int64_t grace_ms)
{
    int status = -1;

    fd_close(&talk->in_fd);
    if (talk->pid > 0) {
        if (!wait_end(talk, grace_ms)) {
            kill(talk->pid, SIGTERM);
            if (!wait_end(talk, grace_ms)) kill(talk->pid, SIGKILL);
        }
        if (program_wait(talk->pid, &status) != 0) status = -1;
        else status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    fd_close(&talk->out_fd);
    fd_close(&talk->pid_fd);
    buf_release(&talk->unsent);
    *talk = (struct talk){ .pid_fd = -1, .in_fd = -1, .out_fd = -1 };
    return status;
}
