/* SPDX-License-Identifier: Apache-2.0
 *
 * supervisor.c - the engine's side: starts the supervising process and speaks with it.
 *
 * Requests are written whole, waiting where the stream is full: the other side always reads.
 * Notices are read one at a time and without waiting, so that a descriptor that polls as readable
 * and a notice that can be had are the same thing.
 *
 * 1. supervisor_start returns when the supervisor stands in its own session with its signals set:
 *    a Ctrl-C after that cannot hit it.
 * 2. The engine's end of the stream is close-on-exec and in no other process: its closing is the
 *    engine's death.
 * 3. Should the supervisor itself be killed, its agents die with it (family_end_with), and what
 *    they had started becomes ours: supervisor_close knows it by its mark or brand and kills it.
 * 4. Should both be killed at once, a sandbox with processes of its own ends with them. Without
 *    one the next run in the workspace looks for the mark (supervisor_sweep). A process that has
 *    started itself again with another environment is not found.
 *
 * Not here: the process (supervise.c), programs that are run to their end (helper.c). */
#include "io/process/supervisor.h"

#include "io/file/descriptor.h"
#include "io/file/file.h"
#include "io/process/supervise.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ANSWER_BYTES = sizeof(uint32_t) + sizeof(struct answer),
    STATUS_BYTES_MAX = 128,
    SWEEP_MAX = 500, SWEEP_WAIT_MS = 10,
    WORD_LETTERS = 26,
};

static const char mark_name[] = "HONE_SUPERVISOR=";

/* ---- start ---- */

static int wait_for(int fd, short events)
{
    struct pollfd polled = { .fd = fd, .events = events };
    int rc;

    do {
        rc = poll(&polled, 1, -1);
    } while (rc < 0 && errno == EINTR);
    return rc < 0 ? -1 : 0;
}

static bool is_ready(int fd)
{
    char byte = 0;
    ssize_t got;

    do {
        got = recv(fd, &byte, 1, 0);
    } while (got < 0 && errno == EINTR);
    return got == 1 && byte == READY_BYTE;
}

/* The child gets no chance to run a handler of ours. */
static pid_t fork_supervisor(int fd, int keep_fd, const char *mark)
{
    sigset_t all, before;
    pid_t pid;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0) supervise(fd, keep_fd, mark);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

int supervisor_start(struct supervisor *supervisor, int keep_fd, struct err *err)
{
    char word[WORD_LETTERS + 1];
    int ends[2];
    int rc;

    *supervisor = (struct supervisor){ .fd = -1 };
    buf_init(&supervisor->in, ANSWER_BYTES);
    if (fd_stream_pair(ends) != 0) {
        return err_system(err, errno, "start the supervisor: socketpair");
    }
    (void)family_adopt(true); /* invariant 3; without it only that is lost */
    random_word(word, WORD_LETTERS);
    snprintf(supervisor->mark, sizeof supervisor->mark, "%s%s", mark_name, word);
    supervisor->pid = fork_supervisor(ends[1], keep_fd, supervisor->mark);
    rc = errno;
    close(ends[1]);
    if (supervisor->pid < 0) {
        close(ends[0]);
        supervisor->pid = 0;
        return err_system(err, rc, "start the supervisor: fork");
    }
    supervisor->fd = ends[0];
    if (!is_ready(supervisor->fd)) {
        supervisor_close(supervisor);
        return err_set(err, ERR_SYSTEM, "start the supervisor: it ended at once");
    }
    return 0;
}

/* ---- requests ---- */

static int send_all(const struct supervisor *supervisor, struct str bytes, struct err *err)
{
    while (bytes.size > 0) {
        ssize_t sent = fd_send(supervisor->fd, bytes, false);

        if (sent > 0) {
            bytes = str_skip(bytes, (size_t)sent);
        } else if (errno == EAGAIN) {
            if (wait_for(supervisor->fd, POLLOUT) != 0) return err_system(err, errno, "poll");
        } else if (errno != EINTR) {
            return err_system(err, errno, "the supervisor is gone");
        }
    }
    return 0;
}

static void add_text(struct buf *buf, const char *text)
{
    buf_add(buf, (struct str){ text, strlen(text) + 1 });
}

static uint32_t add_texts(struct buf *buf, const char *const *items)
{
    uint32_t count = 0;

    for (; items && items[count]; count++) add_text(buf, items[count]);
    return count;
}

int supervisor_spawn(struct supervisor *supervisor, const struct spawn *spawn, struct err *err)
{
    struct request request = {
        .id = spawn->id, .kind = REQUEST_SPAWN, .grace_ms = spawn->grace_ms,
        .time_ms_max = spawn->time_ms_max, .idle_ms_max = spawn->idle_ms_max,
        .output_bytes_max = spawn->output_bytes_max,
    };
    struct buf message;
    uint32_t bytes = 0;
    int rc;

    assert(supervisor->fd >= 0);
    assert(spawn->argv && spawn->argv[0]);
    buf_init(&message, sizeof bytes + REQUEST_BYTES_MAX);
    buf_add(&message, (struct str){ (const char *)&bytes, sizeof bytes });
    buf_add(&message, (struct str){ (const char *)&request, sizeof request });
    request.arg_count = add_texts(&message, spawn->argv);
    request.env_count = add_texts(&message, spawn->env);
    add_text(&message, spawn->cwd ? spawn->cwd : "");
    add_text(&message, spawn->in);
    add_text(&message, spawn->out);
    add_text(&message, spawn->err);
    add_text(&message, spawn->status);
    add_text(&message, spawn->tag ? spawn->tag : "");
    if (message.overflow) {
        rc = err_set(err, ERR_LIMIT, "its arguments and environment exceed %d bytes",
                     REQUEST_BYTES_MAX);
    } else {
        bytes = (uint32_t)(message.size - sizeof bytes);
        memcpy(message.data, &bytes, sizeof bytes);
        memcpy(message.data + sizeof bytes, &request, sizeof request);
        rc = send_all(supervisor, buf_str(&message), err);
    }
    buf_release(&message);
    if (rc != 0) return err_wrap(err, "start %.200s", spawn->argv[0]);
    supervisor->live++;
    return 0;
}

/* A request without texts. */
static int send_short(const struct supervisor *supervisor, struct request request, struct err *err)
{
    char message[sizeof(uint32_t) + sizeof request];
    uint32_t bytes = sizeof request;

    assert(supervisor->fd >= 0);
    memcpy(message, &bytes, sizeof bytes);
    memcpy(message + sizeof bytes, &request, sizeof request);
    return send_all(supervisor, (struct str){ message, sizeof message }, err);
}

static int send_end(const struct supervisor *supervisor, struct request request, struct err *err)
{
    if (send_short(supervisor, request, err) == 0) return 0;
    return err_wrap(err, "stop an agent");
}

int supervisor_live(struct supervisor *supervisor, uint64_t silence_ms, struct err *err)
{
    return send_short(supervisor, (struct request){ .kind = REQUEST_LIVE,
                                                    .time_ms_max = silence_ms }, err);
}

int supervisor_stop(struct supervisor *supervisor, uint64_t id, bool now, struct err *err)
{
    return send_end(supervisor, (struct request){ .id = id, .by = ENDED_STOP,
                                                  .kind = now ? REQUEST_KILL : REQUEST_STOP },
                    err);
}

int supervisor_limit(struct supervisor *supervisor, uint64_t id, enum ended_by by,
                     struct err *err)
{
    return send_end(supervisor, (struct request){ .id = id, .by = by, .kind = REQUEST_STOP }, err);
}

/* ---- notices ---- */

static int notice_take(struct supervisor *supervisor, struct notice *out)
{
    struct answer answer;
    uint32_t bytes;

    memcpy(&bytes, supervisor->in.data, sizeof bytes);
    memcpy(&answer, supervisor->in.data + sizeof bytes, sizeof answer);
    if (bytes != sizeof answer || answer.by >= ENDED_BY_COUNT) return -1;
    buf_clear(&supervisor->in);
    *out = (struct notice){ .id = answer.id, .by = (enum ended_by)answer.by,
                            .value = answer.value, .ended_ms = answer.ended_ms };
    if (supervisor->live > 0) supervisor->live--;
    return 1;
}

int supervisor_next(struct supervisor *supervisor, struct notice *out)
{
    struct buf *in = &supervisor->in;

    if (supervisor->fd < 0) return -1;
    for (;;) {
        size_t missing = ANSWER_BYTES - in->size;
        ssize_t got;

        buf_reserve(in, missing);
        got = recv(supervisor->fd, in->data + in->size, missing, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return 0;
        if (got <= 0) return -1;
        in->size += (size_t)got;
        if (in->size == ANSWER_BYTES) return notice_take(supervisor, out);
    }
}

/* ---- end ---- */

/* Whether a child of ours was an attempt's: programs that we run ourselves have our own limits. */
static bool is_branded(pid_t pid)
{
    struct brand ours, theirs;

    return brand_read(getpid(), &ours) && brand_read(pid, &theirs) && !brand_same(&ours, &theirs);
}

/* Kills what the mark or a brand shows to be an attempt's; true when another look is needed. A
 * child that shows no environment is dying or dead: what it leaves is seen when it is gone. */
static bool sweep_once(const char *mark)
{
    struct pids children = { 0 };
    bool again = false;

    family_children(getpid(), &children);
    for (uint32_t i = 0; i < children.count; i++) {
        pid_t pid = children.items[i];
        struct buf environment;
        bool marked;

        family_environ(pid, &environment);
        marked = environ_has(buf_str(&environment), mark) || is_branded(pid);
        if (marked) family_signal(pid, SIGKILL, false);
        if (marked || environment.size == 0) {
            waitpid(pid, NULL, WNOHANG);
            again = true;
        }
        buf_release(&environment);
    }
    pids_release(&children);
    return again;
}

static void sweep(const char *mark)
{
    for (uint32_t i = 0; i < SWEEP_MAX && sweep_once(mark); i++) poll(NULL, 0, SWEEP_WAIT_MS);
}

/* A mark comes from a file: one that is not of our making names no process. */
static bool is_mark(const char *mark)
{
    size_t letters = strlen(mark_name);

    return strncmp(mark, mark_name, letters) == 0 && strlen(mark) == letters + WORD_LETTERS;
}

bool supervisor_sweep(const char *mark)
{
    bool any = false, again = is_mark(mark);

    for (uint32_t i = 0; again && i < SWEEP_MAX; i++) {
        struct pids all = { 0 };

        again = false;
        family_all(&all);
        for (uint32_t k = 0; k < all.count; k++) {
            struct buf environment;

            family_environ(all.items[k], &environment);
            if (environ_has(buf_str(&environment), mark)) {
                again = kill(all.items[k], SIGKILL) == 0 || again;
            }
            buf_release(&environment);
        }
        pids_release(&all);
        any = any || again;
        if (again) poll(NULL, 0, SWEEP_WAIT_MS);
    }
    return any;
}

void supervisor_close(struct supervisor *supervisor)
{
    int status = 0;
    pid_t pid;

    if (supervisor->pid <= 0) return;
    if (supervisor->fd >= 0) close(supervisor->fd);
    do {
        pid = waitpid(supervisor->pid, &status, 0);
    } while (pid < 0 && errno == EINTR);
    if (pid > 0 && WIFSIGNALED(status)) sweep(supervisor->mark);
    (void)family_adopt(false);
    buf_release(&supervisor->in);
    *supervisor = (struct supervisor){ .fd = -1 };
}

/* ---- what an earlier supervisor left ---- */

const char *ended_word(enum ended_by by)
{
    return ended_words[by];
}

static bool status_parse(struct str line, struct notice *out)
{
    struct str word, value_text;
    uint64_t value, ended_ms;

    if (!str_ends(line, STR("\n"))) return false;
    line.size--;
    if (!str_cut(&line, ' ', &word) || !str_cut(&line, ' ', &value_text)) return false;
    if (!str_number(value_text, &value) || !str_number(line, &ended_ms)) return false;
    for (int by = 0; by < ENDED_BY_COUNT; by++) {
        uint64_t most = by == ENDED_EXIT ? 255 : by == ENDED_SIGNAL ? NSIG - 1 : 0;

        if (!ended_words[by] || !str_is(word, ended_words[by])) continue;
        if (value > most || (by == ENDED_SIGNAL && value == 0)) return false;
        *out = (struct notice){ .by = (enum ended_by)by, .value = (int)value,
                                .ended_ms = ended_ms };
        return true;
    }
    return false;
}

int notice_read(const char *status_path, struct notice *out, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, STATUS_BYTES_MAX);
    rc = file_read(status_path, &text, err);
    if (rc == ERR_LIMIT || (rc == 0 && !status_parse(buf_str(&text), out))) {
        rc = err_set(err, ERR_FORMAT, "%s: not a status", status_path);
    }
    buf_release(&text);
    return rc;
}
