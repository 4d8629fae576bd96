/* SPDX-License-Identifier: Apache-2.0
 *
 * background.c - programs that outlive us.
 *
 * 1. Two pipes that are read without waiting, and closed when the program is left. It then gets
 *    EPIPE and not SIGPIPE, since hone ignores that signal; and no pipe can fill and stall it.
 * 2. A program that was left and ends while hone lives is reaped at the next start or look. */
#include "io/process/background.h"

#include "base/mem.h"
#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Those that were left and may still run. */
static struct {
    pid_t *pids;
    uint32_t count, cap;
} left_behind;

static void reap_left(void)
{
    for (uint32_t i = left_behind.count; i-- > 0;) {
        if (waitpid(left_behind.pids[i], NULL, WNOHANG) == 0) continue;
        left_behind.pids[i] = left_behind.pids[--left_behind.count];
    }
}

/* A file without a name that holds the input, at its beginning; or nothing to read. */
static int input_open(struct str input)
{
    FILE *file;
    int fd = -1;

    if (input.size == 0) return open("/dev/null", O_RDONLY | O_CLOEXEC);
    file = tmpfile();
    if (!file) return -1;
    if (fwrite(input.data, 1, input.size, file) == input.size && fflush(file) == 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, STANDARD_COUNT);
    }
    fclose(file);
    return fd;
}

int background_start(struct background *background, const struct background_program *program,
                     struct err *err)
{
    struct start start = { .argv = program->argv, .env = program->env, .cwd = program->cwd,
                           .own_session = true, .fds = { -1, -1, -1 } };
    int pid_fd = -1;
    int rc = 0;

    *background = (struct background){ .out_fd = -1, .err_fd = -1 };
    buf_init(&background->out, program->out_bytes_max ? program->out_bytes_max
                                                      : BACKGROUND_BYTES_MAX);
    buf_init(&background->err, BACKGROUND_BYTES_MAX);
    reap_left();
    start.fds[0] = input_open(program->input);
    if (start.fds[0] < 0 || !fd_lift(&start.fds[0])) {
        rc = err_system(err, errno, "make its input");
    } else if (!pipe_open(&background->out_fd, &start.fds[1], true) ||
               !pipe_open(&background->err_fd, &start.fds[2], true)) {
        rc = err_system(err, errno, "make a pipe");
    } else {
        int problem = program_start(&start, &background->pid, &pid_fd);
        if (problem == ENOENT) {
            rc = err_set(err, ERR_MISSING, "%s: no such program", program->argv[0]);
        } else if (problem != 0) {
            rc = err_system(err, problem, "start %s", program->argv[0]);
        }
    }
    fd_close(&pid_fd);
    for (int i = 0; i < STANDARD_COUNT; i++) fd_close(&start.fds[i]);
    if (rc != 0) {
        background->pid = 0;
        background_leave(background);
    }
    return rc;
}

static void output_take(int *fd, struct buf *out)
{
    char bytes[4096];
    ssize_t got;

    while (*fd >= 0) {
        size_t room = out->limit - out->size;

        got = read(*fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            fd_close(fd);
            return;
        }
        (void)buf_add(out, (struct str){ bytes, (size_t)got < room ? (size_t)got : room });
    }
}

bool background_look(struct background *background, int *status)
{
    bool ended;
    int how = 0;

    reap_left();
    /* Asked first: what it said before its end is in the pipes by then. */
    ended = program_ended(background->pid);
    output_take(&background->out_fd, &background->out);
    output_take(&background->err_fd, &background->err);
    if (!ended) return false;
    if (program_wait(background->pid, &how) != 0) how = 0;
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    background->pid = 0;
    return true;
}

void background_stop(const struct background *background)
{
    if (background->pid > 0) (void)kill(background->pid, SIGTERM);
}

void background_leave(struct background *background)
{
    /* Ours are lifted above standard error: a 0 is that of an empty value. */
    if (background->out_fd > STDERR_FILENO) fd_close(&background->out_fd);
    if (background->err_fd > STDERR_FILENO) fd_close(&background->err_fd);
    buf_release(&background->out);
    buf_release(&background->err);
    if (background->pid > 0) {
        left_behind.pids = mem_grow(left_behind.pids, left_behind.count, &left_behind.cap,
                                    sizeof *left_behind.pids);
        left_behind.pids[left_behind.count++] = background->pid;
    }
    *background = (struct background){ .out_fd = -1, .err_fd = -1 };
}
