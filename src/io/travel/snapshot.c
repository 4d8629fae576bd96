/* SPDX-License-Identifier: Apache-2.0
 *
 * snapshot.c - raw bytes of a folder as a commit.
 *
 * git add would pass files through filters and line end rules; so the contents are those that
 * tree_take() kept as they lie there, and the index gets their ids as data.
 *
 * The commit has neither a time nor a name of a person in it, so that the same content has the same
 * id wherever and whenever it is made:
 *
 *     tree ID
 *     parent ID                     none, one or two
 *     author hone <hone@localhost> 0 +0000
 *     committer hone <hone@localhost> 0 +0000
 *
 *     hone 1
 *     WORDS                         lines of the caller's
 *
 * 1. Index, objects and commit are ours (the hone folder): nothing of the user's is written.
 * 2. A commit that is read is one of that form to the byte, or ERR_FORMAT. */
#include "io/travel/snapshot.h"

#include "io/git/status.h"

#include <string.h>
#include <sys/stat.h>

enum { LINES_BYTES_MAX = 1 << 28, COMMIT_BYTES_MAX = 4 << 20, ANSWER_BYTES_MAX = 1 << 16,
       SAID_BYTES_MAX = 1 << 20 };

static const char signed_by[] = "author hone <hone@localhost> 0 +0000\n"
                                "committer hone <hone@localhost> 0 +0000\n"
                                "\nhone 1\n";

bool snapshot_holds(const struct tree_entry *entry)
{
    return (S_ISREG(entry->mode) || S_ISLNK(entry->mode)) && oid_is_valid(str_of(entry->oid));
}

int own_git(const struct repo *repo, const char *index, const char *const *args, struct str input,
            struct err *err)
{
    struct git_raw raw = { .args = args, .index = index, .own = true, .input = input };
    struct buf said;
    int rc;

    buf_init(&said, SAID_BYTES_MAX);
    rc = repo_git_raw(repo, &raw, &said, err);
    buf_release(&said);
    return rc;
}

bool own_git_descends(const struct repo *repo, const char *commit, const char *from)
{
    const char *const args[] = { "merge-base", "--is-ancestor", from, commit, NULL };
    struct err none;

    return own_git(repo, NULL, args, STR(""), &none) == 0;
}

/* ---- the index ---- */

int snapshot_read(const struct repo *repo, const char *index, const char *treeish,
                  struct err *err)
{
    /* The form that io/travel/stats.c reads. */
    const char *const args[] = { "-c", "index.version=2", "-c", "core.splitIndex=false", "-c",
                                 "index.sparse=false", "-c", "core.sparseCheckout=false",
                                 "read-tree", *treeish ? treeish : "--empty", NULL };

    return own_git(repo, index, args, STR(""), err);
}

static void add_line(struct buf *out, uint32_t mode, const char *oid, struct str path)
{
    buf_printf(out, "%06o %s 0\t", (unsigned)mode, oid);
    buf_add(out, path);
    buf_byte(out, '\0');
}

int snapshot_add(const struct repo *repo, const char *index, const struct tree *tree,
                 struct err *err)
{
    static const char *const args[] = { "update-index", "-z", "--index-info", NULL };
    char none[OID_BYTES] = "";
    struct buf lines;
    int rc = 0;

    memset(none, '0', tree->head[0] ? strlen(tree->head) : 40);
    for (uint32_t i = 0; i < tree->count; i++) {
        if (snapshot_holds(&tree->entries[i])) memset(none, '0', strlen(tree->entries[i].oid));
    }
    buf_init(&lines, LINES_BYTES_MAX);
    /* Removals first: a path may have become the folder of another. */
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->entries[i].mode == 0) add_line(&lines, 0, none, tree->entries[i].path);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];

        if (snapshot_holds(entry)) add_line(&lines, entry->mode, entry->oid, entry->path);
    }
    if (lines.overflow) rc = err_set(err, ERR_LIMIT, "too many changed files");
    if (rc == 0 && lines.size) rc = own_git(repo, index, args, buf_str(&lines), err);
    buf_release(&lines);
    return rc;
}

/* Runs git for one id. */
static int ask_oid(const struct repo *repo, const struct git_raw *raw, char out[OID_BYTES],
                   struct err *err)
{
    struct buf said;
    int rc;

    buf_init(&said, ANSWER_BYTES_MAX);
    rc = repo_git_raw(repo, raw, &said, err);
    if (rc == 0 && (!oid_is_valid(str_trim(buf_str(&said))) ||
                    !oid_parse(str_trim(buf_str(&said)), out)))
        rc = err_set(err, ERR_FORMAT, "git %s gave no id", raw->args[0]);
    buf_release(&said);
    return rc;
}

int snapshot_tree(const struct repo *repo, const char *index, char out[OID_BYTES],
                  struct err *err)
{
    static const char *const args[] = { "write-tree", "--missing-ok", NULL };

    return ask_oid(repo, &(struct git_raw){ .args = args, .index = index, .own = true }, out, err);
}

/* ---- the commit ---- */

int snapshot_commit(const struct repo *repo, const char *tree,
                    const char *const parents[SNAPSHOT_PARENTS_MAX], struct str words,
                    char out[OID_BYTES], struct err *err)
{
    static const char *const args[] = { "hash-object", "-t", "commit", "-w", "--stdin", NULL };
    struct buf text;
    int rc;

    buf_init(&text, COMMIT_BYTES_MAX);
    buf_printf(&text, "tree %s\n", tree);
    for (int i = 0; i < SNAPSHOT_PARENTS_MAX; i++) {
        if (*parents[i]) buf_printf(&text, "parent %s\n", parents[i]);
    }
    buf_text(&text, signed_by);
    buf_add(&text, words);
    rc = text.overflow ? err_set(err, ERR_LIMIT, "too many files are made by filters") : 0;
    if (rc == 0) {
        rc = ask_oid(repo, &(struct git_raw){ .args = args, .own = true,
                                              .input = buf_str(&text) }, out, err);
    }
    buf_release(&text);
    return rc;
}

static bool take_id(struct str *rest, const char *key, char out[OID_BYTES])
{
    struct str line;

    if (!str_starts(*rest, str_of(key))) return false;
    *rest = str_skip(*rest, strlen(key));
    return str_cut(rest, '\n', &line) && oid_is_valid(line) && oid_parse(line, out);
}

int snapshot_parse(const struct repo *repo, bool own, const char *commit, char tree[OID_BYTES],
                   char parents[SNAPSHOT_PARENTS_MAX][OID_BYTES], struct buf *words,
                   struct err *err)
{
    const char *const args[] = { "cat-file", "commit", commit, NULL };
    struct git_raw raw = { .args = args, .own = own };
    struct buf text;
    struct str rest;
    int rc;

    buf_init(&text, COMMIT_BYTES_MAX);
    rc = repo_git_raw(repo, &raw, &text, err);
    rest = buf_str(&text);
    for (int i = 0; i < SNAPSHOT_PARENTS_MAX; i++) parents[i][0] = '\0';
    if (rc == 0) {
        bool good = take_id(&rest, "tree ", tree);

        for (int i = 0; good && i < SNAPSHOT_PARENTS_MAX; i++) {
            if (str_starts(rest, STR("parent "))) good = take_id(&rest, "parent ", parents[i]);
        }
        if (!good || !str_starts(rest, str_of(signed_by)))
            rc = err_set(err, ERR_FORMAT, "the commit %.12s is none that hone makes", commit);
    }
    if (rc == 0 && words) rc = buf_add(words, str_skip(rest, strlen(signed_by)));
    buf_release(&text);
    return rc;
}

/* ---- paths as text ---- */

void snapshot_quote(struct str path, struct buf *out)
{
    for (size_t i = 0; i < path.size; i++) {
        unsigned char byte = (unsigned char)path.data[i];

        if (byte <= ' ' || byte >= 0x7f || byte == '\\') buf_printf(out, "\\%03o", (unsigned)byte);
        else buf_byte(out, (char)byte);
    }
}

static bool is_octal(char byte)
{
    return byte >= '0' && byte <= '7';
}

bool snapshot_unquote(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned value;

        if (text.data[i] != '\\') {
            buf_byte(out, text.data[i]);
            continue;
        }
        if (i + 3 >= text.size || !is_octal(text.data[i + 1]) || !is_octal(text.data[i + 2]) ||
            !is_octal(text.data[i + 3]))
            return false;
        value = (unsigned)(text.data[i + 1] - '0') << 6 | (unsigned)(text.data[i + 2] - '0') << 3 |
                (unsigned)(text.data[i + 3] - '0');
        if (value == 0 || value > 0xff) return false;
        buf_byte(out, (char)value);
        i += 3;
    }
    return !out->overflow;
}
