/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/erase.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
