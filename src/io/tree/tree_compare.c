/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_compare.c - what changed between two trees.
 *
 * Both lists are sorted, so one walk over the two sees every path that either names. A path that
 * only one names was, in the other, exactly as HEAD has it, and each entry carries what HEAD has:
 * so the missing side is known, not guessed, as long as HEAD is the same.
 *
 *   only after, in HEAD            it was clean: modified, mode, deleted or staged
 *   only after, not in HEAD        it was not there: added (or staged, where only the index has it)
 *   only before, in HEAD           it is clean again: modified, mode, added or staged
 *   only before, not in HEAD       it is gone: deleted (or staged)
 *
 * When HEAD moved, a file that was committed as it stood is in no status any more. tree_align asks
 * git what the commits changed and writes both sides of that into both trees. HEAD's blobs are
 * hashed after git's filters, work tree files before: with line-end conversion a file may count as
 * modified that was only committed. Too much is named then, never too little.
 */
#include "io/tree/tree.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/tree/tree_entry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COMMITS_BYTES_MAX = 1 << 28 };

/* ---- entries ---- */

static int compare_paths(const void *a, const void *b)
{
    return str_compare(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

const struct tree_entry *tree_find(const struct tree *tree, struct str path)
{
    struct tree_entry key = { .path = path };

    if (tree->count == 0) return NULL;
    return bsearch(&key, tree->entries, tree->count, sizeof key, compare_paths);
}

bool tree_leaves_out(const struct tree *tree, struct str path)
{
    return file_is_private(tree->private_paths, path);
}

/* ---- comparing ---- */

static void add_change(struct tree_delta *delta, enum change_kind kind, struct str path)
{
    delta->items = mem_grow(delta->items, delta->count, &delta->cap, sizeof *delta->items);
    delta->items[delta->count++] = (struct tree_change){ .kind = kind, .path = path };
}

struct tree_entry entry_as_in_head(const struct tree_entry *other)
{
    struct tree_entry entry = { .path = other->path, .mode = other->head_mode,
                                .staged_mode = other->head_mode, .head_mode = other->head_mode };

    memcpy(entry.oid, other->head, OID_BYTES);
    memcpy(entry.staged, other->head, OID_BYTES);
    memcpy(entry.head, other->head, OID_BYTES);
    return entry;
}

bool entry_same_staged(const struct tree_entry *a, const struct tree_entry *b)
{
    return a->staged_mode == b->staged_mode && strcmp(a->staged, b->staged) == 0 &&
           str_eq(a->stages, b->stages);
}

static void compare_entries(const struct tree_entry *before, const struct tree_entry *after,
                            struct tree_delta *out)
{
    struct str path = before->path;
    bool content = strcmp(before->oid, after->oid) != 0;
    bool type = (before->mode & S_IFMT) != (after->mode & S_IFMT);

    if (before->mode == 0 && after->mode != 0) add_change(out, CHANGE_ADDED, path);
    else if (before->mode != 0 && after->mode == 0) add_change(out, CHANGE_DELETED, path);
    else if (before->mode != 0 && (content || type)) add_change(out, CHANGE_MODIFIED, path);
    else if (before->mode != after->mode) add_change(out, CHANGE_MODE, path);
    else if (!entry_same_staged(before, after)) add_change(out, CHANGE_STAGED, path);
}

void tree_compare(const struct tree *before, const struct tree *after, struct tree_delta *out)
{
    uint32_t b = 0, a = 0;

    *out = (struct tree_delta){ 0 };
    if (strcmp(before->head, after->head) != 0 || !str_eq(before->branch, after->branch))
        add_change(out, CHANGE_HEAD, STR(""));
    while (b < before->count || a < after->count) {
        int order = b == before->count  ? 1
                    : a == after->count ? -1
                                        : str_compare(before->entries[b].path,
                                                      after->entries[a].path);

        if (order < 0) {
            struct tree_entry clean = entry_as_in_head(&before->entries[b]);
            compare_entries(&before->entries[b++], &clean, out);
        } else if (order > 0) {
            struct tree_entry clean = entry_as_in_head(&after->entries[a]);
            compare_entries(&clean, &after->entries[a++], out);
        } else {
            compare_entries(&before->entries[b++], &after->entries[a++], out);
        }
    }
}

void tree_delta_release(struct tree_delta *delta)
{
    free(delta->items);
    *delta = (struct tree_delta){ 0 };
}

const char *change_word(enum change_kind kind)
{
    static const char *const words[CHANGE_COUNT] = {
        [CHANGE_ADDED] = "added",     [CHANGE_MODIFIED] = "modified",
        [CHANGE_DELETED] = "deleted", [CHANGE_MODE] = "mode changed",
        [CHANGE_STAGED] = "staged",   [CHANGE_HEAD] = "HEAD moved",
    };

    assert(kind < CHANGE_COUNT);
    return words[kind];
}

/* ---- aligning ---- */

/* git knows this tree without having stored it; which one depends on the repository's hash. */
static const char *empty_tree(const char *other_head)
{
    return strlen(other_head) == 64
               ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
               : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

/* ":MODE MODE OID OID LETTER" NUL PATH NUL */
bool commit_change_cut(struct str *rest, struct commit_change *out)
{
    struct str line, word[5];

    if (!str_cut(rest, '\0', &line) || !str_starts(line, STR(":"))) return false;
    line = str_skip(line, 1);
    for (int i = 0; i < 5; i++) {
        if (!str_cut(&line, ' ', &word[i])) return false;
    }
    return mode_parse(word[0], &out->mode[0]) && mode_parse(word[1], &out->mode[1]) &&
           oid_parse(word[2], out->oid[0]) && oid_parse(word[3], out->oid[1]) &&
           str_cut(rest, '\0', &out->path) && tree_path_is_valid(out->path);
}

static struct tree_entry committed_entry(struct arena *arena, const struct commit_change *change,
                                         int side)
{
    struct tree_entry entry = { .path = change->path, .head_mode = change->mode[side] };

    memcpy(entry.head, change->oid[side], OID_BYTES);
    entry = entry_as_in_head(&entry);
    entry.path = arena_copy(arena, change->path);
    return entry;
}

/* Names every changed path in the tree; side 0 is before the commits, 1 after. */
static void add_committed(struct tree *tree, const struct commit_change *changes, uint32_t count,
                          int side)
{
    struct tree old = { .entries = tree->entries, .count = tree->count };
    struct tree_entry *entries = arena_alloc(&tree->arena, (old.count + count) * sizeof *entries);

    if (old.count) memcpy(entries, old.entries, old.count * sizeof *entries);
    for (uint32_t i = 0; i < count; i++) {
        struct str path = changes[i].path;

        if (tree_leaves_out(tree, path) || tree_find(&old, path)) continue;
        entries[tree->count++] = committed_entry(&tree->arena, &changes[i], side);
    }
    tree->entries = entries;
    qsort(entries, tree->count, sizeof *entries, compare_paths);
}

int tree_align(const struct repo *repo, struct tree *before, struct tree *after, struct err *err)
{
    const char *from = before->head[0] ? before->head : empty_tree(after->head);
    const char *to = after->head[0] ? after->head : empty_tree(before->head);
    const char *const ask[] = { "diff-tree", "-r", "-z", "--no-renames", from, to, NULL };
    struct commit_change *changes = NULL;
    uint32_t count = 0, cap = 0;
    struct buf text;
    struct str rest;
    int rc;

    if (strcmp(before->head, after->head) == 0) return 0;
    buf_init(&text, COMMITS_BYTES_MAX);
    rc = repo_git(repo, ask, STR(""), &text, err);
    rest = buf_str(&text);
    while (rc == 0 && rest.size) {
        changes = mem_grow(changes, count, &cap, sizeof *changes);
        if (!commit_change_cut(&rest, &changes[count++]))
            rc = err_set(err, ERR_FORMAT, "git diff-tree said something unknown");
    }
    if (rc == 0) {
        add_committed(before, changes, count, 0);
        add_committed(after, changes, count, 1);
    }
    free(changes);
    buf_release(&text);
    return rc;
}
