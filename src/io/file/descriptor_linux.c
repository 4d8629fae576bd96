/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor_linux.c - descriptors by calls that take their flags at birth (pipe2, accept4), and
 * those that only Linux has: signalfd, pidfd, and a second opening through /proc/self/fd.
 *
 * What not every C library has a function for (musl: pidfd, close_range) is called by number. */
#include "io/file/descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

enum { DESCRIPTORS_MAX = 1 << 16, PATH_BYTES = 64 };

/* ---- pipes and sockets ---- */

int fd_pipe(int ends[2], bool waits)
{
    return pipe2(ends, O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
}

int fd_stream_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

int fd_listener(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int fd_accept(int listener)
{
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* By sendmsg(): Codex's sandbox forbids send() even between two ends of our own. */
ssize_t fd_send(int fd, struct str bytes, bool waits)
{
    struct iovec part = { .iov_base = (void *)(uintptr_t)bytes.data, .iov_len = bytes.size };
    const struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    return sendmsg(fd, &message, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
}

/* ---- what is open ---- */

int fd_reopen(int fd, int flags)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

void fd_close_between(unsigned from, unsigned to)
{
    if (from > to || syscall(SYS_close_range, from, to, 0) == 0) return;
    for (unsigned fd = from; fd <= to && fd < DESCRIPTORS_MAX; fd++) close((int)fd);
}

#ifdef __GLIBC__
int fd_close_in_program(posix_spawn_file_actions_t *actions, int *flags, int from)
{
    (void)flags;
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}
#else
/* All of ours are closed by exec already: here those become so that we were started with. */
int fd_close_in_program(posix_spawn_file_actions_t *actions, int *flags, int from)
{
    (void)actions;
    (void)flags;
    if (syscall(SYS_close_range, from, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return 0;
    for (int fd = from; fd < DESCRIPTORS_MAX; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return 0;
}
#endif

bool fd_path(int fd, char *out, size_t bytes)
{
    char link[PATH_BYTES];
    struct stat open_one, named;
    ssize_t size;

    if (fstat(fd, &open_one) != 0 || !S_ISREG(open_one.st_mode)) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    size = readlink(link, out, bytes);
    if (size <= 0 || (size_t)size >= bytes) return false;
    out[size] = '\0';
    return lstat(out, &named) == 0 && named.st_dev == open_one.st_dev &&
           named.st_ino == open_one.st_ino;
}

bool fd_is_open_in(pid_t pid, const struct stat *file)
{
    char path[PATH_BYTES];
    struct dirent *item;
    bool found = false;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    dir = opendir(path);
    if (!dir) return false;
    while (!found && (item = readdir(dir))) {
        struct stat st;

        found = fstatat(dirfd(dir), item->d_name, &st, 0) == 0 && st.st_dev == file->st_dev &&
                st.st_ino == file->st_ino;
    }
    closedir(dir);
    return found;
}

/* ---- signals ---- */

int fd_signals(const sigset_t *signals)
{
    return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int fd_signals_next(int fd)
{
    struct signalfd_siginfo info;

    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

/* ---- processes ---- */

int fd_process(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int fd_process_signal(int fd, pid_t pid, int signal)
{
    (void)pid; /* the descriptor is enough */
    return (int)syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
}
