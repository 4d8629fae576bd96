/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_diff.c - two trees as one text of differences.
 *
 * Contents of both trees are objects already, in the hone folder or in the user's. So the files of
 * the delta, and only those, are put into an index of our own as they were, written as a git tree,
 * put into the index as they are, and git compares the two. No file of the workspace is read.
 *
 * 1. Four git processes, for a repository of any size.
 * 2. No program of the configuration's choosing shows a content (repo.c).
 * 3. A content that is no object (a file hone may not read, a repository inside ours) is named. */
#include "io/tree/tree.h"

#include "io/file/file.h"
#include "io/tree/tree_entry.h"

#include <string.h>

enum { LIST_BYTES_MAX = 1 << 28, SHOWN_BYTES_MAX = 64 << 20, S_IFGITLINK = 0160000 };

/* The side of a path on which only the other tree may name it. */
static struct tree_entry side_of(const struct tree *tree, const struct tree *other, struct str path)
{
    const struct tree_entry *entry = tree_find(tree, path);
    const struct tree_entry *there = entry ? NULL : tree_find(other, path);

    if (entry) return *entry;
    return there ? entry_as_in_head(there) : (struct tree_entry){ .path = path };
}

static bool is_kept(const struct tree_entry *entry)
{
    return entry->mode == 0 || (entry->mode != S_IFGITLINK && oid_is_valid(str_of(entry->oid)));
}

/* For update-index --index-info -z; mode 0 takes a path out. other: its other side, for how long
 * a hash is here. */
static void add_line(struct buf *out, const struct tree_entry *entry,
                     const struct tree_entry *other)
{
    char nothing[OID_BYTES] = "";

    memset(nothing, '0', strlen(other->oid));
    buf_printf(out, "%06o %s\t", entry->mode, entry->mode ? entry->oid : nothing);
    buf_add(out, entry->path);
    buf_byte(out, '\0');
}

struct sides {
    struct buf before, after; /* lists for git */
    struct buf named;         /* what cannot be shown */
};

static void list_sides(const struct tree *before, const struct tree *after,
                       const struct tree_delta *delta, struct sides *out)
{
    for (uint32_t i = 0; i < delta->count; i++) {
        struct str path = delta->items[i].path;
        struct tree_entry was, is;

        if (delta->items[i].kind == CHANGE_HEAD || delta->items[i].kind == CHANGE_STAGED) continue;
        was = side_of(before, after, path);
        is = side_of(after, before, path);
        if (is_kept(&was) && is_kept(&is)) {
            if (was.mode) add_line(&out->before, &was, &is);
            add_line(&out->after, &is, &was);
        } else {
            buf_printf(&out->named, "%s %.*s (its content cannot be shown)\n",
                       change_word(delta->items[i].kind), STR_ARG(path));
        }
    }
}

static int list_put(const struct repo *repo, const char *index, const struct buf *list,
                    struct err *err)
{
    static const char *const args[] = { "update-index", "-z", "--index-info", NULL };
    struct buf out;
    int rc;

    if (list->overflow) return err_set(err, ERR_LIMIT, "too many changed files to compare");
    buf_init(&out, 4096);
    rc = repo_git_index(repo, index, args, buf_str(list), &out, err);
    buf_release(&out);
    return rc;
}

/* The first bytes_max bytes, whole lines, and how much is not shown. */
static void add_cut(struct buf *out, struct str text, size_t bytes_max)
{
    size_t size = text.size;

    if (size <= bytes_max) {
        buf_add(out, text);
        return;
    }
    text.size = bytes_max;
    while (text.size && text.data[text.size - 1] != '\n') text.size--;
    buf_add(out, text);
    buf_printf(out, "(cut: %zu of %zu bytes are shown)\n", text.size, size);
}

static int show_diff(const struct repo *repo, const char *index, struct sides *sides,
                     bool moves, struct buf *text, struct err *err)
{
    static const char *const write[] = { "write-tree", "--missing-ok", NULL };
    struct buf id;
    int rc;

    buf_init(&id, OID_BYTES + 1);
    rc = list_put(repo, index, &sides->before, err);
    if (rc == 0) rc = repo_git_index(repo, index, write, STR(""), &id, err);
    if (rc == 0) rc = list_put(repo, index, &sides->after, err);
    if (rc == 0) {
        struct str line = str_trim(buf_str(&id));
        char oid[OID_BYTES] = "";
        const char *const args[] = { "diff-index", "--cached", moves ? "-U0" : "-p",
                                     moves ? "-M" : "--no-renames", "--no-color",
                                     "--no-ext-diff", "--no-textconv", oid, NULL };

        if (!oid_is_valid(line) || !oid_parse(line, oid)) {
            rc = err_set(err, ERR_FORMAT, "git write-tree gave no tree");
        } else {
            rc = repo_git_index(repo, index, args, STR(""), text, err);
        }
    }
    buf_release(&id);
    return rc;
}

/* What is to be compared, and the index for it. */
struct comparison {
    const struct repo *repo;
    const struct tree *before, *after;
    const struct tree_delta *delta;
    const char *folder, *name;
    bool moves; /* without context, and files that were renamed as such */
};

static int compare_trees(const struct comparison *comparison, struct sides *sides,
                         struct buf *text, struct err *err)
{
    const char *folder = comparison->folder, *name = comparison->name;
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/%s", folder, name);
    int rc = 0;

    list_sides(comparison->before, comparison->after, comparison->delta, sides);
    if (sides->after.size > 0) {
        rc = file_remove_in(folder, name, err);
        if (rc == 0) rc = show_diff(comparison->repo, index, sides, comparison->moves, text, err);
        (void)file_remove_in(folder, name, &(struct err){ 0 });
    }
    arena_release(&arena);
    return rc;
}

static void sides_init(struct sides *sides)
{
    buf_init(&sides->before, LIST_BYTES_MAX);
    buf_init(&sides->after, LIST_BYTES_MAX);
    buf_init(&sides->named, LIST_BYTES_MAX);
}

static void sides_release(struct sides *sides)
{
    buf_release(&sides->named);
    buf_release(&sides->after);
    buf_release(&sides->before);
}

int tree_moves(const struct repo *repo, const struct tree *before, const struct tree *after,
               const struct tree_delta *delta, const char *folder, const char *name,
               struct buf *out, struct err *err)
{
    struct sides sides;
    int rc;

    sides_init(&sides);
    rc = compare_trees(&(struct comparison){ repo, before, after, delta, folder, name, true },
                       &sides, out, err);
    sides_release(&sides);
    return rc == 0 ? 0 : err_wrap(err, "see what changed");
}

int tree_diff(const struct repo *repo, const struct tree *before, const struct tree *after,
              const struct tree_delta *delta, size_t bytes_max, const char *folder,
              const char *name, struct buf *out, struct err *err)
{
    struct sides sides;
    struct buf text;
    int rc;

    sides_init(&sides);
    buf_init(&text, SHOWN_BYTES_MAX);
    rc = compare_trees(&(struct comparison){ repo, before, after, delta, folder, name, false },
                       &sides, &text, err);
    if (rc == ERR_LIMIT && !sides.after.overflow && !sides.before.overflow) {
        buf_printf(&text, "(the differences are longer than %d MiB: they are not shown)\n",
                   SHOWN_BYTES_MAX >> 20);
        rc = 0;
    }
    if (rc == 0) add_cut(out, buf_str(&text), bytes_max);
    if (rc == 0) add_cut(out, buf_str(&sides.named), bytes_max);
    buf_release(&text);
    sides_release(&sides);
    return rc == 0 ? 0 : err_wrap(err, "show what changed");
}
