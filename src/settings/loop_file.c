/* SPDX-License-Identifier: Apache-2.0
 *
 * loop_file.c - finds the file of a loop of one's own.
 *
 * 1. A loop never hides a dialect: a file with the name of one is refused.
 * 2. The nearest wins: the repository's, the user's, hone's.
 * 3. A change cannot write its own judge: what lies in the repository is read by brought.h.
 * 4. What came with the repository is marked as such, so that the user is asked about the commands
 *    in it (config_asked()). */
#include "settings/loop_file.h"

#include "base/path.h"
#include "dialect/custom/custom.h"
#include "format/text/yaml_tree.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/process/host.h"
#include "settings/brought.h"

#include <stdlib.h>
#include <string.h>

#define LOOPS_FOLDER ".hone/loops"
static const char ending[] = ".yaml";

static bool can_be_read(struct str text, struct arena *arena, struct loop *out)
{
    struct check_report report = { 0 };
    bool good = loop_read(text, arena, &report, out);

    check_report_release(&report);
    return good;
}

/* Whether the loop of this text judges a change, and does not make one. */
static bool only_reviews(struct str text, struct arena *arena)
{
    struct loop loop;

    return !can_be_read(text, arena, &loop) || plan_only_reviews(&loop.plan); /* the safe side */
}

/* The user agreed to a file that no commit has, now or before. */
static int check_agreed(const struct loop_query *query, const struct brought *brought,
                        struct arena *arena, const struct loop_source *source, struct err *err)
{
    struct hone_value value;
    struct trust trust;
    struct loop loop;
    bool agreed;
    int rc = brought_agreement(brought, source->path, source->text, arena, &value, err);

    if (rc != 0 || query->shown) return rc;
    if (!can_be_read(source->text, arena, &loop)) return 0; /* it does not run; the plan says why */
    trust_open(&trust);
    agreed = trust_has(&trust, query->repo->workspace, &value) ||
             (query->agreed && trust_add(&trust, query->repo->workspace, &value, 1, err) == 0);
    trust_close(&trust);
    if (agreed) return 0;
    return err_set(err, ERR_USAGE, "%s is in no commit that a change could be measured against: it "
                   "could be part of what it judges. Commit it first, or look at it and start once "
                   "with --trust", source->path);
}

/* A file of the repository. path: from its top. It is read as HEAD has it first, to know whether
 * the loop judges a change: where it does, the newest commit may be that change. */
static int repository_text(const struct loop_query *query, const char *path, struct arena *arena,
                           struct loop_source *out, struct err *err)
{
    struct brought_scope scope = { .since = query->since, .all = true };
    struct brought brought;
    bool altered = false;
    struct str text;
    int rc = brought_open(query->repo, &scope, arena, &brought, err);

    if (rc == 0) rc = brought_text(&brought, path, YAML_BYTES_MAX, arena, &text, &altered, err);
    if (rc == 0 && !query->all && *brought.commit && only_reviews(text, arena)) {
        scope.all = false;
        rc = brought_open(query->repo, &scope, arena, &brought, err);
        if (rc == 0) rc = brought_text(&brought, path, YAML_BYTES_MAX, arena, &text, &altered, err);
    }
    out->path = path;
    if (rc == ERR_MISSING && altered) { /* the work tree has it, and the commit has not */
        rc = file_text_in(query->repo->workspace, path, YAML_BYTES_MAX, arena, &out->text, err);
        return rc == 0 ? check_agreed(query, &brought, arena, out, err) : rc;
    }
    if (rc != 0) return rc;
    out->text = text;
    if (altered) {
        out->warning = arena_printf(arena, "%s: the change alters it; this run goes by it as %s "
                                    "has it", path, brought.name);
    }
    return *brought.commit ? 0 : check_agreed(query, &brought, arena, out, err);
}

static const char *user_folder(struct arena *arena)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = host_home();

    if (base && base[0] == '/') return arena_printf(arena, "%s/hone/loops", base);
    return home ? arena_printf(arena, "%s/.config/hone/loops", home) : NULL;
}

static const struct loop_shipped *shipped_find(const char *name)
{
    for (const struct loop_shipped *loop = loop_shipped_all; loop->name; loop++) {
        if (strcmp(loop->name, name) == 0) return loop;
    }
    return NULL;
}

const char *loop_about(const struct loop_shipped *shipped, struct arena *arena)
{
    struct check_report report = { 0 };
    struct loop loop;

    (void)loop_read(str_of(shipped->text), arena, &report, &loop);
    check_report_release(&report);
    return loop.about;
}

/* "deep-check" of "loops/deep-check.yaml". */
static const char *name_of(const char *path, struct arena *arena)
{
    const char *leaf = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct str name = str_of(leaf);

    if (str_ends(name, str_of(ending))) name.size -= strlen(ending);
    else if (str_ends(name, STR(".yml"))) name.size -= strlen(".yml");
    return arena_cstr(arena, name);
}

static int name_check(const char *name, const char *path, struct err *err)
{
    if (dialect_find(str_of(name))) {
        return err_set(err, ERR_USAGE, "%s: '%s' is the name of a dialect, which comes first: give "
                       "the loop another name", path, name);
    }
    if (!loop_name_ok(str_of(name))) {
        return err_set(err, ERR_USAGE, "%s: '%.60s' cannot be the name of a loop: small letters, "
                       "digits and '-', at most %d", path, name, LOOP_NAME_BYTES_MAX);
    }
    return 0;
}

/* The path from the top of the workspace; NULL: it is not in it. */
static const char *path_in_repo(const char *path, const struct repo *repo)
{
    size_t size = repo ? strlen(repo->workspace) : 0;

    if (size == 0 || strncmp(path, repo->workspace, size) != 0 || path[size] != '/') return NULL;
    return path + size + 1;
}

static int path_find(const struct loop_query *query, struct arena *arena, struct loop_source *out,
                     struct err *err)
{
    const char *whole = path_joined(query->cwd, str_of(query->word), arena);
    const char *real = file_real(whole, arena), *inside = path_in_repo(real ? real : whole,
                                                                      query->repo);
    int rc;

    *out = (struct loop_source){ .name = name_of(query->word, arena), .path = query->word };
    out->origin = inside ? LOOP_OF_REPOSITORY : LOOP_OF_PATH;
    rc = name_check(out->name, query->word, err);
    if (rc != 0) return rc;
    rc = inside ? repository_text(query, inside, arena, out, err)
                : file_text(whole, YAML_BYTES_MAX, arena, &out->text, err);
    if (rc == ERR_MISSING) {
        return err_set(err, ERR_MISSING, "there is no file %.200s", query->word);
    }
    return rc;
}

int loop_find(const struct loop_query *query, struct arena *arena, struct loop_source *out,
              struct err *err)
{
    const char *word = query->word, *folder = user_folder(arena);
    const struct loop_shipped *shipped;
    int rc = ERR_MISSING;

    if (strchr(word, '/') || str_ends(str_of(word), str_of(ending)) ||
        str_ends(str_of(word), STR(".yml"))) {
        return path_find(query, arena, out, err);
    }
    *out = (struct loop_source){ .name = arena_cstr(arena, str_of(word)) };
    if (!loop_name_ok(str_of(word)) || dialect_find(str_of(word))) {
        return err_set(err, ERR_MISSING, "there is no loop '%.60s'", word);
    }
    if (query->repo) {
        out->origin = LOOP_OF_REPOSITORY;
        rc = repository_text(query, arena_printf(arena, LOOPS_FOLDER "/%s%s", word, ending), arena,
                             out, err);
    }
    if (rc == ERR_MISSING && folder) {
        out->origin = LOOP_OF_USER;
        out->path = arena_printf(arena, "%s/%s%s", folder, word, ending);
        rc = file_text(out->path, YAML_BYTES_MAX, arena, &out->text, err);
    }
    shipped = rc == ERR_MISSING ? shipped_find(word) : NULL;
    if (shipped) {
        out->origin = LOOP_OF_HONE;
        out->path = arena_printf(arena, "hone's own %s", word);
        out->text = str_of(shipped->text);
        return 0;
    }
    if (rc == ERR_MISSING) return err_set(err, ERR_MISSING, "there is no loop '%.60s'", word);
    return rc;
}

/* ---- all of them ---- */

struct loop_list {
    const char **names;
    uint32_t count, cap;
    struct arena *arena;
};

static void list_add(struct loop_list *list, struct str name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (str_is(name, list->names[i])) return;
    }
    list->names = arena_grow(list->arena, list->names, list->count, &list->cap,
                             sizeof *list->names);
    list->names[list->count++] = arena_cstr(list->arena, name);
}

static void list_folder(struct loop_list *list, const char *path)
{
    const char *const *names = folder_names(path, "", list->arena);

    for (; names && *names; names++) {
        struct str name = str_of(*names);

        if (!str_ends(name, str_of(ending))) continue;
        name.size -= strlen(ending);
        if (loop_name_ok(name) && !dialect_find(name)) list_add(list, name);
    }
}

const char *const *loop_names(const char *workspace, struct arena *arena)
{
    struct loop_list list = { .arena = arena };
    const char *folder = user_folder(arena);

    for (const struct loop_shipped *loop = loop_shipped_all; loop->name; loop++) {
        list_add(&list, str_of(loop->name));
    }
    if (workspace) list_folder(&list, arena_printf(arena, "%s/" LOOPS_FOLDER, workspace));
    if (folder) list_folder(&list, folder);
    list.names = arena_grow(arena, list.names, list.count, &list.cap, sizeof *list.names);
    list.names[list.count] = NULL;
    return list.names;
}

void loop_keep(const struct loop_source *source, struct config_text files[LOOP_FILES])
{
    bool foreign = source->origin == LOOP_OF_REPOSITORY;

    files[0] = (struct config_text){ .path = LOOP_FILE, .text = source->text };
    files[1] = (struct config_text){ .path = LOOP_FROM, .text = str_of(foreign ? source->path
                                                                               : "~") };
}
