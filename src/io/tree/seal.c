/* SPDX-License-Identifier: Apache-2.0
 *
 * seal.c - walks the work tree once, without reading a file.
 *
 * 1. The sum does not depend on the order in which a folder lists its files.
 * 2. The git folder counts with HEAD, the index, configuration, refs, hooks and info: a reviewer
 *    that commits, stages or arms something leaves a trace there even where the files stay. A
 *    repository with submodules has no usable seal.
 * 3. Where many work trees share the refs, the caller names the folder of those that are this work
 *    tree's own. The others move while it stays as it is, and walking all of them would cost each
 *    work tree what all of them have.
 * 4. An error on the way makes the seal unusable, never wrong. */
#include "io/tree/seal.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/file/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEAL_FILES_MAX = 1000, /* beyond that `git status` costs more than the walk could save */
    SEAL_DEPTH_MAX = 64,
    FRESH_MS = 50,         /* file systems count time in ticks: two changes may look like one */
};

struct walk {
    struct seal *seal;
    const char *const *private_paths; /* NULL inside the git folder */
    const char *own;                  /* a folder of hone's at the top; NULL: none */
    uint32_t files, files_max;
    uint64_t newest_ms;
};

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static void seal_add(struct walk *walk, const char *path, const struct stat *st)
{
    const uint64_t parts[] = {
        st->st_dev, st->st_ino, st->st_mode, (uint64_t)st->st_size,
        (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
        (uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec,
    };
    uint64_t changed_ms = (uint64_t)st->st_ctim.tv_sec * 1000 +
                          (uint64_t)st->st_ctim.tv_nsec / 1000000;
    uint64_t a = 1, b = 2;

    for (const char *byte = path; *byte; byte++) a = mix(a + (unsigned char)*byte);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        a = mix(a + parts[i]);
        b = mix(b ^ a);
    }
    walk->seal->sum[0] += a;
    walk->seal->sum[1] += b;
    if (changed_ms > walk->newest_ms) walk->newest_ms = changed_ms;
    if (++walk->files > walk->files_max) {
        walk->seal->usable = false;
        walk->seal->large = true;
    }
}

static bool is_private(const struct walk *walk, const char *path)
{
    size_t size = strlen(path);

    if (!walk->private_paths) return false;
    if (strcmp(path, ".git") == 0 || (walk->own && strcmp(path, walk->own) == 0)) return true;
    if (file_is_private(walk->private_paths, str_of(path))) return true;
    for (const char *const *prefix = walk->private_paths; *prefix; prefix++) {
        struct str whole = str_of(*prefix);
        if (whole.size == size + 1 && str_starts(whole, str_of(path))) return true; /* x/ and x */
    }
    return false;
}

/* Whether a private path is below: a folder that hone makes and writes to does not count itself. */
static bool leads_to_private(const struct walk *walk, const char *path)
{
    size_t size = strlen(path);

    for (const char *const *prefix = walk->private_paths; prefix && *prefix; prefix++) {
        if (strncmp(*prefix, path, size) == 0 && (*prefix)[size] == '/') return true;
    }
    return false;
}

static void walk_folder(struct walk *walk, int parent, const char *name, const char *path,
                        uint32_t depth);

static void walk_entry(struct walk *walk, int folder, const char *name, const char *path,
                       uint32_t depth)
{
    struct stat st;

    if (is_private(walk, path)) return;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        walk->seal->usable = false;
    } else if (S_ISDIR(st.st_mode)) {
        if (!leads_to_private(walk, path)) seal_add(walk, path, &st);
        walk_folder(walk, folder, name, path, depth + 1);
    } else {
        seal_add(walk, path, &st);
    }
}

/* "path/name", or just the name at the top. False when it is too long. */
static bool join_path(char out[PATH_MAX], const char *path, const char *name)
{
    struct str folder = str_of(path), leaf = str_of(name);

    if (folder.size + leaf.size + 2 > PATH_MAX) return false;
    memcpy(out, folder.data, folder.size);
    if (folder.size > 0) out[folder.size++] = '/';
    memcpy(out + folder.size, leaf.data, leaf.size + 1);
    return true;
}

static void walk_folder(struct walk *walk, int parent, const char *name, const char *path,
                        uint32_t depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct folder_piece piece;
    char below[PATH_MAX];
    const char *leaf;

    piece.size = 0;
    if (fd < 0 || depth > SEAL_DEPTH_MAX) walk->seal->usable = false;
    while (walk->seal->usable && folder_read(fd, &piece)) {
        while (walk->seal->usable && (leaf = folder_next(&piece))) {
            if (strcmp(leaf, ".") == 0 || strcmp(leaf, "..") == 0) continue;
            if (join_path(below, path, leaf)) walk_entry(walk, fd, leaf, below, depth);
            else walk->seal->usable = false;
        }
    }
    if (piece.size < 0) walk->seal->usable = false;
    if (fd >= 0) close(fd);
}

static void walk_git(struct walk *walk, const struct repo *repo, const char *refs)
{
    enum { OWN_FILES = 4 }; /* the first ones are the work tree's own */
    static const char *const files[] = { "HEAD", "index", "logs/HEAD", "config.worktree", "config",
                                         "packed-refs", "shallow" };
    const char *const folders[] = { refs ? refs : "refs", "hooks", "info" };
    struct stat st;
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *folder = i < OWN_FILES ? repo->git_dir : repo->common_dir;
        int size = snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (size < 0 || (size_t)size >= sizeof path) {
            walk->seal->usable = false;
        } else if (lstat(path, &st) == 0) {
            seal_add(walk, path, &st);
        } else if (errno != ENOENT) {
            walk->seal->usable = false;
        }
    }
    walk->private_paths = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (snprintf(path, sizeof path, "%s/%s", repo->common_dir, folders[i]) <
            (int)sizeof path && lstat(path, &st) == 0)
            walk_folder(walk, AT_FDCWD, path, folders[i], 0);
    }
    /* Submodules have such folders of their own. */
    if (snprintf(path, sizeof path, "%s/modules", repo->common_dir) < (int)sizeof path &&
        lstat(path, &st) == 0)
        walk->seal->usable = false;
}

/* Git's index has a row for every tracked file: its size tells many files without a walk. */
bool seal_is_large(const struct repo *repo)
{
    enum { ROW_BYTES_MIN = 62 };
    struct stat st;
    char path[PATH_MAX];

    if (!repo->is_git) return false;
    if (snprintf(path, sizeof path, "%s/index", repo->git_dir) >= (int)sizeof path) return false;
    return lstat(path, &st) == 0 && st.st_size > (off_t)SEAL_FILES_MAX * 4 * ROW_BYTES_MIN;
}

bool seal_folder(const char *path, uint32_t files_max, struct seal *out)
{
    struct walk walk = { .seal = out, .files_max = files_max };

    *out = (struct seal){ .usable = true };
    walk_folder(&walk, AT_FDCWD, path, "", 0);
    return out->usable;
}

void seal_take(const struct repo *repo, const char *const *private_paths, const char *refs,
               struct seal *out)
{
    struct walk walk = { .seal = out, .private_paths = private_paths,
                         .own = repo->is_git ? NULL : ".hone", .files_max = SEAL_FILES_MAX };

    *out = (struct seal){ .usable = true };
    if (seal_is_large(repo)) {
        *out = (struct seal){ .large = true };
        return;
    }
    walk_folder(&walk, AT_FDCWD, repo->workspace, "", 0);
    walk_git(&walk, repo, refs);
    if (walk.newest_ms + FRESH_MS > now_wall_ms()) out->usable = false;
}

bool seal_proves_same(const struct seal *before, const struct seal *after)
{
    return before->usable && after->usable && before->sum[0] == after->sum[0] &&
           before->sum[1] == after->sum[1];
}

int file_identity(const char *path, uint64_t *device, uint64_t *inode, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0) return err_system(err, errno, "%s", path);
    *device = st.st_dev;
    *inode = st.st_ino;
    return 0;
}
