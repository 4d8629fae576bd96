/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - where programs are. */
#include "io/process/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

static bool find_on_path(const char *name, char out[PATH_MAX])
{
    const char *path = getenv("PATH");

    if (name[0] == '\0') return false;
    if (strchr(name, '/')) {
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX && is_program(name);
    }
    if (!path) path = "/bin:/usr/bin"; /* what exec takes then */
    for (;;) {
        size_t bytes = strcspn(path, ":");
        struct str folder = bytes > 0 ? (struct str){ path, bytes } : STR("."); /* as exec does */

        if (snprintf(out, PATH_MAX, "%.*s/%s", STR_ARG(folder), name) < PATH_MAX &&
            is_program(out)) {
            return true;
        }
        if (path[bytes] == '\0') return false;
        path += bytes + 1;
    }
}

const char *program_find(const char *name, struct arena *arena)
{
    char path[PATH_MAX];

    return find_on_path(name, path) ? arena_cstr(arena, str_of(path)) : NULL;
}

bool program_exists(const char *name)
{
    char path[PATH_MAX];

    return find_on_path(name, path);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

uint64_t program_stamp(const char *path)
{
    struct stat info;
    uint64_t hash;

    if (stat(path, &info) != 0) return 0;
    hash = mix(1, (uint64_t)info.st_dev);
    hash = mix(hash, (uint64_t)info.st_ino);
    hash = mix(hash, (uint64_t)info.st_size);
    hash = mix(hash, (uint64_t)info.st_mtim.tv_sec);
    hash = mix(hash, (uint64_t)info.st_mtim.tv_nsec);
    return hash ? hash : 1;
}
