/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

void folder_remove_empty(const char *path)
{
    (void)rmdir(path); /* where it fails, somebody has put something there */
}
