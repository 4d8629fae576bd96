/* SPDX-License-Identifier: Apache-2.0
 *
 * refs.c - refs taken, and seen to hold.
 *
 * git changes a ref by renaming a lock file over it or over packed-refs, so that the time of change
 * of that folder, or of that file, tells. A ref that somebody writes to in place leaves no trace in
 * its folder: for the branch of HEAD the file itself is looked at, too.
 *
 * 1. Marks are kept only where every folder of refs has one and none changed a moment ago: file
 *    systems count time in ticks, and two changes may look like one.
 * 2. What is read back from a file is not believed: every line is a hash and a name of refs, in
 *    order, or it is no file of ours. One that were passed over would count as added by somebody.
 * 3. HEAD is one line, or nobody can tell.
 * 4. Work trees are known by the folder `worktrees`, which changes when one is added or removed. A
 *    clone leaves no trace in the repository that it was made from: none is seen here.
 *
 * Not here: putting back (refs_restore.c). Refs in tables (reftable) are looked at by git alone,
 * and HEAD is not there. */
#include "io/git/refs.h"

#include "base/mem.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/file/walk.h"
#include "io/git/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAD_BYTES_MAX = 4096, LIST_BYTES_MAX = 256 << 20, FOLDERS_MAX = 1024, DEPTH_MAX = 32,
    FRESH_MS = 50, LINE_BYTES_MIN = 47, /* a hash, a space, "refs/", a letter */
    LINK_BYTES_MAX = 8192,
};

static const char stash_ref[] = "refs/stash";

static const char *const groups[] = {
    "refs/heads", "refs/notes", "refs/replace", stash_ref, "refs/tags",
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

void refs_release(struct refs *refs)
{
    free(refs->marks);
    free(refs->worktrees);
    arena_release(&refs->arena);
    *refs = (struct refs){ 0 };
}

/* ---- marks ---- */

static void mark_take(struct ref_mark *mark)
{
    struct stat st;

    mark->inode = mark->size = mark->changed_ns = 0;
    if (lstat(mark->path, &st) != 0) return;
    mark->inode = st.st_ino;
    mark->size = (uint64_t)st.st_size;
    mark->changed_ns = (uint64_t)st.st_ctim.tv_sec * 1000000000 + (uint64_t)st.st_ctim.tv_nsec;
}

static void mark_add(struct refs *refs, const char *path)
{
    refs->marks = mem_grow(refs->marks, refs->mark_count, &refs->mark_cap, sizeof *refs->marks);
    refs->marks[refs->mark_count] = (struct ref_mark){ .path = path };
    mark_take(&refs->marks[refs->mark_count++]);
}

static bool is_folder(int fd, const struct dirent *item)
{
    struct stat st;

    if (item->d_type != DT_UNKNOWN) return item->d_type == DT_DIR;
    return fstatat(fd, item->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* False: there is more than can be looked at each time. */
static bool mark_folders(struct refs *refs, const char *path, int depth)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *item;
    bool whole = depth < DEPTH_MAX && refs->mark_count < FOLDERS_MAX;

    mark_add(refs, path);
    if (!dir) {
        bool absent = fd < 0 && errno == ENOENT;
        if (fd >= 0) close(fd);
        return absent;
    }
    while (whole && (item = readdir(dir))) {
        if (item->d_name[0] == '.' || !is_folder(fd, item)) continue;
        whole = mark_folders(refs, arena_printf(&refs->arena, "%s/%s", path, item->d_name),
                             depth + 1);
    }
    closedir(dir);
    return whole;
}

static bool is_fresh(const struct refs *refs)
{
    uint64_t now_ms = now_wall_ms();

    for (uint32_t i = 0; i < refs->mark_count; i++) {
        if (refs->marks[i].changed_ns / 1000000 + FRESH_MS > now_ms) return true;
    }
    return false;
}

/* Before git is asked: what moves meanwhile is seen as a change. */
static void marks_take(const struct repo *repo, struct refs *refs)
{
    const char *top = repo->common_dir;
    struct arena *arena = &refs->arena;
    bool whole = !file_exists(arena_printf(arena, "%s/reftable", top));

    mark_add(refs, arena_printf(arena, "%s/HEAD", repo->git_dir));
    mark_add(refs, arena_printf(arena, "%s/packed-refs", top));
    mark_add(refs, arena_printf(arena, "%s/refs", top));
    mark_add(refs, arena_printf(arena, "%s/worktrees", top));
    if (str_starts(refs->head, STR("ref: "))) {
        struct str branch = str_skip(refs->head, strlen("ref: "));
        mark_add(refs, arena_printf(arena, "%s/%.*s", top, STR_ARG(branch)));
    }
    for (uint32_t i = 0; i < GROUP_COUNT && whole; i++) {
        if (groups[i] == stash_ref) continue; /* a file in refs */
        whole = mark_folders(refs, arena_printf(arena, "%s/%s", top, groups[i]), 0);
    }
    if (whole && !is_fresh(refs)) return;
    free(refs->marks);
    refs->marks = NULL;
    refs->mark_count = refs->mark_cap = 0;
}

bool refs_hold(const struct refs *refs)
{
    for (uint32_t i = 0; i < refs->mark_count; i++) {
        struct ref_mark now = { .path = refs->marks[i].path };

        mark_take(&now);
        if (now.inode != refs->marks[i].inode || now.size != refs->marks[i].size ||
            now.changed_ns != refs->marks[i].changed_ns) {
            return false;
        }
    }
    return refs->mark_count > 0;
}

/* ---- taking ---- */

static bool head_is_line(struct str head)
{
    return !str_has(head, '\n') && !str_has(head, '\0');
}

static struct str read_head(const char *git_dir, struct arena *arena)
{
    struct str head = { "", 0 };
    struct buf text;
    struct err none;

    buf_init(&text, HEAD_BYTES_MAX);
    if (file_read_in(git_dir, "HEAD", &text, &none) == 0) {
        head = str_trim(buf_str(&text));
        head = head_is_line(head) ? arena_copy(arena, head) : (struct str){ "", 0 };
    }
    buf_release(&text);
    return head;
}

void refs_take_head(const struct repo *repo, struct refs *out)
{
    out->head = read_head(repo->git_dir, &out->arena);
}

/* ---- work trees ---- */

/* Text of an agent's that is one line. */
static struct str plain(struct str text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.size + 1);

    for (size_t i = 0; i < text.size; i++) {
        bool control = (unsigned char)text.data[i] < ' ' || text.data[i] == 127;

        copy[i] = control ? '?' : text.data[i];
    }
    return (struct str){ copy, text.size };
}

void refs_add_worktree(struct refs *refs, const struct ref_worktree *worktree)
{
    refs->worktrees = mem_grow(refs->worktrees, refs->worktree_count, &refs->worktree_cap,
                               sizeof *refs->worktrees);
    refs->worktrees[refs->worktree_count++] = (struct ref_worktree){
        .name = plain(worktree->name, &refs->arena), .path = plain(worktree->path, &refs->arena),
        .made = worktree->made };
}

static int worktree_order(const void *a, const void *b)
{
    return str_compare(((const struct ref_worktree *)a)->name,
                       ((const struct ref_worktree *)b)->name);
}

static const struct ref_worktree *worktree_find(const struct refs *refs,
                                                const struct ref_worktree *like)
{
    for (uint32_t i = 0; i < refs->worktree_count; i++) {
        const struct ref_worktree *item = &refs->worktrees[i];

        if (str_eq(item->name, like->name) && str_eq(item->path, like->path)) return item;
    }
    return NULL;
}

bool refs_knows(const struct refs *refs, const struct ref_worktree *worktree)
{
    const struct ref_worktree *known = worktree_find(refs, worktree);

    return known && !known->made;
}

/* Where the files of a work tree are, by its folder below `worktrees`; empty: it has none. */
static struct str worktree_path(const char *folder, struct arena *arena)
{
    struct str path = { "", 0 };
    struct err none;
    struct buf text;

    buf_init(&text, LINK_BYTES_MAX);
    if (file_read_in(folder, "gitdir", &text, &none) == 0) {
        struct str link = str_trim(buf_str(&text));
        const char *base = str_starts(link, STR("/")) ? "" : folder;
        const char *file = arena_printf(arena, "%s%s%.*s", base, *base ? "/" : "", STR_ARG(link));

        if (!str_has(link, '\0') && str_ends(link, STR("/.git")) && file_exists(file)) {
            path = plain(path_folder(str_of(file)), arena);
        }
    }
    buf_release(&text);
    return path;
}

static bool is_of_hone(const struct repo *repo, struct str path)
{
    struct str own = str_of(repo->hone_dir);

    return str_starts(path, own) && path.size > own.size && path.data[own.size] == '/';
}

static void worktrees_take(const struct repo *repo, struct refs *refs)
{
    const char *folder = arena_printf(&refs->arena, "%s/worktrees", repo->common_dir);
    DIR *dir = opendir(folder);
    struct dirent *item;

    while (dir && (item = readdir(dir))) {
        struct ref_worktree next = { .name = str_of(item->d_name) };

        if (item->d_name[0] == '.') continue;
        next.path = worktree_path(arena_printf(&refs->arena, "%s/%s", folder, item->d_name),
                                  &refs->arena);
        if (next.path.size == 0 || is_of_hone(repo, next.path)) continue;
        refs_add_worktree(refs, &next);
    }
    if (dir) closedir(dir);
    if (refs->worktree_count == 0) return;
    qsort(refs->worktrees, refs->worktree_count, sizeof *refs->worktrees, worktree_order);
}

bool refs_diverged(const struct refs *refs)
{
    for (uint32_t i = 0; i < refs->worktree_count; i++) {
        if (refs->worktrees[i].made) return true;
    }
    return refs->stashed;
}

void refs_carry(struct refs *refs, const struct refs *old)
{
    for (uint32_t i = 0; i < refs->worktree_count; i++) {
        const struct ref_worktree *was = worktree_find(old, &refs->worktrees[i]);

        refs->worktrees[i].made = was && was->made;
    }
    refs->stashed = old->stashed && !str_eq(old->stash, refs->stash);
    if (refs->stashed) refs->stash = arena_copy(&refs->arena, old->stash);
}

static void add_branch(const struct repo *repo, const char *git_dir, struct arena *arena,
                       struct buf *out)
{
    struct str head = read_head(git_dir, arena);

    if (strcmp(git_dir, repo->git_dir) == 0 || !str_starts(head, STR("ref: refs/heads/"))) return;
    buf_printf(out, "%.*s\n", STR_ARG(str_skip(head, strlen("ref: "))));
}

void refs_elsewhere(const struct repo *repo, const struct refs *before, struct buf *out)
{
    struct arena arena = { 0 };
    const char *folder = arena_printf(&arena, "%s/worktrees", repo->common_dir);
    DIR *dir = opendir(folder);
    struct dirent *item;

    add_branch(repo, repo->common_dir, &arena, out);
    while (dir && (item = readdir(dir))) {
        const char *own = arena_printf(&arena, "%s/%s", folder, item->d_name);
        struct ref_worktree worktree = { .name = str_of(item->d_name) };

        if (item->d_name[0] == '.') continue;
        if (before) {
            worktree.path = worktree_path(own, &arena);
            if (!is_of_hone(repo, worktree.path) && !refs_knows(before, &worktree)) continue;
        }
        add_branch(repo, own, &arena, out);
    }
    if (dir) closedir(dir);
    arena_release(&arena);
}

/* ---- the list ---- */

/* "HASH NAME" of each; one that only stands for another has a third word. Those, and what is no
 * clean name, are passed over where `all` is not wanted. */
static bool read_list(struct refs *refs, struct str text, bool all)
{
    struct str line, name, oid;

    refs->items = arena_alloc(&refs->arena,
                              (text.size / LINE_BYTES_MIN + 1) * sizeof *refs->items);
    while (str_cut(&text, '\n', &line)) {
        struct ref *next = &refs->items[refs->count];

        if (!str_cut(&line, ' ', &oid) || !oid_is_valid(oid)) return false;
        if (!str_cut(&line, ' ', &name) || !str_starts(name, STR("refs/"))) return false;
        if (line.size > 0 || !path_is_clean(name)) {
            if (all) return false;
            continue;
        }
        if (str_is(name, stash_ref)) {
            if (all) return false;
            refs->stash = oid;
            continue;
        }
        if (refs->count > 0 && str_compare(next[-1].name, name) >= 0) return false;
        *next = (struct ref){ .name = name, .oid = oid };
        refs->count++;
    }
    return true;
}

int refs_take(const struct repo *repo, struct refs *out, struct err *err)
{
    const char *const args[] = { "for-each-ref", "--format=%(objectname) %(refname) %(symref)",
                                 groups[0], groups[1], groups[2], groups[3], groups[4], NULL };
    struct buf text;
    int rc;

    *out = (struct refs){ 0 };
    refs_take_head(repo, out);
    marks_take(repo, out);
    worktrees_take(repo, out);
    buf_init(&text, LIST_BYTES_MAX);
    rc = repo_git(repo, args, STR(""), &text, err);
    if (rc == 0 && !read_list(out, arena_copy(&out->arena, buf_str(&text)), false)) {
        rc = err_set(err, ERR_FORMAT, "git for-each-ref: its list could not be understood");
    }
    buf_release(&text);
    if (rc != 0) refs_release(out);
    return rc;
}

/* ---- as a file: HEAD, the stash, work trees, refs, "end" ---- */

static const char stash_line[] = "stash ", stashed_line[] = "stashed ";
static const char tree_line[] = "worktree ", made_line[] = "made ";

void refs_print(const struct refs *refs, struct buf *out)
{
    buf_printf(out, "%.*s\n%s%.*s\n", STR_ARG(refs->head),
               refs->stashed ? stashed_line : stash_line, STR_ARG(refs->stash));
    for (uint32_t i = 0; i < refs->worktree_count; i++) {
        const struct ref_worktree *item = &refs->worktrees[i];

        buf_printf(out, "%s%.*s%.*s\n", item->made ? made_line : tree_line, STR_ARG(item->name),
                   STR_ARG(item->path));
    }
    for (uint32_t i = 0; i < refs->count; i++) {
        buf_printf(out, "%.*s %.*s \n", STR_ARG(refs->items[i].oid), STR_ARG(refs->items[i].name));
    }
    buf_text(out, "end\n");
}

static bool skip_word(struct str *line, const char *word)
{
    bool is = str_starts(*line, str_of(word));

    if (is) *line = str_skip(*line, strlen(word));
    return is;
}

static bool read_stash(struct refs *refs, struct str *rest)
{
    struct str line;

    if (!str_cut(rest, '\n', &line)) return false;
    refs->stashed = skip_word(&line, stashed_line);
    if (!refs->stashed && !skip_word(&line, stash_line)) return false;
    refs->stash = line;
    return line.size == 0 || oid_is_valid(line);
}

static bool read_worktrees(struct refs *refs, struct str *rest)
{
    struct str ahead = *rest, line;

    while (str_cut(&ahead, '\n', &line)) {
        struct ref_worktree item = { .made = skip_word(&line, made_line) };
        const char *slash;

        if (!item.made && !skip_word(&line, tree_line)) break;
        slash = memchr(line.data, '/', line.size);
        if (!slash || slash == line.data) return false;
        item.name = (struct str){ line.data, (size_t)(slash - line.data) };
        item.path = str_skip(line, item.name.size);
        refs_add_worktree(refs, &item);
        *rest = ahead;
    }
    return true;
}

int refs_save(const struct refs *refs, const char *folder, const char *name, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, LIST_BYTES_MAX);
    refs_print(refs, &text);
    rc = text.overflow ? err_set(err, ERR_LIMIT, "%s/%s: too many refs", folder, name)
                       : scratch_replace(folder, name, buf_str(&text), err);
    buf_release(&text);
    return rc;
}

bool refs_parse(struct str text, struct refs *refs)
{
    struct str end = STR("end\n"), rest;

    *refs = (struct refs){ 0 };
    rest = arena_copy(&refs->arena, text);
    if (str_cut(&rest, '\n', &refs->head) && head_is_line(refs->head) && str_ends(rest, end)) {
        rest.size -= end.size;
        if (rest.size > 0 && rest.data[rest.size - 1] == '\n' && read_stash(refs, &rest) &&
            read_worktrees(refs, &rest) && read_list(refs, rest, true)) {
            return true;
        }
    }
    refs_release(refs);
    return false;
}

int refs_load(struct refs *refs, const char *folder, const char *name, struct err *err)
{
    struct buf text;
    int rc;

    *refs = (struct refs){ 0 };
    buf_init(&text, LIST_BYTES_MAX);
    rc = scratch_read(folder, name, &text, err);
    if (rc == 0 && !refs_parse(buf_str(&text), refs)) {
        rc = err_set(err, ERR_FORMAT, "%s/%s: it is not whole", folder, name);
    }
    refs->loaded = rc == 0;
    buf_release(&text);
    return rc;
}
