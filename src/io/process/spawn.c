/* SPDX-License-Identifier: Apache-2.0
 *
 * spawn.c - the start and the end of a program that we talk to through pipes.
 *
 * posix_spawn and not fork: a large process starts a thousand small ones without copying itself,
 * and an exec that failed comes back as an error of the call. */
#include "io/process/spawn.h"

#include "io/file/descriptor.h"
#include "io/process/program.h"
#include "io/process/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- descriptors ---- */

void fd_close(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

bool fd_lift(int *fd)
{
    int lifted;

    if (*fd > STDERR_FILENO) return true;
    lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    fd_close(fd);
    *fd = lifted;
    return lifted >= 0;
}

bool pipe_open(int *ours, int *theirs, bool ours_reads)
{
    int ends[2];

    if (fd_pipe(ends, true) != 0) return false;
    *ours = ends[ours_reads ? 0 : 1];
    *theirs = ends[ours_reads ? 1 : 0];
    if (!fd_lift(ours) || !fd_lift(theirs)) return false;
    return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

bool pipe_read(int *fd, char *data, size_t bytes, size_t *got)
{
    ssize_t count = read(*fd, data, bytes);

    *got = count > 0 ? (size_t)count : 0;
    if (count > 0 || (count < 0 && errno == EINTR)) return true;
    if (count == 0 || errno != EAGAIN) fd_close(fd);
    return false;
}

/* ---- start ---- */

static int set_attributes(posix_spawnattr_t *attributes, int flags)
{
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    rc = posix_spawnattr_setflags(attributes, (short)flags);
    if (rc == 0) rc = posix_spawnattr_setsigdefault(attributes, &all);
    if (rc == 0) rc = posix_spawnattr_setsigmask(attributes, &none);
    return rc;
}

static int set_actions(posix_spawn_file_actions_t *actions, int *flags,
                       const struct start *start)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < STANDARD_COUNT; i++) {
        rc = posix_spawn_file_actions_adddup2(actions, start->fds[i], i);
    }
    if (rc == 0) rc = fd_close_in_program(actions, flags, STANDARD_COUNT);
    if (rc == 0 && start->cwd) rc = posix_spawn_file_actions_addchdir_np(actions, start->cwd);
    return rc;
}

int program_start(const struct start *start, pid_t *pid, int *pid_fd)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **arguments = vector_copy(start->argv);
    char **environment = vector_environment(start->env);
    int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    const char *name = start->argv[0], *path = strchr(name, '/') ? name : program_path(name);
    int rc;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (start->own_session) flags |= POSIX_SPAWN_SETSID;
    rc = set_actions(&actions, &flags, start);
    if (rc == 0) rc = set_attributes(&attributes, flags);
    if (rc == 0) {
        rc = path ? posix_spawn(pid, path, &actions, &attributes, arguments, environment) : ENOENT;
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    free(arguments);
    *pid_fd = rc == 0 ? fd_process(*pid) : -1;
    return rc;
}

/* ---- the end ---- */

bool program_ended(pid_t pid)
{
    siginfo_t info = { 0 };

    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
    return info.si_pid != 0;
}

int program_wait(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}
