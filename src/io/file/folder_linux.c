/* SPDX-License-Identifier: Apache-2.0
 *
 * folder_linux.c - the names in a folder by the system call itself, two names exchanged, and one
 * given that is free.
 *
 * Not by readdir(3): a folder costs three system calls less. By their numbers, since not every C
 * library has functions of these names (musl). */
#include "io/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1U << 0)
#define RENAME_EXCHANGE (1U << 1)
#endif

_Static_assert(FOLDER_ENTRY_ALIGN % _Alignof(struct dirent64) == 0, "entries are read in place");

bool folder_read(int fd, struct folder_piece *piece)
{
    piece->at = 0;
    piece->size = syscall(SYS_getdents64, fd, piece->entries, sizeof piece->entries);
    return piece->size > 0;
}

const char *folder_next(struct folder_piece *piece)
{
    const struct dirent64 *entry = (const void *)(piece->entries + piece->at);

    if (piece->at >= piece->size) return NULL;
    piece->at += entry->d_reclen;
    return entry->d_name;
}

bool folder_exchange(const char *a, const char *b)
{
    return syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
}

int folder_name(int fd, const char *from, const char *to)
{
    struct stat st;

    if (syscall(SYS_renameat2, fd, from, fd, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    /* A file system that cannot do that: a look, and then the name. */
    if (fstatat(fd, to, &st, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
    return renameat(fd, from, fd, to) != 0 ? errno : 0;
}
