/* SPDX-License-Identifier: Apache-2.0
 *
 * brought.c - the commit that a change is measured against, and what files it has.
 *
 *     what is judged                                   the commit
 *     what changed since a commit (--since)            that one
 *     everything (--all), or work still to be done     HEAD
 *     the change: something differs from HEAD          HEAD
 *     the change: nothing differs from HEAD            HEAD's first parent, as the newest commit is
 *                                                      what is judged then; HEAD where it is the
 *                                                      first of all
 *     no repository, or no commit yet                  none: the folder
 *
 * 1. A change cannot write its own judge: a file counts as the commit has it, and not as the work
 *    tree or the index does. Only where there is no commit the folder is read, and then what it
 *    holds counts when the user has agreed to it, byte for byte.
 * 2. The first parent may be missing, in a clone that is not whole. Then the newest commit does not
 *    stand in for it: there is no commit, and `why` says what to fetch.
 * 3. Nothing is read through a link: neither from a commit, where git follows none, nor from the
 *    folder (file_text_in). A path that goes up, or has a control character in it, is refused.
 * 4. git looks through the glass (io/git/repo.c): the repository's configuration runs nothing.
 *
 * Not here: which files count for what, and what the user is told of them. */
#include "settings/brought.h"

#include "base/byte.h"
#include "base/path.h"
#include "io/file/file.h"
#include "settings/scope.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_COMMIT = 12, LIST_BYTES_MAX = 64 << 20, ROW_BYTES_MAX = 16 << 10,
       COMMIT_BYTES_MAX = 1 << 20, OID_TEXT_MAX = 128, PATH_SHOWN_MAX = 200 };

/* Whether answers of git hold for the whole process. */
static bool keeps;

void brought_keep(void)
{
    keeps = true;
}

/* ---- whether there is anything ---- */

static const char *const places[BROUGHT_PLACE_COUNT] = {
    [BROUGHT_ROLES] = ".hone/roles", [BROUGHT_RULES] = "REVIEW.md",
    [BROUGHT_SETTINGS] = "hone.json",
};

/* Asks git of all places in the commits that could be meant; what it cannot say is there. */
static void ask_places(const struct repo *repo, const char *since, bool *out)
{
    static const char *const args[] = { "cat-file", "--batch-check", NULL };
    const char *revisions[] = { since && *since ? since : "HEAD", "HEAD~1" };
    uint32_t count = since && *since ? 1 : 2, at = 0;
    struct buf asked, said;
    struct str rest, line;
    struct err none;

    buf_init(&asked, ROW_BYTES_MAX);
    buf_init(&said, LIST_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < BROUGHT_PLACE_COUNT; k++) {
            buf_printf(&asked, "%s:%s\n", revisions[i], places[k]);
        }
    }
    if (strchr(revisions[0], '\n') || asked.overflow ||
        repo_git(repo, args, buf_str(&asked), &said, &none) != 0) {
        for (uint32_t k = 0; k < BROUGHT_PLACE_COUNT; k++) out[k] = true;
    }
    rest = buf_str(&said);
    for (; str_cut(&rest, '\n', &line); at++) {
        uint32_t k = at % BROUGHT_PLACE_COUNT;
        out[k] = out[k] || !str_ends(line, STR(" missing"));
    }
    buf_release(&asked);
    buf_release(&said);
}

static bool is_in_tree(const struct repo *repo, const char *path)
{
    struct arena arena = { 0 };
    bool there = file_exists(arena_printf(&arena, "%s/%s", repo->workspace, path));

    arena_release(&arena);
    return there;
}

bool brought_may_have(const struct repo *repo, const char *since, enum brought_place place)
{
    static struct arena kept; /* as long as the process */
    static const char *workspace, *revision;
    static bool there[BROUGHT_PLACE_COUNT];
    const char *asked = since ? since : "";

    if (is_in_tree(repo, places[place])) return true;
    if (!repo->is_git) return false;
    if (!keeps || !workspace || strcmp(workspace, repo->workspace) != 0 ||
        strcmp(revision, asked) != 0) {
        if (keeps) workspace = arena_cstr(&kept, str_of(repo->workspace));
        if (keeps) revision = arena_cstr(&kept, str_of(asked));
        for (uint32_t k = 0; k < BROUGHT_PLACE_COUNT; k++) there[k] = false;
        ask_places(repo, since, there);
    }
    return there[place];
}

/* ---- the commit ---- */

/* commit "": none. */
static void brought_set(const struct repo *repo, const char *commit, struct arena *arena,
                        struct brought *out)
{
    *out = (struct brought){ .repo = repo, .commit = commit, .name = "the folder", .why = "" };
    if (*commit) {
        out->name = arena_printf(arena, "commit %.*s", SHORT_COMMIT, commit);
    } else {
        out->why = repo->is_git ? "there is no commit yet" : "this is no git repository";
    }
}

/* Whether HEAD says that there is a commit before it. */
static int head_has_parent(const struct repo *repo, const char *head, bool *has, struct err *err)
{
    const char *const args[] = { "cat-file", "commit", head, NULL };
    struct str rest, line;
    struct buf text;
    int rc;

    *has = false;
    buf_init(&text, COMMIT_BYTES_MAX);
    rc = repo_git(repo, args, STR(""), &text, err);
    rest = buf_str(&text);
    while (rc == 0 && str_cut(&rest, '\n', &line) && line.size > 0) {
        *has = *has || str_starts(line, STR("parent "));
    }
    buf_release(&text);
    return rc;
}

/* The newest commit is what is judged. */
static int open_before_newest(const struct repo *repo, const char *head, struct arena *arena,
                              struct brought *out, struct err *err)
{
    const char *parent;
    struct err none;
    bool has;
    int rc;

    parent = repo_commit(repo, "HEAD~1", arena, &none);
    if (parent) {
        brought_set(repo, parent, arena, out);
        return 0;
    }
    rc = head_has_parent(repo, head, &has, err);
    if (rc != 0) return rc;
    brought_set(repo, has ? "" : head, arena, out);
    if (has) {
        out->why = "the commit before the newest one is not here: git fetch --deepen=1, or --since "
                   "COMMIT, or --all";
    }
    return 0;
}

static int open_now(const struct repo *repo, const struct brought_scope *scope,
                    struct arena *arena, struct brought *out, struct err *err)
{
    bool newest = !scope->all && (!scope->dialect || scope->dialect->judges_newest);
    bool named = scope->since && *scope->since, changed = true;
    const char *head = NULL;
    struct err none;
    int rc = 0;

    if (repo->is_git) head = repo_commit(repo, named ? scope->since : "HEAD", arena, &none);
    if (head && !named && newest) {
        rc = scope_has_changed(repo, scope->dialect, &changed, arena, err);
    }
    if (rc == 0 && !changed) rc = open_before_newest(repo, head, arena, out, err);
    else brought_set(repo, head ? head : "", arena, out);
    return rc == 0 ? 0 : err_wrap(err, "find the commit that the change is measured against");
}

int brought_open(const struct repo *repo, const struct brought_scope *scope, struct arena *arena,
                 struct brought *out, struct err *err)
{
    static struct arena kept; /* as long as the process */
    static struct brought known;
    static const char *question;
    const char *asked = arena_printf(arena, "%s\n%s\n%d\n%s", repo->workspace,
                                     scope->since ? scope->since : "", scope->all,
                                     scope->dialect ? scope->dialect->name : "");
    int rc;

    if (!keeps || !question || strcmp(question, asked) != 0) {
        question = NULL;
        rc = open_now(repo, scope, keeps ? &kept : arena, &known, err);
        if (rc != 0) return rc;
        question = keeps ? arena_cstr(&kept, str_of(asked)) : NULL;
    }
    *out = known;
    out->repo = repo;
    return 0;
}

int brought_of(const struct repo *repo, const struct dialect *dialect,
               const struct run_settings *settings, struct arena *arena, struct brought *out,
               struct err *err)
{
    bool named = settings->since && *settings->since;
    const struct brought_scope scope = { .dialect = dialect, .since = settings->since,
                                         .all = settings->scope_given && !named };

    return brought_open(repo, &scope, arena, out, err);
}

/* ---- a file of it ---- */

static bool is_plain_path(struct str path)
{
    for (size_t i = 0; i < path.size; i++) {
        if ((unsigned char)path.data[i] < ' ' || path.data[i] == 0x7f) return false;
    }
    return path_is_clean(path);
}

/* What a tree has at a path: "MODE TYPE OID SIZE", a tab, the path. */
struct tree_row {
    struct str mode, oid, path;
    uint64_t bytes;
};

static bool row_read(struct str row, struct tree_row *out)
{
    struct str type, size;

    if (!str_cut(&row, ' ', &out->mode) || !str_cut(&row, ' ', &type)) return false;
    if (!str_cut(&row, ' ', &out->oid) || !str_cut(&row, '\t', &size)) return false;
    out->path = row;
    out->bytes = 0;
    (void)str_number(str_trim(size), &out->bytes); /* a folder has none */
    return true;
}

static bool row_is_file(const struct tree_row *row)
{
    return str_starts(row->mode, STR("100"));
}

static const char *row_kind(const struct tree_row *row)
{
    if (str_is(row->mode, "120000")) return "a link";
    return str_is(row->mode, "160000") ? "a submodule" : "a folder";
}

/* ERR_MISSING where the commit has nothing there. */
static int row_find(const struct brought *brought, const char *path, struct arena *arena,
                    struct tree_row *out, struct err *err)
{
    const char *const args[] = { "ls-tree", "-z", "--long", "--full-tree", brought->commit, "--",
                                 arena_printf(arena, ":(literal)%s", path), NULL };
    struct str rest, row;
    struct buf text;
    int rc;

    buf_init(&text, ROW_BYTES_MAX);
    rc = repo_git(brought->repo, args, STR(""), &text, err);
    rest = arena_take(arena, &text);
    if (rc != 0) return rc;
    while (str_cut(&rest, '\0', &row)) {
        if (row_read(row, out) && str_is(out->path, path)) return 0;
    }
    return err_set(err, ERR_MISSING, "%s has no %.*s", brought->name, PATH_SHOWN_MAX, path);
}

static int text_of_commit(const struct brought *brought, const char *path, size_t bytes_max,
                          struct arena *arena, struct str *out, struct err *err)
{
    const char *args[] = { "cat-file", "blob", NULL, NULL };
    struct tree_row row;
    struct buf text;
    int rc = row_find(brought, path, arena, &row, err);

    if (rc != 0) return rc;
    if (!row_is_file(&row)) {
        return err_set(err, ERR_FORMAT, "%.*s is %s in %s: put a file there", PATH_SHOWN_MAX, path,
                       row_kind(&row), brought->name);
    }
    if (row.bytes > bytes_max) {
        return err_set(err, ERR_LIMIT, "%.*s has more than %zu bytes in %s", PATH_SHOWN_MAX, path,
                       bytes_max, brought->name);
    }
    args[2] = arena_cstr(arena, row.oid);
    buf_init(&text, bytes_max);
    rc = repo_git(brought->repo, args, STR(""), &text, err);
    *out = arena_take(arena, &text);
    return rc == 0 ? 0 : err_wrap(err, "read %.*s of %s", PATH_SHOWN_MAX, path, brought->name);
}

/* Whether two texts are the same, whichever line ends each has: git may write others than it
 * keeps. */
static bool is_same_text(struct str a, struct str b)
{
    struct str one, other;
    bool more, more_there;

    if (str_eq(a, b)) return true;
    for (;;) {
        more = str_cut(&a, '\n', &one);
        more_there = str_cut(&b, '\n', &other);
        if (!more || !more_there) return more == more_there;
        if (str_ends(one, STR("\r"))) one.size--;
        if (str_ends(other, STR("\r"))) other.size--;
        if (!str_eq(one, other)) return false;
    }
}

/* Whether the work tree has something else than text at the path. */
static bool is_altered(const struct brought *brought, const char *path, size_t bytes_max,
                       struct str text)
{
    struct arena arena = { 0 };
    struct str now;
    struct err none;
    bool altered = file_text_in(brought->repo->workspace, path, bytes_max, &arena, &now,
                                &none) != 0 || !is_same_text(now, text);

    arena_release(&arena);
    return altered;
}

int brought_text(const struct brought *brought, const char *path, size_t bytes_max,
                 struct arena *arena, struct str *out, bool *altered, struct err *err)
{
    int rc;

    *out = STR("");
    *altered = false;
    if (!is_plain_path(str_of(path))) {
        return err_set(err, ERR_FORMAT, "a file of the repository is named by a path from its top, "
                       "without '..'");
    }
    if (!*brought->commit) {
        return file_text_in(brought->repo->workspace, path, bytes_max, arena, out, err);
    }
    rc = text_of_commit(brought, path, bytes_max, arena, out, err);
    *altered = rc == ERR_MISSING ? is_in_tree(brought->repo, path)
                                 : rc == 0 && is_altered(brought, path, bytes_max, *out);
    if (rc != 0) *out = STR("");
    return rc;
}

/* ---- the files of a folder ---- */

/* A list in the making. */
struct listed {
    const struct brought_query *query;
    struct arena *arena;
    struct str *paths;
    uint32_t count, cap;
};

static void listed_add(struct listed *listed, struct str path)
{
    const struct brought_query *query = listed->query;
    struct str below = path;

    if (*query->folder) {
        if (!str_starts(below, str_of(query->folder))) return;
        below = str_skip(below, strlen(query->folder));
        if (!str_starts(below, STR("/"))) return;
        below = str_skip(below, 1);
    }
    if (!query->deep && str_has(below, '/')) return;
    if (!str_ends(path, str_of(query->suffix)) || !is_plain_path(path)) return;
    listed->paths = arena_grow(listed->arena, listed->paths, listed->count, &listed->cap,
                                sizeof *listed->paths);
    listed->paths[listed->count++] = arena_copy(listed->arena, path);
}

/* What git lists: rows of a tree, or paths alone where there is no commit. */
static int listed_rows(const struct brought *brought, struct listed *listed, struct err *err)
{
    const char *folder = arena_printf(listed->arena, ":(literal)%s%s", listed->query->folder,
                                      *listed->query->folder ? "/" : "");
    const char *const of_tree[] = { "ls-tree", "-r", "-z", "--long", "--full-tree",
                                    brought->commit, "--", *listed->query->folder ? folder : NULL,
                                    NULL };
    static const char *const of_folder[] = { "ls-files", "-z", "--cached", "--others",
                                             "--exclude-standard", NULL };
    bool committed = *brought->commit;
    struct str rest, item;
    struct tree_row row;
    struct buf text;
    int rc;

    buf_init(&text, LIST_BYTES_MAX);
    rc = repo_git(brought->repo, committed ? of_tree : of_folder, STR(""), &text, err);
    rest = buf_str(&text);
    while (rc == 0 && str_cut(&rest, '\0', &item)) {
        if (!committed) listed_add(listed, item);
        else if (row_read(item, &row) && row_is_file(&row)) listed_add(listed, row.path);
    }
    buf_release(&text);
    return rc;
}

int brought_list(const struct brought *brought, const struct brought_query *query,
                 struct arena *arena, struct brought_paths *out, struct err *err)
{
    struct listed listed = { .query = query, .arena = arena };
    const char **items;
    int rc;

    *out = (struct brought_paths){ 0 };
    if (*query->folder && !is_plain_path(str_of(query->folder))) {
        return err_set(err, ERR_FORMAT, "a folder of the repository is named by a path from its "
                       "top, without '..'");
    }
    rc = listed_rows(brought, &listed, err);
    if (rc != 0) return err_wrap(err, "list the files of %s", brought->name);
    if (listed.count == 0) return 0;
    qsort(listed.paths, listed.count, sizeof *listed.paths, str_order);
    items = arena_alloc(arena, listed.count * sizeof *items);
    for (uint32_t i = 0; i < listed.count; i++) {
        if (out->count > 0 && str_is(listed.paths[i], items[out->count - 1])) continue;
        items[out->count++] = listed.paths[i].data; /* a copy, with its end */
    }
    out->items = items;
    return 0;
}

int brought_agreement(const struct brought *brought, const char *path, struct str text,
                      struct arena *arena, struct hone_value *out, struct err *err)
{
    static const char *const args[] = { "hash-object", "--stdin", "--no-filters", NULL };
    struct buf oid;
    int rc;

    *out = (struct hone_value){ .path = path };
    buf_init(&oid, OID_TEXT_MAX);
    rc = repo_git(brought->repo, args, text, &oid, err);
    out->text = arena_cstr(arena, str_trim(buf_str(&oid)));
    buf_release(&oid);
    return rc == 0 ? 0 : err_wrap(err, "take the hash of %.*s", PATH_SHOWN_MAX, path);
}
