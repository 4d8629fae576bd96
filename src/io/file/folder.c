/* SPDX-License-Identifier: Apache-2.0
 *
 * folder.c - what can be said of a folder without writing to it, and its end. */
#include "io/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PLAIN_DEPTH_MAX = 500 };

int folder_look(const char *path, struct folder_state *out, struct err *err)
{
    struct statvfs disk;
    struct stat info;

    *out = (struct folder_state){ 0 };
    if (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return err_set(err, ERR_MISSING, "%s: there is no such folder", path);
    }
    if (statvfs(path, &disk) != 0) return err_system(err, errno, "%s", path);
    out->writable = faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
    out->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return 0;
}

bool folder_has_only(const char *path, const char *const *names)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool only = folder != NULL;

    while (only && (entry = readdir(folder))) {
        uint32_t i = 0;

        while (names[i] && strcmp(names[i], entry->d_name) != 0) i++;
        only = names[i] || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    if (folder) closedir(folder);
    return only;
}

int folder_link_names(const char *from, const char *to, struct err *err)
{
    DIR *folder = opendir(from);
    int to_fd = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const struct dirent *entry;
    char target[PATH_MAX];
    int rc = 0;

    if (!folder || to_fd < 0) {
        rc = !folder && (errno == ENOENT || errno == ENOTDIR)
                 ? err_set(err, ERR_MISSING, "%s: there is no such folder", from)
                 : err_system(err, errno, "link the names of %s", from);
    }
    while (rc == 0 && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        int size = snprintf(target, sizeof target, "%s/%s", from, name);

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0) {
            continue;
        }
        if (size < 0 || (size_t)size >= sizeof target) continue; /* no compiler opens it either */
        if (symlinkat(target, to_fd, name) != 0 && errno != EEXIST) {
            rc = err_system(err, errno, "make a link to %s", target);
        }
    }
    if (folder) closedir(folder);
    if (to_fd >= 0) close(to_fd);
    return rc;
}

void folder_remove_empty(const char *path)
{
    (void)rmdir(path); /* where it fails, the folder is not empty */
}

enum { ERASE_DEPTH_MAX = 200 };

static int erase_at(int parent_fd, const char *name, int depth);

/* What is in the folder. 0 or an errno value. */
static int erase_inside(DIR *folder, int depth)
{
    const struct dirent *entry;
    int problem = 0;

    while (problem == 0 && (errno = 0, entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        problem = erase_at(dirfd(folder), entry->d_name, depth);
    }
    return problem ? problem : errno;
}

static int erase_at(int parent_fd, const char *name, int depth)
{
    DIR *folder;
    int problem, fd;

    if (unlinkat(parent_fd, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR && errno != EPERM) return errno;
    if (depth == ERASE_DEPTH_MAX) return ENAMETOOLONG;
    fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent_fd, name, 0700, 0) == 0) {
        fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) return errno;
    (void)fchmod(fd, 0700);
    folder = fdopendir(fd);
    if (!folder) {
        problem = errno;
        close(fd);
        return problem;
    }
    problem = erase_inside(folder, depth + 1);
    closedir(folder);
    if (problem == 0 && unlinkat(parent_fd, name, AT_REMOVEDIR) != 0) problem = errno;
    return problem;
}

int folder_erase(const char *path, struct err *err)
{
    int problem = erase_at(AT_FDCWD, path, 0);

    return problem ? err_system(err, problem, "remove %s", path) : 0;
}

static bool is_plain_at(int at, const char *name, int depth)
{
    int fd = depth > 0 ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    bool plain = folder != NULL;
    struct dirent *entry;

    if (!folder && fd >= 0) close(fd);
    while (plain && (entry = readdir(folder))) {
        struct stat info = { .st_mode = (mode_t)DTTOIF(entry->d_type) };

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (entry->d_type == DT_UNKNOWN &&
            fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) plain = false;
        if (S_ISDIR(info.st_mode)) plain = plain && is_plain_at(dirfd(folder), entry->d_name,
                                                                depth - 1);
        else if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) plain = false;
    }
    if (folder) closedir(folder);
    return plain;
}

bool folder_is_plain(const char *path)
{
    return is_plain_at(AT_FDCWD, path, PLAIN_DEPTH_MAX);
}

int folder_enter(const char *path, struct err *err)
{
    return chdir(path) == 0 ? 0 : err_system(err, errno, "enter %s", path);
}
