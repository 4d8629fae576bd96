/* SPDX-License-Identifier: Apache-2.0
 *
 * project.c - the sources of a workspace: which files there are, what they are written in, and
 * which are in the scope.
 *
 * git knows the files: what it tracks, and what is new and not ignored. The disk decides: a name
 * counts when a regular file is there that no link leads to. So a deleted file, a submodule and a
 * folder that became a link fall out by themselves.
 *
 * 1. Names are bytes. They are compared, never trusted: one that is not clean (base/path.h) is no
 *    file of ours.
 * 2. What a file is written in does not depend on the scope.
 *
 * Not here: how they are compiled (project_flags.c), what they depend on (project_includes.c),
 * whether they compile (project_compiles.c). */
#include "analyze/project.h"

#include "analyze/analyzer.h"
#include "analyze/made_look.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/report/fix.h"
#include "format/text/pattern.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/git/repo.h"

#include <stdlib.h>

void project_release(struct project *project)
{
    arena_release(&project->arena);
    *project = (struct project){ 0 };
}

bool project_has(const struct project *project, const struct language *language)
{
    for (uint32_t i = 0; i < project->count; i++) {
        if (project->sources[i].language == language && !project->sources[i].header) return true;
    }
    return false;
}

static int compare_path(const void *key, const void *item)
{
    return str_compare(*(const struct str *)key, str_of(((const struct source *)item)->path));
}

const struct source *project_source(const struct project *project, struct str path)
{
    if (project->count == 0) return NULL;
    return bsearch(&path, project->sources, project->count, sizeof *project->sources, compare_path);
}

bool source_is_unit(const struct source *source)
{
    return !source->header &&
           (source->language == &language_c || source->language == &language_cxx);
}

/* ---- the key ---- */

void key_text(struct buf *out, const char *text)
{
    buf_text(out, text ? text : "");
    buf_byte(out, '\0');
}

void key_number(struct buf *out, uint64_t number)
{
    buf_add(out, (struct str){ (const char *)&number, sizeof number });
}

uint64_t source_key(const struct project *project, const struct source *source)
{
    struct buf all;
    uint64_t key;

    buf_init(&all, SIZE_MAX / 4);
    key_text(&all, source->path);
    key_text(&all, source->language->name);
    key_text(&all, source->folder);
    for (const char *const *flag = source->flags; flag && *flag; flag++) key_text(&all, *flag);
    key_text(&all, ""); /* no flag is empty: flags end here */
    key_number(&all, source->hash);
    key_number(&all, source->outside_hash);
    for (uint32_t i = 0; i < source->include_count; i++) {
        const struct source *included = &project->sources[source->includes[i]];

        key_text(&all, included->path);
        key_number(&all, included->hash);
        key_number(&all, included->made);
    }
    key = content_hash(buf_str(&all));
    buf_release(&all);
    return key;
}

/* ---- paths ---- */

struct str path_inside(const struct project *project, const char *path)
{
    struct str all = str_of(path), top = str_of(project->workspace);

    if (!str_starts(all, top) || all.size <= top.size + 1 || all.data[top.size] != '/')
        return (struct str){ "", 0 };
    return str_skip(all, top.size + 1);
}

const char *path_shown(struct str path, struct arena *arena)
{
    enum { SHOWN_BYTES_MAX = 300 };

    return safe_copy(arena, path, SHOWN_BYTES_MAX);
}

enum { LIST_BYTES_MAX = 1 << 30, HEAD_BYTES = MADE_HEAD_BYTES };

struct listing {
    struct repo repo;
    struct peek peek;
    struct buf known, fresh, differing; /* what git said: names, each with a NUL behind it */
    struct buf head;                    /* of the file looked at */
    struct made_look made;
    struct str *files, *changed;        /* in byte order */
    uint32_t file_count, file_cap, changed_count, changed_cap;
};

/* ---- asking git ---- */

static int find_commit(struct listing *listing, const char *since, struct arena *arena,
                       const char **out, struct err *err)
{
    *out = repo_commit(&listing->repo, since, arena, err);
    if (*out || err->code != ERR_FAILED) return *out ? 0 : (int)err->code;
    return err_set(err, ERR_USAGE, "there is no commit '%s'; git log --oneline shows those there "
                   "are", path_shown(str_of(since), arena));
}

static int ask_git(struct listing *listing, const char *since, struct arena *arena, struct err *err)
{
    static const char *const known[] = { "ls-files", "-c", "-z", NULL };
    static const char *const fresh[] = { "ls-files", "-o", "--exclude-standard", "-z", NULL };
    const char *differing[] = { "diff", "--name-only", "--no-renames", "--ignore-submodules=all",
                                "-z", NULL, "--", NULL };
    int rc = repo_git(&listing->repo, known, STR(""), &listing->known, err);

    if (rc == 0) rc = repo_git(&listing->repo, fresh, STR(""), &listing->fresh, err);
    if (rc != 0 || !since) return rc;
    rc = find_commit(listing, since, arena, &differing[5], err);
    if (rc == 0) rc = repo_git(&listing->repo, differing, STR(""), &listing->differing, err);
    return rc;
}

/* ---- lists of names ---- */

static void add_names(const struct buf *said, struct str **items, uint32_t *count, uint32_t *cap)
{
    struct str rest = buf_str(said), name;

    while (str_cut(&rest, '\0', &name)) {
        *items = mem_grow(*items, *count, cap, sizeof **items);
        (*items)[(*count)++] = name;
    }
}

/* In order, and each once: git names an unmerged file three times. */
static void sort_names(struct str *items, uint32_t *count)
{
    uint32_t kept = 0;

    if (*count == 0) return;
    qsort(items, *count, sizeof *items, str_order);
    for (uint32_t i = 0; i < *count; i++) {
        if (kept == 0 || !str_eq(items[kept - 1], items[i])) items[kept++] = items[i];
    }
    *count = kept;
}

static void sort_files(struct listing *listing)
{
    add_names(&listing->known, &listing->files, &listing->file_count, &listing->file_cap);
    add_names(&listing->fresh, &listing->files, &listing->file_count, &listing->file_cap);
    sort_names(listing->files, &listing->file_count);
    add_names(&listing->differing, &listing->changed, &listing->changed_count,
              &listing->changed_cap);
    add_names(&listing->fresh, &listing->changed, &listing->changed_count, &listing->changed_cap);
    sort_names(listing->changed, &listing->changed_count);
}

static bool is_changed(const struct listing *listing, struct str path)
{
    return listing->changed_count && bsearch(&path, listing->changed, listing->changed_count,
                                             sizeof *listing->changed, str_order);
}

static bool is_left_out(struct str path, const struct scope *scope,
                        const char *const *private_paths)
{
    if (file_is_private(private_paths, path)) return true;
    for (const char *const *pattern = scope->exclude; pattern && *pattern; pattern++) {
        if (pattern_matches(str_of(*pattern), path)) return true;
    }
    return false;
}

/* ---- what a file is ---- */

static bool head_read(struct listing *listing, struct str path, bool must_be_text)
{
    struct err none;

    buf_clear(&listing->head);
    if (peek_head(&listing->peek, path, HEAD_BYTES, &listing->head, &none) != 0) return false;
    return !must_be_text || !str_has(buf_str(&listing->head), '\0');
}

static bool has_dot(struct str path)
{
    for (size_t i = path.size; i > 0 && path.data[i - 1] != '/'; i--) {
        if (path.data[i - 1] == '.') return true;
    }
    return false;
}

static const struct language *language_of_program(struct str program)
{
    const struct language *language;

    for (uint32_t i = 0; (language = analyzers_language(i)); i++) {
        if (language_has_program(language, program)) break;
    }
    return language;
}

/* A script's first line has the last word; its name has one where there is no such line. */
static void look_for_script(struct listing *listing, struct str path, struct source *source)
{
    bool named = source->language == &language_shell;
    bool read = head_read(listing, path, !named);
    struct str head = read ? buf_str(&listing->head) : STR(""), program;
    const char *shell = shell_of_head(head);

    if (!shell && named) shell = shell_of_name(path);
    source->language = shell && *shell ? &language_shell : NULL;
    source->shell = source->language ? shell : NULL;
    if (!source->language && program_of_head(head, &program)) {
        source->language = language_of_program(program);
    }
}

/* That of a user's analyzer whose patterns fit. */
static const struct language *language_defined(struct str path)
{
    const struct analyzer *analyzer;

    for (uint32_t i = 0; (analyzer = analyzer_at(i)); i++) {
        for (const char *const *file = analyzer->files; file && *file; file++) {
            if (pattern_matches(str_of(*file), path)) return analyzer->languages[0];
        }
    }
    return NULL;
}

static const struct language *language_of(struct str path, bool *header)
{
    const struct language *language;

    *header = false;
    for (uint32_t i = 0; (language = analyzers_language(i)); i++) {
        if (language_has_path(language, path)) return language;
    }
    for (uint32_t i = 0; (language = analyzers_language(i)); i++) {
        if (language_has(language, path, header)) return language;
    }
    return language_defined(path);
}

/* False when it is no file, or none that an analyzer could be given. */
static bool source_look(struct listing *listing, struct str path, struct source *source)
{
    struct peeked peeked;

    source->language = language_of(path, &source->header);
    if (!peek_look(&listing->peek, path, &peeked)) return false;
    if (source->language == &language_shell ||
        (source->language == NULL && (peeked.executable || !has_dot(path))))
        look_for_script(listing, path, source);
    return true;
}

/* A NUL in what is called a source is no way past an analyzer: it is looked at, and said. */
static enum made source_made(struct listing *listing, struct str path)
{
    struct err none;
    enum made made;

    buf_clear(&listing->head);
    (void)peek_head(&listing->peek, path, HEAD_BYTES, &listing->head, &none);
    made = made_look(&listing->made, path, buf_str(&listing->head));
    return made == MADE_BINARY ? MADE_BY_PEOPLE : made;
}

uint32_t project_made_count(const struct project *project)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < project->count; i++) {
        count += project->sources[i].made != MADE_BY_PEOPLE && project->sources[i].changed;
    }
    return count;
}

static void collect(struct project *project, struct listing *listing, const struct scope *scope,
                    const char *const *private_paths)
{
    bool everything = !scope->since || !*scope->since;
    struct str paths = str_of(scope->paths);

    project->sources = arena_alloc(&project->arena, listing->file_count * sizeof *project->sources);
    project->others = arena_alloc(&project->arena, listing->file_count * sizeof *project->others);
    for (uint32_t i = 0; i < listing->file_count; i++) {
        struct str path = listing->files[i];
        struct source source = { .changed = everything || is_changed(listing, path) };

        if (paths.size > 0 && !path_is_among(path, paths)) source.changed = false;
        if (is_left_out(path, scope, private_paths)) continue;
        if (!source_look(listing, path, &source)) continue;
        if (source.language == NULL && !source.changed) continue;
        if (scope->by_people && source.language) source.made = source_made(listing, path);
        source.wanted = source.changed && source.made == MADE_BY_PEOPLE;
        source.path = arena_cstr(&project->arena, path);
        if (source.language == NULL) project->others[project->other_count++] = source.path;
        else project->sources[project->count++] = source;
    }
}

/* A .h says nothing; where all units are C++, it is, too. */
static void settle_headers(struct project *project)
{
    if (project_has(project, &language_c) || !project_has(project, &language_cxx)) return;
    for (uint32_t i = 0; i < project->count; i++) {
        if (project->sources[i].header) project->sources[i].language = &language_cxx;
    }
}

/* ---- together ---- */

static int check_patterns(const struct scope *scope, struct arena *arena, struct err *err)
{
    for (const char *const *pattern = scope->exclude; pattern && *pattern; pattern++) {
        if (**pattern == '!') {
            return err_set(err, ERR_USAGE, "exclude '%s': a pattern cannot begin with '!'; say \\! "
                           "for a name that does", path_shown(str_of(*pattern), arena));
        }
    }
    return 0;
}

int project_open(struct project *project, const char *workspace, const struct scope *scope,
                 const char *const *private_paths, struct err *err)
{
    const char *since = scope->since && *scope->since ? scope->since : NULL;
    struct listing listing = { .peek = { .root_fd = -1, .folder_fd = -1 } };
    int rc;

    *project = (struct project){ .flags_from = "nothing" };
    buf_init(&listing.known, LIST_BYTES_MAX);
    buf_init(&listing.fresh, LIST_BYTES_MAX);
    buf_init(&listing.differing, LIST_BYTES_MAX);
    buf_init(&listing.head, HEAD_BYTES);
    rc = check_patterns(scope, &project->arena, err);
    if (rc == 0) rc = repo_open(&listing.repo, workspace, false, err);
    if (rc == 0) rc = peek_open(&listing.peek, listing.repo.workspace, err);
    if (rc == 0) rc = ask_git(&listing, since, &project->arena, err);
    if (rc == 0) {
        project->workspace = arena_cstr(&project->arena, str_of(listing.repo.workspace));
        listing.made.workspace = project->workspace;
        sort_files(&listing);
        collect(project, &listing, scope, private_paths);
        settle_headers(project);
    }
    buf_release(&listing.known);
    buf_release(&listing.fresh);
    buf_release(&listing.differing);
    buf_release(&listing.head);
    free(listing.files);
    free(listing.changed);
    made_look_release(&listing.made);
    peek_close(&listing.peek);
    repo_release(&listing.repo);
    if (rc != 0) {
        project_release(project);
        return err_wrap(err, "list the sources");
    }
    return 0;
}
