/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - where programs are: one table for the process.
 *
 * 1. A name is looked for once, on the PATH that this process began with, and the answer stays:
 *    also that there is none. An agent that can write to a folder of the PATH could else put a
 *    program there that we run outside of its sandbox.
 * 2. Every program that hone starts goes through it (spawn.c, child.c, sandbox_linux.c).
 * 3. An answer is absolute, or there is none: a PATH may have folders relative to where we are.
 *
 * Not here: what a file at such a path holds by then. The sandbox keeps programs read-only. */
#include "io/process/program.h"

#include "base/mem.h"
#include "base/text_map.h"
#include "io/process/family.h"

#include <errno.h>
#include <signal.h>
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

static struct {
    struct arena arena;
    struct text_map names; /* each with the PATH it was looked for on, to its place in paths */
    const char **paths;    /* NULL: none */
    uint32_t count, cap;
} table;

static const char *keep_path(const char *path)
{
    char real[PATH_MAX];

    if (path[0] != '/' && !realpath(path, real)) return NULL;
    return arena_cstr(&table.arena, str_of(path[0] == '/' ? path : real));
}

const char *program_path(const char *name)
{
    const char *on = getenv("PATH");
    struct arena scratch = { 0 };
    char path[PATH_MAX];
    uint32_t *place;

    if (strchr(name, '/')) return is_program(name) ? name : NULL;
    place = text_map_put(&table.names, str_of(arena_printf(&scratch, "%s:%s", name, on ? on : "")),
                         &table.arena);
    arena_release(&scratch);
    if (*place == MAP_NONE) {
        *place = table.count;
        table.paths = mem_grow(table.paths, table.count, &table.cap, sizeof *table.paths);
        table.paths[table.count++] = find_on_path(name, path) ? keep_path(path) : NULL;
    }
    return table.paths[*place];
}

void programs_settle(const char *const *names)
{
    for (; *names; names++) (void)program_path(*names);
}

const char *program_find(const char *name, struct arena *arena)
{
    const char *path = program_path(name);

    return path ? arena_cstr(arena, str_of(path)) : NULL;
}

bool program_exists(const char *name)
{
    return program_path(name) != NULL;
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

int program_become(long parent, const char *const *argv)
{
    union { /* execvp() changes none of them, and says otherwise */
        const char *const *is;
        char *const *as;
    } words = { .is = argv };

    if (!family_end_with((pid_t)parent, SIGKILL)) return ESRCH;
    execvp(argv[0], words.as);
    return errno;
}
