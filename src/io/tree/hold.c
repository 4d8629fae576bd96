/* SPDX-License-Identifier: Apache-2.0
 *
 * hold.c - what a reader must leave as it is beside the contents of a tree.
 *
 *   git folder    configuration, hooks, info, of the repository, the work tree and its submodules
 *                 (protect.h): what git would run, hide or leave out
 *   refs          branches, tags, replacements, the stash, work trees (refs.h); not of remotes
 *   index         by the file itself. Where it is another one, a copy of the old one decides what
 *                 the tree holds: an index can say of a file that it is as it was
 *   permissions   setuid, setgid, sticky, and writing by others: git knows only the executable bit
 *
 * 1. Without a sandbox only: there the system keeps a reader from all of it.
 * 2. Only files that are there before and after are asked for permissions: build output comes and
 *    goes.
 * 3. Of at most MODES_MAX files; a tree with more cannot be compared, and that is an error.
 *
 * Not seen: what a reader changes and changes back; the git folder of a repository inside ours that
 * lies in the work tree and not below `modules` (its files and its HEAD are: nested.c). */
#include "io/tree/hold.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"
#include "io/git/index.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDEX_BYTES_MAX = 1 << 30, MODES_MAX = 1 << 20, DEPTH_MAX = 64, MODULES_MAX = 500,
       MODULES_DEPTH_MAX = 6, NAMED_MAX = 10, ODD_BITS = 07022 };

struct hold_mode {
    const char *path;
    mode_t mode;
};

static const char *const git_names[] = {
    "hooks", "config", "config.worktree", "info", "gitdir", "commondir", "shallow", NULL,
};

/* ---- the git folder ---- */

static int take_names(struct hold *hold, const char *folder, const char *label, struct err *err)
{
    int rc = 0;

    for (const char *const *name = git_names; rc == 0 && *name; name++)
        rc = protect_take(&hold->git, folder, label, *name, err);
    return rc;
}

/* Submodules' own git folders, by their names, which may have slashes in them. */
static int take_modules(struct hold *hold, const char *folder, const char *label, int depth,
                        uint32_t *left, struct err *err)
{
    const char *const *names = folder_names(folder, "", &hold->arena);
    int rc = 0;

    for (; rc == 0 && names && *names && *left > 0; names++) {
        const char *below = arena_printf(&hold->arena, "%s/%s", folder, *names);
        const char *called = arena_printf(&hold->arena, "%s%s/", label, *names);
        struct stat st;

        if (**names == '.' || lstat(below, &st) != 0 || !S_ISDIR(st.st_mode)) continue;
        --*left;
        if (file_exists(arena_printf(&hold->arena, "%s/HEAD", below))) {
            rc = take_names(hold, below, called, err);
            if (rc == 0) rc = protect_take(&hold->git, below, called, "HEAD", err);
            below = arena_printf(&hold->arena, "%s/modules", below);
            called = arena_printf(&hold->arena, "%smodules/", called);
        }
        if (rc == 0 && depth > 0) rc = take_modules(hold, below, called, depth - 1, left, err);
    }
    return rc;
}

static int take_git(const struct repo *repo, struct hold *hold, struct err *err)
{
    const char *label = repo->is_git ? ".git/" : ".hone/git/";
    const char *modules = arena_printf(&hold->arena, "%s/modules", repo->common_dir);
    uint32_t left = MODULES_MAX;
    int rc = take_names(hold, repo->common_dir, label, err);

    if (rc == 0 && strcmp(repo->common_dir, repo->git_dir) != 0)
        rc = take_names(hold, repo->git_dir, label, err);
    if (rc == 0) {
        rc = take_modules(hold, modules, arena_printf(&hold->arena, "%smodules/", label),
                          MODULES_DEPTH_MAX, &left, err);
    }
    return rc;
}

/* ---- the index ---- */

static struct ref_mark mark_of(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0) return (struct ref_mark){ .path = path };
    return (struct ref_mark){ .path = path, .inode = st.st_ino, .size = (uint64_t)st.st_size,
                              .changed_ns = (uint64_t)st.st_ctim.tv_sec * 1000000000u +
                                            (uint64_t)st.st_ctim.tv_nsec };
}

static int take_index(const struct repo *repo, const char *folder, const char *name,
                      struct hold *hold, struct err *err)
{
    const char *index = arena_printf(&hold->arena, "%s/index", repo->git_dir);
    struct buf text;
    int rc;

    hold->index_mark = mark_of(index);
    buf_init(&text, INDEX_BYTES_MAX);
    rc = file_read(index, &text, err);
    if (rc == 0) rc = scratch_write(folder, name, buf_str(&text), err);
    if (rc == 0) hold->index = arena_printf(&hold->arena, "%s/%s", folder, name);
    buf_release(&text);
    return rc == ERR_MISSING ? 0 : rc;
}

bool hold_index_same(const struct repo *repo, const struct hold *hold)
{
    struct ref_mark now;

    (void)repo;
    if (!hold->taken) return true;
    now = mark_of(hold->index_mark.path);
    return now.inode == hold->index_mark.inode && now.size == hold->index_mark.size &&
           now.changed_ns == hold->index_mark.changed_ns;
}

/* ---- permissions ---- */

static int compare_modes(const void *a, const void *b)
{
    return strcmp(((const struct hold_mode *)a)->path, ((const struct hold_mode *)b)->path);
}

static bool walk_modes(struct hold *hold, int parent, const char *name, const char *path,
                       int depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct folder_piece piece;
    const char *leaf;
    bool good = fd < 0 || depth > 0; /* a folder that may not be read holds nothing for us */

    piece.size = 0;
    while (good && fd >= 0 && folder_read(fd, &piece)) {
        while (good && (leaf = folder_next(&piece))) {
            struct stat st;
            const char *below;

            if (strcmp(leaf, ".") == 0 || strcmp(leaf, "..") == 0) continue;
            if (!*path && (strcmp(leaf, ".git") == 0 || strcmp(leaf, ".hone") == 0)) continue;
            if (fstatat(fd, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
            if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) continue;
            below = *path ? arena_printf(&hold->arena, "%s/%s", path, leaf)
                          : arena_cstr(&hold->arena, str_of(leaf));
            hold->modes = mem_grow(hold->modes, hold->mode_count, &hold->mode_cap,
                                   sizeof *hold->modes);
            hold->modes[hold->mode_count++] = (struct hold_mode){ below, st.st_mode };
            good = hold->mode_count < MODES_MAX;
            if (good && S_ISDIR(st.st_mode)) good = walk_modes(hold, fd, leaf, below, depth - 1);
        }
    }
    if (fd >= 0) close(fd);
    return good;
}

static int take_modes(const struct repo *repo, struct hold *hold, struct err *err)
{
    if (!walk_modes(hold, AT_FDCWD, repo->workspace, "", DEPTH_MAX)) {
        return err_set(err, ERR_LIMIT, "%s has more files than can be compared without a sandbox",
                       repo->workspace);
    }
    if (hold->mode_count)
        qsort(hold->modes, hold->mode_count, sizeof *hold->modes, compare_modes);
    return 0;
}

int hold_modes(const struct repo *repo, const struct hold *hold, bool restore, struct buf *what,
               struct err *err)
{
    struct hold now = { 0 };
    uint32_t named = 0;
    int rc = hold->taken ? take_modes(repo, &now, err) : 0;

    for (uint32_t i = 0, j = 0; rc == 0 && i < hold->mode_count; i++) {
        const struct hold_mode *was = &hold->modes[i];
        const char *path;

        while (j < now.mode_count && strcmp(now.modes[j].path, was->path) < 0) j++;
        if (j == now.mode_count) break;
        if (strcmp(now.modes[j].path, was->path) != 0) continue;
        if ((now.modes[j].mode & S_IFMT) != (was->mode & S_IFMT)) continue;
        if (((now.modes[j].mode ^ was->mode) & ODD_BITS) == 0) continue;
        if (named++ < NAMED_MAX)
            buf_printf(what, "%spermissions of %s", what->size ? ", " : "", was->path);
        path = arena_printf(&now.arena, "%s/%s", repo->workspace, was->path);
        if (restore && chmod(path, was->mode & 07777) != 0 && errno != ENOENT)
            rc = err_system(err, errno, "put back the permissions of %s", was->path);
    }
    hold_release(&now);
    return rc;
}

/* ---- the whole ---- */

int hold_take(const struct repo *repo, const char *folder, const char *name, bool with_refs,
              struct hold *out, struct err *err)
{
    int rc;

    hold_release(out);
    out->with_refs = with_refs && repo->is_git;
    rc = take_git(repo, out, err);
    if (rc == 0 && out->with_refs) rc = refs_take(repo, &out->refs, err);
    if (rc == 0) rc = take_index(repo, folder, name, out, err);
    if (rc == 0) rc = take_modes(repo, out, err);
    out->taken = rc == 0;
    return rc == 0 ? 0 : err_wrap(err, "look at the git folder");
}

void hold_release(struct hold *hold)
{
    protect_release(&hold->git);
    refs_release(&hold->refs);
    free(hold->modes);
    arena_release(&hold->arena);
    *hold = (struct hold){ 0 };
}

/* git renews the times in its index when it looks at files: that alone is no change. */
static int look_index(const struct repo *repo, struct hold *hold, const char *away,
                      struct buf *what, struct err *err)
{
    bool differs = false;
    int rc = staged_compare(repo, hold->index, hold->index_mark.path, &differs, err);

    if (rc == 0 && differs) {
        buf_printf(what, "%schanged what is staged, or what git looks at",
                   what->size ? ", " : "");
    }
    if (rc != 0 || !away) return rc;
    rc = staged_replace(repo, hold->index, away, err);
    if (rc == 0) hold->index_mark = mark_of(hold->index_mark.path);
    return rc;
}

int hold_git(const struct repo *repo, struct hold *hold, const char *away, struct buf *what,
             struct err *err)
{
    int rc;

    if (!hold->taken) return 0;
    rc = protect_restore(&hold->git, away, what, err);
    return rc == 0 && hold->index && !hold_index_same(repo, hold)
               ? look_index(repo, hold, away, what, err) : rc;
}

int hold_refs(const struct repo *repo, struct hold *hold, const char *kept, struct buf *what,
              struct err *err)
{
    struct refs_order order = { .repo = repo, .before = &hold->refs, .kept = kept };
    struct buf moved;
    int rc;

    if (!hold->taken || !hold->with_refs || refs_hold(&hold->refs)) return 0;
    buf_init(&moved, 1 << 16);
    rc = refs_restore(&order, &moved, err);
    if (moved.size) buf_printf(what, "%s%s", what->size ? ", " : "", buf_cstr(&moved));
    buf_release(&moved);
    return rc;
}
