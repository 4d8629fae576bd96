/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/rewrite.h"

#include "io/file/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int path_of(const struct rewrite *rewrite, const char *tail, char out[PATH_MAX],
                   struct err *err)
{
    return path_make(rewrite->folder, rewrite->name, tail, out, err);
}

int rewrite_open(struct rewrite *rewrite, const char *folder, const char *name, struct err *err)
{
    char path[PATH_MAX];
    struct stat st;
    int rc;

    *rewrite = (struct rewrite){ .folder = folder, .name = name, .fd = -1, .new_fd = -1 };
    rc = path_of(rewrite, "", path, err);
    if (rc != 0) return rc;
    if (lstat(path, &st) == 0) {
        if (S_ISREG(st.st_mode) && st.st_size == 0) return 0; /* nothing to open it for */
        rewrite->fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    }
    if (rewrite->fd < 0 && errno == ENOENT) {
        return err_set(err, ERR_MISSING, "%s: no such file", path);
    }
    if (rewrite->fd < 0 && errno == ELOOP) return err_set(err, ERR_FORMAT, "%s is a link", path);
    if (rewrite->fd < 0) return err_system(err, errno, "open %s", path);
    if (fstat(rewrite->fd, &st) != 0) {
        rc = err_system(err, errno, "look at %s", path);
    } else if (!S_ISREG(st.st_mode)) {
        rc = err_set(err, ERR_FORMAT, "%s is not a regular file", path);
    } else {
        rewrite->bytes = (uint64_t)st.st_size;
    }
    if (rc != 0) rewrite_close(rewrite);
    return rc;
}

void rewrite_close(struct rewrite *rewrite)
{
    char path[PATH_MAX];
    struct err none;

    if (rewrite->fd >= 0) close(rewrite->fd);
    if (rewrite->new_fd >= 0) {
        close(rewrite->new_fd);
        if (path_of(rewrite, ".new", path, &none) == 0) unlink(path);
    }
    rewrite->fd = rewrite->new_fd = -1;
}

int rewrite_read(const struct rewrite *rewrite, uint64_t at, size_t bytes, struct buf *out,
                 struct err *err)
{
    while (bytes > 0 && rewrite->fd >= 0) {
        ssize_t got;

        if (buf_reserve(out, bytes) != 0) return err_set(err, ERR_LIMIT, "the piece is too long");
        got = pread(rewrite->fd, out->data + out->size, bytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return err_system(err, errno, "read %s/%s", rewrite->folder, rewrite->name);
        if (got == 0) break;
        out->size += (size_t)got;
        out->data[out->size] = '\0';
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return 0;
}

int rewrite_add(struct rewrite *rewrite, struct str piece, struct err *err)
{
    char path[PATH_MAX];
    int problem, rc;

    if (rewrite->new_fd < 0) {
        rc = path_of(rewrite, ".new", path, err);
        if (rc != 0) return rc;
        if (unlink(path) != 0 && errno != ENOENT) return err_system(err, errno, "remove %s", path);
        rewrite->new_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (rewrite->new_fd < 0) return err_system(err, errno, "make %s", path);
    }
    problem = write_full(rewrite->new_fd, piece);
    if (problem == 0) return 0;
    return err_system(err, problem, "write %s/%s", rewrite->folder, rewrite->name);
}

int rewrite_commit(struct rewrite *rewrite, struct err *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    int fd = rewrite->new_fd;
    int rc = path_of(rewrite, ".new", from, err);

    if (rc == 0) rc = path_of(rewrite, "", to, err);
    if (rc != 0) return rc;
    rewrite->new_fd = -1;
    if (close(fd) != 0) rc = err_system(err, errno, "write %s", from);
    if (rc == 0 && rename(from, to) != 0) rc = err_system(err, errno, "rename %s", from);
    if (rc != 0) unlink(from);
    return rc;
}
