/* SPDX-License-Identifier: Apache-2.0
 *
 * role_files.c - role files, found and read.
 *
 *   names wanted --> the repository's .hone/roles, at the commit that a change is measured against
 *                --> the user's own roles/
 *                --> the repository's .claude/agents, of a role that is named and not built in
 *
 * 1. A change cannot write its own judge: a repository's file is read by brought.h.
 * 2. A file is looked for only by the name of a role that is wanted: what else lies there is not
 *    read, and cannot be wrong.
 * 3. Where there is no commit, a repository's file must be agreed to with exactly its text. */
#include "settings/role_files.h"

#include "agent/agent.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/process/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED_MAX = 256 };

/* One taking. */
struct taking {
    const struct brought *brought;
    struct role_taking *asked;
    struct arena *arena;
    struct err *err;
    struct brought_paths there; /* in the repository's folder of roles */
    const char *const *own;     /* the dialect's roles; NULL ends */
    const char *wanted[WANTED_MAX];
    bool named[WANTED_MAX];     /* the user named it: it is not only a role of the dialect */
    uint32_t count;
    const char *beyond;         /* the first that there was no room for; NULL: none */
};

const char *role_files_folder(struct arena *arena)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = host_home();

    if (base && base[0] == '/') return arena_printf(arena, "%s/hone/roles", base);
    return home ? arena_printf(arena, "%s/.config/hone/roles", home) : NULL;
}

static void want(struct taking *taking, const char *name, bool named)
{
    for (uint32_t i = 0; i < taking->count; i++) {
        if (strcmp(taking->wanted[i], name) != 0) continue;
        taking->named[i] = taking->named[i] || named;
        return;
    }
    if (role_name_problem(name, taking->arena)) return;
    if (taking->count == WANTED_MAX) {
        if (!taking->beyond) taking->beyond = name;
        return;
    }
    taking->named[taking->count] = named;
    taking->wanted[taking->count++] = name;
}

static bool is_of_dialect(const struct taking *taking, const char *name)
{
    for (uint32_t i = 0; taking->own[i]; i++) {
        if (strcmp(taking->own[i], name) == 0) return true;
    }
    return false;
}

static bool is_listed(const struct taking *taking, const char *path)
{
    for (uint32_t i = 0; i < taking->there.count; i++) {
        if (strcmp(taking->there.items[i], path) == 0) return true;
    }
    return false;
}

/* What the change brings is not listed, and said all the same. */
static bool is_in_tree(const struct taking *taking, const char *path)
{
    return file_exists(arena_printf(taking->arena, "%s/%s", taking->brought->repo->workspace,
                                    path));
}

/* Where there is no commit that says who wrote it, the user does. */
static int check_agreed(struct taking *taking, const char *path, struct str text)
{
    struct hone_value value;
    struct trust trust;
    bool agreed;
    int rc;

    if (*taking->brought->commit) return 0;
    rc = brought_agreement(taking->brought, path, text, taking->arena, &value, taking->err);
    if (rc != 0) return rc;
    trust_open(&trust);
    agreed = trust_has(&trust, taking->brought->repo->workspace, &value) ||
             (taking->asked->agreed && trust_add(&trust, taking->brought->repo->workspace, &value,
                                                 1, taking->err) == 0);
    trust_close(&trust);
    if (agreed) return 0;
    return err_set(taking->err, ERR_USAGE, "%s is in no commit, so it could be part of what is "
                   "judged: look at it, then start once with --trust, or commit it", path);
}

static void warn(struct taking *taking, const char *text)
{
    struct role_taking *asked = taking->asked;

    asked->warnings = arena_grow(taking->arena, asked->warnings, asked->warning_count,
                                 &asked->warning_cap, sizeof *asked->warnings);
    asked->warnings[asked->warning_count++] = text;
}

static int read_brought(struct taking *taking, const char *path, struct str *out)
{
    bool altered = false;
    int rc = brought_text(taking->brought, path, ROLE_FILE_BYTES_MAX, taking->arena, out,
                          &altered, taking->err);

    if (altered && rc == 0) {
        warn(taking, arena_printf(taking->arena, "%s: the change alters it; this review goes by it "
                                  "as %s has it", path, taking->brought->name));
    } else if (altered && rc == ERR_MISSING) {
        warn(taking, arena_printf(taking->arena, "%s does not count yet: %s, which the change is "
                                  "measured against, has no such file; commit it first", path,
                                  taking->brought->name));
    }
    if (rc == 0) rc = check_agreed(taking, path, *out);
    if (rc == ERR_FORMAT || rc == ERR_LIMIT) taking->err->code = ERR_USAGE;
    return rc == ERR_FORMAT || rc == ERR_LIMIT ? ERR_USAGE : rc;
}

/* ERR_MISSING: the role has no file. */
static int read_wanted(struct taking *taking, uint32_t at, const char **path, struct str *out)
{
    const char *name = taking->wanted[at], *folder = role_files_folder(taking->arena);
    int rc = ERR_MISSING;

    *path = role_path(0, name, taking->arena);
    if (taking->named[at] || is_listed(taking, *path) || is_in_tree(taking, *path)) {
        rc = read_brought(taking, *path, out);
    }
    if (rc != ERR_MISSING) return rc;
    if (folder) {
        *path = role_path(1, name, taking->arena);
        rc = file_text(arena_printf(taking->arena, "%s/%s.md", folder, name), ROLE_FILE_BYTES_MAX,
                       taking->arena, out, taking->err);
        if (rc != ERR_MISSING) return rc == 0 ? 0 : err_wrap(taking->err, "%s", *path);
    }
    if (!taking->named[at] || is_of_dialect(taking, name)) return ERR_MISSING;
    *path = role_path(2, name, taking->arena);
    return read_brought(taking, *path, out);
}

/* A SPEC and an effort that a file names are ones that hone knows. */
static int check_words(struct taking *taking, const struct role_file *file)
{
    struct agent agent;
    uint32_t at = 0;

    if (file->agent && agent_parse(file->agent, taking->arena, &agent, taking->err) != 0) {
        taking->err->code = ERR_USAGE;
        return err_wrap(taking->err, "%s: agent", file->path);
    }
    if (!file->effort) return 0;
    while (agent_efforts[at] && strcmp(agent_efforts[at], file->effort) != 0) at++;
    if (agent_efforts[at]) return 0;
    return err_set(taking->err, ERR_USAGE, "%s: effort: '%.40s' is none; there are minimal, low, "
                   "medium, high, xhigh, max and ultra", file->path, file->effort);
}

/* Reads the file of one role, where it has one, and wants what that extends. */
static int take_one(struct taking *taking, uint32_t at, struct config_text *files)
{
    struct role_file file;
    const char *path;
    struct str text;
    int rc = read_wanted(taking, at, &path, &text);

    if (rc == ERR_MISSING) return 0;
    if (rc == 0) {
        rc = role_file_read(taking->wanted[at], path, text, taking->arena, &file, taking->err);
    }
    if (rc == 0) rc = check_words(taking, &file);
    if (rc != 0) return rc;
    files[taking->asked->options->file_count++] = (struct config_text){ path, text };
    if (file.extends) want(taking, file.extends, true);
    return 0;
}

static void want_all(struct taking *taking)
{
    const struct dialect_option *option = taking->asked->dialect->options;
    struct str name;

    for (; option->name; option++) {
        struct str rest = str_of(setting_value(taking->asked->options, option->name));

        if (option->key.kind != KEY_ROLES) continue;
        while (str_cut(&rest, ',', &name)) {
            want(taking, arena_cstr(taking->arena, str_trim(name)), true);
        }
    }
    if (taking->asked->dialect->named_roles) {
        const char *const *named = taking->asked->dialect->named_roles(taking->asked->options,
                                                                       taking->arena);
        for (; *named; named++) want(taking, *named, true);
    }
    for (uint32_t i = 0; taking->own[i]; i++) want(taking, taking->own[i], false);
}

int role_files_take(const struct brought *brought, struct role_taking *asked,
                    struct arena *arena, struct err *err)
{
    struct taking taking = { .brought = brought, .asked = asked, .arena = arena, .err = err,
                             .own = hone_roles(asked->dialect, arena) };
    const struct brought_query query = { .folder = ".hone/roles", .suffix = ".md" };
    struct settings *options = asked->options;
    struct config_text *files = arena_alloc(arena, (options->file_count + WANTED_MAX) *
                                                       sizeof *files);
    int rc = 0;

    for (uint32_t i = 0; i < options->file_count; i++) files[i] = options->files[i];
    options->files = files;
    if (asked->some) rc = brought_list(brought, &query, arena, &taking.there, err);
    if (rc == 0) want_all(&taking);
    for (uint32_t i = 0; i < taking.count && rc == 0; i++) rc = take_one(&taking, i, files);
    if (rc != 0 || !taking.beyond) return rc;
    return err_set(err, ERR_USAGE, "a run looks for the files of %d roles at most, and '%.60s' is "
                   "one more that is named or extended: name fewer, or extend less deep",
                   WANTED_MAX, taking.beyond);
}

/* ---- all that there are ---- */

struct listing {
    struct role_listed *items;
    uint32_t count, cap;
    struct arena *arena;
};

static void list_add(struct listing *listing, struct role_listed item, struct str text)
{
    struct err why = { 0 };

    if (!item.problem && role_file_read(item.name, item.path, text, listing->arena, &item.file,
                                        &why) != 0) {
        item.problem = arena_cstr(listing->arena, str_of(why.text));
    }
    listing->items = arena_grow(listing->arena, listing->items, listing->count, &listing->cap,
                                sizeof *listing->items);
    listing->items[listing->count++] = item;
}

/* "perf" of ".hone/roles/perf.md". */
static const char *name_of(const char *path, struct arena *arena)
{
    struct str leaf = path_leaf(str_of(path));

    return arena_cstr(arena, (struct str){ leaf.data, leaf.size - sizeof ".md" + 1 });
}

/* What the work tree has there and the commit has not: it does not count yet. */
static void list_uncommitted(struct listing *listing, const struct brought *brought,
                             const char *folder, const struct brought_paths *known)
{
    struct arena *arena = listing->arena;
    const char *const *names = folder_names(arena_printf(arena, "%s/%s", brought->repo->workspace,
                                                         folder), "", arena);

    for (; *names; names++) {
        struct role_listed item = { .path = arena_printf(arena, "%s/%s", folder, *names) };
        bool there = !str_ends(str_of(*names), STR(".md"));

        for (uint32_t i = 0; i < known->count && !there; i++) {
            there = strcmp(known->items[i], item.path) == 0;
        }
        if (there) continue;
        item.name = name_of(*names, arena);
        item.problem = arena_printf(arena, "%s is not committed, and does not count yet",
                                    item.path);
        list_add(listing, item, STR(""));
    }
}

static int list_brought(struct listing *listing, const struct brought *brought, const char *folder,
                        struct err *err)
{
    const struct brought_query query = { .folder = folder, .suffix = ".md" };
    struct brought_paths paths;
    int rc = brought_list(brought, &query, listing->arena, &paths, err);

    for (uint32_t i = 0; rc == 0 && i < paths.count; i++) {
        struct role_listed item = { .name = name_of(paths.items[i], listing->arena),
                                    .path = paths.items[i] };
        struct str text = STR("");
        struct err why = { 0 };

        if (brought_text(brought, item.path, ROLE_FILE_BYTES_MAX, listing->arena, &text,
                         &item.altered, &why) != 0) {
            item.problem = arena_cstr(listing->arena, str_of(why.text));
        }
        list_add(listing, item, text);
    }
    if (rc == 0 && *brought->commit) list_uncommitted(listing, brought, folder, &paths);
    return rc;
}

/* The user's file as a person finds it: by its usual short name only where that is true. */
static const char *shown_path(const char *folder, const char *name, struct arena *arena)
{
    const char *home = host_home();
    const char *usual = home ? arena_printf(arena, "%s/.config/hone/roles", home) : "";

    if (strcmp(folder, usual) == 0) return role_path(1, name, arena);
    return arena_printf(arena, "%s/%s.md", folder, name);
}

static void list_user(struct listing *listing)
{
    const char *folder = role_files_folder(listing->arena);
    const char *const *names = folder ? folder_names(folder, "", listing->arena) : NULL;

    for (; names && *names; names++) {
        struct role_listed item = { .name = NULL };
        struct str text = STR("");
        struct err why = { 0 };

        if (!str_ends(str_of(*names), STR(".md"))) continue;
        item.name = name_of(*names, listing->arena);
        item.path = shown_path(folder, item.name, listing->arena);
        if (file_text(arena_printf(listing->arena, "%s/%s", folder, *names), ROLE_FILE_BYTES_MAX,
                      listing->arena, &text, &why) != 0) {
            item.problem = arena_cstr(listing->arena, str_of(why.text));
        }
        list_add(listing, item, text);
    }
}

int role_files_list(const struct brought *brought, struct arena *arena,
                    const struct role_listed **out, uint32_t *count, struct err *err)
{
    struct listing listing = { .arena = arena };
    int rc = brought ? list_brought(&listing, brought, ".hone/roles", err) : 0;

    list_user(&listing);
    if (rc == 0 && brought) rc = list_brought(&listing, brought, ".claude/agents", err);
    *out = listing.items;
    *count = listing.count;
    return rc;
}
