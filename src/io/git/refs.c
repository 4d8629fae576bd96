/* SPDX-License-Identifier: Apache-2.0
 *
 * refs.c - where refs point: taken, compared with what they were, and put back.
 *
 * Whether they still point there:
 *
 * git changes a ref by renaming a lock file over it or over packed-refs, so that the time of change
 * of that folder, or of that file, tells. A ref that a program writes to in place leaves no trace
 * in its folder: for the branch of HEAD the file itself is looked at, too.
 *
 * 1. Marks are kept only where every folder of refs has one and none changed a moment ago: file
 *    systems count time in ticks, and two changes may look like one.
 * 2. What is read back from a file is not believed: every line is a hash and the name of a ref, in
 *    order, or it is no file of ours. A line that was passed over would make its ref look as if an
 *    agent had added it.
 * 3. Where HEAD is not one line, it is not known.
 * 4. Work trees are known by the folder `worktrees`, which changes when one is added or removed. A
 *    clone leaves no trace in the repository that it was made from: none is seen here.
 *
 * Refs in tables (reftable) are looked at by git alone, and HEAD is not there.
 *
 * How they are compared and put back:
 *
 *   names for what would be lost --> HEAD --> work trees that were added leave their branches
 *       --> what was added goes --> what moved or went comes back
 *
 * 1. A commit that a ref named meanwhile has a name below `kept` before the ref moves.
 * 2. A ref moves only from where we saw it: if another process moves it at that moment, that one
 *    wins, and it is an error.
 * 3. What was added goes before what was deleted comes back: one may stand in the other's way.
 * 4. Killed at any point, the same call finishes the work.
 * 5. What is left as it is (a work tree, a stash) is noted in what is compared with, as an agent's:
 *    it is told again at each look until it is gone. */
#include "io/git/refs.h"

#include "base/mem.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"
#include "io/git/status.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
    struct str head;
    struct err none;

    (void)file_text_in(git_dir, "HEAD", HEAD_BYTES_MAX, arena, &head, &none);
    head = str_trim(head);
    return head_is_line(head) ? head : STR("");
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

/* Its texts are copied. */
static void refs_add_worktree(struct refs *refs, const struct ref_worktree *worktree)
{
    refs->worktrees = mem_grow(refs->worktrees, refs->worktree_count, &refs->worktree_cap,
                               sizeof *refs->worktrees);
    refs->worktrees[refs->worktree_count++] = (struct ref_worktree){
        .name = plain(worktree->name, &refs->arena), .path = plain(worktree->path, &refs->arena),
        .made = worktree->made };
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

/* Whether the work tree was there, and is no agent's. */
static bool refs_knows(const struct refs *refs, const struct ref_worktree *worktree)
{
    const struct ref_worktree *known = worktree_find(refs, worktree);

    return known && !known->made;
}

/* Where the files of a work tree are, by its folder below `worktrees`; empty: it has none. */
static struct str worktree_path(const char *folder, struct arena *arena)
{
    struct err none;
    struct str link;
    const char *file;

    if (file_text_in(folder, "gitdir", LINK_BYTES_MAX, arena, &link, &none) != 0) return STR("");
    link = str_trim(link);
    file = str_starts(link, STR("/")) ? arena_cstr(arena, link)
                                      : arena_printf(arena, "%s/%.*s", folder, STR_ARG(link));
    if (str_has(link, '\0') || !str_ends(link, STR("/.git")) || !file_exists(file)) return STR("");
    return plain(path_folder(str_of(file)), arena);
}

static bool is_of_hone(const struct repo *repo, struct str path)
{
    struct str own = str_of(repo->hone_dir);

    return str_starts(path, own) && path.size > own.size && path.data[own.size] == '/';
}

static void worktrees_take(const struct repo *repo, struct refs *refs)
{
    const char *folder = arena_printf(&refs->arena, "%s/worktrees", repo->common_dir);
    const char *const *names = folder_names(folder, "", &refs->arena);

    for (; *names; names++) {
        struct ref_worktree next = { .name = str_of(*names) };

        if (**names == '.') continue;
        next.path = worktree_path(arena_printf(&refs->arena, "%s/%s", folder, *names),
                                  &refs->arena);
        if (next.path.size == 0 || is_of_hone(repo, next.path)) continue;
        refs_add_worktree(refs, &next);
    }
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
    const char *const *names = folder_names(folder, "", &arena);

    add_branch(repo, repo->common_dir, &arena, out);
    for (; *names; names++) {
        const char *own = arena_printf(&arena, "%s/%s", folder, *names);
        struct ref_worktree worktree = { .name = str_of(*names) };

        if (**names == '.') continue;
        if (before) {
            worktree.path = worktree_path(own, &arena);
            if (!is_of_hone(repo, worktree.path) && !refs_knows(before, &worktree)) continue;
        }
        add_branch(repo, own, &arena, out);
    }
    arena_release(&arena);
}

/* ---- the list ---- */

/* "HASH NAME" of each; one that only stands for another has a third word. Those, and what is no
 * clean name, are passed over where `all` is not wanted. */
static bool read_list(struct refs *refs, struct str text, bool all)
{
    struct str line, name, oid;

    refs->items = arena_alloc(&refs->arena, (text.size / LINE_BYTES_MIN + 1) * sizeof *refs->items);
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

/* ---- refs compared with what they were ---- */

enum { LINES_BYTES_MAX = 256 << 20, NAMED_MAX = 10 };

static const char why[] = "hone: put back";

struct comparing {
    const struct refs_order *order;
    struct refs *before;
    struct refs now;
    struct buf keep, drop, back; /* for git update-ref */
    struct buf elsewhere; /* refs_elsewhere() */
    struct buf *what;
    uint32_t named, trees_kept;
};

static bool is_at(struct str name, const char *text)
{
    return text && str_is(name, text);
}

static bool is_looked_at(const struct comparing *comparing, struct str name)
{
    const char *below = comparing->order->below;
    struct str rest = buf_str(&comparing->elsewhere), line;

    while (str_cut(&rest, '\n', &line)) {
        if (str_eq(line, name)) return false;
    }
    if (!below) return true;
    return str_starts(name, str_of(below)) && name.size > strlen(below) &&
           name.data[strlen(below)] == '/';
}

static void name_it(struct comparing *comparing, const char *word, struct str name)
{
    const char *kind = "";

    if (++comparing->named > NAMED_MAX) return;
    if (str_starts(name, STR("refs/heads/"))) {
        kind = "branch ";
        name = str_skip(name, strlen("refs/heads/"));
    } else if (str_starts(name, STR("refs/tags/"))) {
        kind = "tag ";
        name = str_skip(name, strlen("refs/tags/"));
    }
    buf_printf(comparing->what, "%s%s %s%.*s", comparing->named > 1 ? ", " : "", word, kind,
               STR_ARG(name));
}

static void add_line(struct buf *out, const char *verb, struct str name, const char *a,
                     const char *b)
{
    buf_printf(out, "%s %.*s%s%s%s%s\n", verb, STR_ARG(name), *a ? " " : "", a, *b ? " " : "", b);
}

static void keep_commit(struct comparing *comparing, struct str name, struct str oid)
{
    if (str_starts(name, STR("refs/"))) name = str_skip(name, strlen("refs/"));
    if (!comparing->order->kept) return;
    buf_printf(&comparing->keep, "update %s/%.*s %.*s\n", comparing->order->kept, STR_ARG(name),
               STR_ARG(oid));
}

/* ---- comparing ---- */

static bool is_forward(const struct comparing *comparing, struct str from, struct str to)
{
    struct arena arena = { 0 };
    const char *const args[] = { "merge-base", "--is-ancestor", arena_cstr(&arena, from),
                                 arena_cstr(&arena, to), NULL };
    struct err none;
    bool forward = repo_do(comparing->order->repo, args, STR(""), &none) == 0;

    arena_release(&arena);
    return forward;
}

static void on_moved(struct comparing *comparing, const struct ref *was, const struct ref *is,
                     struct arena *arena)
{
    const char *from = arena_cstr(arena, is->oid), *to = arena_cstr(arena, was->oid);
    bool own = is_at(was->name, comparing->order->own);

    if (str_eq(was->oid, is->oid) || (own && is_forward(comparing, was->oid, is->oid))) return;
    name_it(comparing, own ? "rewrote" : "moved", was->name);
    keep_commit(comparing, is->name, is->oid);
    add_line(&comparing->back, "update", was->name, to, from);
}

static void on_added(struct comparing *comparing, const struct ref *is, struct arena *arena)
{
    if (is_at(is->name, comparing->order->own)) return; /* the first commit of all */
    name_it(comparing, "added", is->name);
    keep_commit(comparing, is->name, is->oid);
    add_line(&comparing->drop, "delete", is->name, arena_cstr(arena, is->oid), "");
}

static void on_deleted(struct comparing *comparing, const struct ref *was, struct arena *arena)
{
    name_it(comparing, "deleted", was->name);
    add_line(&comparing->back, "create", was->name, arena_cstr(arena, was->oid), "");
}

/* Both lists are in byte order. */
static void compare_lists(struct comparing *comparing)
{
    const struct refs *before = comparing->before, *now = &comparing->now;
    struct arena *arena = &comparing->now.arena;
    uint32_t i = 0, k = 0;

    while (i < before->count || k < now->count) {
        const struct ref *was = i < before->count ? &before->items[i] : NULL;
        const struct ref *is = k < now->count ? &now->items[k] : NULL;
        int order = !was ? 1 : !is ? -1 : str_compare(was->name, is->name);

        assert(was || is);
        if (order <= 0) i++;
        if (order >= 0) k++;
        if (!is_looked_at(comparing, order <= 0 ? was->name : is->name)) continue;
        if (order == 0) on_moved(comparing, was, is, arena);
        else if (order < 0) on_deleted(comparing, was, arena);
        else on_added(comparing, is, arena);
    }
}

/* ---- the stash, and work trees ---- */

static void compare_stash(struct comparing *comparing)
{
    struct refs *before = comparing->before;
    struct str was = before->stash, is = comparing->now.stash;

    before->stashed = false;
    if (comparing->order->below || str_eq(was, is)) return;
    if (is.size == 0) {
        name_it(comparing, "deleted", comparing->order->kept
                ? STR("the stash (its newest entry is back)") : STR("the stash"));
        buf_printf(&comparing->back, "create refs/stash %.*s\n", STR_ARG(was));
        return;
    }
    name_it(comparing, was.size ? "changed" : "made",
            was.size ? STR("the stash (left as it is)") : STR("a stash (left as it is)"));
    before->stashed = true;
}

/* Where the HEAD of a work tree is: its folder, and the commit; empty: on none. */
static struct str tree_commit(const struct comparing *comparing, const struct ref_worktree *tree,
                              const char **folder, struct arena *arena)
{
    struct str at;

    *folder = arena_printf(arena, "%s/worktrees/%.*s", comparing->order->repo->common_dir,
                           STR_ARG(tree->name));
    at = read_head(*folder, arena);
    if (oid_is_valid(at)) return at;
    for (uint32_t i = 0; i < comparing->now.count && str_starts(at, STR("ref: ")); i++) {
        const struct ref *ref = &comparing->now.items[i];

        if (str_eq(ref->name, str_skip(at, strlen("ref: ")))) return ref->oid;
    }
    return (struct str){ "", 0 };
}

static void on_tree_added(struct comparing *comparing, const struct ref_worktree *tree)
{
    struct arena *arena = &comparing->now.arena;
    const char *folder, *text = arena_printf(arena, "work tree %.*s (left as it is)",
                                             STR_ARG(tree->path));
    struct str commit = tree_commit(comparing, tree, &folder, arena);

    name_it(comparing, "added", str_of(text));
    if (commit.size == 0) return;
    text = arena_printf(arena, "worktrees/%" PRIu32, ++comparing->trees_kept);
    keep_commit(comparing, str_of(text), commit);
}

static void compare_trees(struct comparing *comparing)
{
    struct refs *before = comparing->before, *now = &comparing->now;
    uint32_t count = before->worktree_count;

    if (comparing->order->below) return;
    for (uint32_t i = 0; i < now->worktree_count; i++) {
        struct ref_worktree *tree = &now->worktrees[i];

        tree->made = !refs_knows(before, tree);
        if (tree->made) on_tree_added(comparing, tree);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ref_worktree *tree = &before->worktrees[i];

        if (tree->made || refs_knows(now, tree)) continue;
        name_it(comparing, "removed", str_of(arena_printf(&now->arena, "work tree %.*s",
                                                          STR_ARG(tree->path))));
    }
}

/* Of before, what an agent made is what there is of it now. */
static void note_standing(struct comparing *comparing)
{
    struct refs *before = comparing->before;
    uint32_t kept = 0;

    if (comparing->order->below) return;
    for (uint32_t i = 0; i < before->worktree_count; i++) {
        if (!before->worktrees[i].made) before->worktrees[kept++] = before->worktrees[i];
    }
    before->worktree_count = kept;
    for (uint32_t i = 0; i < comparing->now.worktree_count; i++) {
        if (comparing->now.worktrees[i].made) {
            refs_add_worktree(before, &comparing->now.worktrees[i]);
        }
    }
}

/* A branch that goes would leave a work tree on it without a commit. */
static int leave_branches(struct comparing *comparing, struct err *err)
{
    struct arena *arena = &comparing->now.arena;
    int rc = 0;

    for (uint32_t i = 0; i < comparing->now.worktree_count && rc == 0; i++) {
        const struct ref_worktree *tree = &comparing->now.worktrees[i];
        const char *folder;
        struct str commit;

        if (!tree->made) continue;
        commit = tree_commit(comparing, tree, &folder, arena);
        if (commit.size == 0) continue;
        rc = file_write(folder, "HEAD", str_of(arena_printf(arena, "%.*s\n", STR_ARG(commit))),
                        err);
    }
    return rc;
}

/* ---- HEAD ---- */

static bool compare_head(struct comparing *comparing)
{
    struct str was = comparing->before->head, is = comparing->now.head;
    bool own = comparing->order->own != NULL;

    if (comparing->order->below || was.size == 0 || str_eq(was, is)) return false;
    if (oid_is_valid(was) && oid_is_valid(is) && own && is_forward(comparing, was, is)) {
        return false;
    }
    if (oid_is_valid(is)) keep_commit(comparing, STR("HEAD"), is);
    if (str_starts(is, STR("ref: "))) is = str_skip(is, strlen("ref: "));
    name_it(comparing, "moved HEAD to", oid_is_valid(is) ? STR("a commit")
            : is.size ? is : STR("nothing"));
    return true;
}

/* By hand: where an agent wrote nonsense to HEAD, git finds no repository. */
static int head_back(struct comparing *comparing, struct err *err)
{
    struct arena arena = { 0 };
    struct str text = str_of(arena_printf(&arena, "%.*s\n", STR_ARG(comparing->before->head)));
    int rc = file_write(comparing->order->repo->git_dir, "HEAD", text, err);

    arena_release(&arena);
    return rc;
}

/* ---- putting back ---- */

static int update(const struct comparing *comparing, const struct buf *lines, struct err *err)
{
    static const char *const args[] = { "update-ref", "-m", why, "--stdin", NULL };

    if (lines->overflow) return err_set(err, ERR_LIMIT, "too many refs were changed");
    return lines->size ? repo_do(comparing->order->repo, args, buf_str(lines), err) : 0;
}

static int put_back(struct comparing *comparing, bool head, struct err *err)
{
    int rc = update(comparing, &comparing->keep, err);

    if (rc == 0 && head) rc = head_back(comparing, err);
    if (rc == 0) rc = leave_branches(comparing, err);
    if (rc == 0) rc = update(comparing, &comparing->drop, err);
    return rc == 0 ? update(comparing, &comparing->back, err) : rc;
}

/* git cannot list refs without a HEAD that it understands. */
static int take_now(struct comparing *comparing, struct err *err)
{
    const struct repo *repo = comparing->order->repo;
    struct refs head = { 0 };
    int rc = refs_take(repo, &comparing->now, err);

    if (rc == 0 || comparing->order->below || !comparing->order->kept) return rc;
    if (comparing->before->head.size == 0) return rc;
    refs_take_head(repo, &head);
    if (!str_eq(head.head, comparing->before->head)) {
        rc = head_back(comparing, err);
        if (rc == 0) name_it(comparing, "moved HEAD to", STR("nothing"));
        if (rc == 0) rc = refs_take(repo, &comparing->now, err);
    }
    refs_release(&head);
    return rc;
}

int refs_restore(const struct refs_order *order, struct buf *what, struct err *err)
{
    struct comparing comparing = { .order = order, .before = order->before, .what = what };
    bool head = false;
    int rc = take_now(&comparing, err);

    buf_init(&comparing.keep, LINES_BYTES_MAX);
    buf_init(&comparing.drop, LINES_BYTES_MAX);
    buf_init(&comparing.back, LINES_BYTES_MAX);
    buf_init(&comparing.elsewhere, LINES_BYTES_MAX);
    refs_elsewhere(order->repo, order->before, &comparing.elsewhere);
    if (rc == 0) {
        head = compare_head(&comparing);
        compare_lists(&comparing);
        compare_stash(&comparing);
        compare_trees(&comparing);
    }
    if (rc == 0 && order->kept) rc = put_back(&comparing, head, err);
    if (rc == 0) note_standing(&comparing);
    if (comparing.named > NAMED_MAX) {
        buf_printf(what, " and %" PRIu32 " more", comparing.named - NAMED_MAX);
    }
    refs_release(&comparing.now);
    buf_release(&comparing.keep);
    buf_release(&comparing.drop);
    buf_release(&comparing.back);
    buf_release(&comparing.elsewhere);
    return rc == 0 ? 0 : err_wrap(err, "put back what git knows");
}
