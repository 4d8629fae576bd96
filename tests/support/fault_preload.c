/* SPDX-License-Identifier: Apache-2.0
 *
 * fault_preload.c - lets one system call of hone fail, or hone die at it. For the sweeps.
 *
 * Loaded with LD_PRELOAD. It counts the calls below in the one process it is meant for (the first
 * that is called hone; neither its supervisor nor the programs it starts) and at the n-th acts:
 *
 *   HONE_FAULT_MODE   kill: dies before the call. tear: writes half, then dies. fail: the call
 *                     fails with HONE_FAULT_ERRNO. fail-on: it and all later ones of its kind
 *   HONE_FAULT_CALLS  write: only calls that change the disk. all: every call that can fail
 *   HONE_FAULT_NTH    which one, from 1
 *   HONE_FAULT_ARGS   only in a hone whose arguments begin so ("agent fixits"), and only as long as
 *                     it did not happen yet
 *   HONE_FAULT_FIRED  a file that is made when it happened, holding the name of the call */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum mode { MODE_OFF, MODE_KILL, MODE_TEAR, MODE_FAIL, MODE_FAIL_ON };

static enum mode mode;
static bool all_calls;
static long nth, seen;
static int fault_errno;
static pid_t target;
static const char *fired_path;
static const char *fired_name;

static bool is_hone(void)
{
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *base;

    if (size <= 0) return false;
    path[size] = '\0';
    base = strrchr(path, '/');
    return base && strcmp(base + 1, "hone") == 0;
}

/* Whether the arguments of this process begin with these words. */
static bool has_args(const char *words)
{
    char line[4096];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    long size = fd < 0 ? 0 : syscall(SYS_read, fd, line, sizeof line - 1);
    const char *first;

    if (fd >= 0) (void)syscall(SYS_close, fd);
    if (size <= 0) return false;
    line[size] = '\0';
    first = line + strlen(line) + 1;
    for (char *at = line + (first - line); at < line + size - 1; at++) {
        if (*at == '\0') *at = ' ';
    }
    return first < line + size && strncmp(first, words, strlen(words)) == 0;
}

static enum mode mode_of(const char *word)
{
    if (!word) return MODE_OFF;
    if (strcmp(word, "kill") == 0) return MODE_KILL;
    if (strcmp(word, "tear") == 0) return MODE_TEAR;
    if (strcmp(word, "fail") == 0) return MODE_FAIL;
    if (strcmp(word, "fail-on") == 0) return MODE_FAIL_ON;
    return MODE_OFF;
}

__attribute__((constructor)) static void set_up(void)
{
    const char *calls = getenv("HONE_FAULT_CALLS");
    const char *count = getenv("HONE_FAULT_NTH");
    const char *error = getenv("HONE_FAULT_ERRNO");
    const char *args = getenv("HONE_FAULT_ARGS");

    if (!is_hone()) return;
    fired_path = getenv("HONE_FAULT_FIRED");
    if (args && (!has_args(args) || (fired_path && access(fired_path, F_OK) == 0))) return;
    all_calls = calls && strcmp(calls, "all") == 0;
    nth = count ? strtol(count, NULL, 10) : 0;
    fault_errno = error ? (int)strtol(error, NULL, 10) : EIO;
    target = getpid();
    mode = mode_of(getenv("HONE_FAULT_MODE"));
}

static void note(const char *name)
{
    long fd;

    fired_name = name;
    if (!fired_path) return;
    fd = syscall(SYS_openat, AT_FDCWD, fired_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return;
    (void)syscall(SYS_write, fd, name, strlen(name));
    (void)syscall(SYS_close, fd);
}

/* True when this call must fail. */
static bool fault(const char *name, bool writes)
{
    if (mode == MODE_OFF || getpid() != target) return false;
    if (!writes && !all_calls) return false;
    if (mode == MODE_FAIL_ON && fired_name) {
        if (strcmp(fired_name, name) != 0) return false;
        errno = fault_errno;
        return true;
    }
    if (mode == MODE_TEAR && !strstr(name, "write")) return false; /* only those have a middle */
    if (++seen != nth) return false;
    note(name);
    if (mode == MODE_KILL) (void)syscall(SYS_kill, target, SIGKILL);
    errno = fault_errno;
    return mode == MODE_FAIL || mode == MODE_FAIL_ON;
}

/* A write of which half arrives before the end. */
static bool torn(void)
{
    return mode == MODE_TEAR && getpid() == target && seen == nth && fired_name;
}

static void die(void)
{
    mode = MODE_OFF;
    (void)syscall(SYS_kill, target, SIGKILL);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define WRAP(name, writes, params, args)          \
    int name params                               \
    {                                             \
        REAL(name);                               \
        if (fault(#name, writes)) return -1;      \
        return real args;                         \
    }

WRAP(fsync, true, (int fd), (fd))
WRAP(fdatasync, true, (int fd), (fd))
WRAP(ftruncate64, true, (int fd, off64_t size), (fd, size))
WRAP(ftruncate, true, (int fd, off_t size), (fd, size))
WRAP(unlink, true, (const char *path), (path))
WRAP(unlinkat, true, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(rename, true, (const char *from, const char *to), (from, to))
WRAP(renameat, true, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP(renameat2, true, (int a, const char *from, int b, const char *to, unsigned how),
     (a, from, b, to, how))
WRAP(mkdir, true, (const char *path, mode_t bits), (path, bits))
WRAP(mkdirat, true, (int dir, const char *path, mode_t bits), (dir, path, bits))
WRAP(fstat, false, (int fd, struct stat *st), (fd, st))
WRAP(fstat64, false, (int fd, struct stat64 *st), (fd, st))
WRAP(pipe2, false, (int ends[2], int flags), (ends, flags))
WRAP(pipe, false, (int ends[2]), (ends))
WRAP(socketpair, false, (int a, int b, int c, int ends[2]), (a, b, c, ends))
WRAP(flock, false, (int fd, int operation), (fd, operation))

ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t done;

    REAL(write);
    if (fd == 2 || fd == 1) return real(fd, data, size); /* what it says is not what it keeps */
    if (fault("write", true)) return -1;
    done = real(fd, data, torn() ? size / 2 : size);
    if (torn()) die();
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
    ssize_t done;

    REAL(pwrite64);
    if (fault("pwrite64", true)) return -1;
    done = real(fd, data, torn() ? size / 2 : size, at);
    if (torn()) die();
    return done;
}

ssize_t read(int fd, void *data, size_t size)
{
    REAL(read);
    if (fault("read", false)) return -1;
    return real(fd, data, size);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at)
{
    REAL(pread64);
    if (fault("pread64", false)) return -1;
    return real(fd, data, size, at);
}

pid_t fork(void)
{
    REAL(fork);
    if (fault("fork", false)) return -1;
    return real();
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    REAL(posix_spawnp);
    if (fault("posix_spawnp", false)) return fault_errno;
    return real(pid, file, actions, attributes, argv, envp);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    REAL(sendmsg);
    if (fault("sendmsg", false)) return -1;
    return real(fd, message, flags);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    REAL(send);
    if (fault("send", false)) return -1;
    return real(fd, data, size, flags);
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    REAL(recv);
    if (fault("recv", false)) return -1;
    return real(fd, data, size, flags);
}

static mode_t bits_of(int flags, va_list args)
{
    return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

#define WRAP_OPEN(name)                                            \
    int name(const char *path, int flags, ...)                     \
    {                                                              \
        va_list args;                                              \
        mode_t bits;                                               \
        REAL(name);                                                \
        va_start(args, flags);                                     \
        bits = bits_of(flags, args);                               \
        va_end(args);                                              \
        if (fault(#name, (flags & O_CREAT) != 0)) return -1;       \
        return real(path, flags, bits);                            \
    }

#define WRAP_OPENAT(name)                                          \
    int name(int dir, const char *path, int flags, ...)            \
    {                                                              \
        va_list args;                                              \
        mode_t bits;                                               \
        REAL(name);                                                \
        va_start(args, flags);                                     \
        bits = bits_of(flags, args);                               \
        va_end(args);                                              \
        if (fault(#name, (flags & O_CREAT) != 0)) return -1;       \
        return real(dir, path, flags, bits);                       \
    }

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
