/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_made.c - files that are what a checkout makes of the commit: not changed, though their bytes
 * are others.
 *
 * git looks at raw content (io/git/glass.c). So a file that the checkout wrote with other line
 * ends, or that Git LFS filled in, shows as changed once git has to read it again: after a copy of
 * the folder, a touch, a restore. Whether it is changed is found out here, and no filter runs: what
 * the checkout makes of the committed content is computed, and compared byte by byte.
 *
 *     line ends    LF becomes CR LF, where the attributes text and eol, core.autocrlf and core.eol
 *                  say so, as git's own rules have it
 *     Git LFS      the committed content is a pointer; the file is the object that it names, as Git
 *                  LFS keeps it in the git folder
 *
 * 1. Only the very bytes of a checkout count: a file with mixed line ends is changed.
 * 2. Attributes and settings are asked for as data. A path with any other attribute that rewrites
 *    content (ident, another filter, an encoding) stays as git's look has it: changed.
 * 3. Where neither is in use this costs a look at the beginning of each changed file. */
#include "io/tree/tree_entry.h"

#include "io/file/file.h"
#include "io/file/peek.h"

#include <string.h>
#include <sys/stat.h>

enum { HEAD_BYTES = 8000, FILE_BYTES_MAX = 64 << 20, BATCH_BYTES_MAX = 256 << 20,
       NAMES_BYTES_MAX = 64 << 20, POINTER_BYTES_MAX = 1024 };

enum attribute { ATTR_TEXT, ATTR_EOL, ATTR_FILTER, ATTR_IDENT, ATTR_ENCODING, ATTR_COUNT };

static const char *const attribute_names[ATTR_COUNT] = {
    [ATTR_TEXT] = "text", [ATTR_EOL] = "eol", [ATTR_FILTER] = "filter", [ATTR_IDENT] = "ident",
    [ATTR_ENCODING] = "working-tree-encoding",
};

/* A file that may be as the checkout made it. */
struct candidate {
    struct tree_entry *entry;
    struct str attributes[ATTR_COUNT];
    bool same;
};

struct making {
    const struct repo *repo;
    struct arena arena;
    struct peek peek;
    struct candidate *items;
    uint32_t count;
    const char *lfs;          /* where Git LFS keeps objects; NULL: nowhere */
    bool crlf, input, native; /* core.autocrlf true, input; core.eol crlf */
};

/* ---- line ends ---- */

static bool is_unset(struct str value)
{
    return str_is(value, "unspecified") || str_is(value, "unset");
}

/* Whether a checkout writes CR LF; *guess: only where the content looks like text. */
static bool writes_crlf(const struct making *making, const struct candidate *item, bool *guess)
{
    struct str text = item->attributes[ATTR_TEXT], eol = item->attributes[ATTR_EOL];
    bool unspecified = str_is(text, "unspecified");

    *guess = str_is(text, "auto");
    if (str_is(text, "unset") || str_is(eol, "lf")) return false;
    if (str_is(eol, "crlf")) return true;
    *guess = *guess || unspecified;
    if (making->crlf) return true;
    return !unspecified && !making->input && making->native;
}

static bool is_crlf_of(struct str file, struct str blob, bool guess)
{
    size_t at = 0;

    if (guess && (memchr(blob.data, '\0', blob.size) || memchr(blob.data, '\r', blob.size)))
        return false;
    for (size_t i = 0; i < blob.size; i++) {
        bool ends = blob.data[i] == '\n' && (i == 0 || blob.data[i - 1] != '\r');

        if (ends && (at == file.size || file.data[at++] != '\r')) return false;
        if (at == file.size || file.data[at++] != blob.data[i]) return false;
    }
    return at == file.size;
}

/* ---- Git LFS ---- */

/* The value of a line "KEY VALUE" of a pointer. */
static struct str pointer_value(struct str pointer, const char *key)
{
    struct str line, word;

    while (str_cut(&pointer, '\n', &line)) {
        if (str_cut(&line, ' ', &word) && str_is(word, key)) return line;
    }
    return STR("");
}

static bool is_object_of(struct making *making, struct str file, struct str pointer)
{
    static const char version[] = "version https://git-lfs.github.com/spec/v1\n";
    struct str oid = pointer_value(pointer, "oid");
    struct err none;
    struct buf object;
    bool same;

    if (!making->lfs || pointer.size > POINTER_BYTES_MAX) return false;
    if (!str_starts(pointer, str_of(version)) || !str_starts(oid, STR("sha256:"))) return false;
    oid = str_skip(oid, strlen("sha256:"));
    if (oid.size != 64 || !oid_is_valid(oid)) return false;
    buf_init(&object, FILE_BYTES_MAX);
    same = file_read_in(making->lfs, arena_printf(&making->arena, "%.2s/%.2s/%.*s", oid.data,
                                                  oid.data + 2, STR_ARG(oid)),
                        &object, &none) == 0 &&
           str_eq(file, buf_str(&object));
    buf_release(&object);
    return same;
}

/* ---- asking git ---- */

static void read_settings(struct making *making)
{
    static const char *const autocrlf[] = { "config", "--get", "core.autocrlf", NULL };
    static const char *const eol[] = { "config", "--get", "core.eol", NULL };
    struct err none;
    const char *said = repo_ask(making->repo, autocrlf, &making->arena, &none);

    making->crlf = said && strcmp(said, "true") == 0;
    making->input = said && strcmp(said, "input") == 0;
    said = repo_ask(making->repo, eol, &making->arena, &none);
    making->native = said && strcmp(said, "crlf") == 0;
}

/* PATH NUL ATTRIBUTE NUL VALUE NUL, again and again, in the order of what was asked. */
static int read_attributes(struct making *making, struct err *err)
{
    const char *ask[ATTR_COUNT + 5] = { "check-attr", "-z", "--stdin" };
    struct buf names, answer;
    struct str rest, path, name;
    int rc;

    for (int k = 0; k < ATTR_COUNT; k++) ask[3 + k] = attribute_names[k];
    buf_init(&names, NAMES_BYTES_MAX);
    buf_init(&answer, NAMES_BYTES_MAX);
    for (uint32_t i = 0; i < making->count; i++) {
        buf_add(&names, making->items[i].entry->path);
        buf_byte(&names, '\0');
    }
    rc = repo_git(making->repo, ask, buf_str(&names), &answer, err);
    rest = arena_take(&making->arena, &answer);
    for (uint32_t i = 0; rc == 0 && i < making->count; i++) {
        for (int k = 0; k < ATTR_COUNT; k++) {
            if (!str_cut(&rest, '\0', &path) || !str_cut(&rest, '\0', &name) ||
                !str_cut(&rest, '\0', &making->items[i].attributes[k]))
                rc = err_set(err, ERR_FORMAT, "git check-attr said too little");
        }
    }
    buf_release(&names);
    return rc;
}

static bool is_made(struct making *making, const struct candidate *item, struct str blob)
{
    const struct str *attributes = item->attributes;
    struct err none;
    struct buf file;
    bool guess, made = false;

    if (!is_unset(attributes[ATTR_IDENT]) || !is_unset(attributes[ATTR_ENCODING])) return false;
    buf_init(&file, FILE_BYTES_MAX);
    if (peek_read(&making->peek, item->entry->path, &file, &none) == 0) {
        if (str_is(attributes[ATTR_FILTER], "lfs"))
            made = is_object_of(making, buf_str(&file), blob);
        else if (is_unset(attributes[ATTR_FILTER]) && writes_crlf(making, item, &guess))
            made = is_crlf_of(buf_str(&file), blob, guess);
    }
    buf_release(&file);
    return made;
}

/* "OID blob SIZE" LF CONTENT LF, again and again. */
static int compare_blobs(struct making *making, struct err *err)
{
    static const char *const ask[] = { "cat-file", "--batch", NULL };
    struct buf names, answer;
    struct str rest, line, word;
    uint64_t size;
    int rc;

    buf_init(&names, NAMES_BYTES_MAX);
    buf_init(&answer, BATCH_BYTES_MAX);
    for (uint32_t i = 0; i < making->count; i++)
        buf_printf(&names, "%s\n", making->items[i].entry->head);
    rc = repo_git(making->repo, ask, buf_str(&names), &answer, err);
    rest = buf_str(&answer);
    for (uint32_t i = 0; rc == 0 && i < making->count && str_cut(&rest, '\n', &line); i++) {
        (void)str_cut(&line, ' ', &word); /* its name */
        if (!str_cut(&line, ' ', &word) || !str_is(word, "blob"))
            continue; /* it is missing: nothing follows */
        if (!str_number(line, &size) || size >= rest.size) break;
        making->items[i].same =
            is_made(making, &making->items[i], (struct str){ rest.data, (size_t)size });
        rest = str_skip(rest, (size_t)size + 1);
    }
    buf_release(&names);
    buf_release(&answer);
    return rc;
}

/* ---- the whole ---- */

static bool is_candidate(struct making *making, const struct tree_entry *entry)
{
    struct buf head;
    struct err none;
    bool ends;

    if (!S_ISREG(entry->mode) || entry->mode != entry->head_mode || entry->hidden ||
        entry->stages.size > 0 || entry->staged_mode != entry->head_mode ||
        strcmp(entry->staged, entry->head) != 0 || strcmp(entry->oid, entry->head) == 0)
        return false;
    if (making->lfs) return true;
    buf_init(&head, HEAD_BYTES);
    (void)peek_head(&making->peek, entry->path, HEAD_BYTES, &head, &none);
    ends = head.size > 0 && memchr(head.data, '\r', head.size) != NULL;
    buf_release(&head);
    return ends;
}

static void drop_same(struct making *making, struct tree *tree)
{
    uint32_t kept = 0, next = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        bool ours = next < making->count && making->items[next].entry == &tree->entries[i];

        if (ours && making->items[next++].same) continue;
        tree->entries[kept++] = tree->entries[i];
    }
    tree->count = kept;
}

int tree_drop_made(const struct repo *repo, struct tree *tree, struct err *err)
{
    struct making making = { .repo = repo };
    const char *lfs = arena_printf(&making.arena, "%s/lfs/objects", repo->common_dir);
    int rc = tree->count > 0 ? peek_open(&making.peek, repo->workspace, err) : 0;

    if (rc != 0 || tree->count == 0) goto out;
    if (file_exists(lfs)) making.lfs = lfs;
    making.items = arena_alloc(&making.arena, tree->count * sizeof *making.items);
    for (uint32_t i = 0; i < tree->count; i++) {
        if (is_candidate(&making, &tree->entries[i]))
            making.items[making.count++] = (struct candidate){ .entry = &tree->entries[i] };
    }
    if (making.count > 0) {
        read_settings(&making);
        rc = read_attributes(&making, err);
        if (rc == 0) rc = compare_blobs(&making, err);
        if (rc == ERR_LIMIT) rc = 0; /* what was not compared stays changed */
        if (rc == 0) drop_same(&making, tree);
    }
    peek_close(&making.peek);
out:
    arena_release(&making.arena);
    return rc;
}
