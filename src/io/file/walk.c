/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/walk.h"

#include "base/hash.h"
#include "io/file/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

#define TEMP_END ".hone-tmp" /* a macro: it is joined to formats */

int path_make(const char *folder, const char *name, const char *tail, char out[PATH_MAX],
              struct err *err)
{
    int size = snprintf(out, PATH_MAX, "%s/%s%s", folder, name, tail);

    if (size >= 0 && size < PATH_MAX) return 0;
    return err_set(err, ERR_LIMIT, "the path below %s is too long", folder);
}

int folder_open(const char *path, int *out, struct err *err)
{
    *out = open(path, FOLDER_FLAGS);
    if (*out >= 0) return 0;
    if (errno == ENOENT) return err_set(err, ERR_MISSING, "%s: there is no such folder", path);
    return err_system(err, errno, "open %s", path);
}

/* One part further: *fd becomes the folder `name` inside *fd. */
static int walk_step(int *fd, const char *name, bool make, struct str so_far, struct err *err)
{
    int next = openat(*fd, name, FOLDER_FLAGS | O_NOFOLLOW);

    if (next < 0 && errno == ENOENT && make) {
        if (mkdirat(*fd, name, 0777) != 0 && errno != EEXIST)
            return err_system(err, errno, "make folder %.*s", STR_ARG(so_far));
        next = openat(*fd, name, FOLDER_FLAGS | O_NOFOLLOW);
    }
    if (next < 0 && errno == ENOENT)
        return err_set(err, ERR_MISSING, "%.*s: there is no such folder", STR_ARG(so_far));
    if (next < 0 && (errno == ENOTDIR || errno == ELOOP))
        return err_set(err, ERR_FORMAT, "%.*s is a link or no folder: move it away",
                       STR_ARG(so_far));
    if (next < 0) return err_system(err, errno, "open %.*s", STR_ARG(so_far));
    close(*fd);
    *fd = next;
    return 0;
}

int walk_open(int root_fd, struct str path, bool make, int *out, struct err *err)
{
    struct str rest = path, part;
    int fd = openat(root_fd, ".", FOLDER_FLAGS);
    int rc = 0;

    *out = -1;
    if (fd < 0) return err_system(err, errno, "open folder");
    while (rc == 0 && str_cut(&rest, '/', &part)) {
        char name[NAME_MAX + 1];
        struct str so_far = { path.data, (size_t)(part.data - path.data) + part.size };

        assert(part.size && part.size <= NAME_MAX);
        memcpy(name, part.data, part.size);
        name[part.size] = '\0';
        rc = walk_step(&fd, name, make, so_far, err);
    }
    if (rc != 0) {
        close(fd);
        return rc;
    }
    *out = fd;
    return 0;
}

int walk_parent(int root_fd, struct str path, bool make, int *out, char leaf[NAME_MAX + 1],
                struct err *err)
{
    struct str name = path_leaf(path);

    assert(path_is_clean(path));
    memcpy(leaf, name.data, name.size);
    leaf[name.size] = '\0';
    return walk_open(root_fd, path_folder(path), make, out, err);
}

void temp_name(const char *leaf, char out[NAME_MAX + 1])
{
    enum { LEAF_BYTES_MAX = 200 };
    uint64_t hash = hash_text(HASH_START, str_of(leaf)); /* tells long names apart */

    if (strlen(leaf) <= LEAF_BYTES_MAX) {
        snprintf(out, NAME_MAX + 1, ".%s" TEMP_END, leaf);
        return;
    }
    snprintf(out, NAME_MAX + 1, ".%.*s.%016" PRIx64 TEMP_END, LEAF_BYTES_MAX, leaf, hash);
}

static bool has_prefix(const char *const *prefixes, struct str path)
{
    for (; prefixes && *prefixes; prefixes++) {
        struct str one = str_of(*prefixes);

        if (one.data[0] == '/' ? str_eq(path, str_skip(one, 1)) : str_starts(path, one)) {
            return true;
        }
    }
    return false;
}

bool file_is_private(const char *const *private_paths, struct str path)
{
    struct str folder = path_folder(path), leaf = path_leaf(path);
    char written[PATH_MAX]; /* the file that a temporary one stands beside */
    int size;

    if (has_prefix(private_paths, path)) return true;
    if (leaf.size <= sizeof TEMP_END || leaf.data[0] != '.') return false;
    if (!str_ends(leaf, STR(TEMP_END))) return false;
    leaf = str_skip(leaf, 1);
    leaf.size -= sizeof TEMP_END - 1;
    size = snprintf(written, sizeof written, "%.*s%s%.*s", STR_ARG(folder), folder.size ? "/" : "",
                    STR_ARG(leaf));
    return size > 0 && size < PATH_MAX && has_prefix(private_paths, str_of(written));
}

int write_full(int fd, struct str content)
{
    while (content.size) {
        ssize_t bytes = write(fd, content.data, content.size);

        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0) return errno;
        content = str_skip(content, (size_t)bytes);
    }
    return 0;
}
