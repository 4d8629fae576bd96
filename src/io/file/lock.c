/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.c - flock(2) on a file, and the owner's number in it.
 *
 *   free --flock--> held, silent --write "PID NOTE"--> held, named --close or death--> free
 *
 * The text stays in the file when the lock is free again: it names an owner only while the lock is
 * held.
 *
 * 1. The lock is on the inode that stands at the path: after flock the two are compared, since
 *    another process may have removed the file and made it again while this one waited.
 * 2. A pid is signalled only if it has this very file open, through a descriptor (fd_process) that
 *    was taken before that was looked at. The number in the text may be that of an engine that is
 *    dead, whose supervisor still holds the lock, and may belong to a stranger by now.
 * 3. Asking (lock_is_held) takes a shared lock for an instant. So lock_open tries for a short
 *    while even when it is not to wait: a process that only asks must not look like an owner.
 */
#include "io/file/lock.h"

#include "io/file/descriptor.h"
#include "io/file/file.h"
#include "io/file/walk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRY_MS = 5, ASKED_MS = 25, NAMED_MS = 250, TEXT_BYTES = 128 };

/* ---- what the file says ---- */

static void owner_read(int fd, struct lock_owner *owner)
{
    char text[TEXT_BYTES];
    ssize_t bytes = pread(fd, text, sizeof text, 0);
    struct str rest = { text, bytes > 0 ? (size_t)bytes : 0 };
    struct str line, pid;
    uint64_t number;

    *owner = (struct lock_owner){ 0 };
    if (!str_has(rest, '\n') || !str_cut(&rest, '\n', &line) || !str_cut(&line, ' ', &pid)) return;
    if (!str_number(pid, &number) || number == 0 || number > INT32_MAX) return;
    owner->pid = (pid_t)number;
    snprintf(owner->note, sizeof owner->note, "%.*s", STR_ARG(line));
}

static int owner_write(int fd, const char *note)
{
    char text[TEXT_BYTES];
    struct lock_owner none;
    struct stat st;
    int problem;
    int bytes = snprintf(text, sizeof text, "%ld %.*s\n", (long)getpid(),
                         (int)sizeof none.note - 1, note);

    assert(bytes > 0 && (size_t)bytes < sizeof text);
    if (lseek(fd, 0, SEEK_SET) != 0) return errno;
    problem = write_full(fd, (struct str){ text, (size_t)bytes });
    /* Cut last: some file systems write a file out at once that was emptied and filled again. */
    if (problem == 0 && fstat(fd, &st) != 0) problem = errno;
    if (problem == 0 && st.st_size != bytes && ftruncate(fd, bytes) != 0) problem = errno;
    return problem;
}

/* ---- taking it ---- */

static bool stands_at(int fd, const char *path)
{
    struct stat ours, theirs;

    return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

/* One try: *fd is the locked file, or -1 with *owner when another process has it. */
static int try_lock(const char *path, int *fd, struct lock_owner *owner, struct err *err)
{
    int rc = 0;

    *fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*fd < 0) return err_system(err, errno, "open lock %s", path);
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) rc = err_system(err, errno, "lock %s", path);
        owner_read(*fd, owner);
    } else if (stands_at(*fd, path)) {
        return 0;
    }
    close(*fd);
    *fd = -1;
    return rc;
}

int lock_open(struct lock *lock, const char *path, const char *note, uint32_t wait_ms,
              struct lock_owner *owner, struct err *err)
{
    uint64_t until_ms = now_steady_ms() + (wait_ms > ASKED_MS ? wait_ms : ASKED_MS);
    struct lock_owner unseen;
    int problem;
    int rc;

    assert(!strchr(note, '\n'));
    if (!owner) owner = &unseen;
    *owner = (struct lock_owner){ 0 };
    lock->fd = -1;
    for (;;) {
        rc = try_lock(path, &lock->fd, owner, err);
        if (rc != 0) return rc;
        if (lock->fd >= 0) break;
        if (now_steady_ms() >= until_ms) {
            if (owner->pid == 0)
                return err_set(err, ERR_BUSY, "%s is held by another process", path);
            return err_set(err, ERR_BUSY, "%s is held by process %ld (%s)", path,
                           (long)owner->pid, owner->note);
        }
        pause_ms(TRY_MS);
    }
    *owner = (struct lock_owner){ 0 };
    problem = owner_write(lock->fd, note);
    if (problem == 0) return 0;
    lock_close(lock);
    return err_system(err, problem, "write lock %s", path);
}

void lock_close(struct lock *lock)
{
    if (lock->fd >= 0) close(lock->fd);
    lock->fd = -1;
}

/* ---- asking and signalling ---- */

/* Not flock(LOCK_UN): closing gives up our question, not a lock that fd might share. */
static bool fd_is_held(int fd)
{
    return flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static int open_to_ask(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

bool lock_is_held(const char *path, struct lock_owner *owner)
{
    struct lock_owner unseen;
    int fd = open_to_ask(path);
    bool held;

    if (!owner) owner = &unseen;
    *owner = (struct lock_owner){ 0 };
    if (fd < 0) return false;
    held = fd_is_held(fd);
    if (held) owner_read(fd, owner);
    close(fd);
    return held;
}

bool lock_owner_works(const char *path, const struct lock_owner *owner)
{
    struct stat st;

    return owner->pid != 0 && lstat(path, &st) == 0 && fd_is_open_in(owner->pid, &st);
}

/* The owner's number: the one in the file, once a new owner has had time to write it. */
static pid_t wait_for_owner(const char *path)
{
    uint64_t until_ms = now_steady_ms() + NAMED_MS;
    struct lock_owner owner;

    while (lock_is_held(path, &owner) && owner.pid == 0 && now_steady_ms() < until_ms)
        pause_ms(TRY_MS);
    return owner.pid;
}

static int signal_owner(const char *path, int fd, pid_t pid, int signal, struct err *err)
{
    struct stat st;

    if (lstat(path, &st) != 0 || !lock_is_held(path, NULL) || !fd_is_open_in(pid, &st))
        return err_set(err, ERR_MISSING, "the owner of %s has ended", path);
    if (fd_process_signal(fd, pid, signal) == 0) return 0;
    if (errno == ESRCH) return err_set(err, ERR_MISSING, "the owner of %s has ended", path);
    return err_system(err, errno, "signal process %ld", (long)pid);
}

int lock_signal(const char *path, int signal, struct err *err)
{
    pid_t pid = wait_for_owner(path);
    int fd, rc;

    if (pid == 0) return err_set(err, ERR_MISSING, "no process holds %s", path);
    fd = fd_process(pid);
    if (fd < 0 && errno == ESRCH)
        return err_set(err, ERR_MISSING, "the owner of %s has ended", path);
    if (fd < 0) return err_system(err, errno, "signal process %ld", (long)pid);
    rc = signal_owner(path, fd, pid, signal, err);
    close(fd);
    return rc;
}
