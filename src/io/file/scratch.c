/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/scratch.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_BYTES = 2048 }; /* that a last line is looked for in */

static int path_open(const char *path, int flags, int *fd, struct err *err)
{
    *fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (*fd >= 0) return 0;
    if (errno == ENOENT) return err_set(err, ERR_MISSING, "%s: no such file", path);
    if (errno == ELOOP) return err_set(err, ERR_FORMAT, "%s is a link", path);
    return err_system(err, errno, "open %s", path);
}

/* To read; it may be anything. */
static int scratch_open(const char *folder, const char *name, int *fd, struct err *err)
{
    char path[PATH_MAX];
    int rc = path_make(folder, name, "", path, err);

    return rc == 0 ? path_open(path, O_RDONLY, fd, err) : rc;
}

int scratch_folder(const char *parent, const char *name, struct err *err)
{
    char path[PATH_MAX];
    int rc = path_make(parent, name, "", path, err);

    if (rc != 0 || mkdir(path, 0700) == 0 || errno == EEXIST) return rc;
    return err_system(err, errno, "make folder %s", path);
}

/* Writes what the file at path is to hold, and nothing else. */
static int path_write(const char *path, int flags, struct str content, struct err *err)
{
    int fd, problem, rc = path_open(path, O_WRONLY | O_CREAT | flags, &fd, err);

    if (rc != 0) return rc;
    problem = write_full(fd, content);
    if (problem == 0 && !(flags & O_TRUNC) && ftruncate(fd, (off_t)content.size) != 0) {
        problem = errno;
    }
    if (close(fd) != 0 && problem == 0) problem = errno;
    return problem == 0 ? 0 : err_system(err, problem, "write %s", path);
}

int scratch_write(const char *folder, const char *name, struct str content, struct err *err)
{
    char path[PATH_MAX];
    int rc = path_make(folder, name, "", path, err);

    return rc == 0 ? path_write(path, O_TRUNC, content, err) : rc;
}

int scratch_replace(const char *folder, const char *name, struct str content, struct err *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    int rc = path_make(folder, name, ".new", from, err);

    if (rc != 0) return rc;
    rc = path_make(folder, name, "", to, err);
    if (rc == 0) rc = path_write(from, O_TRUNC, content, err);
    if (rc == 0 && rename(from, to) != 0) rc = err_system(err, errno, "rename %s", from);
    return rc;
}

int scratch_renew(const char *folder, const char *name, struct str content, struct err *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    int rc = path_make(folder, name, ".new", from, err);

    if (rc == 0) rc = path_make(folder, name, "", to, err);
    if (rc == 0) rc = path_write(from, 0, content, err);
    if (rc == 0 && !folder_exchange(from, to) && rename(from, to) != 0) {
        rc = err_system(err, errno, "rename %s", from);
    }
    return rc;
}

int scratch_once(const char *folder, const char *name, struct str content, struct err *err)
{
    char from[PATH_MAX], to[PATH_MAX], tail[32];
    int rc;

    snprintf(tail, sizeof tail, ".%ld", (long)getpid());
    rc = path_make(folder, name, tail, from, err);
    if (rc == 0) rc = path_make(folder, name, "", to, err);
    if (rc == 0) rc = path_write(from, O_TRUNC, content, err);
    if (rc != 0) return rc;
    if (link(from, to) != 0 && errno != EEXIST) rc = err_system(err, errno, "link %s", to);
    unlink(from);
    return rc;
}

int scratch_link(const char *folder, const char *name, const char *second, struct err *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    int rc = path_make(folder, name, "", from, err);

    if (rc == 0) rc = path_make(folder, second, "", to, err);
    if (rc == 0 && link(from, to) != 0) rc = err_system(err, errno, "link %s", to);
    return rc;
}

uint32_t scratch_holds(const char *folder, const char *const *names)
{
    enum { LOOKS_MAX = 8 };
    struct folder_piece piece;
    const char *name;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint32_t out = 0, looks = 0;

    if (fd < 0) return UINT32_MAX;
    while (looks++ < LOOKS_MAX && folder_read(fd, &piece)) {
        while ((name = folder_next(&piece))) {
            for (uint32_t i = 0; names[i]; i++) {
                if (strcmp(name, names[i]) == 0) out |= UINT32_C(1) << i;
            }
        }
    }
    close(fd);
    return piece.size == 0 ? out : UINT32_MAX;
}

/* Opens what scratch_read() may read: *fd is open where 0 is given back. */
static int scratch_open_file(const char *folder, const char *name, int *fd, struct err *err)
{
    struct stat st;
    int rc = scratch_open(folder, name, fd, err);

    if (rc != 0) return rc;
    if (fstat(*fd, &st) != 0) {
        rc = err_system(err, errno, "look at %s/%s", folder, name);
    } else if (!S_ISREG(st.st_mode)) {
        rc = err_set(err, ERR_FORMAT, "%s/%s is not a regular file", folder, name);
    }
    if (rc != 0) close(*fd);
    return rc;
}

int scratch_read(const char *folder, const char *name, struct buf *out, struct err *err)
{
    int fd, rc = scratch_open_file(folder, name, &fd, err);

    if (rc != 0) return rc;
    rc = file_read_fd(fd, out, err);
    if (rc != 0) rc = err_wrap(err, "%s/%s", folder, name);
    close(fd);
    return rc;
}

int scratch_text(const char *folder, const char *name, size_t bytes_max, struct arena *arena,
                 struct str *out, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, bytes_max);
    rc = scratch_read(folder, name, &text, err);
    if (rc != 0) buf_clear(&text);
    *out = arena_take(arena, &text);
    return rc;
}

int scratch_each(const char *folder, const char *name,
                 void (*take)(void *context, struct str chunk), void *context, struct err *err)
{
    char piece[65536];
    int fd, rc = scratch_open_file(folder, name, &fd, err);
    ssize_t got;

    if (rc != 0) return rc;
    for (;;) {
        got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        take(context, (struct str){ piece, (size_t)got });
    }
    if (got < 0) rc = err_system(err, errno, "read %s/%s", folder, name);
    close(fd);
    return rc;
}

void scratch_tail(const char *folder, const char *name, size_t bytes, struct buf *out)
{
    struct err none;
    struct stat st;
    int fd;

    if (scratch_open(folder, name, &fd, &none) != 0) return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        off_t from = st.st_size > (off_t)bytes ? st.st_size - (off_t)bytes : 0;
        char *tail = mem_alloc(bytes);
        ssize_t got = pread(fd, tail, bytes, from);

        if (got > 0) buf_add(out, (struct str){ tail, (size_t)got });
        free(tail);
    }
    close(fd);
}

void scratch_last_line(const char *folder, const char *name, size_t bytes, struct buf *out)
{
    struct buf tail;

    buf_init(&tail, TAIL_BYTES);
    scratch_tail(folder, name, TAIL_BYTES, &tail);
    if (tail.size) buf_add(out, str_head(str_last_line(buf_str(&tail)), bytes));
    buf_release(&tail);
}
