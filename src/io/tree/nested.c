/* SPDX-License-Identifier: Apache-2.0
 *
 * nested.c - looking into repositories inside ours.
 *
 * git would look into a submodule with the configuration that lies there, and does not look into a
 * repository that is not tracked. So hone looks into both itself, through a glass for each, and
 * what it finds becomes one word: the hash of the tree that was taken there, with those inside of
 * it.
 *
 *   a submodule, clean, at the commit of the index   no line: it is as it was committed
 *   any other submodule                              its line, with that word
 *   a repository that git status only names          its line, with that word
 *
 * 1. A repository that git cannot look at (a fixture with a broken .git, for example) is compared
 *    by names, sizes and times of all that is in it.
 * 2. Another work tree of the same repository is not looked into: its user may be at work there.
 * 3. At most DEPTH_MAX deep and NESTED_MAX in one: what is beyond that cannot be compared, and that
 *    is an error.
 * 4. Nothing inside is ever put back: its contents are not ours to keep. */
#include "io/tree/nested.h"

#include "io/file/file.h"
#include "io/tree/seal.h"
#include "io/tree/tree.h"
#include "io/tree/tree_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES_MAX = 1 << 28, TREE_BYTES_MAX = 1 << 28, DEPTH_MAX = 5, NESTED_MAX = 500,
       FILES_MAX = 50000, S_IFGITLINK = 0160000, WORD_BYTES = 50 };

static int text_hash(const struct repo *repo, struct str text, char out[OID_BYTES],
                     struct err *err)
{
    static const char *const args[] = { "hash-object", "--stdin", NULL };
    struct buf answer;
    int rc;

    buf_init(&answer, OID_BYTES + 1);
    rc = repo_git(repo, args, text, &answer, err);
    if (rc == 0 && !oid_parse(str_trim(buf_str(&answer)), out))
        rc = err_set(err, ERR_FORMAT, "git hash-object gave no hash");
    buf_release(&answer);
    return rc;
}

/* What git cannot look at. */
static int word_of_files(const char *path, char out[OID_BYTES], struct err *err)
{
    struct seal seal;

    if (!seal_folder(path, FILES_MAX, &seal)) {
        return err_set(err, ERR_LIMIT, "%s is a repository of its own that git cannot look at, and "
                       "it cannot be read or has more than %d files: move it out of the work tree, "
                       "or exclude it in .gitignore", path, FILES_MAX);
    }
    snprintf(out, OID_BYTES, "%016" PRIx64 "%016" PRIx64, seal.sum[0], seal.sum[1]);
    return 0;
}

/* inner: NULL where git knows no repository there. at: the commit that it should be at; NULL:
 * any. An empty word: clean, and there. */
static int word_of_inner(const struct repo *outer, const struct repo *inner, struct str path,
                         const char *at, char out[OID_BYTES], struct err *err)
{
    struct arena arena = { 0 };
    struct tree tree = { 0 };
    struct err none;
    struct buf text;
    int rc = 0;

    buf_init(&text, TREE_BYTES_MAX);
    if (inner && inner->depth > DEPTH_MAX) {
        rc = err_set(err, ERR_LIMIT, "%s is a repository inside %d others: hone does not look that "
                     "deep; move it out of the work tree, or exclude it in .gitignore",
                     inner->workspace, DEPTH_MAX);
    } else if (!inner || tree_take(inner, NULL, &tree, &none) != 0) {
        rc = word_of_files(arena_printf(&arena, "%s/%.*s", outer->workspace, STR_ARG(path)), out,
                           err);
    } else if (!at || tree.count > 0 || strcmp(tree.head, at) != 0) {
        tree_print(&tree, &text);
        rc = text.overflow ? err_set(err, ERR_LIMIT, "too much is changed in %s", inner->workspace)
                           : text_hash(outer, buf_str(&text), out, err);
    }
    buf_release(&text);
    tree_release(&tree);
    arena_release(&arena);
    return rc;
}

static int word_of(const struct repo *outer, struct str path, const char *at, char out[OID_BYTES],
                   struct err *err)
{
    struct repo inner;
    bool found = repo_nested(&inner, outer, path);
    int rc = 0;

    out[0] = '\0';
    if (!found || strcmp(inner.common_dir, outer->common_dir) != 0)
        rc = word_of_inner(outer, found ? &inner : NULL, path, at, out, err);
    if (found) repo_release(&inner);
    out[WORD_BYTES] = '\0'; /* it stands behind another word */
    return rc;
}

static struct status_line *line_of(struct status *status, struct str path)
{
    for (uint32_t i = 0; i < status->count; i++) {
        if (!status->lines[i].untracked && str_eq(status->lines[i].path, path))
            return &status->lines[i];
    }
    return NULL;
}

static int look_at_link(const struct repo *repo, struct str oid, struct str path,
                        struct status *status, struct arena *arena, struct err *err)
{
    struct status_line *line = line_of(status, path);
    char at[OID_BYTES] = "", word[OID_BYTES] = "";
    int rc;

    if (!file_exists(arena_printf(arena, "%s/%.*s/.git", repo->workspace, STR_ARG(path))))
        return 0;
    (void)oid_parse(oid, at);
    rc = word_of(repo, path, at, word, err);
    if (rc != 0 || word[0] == '\0') return rc;
    if (!line) {
        line = &status->lines[status->count++];
        *line = (struct status_line){ .path = path, .mode = S_IFGITLINK, .module = "S...",
                                      .staged_mode = S_IFGITLINK, .head_mode = S_IFGITLINK };
        memcpy(line->staged, at, OID_BYTES);
        memcpy(line->head, at, OID_BYTES);
    }
    memcpy(line->inside, word, OID_BYTES);
    return 0;
}

/* "MODE OID STAGE", a tab, the path, for a submodule. */
static bool parse_link(struct str text, struct str *oid, struct str *path)
{
    struct str mode, stage;

    if (!str_cut(&text, ' ', &mode) || !str_is(mode, "160000") || !str_cut(&text, ' ', oid) ||
        !str_cut(&text, '\t', &stage) || !tree_path_is_valid(text))
        return false;
    *path = text;
    return true;
}

static int look_at_links(const struct repo *repo, const char *index, struct status *status,
                         struct arena *arena, struct err *err)
{
    static const char *const args[] = { "ls-files", "--stage", "-z", NULL };
    struct str rest, text, oid, path;
    struct status_line *lines;
    uint32_t count = 0;
    struct buf list;
    int rc;

    buf_init(&list, LIST_BYTES_MAX);
    rc = repo_git_index(repo, index, args, STR(""), &list, err);
    rest = buf_str(&list);
    while (rc == 0 && str_cut(&rest, '\0', &text)) count += str_starts(text, STR("160000 "));
    if (count > NESTED_MAX) {
        rc = err_set(err, ERR_LIMIT, "%s has %u submodules: hone looks into at most %d",
                     repo->workspace, (unsigned)count, NESTED_MAX);
    }
    lines = arena_alloc(arena, ((size_t)status->count + count) * sizeof *lines);
    if (status->count) memcpy(lines, status->lines, status->count * sizeof *lines);
    status->lines = lines;
    rest = buf_str(&list);
    while (rc == 0 && str_cut(&rest, '\0', &text)) {
        if (!parse_link(text, &oid, &path)) continue;
        rc = look_at_link(repo, oid, arena_copy(arena, path), status, arena, err);
    }
    buf_release(&list);
    return rc;
}

int nested_look(const struct repo *repo, const char *index, bool links, struct status *status,
                struct arena *arena, struct err *err)
{
    uint32_t count = status->count, looked = 0;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct status_line *line = &status->lines[i];

        if (!line->repository) continue;
        if (++looked > NESTED_MAX) {
            return err_set(err, ERR_LIMIT, "%s has more than %d repositories inside that are not "
                           "tracked: exclude them in .gitignore", repo->workspace, NESTED_MAX);
        }
        rc = word_of(repo, line->path, NULL, line->inside, err);
    }
    return rc == 0 && links ? look_at_links(repo, index, status, arena, err) : rc;
}
