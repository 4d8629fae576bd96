/* SPDX-License-Identifier: Apache-2.0
 *
 * guidelines.c - the project's rules: REVIEW.md, and what "guidelines" in hone.json names.
 *
 *     patterns --> files of the commit that match --> those that are about the change, in order
 *              --> their texts, cut --> "rules:PATH" among the files of the settings
 *
 * A pattern is as a line of .gitignore. One without a slash is a name: a file of that name is about
 * its folder and all below it, so that src/net/REVIEW.md is about src/net alone. What a pattern
 * with a slash names is about everything: "docs/rules/", "/AGENTS.md".
 *
 *     a change is judged        files that are about one of its files, the nearest folder first
 *     everything, or work that  all of them, the top first: what will be touched is not known
 *     the run itself will make
 *
 * A REVIEW.md further down counts where the top has one, or where "guidelines" names it: so most
 * repositories, which have none, need not be searched.
 *
 * In one folder REVIEW.md comes first, then they are in the order of the patterns, then by name.
 *
 * 1. Files count as the commit has them that the change is measured against (brought.h), and so
 *    does the project's list of them. What the change alters, adds or takes away is said.
 * 2. Without such a commit a file counts when the user has agreed to its text.
 * 3. A file has at most RULES_FILE_BYTES_MAX, all of them RULES_SHOWN_BYTES_MAX: what is left out
 *    is said to the user and in the prompt.
 * 4. Rules only add to what is looked for (prompts/dialect/rules.md): the user is not asked about
 *    those that a commit has.
 * 5. Settings that are wrong name no rules, and that is said; a run that reads all settings has
 *    been refused before.
 *
 * Not here: how agents are told (dialect/rules.c). */
#include "settings/guidelines.h"

#include "base/path.h"
#include "dialect/rules.h"
#include "format/text/pattern.h"
#include "settings/brought.h"
#include "settings/hone_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGED_BYTES_MAX = 64 << 20, PATTERNS_BYTES_MAX = 64 << 10, PATH_SHOWN_MAX = 200,
       SAID_MAX = 10 };

static const char own_name[] = "REVIEW.md", project_file[] = "hone.json", key_path[] = "guidelines";

/* A file of rules. */
struct guideline {
    const char *path;
    uint32_t rank;  /* of the pattern that names it */
    uint32_t depth; /* of the folder that it is about; 0: everything */
};

/* A search for the rules of a run. */
struct search {
    const struct guidelines_of *of;
    struct brought brought;
    struct arena arena;         /* of all that the search alone needs */
    struct buf patterns;        /* a line each */
    struct str *changed;        /* the paths of the change, in order, each once */
    uint32_t changed_count, changed_cap;
    bool by_change;             /* only what is about one of these counts */
    struct guideline *items;
    uint32_t count, cap;
    struct warnings *warnings;
    uint32_t said;
    struct err *err;
};

static void search_open(struct search *search, const struct guidelines_of *of,
                        struct warnings *warnings, struct err *err)
{
    *search = (struct search){ .of = of, .warnings = warnings, .err = err,
                               .brought = { .repo = of->repo, .commit = "" } };
    buf_init(&search->patterns, PATTERNS_BYTES_MAX);
}

static void search_close(struct search *search)
{
    buf_release(&search->patterns);
    arena_release(&search->arena);
}

/* About a file; of very many only the first are named. */
static void say_file(struct search *search, const char *path, const char *words)
{
    if (search->said++ >= SAID_MAX) return;
    warnings_add(search->warnings, "%.*s %s", PATH_SHOWN_MAX, path, words);
}

/* ---- patterns ---- */

static void add_lines(struct search *search, const char *lines)
{
    if (!*lines) return;
    buf_text(&search->patterns, lines);
    buf_byte(&search->patterns, '\n');
}

/* What one file of settings names; "": nothing. */
static int list_of_text(struct search *search, struct str text, const struct hone_file *file,
                        const char **lines, struct err *err)
{
    struct hone_values values = { 0 };
    const struct hone_value *value;
    int rc = hone_read(text, file, &search->arena, &values, err);

    value = rc == 0 ? hone_find(&values, key_path) : NULL;
    *lines = value ? value->text : "";
    return rc;
}

/* The project's list, as the commit has it. A file that cannot be read there has none: a change
 * that mends it does not bring its own list. */
static int add_project_list(struct search *search, struct hone_own *own)
{
    const struct hone_file *file = &own->files[HONE_FILE_PROJECT];
    const char *lines = "", *now = "";
    struct str text;
    struct err err = { 0 };
    bool altered;
    int rc = brought_text(&search->brought, project_file, HONE_FILE_BYTES_MAX, &search->arena,
                          &text, &altered, &err);

    if (rc == 0 && list_of_text(search, text, file, &lines, &err) != 0) {
        warnings_add(search->warnings, "the guidelines of %s do not count: %s",
                     search->brought.name, err.text);
    }
    if (rc == ERR_FAILED) return err_set(search->err, ERR_FAILED, "%s", err.text);
    if (altered && hone_own_text(own, HONE_FILE_PROJECT, &text, &err) == 0 && text.size > 0) {
        (void)list_of_text(search, text, file, &now, &err);
    }
    if (altered && strcmp(now, lines) != 0) {
        warnings_add(search->warnings, "hone.json: the guidelines of %s count, and not those that "
                     "the change names", search->brought.name);
    }
    add_lines(search, lines);
    return 0;
}

/* The list of a file that is the user's own. */
static void add_own_list(struct search *search, struct hone_own *own, uint32_t place)
{
    struct err err = { 0 };
    const char *lines = "";
    struct str text;
    int rc = hone_own_text(own, place, &text, &err);

    if (rc == 0 && own->files[place].exists) {
        rc = list_of_text(search, text, &own->files[place], &lines, &err);
    }
    if (rc != 0) warnings_add(search->warnings, "its guidelines do not count: %s", err.text);
    add_lines(search, lines);
}

static int find_patterns(struct search *search)
{
    struct hone_own own;
    struct err none;
    int rc;

    add_lines(search, own_name);
    (void)hone_own_open(&own, search->of->start, true, &none); /* its places are known now */
    rc = add_project_list(search, &own);
    add_own_list(search, &own, HONE_FILE_USER);
    add_own_list(search, &own, HONE_FILE_ENVIRONMENT);
    hone_own_close(&own);
    return rc;
}

/* Whether a file of the user's own may name rules. */
static bool has_own_lists(struct search *search)
{
    struct hone_own own;
    struct err none;
    bool has;

    (void)hone_own_open(&own, search->of->start, false, &none);
    has = hone_find(&own.values, key_path) != NULL;
    hone_own_close(&own);
    return has;
}

/* ---- the change ---- */

/* Adds what git lists: behind the first bytes of each row a path. */
static int add_changed(struct search *search, const char *const *args, size_t skipped)
{
    struct str rest, row;
    struct buf rows;
    int rc;

    buf_init(&rows, CHANGED_BYTES_MAX);
    rc = repo_git(search->of->repo, args, STR(""), &rows, search->err);
    rest = arena_take(&search->arena, &rows);
    while (rc == 0 && str_cut(&rest, '\0', &row)) {
        search->changed = arena_grow(&search->arena, search->changed, search->changed_count,
                                     &search->changed_cap, sizeof *search->changed);
        search->changed[search->changed_count++] = str_skip(row, skipped);
    }
    return rc;
}

/* What commits changed, and what is not committed. `git diff` would write to the user's index. */
static int find_changed(struct search *search)
{
    const char *const committed[] = { "diff-tree", "-r", "-z", "--name-only", "--no-renames",
                                      search->brought.commit, "HEAD", NULL };
    static const char *const in_tree[] = { "status", "--porcelain", "-z", "--no-renames",
                                           "--untracked-files=all", NULL };
    uint32_t kept = 0;
    int rc = add_changed(search, committed, 0);

    if (rc == 0) rc = add_changed(search, in_tree, strlen("?? "));
    if (rc != 0) {
        return err_wrap(search->err, "list what has changed since %s", search->brought.name);
    }
    if (search->changed_count == 0) return 0;
    qsort(search->changed, search->changed_count, sizeof *search->changed, str_order);
    for (uint32_t i = 0; i < search->changed_count; i++) {
        if (kept > 0 && str_eq(search->changed[i], search->changed[kept - 1])) continue;
        search->changed[kept++] = search->changed[i];
    }
    search->changed_count = kept;
    return 0;
}

static bool has_change_below(const struct search *search, struct str folder)
{
    for (uint32_t i = 0; i < search->changed_count; i++) {
        struct str path = search->changed[i];

        if (str_starts(path, folder) && path.size > folder.size && path.data[folder.size] == '/') {
            return true;
        }
    }
    return false;
}

/* ---- files ---- */

static uint32_t depth_of(struct str folder)
{
    uint32_t depth = folder.size > 0;

    for (size_t i = 0; i < folder.size; i++) depth += folder.data[i] == '/';
    return depth;
}

/* The first pattern that names the path; false: none does. */
static bool find_pattern(const struct search *search, struct str path, struct str *pattern,
                         uint32_t *rank)
{
    struct str rest = buf_str(&search->patterns);

    for (*rank = 0; str_cut(&rest, '\n', pattern); ++*rank) {
        if (pattern_matches(*pattern, path)) return true;
    }
    return false;
}

static void add_file(struct search *search, const char *path)
{
    struct str folder = path_folder(str_of(path)), pattern;
    struct guideline item = { .path = path };

    if (!find_pattern(search, str_of(path), &pattern, &item.rank)) return;
    if (str_has(pattern, '/')) folder = STR("");
    if (search->by_change && folder.size > 0 && !has_change_below(search, folder)) return;
    item.depth = depth_of(folder);
    search->items = arena_grow(&search->arena, search->items, search->count, &search->cap,
                               sizeof *search->items);
    search->items[search->count++] = item;
}

static int compare_files(const struct guideline *a, const struct guideline *b)
{
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int order_top_first(const void *a, const void *b)
{
    return compare_files(a, b);
}

static int order_near_first(const void *a, const void *b)
{
    const struct guideline *one = a, *other = b;

    if (one->depth != other->depth) return one->depth > other->depth ? -1 : 1;
    return compare_files(one, other);
}

static bool is_listed(const struct brought_paths *paths, struct str path)
{
    uint32_t low = 0, high = paths->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_compare(str_of(paths->items[middle]), path);

        if (order == 0) return true;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return false;
}

/* Files that would be rules, and that only the change has. */
static void say_new_files(struct search *search, const struct brought_paths *paths)
{
    const char *words = arena_printf(&search->arena, "is not in %s: rules that the change itself "
                                     "brings do not count", search->brought.name);
    struct str pattern;
    uint32_t rank;

    for (uint32_t i = 0; i < search->changed_count; i++) {
        struct str path = search->changed[i];

        if (!find_pattern(search, path, &pattern, &rank) || is_listed(paths, path)) continue;
        say_file(search, arena_cstr(&search->arena, path), words);
    }
}

/* A pattern of the settings that names nothing is a slip, or names what the change brings. */
static void say_void_patterns(struct search *search, const struct brought_paths *paths)
{
    struct str rest = buf_str(&search->patterns), pattern;

    (void)str_cut(&rest, '\n', &pattern); /* our own name */
    while (str_cut(&rest, '\n', &pattern)) {
        bool found = false;

        for (uint32_t i = 0; i < paths->count && !found; i++) {
            found = pattern_matches(pattern, str_of(paths->items[i]));
        }
        if (found) continue;
        warnings_add(search->warnings, "guidelines: '%.*s' names no file of %s", PATH_SHOWN_MAX,
                     arena_cstr(&search->arena, pattern), search->brought.name);
    }
}

static int find_files(struct search *search)
{
    const struct brought_query query = { .folder = "", .suffix = "", .deep = true };
    struct brought_paths paths;
    int rc = brought_list(&search->brought, &query, &search->arena, &paths, search->err);

    if (rc == 0 && *search->brought.commit) rc = find_changed(search);
    if (rc != 0) return rc;
    for (uint32_t i = 0; i < paths.count; i++) add_file(search, paths.items[i]);
    if (search->count > 0) {
        qsort(search->items, search->count, sizeof *search->items,
              search->by_change ? order_near_first : order_top_first);
    }
    say_new_files(search, &paths);
    say_void_patterns(search, &paths);
    return 0;
}

/* *search is open. */
static int search_files(struct search *search, const struct run_settings *settings)
{
    const struct repo *repo = search->of->repo;
    bool all = settings->scope_given && !(settings->since && *settings->since);
    bool some = brought_may_have(repo, settings->since, BROUGHT_RULES);
    bool listed = brought_may_have(repo, settings->since, BROUGHT_SETTINGS);
    int rc;

    if (!some && !listed && !has_own_lists(search)) return 0;
    rc = brought_of(repo, search->of->dialect, settings, &search->arena, &search->brought,
                    search->err);
    if (rc != 0) return rc;
    search->by_change = search->of->dialect->judges_newest && !all && *search->brought.commit;
    rc = find_patterns(search);
    if (rc == 0 && !some && str_is(str_trim(buf_str(&search->patterns)), own_name)) return 0;
    return rc == 0 ? find_files(search) : rc;
}

/* ---- texts ---- */

static bool is_text(struct str text)
{
    return !str_has(text, '\0') && str_trim(text).size > 0;
}

/* *out: empty where the file does not count. */
static int read_file(struct search *search, const struct trust *trust, const char *path,
                     struct str *out)
{
    struct hone_value value;
    struct err err = { 0 };
    bool altered;
    int rc = brought_text(&search->brought, path, GUIDELINES_READ_BYTES_MAX, &search->arena, out,
                          &altered, &err);

    if (rc == ERR_FAILED || rc == ERR_SYSTEM) return err_set(search->err, rc, "%s", err.text);
    if (rc == ERR_MISSING) return 0; /* the index has it, and the folder not */
    if (rc != 0) {
        warnings_add(search->warnings, "%s; these rules are left out", err.text);
        return 0;
    }
    if (altered) {
        say_file(search, path, arena_printf(&search->arena, "counts as %s has it, and not as the "
                                            "change does", search->brought.name));
    }
    if (!is_text(*out)) *out = STR("");
    if (*search->brought.commit || out->size == 0) return 0;
    rc = brought_agreement(&search->brought, path, *out, &search->arena, &value, search->err);
    if (rc != 0 || trust_has(trust, search->of->repo->workspace, &value)) return rc;
    *out = STR("");
    say_file(search, path, arena_printf(&search->arena, "is left out: %s, so its rules count when "
                                        "you agree to them: look at it, then start once with "
                                        "--trust", search->brought.why));
    return 0;
}

static struct str cut_text(struct str text, struct arena *arena)
{
    struct str head = str_head(text, RULES_FILE_BYTES_MAX);

    if (head.size == text.size) return arena_copy(arena, text);
    return str_of(arena_printf(arena, "%.*s\n[cut: %zu bytes in all]", STR_ARG(head), text.size));
}

static int keep_files(struct search *search, const struct trust *trust, struct settings *options,
                      struct arena *arena)
{
    struct config_text *files = arena_alloc(arena, (options->file_count + search->count + 1) *
                                                       sizeof *files);
    uint32_t shown = 0, left_out = 0;
    size_t bytes = 0;

    for (uint32_t i = 0; i < options->file_count; i++) files[i] = options->files[i];
    options->files = files;
    for (uint32_t i = 0; i < search->count; i++) {
        const char *path = search->items[i].path;
        struct str text = STR("");
        bool room = shown < GUIDELINES_FILES_MAX && bytes < RULES_SHOWN_BYTES_MAX;
        int rc = room ? read_file(search, trust, path, &text) : 0;

        if (rc != 0) return rc;
        if (room && text.size == 0) continue;
        room = room && (text.size > RULES_FILE_BYTES_MAX ? RULES_FILE_BYTES_MAX : text.size) +
                           bytes <= RULES_SHOWN_BYTES_MAX;
        if (room && text.size > RULES_FILE_BYTES_MAX) {
            say_file(search, path, "is long: agents are shown its first 32 KiB as rules");
        }
        text = room ? cut_text(text, arena) : STR("");
        bytes += text.size;
        shown += room;
        left_out += !room;
        if (!room && left_out > GUIDELINES_FILES_MAX) continue; /* named as a number */
        files[options->file_count++] = (struct config_text){
            .path = arena_printf(arena, RULES_PREFIX "%s", path), .text = text,
        };
    }
    if (left_out > 0) {
        warnings_add(search->warnings, "%" PRIu32 " of %" PRIu32 " files with rules are not shown "
                     "to agents: all of them would be longer than 96 KiB, or more than 32",
                     left_out, search->count);
    }
    return 0;
}

int guidelines_pin(const struct guidelines_of *of, struct run_settings *settings,
                   struct arena *arena, struct err *err)
{
    struct search search;
    struct trust trust;
    int rc;

    search_open(&search, of, settings->options.warnings, err);
    rc = search_files(&search, settings);
    trust_open(&trust);
    if (rc == 0) rc = keep_files(&search, &trust, &settings->options, arena);
    trust_close(&trust);
    if (search.said > SAID_MAX) {
        warnings_add(search.warnings, "%" PRIu32 " more files with rules are altered or left out",
                     search.said - SAID_MAX);
    }
    search_close(&search);
    return rc == 0 ? 0 : err_wrap(err, "find the project's rules");
}

int guidelines_agree(const struct guidelines_of *of, const struct run_settings *settings,
                     struct err *err)
{
    struct warnings unsaid = { 0 };
    struct search search;
    struct trust trust;
    int rc;

    search_open(&search, of, &unsaid, err);
    rc = search_files(&search, settings);
    trust_open(&trust);
    for (uint32_t i = 0; rc == 0 && !*search.brought.commit && i < search.count; i++) {
        struct hone_value value;
        struct str text;
        struct err none;
        bool altered;

        if (brought_text(&search.brought, search.items[i].path, GUIDELINES_READ_BYTES_MAX,
                         &search.arena, &text, &altered, &none) != 0) {
            continue;
        }
        rc = brought_agreement(&search.brought, search.items[i].path, text, &search.arena, &value,
                               err);
        if (rc == 0) rc = trust_add(&trust, of->repo->workspace, &value, 1, err);
    }
    trust_close(&trust);
    search_close(&search);
    warnings_release(&unsaid);
    return rc;
}
