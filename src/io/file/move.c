/* SPDX-License-Identifier: Apache-2.0
 *
 * move.c - rename(2), and what to do where it cannot.
 *
 * Inside one file system a rename does it all. Between two, each file is copied, synced and only
 * then removed; a folder is made, emptied file by file, and removed when it is empty.
 */
#include "io/file/move.h"

#include "io/file/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 256, NAMES_MAX = 10000 };

static int copy_bytes(int from, int to)
{
    char piece[65536];

    for (;;) {
        ssize_t got = read(from, piece, sizeof piece);
        int problem;

        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return fsync(to) != 0 ? errno : 0;
        problem = write_full(to, (struct str){ piece, (size_t)got });
        if (problem != 0) return problem;
    }
}

static int copy_file(int from_fd, const char *name, int to_fd, const char *new_name, mode_t mode)
{
    int from = openat(from_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    int to;
    int problem;

    if (from < 0) return errno;
    to = openat(to_fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0) {
        problem = errno;
        close(from);
        return problem;
    }
    problem = copy_bytes(from, to);
    if (problem == 0 && fchmod(to, mode & 07777) != 0) problem = errno;
    if (close(to) != 0 && problem == 0) problem = errno;
    close(from);
    return problem;
}

static int copy_link(int from_fd, const char *name, int to_fd, const char *new_name)
{
    char target[PATH_MAX];
    ssize_t bytes = readlinkat(from_fd, name, target, sizeof target - 1);

    if (bytes < 0) return errno;
    target[bytes] = '\0';
    return symlinkat(target, to_fd, new_name) != 0 ? errno : 0;
}

static int move_slowly(int from_fd, const char *name, int to_fd, const char *new_name, int depth);

static int move_items(DIR *dir, int to_fd, int depth)
{
    struct dirent *item;
    int problem = 0;

    while (problem == 0 && (errno = 0, item = readdir(dir))) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        problem = move_slowly(dirfd(dir), item->d_name, to_fd, item->d_name, depth + 1);
    }
    return problem != 0 ? problem : errno;
}

static int move_folder(int from_fd, const char *name, int to_fd, const char *new_name, int depth)
{
    struct stat st;
    int from, to = -1;
    DIR *dir = NULL;
    int problem = 0;

    if (depth == DEPTH_MAX) return ELOOP;
    if (mkdirat(to_fd, new_name, 0700) != 0 && errno != EEXIST) return errno;
    from = openat(from_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (from >= 0) dir = fdopendir(from);
    if (dir) to = openat(to_fd, new_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (!dir || to < 0 || fstat(from, &st) != 0) {
        problem = errno;
        if (from >= 0 && !dir) close(from);
    } else {
        problem = move_items(dir, to, depth);
        if (problem == 0 && fchmod(to, st.st_mode & 07777) != 0) problem = errno;
    }
    if (to >= 0) close(to);
    if (dir) closedir(dir);
    if (problem == 0 && unlinkat(from_fd, name, AT_REMOVEDIR) != 0) problem = errno;
    return problem;
}

static int move_slowly(int from_fd, const char *name, int to_fd, const char *new_name, int depth)
{
    struct stat st;
    int problem = 0;

    if (fstatat(from_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (S_ISDIR(st.st_mode)) return move_folder(from_fd, name, to_fd, new_name, depth);
    if (S_ISREG(st.st_mode)) problem = copy_file(from_fd, name, to_fd, new_name, st.st_mode);
    else if (S_ISLNK(st.st_mode)) problem = copy_link(from_fd, name, to_fd, new_name);
    if (problem == 0 && unlinkat(from_fd, name, 0) != 0) problem = errno;
    return problem;
}

/* A name in the folder that is not taken yet. */
static bool find_free_name(int folder_fd, const char *name, char out[NAME_MAX + 1])
{
    struct stat st;

    snprintf(out, NAME_MAX + 1, "%s", name);
    for (int i = 1; i <= NAMES_MAX; i++) {
        if (fstatat(folder_fd, out, &st, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
        snprintf(out, NAME_MAX + 1, "%.*s.%d", NAME_MAX - 8, name, i);
    }
    return false;
}

int move_between(int from_fd, int to_fd, const char *name, struct err *err)
{
    char new_name[NAME_MAX + 1];
    int problem;

    if (!find_free_name(to_fd, name, new_name))
        return err_set(err, ERR_SYSTEM, "move %s away: there is no free name for it", name);
    if (renameat(from_fd, name, to_fd, new_name) == 0) return 0;
    problem = errno == EXDEV ? move_slowly(from_fd, name, to_fd, new_name, 0) : errno;
    return problem != 0 ? err_system(err, problem, "move %s away", name) : 0;
}
