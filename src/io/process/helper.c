/* SPDX-License-Identifier: Apache-2.0
 *
 * helper.c - a short helper program, run to its end.
 *
 * Three pipes and one poll loop: a helper may read a large input first or write a large output
 * first, and neither side waits for the other.
 *
 * 1. The helper is over when its process has ended and its pipes are empty; not when they are
 *    closed: something it left in the background may hold them for ever.
 * 2. It has its own session: no terminal to ask on, and a Ctrl-C does not cut it short: it has
 *    STOP_MS to end by itself. What it was called for is done or not done, hardly ever half.
 * 3. It has 0, 1 and 2 and nothing else of ours: a daemon it leaves can hold no lock (spawn.c).
 * 4. A helper that does not read its input is no error, and SIGPIPE does not end us.
 * 5. On every error `out` is as it was; but where the caller wants it (helper_ask), what one said
 *    that failed by itself is there.
 * 6. It ends, and so does our wait. A helper that still runs when a signal to stop came, or at
 *    LIMIT_MS, is ended: SIGTERM first, so that git takes its locks away. Signals wait as long as
 *    we do, so that none ends us and leaves a helper that never ends.
 * 7. The usual reason for a git that never ends is a named pipe where it expects a file, such as
 *    .gitignore: it is looked for when a helper takes long, named, and the helper is ended at once.
 *
 * Not here: agents, which outlive a call (supervisor.c). */
#include "io/process/helper.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/walk.h"
#include "io/process/signals.h"
#include "io/process/spawn.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TAIL_BYTES = 4096,    /* of stderr, where its last line is looked for */
    LINE_BYTES_MAX = 300, /* of that line */
    TICK_MS = 100,        /* most have ended by then; signals and time are looked at so often */
    STOP_MS = 700,        /* that a helper has left when a signal came */
    TERM_MS = 200,        /* that it has to take its locks away */
    PIPES_MS = 2000,      /* then pipes are looked for, and again and again */
    LIMIT_MS = 600 * 1000,
    PIPES_NAMES_MAX = 50000, PIPES_DEPTH_MAX = 32, /* of that look */
};

/* What became of a helper that did not end by itself. */
enum cut { CUT_NONE, CUT_SIGNAL, CUT_PIPE, CUT_LIMIT };

enum { PIPE_PATH_BYTES = 512 };
enum pipe_kind { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_COUNT = STANDARD_COUNT };

struct helper {
    pid_t pid;
    int pid_fd;
    int ours[PIPE_COUNT], theirs[PIPE_COUNT];
    struct str input; /* what is left of it */
    struct buf *out;
    size_t out_before;
    char tail[2 * TAIL_BYTES];
    size_t tail_bytes;
    bool overflow;
    const char *cwd;
    enum cut cut;
    char pipe[PIPE_PATH_BYTES]; /* what is in its way */
    uint64_t begun_ms, stop_ms, pipes_ms; /* stop_ms: when a signal was seen; 0: none was */
    uint64_t limit_ms;
    bool keep;         /* what it said stays, also where it failed */
    struct helper_sink *sink; /* gets what it says, in place of out; NULL: none */
    int sink_problem;  /* an errno value: it could not be written */
};

/* ---- start ---- */

static bool helper_pipe(struct helper *helper, enum pipe_kind kind)
{
    if (kind == PIPE_IN && helper->input.size == 0) {
        helper->theirs[kind] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return helper->theirs[kind] >= 0 && fd_lift(&helper->theirs[kind]);
    }
    return pipe_open(&helper->ours[kind], &helper->theirs[kind], kind != PIPE_IN);
}

static void helper_release(struct helper *helper)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        fd_close(&helper->ours[i]);
        fd_close(&helper->theirs[i]);
    }
    fd_close(&helper->pid_fd);
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int helper_start(struct helper *helper, const char *const *argv, const char *const *env,
                        const char *cwd, struct err *err)
{
    struct start start = { .argv = argv, .env = env, .cwd = cwd, .own_session = true };
    int rc;

    helper->cwd = cwd;
    for (int i = 0; i < PIPE_COUNT; i++) {
        if (!helper_pipe(helper, (enum pipe_kind)i)) return err_system(err, errno, "make a pipe");
        start.fds[i] = helper->theirs[i];
    }
    rc = program_start(&start, &helper->pid, &helper->pid_fd);
    if (rc != 0 && cwd && !is_folder(cwd)) return err_system(err, rc, "enter %.300s", cwd);
    if (rc == ENOENT) return err_set(err, ERR_MISSING, "no such program");
    if (rc != 0) return err_system(err, rc, "start");
    for (int i = 0; i < PIPE_COUNT; i++) fd_close(&helper->theirs[i]);
    return 0;
}

/* ---- the talk ---- */

/* Writing to a helper that reads no more raises a signal for this thread; it is taken back. */
static ssize_t write_quietly(int fd, struct str bytes)
{
    sigset_t pipe_signal, before, pending;
    bool was_pending;
    ssize_t sent;
    int error;

    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    sent = write(fd, bytes.data, bytes.size);
    error = errno;
    if (sent < 0 && error == EPIPE && !was_pending) {
        int number;

        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE) == 1) (void)sigwait(&pipe_signal, &number);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return sent;
}

static void input_write(struct helper *helper)
{
    ssize_t sent = write_quietly(helper->ours[PIPE_IN], helper->input);

    if (sent > 0) helper->input = str_skip(helper->input, (size_t)sent);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0 || helper->input.size == 0) fd_close(&helper->ours[PIPE_IN]);
}

static bool output_pour(struct helper *helper)
{
    struct helper_sink *sink = helper->sink;
    char piece[READ_BYTES];
    size_t got;
    bool more = pipe_read(&helper->ours[PIPE_OUT], piece, sizeof piece, &got);

    if (got > sink->bytes_max - sink->bytes) {
        helper->overflow = true;
    } else if (got > 0) {
        helper->sink_problem = write_full(sink->fd, (struct str){ piece, got });
        sink->bytes += got;
    }
    return more && !helper->overflow && helper->sink_problem == 0;
}

/* One byte more than fits is asked for: the only way to tell full from too much. */
static bool output_read(struct helper *helper)
{
    struct buf *out = helper->out;
    size_t room = out->limit > out->size ? out->limit - out->size : 0;
    char extra;
    size_t got;
    bool more;

    if (helper->sink) return output_pour(helper);
    if (room > READ_BYTES) room = READ_BYTES;
    if (room == 0) {
        more = pipe_read(&helper->ours[PIPE_OUT], &extra, 1, &got);
        if (got > 0) helper->overflow = true;
        return more && !helper->overflow;
    }
    buf_reserve(out, room);
    more = pipe_read(&helper->ours[PIPE_OUT], out->data + out->size, room, &got);
    out->size += got;
    out->data[out->size] = '\0';
    return more;
}

static bool error_read(struct helper *helper)
{
    size_t got;
    bool more;

    if (helper->tail_bytes > TAIL_BYTES) {
        memmove(helper->tail, helper->tail + helper->tail_bytes - TAIL_BYTES, TAIL_BYTES);
        helper->tail_bytes = TAIL_BYTES;
    }
    more = pipe_read(&helper->ours[PIPE_ERR], helper->tail + helper->tail_bytes, TAIL_BYTES, &got);
    helper->tail_bytes += got;
    return more;
}

/* ---- one that does not end ---- */

/* Whether git would open it, below the folder of the helper. */
static bool is_gits(const char *path, const char *name)
{
    static const char *const names[] = { ".gitignore", ".gitattributes", ".gitmodules",
                                         ".mailmap" };

    if (strncmp(path, ".git/", 5) == 0) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

/* Looks for something that is neither file, folder nor link where git expects a file. */
static bool pipe_find(int folder_fd, const char *path, uint32_t depth, uint32_t *left,
                      char out[PIPE_PATH_BYTES])
{
    int fd = openat(folder_fd, *path ? strrchr(path, '/') ? strrchr(path, '/') + 1 : path : ".",
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *item;
    bool found = false;

    if (!dir && fd >= 0) close(fd);
    while (dir && !found && *left > 0 && (item = readdir(dir))) {
        char below[PIPE_PATH_BYTES];
        struct stat st;

        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        --*left;
        if (snprintf(below, sizeof below, "%s%s%s", path, *path ? "/" : "", item->d_name) >=
            (int)sizeof below || fstatat(fd, item->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        /* Through a link git reads a file of its own folder, too. */
        if (S_ISLNK(st.st_mode) && strncmp(below, ".git/", 5) == 0 &&
            (fstatat(fd, item->d_name, &st, 0) != 0 || S_ISDIR(st.st_mode)))
            continue;
        if (S_ISDIR(st.st_mode) && strcmp(below, ".git/objects") != 0 && depth > 0) {
            found = pipe_find(fd, below, depth - 1, left, out);
        } else if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
            found = is_gits(below, item->d_name);
            if (found) memcpy(out, below, sizeof below);
        }
    }
    if (dir) closedir(dir);
    return found;
}

static bool pipe_in_the_way(struct helper *helper)
{
    uint32_t left = PIPES_NAMES_MAX;
    int fd = helper->cwd ? open(helper->cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool found = fd >= 0 && pipe_find(fd, "", PIPES_DEPTH_MAX, &left, helper->pipe);
    int git_fd = fd >= 0 && !found ? openat(fd, ".git", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    left = PIPES_NAMES_MAX; /* objects last: there may be very many */
    if (git_fd >= 0) {
        found = pipe_find(git_fd, ".git/objects", PIPES_DEPTH_MAX, &left, helper->pipe);
        close(git_fd);
    }
    if (fd >= 0) close(fd);
    return found;
}

static bool stop_is_wanted(void)
{
    sigset_t pending;

    if (signals_waiting()) return true;
    return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 ||
           sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1);
}

/* Called again and again while it takes long: whether it is ended, and why. */
static void helper_judge(struct helper *helper)
{
    uint64_t now = now_steady_ms();

    if (helper->stop_ms == 0 && stop_is_wanted()) helper->stop_ms = now;
    if (helper->stop_ms != 0 && now >= helper->stop_ms + STOP_MS) helper->cut = CUT_SIGNAL;
    else if (now >= helper->begun_ms + helper->limit_ms) helper->cut = CUT_LIMIT;
    else if (now >= helper->pipes_ms) {
        if (pipe_in_the_way(helper)) helper->cut = CUT_PIPE;
        helper->pipes_ms = now_steady_ms() + 5 * PIPES_MS;
    }
}

static void helper_cut(struct helper *helper)
{
    struct pollfd polled = { .fd = helper->pid_fd, .events = POLLIN };

    kill(-helper->pid, SIGTERM);
    for (int left = TERM_MS; left > 0 && !program_ended(helper->pid); left -= LOOK_EVERY_MS)
        poll(&polled, helper->pid_fd >= 0 ? 1 : 0, LOOK_EVERY_MS);
    kill(-helper->pid, SIGKILL);
}

static int cut_explain(const struct helper *helper, struct err *err)
{
    unsigned seconds = (unsigned)((now_steady_ms() - helper->begun_ms) / 1000);

    switch (helper->cut) {
    case CUT_NONE: break;
    case CUT_SIGNAL:
        return err_set(err, ERR_SYSTEM, "hone was told to stop, and it had not ended after %u s",
                       seconds);
    case CUT_PIPE:
        return err_set(err, ERR_SYSTEM, "it does not end: %s/%s is a named pipe, where git expects "
                       "a file; remove it", helper->cwd, helper->pipe);
    case CUT_LIMIT:
        if (helper->limit_ms != LIMIT_MS) {
            return err_set(err, ERR_SYSTEM, "it had not answered after %u s", seconds);
        }
        return err_set(err, ERR_SYSTEM, "it had not ended after %u s: a disk may be gone, or a "
                       "file that it reads may have no end", seconds);
    }
    return 0;
}

/* Until the process has ended; then what is left in the pipes, and no more than that: something
 * in the background may go on writing. */
static void helper_talk(struct helper *helper)
{
    bool ended = false;
    int wait_ms = helper->pid_fd >= 0 ? TICK_MS : LOOK_EVERY_MS;

    while (!ended && !helper->overflow && helper->sink_problem == 0 && helper->cut == CUT_NONE) {
        struct pollfd polled[] = {
            { .fd = helper->ours[PIPE_IN], .events = POLLOUT },
            { .fd = helper->ours[PIPE_OUT], .events = POLLIN },
            { .fd = helper->ours[PIPE_ERR], .events = POLLIN },
            { .fd = helper->pid_fd, .events = POLLIN },
        };

        poll(polled, sizeof polled / sizeof *polled, wait_ms);
        ended = program_ended(helper->pid);
        if (!ended && now_steady_ms() >= helper->begun_ms + TICK_MS) helper_judge(helper);
        if (polled[PIPE_IN].revents) input_write(helper);
        if (polled[PIPE_OUT].revents) output_read(helper);
        if (polled[PIPE_ERR].revents) error_read(helper);
    }
    if (helper->cut != CUT_NONE) helper_cut(helper);
    for (int i = 0; i < DRAIN_READS_MAX && helper->ours[PIPE_OUT] >= 0 && !helper->overflow &&
                    helper->sink_problem == 0; i++) {
        if (!output_read(helper)) break;
    }
    for (int i = 0; i < DRAIN_READS_MAX && helper->ours[PIPE_ERR] >= 0; i++) {
        if (!error_read(helper)) break;
    }
}

/* ---- the end ---- */

/* The last line that says something, short and harmless on a terminal. */
static struct str tail_line(struct helper *helper)
{
    for (size_t i = 0; i < helper->tail_bytes; i++) {
        unsigned char byte = (unsigned char)helper->tail[i];

        if (byte == '\r') helper->tail[i] = '\n';
        else if (byte == '\t') helper->tail[i] = ' ';
        else if (byte != '\n' && (byte < ' ' || byte == 0x7f)) helper->tail[i] = '?';
    }
    return str_head(str_last_line((struct str){ helper->tail, helper->tail_bytes }),
                    LINE_BYTES_MAX);
}

static int helper_end(struct helper *helper, struct err *err)
{
    struct str line = tail_line(helper);
    int status = 0;
    int rc;

    if (helper->overflow || helper->sink_problem != 0) kill(-helper->pid, SIGKILL);
    rc = program_wait(helper->pid, &status);
    if (rc != 0) return err_system(err, rc, "wait for it");
    if (helper->cut != CUT_NONE) return cut_explain(helper, err);
    if (helper->sink_problem != 0) return err_system(err, helper->sink_problem, "write");
    if (helper->overflow) {
        return err_set(err, ERR_LIMIT, "its output exceeds %zu bytes",
                       helper->sink ? (size_t)helper->sink->bytes_max
                                    : helper->out->limit - helper->out_before);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (line.size > 0) return err_set(err, ERR_FAILED, "%.*s", STR_ARG(line));
    if (WIFSIGNALED(status)) {
        return err_set(err, ERR_FAILED, "killed by signal %d", WTERMSIG(status));
    }
    return err_set(err, ERR_FAILED, "exit status %d", WEXITSTATUS(status));
}

/* Signals to stop wait for the helper's end. */
static void stops_hold(sigset_t *before)
{
    sigset_t stops;

    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stops, before);
}

static void helper_init(struct helper *helper, struct str input)
{
    *helper = (struct helper){ .pid_fd = -1, .ours = { -1, -1, -1 }, .theirs = { -1, -1, -1 },
                               .input = input, .limit_ms = LIMIT_MS,
                               .begun_ms = now_steady_ms() };
    helper->pipes_ms = helper->begun_ms + PIPES_MS;
}

/* The second half: talks with it, waits for its end, gives back what it held. */
static int helper_join(struct helper *helper, struct buf *out, struct err *err)
{
    int rc;

    helper->out = out;
    helper->out_before = out->size;
    helper_talk(helper);
    rc = helper_end(helper, err);
    helper_release(helper);
    if (rc == 0 || (rc == ERR_FAILED && helper->keep)) return rc;
    out->size = helper->out_before;
    if (out->data) out->data[out->size] = '\0';
    return rc;
}

static int helper_whole(struct helper *helper, const struct helper_call *call, struct buf *out,
                        struct err *err)
{
    sigset_t before;
    int rc;

    assert(call->argv && call->argv[0]);
    stops_hold(&before);
    rc = helper_start(helper, call->argv, call->env, call->cwd, err);
    if (rc == 0) rc = helper_join(helper, out, err);
    else helper_release(helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0 ? 0 : err_wrap(err, "%.200s", call->argv[0]);
}

int helper_run(const char *const *argv, const char *const *env, const char *cwd, struct str input,
               struct buf *out, struct err *err)
{
    struct helper_call call = { .argv = argv, .env = env, .cwd = cwd };
    struct helper helper;

    helper_init(&helper, input);
    return helper_whole(&helper, &call, out, err);
}

int helper_pour(const char *const *argv, const char *const *env, const char *cwd,
                struct str input, struct helper_sink *sink, struct err *err)
{
    struct helper_call call = { .argv = argv, .env = env, .cwd = cwd };
    struct helper helper;
    struct buf none;
    int rc;

    buf_init(&none, 0);
    helper_init(&helper, input);
    helper.sink = sink;
    sink->bytes = 0;
    rc = helper_whole(&helper, &call, &none, err);
    buf_release(&none);
    return rc;
}

int helper_ask(const struct helper_call *call, struct buf *out, struct err *err)
{
    struct helper helper;

    helper_init(&helper, call->input);
    assert(call->limit_ms > 0);
    helper.limit_ms = call->limit_ms;
    helper.pipes_ms = UINT64_MAX; /* it is no git: pipes are no affair of ours */
    helper.keep = true;
    return helper_whole(&helper, call, out, err);
}

struct helper *helper_begin(const char *const *argv, const char *const *env, const char *cwd,
                            struct err *err)
{
    struct helper *helper = mem_alloc(sizeof *helper);

    assert(argv && argv[0]);
    helper_init(helper, (struct str){ "", 0 });
    if (helper_start(helper, argv, env, cwd, err) == 0) return helper;
    err_wrap(err, "%.200s", argv[0]);
    helper_release(helper);
    free(helper);
    return NULL;
}

int helper_finish(struct helper *helper, struct buf *out, struct err *err)
{
    sigset_t before;
    int rc;

    stops_hold(&before);
    rc = helper_join(helper, out, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(helper);
    return rc;
}
