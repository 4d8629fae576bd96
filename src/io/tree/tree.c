/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c - taking a tree: what git says changed, and the hash of each content.
 *
 * git status names the paths; for each we ask the file system what is there now, and one git
 * process hashes all regular files, storing their contents in the hone folder. Contents are
 * hashed as they lie on disk, without git's line-end and other filters: two trees are compared
 * with each other, and what is put back must be the very same bytes.
 *
 * 1. Nothing changed: one git process. Something changed: two, plus one per symbolic link; and one
 *    more where git is told not to look at some files.
 * 2. A link's content is its target. Nothing is read through it.
 * 3. What cannot be hashed still has an identity, so that a change of it shows: a file we may not
 *    read its size and time, a submodule or another repository inside ours a word for all that is
 *    in it (nested.c). Pipes, sockets and devices count as absent.
 * 4. A file that vanishes while we look is absent. If git trips over one, we look again at what is
 *    there and ask git once more, a few times; a tree that never stands still is an error.
 *
 * Not here: reading git's answer (io/git/status.c), files that are as a checkout makes them
 * (tree_made.c), comparing (tree_compare.c), files of trees (tree_store.c), putting back
 * (tree_put_back.c).
 */
#include "io/tree/tree.h"

#include "io/file/walk.h"
#include "io/process/helper.h"
#include "io/tree/nested.h"
#include "io/tree/tree_entry.h"
#include "io/git/index.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_BYTES_MAX = 1 << 28, TAKE_TRIES = 3, HASH_TRIES = 8, S_IFGITLINK = 0160000 };

static const char *const ask_status[] = {
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all",
    "--no-renames", NULL,
};
static const char *const ask_hashes[] = { "hash-object", "-w", "--no-filters", "--stdin-paths",
                                          NULL };
static const char *const ask_hash[] = { "hash-object", "-w", "--stdin", NULL };

/* ---- which paths ---- */

/* A repository's own folder, "x" by name, is below "x/". */
static bool is_private(const struct tree *tree, const struct status_line *line)
{
    char folder[PATH_MAX];
    int bytes;

    if (!line->repository) return tree_leaves_out(tree, line->path);
    bytes = snprintf(folder, sizeof folder, "%.*s/", STR_ARG(line->path));
    return bytes > 0 && (size_t)bytes < sizeof folder && tree_leaves_out(tree, str_of(folder));
}

/* By path; what git status knows of a tracked file before the line that it is there untracked, or
 * that git is told not to look at it. */
static int compare_lines(const void *a, const void *b)
{
    const struct status_line *left = a, *right = b;
    int order = str_compare(left->path, right->path);

    if (order != 0) return order;
    return (int)(left->untracked || left->hidden) - (int)(right->untracked || right->hidden);
}

/* What the line says is in the work tree; a file's own mode and content come later. */
static void set_presence(struct tree_entry *entry, const struct status_line *line)
{
    entry->hidden = line->hidden;
    entry->mode = line->repository ? S_IFGITLINK : line->untracked ? S_IFREG : line->mode;
    if (entry->mode == S_IFGITLINK)
        snprintf(entry->oid, OID_BYTES, "%s%s%.50s", line->repository ? "repository" : line->module,
                 line->inside[0] ? ":" : "", line->inside);
}

static void fill(struct tree_entry *entry, const struct status_line *line, struct arena *arena)
{
    entry->path = arena_copy(arena, line->path);
    entry->stages = arena_copy(arena, line->stages);
    entry->staged_mode = line->staged_mode;
    entry->head_mode = line->head_mode;
    memcpy(entry->staged, line->staged, OID_BYTES);
    memcpy(entry->head, line->head, OID_BYTES);
    set_presence(entry, line);
}

/* Entries whose mode is not 0 and whose oid is empty are still to be looked at. */
static void list_entries(struct tree *tree, struct status *status)
{
    struct tree_entry *next = arena_alloc(&tree->arena, status->count * sizeof *next);

    qsort(status->lines, status->count, sizeof *status->lines, compare_lines);
    tree->entries = next;
    for (uint32_t i = 0; i < status->count; i++) {
        const struct status_line *line = &status->lines[i];

        if (is_private(tree, line)) continue;
        if (next > tree->entries && str_eq(next[-1].path, line->path))
            set_presence(&next[-1], line); /* out of the index or hidden, and still there */
        else
            fill(next++, line, &tree->arena);
    }
    tree->count = (uint32_t)(next - tree->entries);
}

/* ---- what is there ---- */

static bool is_pending(const struct tree_entry *entry)
{
    return entry->mode != 0 && entry->oid[0] == '\0';
}

static void look_at(int folder_fd, struct tree_entry *entry)
{
    struct stat st;

    entry->mode = 0;
    if (fstatat(folder_fd, entry->path.data, &st, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISLNK(st.st_mode)) entry->mode = 0120000;
    if (!S_ISREG(st.st_mode)) return;
    entry->mode = (st.st_mode & S_IXUSR) ? 0100755 : 0100644;
    if (faccessat(folder_fd, entry->path.data, R_OK, AT_EACCESS) == 0) return;
    snprintf(entry->oid, OID_BYTES, "stat:%" PRIx64 ":%" PRIx64 ".%lx", (uint64_t)st.st_size,
             (uint64_t)st.st_mtim.tv_sec, (unsigned long)st.st_mtim.tv_nsec);
}

static bool is_anywhere(const struct tree_entry *entry)
{
    return entry->mode || entry->staged_mode || entry->head_mode || entry->stages.size;
}

static void look_at_all(int folder_fd, struct tree *tree)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        struct tree_entry *entry = &tree->entries[i];

        if (is_pending(entry)) look_at(folder_fd, entry);
        if (is_anywhere(entry)) tree->entries[kept++] = *entry;
    }
    tree->count = kept;
}

/* ---- content hashes ---- */

/* A path as git reads one from a list: between quotes, any byte. */
static void add_quoted(struct buf *out, struct str path)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < path.size; i++) {
        unsigned char byte = (unsigned char)path.data[i];

        if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\')
            buf_printf(out, "\\%03o", (unsigned)byte);
        else
            buf_byte(out, (char)byte);
    }
    buf_text(out, "\"\n");
}

static int take_oid(struct str *answer, struct tree_entry *entry, struct err *err)
{
    struct str line;

    if (str_cut(answer, '\n', &line) && oid_is_valid(line) && oid_parse(line, entry->oid))
        return 0;
    return err_set(err, ERR_FORMAT, "git hash-object gave no hash for %.*s",
                   STR_ARG(entry->path));
}

static int hash_files(const struct repo *repo, struct tree *tree, struct err *err)
{
    struct buf names, answer;
    struct str rest;
    int rc = 0;

    buf_init(&names, STATUS_BYTES_MAX);
    buf_init(&answer, STATUS_BYTES_MAX);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];

        if (is_pending(entry) && S_ISREG(entry->mode)) add_quoted(&names, entry->path);
    }
    if (names.overflow) rc = err_set(err, ERR_LIMIT, "too many changed files to hash");
    if (rc == 0 && names.size) rc = repo_git_own(repo, ask_hashes, buf_str(&names), &answer, err);
    rest = buf_str(&answer);
    for (uint32_t i = 0; rc == 0 && i < tree->count; i++) {
        struct tree_entry *entry = &tree->entries[i];

        if (is_pending(entry) && S_ISREG(entry->mode)) rc = take_oid(&rest, entry, err);
    }
    buf_release(&names);
    buf_release(&answer);
    return rc;
}

static int hash_link(const struct repo *repo, int folder_fd, struct tree_entry *entry,
                     struct err *err)
{
    char target[PATH_MAX];
    ssize_t bytes = readlinkat(folder_fd, entry->path.data, target, sizeof target);
    struct str rest;
    struct buf answer;
    int rc;

    if (bytes < 0) {
        entry->mode = 0;
        return 0;
    }
    buf_init(&answer, OID_BYTES);
    rc = repo_git_own(repo, ask_hash, (struct str){ target, (size_t)bytes }, &answer, err);
    rest = buf_str(&answer);
    if (rc == 0) rc = take_oid(&rest, entry, err);
    buf_release(&answer);
    return rc;
}

static int hash_all(const struct repo *repo, struct tree *tree, struct err *err)
{
    int folder_fd = -1;
    int rc = folder_open(repo->workspace, &folder_fd, err);

    if (rc != 0) return rc;
    for (int i = 0; i < HASH_TRIES; i++) {
        look_at_all(folder_fd, tree); /* each time fewer: what vanished is not asked for again */
        rc = hash_files(repo, tree, err);
        if (rc != ERR_FAILED) break;
    }
    for (uint32_t i = 0; rc == 0 && i < tree->count; i++) {
        struct tree_entry *entry = &tree->entries[i];

        if (is_pending(entry)) rc = hash_link(repo, folder_fd, entry, err);
    }
    close(folder_fd);
    return rc;
}

/* ---- files that git does not name any more ---- */

static bool is_unsettled(const struct tree *now, const struct tree_entry *then)
{
    return S_ISREG(then->mode) && then->head_mode == then->mode &&
           oid_is_valid(str_of(then->oid)) && strcmp(then->staged, then->head) == 0 &&
           !tree_find(now, then->path);
}

/* Those that differ from what was committed, among the entries that git does not name. */
static void keep_differing(struct tree *tree)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];

        if (strcmp(entry->oid, entry->head) != 0) tree->entries[kept++] = *entry;
    }
    tree->count = kept;
}

static int compare_entry_paths(const void *a, const void *b)
{
    return str_compare(((const struct tree_entry *)a)->path,
                       ((const struct tree_entry *)b)->path);
}

static void add_entries(struct tree *now, const struct tree *more)
{
    struct tree_entry *all = arena_alloc(&now->arena,
                                         ((size_t)now->count + more->count) * sizeof *all);

    if (now->count) memcpy(all, now->entries, now->count * sizeof *all);
    memcpy(all + now->count, more->entries, more->count * sizeof *all);
    now->entries = all;
    now->count += more->count;
    qsort(all, now->count, sizeof *all, compare_entry_paths);
}

int tree_spell(const struct repo *repo, const struct tree *before, struct tree *now,
               struct err *err)
{
    struct tree more = { 0 };
    int rc;

    more.entries = arena_alloc(&now->arena, (before->count + (size_t)1) * sizeof *more.entries);
    for (uint32_t i = 0; i < before->count; i++) {
        const struct tree_entry *then = &before->entries[i];
        struct tree_entry entry = entry_as_in_head(then);

        if (then->head_mode == 0 || tree_find(now, then->path)) continue;
        if (!S_ISREG(entry.mode) && !S_ISLNK(entry.mode)) continue;
        entry.oid[0] = '\0';
        entry.path = arena_copy(&now->arena, then->path);
        more.entries[more.count++] = entry;
    }
    if (more.count == 0) return 0;
    rc = hash_all(repo, &more, err);
    if (rc == 0) add_entries(now, &more);
    return rc;
}

int tree_settle(const struct repo *repo, const struct tree *before, struct tree *now,
                struct err *err)
{
    struct tree more = { 0 };
    int rc = 0;

    if (strcmp(before->head, now->head) != 0) return 0; /* then commits say more: tree_align() */
    more.entries = arena_alloc(&now->arena, before->count * sizeof *more.entries);
    for (uint32_t i = 0; i < before->count; i++) {
        struct tree_entry entry = before->entries[i];

        if (!is_unsettled(now, &entry)) continue;
        entry.oid[0] = '\0';
        entry.path = arena_copy(&now->arena, entry.path);
        entry.stages = STR("");
        more.entries[more.count++] = entry;
    }
    if (more.count > 0) rc = hash_all(repo, &more, err);
    if (rc == 0) keep_differing(&more);
    if (rc == 0 && more.count > 0) add_entries(now, &more);
    return rc;
}

/* ---- the whole ---- */

static const char *const *copy_list(struct arena *arena, const char *const *list)
{
    static const char *const none[] = { NULL };
    const char **copy;
    size_t count = 0;

    if (!list) list = none;
    while (list[count]) count++;
    copy = arena_alloc(arena, (count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = arena_cstr(arena, str_of(list[i]));
    return copy;
}

void tree_ahead_begin(const struct repo *repo, struct tree_ahead *out)
{
    out->status = repo_git_begin(repo, ask_status);
}

/* What git status says: as it was begun, or asked for now. index: NULL for the user's. */
static int read_status(const struct repo *repo, struct tree_ahead *ahead, const char *index,
                       struct buf *text, struct err *err)
{
    struct helper *begun = ahead->status;

    ahead->status = NULL;
    if (begun) return repo_git_finish(repo, ask_status, begun, text, err);
    if (index) return repo_git_index(repo, index, ask_status, STR(""), text, err);
    return repo_git(repo, ask_status, STR(""), text, err);
}

/* A file that HEAD holds and our index does not may be there all the same, and be ignored. */
static void look_for_committed(struct status *status)
{
    for (uint32_t i = 0; i < status->count; i++) {
        struct status_line *line = &status->lines[i];

        if (line->mode == 0 && line->staged_mode == 0 && S_ISREG(line->head_mode))
            line->mode = line->head_mode;
    }
}

static int take_once(const struct repo *repo, struct tree_ahead *ahead, const char *index,
                     const char *const *private_paths, struct tree *out, struct err *err)
{
    struct arena scratch = { 0 };
    const char *users = arena_printf(&scratch, "%s/index", repo->git_dir);
    struct index_look look;
    struct status status;
    struct buf text;
    int rc;

    *out = (struct tree){ 0 };
    if (!index && !ahead->status) tree_ahead_begin(repo, ahead);
    look = index_look(index ? index : users);
    out->private_paths = copy_list(&out->arena, private_paths);
    buf_init(&text, STATUS_BYTES_MAX);
    rc = read_status(repo, ahead, index, &text, err);
    if (rc == ERR_LIMIT)
        err_wrap(err, "too many files are changed or not tracked; does .gitignore miss some");
    if (rc == 0) rc = tree_parse_status(buf_str(&text), &scratch, &status, err);
    if (rc == 0 && index) look_for_committed(&status);
    if (rc == 0) rc = status_add_hidden(repo, index ? index : users, &look, &status, &scratch, err);
    if (rc == 0)
        rc = nested_look(repo, index ? index : users, look.links, &status, &scratch, err);
    if (rc == 0) {
        memcpy(out->head, status.head, OID_BYTES);
        out->branch = arena_copy(&out->arena, status.branch);
        list_entries(out, &status);
        if (out->count) rc = hash_all(repo, out, err);
        if (rc == 0) rc = tree_drop_made(repo, out, err);
    }
    arena_release(&scratch);
    buf_release(&text);
    if (rc != 0) tree_release(out);
    return rc;
}

static int tree_take_from(const struct repo *repo, struct tree_ahead *ahead, const char *index,
                          const char *const *private_paths, struct tree *out, struct err *err)
{
    int rc = 0;

    for (int i = 0; i < TAKE_TRIES; i++) {
        rc = take_once(repo, ahead, index, private_paths, out, err);
        if (rc != ERR_FAILED) break;
    }
    return rc != 0 ? err_wrap(err, "look at the tree") : 0;
}

int tree_ahead_take(struct tree_ahead *ahead, const struct repo *repo,
                    const char *const *private_paths, struct tree *out, struct err *err)
{
    return tree_take_from(repo, ahead, NULL, private_paths, out, err);
}

void tree_ahead_drop(struct tree_ahead *ahead)
{
    struct err ignored;
    struct buf text;

    if (!ahead->status) return;
    buf_init(&text, STATUS_BYTES_MAX);
    (void)helper_finish(ahead->status, &text, &ignored);
    ahead->status = NULL;
    buf_release(&text);
}

int tree_take(const struct repo *repo, const char *const *private_paths, struct tree *out,
              struct err *err)
{
    struct tree_ahead none = { 0 };

    return tree_take_from(repo, &none, NULL, private_paths, out, err);
}

int tree_take_by(const struct repo *repo, const char *index, const char *const *private_paths,
                 struct tree *out, struct err *err)
{
    struct tree_ahead none = { 0 };

    return tree_take_from(repo, &none, index, private_paths, out, err);
}

void tree_release(struct tree *tree)
{
    arena_release(&tree->arena);
    *tree = (struct tree){ 0 };
}
