/* SPDX-License-Identifier: Apache-2.0
 *
 * peek.c - files looked at by path, below a folder that is held open.
 *
 * An agent, or the author of the repository, may have put a link into the workspace: one in the
 * middle of a path must not lead a reader out of it. So every part of a path is opened by itself
 * (walk.h). Whether it is a regular file is asked after it was opened, not before: between the two
 * another process could replace it. */
#include "io/file/peek.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int peek_open(struct peek *peek, const char *root, struct err *err)
{
    *peek = (struct peek){ .root_fd = -1, .folder_fd = -1 };
    buf_init(&peek->folder, PATH_MAX);
    return folder_open(root, &peek->root_fd, err);
}

void peek_close(struct peek *peek)
{
    if (peek->root_fd >= 0) close(peek->root_fd);
    if (peek->folder_fd >= 0) close(peek->folder_fd);
    peek->root_fd = peek->folder_fd = -1;
    buf_release(&peek->folder);
}

/* folder_fd becomes the folder of path, leaf its name. */
static bool stand_beside(struct peek *peek, struct str path, char leaf[NAME_MAX + 1])
{
    struct str folder = path_folder(path), name = path_leaf(path);
    struct err none;

    if (!path_is_clean(path) || path.size >= PATH_MAX) return false;
    memcpy(leaf, name.data, name.size);
    leaf[name.size] = '\0';
    if (peek->folder_fd >= 0 && str_eq(folder, buf_str(&peek->folder))) return true;
    if (peek->folder_fd >= 0) close(peek->folder_fd);
    peek->folder_fd = -1;
    buf_clear(&peek->folder);
    buf_add(&peek->folder, folder);
    return walk_open(peek->root_fd, folder, false, &peek->folder_fd, &none) == 0;
}

bool peek_look(struct peek *peek, struct str path, struct peeked *out)
{
    char leaf[NAME_MAX + 1];
    struct stat info;

    if (!stand_beside(peek, path, leaf)) return false;
    if (fstatat(peek->folder_fd, leaf, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!S_ISREG(info.st_mode)) return false;
    if (out) {
        *out = (struct peeked){ .bytes = (uint64_t)info.st_size,
                                .executable = (info.st_mode & S_IXUSR) != 0 };
    }
    return true;
}

static int open_file(struct peek *peek, struct str path, int *out, struct err *err)
{
    char leaf[NAME_MAX + 1];
    struct stat info;
    int fd;

    if (!stand_beside(peek, path, leaf))
        return err_set(err, ERR_MISSING, "there is no such file, or a link leads to it");
    fd = openat(peek->folder_fd, leaf, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == ELOOP))
        return err_set(err, ERR_MISSING, "there is no such file, or it is a link");
    if (fd < 0) return err_system(err, errno, "open");
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return err_set(err, ERR_MISSING, "it is not a regular file");
    }
    *out = fd;
    return 0;
}

int peek_head(struct peek *peek, struct str path, size_t bytes_max, struct buf *out,
              struct err *err)
{
    size_t wanted = out->size + bytes_max;
    int fd, rc;

    rc = open_file(peek, path, &fd, err);
    if (rc != 0) return rc;
    if (buf_reserve(out, bytes_max) != 0) rc = err_set(err, ERR_LIMIT, "no room for its beginning");
    while (rc == 0 && out->size < wanted) {
        ssize_t got = read(fd, out->data + out->size, wanted - out->size);

        if (got < 0 && errno == EINTR) continue;
        if (got < 0) rc = err_system(err, errno, "read");
        if (got <= 0) break;
        out->size += (size_t)got;
    }
    if (out->data) out->data[out->size] = '\0';
    close(fd);
    return rc;
}

int peek_read(struct peek *peek, struct str path, struct buf *out, struct err *err)
{
    int fd;
    int rc = open_file(peek, path, &fd, err);

    if (rc != 0) return rc;
    rc = file_read_fd(fd, out, err);
    close(fd);
    return rc;
}

/* ---- by absolute paths ---- */

static const char *real_path_of(const char *path, mode_t type, struct arena *arena)
{
    struct stat info;

    if (stat(path, &info) != 0 || (info.st_mode & S_IFMT) != type) return NULL;
    return file_real(path, arena);
}

const char *real_file(const char *path, struct arena *arena)
{
    return real_path_of(path, S_IFREG, arena);
}

const char *real_folder(const char *path, struct arena *arena)
{
    return real_path_of(path, S_IFDIR, arena);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *folder_names(const char *path, const char *prefix, struct arena *arena)
{
    DIR *dir = opendir(path);
    const char **names = NULL, **out;
    uint32_t count = 0, cap = 0;
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (!str_starts(str_of(entry->d_name), str_of(prefix))) continue;
        names = mem_grow(names, count, &cap, sizeof *names);
        names[count++] = arena_cstr(arena, str_of(entry->d_name));
    }
    if (dir) closedir(dir);
    if (count) qsort(names, count, sizeof *names, compare_names);
    out = arena_alloc(arena, (count + 1) * sizeof *out);
    for (uint32_t i = 0; i < count; i++) out[i] = names[i];
    free(names);
    return out;
}
