/* SPDX-License-Identifier: Apache-2.0
 *
 * git_locks.c - lock files of git, looked for and removed when no process holds them.
 *
 *   names that end in ".lock"
 *     in the git folder, and in that of each work tree        HEAD, index, packed-refs, config ...
 *     below refs                                              branches, and refs of ours
 *
 * 1. A lock should live no longer than the git that made it: it is dead when no git is at work in
 *    the repository. That is told by the working directory of each git, which is the top of a work
 *    tree, this one or another, or the git folder.
 * 2. Other programs that write to a repository hold a lock for an instant: a lock must be a second
 *    old.
 * 3. A lock that is older than the caller asks for belongs to another program, and stays. So does a
 *    lock that has a second name: forward.c made it, and needs it.
 *
 * Not here: locks of hone (lock.c). */
#include "io/git/git_locks.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/process/family.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 16, LOCKS_MAX = 100, DEAD_MS = 1000, TREES_MAX = 1000 };

struct locks {
    struct arena arena;
    const char *paths[LOCKS_MAX];
    uint32_t count;
    uint64_t since_ms, until_ms; /* only those made in between */
    uint64_t newest_ms;
};

/* ---- which ---- */

static void lock_take(struct locks *locks, const char *path)
{
    struct stat st;
    uint64_t made_ms;

    if (locks->count == LOCKS_MAX || lstat(path, &st) != 0 || !S_ISREG(st.st_mode)) return;
    if (st.st_nlink != 1) return;
    made_ms = (uint64_t)st.st_mtim.tv_sec * 1000 + (uint64_t)st.st_mtim.tv_nsec / 1000000;
    if (made_ms < locks->since_ms || made_ms > locks->until_ms) return;
    if (made_ms > locks->newest_ms) locks->newest_ms = made_ms;
    locks->paths[locks->count++] = path;
}

/* depth: how many folders below are looked into, too. */
static void look_in(struct locks *locks, const char *folder, uint32_t depth)
{
    DIR *dir = opendir(folder);
    struct dirent *item;

    while (dir && (item = readdir(dir))) {
        const char *path = arena_printf(&locks->arena, "%s/%s", folder, item->d_name);

        if (item->d_name[0] == '.') continue;
        if (item->d_type == DT_DIR && depth > 0) look_in(locks, path, depth - 1);
        if (item->d_type == DT_REG && str_ends(str_of(item->d_name), STR(".lock"))) {
            lock_take(locks, path);
        }
    }
    if (dir) closedir(dir);
}

static void find_locks(struct locks *locks, const struct repo *repo)
{
    const char *top = repo->common_dir;

    look_in(locks, top, 0);
    look_in(locks, arena_printf(&locks->arena, "%s/refs", top), DEPTH_MAX);
    look_in(locks, arena_printf(&locks->arena, "%s/worktrees", top), 1);
}

/* ---- whose ---- */

static bool is_below(const char *path, const char *folder)
{
    size_t bytes = strlen(folder);

    return strncmp(path, folder, bytes) == 0 && (path[bytes] == '/' || path[bytes] == '\0');
}

/* Where a git of this repository may stand. NULL ends. */
static const char *const *places(const struct repo *repo, struct arena *arena)
{
    const char *folder = arena_printf(arena, "%s/worktrees", repo->common_dir);
    const char *const *names = folder_names(folder, "", arena);
    const char **out = arena_alloc(arena, (TREES_MAX + 3) * sizeof *out);
    uint32_t count = 0;

    out[count++] = repo->workspace;
    out[count++] = repo->common_dir;
    for (; *names && count < TREES_MAX; names++) {
        const char *own = arena_printf(arena, "%s/%s", folder, *names), *path, *real;
        struct str text;
        struct err none;

        if (**names == '.' || file_text(arena_printf(arena, "%s/gitdir", own), PATH_MAX, arena,
                                        &text, &none) != 0) {
            continue;
        }
        path = arena_cstr(arena, path_folder(str_trim(text)));
        if (path[0] != '/') path = arena_printf(arena, "%s/%s", own, path);
        real = file_real(path, arena);
        out[count++] = real ? real : path;
    }
    return out;
}

static bool is_below_one(const void *folders, const char *path)
{
    for (const char *const *folder = folders; *folder; folder++) {
        if (is_below(path, *folder)) return true;
    }
    return false;
}

/* A git whose folder is not ours to see does not stand in one of ours. */
static bool is_at_work(const struct repo *repo, struct arena *arena)
{
    return family_any_in("git", is_below_one, places(repo, arena));
}

/* ---- the end of them ---- */

static void wait_until(uint64_t at_ms)
{
    uint64_t now_ms = now_wall_ms();
    uint64_t ms = at_ms > now_ms ? at_ms - now_ms : 0;

    pause_ms((uint32_t)(ms < DEAD_MS ? ms : DEAD_MS)); /* a clock that jumped may have made it */
}

void git_locks_clear(const struct repo *repo, uint64_t since_ms, struct buf *out)
{
    struct locks locks = { .since_ms = since_ms, .until_ms = now_wall_ms() };

    find_locks(&locks, repo);
    if (locks.count > 0 && !is_at_work(repo, &locks.arena)) {
        wait_until(locks.newest_ms + DEAD_MS);
        locks.until_ms = now_wall_ms() - DEAD_MS;
        locks.count = 0; /* those that are still there, and old enough */
        find_locks(&locks, repo);
        if (is_at_work(repo, &locks.arena)) locks.count = 0;
        for (uint32_t i = 0; i < locks.count; i++) {
            if (unlink(locks.paths[i]) != 0) continue;
            buf_printf(out, "%s%s", out->size ? ", " : "",
                       locks.paths[i] + strlen(repo->common_dir) + 1);
        }
    }
    arena_release(&locks.arena);
}
