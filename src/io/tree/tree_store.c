/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_store.c - a tree as a file.
 *
 * Pieces that end in NUL, since a path may hold any other byte:
 *
 *   hone tree 1
 *   HEAD            a hash, or nothing
 *   BRANCH
 *   COUNT           of private paths, then each of them
 *   COUNT           of entries, then for each three pieces:
 *     MODE OID STAGED_MODE STAGED HEAD_MODE HEAD     "-" for an empty one
 *     STAGES
 *     PATH
 *   end
 *
 * 1. What is read is what was written, or ERR_FORMAT: counts must fit, paths must be in order and
 *    stay inside the tree, the last piece must be there and nothing behind it. A cut-off file is
 *    never a smaller tree.
 */
#include "io/tree/tree.h"

#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"
#include "io/tree/tree_entry.h"

#include <assert.h>
#include <string.h>

enum { TREE_BYTES_MAX = 1 << 29, HEAD_BYTES_MAX = 8 << 10, ENTRY_WORDS = 6 };

/* The fewest bytes that a private path and an entry take in the file. */
enum { PREFIX_BYTES_MIN = 2, ENTRY_BYTES_MIN = 30 };

static const char magic[] = "hone tree 1";

/* ---- writing ---- */

static void add_piece(struct buf *out, struct str piece)
{
    assert(!str_has(piece, '\0'));
    buf_add(out, piece);
    buf_byte(out, '\0');
}

static void add_number(struct buf *out, uint32_t number)
{
    buf_printf(out, "%u", number);
    buf_byte(out, '\0');
}

static const char *word(const char *oid)
{
    return oid[0] ? oid : "-";
}

static void add_entry(struct buf *out, const struct tree_entry *entry)
{
    buf_printf(out, "%06o %s %06o %s %06o %s", entry->mode, word(entry->oid), entry->staged_mode,
               word(entry->staged), entry->head_mode, word(entry->head));
    buf_byte(out, '\0');
    add_piece(out, entry->stages);
    add_piece(out, entry->path);
}

void tree_print(const struct tree *tree, struct buf *out)
{
    const char *const *prefixes = tree->private_paths;
    uint32_t prefix_count = 0;

    while (prefixes && prefixes[prefix_count]) prefix_count++;
    add_piece(out, str_of(magic));
    add_piece(out, str_of(tree->head));
    add_piece(out, tree->branch);
    add_number(out, prefix_count);
    for (uint32_t i = 0; i < prefix_count; i++) add_piece(out, str_of(prefixes[i]));
    add_number(out, tree->count);
    for (uint32_t i = 0; i < tree->count; i++) add_entry(out, &tree->entries[i]);
    add_piece(out, STR("end"));
}

int tree_save(const struct tree *tree, const char *root, const char *path, struct err *err)
{
    struct buf out;
    int rc;

    buf_init(&out, TREE_BYTES_MAX);
    tree_print(tree, &out);
    if (out.overflow) rc = err_set(err, ERR_LIMIT, "write %s/%s: too many entries", root, path);
    else rc = scratch_replace(root, path, buf_str(&out), err);
    buf_release(&out);
    return rc;
}

/* ---- reading ---- */

/* str_cut, but a piece without its NUL is none. */
static bool cut_piece(struct str *rest, struct str *piece)
{
    return str_has(*rest, '\0') && str_cut(rest, '\0', piece);
}

/* A count of things of which each takes bytes_min in the text: it cannot ask for more memory than
 * the file is long, give or take a factor. */
static bool cut_count(struct str *rest, size_t bytes_min, uint32_t *out)
{
    struct str piece;
    uint64_t number;

    if (!cut_piece(rest, &piece) || !str_number(piece, &number)) return false;
    if (number > rest->size / bytes_min) return false;
    *out = (uint32_t)number;
    return true;
}

/* A hash, or another word where `any` is set: what a tree says of content it could not keep. */
static bool read_oid(struct str text, bool any, char out[OID_BYTES])
{
    if (str_is(text, "-")) return true;
    if (text.size == 0 || text.size >= OID_BYTES || (!any && !oid_is_valid(text))) return false;
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return true;
}

static bool read_entry(struct str *rest, struct tree_entry *entry)
{
    struct str line, part[ENTRY_WORDS];

    if (!cut_piece(rest, &line) || !cut_piece(rest, &entry->stages) ||
        !cut_piece(rest, &entry->path) || !tree_path_is_valid(entry->path))
        return false;
    for (int i = 0; i < ENTRY_WORDS; i++) {
        if (!str_cut(&line, ' ', &part[i])) return false;
    }
    return line.size == 0 && mode_parse(part[0], &entry->mode) &&
           read_oid(part[1], true, entry->oid) && mode_parse(part[2], &entry->staged_mode) &&
           read_oid(part[3], false, entry->staged) && mode_parse(part[4], &entry->head_mode) &&
           read_oid(part[5], false, entry->head);
}

static bool read_head(struct str *rest, struct tree *tree)
{
    struct str piece;

    if (!cut_piece(rest, &piece) || !str_is(piece, magic)) return false;
    if (!cut_piece(rest, &piece) || (piece.size && !oid_is_valid(piece))) return false;
    memcpy(tree->head, piece.data, piece.size);
    return cut_piece(rest, &tree->branch);
}

static bool read_private_paths(struct str *rest, struct tree *tree)
{
    const char **prefixes;
    uint32_t count;

    if (!cut_count(rest, PREFIX_BYTES_MIN, &count)) return false;
    prefixes = arena_alloc(&tree->arena, (count + (size_t)1) * sizeof *prefixes);
    for (uint32_t i = 0; i < count; i++) {
        struct str piece;

        if (!cut_piece(rest, &piece) || piece.size == 0) return false;
        prefixes[i] = piece.data; /* its NUL is in the text */
    }
    tree->private_paths = prefixes;
    return true;
}

static bool read_entries(struct str *rest, struct tree *tree)
{
    uint32_t count;

    if (!cut_count(rest, ENTRY_BYTES_MIN, &count)) return false;
    tree->entries = arena_alloc(&tree->arena, (size_t)count * sizeof *tree->entries);
    for (; tree->count < count; tree->count++) {
        struct tree_entry *entry = &tree->entries[tree->count];

        if (!read_entry(rest, entry)) return false;
        if (tree->count && str_compare(entry[-1].path, entry->path) >= 0) return false;
    }
    return true;
}

bool tree_parse(struct str text, struct tree *tree)
{
    struct str rest, piece;

    *tree = (struct tree){ 0 };
    rest = arena_copy(&tree->arena, text);
    if (read_head(&rest, tree) && read_private_paths(&rest, tree) && read_entries(&rest, tree) &&
        cut_piece(&rest, &piece) && str_is(piece, "end") && rest.size == 0)
        return true;
    tree_release(tree);
    return false;
}

int tree_load(struct tree *tree, const char *path, struct err *err)
{
    struct buf text;
    int rc;

    *tree = (struct tree){ 0 };
    buf_init(&text, TREE_BYTES_MAX);
    rc = file_read(path, &text, err);
    if (rc == 0 && !tree_parse(buf_str(&text), tree))
        rc = err_set(err, ERR_FORMAT, "%s: it is not a whole tree", path);
    buf_release(&text);
    return rc;
}

int tree_load_head(struct tree *tree, const char *root, const char *name, struct err *err)
{
    struct str rest = { "", 0 };
    struct peek peek;
    struct buf text;
    int rc;

    *tree = (struct tree){ 0 };
    buf_init(&text, HEAD_BYTES_MAX);
    rc = peek_open(&peek, root, err);
    if (rc == 0) rc = peek_head(&peek, str_of(name), HEAD_BYTES_MAX, &text, err);
    if (rc == 0) {
        rest = arena_copy(&tree->arena, buf_str(&text));
        if (!read_head(&rest, tree)) {
            tree_release(tree);
            rc = err_set(err, ERR_FORMAT, "%s/%s: it is no tree", root, name);
        }
    }
    peek_close(&peek);
    buf_release(&text);
    return rc;
}
