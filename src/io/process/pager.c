/* SPDX-License-Identifier: Apache-2.0
 *
 * pager.c - the user's pager, as git calls it: HONE_PAGER and PAGER are command lines for a shell,
 * and less gets FRX by its variable where the user has set none: it ends at once where all fits on
 * the screen, keeps colours, and leaves what it showed.
 *
 * 1. The pager gets the keys and the signals of the terminal: Ctrl-C is its own, and does not end
 *    hone before the pager has put the terminal back as it was.
 * 2. A user who leaves it early has seen enough: what was not read is dropped. */
#include "io/process/pager.h"

#include "io/process/program.h"
#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *pager_command(void)
{
    static const char *const names[] = { "HONE_PAGER", "PAGER" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *said = getenv(names[i]);
        if (!said) continue;
        return said[0] && strcmp(said, "cat") != 0 ? said : NULL;
    }
    return program_exists("less") ? "less" : NULL;
}

static bool is_set(const char *name)
{
    return getenv(name) != NULL;
}

/* Its standard output and error are ours, lifted out of the way. */
static bool start_pager(const char *command, int theirs, pid_t *pid)
{
    const char *const argv[] = { "/bin/sh", "-c", command, NULL };
    const char *env[3] = { NULL };
    struct start start = { .argv = argv, .env = env };
    int at = 0, pid_fd = -1, out_fd = dup(STDOUT_FILENO), err_fd = dup(STDERR_FILENO);
    bool started;

    if (!is_set("LESS")) env[at++] = "LESS=FRX";
    if (!is_set("LV")) env[at++] = "LV=-c";
    start.fds[0] = theirs;
    start.fds[1] = out_fd;
    start.fds[2] = err_fd;
    started = out_fd >= 0 && err_fd >= 0 && fd_lift(&start.fds[1]) && fd_lift(&start.fds[2]) &&
              program_start(&start, pid, &pid_fd) == 0;
    fd_close(&pid_fd);
    fd_close(&start.fds[1]);
    fd_close(&start.fds[2]);
    return started;
}

static void write_all(int fd, struct str text)
{
    while (text.size > 0) {
        ssize_t put = write(fd, text.data, text.size);

        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return; /* the pager was left */
        text = str_skip(text, (size_t)put);
    }
}

bool pager_show(struct str text)
{
    const char *command = pager_command();
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    int ours = -1, theirs = -1, status;
    bool started;
    pid_t pid;

    if (!command) return false;
    started = pipe_open(&ours, &theirs, false) && fcntl(ours, F_SETFL, 0) == 0 &&
              start_pager(command, theirs, &pid);
    fd_close(&theirs);
    if (started) {
        sigaction(SIGINT, &ignore, &before);
        write_all(ours, text);
        fd_close(&ours);
        (void)program_wait(pid, &status);
        sigaction(SIGINT, &before, NULL);
    }
    fd_close(&ours);
    return started;
}
