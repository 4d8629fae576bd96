/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_put_back.c - a work tree made to hold again what it held.
 *
 *   HEAD back --> ignore files back --> everything else back
 *
 * HEAD comes first: with it where it was, one `git status` shows everything a commit carried away.
 * Ignore files come second: what they hid shows again, and what they uncovered (the user's ignored
 * files, which would look like new ones) is hidden again before anything is moved. Each step looks
 * at the tree anew; only where neither is needed does the caller's delta choose the paths alone.
 *
 * 1. HEAD moves only along the branch it was on, and only from where we saw it.
 * 2. Killed at any point, the same call with a fresh delta finishes the work.
 * 3. What cannot be put back (a submodule, a repository inside ours, a file that could not be
 *    read) is left as it is and named in the error, after all the rest was done.
 *
 * A set of paths is put back so:
 *
 *   a. What stands at them is moved to the keep folder.
 *   b. Index entries that differ are put back, by one `git update-index --index-info`.
 *   c. Files that were changed before are written from the contents the hone folder kept.
 *   d. Files that were clean before are written from the index, by one `git checkout-index`: it
 *      knows the filters that made them.
 *
 * 4. Nothing is overwritten or deleted: every version that goes is in the keep folder, also what
 *    another program or person wrote in the moment between moving and writing.
 * 5. Nothing is written or moved through a link. A link or file where a folder has to be is itself
 *    moved away first.
 * 6. A file's permissions beyond the executable bit are those of the version it replaces.
 *
 * tree_bring() is the same by paths alone: what one tree has otherwise than another is written
 * where the work tree is still as the first. A file that is missing there, and lies in the keep
 * folder, is one that a killed call moved away (invariant 2).
 *
 * 7. What tree_bring() did not see stays as it is: a file that changed since just before the look
 *    (by its inode's times), one that appeared where it writes, an ignored one that no look names,
 *    and a file or a folder with other files in it where it needs the other kind.
 * 8. A change that cannot come whole (a full disk, a folder that may not be written) does not come:
 *    what has come goes back, the same way. Where that fails, too, the next call finishes the work.
 *
 * Not here: other branches, tags, stashes and a merge in progress: they are not part of a tree.
 */
#include "io/tree/tree.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/move.h"
#include "io/file/walk.h"
#include "io/tree/tree_entry.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* One path to put back. */
struct job {
    struct str path;
    struct tree_entry want, have; /* as before, and as it is now */
    bool clean;   /* it was clean before: its content is in the index, not with us */
    bool in_tree; /* the work tree changes, not the index alone */
    bool yields;  /* to what another program or person has put there: mark says what was seen */
    bool stays;   /* it did: what stands there is left as it is */
    mode_t perms; /* of the regular file that was moved away; 0: there was none */
    struct stat mark; /* of what yields; st_mode 0: nothing was there */
    const struct tree_change *change; /* likewise */
};

struct jobs {
    struct job *items;
    uint32_t count, cap;
};

struct place {
    const struct repo *repo;
    int folder_fd, keep_fd; /* the workspace, and where what goes is kept */
};

/* ---- a set of paths ---- */

enum { CONTENT_BYTES_MAX = 1 << 30, LIST_BYTES_MAX = 1 << 28, PLACE_TRIES = 8 };

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

/* ---- what others have put there ---- */

/* What stands at the path; st_mode 0: nothing. ERR_FORMAT: a link or file is on the way to it. */
static int look_at(const struct place *place, struct str path, struct stat *out, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int fd = -1;
    int rc = walk_parent(place->folder_fd, path, false, &fd, leaf, err);

    *out = (struct stat){ .st_mode = 0 };
    if (rc == ERR_MISSING) return 0;
    if (rc != 0) return rc;
    if (fstatat(fd, leaf, out, AT_SYMLINK_NOFOLLOW) != 0) {
        *out = (struct stat){ .st_mode = 0 };
        if (errno != ENOENT) rc = err_system(err, errno, "look at %.*s", STR_ARG(path));
    }
    close(fd);
    return rc;
}

static bool is_as_marked(const struct stat *mark, const struct stat *now)
{
    return mark->st_mode == now->st_mode && mark->st_ino == now->st_ino &&
           mark->st_dev == now->st_dev && mark->st_size == now->st_size &&
           mark->st_mtim.tv_sec == now->st_mtim.tv_sec &&
           mark->st_mtim.tv_nsec == now->st_mtim.tv_nsec &&
           mark->st_ctim.tv_sec == now->st_ctim.tv_sec &&
           mark->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

/* Of a job that yields, before anything is moved for it. A folder that was there may be gone: it
 * held only what goes. */
static int yield_to_others(const struct place *place, struct job *job, struct err *err)
{
    struct stat now;
    int rc;

    if (!job->yields) return 0;
    rc = look_at(place, job->path, &now, err);
    if (rc == ERR_FORMAT) {
        job->stays = true;
        return 0;
    }
    if (now.st_mode == 0) job->stays = job->mark.st_mode != 0 && !S_ISDIR(job->mark.st_mode);
    else job->stays = job->have.mode == 0 || !is_as_marked(&job->mark, &now);
    return rc;
}

/* What has come to the path since it was made free: it stays, or it is moved away, too. */
static int make_room(const struct place *place, struct job *job, struct err *err)
{
    struct stat now;
    int rc = look_at(place, job->path, &now, err);

    if (rc == 0 && now.st_mode == 0) return 0;
    if (rc != 0 && rc != ERR_FORMAT) return rc;
    job->stays = job->yields;
    if (job->stays) return 0;
    rc = clear_way(place, job->path, err);
    return rc == 0 ? move_away(place, job->path, NULL, err) : rc;
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
    struct buf lines;
    int rc = 0;

    memset(none, '0', hash_size(jobs));
    buf_init(&lines, LIST_BYTES_MAX);
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
    if (rc == 0 && lines.size) rc = repo_do(repo, args, buf_str(&lines), err);
    buf_release(&lines);
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

/* EEXIST: something has that name already. Only in a folder of ours it is replaced. */
static int give_name(const struct place *place, int fd, const char *temp, const char *leaf)
{
    if (place->keep_fd >= 0) return folder_name(fd, temp, leaf);
    return renameat(fd, temp, fd, leaf) != 0 ? errno : 0;
}

/* *taken: something stands there; nothing was written. */
static int place_content(const struct place *place, const struct job *job, struct buf *content,
                         bool *taken, struct err *err)
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
    if (problem == 0) problem = give_name(place, fd, temp, leaf);
    if (problem != 0) unlinkat(fd, temp, 0);
    close(fd);
    *taken = problem == EEXIST;
    return problem != 0 && !*taken ? err_system(err, problem, "write") : 0;
}

static int write_kept(const struct place *place, struct job *job, struct err *err)
{
    const char *const args[] = { "cat-file", "blob", job->want.oid, NULL };
    bool taken = true;
    struct buf content;
    int rc;

    buf_init(&content, CONTENT_BYTES_MAX);
    rc = repo_git_own(place->repo, args, STR(""), &content, err);
    for (int i = 0; rc == 0 && taken && !job->stays && i < PLACE_TRIES; i++) {
        if (place->keep_fd >= 0) rc = make_room(place, job, err);
        if (rc == 0 && !job->stays) rc = place_content(place, job, &content, &taken, err);
    }
    if (rc == 0 && taken && !job->stays)
        rc = err_set(err, ERR_FAILED, "another program writes it again and again");
    buf_release(&content);
    return rc;
}

static int write_clean(const struct place *place, struct jobs *jobs, struct err *err)
{
    static const char *const args[] = { "checkout-index", "-u", "-z", /* it overwrites nothing */
                                        "--ignore-skip-worktree-bits", "--stdin", NULL };
    struct buf names;
    int rc = 0;

    buf_init(&names, LIST_BYTES_MAX);
    for (uint32_t i = 0; rc == 0 && i < jobs->count; i++) {
        struct job *job = &jobs->items[i];

        if (!job->in_tree || job->stays || !job->clean || job->want.mode == 0) continue;
        rc = make_room(place, job, err);
        if (rc != 0 || job->stays) continue;
        buf_add(&names, job->path);
        buf_byte(&names, '\0');
    }
    if (rc == 0 && names.overflow) rc = err_set(err, ERR_LIMIT, "too many paths");
    if (rc == 0 && names.size) rc = repo_do(place->repo, args, buf_str(&names), err);
    buf_release(&names);
    return rc;
}

/* ---- all of it ---- */

/* Moves away what stands at the paths that go, or at those that come. */
static int jobs_move(const struct place *place, struct jobs *jobs, bool going, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < jobs->count; i++) {
        struct job *job = &jobs->items[i];

        if (!job->in_tree || (job->want.mode == 0) != going) continue;
        rc = yield_to_others(place, job, err);
        if (rc != 0 || job->stays) continue;
        rc = move_away(place, job->path, &job->perms, err);
        if (rc == 0 && going) remove_empty_folders(place, job->path);
        if (rc == 0 && !going) rc = clear_way(place, job->path, err);
        if (rc != 0) err_wrap(err, "%.*s", STR_ARG(job->path));
    }
    return rc;
}

/* Puts all of them back: work tree and index. On failure some may be; none is lost. */
static int jobs_perform(const struct place *place, struct jobs *jobs, struct err *err)
{
    int rc = jobs_move(place, jobs, true, err); /* a folder may be where a file comes */

    if (rc == 0) rc = jobs_move(place, jobs, false, err);
    if (rc == 0) rc = index_back(place->repo, jobs, err);
    for (uint32_t i = 0; rc == 0 && i < jobs->count; i++) {
        struct job *job = &jobs->items[i];

        if (!job->in_tree || job->stays || job->clean || job->want.mode == 0) continue;
        rc = write_kept(place, job, err);
        if (rc != 0) err_wrap(err, "%.*s", STR_ARG(job->path));
    }
    return rc != 0 ? rc : write_clean(place, jobs, err);
}

/* ---- a tree ---- */

struct putting {
    struct place place;
    const struct tree *before;
    bool refused;
    char refused_path[256]; /* the first that cannot be put back */
};

/* ---- which paths ---- */

/* Whether it lies in what was a repository of its own: hone does not move the files of those. */
static bool is_in_repository(const struct tree *before, struct str path)
{
    for (path = path_folder(path); path.size; path = path_folder(path)) {
        const struct tree_entry *entry = tree_find(before, path);

        if (entry && entry->mode == 0160000) return true;
    }
    return false;
}

static bool can_restore(const struct tree_entry *want)
{
    if (want->mode == 0) return true;
    return (S_ISREG(want->mode) || S_ISLNK(want->mode)) && oid_is_valid(str_of(want->oid));
}

static void refuse(struct putting *putting, struct job *job)
{
    job->in_tree = false;
    if (!putting->refused)
        snprintf(putting->refused_path, sizeof putting->refused_path, "%.*s", STR_ARG(job->path));
    putting->refused = true;
}

static void add_job(struct putting *putting, struct jobs *jobs, const struct tree *now,
                    const struct tree_change *change)
{
    const struct tree_entry *want = tree_find(putting->before, change->path);
    const struct tree_entry *have = tree_find(now, change->path);
    struct job job = { .path = change->path, .clean = !want,
                       .in_tree = change->kind != CHANGE_STAGED };

    assert(want || have);
    job.want = want ? *want : entry_as_in_head(have);
    job.have = have ? *have : entry_as_in_head(want);
    if (job.in_tree && (!can_restore(&job.want) || is_in_repository(putting->before, job.path)))
        refuse(putting, &job);
    jobs->items = mem_grow(jobs->items, jobs->count, &jobs->cap, sizeof *jobs->items);
    jobs->items[jobs->count++] = job;
}

static int compare_changes(const void *a, const void *b)
{
    return str_compare(((const struct tree_change *)a)->path,
                       ((const struct tree_change *)b)->path);
}

static bool names_path(const struct tree_delta *sorted, struct str path)
{
    struct tree_change key = { .path = path };

    return bsearch(&key, sorted->items, sorted->count, sizeof key, compare_changes) != NULL;
}

static bool is_ignore_file(struct str path)
{
    return str_is(path_leaf(path), ".gitignore");
}

enum choice { CHOOSE_NAMED, CHOOSE_IGNORE_FILES, CHOOSE_ALL };

static bool is_chosen(enum choice choice, const struct tree_delta *named, struct str path)
{
    switch (choice) {
    case CHOOSE_NAMED: return names_path(named, path);
    case CHOOSE_IGNORE_FILES: return is_ignore_file(path);
    case CHOOSE_ALL: return true;
    }
    return false;
}

/* Looks at the tree as it is and puts the chosen paths back. */
static int put_back_step(struct putting *putting, const struct tree_delta *named,
                         enum choice choice, struct err *err)
{
    struct tree_delta delta = { 0 };
    struct jobs jobs = { 0 };
    struct tree now;
    int rc = tree_take(putting->place.repo, putting->before->private_paths, &now, err);

    if (rc == 0) rc = tree_settle(putting->place.repo, putting->before, &now, err);
    if (rc != 0) {
        tree_release(&now);
        return rc;
    }
    tree_compare(putting->before, &now, &delta);
    for (uint32_t i = 0; i < delta.count; i++) {
        const struct tree_change *change = &delta.items[i];

        if (change->kind != CHANGE_HEAD && is_chosen(choice, named, change->path))
            add_job(putting, &jobs, &now, change);
    }
    if (jobs.count) rc = jobs_perform(&putting->place, &jobs, err);
    free(jobs.items);
    tree_delta_release(&delta);
    tree_release(&now);
    return rc;
}

/* ---- HEAD ---- */

static int move_head(const struct repo *repo, const char *to, const char *from, struct err *err)
{
    char none[OID_BYTES] = "";
    const char *const move[] = { "update-ref", "-m", "hone: put back", "HEAD", to,
                                 from[0] ? from : none, NULL };
    const char *const drop[] = { "update-ref", "-m", "hone: put back", "-d", "HEAD", from, NULL };

    memset(none, '0', strlen(to));
    return repo_do(repo, to[0] ? move : drop, STR(""), err);
}

static int head_back(const struct repo *repo, const struct tree *before, struct err *err)
{
    struct tree now;
    int rc = tree_take(repo, before->private_paths, &now, err);

    if (rc != 0) return rc;
    if (!str_eq(before->branch, now.branch))
        rc = err_set(err, ERR_FAILED, "HEAD was on %.*s and is on %.*s now: go back to it by hand",
                     STR_ARG(before->branch), STR_ARG(now.branch));
    else if (strcmp(before->head, now.head) != 0)
        rc = move_head(repo, before->head, now.head, err);
    tree_release(&now);
    return rc;
}

/* ---- the whole ---- */

static int put_back_all(struct putting *putting, const struct tree_delta *named, struct err *err)
{
    bool moved = false, rules = false;
    int rc = 0;

    for (uint32_t i = 0; i < named->count; i++) {
        moved |= named->items[i].kind == CHANGE_HEAD;
        rules |= is_ignore_file(named->items[i].path);
    }
    if (moved) rc = head_back(putting->place.repo, putting->before, err);
    if (rc == 0 && (moved || rules)) rc = put_back_step(putting, named, CHOOSE_IGNORE_FILES, err);
    if (rc != 0) return rc;
    return put_back_step(putting, named, moved || rules ? CHOOSE_ALL : CHOOSE_NAMED, err);
}

int tree_put_back(const struct repo *repo, const struct tree *before,
                  const struct tree_delta *delta, const char *keep_dir, struct err *err)
{
    struct putting putting = {
        .place = { .repo = repo, .folder_fd = -1, .keep_fd = -1 }, .before = before,
    };
    struct tree_delta named = { .count = delta->count };
    int rc;

    if (delta->count == 0) return 0;
    named.items = mem_alloc(delta->count * sizeof *named.items);
    memcpy(named.items, delta->items, delta->count * sizeof *named.items);
    qsort(named.items, named.count, sizeof *named.items, compare_changes);
    rc = file_make_folder(keep_dir, false, err);
    if (rc == 0) rc = folder_open(repo->workspace, &putting.place.folder_fd, err);
    if (rc == 0) rc = folder_open(keep_dir, &putting.place.keep_fd, err);
    if (rc == 0) rc = put_back_all(&putting, &named, err);
    if (rc == 0 && putting.refused)
        rc = err_set(err, ERR_FAILED, "%s cannot be: its content was not kept",
                     putting.refused_path);
    if (putting.place.folder_fd >= 0) close(putting.place.folder_fd);
    if (putting.place.keep_fd >= 0) close(putting.place.keep_fd);
    tree_delta_release(&named);
    return rc != 0 ? err_wrap(err, "put the tree back") : 0;
}

/* ---- what differs, brought to another work tree ---- */

/* Whether the path lies in the keep folder: a call that was killed moved it there. */
static bool was_moved_away(const struct place *place, struct job *job)
{
    char leaf[NAME_MAX + 1];
    struct stat st;
    struct err none;
    bool moved;
    int fd;

    if (walk_parent(place->keep_fd, job->path, false, &fd, leaf, &none) != 0) return false;
    moved = fstatat(fd, leaf, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (moved && S_ISREG(st.st_mode)) job->perms = st.st_mode & 0777;
    close(fd);
    return moved;
}

static struct tree_entry entry_in(const struct tree *tree, const struct tree_entry *other)
{
    const struct tree_entry *entry = tree_find(tree, other->path);

    return entry ? *entry : entry_as_in_head(other);
}

static bool same_content(const struct tree_entry *a, const struct tree_entry *b)
{
    return a->mode == b->mode && strcmp(a->oid, b->oid) == 0;
}

static void add_left(struct tree_delta *left, const struct tree_change *change)
{
    left->items = mem_grow(left->items, left->count, &left->cap, sizeof *left->items);
    left->items[left->count++] = *change;
}

/* What is to be done with one path: nothing, a job, or it does not come. */
static void bring_path(const struct tree_bring *bring, const struct place *place,
                       const struct tree *now, const struct tree_change *change,
                       const struct stat *mark, struct jobs *jobs, struct tree_delta *left)
{
    const struct tree_entry *base = tree_find(bring->base, change->path);
    const struct tree_entry *want = tree_find(bring->want, change->path);
    const struct tree_entry *any = want ? want : base;
    struct job job = { .path = change->path, .clean = !want, .in_tree = true, .yields = true,
                       .mark = *mark, .change = change };
    struct tree_entry was;

    assert(any);
    job.want = entry_in(bring->want, any);
    job.have = entry_in(now, any);
    was = entry_in(bring->base, any);
    if (same_content(&job.have, &job.want)) return;
    if ((same_content(&job.have, &was) || (job.have.mode == 0 && was_moved_away(place, &job))) &&
        can_restore(&job.want) && !is_in_repository(bring->base, job.path)) {
        memcpy(job.want.staged, job.have.staged, OID_BYTES);
        job.want.staged_mode = job.have.staged_mode;
        job.want.stages = job.have.stages;
        jobs->items = mem_grow(jobs->items, jobs->count, &jobs->cap, sizeof *jobs->items);
        jobs->items[jobs->count++] = job;
    } else {
        add_left(left, change);
    }
}

/* The versions that do not come, where they can be found. */
static int keep_left(const struct tree_bring *bring, const struct tree_delta *left,
                     struct err *err)
{
    struct place place = { .repo = bring->repo, .folder_fd = -1, .keep_fd = -1 };
    int rc = left->count ? file_make_folder(bring->left_dir, false, err) : 0;

    if (rc == 0 && left->count) rc = folder_open(bring->left_dir, &place.folder_fd, err);
    for (uint32_t i = 0; rc == 0 && i < left->count; i++) {
        const struct tree_entry *want = tree_find(bring->want, left->items[i].path);
        struct job job = { .path = left->items[i].path };

        if (!want || want->mode == 0 || !can_restore(want)) continue;
        job.want = *want;
        rc = write_kept(&place, &job, err);
    }
    if (place.folder_fd >= 0) close(place.folder_fd);
    return rc;
}

/* What stands at each path, before git looks at it: what changes later was not looked at. */
static int take_marks(const struct place *place, const struct tree_delta *delta,
                      struct stat *marks, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < delta->count; i++) {
        if (delta->items[i].kind == CHANGE_HEAD) continue;
        rc = look_at(place, delta->items[i].path, &marks[i], err);
        if (rc == ERR_FORMAT) rc = 0;
    }
    return rc;
}

/* Writes what comes; what does not, of all paths, is in left. */
static int bring_paths(const struct tree_bring *bring, const struct place *place,
                       const struct tree_delta *delta, struct tree_delta *left, struct err *err)
{
    struct stat *marks = mem_alloc((delta->count + (size_t)1) * sizeof *marks);
    struct jobs jobs = { 0 };
    struct tree now = { 0 };
    int rc = take_marks(place, delta, marks, err);

    if (rc == 0) rc = tree_take(bring->repo, bring->private_paths, &now, err);
    if (rc == 0) rc = tree_settle(bring->repo, bring->base, &now, err);
    if (rc == 0) rc = tree_align(bring->repo, bring->base, &now, err);
    for (uint32_t i = 0; rc == 0 && i < delta->count; i++) {
        if (delta->items[i].kind == CHANGE_HEAD || delta->items[i].kind == CHANGE_STAGED) continue;
        bring_path(bring, place, &now, &delta->items[i], &marks[i], &jobs, left);
    }
    if (rc == 0 && jobs.count) rc = jobs_perform(place, &jobs, err);
    for (uint32_t i = 0; rc == 0 && i < jobs.count; i++) {
        if (jobs.items[i].stays) add_left(left, jobs.items[i].change);
    }
    free(jobs.items);
    free(marks);
    tree_release(&now);
    return rc;
}

/* On failure some of it has come. */
static int bring_once(const struct tree_bring *bring, struct tree_delta *left, struct err *err)
{
    struct place place = { .repo = bring->repo, .folder_fd = -1, .keep_fd = -1 };
    struct tree_delta delta = { 0 };
    int rc;

    tree_compare(bring->base, bring->want, &delta);
    rc = file_make_folder(bring->keep_dir, false, err);
    if (rc == 0) rc = folder_open(bring->repo->workspace, &place.folder_fd, err);
    if (rc == 0) rc = folder_open(bring->keep_dir, &place.keep_fd, err);
    if (rc == 0) rc = bring_paths(bring, &place, &delta, left, err);
    if (rc == 0 && bring->left_dir) rc = keep_left(bring, left, err);
    if (place.folder_fd >= 0) close(place.folder_fd);
    if (place.keep_fd >= 0) close(place.keep_fd);
    tree_delta_release(&delta);
    return rc;
}

/* The keep folder gets another name: what lies there stands in the tree again, and is not missing
 * for the next call. */
static int keep_aside(const char *keep_dir, struct err *err)
{
    struct arena arena = { 0 };
    const char *aside;
    uint32_t nth = 1;
    int rc;

    do aside = arena_printf(&arena, "%s.%u", keep_dir, nth++);
    while (file_exists(aside));
    rc = file_rename(keep_dir, aside, err);
    arena_release(&arena);
    return rc;
}

/* What has come goes back, as a change the other way round. */
static bool bring_undone(const struct tree_bring *bring)
{
    struct tree_bring back = { .repo = bring->repo, .base = bring->want, .want = bring->base,
                               .keep_dir = bring->keep_dir,
                               .private_paths = bring->private_paths };
    struct tree_delta left = { 0 };
    struct err err = { 0 };
    int rc = bring_once(&back, &left, &err);

    if (rc == 0) rc = keep_aside(bring->keep_dir, &err);
    tree_delta_release(&left);
    return rc == 0;
}

int tree_bring(const struct tree_bring *bring, struct tree_delta *left, bool *half,
               struct err *err)
{
    int rc;

    *half = false;
    *left = (struct tree_delta){ 0 };
    rc = bring_once(bring, left, err);
    if (rc == 0) return 0;
    tree_delta_release(left);
    *half = !bring_undone(bring);
    return err_wrap(err, "bring what was changed to the tree, %s",
                    *half ? "where some of it came" : "which is as it was");
}
