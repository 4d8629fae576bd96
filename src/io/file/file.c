/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c - whole files, read with a bound; folders; the clocks; random words.
 *
 * Reading asks the descriptor, not the name, what it is: between the two a name can change. A
 * pipe or a device is refused before a byte is read, and opening one does not block.
 *
 * Not here: writing (file_write.c).
 */
#include "io/file/file.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/file/uptime.h"
#include "io/file/walk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- reading ---- */

/* The next bytes behind buf: their number, 0 at the end, -1 and errno. Waits where the descriptor
 * is one that does not block by itself. */
static ssize_t read_some(int fd, void *out, size_t bytes)
{
    for (;;) {
        ssize_t got = read(fd, out, bytes);

        if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
        if (errno == EAGAIN) {
            struct pollfd wait = { .fd = fd, .events = POLLIN };

            if (poll(&wait, 1, -1) < 0 && errno != EINTR) return -1;
        }
    }
}

int file_read_fd(int fd, struct buf *out, struct err *err)
{
    enum { PIECE_BYTES = 65536 };

    for (;;) {
        size_t room = out->limit - out->size;
        size_t bytes = room < PIECE_BYTES ? room : PIECE_BYTES;
        char beyond;
        ssize_t got;

        if (bytes) buf_reserve(out, bytes);
        got = bytes ? read_some(fd, out->data + out->size, bytes) : read_some(fd, &beyond, 1);
        if (got < 0) return err_system(err, errno, "read");
        if (got == 0) return 0;
        if (bytes == 0) {
            out->overflow = true;
            return err_set(err, ERR_LIMIT, "it is larger than %zu bytes", out->limit);
        }
        out->size += (size_t)got;
        out->data[out->size] = '\0';
    }
}

int file_read(const char *path, struct buf *out, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    int rc;

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return err_set(err, ERR_MISSING, "read %s: there is no such file", path);
    if (fd < 0) return err_system(err, errno, "read %s", path);
    if (fstat(fd, &st) != 0) {
        rc = err_system(err, errno, "read %s", path);
    } else if (!S_ISREG(st.st_mode)) {
        rc = err_set(err, ERR_FORMAT, "read %s: it is not a regular file", path);
    } else {
        rc = file_read_fd(fd, out, err);
        if (rc != 0) rc = err_wrap(err, "read %s", path);
    }
    close(fd);
    return rc;
}

static int read_leaf(int folder_fd, const char *leaf, struct buf *out, struct err *err)
{
    int fd = openat(folder_fd, leaf, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    int rc;

    if (fd < 0 && errno == ENOENT) return err_set(err, ERR_MISSING, "there is no such file");
    if (fd < 0 && errno == ELOOP) return err_set(err, ERR_FORMAT, "it is a link");
    if (fd < 0) return err_system(err, errno, "open");
    if (fstat(fd, &st) != 0) rc = err_system(err, errno, "look");
    else if (!S_ISREG(st.st_mode)) rc = err_set(err, ERR_FORMAT, "it is not a regular file");
    else rc = file_read_fd(fd, out, err);
    close(fd);
    return rc;
}

/* The folder that root/path lies in, and the last part of path. *folder_fd is -1 after an error. */
static int parent_open(const char *root, const char *path, int *folder_fd,
                       char leaf[NAME_MAX + 1], struct err *err)
{
    int root_fd, rc;

    *folder_fd = -1;
    if (!path_is_clean(str_of(path)))
        return err_set(err, ERR_FORMAT, "it is not a path below that folder");
    rc = folder_open(root, &root_fd, err);
    if (rc != 0) return rc;
    rc = walk_parent(root_fd, str_of(path), false, folder_fd, leaf, err);
    close(root_fd);
    return rc;
}

int file_read_in(const char *root, const char *path, struct buf *out, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int folder_fd, rc = parent_open(root, path, &folder_fd, leaf, err);

    if (rc == 0) rc = read_leaf(folder_fd, leaf, out, err);
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "read %s", path);
}

int file_text(const char *path, size_t bytes_max, struct arena *arena, struct str *out,
              struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, bytes_max);
    rc = file_read(path, &text, err);
    if (rc != 0) buf_clear(&text);
    *out = arena_take(arena, &text);
    return rc;
}

int file_text_in(const char *root, const char *path, size_t bytes_max, struct arena *arena,
                 struct str *out, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, bytes_max);
    rc = file_read_in(root, path, &text, err);
    if (rc != 0) buf_clear(&text);
    *out = arena_take(arena, &text);
    return rc;
}

bool file_is_writable_in(const char *root, const char *path)
{
    char leaf[NAME_MAX + 1];
    struct err err;
    int folder_fd;
    bool may = parent_open(root, path, &folder_fd, leaf, &err) == 0 &&
               faccessat(folder_fd, ".", W_OK | X_OK, AT_EACCESS) == 0 &&
               faccessat(folder_fd, leaf, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;

    if (folder_fd >= 0) close(folder_fd);
    return may;
}

/* ---- folders and names ---- */

/* So that a new name is there after a power cut. A file system that cannot says EINVAL. */
static int sync_folder_of(const char *path, struct err *err)
{
    struct str folder = path_folder(str_of(path));
    char *name = folder.size ? mem_copy(folder.data, folder.size)
                             : mem_copy(path[0] == '/' ? "/" : ".", 1);
    int fd = -1;
    int rc = folder_open(name, &fd, err);

    if (rc == 0 && fsync(fd) != 0 && errno != EINVAL) rc = err_system(err, errno, "sync %s", name);
    if (fd >= 0) close(fd);
    free(name);
    return rc;
}

static int make_one(const char *path, mode_t mode, struct err *err)
{
    struct stat st;

    if (mkdir(path, mode) == 0) return sync_folder_of(path, err);
    if (errno == EEXIST && stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) return 0;
        errno = ENOTDIR;
    }
    return err_system(err, errno, "make folder %s", path);
}

int file_make_folder(const char *path, bool shared, struct err *err)
{
    struct stat st;
    char *copy;
    int rc = 0;

    assert(path[0] != '\0');
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return 0;
    copy = mem_copy(path, strlen(path));
    for (size_t i = 1; rc == 0 && i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        copy[i] = '\0';
        rc = make_one(copy, shared ? 0777 : 0700, err);
        copy[i] = path[i];
    }
    free(copy);
    return rc;
}

int file_make_folder_in(const char *root, const char *path, struct err *err)
{
    int root_fd, fd;
    int rc;

    if (!path_is_clean(str_of(path)))
        return err_set(err, ERR_FORMAT, "make folder %s/%s: not a path below it", root, path);
    rc = folder_open(root, &root_fd, err);
    if (rc != 0) return rc;
    rc = walk_open(root_fd, str_of(path), true, &fd, err);
    if (rc == 0) close(fd);
    if (rc != 0) err_wrap(err, "in %s", root);
    close(root_fd);
    return rc;
}

int file_remove_in(const char *root, const char *path, struct err *err)
{
    char leaf[NAME_MAX + 1];
    struct stat status;
    int folder_fd, rc = parent_open(root, path, &folder_fd, leaf, err);

    if (rc == ERR_MISSING) return 0;
    /* Mostly it is not there: looking is no write. */
    if (rc == 0 && fstatat(folder_fd, leaf, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
        close(folder_fd);
        return 0;
    }
    if (rc == 0 && unlinkat(folder_fd, leaf, 0) != 0 && errno != ENOENT)
        rc = err_system(err, errno, "unlink");
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "remove %s/%s", root, path);
}

void file_remove_torn(const char *root, const char *path)
{
    const char *leaf = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char name[NAME_MAX + 1], whole[PATH_MAX];
    struct err none;

    temp_name(leaf, name);
    if ((size_t)snprintf(whole, sizeof whole, "%.*s%s", (int)(leaf - path), path, name) <
        sizeof whole) {
        (void)file_remove_in(root, whole, &none);
    }
}

int file_link_in(const char *root, const char *path, const char *to, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int folder_fd, rc = parent_open(root, path, &folder_fd, leaf, err);

    if (rc == 0 && linkat(folder_fd, leaf, AT_FDCWD, to, 0) != 0)
        rc = err_system(err, errno, "give it the name %s", to);
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "link %s/%s", root, path);
}

int file_set_runnable(const char *root, const char *path, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int folder_fd, fd = -1, rc = parent_open(root, path, &folder_fd, leaf, err);
    struct stat st;

    if (rc == 0) fd = openat(folder_fd, leaf, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (rc == 0 && (fd < 0 || fstat(fd, &st) != 0 ||
                    fchmod(fd, (st.st_mode & 0777) | ((st.st_mode & 0444) >> 2)) != 0)) {
        rc = err_system(err, errno, "let it run");
    }
    if (fd >= 0) close(fd);
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "%s/%s", root, path);
}

int file_rename_in(const char *root, const char *path, const char *name, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int folder_fd, rc = parent_open(root, path, &folder_fd, leaf, err);

    if (rc == 0 && renameat(folder_fd, leaf, folder_fd, name) != 0) {
        rc = errno == ENOENT ? err_set(err, ERR_MISSING, "there is no such file")
                             : err_system(err, errno, "give it the name %s", name);
    }
    if (rc == 0 && fsync(folder_fd) != 0 && errno != EINVAL) rc = err_system(err, errno, "sync");
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "rename %s/%s", root, path);
}

int file_append_in(const char *root, const char *path, struct str content, struct err *err)
{
    static const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                             O_NOFOLLOW;
    char leaf[NAME_MAX + 1];
    int folder_fd, fd = -1, rc = parent_open(root, path, &folder_fd, leaf, err);
    struct stat st;
    int problem = 0;

    if (rc == 0) fd = openat(folder_fd, leaf, flags, 0666);
    if (rc == 0 && fd < 0) rc = err_system(err, errno, "open it");
    if (rc == 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        rc = err_set(err, ERR_FORMAT, "it is not a regular file");
    }
    if (rc == 0) problem = write_full(fd, content);
    if (problem != 0) rc = err_system(err, problem, "add to it");
    if (fd >= 0) close(fd);
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "write to %s/%s", root, path);
}

/* ---- what the user named ---- */

void file_place_find(const char *workspace, const char *whole, struct arena *arena,
                     struct file_place *out)
{
    struct str top = workspace ? str_of(arena_printf(arena, "%s/", workspace)) : STR("");
    struct str rest = str_of(whole), part;
    const char *now = "";
    struct stat st;

    while (str_cut(&rest, '/', &part)) {
        const char *real;

        if (part.size == 0) continue;
        now = arena_printf(arena, "%s/%.*s", now, STR_ARG(part));
        if (workspace && str_starts(str_of(now), top)) continue;
        real = file_real(now, arena);
        if (real) now = strcmp(real, "/") == 0 ? "" : real;
    }
    *out = (struct file_place){ .root = *now ? now : "/", .path = "" };
    out->inside = workspace && str_starts(str_of(now), top);
    /* A link that is left outside leads to no file: nowhere, or to a pipe, as /dev/stdout does. */
    out->taken = lstat(out->root, &st) == 0 && !S_ISREG(st.st_mode) &&
                 !(out->inside && S_ISLNK(st.st_mode));
    if (out->inside) {
        out->root = workspace;
        out->path = now + top.size;
    } else if (!out->taken || !S_ISDIR(st.st_mode)) {
        out->root = path_folder_text(now, arena);
        out->path = path_leaf_text(now);
    }
}

int file_place_write(const struct file_place *place, struct str content, struct err *err)
{
    struct arena arena = { 0 };
    const char *whole = arena_printf(&arena, "%s/%s", place->root, place->path);
    const char *folder = path_folder_text(whole, &arena);
    int rc = 0;

    if (!file_exists(folder)) {
        rc = err_set(err, ERR_MISSING, "%s: there is no such folder", folder);
    }
    if (rc == 0) rc = file_write_shared(place->root, place->path, content, err);
    arena_release(&arena);
    return rc;
}

bool file_exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

const char *file_real(const char *path, struct arena *arena)
{
    char real[PATH_MAX];

    return realpath(path, real) ? arena_cstr(arena, str_of(real)) : NULL;
}

int file_rename(const char *from, const char *to, struct err *err)
{
    int rc;

    if (rename(from, to) != 0) return err_system(err, errno, "rename %s to %s", from, to);
    rc = sync_folder_of(to, err);
    if (rc == 0 && !str_eq(path_folder(str_of(from)), path_folder(str_of(to))))
        rc = sync_folder_of(from, err);
    return rc;
}

/* ---- time and chance ---- */

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;
    int rc = clock_gettime(id, &now);

    assert(rc == 0);
    (void)rc;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static _Atomic uint64_t wall_base_ms; /* what the wall clock says at an uptime of 0 */

uint64_t now_wall_ms(void)
{
    uint64_t up_ms = uptime_ms();

    if (wall_base_ms == 0) wall_base_ms = read_clock(CLOCK_REALTIME) - up_ms;
    return wall_base_ms + up_ms;
}

void now_wall_begin(uint64_t ms)
{
    uint64_t now_ms = now_wall_ms();

    if (ms > now_ms && ms <= CLOCK_MS_MAX) wall_base_ms += ms - now_ms;
}

struct wall_mark now_wall_mark(void)
{
    uint64_t up_ms = uptime_ms();

    return (struct wall_mark){ .ms = now_wall_ms(), .up_ms = up_ms, .boot = uptime_boot() };
}

void now_wall_go_on(const struct wall_mark *mark)
{
    if (mark->boot == 0 || mark->boot != uptime_boot()) return;
    if (mark->up_ms > uptime_ms() || mark->ms < mark->up_ms || mark->ms > CLOCK_MS_MAX) return;
    wall_base_ms = mark->ms - mark->up_ms;
}

void pause_ms(uint32_t ms)
{
    struct timespec rest = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

uint64_t now_steady_ms(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void random_bytes(unsigned char *out, size_t count)
{
    int rc = getentropy(out, count);

    assert(rc == 0);
    (void)rc;
}

void random_word(char *out, uint32_t count)
{
    static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz"; /* no i, l, o, u */

    random_bytes((unsigned char *)out, count);
    for (uint32_t i = 0; i < count; i++) out[i] = letters[(unsigned char)out[i] % 32];
    out[count] = '\0';
}

const char *random_uuid(char out[UUID_BYTES])
{
    static const char form[] = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"; /* version 4 */
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[sizeof form];

    random_bytes(bytes, sizeof bytes);
    for (uint32_t i = 0; i < sizeof form; i++) {
        out[i] = form[i];
        if (form[i] == 'x') out[i] = digits[bytes[i] & 15];
        if (form[i] == 'y') out[i] = digits[8 | (bytes[i] & 3)];
    }
    return out;
}
