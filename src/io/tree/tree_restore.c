/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_restore.c - a set of paths, put back.
 *
 *   1. Whatever stands at them is moved to the keep folder.
 *   2. Index entries that differ are put back, by one `git update-index --index-info`.
 *   3. Files that were changed before are written from the contents the hone folder kept.
 *   4. Files that were clean before are written from the index, by one `git checkout-index`: it
 *      knows the filters that made them.
 *
 * Invariants:
 *
 * 1. Nothing is overwritten or deleted: every version that goes is in the keep folder.
 * 2. Nothing is written or moved through a link. A link or file where a folder has to be is itself
 *    moved away first.
 * 3. A file's permissions beyond the executable bit are those of the version it replaces.
 */
#include "io/tree/tree_restore.h"

#include "base/buf.h"
#include "io/file/move.h"
#include "io/file/walk.h"
#include "io/git/status.h"
#include "io/tree/tree_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONTENT_BYTES_MAX = 1 << 30, LIST_BYTES_MAX = 1 << 28 };

/* ---- moving away ---- */

/* *perms, where not NULL, gets the permissions of a regular file. Nothing there: fine. */
static int move_away(const struct place *place, struct str path, mode_t *perms, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int from = -1, to = -1;
    struct stat st;
    int rc = walk_parent(place->folder_fd, path, false, &from, leaf, err);

    if (rc == ERR_MISSING || rc == ERR_FORMAT) return 0; /* no such place without a link */
    if (rc != 0) return rc;
    if (fstatat(from, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) rc = err_system(err, errno, "look at %.*s", STR_ARG(path));
        close(from);
        return rc;
    }
    if (perms && S_ISREG(st.st_mode)) *perms = st.st_mode & 0777;
    rc = walk_parent(place->keep_fd, path, true, &to, leaf, err);
    if (rc == 0) rc = move_between(from, to, leaf, err);
    if (to >= 0) close(to);
    close(from);
    return rc;
}

/* Folders that held only what was added are gone with it. */
static void remove_empty_folders(const struct place *place, struct str path)
{
    for (path = path_folder(path); path.size; path = path_folder(path)) {
        char leaf[NAME_MAX + 1];
        struct err ignored;
        int fd, rc;

        if (walk_parent(place->folder_fd, path, false, &fd, leaf, &ignored) != 0) return;
        rc = unlinkat(fd, leaf, AT_REMOVEDIR);
        close(fd);
        if (rc != 0) return;
    }
}

/* What stands in the way of a folder on the way to path is moved too, links above all. */
static int clear_way(const struct place *place, struct str path, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < path.size; i++) {
        struct str part = { path.data, i };
        int fd;

        if (path.data[i] != '/') continue;
        rc = walk_open(place->folder_fd, part, false, &fd, err);
        if (rc == 0) close(fd);
        if (rc == ERR_MISSING) return 0;
        if (rc == ERR_FORMAT) rc = move_away(place, part, NULL, err);
    }
    return rc;
}

/* ---- the index ---- */

static size_t hash_size_of(const struct tree_entry *entry)
{
    struct str rest = entry->stages, word;

    while (str_cut(&rest, ' ', &word)) {
        if (oid_is_valid(word)) return word.size;
    }
    return strlen(entry->staged);
}

/* All hashes of a repository have the same length; any staged one tells. */
static size_t hash_size(const struct jobs *jobs)
{
    size_t size = 0;

    for (uint32_t i = 0; size == 0 && i < jobs->count; i++) {
        size = hash_size_of(&jobs->items[i].want);
        if (size == 0) size = hash_size_of(&jobs->items[i].have);
    }
    return size;
}

static void add_index_line(struct buf *out, uint32_t mode, const char *oid, int stage,
                           struct str path)
{
    buf_printf(out, "%06o %s %d\t", mode, oid, stage);
    buf_add(out, path);
    buf_byte(out, '\0');
}

/* The stages of an unmerged path, as io/git/status.c writes them. */
static int add_stages(struct buf *out, const struct job *job, struct err *err)
{
    struct str rest = job->want.stages, mode_text, oid_text;

    for (int stage = 1; stage <= 3; stage++) {
        char oid[OID_BYTES];
        uint32_t mode;

        if (!str_cut(&rest, ' ', &mode_text) || !str_cut(&rest, ' ', &oid_text) ||
            !mode_parse(mode_text, &mode))
            return err_set(err, ERR_FORMAT, "the stages of %.*s are broken", STR_ARG(job->path));
        if (mode == 0) continue;
        if (!oid_parse(oid_text, oid))
            return err_set(err, ERR_FORMAT, "the stages of %.*s are broken", STR_ARG(job->path));
        add_index_line(out, mode, oid, stage, job->path);
    }
    return 0;
}

static int index_back(const struct repo *repo, const struct jobs *jobs, struct err *err)
{
    static const char *const args[] = { "update-index", "-z", "--index-info", NULL };
    char none[OID_BYTES] = "";
    struct buf lines, answer;
    int rc = 0;

    memset(none, '0', hash_size(jobs));
    buf_init(&lines, LIST_BYTES_MAX);
    buf_init(&answer, 4096);
    /* Removals first: a path may have become the folder of another. */
    for (uint32_t i = 0; i < jobs->count; i++) {
        const struct job *job = &jobs->items[i];

        if (!entry_same_staged(&job->want, &job->have))
            add_index_line(&lines, 0, none, 0, job->path);
    }
    for (uint32_t i = 0; rc == 0 && i < jobs->count; i++) {
        const struct job *job = &jobs->items[i];

        if (entry_same_staged(&job->want, &job->have)) continue;
        if (job->want.stages.size) rc = add_stages(&lines, job, err);
        else if (job->want.staged_mode)
            add_index_line(&lines, job->want.staged_mode, job->want.staged, 0, job->path);
    }
    if (rc == 0 && lines.overflow) rc = err_set(err, ERR_LIMIT, "too many staged paths");
    if (rc == 0 && lines.size) rc = repo_git(repo, args, buf_str(&lines), &answer, err);
    buf_release(&lines);
    buf_release(&answer);
    return rc;
}

/* ---- contents ---- */

/* Read and write as the file that was there, or as a new one; executable as git has it. */
static int set_permissions(int fd, const struct job *job)
{
    struct stat st;
    mode_t mode;

    if (fstat(fd, &st) != 0) return errno;
    mode = (job->perms ? job->perms : st.st_mode & 0777) | S_IRUSR | S_IWUSR;
    mode &= (mode_t)~0111;
    if (job->want.mode == 0100755) mode |= (mode & 0444) >> 2;
    return fchmod(fd, mode) != 0 ? errno : 0;
}

static int make_file(int folder_fd, const char *name, const struct job *job, struct str content)
{
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    int problem;

    if (fd < 0) return errno;
    problem = write_full(fd, content);
    if (problem == 0) problem = set_permissions(fd, job);
    if (close(fd) != 0 && problem == 0) problem = errno;
    return problem;
}

static int place_content(const struct place *place, const struct job *job, struct buf *content,
                         struct err *err)
{
    char leaf[NAME_MAX + 1], temp[NAME_MAX + 1];
    int fd = -1;
    int problem = 0;
    int rc = walk_parent(place->folder_fd, job->path, true, &fd, leaf, err);

    if (rc != 0) return rc;
    temp_name(leaf, temp);
    if (unlinkat(fd, temp, 0) != 0 && errno != ENOENT) problem = errno;
    if (problem == 0 && job->want.mode == 0120000)
        problem = symlinkat(buf_cstr(content), fd, temp) != 0 ? errno : 0;
    else if (problem == 0)
        problem = make_file(fd, temp, job, buf_str(content));
    if (problem == 0 && renameat(fd, temp, fd, leaf) != 0) problem = errno;
    if (problem != 0) unlinkat(fd, temp, 0);
    close(fd);
    return problem != 0 ? err_system(err, problem, "write") : 0;
}

static int write_kept(const struct place *place, const struct job *job, struct err *err)
{
    const char *const args[] = { "cat-file", "blob", job->want.oid, NULL };
    struct buf content;
    int rc;

    buf_init(&content, CONTENT_BYTES_MAX);
    rc = repo_git_own(place->repo, args, STR(""), &content, err);
    if (rc == 0) rc = place_content(place, job, &content, err);
    buf_release(&content);
    return rc;
}

static int write_clean(const struct place *place, const struct jobs *jobs, struct err *err)
{
    static const char *const args[] = { "checkout-index", "-f", "-u", "-z",
                                        "--ignore-skip-worktree-bits", "--stdin", NULL };
    struct buf names, answer;
    int rc = 0;

    buf_init(&names, LIST_BYTES_MAX);
    buf_init(&answer, 4096);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const struct job *job = &jobs->items[i];

        if (!job->in_tree || !job->clean || job->want.mode == 0) continue;
        buf_add(&names, job->path);
        buf_byte(&names, '\0');
    }
    if (names.overflow) rc = err_set(err, ERR_LIMIT, "too many paths");
    if (rc == 0 && names.size) rc = repo_git(place->repo, args, buf_str(&names), &answer, err);
    buf_release(&names);
    buf_release(&answer);
    return rc;
}

/* ---- all of it ---- */

int jobs_perform(const struct place *place, struct jobs *jobs, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < jobs->count; i++) {
        struct job *job = &jobs->items[i];

        if (!job->in_tree) continue;
        rc = move_away(place, job->path, &job->perms, err);
        if (rc == 0 && job->want.mode == 0) remove_empty_folders(place, job->path);
        if (rc == 0 && job->want.mode != 0) rc = clear_way(place, job->path, err);
    }
    if (rc == 0) rc = index_back(place->repo, jobs, err);
    for (uint32_t i = 0; rc == 0 && i < jobs->count; i++) {
        const struct job *job = &jobs->items[i];

        if (!job->in_tree || job->clean || job->want.mode == 0) continue;
        rc = write_kept(place, job, err);
        if (rc != 0) err_wrap(err, "%.*s", STR_ARG(job->path));
    }
    return rc != 0 ? rc : write_clean(place, jobs, err);
}
