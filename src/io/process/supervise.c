/* SPDX-License-Identifier: Apache-2.0
 *
 * supervise.c - the supervising process: one loop between the engine and its agents.
 *
 * A turn: wait; reap the processes that ended; do what the engine asks; apply the limits that are
 * due; report each attempt whose processes are all gone. The order matters: an attempt that had
 * ended before a stop or the engine's death was noticed has ended by itself.
 *
 *   engine  == requests ==>  in  --> attempts --> out  == notices ==>  engine
 *
 * 1. The loop never blocks but in poll(2): notices wait in `out` until the engine reads, so the
 *    engine may block while writing requests.
 * 2. The engine is gone when its end of the stream is: however it died, the kernel closes it; or
 *    when it has said how long it may be silent, and was so for longer while an attempt ran. Then
 *    everything is killed, and this process ends when nothing is left; only then keep_fd, the
 *    lock, is free.
 * 3. What it keeps is bounded by what is alive: attempts, orphans, unsent notices, one request.
 * 4. It leads its own session: the terminal's signals are for the engine. TERM, INT, HUP and QUIT
 *    sent to it by name end it as in 2.
 * 5. Every child is reaped here, and nowhere else.
 * 6. Bytes that are no request mean that the engine is broken: it is treated as if it were gone.
 *
 * Not here: an attempt's states and limits (child.c), whose an orphan is (orphan.c). */
#include "base/mem.h"
#include "io/file/descriptor.h"
#include "io/file/file.h"
#include "io/process/signals.h"
#include "io/process/supervise.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_BYTES = 1 << 16,
    IN_KEPT_BYTES_MAX = 1 << 20, /* memory for a larger request is given back */
    OUT_BYTES_MAX = 64 << 20,    /* two million notices that the engine did not read */
    CLOSE_WAIT_MS = 10, CLOSE_WAIT_MS_MAX = 1000,
};

/* ---- set-up ---- */

/* A descriptor out of the way of 0, 1 and 2, closed when a program starts. */
static int lift(int fd)
{
    int lifted = fd;

    if (fd < 0) return -1;
    if (fd <= STDERR_FILENO) lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (lifted < 0 || fcntl(lifted, F_SETFD, FD_CLOEXEC) != 0) _exit(1);
    return lifted;
}

static void settle_descriptors(struct supervision *s, int keep_fd)
{
    unsigned low, high;
    int null_fd;

    s->fd = lift(s->fd);
    keep_fd = lift(keep_fd);
    low = (unsigned)(keep_fd >= 0 && keep_fd < s->fd ? keep_fd : s->fd);
    high = (unsigned)(keep_fd > s->fd ? keep_fd : s->fd);
    fd_close_between(STDERR_FILENO + 1, low - 1);
    fd_close_between(low + 1, high - 1);
    fd_close_between(high + 1, UINT_MAX);
    null_fd = open("/dev/null", O_RDWR);
    if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(null_fd, STDOUT_FILENO) < 0) {
        _exit(1);
    }
    if (fcntl(STDERR_FILENO, F_GETFD) < 0 && dup2(null_fd, STDERR_FILENO) < 0) _exit(1);
    if (null_fd > STDERR_FILENO) close(null_fd);
}

static void settle_signals(struct supervision *s)
{
    static const int wanted[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT };
    struct sigaction plain = { .sa_handler = SIG_DFL };
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) sigaddset(&set, wanted[i]);
    if (sigprocmask(SIG_SETMASK, &set, NULL) != 0) _exit(1);
    for (int i = 1; i < NSIG; i++) sigaction(i, &plain, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    s->signal_fd = fd_signals(&set);
    if (s->signal_fd < 0) _exit(1);
}

static void set_up(struct supervision *s)
{
    const char ready = READY_BYTE;
    int pipe_fds[2];

    settle_signals(s);
    setsid();
    s->self = getpid();
    process_name("hone-supervisor");
    if (!family_adopt(true)) _exit(1);
    buf_init(&s->in, sizeof(uint32_t) + REQUEST_BYTES_MAX + READ_BYTES);
    buf_init(&s->out, OUT_BYTES_MAX);
    if (fd_pipe(pipe_fds, false) != 0) _exit(1);
    s->failure_read_fd = pipe_fds[0];
    s->failure_write_fd = pipe_fds[1];
    if (fd_send(s->fd, (struct str){ &ready, 1 }, true) != 1) _exit(1);
}

/* ---- notices ---- */

static void notice_queue(struct supervision *s, const struct child *child)
{
    uint32_t bytes = sizeof(struct answer);
    struct answer answer = { .id = child->id, .ended_ms = child->ended_ms,
                             .by = (uint32_t)child->by, .value = child->value };

    buf_add(&s->out, (struct str){ (const char *)&bytes, sizeof bytes });
    buf_add(&s->out, (struct str){ (const char *)&answer, sizeof answer });
}

static void buf_drop(struct buf *buf, size_t bytes)
{
    assert(bytes <= buf->size);
    if (bytes == 0) return;
    buf->size -= bytes;
    memmove(buf->data, buf->data + bytes, buf->size);
}

/* Errors are no affair of ours: the engine's death shows when reading. */
static void notices_send(struct supervision *s)
{
    ssize_t sent;

    if (s->out.size == 0) return;
    sent = fd_send(s->fd, buf_str(&s->out), false);
    if (sent > 0) buf_drop(&s->out, (size_t)sent);
}

/* ---- requests ---- */

static struct child *child_find(const struct supervision *s, uint64_t id)
{
    for (uint32_t i = 0; i < s->child_count; i++) {
        if (s->children[i]->id == id) return s->children[i];
    }
    return NULL;
}

/* The next text of a message, or NULL when it does not end inside. */
static const char *cut_text(struct str *rest)
{
    const char *text = rest->data;

    if (!str_has(*rest, '\0')) return NULL;
    *rest = str_skip(*rest, strlen(text) + 1);
    return text;
}

static bool cut_texts(struct str *rest, const char **out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = cut_text(rest);
        if (!out[i]) return false;
    }
    return true;
}

static void silence_begins(struct supervision *s)
{
    s->silent_at_ms = child_deadline_ms(now_steady_ms(), s->silence_ms_max);
}

static void spawn_perform(struct supervision *s, const struct spawn *spawn)
{
    struct child refused = { .id = spawn->id, .by = ENDED_START };

    s->children = mem_grow(s->children, s->child_count, &s->child_cap,
                           sizeof(struct child *));
    silence_begins(s);
    refused.value = child_start(s, spawn, &s->children[s->child_count]);
    if (refused.value == 0) {
        s->child_count++;
        return;
    }
    refused.ended_ms = now_wall_ms();
    notice_queue(s, &refused);
}

static bool on_spawn(struct supervision *s, const struct request *request, struct str rest)
{
    const char *fixed[6] = { NULL };
    const char **argv, **env;
    struct spawn spawn;
    bool good;

    if (request->arg_count == 0 || request->arg_count > rest.size ||
        request->env_count > rest.size) {
        return false;
    }
    argv = mem_alloc((request->arg_count + 1) * sizeof *argv);
    env = mem_alloc((request->env_count + 2) * sizeof *env);
    good = cut_texts(&rest, argv, request->arg_count) &&
           cut_texts(&rest, env, request->env_count) && cut_texts(&rest, fixed, 6) &&
           rest.size == 0;
    env[request->env_count] = s->mark;
    spawn = (struct spawn){
        .id = request->id, .argv = argv, .env = env, .cwd = fixed[0], .in = fixed[1],
        .out = fixed[2], .err = fixed[3], .status = fixed[4], .tag = fixed[5],
        .time_ms_max = request->time_ms_max, .idle_ms_max = request->idle_ms_max,
        .output_bytes_max = request->output_bytes_max, .grace_ms = request->grace_ms,
    };
    if (good) spawn_perform(s, &spawn);
    free(argv);
    free(env);
    return good;
}

static bool on_request(struct supervision *s, struct str message)
{
    struct request request;
    struct child *child;

    memcpy(&request, message.data, sizeof request);
    if (request.kind == REQUEST_SPAWN) {
        return on_spawn(s, &request, str_skip(message, sizeof request));
    }
    if (request.kind == REQUEST_LIVE) {
        s->silence_ms_max = request.time_ms_max;
        silence_begins(s);
        return true;
    }
    if (request.kind != REQUEST_STOP && request.kind != REQUEST_KILL) return false;
    if (request.by >= ENDED_BY_COUNT) return false;
    child = child_find(s, request.id);
    if (child && request.kind == REQUEST_STOP) child_end(s, child, (enum ended_by)request.by);
    if (child && request.kind == REQUEST_KILL) child_kill(s, child);
    return true;
}

static bool requests_take(struct supervision *s)
{
    size_t done = 0;

    while (s->in.size - done >= sizeof(uint32_t)) {
        const char *at = s->in.data + done;
        uint32_t bytes;

        memcpy(&bytes, at, sizeof bytes);
        if (bytes > REQUEST_BYTES_MAX || bytes < sizeof(struct request)) return false;
        if (s->in.size - done - sizeof bytes < bytes) break;
        if (!on_request(s, (struct str){ at + sizeof bytes, bytes })) return false;
        done += sizeof bytes + bytes;
    }
    buf_drop(&s->in, done);
    if (s->in.size == 0 && s->in.cap > IN_KEPT_BYTES_MAX) buf_release(&s->in);
    return true;
}

/* False when the engine is gone. */
static bool requests_read(struct supervision *s)
{
    ssize_t got;

    if (buf_reserve(&s->in, READ_BYTES) != 0) return false;
    got = recv(s->fd, s->in.data + s->in.size, READ_BYTES, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    s->in.size += (size_t)got;
    return requests_take(s);
}

/* ---- the loop ---- */

/* False when there is no child at all. */
static bool reap(struct supervision *s)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct child *child = NULL;

        for (uint32_t i = 0; i < s->child_count && !child; i++) {
            if (s->children[i]->main == pid) child = s->children[i];
        }
        if (child) {
            child_on_reaped(s, child, status);
        } else {
            orphans_forget(s, pid);
        }
    }
    return pid == 0;
}

static void child_finish(struct supervision *s, uint32_t index)
{
    struct child *child = s->children[index];

    notice_queue(s, child);
    orphans_disown(s, child);
    s->children[index] = s->children[--s->child_count];
    child_free(child);
}

/* Reports the attempts of which nothing is left, and ends what the others left behind. */
static void children_settle(struct supervision *s)
{
    for (uint32_t i = s->child_count; i > 0; i--) {
        struct child *child = s->children[i - 1];

        if (child->main != 0) continue;
        orphans_review(s);
        orphans_take(s, child, s->child_count == 1);
        if (!orphans_left(s, child)) {
            child_finish(s, i - 1);
        } else if (child->state == ATTEMPT_RUNNING) {
            child_end(s, child, child->by);
        } else if (child->state == ATTEMPT_KILL) {
            child_kill(s, child);
        }
    }
    for (uint32_t i = 0; i < s->child_count; i++) child_check(s->children[i]);
}

static int poll_timeout(const struct supervision *s)
{
    uint64_t next_ms = s->child_count && s->silent_at_ms ? s->silent_at_ms : UINT64_MAX;
    uint64_t now_ms;

    for (uint32_t i = 0; i < s->child_count; i++) {
        uint64_t at_ms = child_next_ms(s->children[i]);

        if (at_ms < next_ms) next_ms = at_ms;
    }
    if (next_ms == UINT64_MAX) return -1;
    now_ms = now_steady_ms();
    if (next_ms <= now_ms) return 0;
    return next_ms - now_ms < INT_MAX ? (int)(next_ms - now_ms) : INT_MAX;
}

/* False when a signal asks us to end. */
static bool signals_read(const struct supervision *s)
{
    bool stay = true;
    int signal;

    while ((signal = fd_signals_next(s->signal_fd)) != 0) {
        if (signal != SIGCHLD) stay = false;
    }
    return stay;
}

/* One turn; false when everything has to end. */
static bool turn(struct supervision *s)
{
    struct pollfd polled[2] = { { .fd = s->fd, .events = POLLIN },
                                { .fd = s->signal_fd, .events = POLLIN } };
    uint64_t now_ms;

    if (s->out.size > 0) polled[0].events |= POLLOUT;
    if (poll(polled, 2, poll_timeout(s)) < 0 && errno != EINTR) return false;
    s->reviewed = false;
    if (!signals_read(s)) return false;
    reap(s);
    if (polled[0].revents & (POLLHUP | POLLERR | POLLNVAL)) return false;
    if ((polled[0].revents & POLLIN) && !requests_read(s)) return false;
    now_ms = now_steady_ms();
    if (s->child_count && s->silent_at_ms && now_ms >= s->silent_at_ms) return false;
    for (uint32_t i = 0; i < s->child_count; i++) child_on_time(s, s->children[i], now_ms);
    children_settle(s);
    notices_send(s);
    return !s->out.overflow;
}

/* Kills all there is; false when nothing is left that lets itself be killed. The mains first: one
 * that still exits with a status did so of its own accord. */
static bool kill_all(struct supervision *s)
{
    struct pids children = { 0 };
    bool any = false;

    for (uint32_t i = 0; i < s->child_count; i++) {
        if (s->children[i]->main != 0 && kill(s->children[i]->main, SIGKILL) == 0) any = true;
    }
    for (uint32_t i = 0; i < s->child_count; i++) {
        if (s->children[i]->main != 0) family_signal(s->children[i]->main, SIGKILL, false);
    }
    family_children(s->self, &children);
    for (uint32_t i = 0; i < children.count; i++) {
        if (family_signal(children.items[i], SIGKILL, false)) any = true;
    }
    pids_release(&children);
    return any;
}

static void end_everything(struct supervision *s)
{
    int wait_ms = CLOSE_WAIT_MS;

    reap(s); /* an attempt that ended until now ended by itself */
    s->closing = true;
    while (kill_all(s)) {
        struct pollfd polled = { .fd = s->signal_fd, .events = POLLIN };

        if (!reap(s)) break;
        if (poll(&polled, 1, wait_ms) == 0 && wait_ms < CLOSE_WAIT_MS_MAX) wait_ms *= 2;
        signals_read(s);
        reap(s);
    }
}

static void (*last_act)(void);

void supervisor_last_act(void (*act)(void))
{
    last_act = act;
}

_Noreturn void supervise(int fd, int keep_fd, const char *mark)
{
    struct supervision s = { .fd = fd, .mark = mark, .signal_fd = -1, .failure_read_fd = -1,
                             .failure_write_fd = -1 };

    settle_descriptors(&s, keep_fd);
    set_up(&s);
    while (turn(&s)) {}
    if (last_act) last_act();
    end_everything(&s);
    _exit(0);
}
