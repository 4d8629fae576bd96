/* SPDX-License-Identifier: Apache-2.0
 *
 * piece.c - a file is opened for each piece: pieces are large, and files many. */
#include "io/file/piece.h"

#include "base/arena.h"
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUM_BYTES = 256 * 1024 };

static int piece_open(const char *path, int flags, int *fd, struct err *err)
{
    struct stat about;

    *fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (*fd < 0 && errno == ENOENT) return err_set(err, ERR_MISSING, "%s: no such file", path);
    if (*fd < 0) return err_system(err, errno, "open %s", path);
    if (fstat(*fd, &about) == 0 && S_ISREG(about.st_mode)) return 0;
    close(*fd);
    *fd = -1;
    return err_set(err, ERR_FORMAT, "%s: not a regular file", path);
}

/* As much as there is, up to size. */
static ssize_t read_at(int fd, char *data, size_t size, uint64_t at)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = pread(fd, data + done, size - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

int file_piece_read(const char *path, uint64_t at, size_t bytes_max, struct buf *out,
                    struct err *err)
{
    struct arena arena = { 0 };
    char *data = arena_alloc(&arena, bytes_max + 1);
    ssize_t got;
    int fd, rc = piece_open(path, O_RDONLY, &fd, err);

    if (rc == 0) {
        got = read_at(fd, data, bytes_max, at);
        if (got < 0) rc = err_system(err, errno, "read %s", path);
        else if (buf_add(out, (struct str){ data, (size_t)got }) != 0) {
            rc = err_set(err, ERR_LIMIT, "%s: there is no room for a piece", path);
        }
        close(fd);
    }
    arena_release(&arena);
    return rc;
}

int file_piece_write(const char *folder, const char *name, uint64_t at, struct str bytes,
                     struct err *err)
{
    struct arena arena = { 0 };
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    size_t done = 0;
    int fd, rc = piece_open(path, O_WRONLY | O_CREAT, &fd, err);

    while (rc == 0 && done < bytes.size) {
        ssize_t put = pwrite(fd, bytes.data + done, bytes.size - done, (off_t)(at + done));

        if (put < 0 && errno == EINTR) continue;
        if (put < 0) rc = err_system(err, errno, "write %s", path);
        else done += (size_t)put;
    }
    if (fd >= 0) close(fd);
    arena_release(&arena);
    return rc;
}

int file_sum(const char *path, unsigned char sum[SHA256_BYTES], uint64_t *bytes, struct err *err)
{
    struct arena arena = { 0 };
    char *data = arena_alloc(&arena, SUM_BYTES);
    struct sha256 sha;
    ssize_t got = 0;
    int fd, rc = piece_open(path, O_RDONLY, &fd, err);

    *bytes = 0;
    sha256_init(&sha);
    while (rc == 0 && (got = read_at(fd, data, SUM_BYTES, *bytes)) > 0) {
        sha256_add(&sha, (struct str){ data, (size_t)got });
        *bytes += (uint64_t)got;
    }
    if (rc == 0 && got < 0) rc = err_system(err, errno, "read %s", path);
    sha256_end(&sha, sum);
    if (fd >= 0) close(fd);
    arena_release(&arena);
    return rc;
}

int file_sync(const char *path, struct err *err)
{
    int fd, rc = piece_open(path, O_RDONLY, &fd, err);

    if (rc != 0) return rc;
    if (fsync(fd) != 0 && errno != EINVAL) rc = err_system(err, errno, "sync %s", path);
    close(fd);
    return rc;
}

void file_use(const char *path)
{
    (void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

bool file_unused(const char *path, uint64_t *bytes, uint64_t *unused_ms)
{
    struct stat about;
    uint64_t now_ms = now_wall_ms(), used_ms;

    if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    used_ms = (uint64_t)about.st_mtim.tv_sec * 1000;
    *bytes = (uint64_t)about.st_size;
    *unused_ms = now_ms > used_ms ? now_ms - used_ms : 0;
    return true;
}
