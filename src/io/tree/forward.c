/* SPDX-License-Identifier: Apache-2.0
 *
 * forward.c - a fast-forward that can be killed at any moment: the next call finishes it or takes
 * it back.
 *
 *   tree kept --> intent --> lock --> files --> index in the lock --> HEAD --> index --> over
 *   '---- nothing yet ----'  '--- taken back by the next call ----'   '-- finished --'
 *
 * `git merge --ff-only` is not enough: killed between its first file and HEAD it leaves a tree that
 * is neither commit and a lock without an owner, and nothing on the disk tells its half from what
 * the user has changed. So git compares, writes the files and moves HEAD, each by a command of its
 * own, and what is written down in between says where a killed one stood.
 *
 * The index is locked from before the first file is written until after HEAD has moved, as git
 * does it, so that no other git can add or commit in between. The lock is a second name of a file
 * of ours: the next call after a kill can tell our lock from another program's.
 *
 * 1. Nothing is written before git has checked every path: a file that differs from what was
 *    committed, or that is not tracked, ignored or not, is in the way.
 * 2. HEAD moves last and at once, and only from where it was. Until then the files are taken back
 *    from what was kept of them; from then on only the index is still to be put in its place.
 * 3. Only paths that the two commits differ in are ever written or taken back.
 * 4. What is taken back and is neither version is kept in the state folder. */
#include "io/tree/forward.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/move.h"
#include "io/file/scratch.h"
#include "io/file/walk.h"
#include "io/git/status.h"
#include "io/tree/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDEX_BYTES_MAX = 1 << 30, PATHS_BYTES_MAX = 1 << 28, LOCK_TRIES = 60,
       LOCK_WAIT_MS = 50 };

/* Names in the state folder. */
static const char intent_name[] = "forward";      /* from, to */
static const char before_name[] = "forward-tree";   /* the tree before */
static const char lock_name[] = "forward-lock";   /* the same file as index.lock, at first */
static const char index_name[] = "forward-index"; /* the index to be */
static const char kept_name[] = "forward-kept";   /* what was taken back */
static const char link_name[] = "forward-link";   /* the same file as that one */

/* A path that the two commits differ in. */
struct differing {
    struct str path;
    bool added;
};

struct move {
    const struct forward *forward;
    struct arena arena;
    char from[OID_BYTES], to[OID_BYTES];
    const char *index, *index_lock; /* of the checkout */
    struct buf text;
    struct differing *paths;        /* in order; in text */
    uint32_t path_count, path_cap;
};

static void move_init(struct move *move, const struct forward *forward)
{
    *move = (struct move){ .forward = forward };
    move->index = arena_printf(&move->arena, "%s/index", forward->repo->git_dir);
    move->index_lock = arena_printf(&move->arena, "%s.lock", move->index);
    buf_init(&move->text, PATHS_BYTES_MAX);
}

static void move_release(struct move *move)
{
    free(move->paths);
    buf_release(&move->text);
    arena_release(&move->arena);
}

static const char *state_path(struct move *move, const char *name)
{
    return arena_printf(&move->arena, "%s/%s", move->forward->state, name);
}

static int compare(const void *a, const void *b)
{
    return str_compare(((const struct differing *)a)->path, ((const struct differing *)b)->path);
}

static int list_paths(struct move *move, struct err *err)
{
    const char *const args[] = { "diff-tree", "-r", "-z", "--name-status", "--no-renames",
                                 move->from, move->to, NULL };
    int rc = repo_git(move->forward->repo, args, STR(""), &move->text, err);
    struct str rest = buf_str(&move->text), letter, path;

    while (rc == 0 && str_cut(&rest, '\0', &letter) && str_cut(&rest, '\0', &path)) {
        move->paths = mem_grow(move->paths, move->path_count, &move->path_cap, sizeof *move->paths);
        move->paths[move->path_count++] = (struct differing){ path, str_is(letter, "A") };
    }
    if (move->path_count) qsort(move->paths, move->path_count, sizeof *move->paths, compare);
    return rc;
}

static bool has_path(const struct move *move, struct str path)
{
    struct differing key = { .path = path };

    if (move->path_count == 0) return false;
    return bsearch(&key, move->paths, move->path_count, sizeof key, compare) != NULL;
}

/* ---- locks ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;

    return lstat(a, &left) == 0 && lstat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

static int lock_take(struct move *move, struct err *err)
{
    const char *ours = state_path(move, lock_name);
    int rc = scratch_write(move->forward->state, lock_name, STR(""), err);

    if (rc != 0) return rc;
    for (int i = 0; link(ours, move->index_lock) != 0; i++) {
        if (errno != EEXIST) return err_system(err, errno, "lock %s", move->index);
        if (i == LOCK_TRIES) {
            return err_set(err, ERR_BUSY, "another git is at work in %s (%s is there): when it "
                           "has ended, or was found to be dead and its lock removed, go on",
                           move->forward->repo->workspace, move->index_lock);
        }
        usleep(LOCK_WAIT_MS * 1000);
    }
    return 0;
}

/* Both of its shapes: before and after it held the new index. */
static bool lock_is_ours(struct move *move)
{
    return is_same_file(move->index_lock, state_path(move, lock_name)) ||
           is_same_file(move->index_lock, state_path(move, link_name));
}

static void lock_drop(struct move *move)
{
    if (lock_is_ours(move)) unlink(move->index_lock);
}

/* ---- taking back ---- */

static void clear_state(struct move *move)
{
    static const char *const names[] = { intent_name, before_name, lock_name, index_name,
                                         link_name };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(state_path(move, names[i]));
}

static int head_of(struct move *move, char out[OID_BYTES], struct err *err)
{
    static const char *const args[] = { "rev-parse", "--verify", "HEAD^{commit}", NULL };
    const char *commit = repo_ask(move->forward->repo, args, &move->arena, err);

    if (!commit) return (int)err->code;
    return oid_parse(str_of(commit), out) ? 0 : err_set(err, ERR_FORMAT, "git rev-parse gave no "
                                                        "commit");
}

/* The files as they were; the user's index is not touched yet, or it is what it was. */
static int take_back(struct move *move, struct err *err)
{
    const struct forward *forward = move->forward;
    struct tree before = { 0 }, now = { 0 };
    struct tree_delta delta = { 0 };
    uint32_t kept = 0;
    int rc = tree_load(&before, state_path(move, before_name), err);

    if (rc == 0) rc = tree_take(forward->repo, forward->private_paths, &now, err);
    if (rc == 0) tree_compare(&before, &now, &delta);
    for (uint32_t i = 0; i < delta.count; i++) {
        if (delta.items[i].kind == CHANGE_HEAD || !has_path(move, delta.items[i].path)) continue;
        delta.items[kept++] = delta.items[i];
    }
    delta.count = kept;
    if (rc == 0 && kept > 0) {
        rc = tree_put_back(forward->repo, &before, &delta, state_path(move, kept_name), err);
    }
    tree_delta_release(&delta);
    tree_release(&now);
    tree_release(&before);
    return rc;
}

/* One file that the move brought, out of the way. */
static int take_out(int top_fd, int keep_fd, struct str path, struct err *err)
{
    char leaf[NAME_MAX + 1];
    struct stat st;
    int folder_fd;
    int rc = walk_parent(top_fd, path, false, &folder_fd, leaf, err);

    if (rc == ERR_MISSING || rc == ERR_FORMAT) return 0; /* a folder on the way is not there */
    if (rc != 0) return rc;
    if (fstatat(folder_fd, leaf, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode)) {
        rc = move_between(folder_fd, keep_fd, leaf, err);
    }
    close(folder_fd);
    return rc;
}

/* New files that are ignored show in no tree. None was there before: each is ours. */
static int take_out_added(struct move *move, struct err *err)
{
    const char *keep = state_path(move, kept_name);
    int top_fd = -1, keep_fd = -1;
    int rc = file_make_folder(keep, false, err);

    if (rc == 0) rc = folder_open(move->forward->repo->workspace, &top_fd, err);
    if (rc == 0) rc = folder_open(keep, &keep_fd, err);
    for (uint32_t i = 0; rc == 0 && i < move->path_count; i++) {
        if (move->paths[i].added) rc = take_out(top_fd, keep_fd, move->paths[i].path, err);
    }
    if (top_fd >= 0) close(top_fd);
    if (keep_fd >= 0) close(keep_fd);
    rmdir(keep); /* where nothing had to be kept */
    return rc;
}

static int read_intent(struct move *move, bool *there, struct err *err)
{
    struct str rest, from, to;
    int rc = scratch_text(move->forward->state, intent_name, 512, &move->arena, &rest, err);

    *there = rc != ERR_MISSING;
    if (rc == ERR_MISSING) rc = 0;
    if (rc == 0 && *there &&
        !(str_cut(&rest, '\0', &from) && str_cut(&rest, '\0', &to) && oid_is_valid(from) &&
          oid_is_valid(to) && oid_parse(from, move->from) && oid_parse(to, move->to))) {
        rc = err_set(err, ERR_FORMAT, "%s: it is not whole", state_path(move, intent_name));
    }
    return rc;
}

static int recover(struct move *move, struct err *err)
{
    char head[OID_BYTES] = "";
    bool there;
    int rc = read_intent(move, &there, err);

    if (rc != 0 || !there) return rc;
    rc = list_paths(move, err);
    if (rc == 0) rc = head_of(move, head, err);
    if (rc != 0) return rc;
    if (strcmp(head, move->to) == 0 &&
        is_same_file(move->index_lock, state_path(move, link_name))) {
        if (rename(move->index_lock, move->index) != 0) {
            return err_system(err, errno, "put %s in place", move->index);
        }
    } else {
        lock_drop(move);
        if (strcmp(head, move->from) == 0) rc = take_back(move, err);
        if (rc == 0 && strcmp(head, move->from) == 0) rc = take_out_added(move, err);
    }
    if (rc == 0) clear_state(move);
    return rc;
}

/* ---- moving ---- */

/* A file of the user's that the move would have to write. */
static int check_dirty(struct move *move, const struct tree *before, struct err *err)
{
    for (uint32_t i = 0; i < before->count; i++) {
        const struct tree_entry *entry = &before->entries[i];

        if (!has_path(move, entry->path)) continue;
        if (entry->hidden && entry->mode == entry->head_mode &&
            strcmp(entry->oid, entry->head) == 0)
            continue;
        return err_set(err, ERR_BUSY, "%.*s in your checkout has changes that are not committed, "
                       "and what was merged changes it too: commit or stash it",
                       STR_ARG(entry->path));
    }
    return 0;
}

/* Whether a folder holds a file that is not tracked, ignored or not. */
static bool has_untracked(struct move *move, const char *path)
{
    const char *const args[] = { "ls-files", "--others", "-z", "--", path, NULL };
    struct buf out;
    struct err none;
    bool some;

    buf_init(&out, PATHS_BYTES_MAX);
    some = repo_git(move->forward->repo, args, STR(""), &out, &none) != 0 || out.size > 0;
    buf_release(&out);
    return some;
}

/* Whether something that git would overwrite without a word, since it is ignored, stands where a
 * new file is to come, or where one of its folders is. */
static bool is_taken(struct move *move, struct str path)
{
    const char *top = move->forward->repo->workspace;

    for (size_t i = 1; i <= path.size; i++) {
        struct str part = { path.data, i };
        const char *name;
        struct stat st;

        if (i < path.size && path.data[i] != '/') continue;
        name = arena_printf(&move->arena, "%s/%.*s", top, STR_ARG(part));
        if (lstat(name, &st) != 0) return false;
        if (i < path.size && S_ISDIR(st.st_mode)) continue;
        if (i < path.size) return !has_path(move, part);
        return !S_ISDIR(st.st_mode) || has_untracked(move, name + strlen(top) + 1);
    }
    return false;
}

static int check_ignored(struct move *move, struct err *err)
{
    for (uint32_t i = 0; i < move->path_count; i++) {
        if (!move->paths[i].added || !is_taken(move, move->paths[i].path)) continue;
        return err_set(err, ERR_BUSY, "%.*s is there in your checkout, and what was merged brings "
                       "a file of that name: move it away", STR_ARG(move->paths[i].path));
    }
    return 0;
}

static int keep_before(struct move *move, struct err *err)
{
    const struct forward *forward = move->forward;
    struct tree before = { 0 };
    struct buf intent;
    int rc;

    buf_init(&intent, 512);
    rc = tree_take(forward->repo, forward->private_paths, &before, err);
    if (rc == 0 && strcmp(before.head, move->from) != 0) {
        rc = err_set(err, ERR_BUSY, "your checkout is not at %.12s any more, but at %.12s",
                     move->from, before.head);
    }
    if (rc == 0) rc = check_dirty(move, &before, err);
    if (rc == 0) rc = check_ignored(move, err);
    if (rc == 0) rc = tree_save(&before, forward->state, before_name, err);
    if (rc == 0) {
        buf_add(&intent, (struct str){ move->from, strlen(move->from) + 1 });
        buf_add(&intent, (struct str){ move->to, strlen(move->to) + 1 });
        rc = scratch_replace(forward->state, intent_name, buf_str(&intent), err);
    }
    buf_release(&intent);
    tree_release(&before);
    return rc;
}

static int copy_index(struct move *move, struct err *err)
{
    struct buf content;
    int rc;

    buf_init(&content, INDEX_BYTES_MAX);
    rc = file_read(move->index, &content, err);
    if (rc == ERR_MISSING) rc = 0; /* then git begins with an empty one */
    else if (rc == 0) {
        rc = scratch_write(move->forward->state, index_name, buf_str(&content), err);
    }
    buf_release(&content);
    return rc;
}

static int write_files(struct move *move, struct err *err)
{
    const char *index = state_path(move, index_name);
    /* With the rules by which read-tree then compares and writes; `add --refresh` adds nothing. */
    const char *const refresh[] = { "add", "--refresh", "--", ".", NULL };
    const char *const read[] = { "read-tree", "-m", "-u", move->from, move->to, NULL };
    struct err none;
    struct buf out;
    int rc;

    buf_init(&out, 1 << 20);
    (void)unlink(arena_printf(&move->arena, "%s.lock", index)); /* of one that was killed */
    (void)repo_git_index(move->forward->repo, index, refresh, STR(""), &out, &none);
    rc = repo_git_index(move->forward->repo, index, read, STR(""), &out, err);
    buf_release(&out);
    if (rc == ERR_FAILED) err->code = ERR_BUSY; /* git's words say which file is in the way */
    return rc == ERR_FAILED ? ERR_BUSY : rc;
}

static int move_head(struct move *move, const char *why, struct err *err)
{
    const char *const args[] = { "update-ref", "-m", why, "HEAD", move->to, move->from, NULL };

    return repo_do(move->forward->repo, args, STR(""), err);
}

static int run(struct move *move, const char *why, struct err *err)
{
    const char *index = state_path(move, index_name);
    const char *second = state_path(move, link_name);
    int rc = lock_take(move, err);

    if (rc == 0) rc = copy_index(move, err);
    if (rc == 0) rc = write_files(move, err);
    if (rc != 0) return rc;
    unlink(second);
    if (link(index, second) != 0 || rename(index, move->index_lock) != 0) {
        return err_system(err, errno, "write %s", move->index_lock);
    }
    rc = move_head(move, why, err);
    if (rc == 0 && rename(move->index_lock, move->index) != 0) {
        rc = err_system(err, errno, "put %s in place", move->index);
    }
    return rc;
}

int forward_run(const struct forward *forward, const char *from, const char *to, const char *why,
                struct err *err)
{
    struct move move;
    struct err later;
    int rc;

    move_init(&move, forward);
    snprintf(move.from, sizeof move.from, "%s", from);
    snprintf(move.to, sizeof move.to, "%s", to);
    rc = forward_recover(forward, err);
    if (rc == 0) rc = list_paths(&move, err);
    if (rc == 0) rc = keep_before(&move, err);
    if (rc == 0) {
        rc = run(&move, why, err);
        if (rc == 0) clear_state(&move);
        else (void)forward_recover(forward, &later);
    }
    move_release(&move);
    return rc;
}

int forward_recover(const struct forward *forward, struct err *err)
{
    struct move move;
    int rc;

    move_init(&move, forward);
    rc = recover(&move, err);
    move_release(&move);
    return rc == 0 ? 0 : err_wrap(err, "take back what was left of a merge");
}
