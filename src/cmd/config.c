/* SPDX-License-Identifier: Apache-2.0
 *
 * config.c - hone config: what the settings are, hone's own and those of dialects, and which file
 * says so.
 *
 * The settings shown are those that a run started now would use: the same functions read them. A
 * mistake in a dialect's file is a warning on standard error and changes no exit code, since a run
 * would go on, too. A mistake in hone's own file is an error, as it is for a run. */
#include "cmd/config.h"

#include "cmd/own.h"
#include "cmd/page.h"
#include "cmd/say.h"
#include "cmd/suggest.h"
#include "cmd/verbs.h"
#include "io/file/file.h"
#include "io/git/repo.h"
#include "run/look.h"
#include "settings/config.h"

#include <string.h>

/* ---- in words and as JSON ---- */

enum { VALUE_COLUMNS_MAX = 40 };

static const char from_built_in[] = "built-in";

/* A title and a line for each setting; returns how wide the lines are, without where from. */
static int config_put(struct buf *out, const char *title, const struct config_list *list)
{
    int paths = 0, values = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct config_item *item = &list->items[i];
        int value = (int)strlen(item->value);
        if ((int)strlen(item->path) > paths) paths = (int)strlen(item->path);
        if (value > values && value <= VALUE_COLUMNS_MAX) values = value;
    }
    buf_printf(out, "%s\n", title);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct config_item *item = &list->items[i];
        struct buf value;

        buf_init(&value, SAY_BYTES_MAX);
        add_safe(&value, item->value, 0);
        buf_printf(out, "  %-*s  %-*s  ", paths, item->path, values, buf_cstr(&value));
        add_safe(out, item->from ? item->from : from_built_in, 0);
        if (item->means) buf_printf(out, " (%s)", item->means);
        buf_byte(out, '\n');
        buf_release(&value);
    }
    return paths + 2 + values;
}

/* The value itself, not its text. */
static yyjson_mut_val *value_json(yyjson_mut_doc *doc, const char *text)
{
    yyjson_mut_val *value = NULL;
    yyjson_doc *read;
    struct err none;

    if (json_read(str_of(text), &read, &none) != 0) return yyjson_mut_null(doc);
    value = yyjson_val_mut_copy(doc, yyjson_doc_get_root(read));
    yyjson_doc_free(read);
    return value;
}

static yyjson_mut_val *config_text_json(yyjson_mut_doc *doc, const char *text)
{
    return text ? json_text(doc, str_of(text)) : yyjson_mut_null(doc);
}

/* One setting, as an object; a text, or null. */
static yyjson_mut_val *config_item_json(yyjson_mut_doc *doc, const struct config_item *item)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);

    json_add(doc, object, "path", item->path);
    yyjson_mut_obj_add_val(doc, object, "value", value_json(doc, item->value));
    json_add(doc, object, "from", item->from ? item->from : from_built_in);
    if (item->means) json_add(doc, object, "means", item->means);
    return object;
}

/* The setting at a path. ERR_USAGE with a suggestion. */
static int config_find_item(const struct config_list *list, const char *path,
                            const struct config_item **out, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(path));
    for (uint32_t i = 0; i < list->count; i++) {
        if (str_is(suggest.word, list->items[i].path)) {
            *out = &list->items[i];
            return 0;
        }
        suggest_offer(&suggest, list->items[i].path);
    }
    if (!suggest.best) {
        return err_set(err, ERR_USAGE, "there is no setting '%.60s'; 'hone config show' lists them",
                       path);
    }
    return err_set(err, ERR_USAGE, "there is no setting '%.60s'; did you mean '%s'?", path,
                   suggest.best);
}

/* A text without its quotes: a script wants the text. */
static void get_text(const struct config_item *item)
{
    yyjson_doc *doc = NULL;
    struct str value = str_of(item->value);
    struct err none;
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (json_read(value, &doc, &none) == 0 && yyjson_is_str(yyjson_doc_get_root(doc))) {
        value = str_of(yyjson_get_str(yyjson_doc_get_root(doc)));
    }
    buf_add(&out, value);
    buf_byte(&out, '\n');
    say_take(&out);
    yyjson_doc_free(doc);
}

/* Its value on standard output: with --json all of it. */
static void config_say_item(const struct call *call, const struct config_item *item)
{
    if (call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_doc_set_root(doc, config_item_json(doc, item));
        say_json(doc, true);
    } else {
        get_text(item);
    }
}

/* ---- the verb ---- */

static int dialect_unknown(const char *name, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(name));
    for (uint32_t i = 0; dialects[i]; i++) {
        if (dialects[i]->configuring) suggest_offer(&suggest, dialects[i]->name);
    }
    return suggest_refuse(&suggest, "dialect", "configuration files have", err);
}

int config_dialect(const char *name, const struct dialect **out, struct err *err)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect *dialect = dialects[i];

        if (strcmp(name, dialect->name) != 0) continue;
        *out = dialect;
        if (dialect->configuring) return 0;
        return err_set(err, ERR_USAGE, "%s has no configuration files; 'hone run --help' shows its "
                       "options", dialect->name);
    }
    return dialect_unknown(name, err);
}

int config_open(struct config_view *view, const struct call *call, const struct dialect *dialect,
                struct err *err)
{
    struct repo repo;
    int rc;

    *view = (struct config_view){ 0 };
    rc = repo_open(&repo, call->cwd, false, err);
    view->workspace = arena_cstr(&view->arena, str_of(rc == 0 ? repo.workspace : call->cwd));
    repo_release(&repo);
    if (rc != 0 && rc != ERR_MISSING) return rc; /* no repository is no reason to show nothing */
    view->settings.warnings = &view->warnings;
    config_load(dialect, view->workspace, &view->settings, &view->arena);
    dialect->configuring->list(&view->settings, &view->arena, &view->list);
    return 0;
}

void config_close(struct config_view *view)
{
    warnings_release(&view->warnings);
    arena_release(&view->arena);
}

void config_warn(const struct config_view *view)
{
    for (uint32_t i = 0; i < view->warnings.count; i++) {
        say_fail(CODE_DONE, "%s", view->warnings.items[i]);
    }
}

/* ---- show ---- */

static const char *file_state(const char *name, const struct config_view *view,
                              struct arena *arena, const char **path)
{
    *path = config_path(name, view->workspace, arena);
    if (!*path) return "no home folder";
    return file_exists(*path) ? "exists" : "not there";
}

static void show_text(struct config_view *view, const struct dialect *dialect)
{
    struct buf out;
    int width;

    buf_init(&out, SAY_BYTES_MAX);
    width = config_put(&out, dialect->name, &view->list);
    buf_text(&out, "files, the last one wins\n");
    for (uint32_t i = 0; dialect->configuring->files[i]; i++) {
        const char *path;
        buf_printf(&out, "  %-*s  %s\n", width, dialect->configuring->files[i],
                   file_state(dialect->configuring->files[i], view, &view->arena, &path));
    }
    say_take(&out);
}

static void show_json(struct config_view *view, const struct dialect *dialect,
                      yyjson_mut_doc *doc, yyjson_mut_val *list)
{
    yyjson_mut_val *root = yyjson_mut_arr_add_obj(doc, list), *part;

    yyjson_mut_obj_add_val(doc, root, "dialect", config_text_json(doc, dialect->name));
    part = yyjson_mut_obj_add_arr(doc, root, "settings");
    for (uint32_t i = 0; i < view->list.count; i++) {
        yyjson_mut_arr_append(part, config_item_json(doc, &view->list.items[i]));
    }
    part = yyjson_mut_obj_add_arr(doc, root, "files");
    for (uint32_t i = 0; dialect->configuring->files[i]; i++) {
        yyjson_mut_val *file = yyjson_mut_arr_add_obj(doc, part);
        const char *name = dialect->configuring->files[i];
        const char *path, *state = file_state(name, view, &view->arena, &path);
        yyjson_mut_obj_add_val(doc, file, "name", config_text_json(doc, name));
        yyjson_mut_obj_add_val(doc, file, "path", config_text_json(doc, path));
        yyjson_mut_obj_add_bool(doc, file, "exists", strcmp(state, "exists") == 0);
    }
    part = yyjson_mut_obj_add_arr(doc, root, "warnings");
    for (uint32_t i = 0; i < view->warnings.count; i++) {
        yyjson_mut_arr_append(part, config_text_json(doc, view->warnings.items[i]));
    }
}

static const char *own_state(const struct hone_file *file)
{
    if (!file->path) return "not set";
    return file->exists ? "exists" : "not there";
}

static void own_text(const struct hone_own *own, const struct config_list *list)
{
    struct buf out;
    int width;

    buf_init(&out, SAY_BYTES_MAX);
    width = config_put(&out, "hone", list);
    buf_text(&out, "files, the last one wins; options of hone run win over all\n");
    for (uint32_t i = 0; i < HONE_FILE_COUNT; i++) {
        struct buf name;
        buf_init(&name, SAY_BYTES_MAX);
        add_safe(&name, own->files[i].name, 0);
        buf_printf(&out, "  %-*s  %s\n", width, buf_cstr(&name), own_state(&own->files[i]));
        buf_release(&name);
    }
    say_take(&out);
}

static void own_json(const struct hone_own *own, const struct config_list *list,
                     yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *part = yyjson_mut_obj_add_arr(doc, root, "settings");

    for (uint32_t i = 0; i < list->count; i++) {
        yyjson_mut_arr_append(part, config_item_json(doc, &list->items[i]));
    }
    part = yyjson_mut_obj_add_arr(doc, root, "files");
    for (uint32_t i = 0; i < HONE_FILE_COUNT; i++) {
        yyjson_mut_val *file = yyjson_mut_arr_add_obj(doc, part);
        yyjson_mut_obj_add_val(doc, file, "name", config_text_json(doc, own->files[i].name));
        yyjson_mut_obj_add_val(doc, file, "path", config_text_json(doc, own->files[i].path));
        yyjson_mut_obj_add_bool(doc, file, "exists", own->files[i].exists);
    }
}

/* hone's own settings: into the document, or as text where there is none. */
static int show_own(const struct call *call, yyjson_mut_doc *doc, struct err *err)
{
    struct config_list list = { 0 };
    struct hone_own own;
    int rc = hone_own_open(&own, call->cwd, true, err);

    if (rc == 0) own_list(&own, &own.arena, &list);
    if (rc == 0 && doc) own_json(&own, &list, doc, yyjson_mut_doc_get_root(doc));
    if (rc == 0 && !doc) own_text(&own, &list);
    hone_own_close(&own);
    return rc;
}

int config_show(const struct call *call, const struct dialect *dialect)
{
    yyjson_mut_doc *doc = call->json ? json_new() : NULL;
    yyjson_mut_val *list = NULL;
    struct err err = { 0 };
    int rc = 0;

    if (doc) yyjson_mut_doc_set_root(doc, yyjson_mut_obj(doc));
    if (!dialect) rc = show_own(call, doc, &err);
    if (doc) list = yyjson_mut_obj_add_arr(doc, yyjson_mut_doc_get_root(doc), "dialects");
    for (uint32_t i = 0; rc == 0 && dialects[i]; i++) {
        struct config_view view;
        if (!dialects[i]->configuring || (dialect && dialect != dialects[i])) continue;
        rc = config_open(&view, call, dialects[i], &err);
        if (rc == 0 && doc) show_json(&view, dialects[i], doc, list);
        if (rc == 0 && !doc) show_text(&view, dialects[i]);
        if (rc == 0 && !doc) config_warn(&view);
        config_close(&view);
    }
    if (rc == 0 && doc) {
        say_json(doc, true);
    } else if (doc) {
        yyjson_mut_doc_free(doc);
    }
    return rc == 0 ? CODE_DONE : say_err(&err);
}

/* ---- get and path ---- */

/* One of hone's own settings. A key that no file sets and that has no built-in value is null. */
static int own_get(const struct call *call, const char *path)
{
    const struct config_item *item = NULL;
    struct config_list list = { 0 };
    struct hone_own own;
    struct err err = { 0 };
    int rc = hone_own_open(&own, call->cwd, true, &err);

    if (rc == 0) {
        own_list(&own, &own.arena, &list);
        if (hone_key_find(str_of(path), &own.arena, NULL) && !hone_find(&own.values, path)) {
            config_list_add(&list, &own.arena, (struct config_item){ .path = path,
                                                                     .value = "null" });
        }
        rc = config_find_item(&list, path, &item, &err);
    }
    if (rc == 0) config_say_item(call, item);
    hone_own_close(&own);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

static int config_get(const struct call *call, const struct dialect *dialect, const char *path)
{
    const struct config_item *item = NULL;
    struct config_view view;
    struct err err = { 0 };
    int rc = config_open(&view, call, dialect, &err);

    if (rc == 0) rc = config_find_item(&view.list, path, &item, &err);
    if (rc == 0) config_warn(&view);
    if (rc == 0) config_say_item(call, item);
    config_close(&view);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

/* Where hone's own files are; what they hold is not looked at. */
static void put_own_paths(const struct call *call, struct buf *out)
{
    struct hone_own own;
    struct err none;

    (void)hone_own_open(&own, call->cwd, true, &none);
    for (uint32_t i = 0; i < HONE_FILE_COUNT; i++) {
        add_safe(out, own.files[i].path ? own.files[i].path : own.files[i].name, 0);
        buf_printf(out, "  (hone, %s)\n", own_state(&own.files[i]));
    }
    hone_own_close(&own);
}

static int config_paths(const struct call *call, const struct dialect *dialect)
{
    struct err err = { 0 };
    struct buf out;
    int rc = 0;

    if (call->json) return config_show(call, dialect);
    buf_init(&out, SAY_BYTES_MAX);
    if (!dialect) put_own_paths(call, &out);
    for (uint32_t i = 0; rc == 0 && dialects[i]; i++) {
        struct config_view view;
        if (!dialects[i]->configuring || (dialect && dialect != dialects[i])) continue;
        rc = config_open(&view, call, dialects[i], &err);
        for (uint32_t k = 0; rc == 0 && dialects[i]->configuring->files[k]; k++) {
            const char *path, *name = dialects[i]->configuring->files[k];
            const char *state = file_state(name, &view, &view.arena, &path);
            add_safe(&out, path ? path : name, 0);
            buf_printf(&out, "  (%s, %s)\n", dialects[i]->name, state);
        }
        config_close(&view);
    }
    if (rc == 0) say_take(&out);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

static int schema(void)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    hone_schema_write(&out);
    say_take(&out);
    return CODE_DONE;
}

/* set and unset, of hone's own files. */
static int handle_set(const struct call *call, bool set, const char *path, const char *word)
{
    const struct dialect *dialect = path ? dialect_find(str_of(path)) : NULL;

    if (dialect && dialect->configuring) {
        return say_fail(CODE_USAGE, "%s keeps its settings in files of its own: 'hone configure' "
                        "changes iterate's, an editor any ('hone config path %s')", dialect->name,
                        dialect->name);
    }
    if (!path || (set && !word)) {
        return say_fail(CODE_USAGE, set ? "config set: a setting and its value are needed, such as "
                        "'hone config set limits.time 30m'" : "config unset: a setting is needed, "
                        "such as 'hone config unset limits.time'");
    }
    if (!set && word) {
        return say_fail(CODE_USAGE, "config unset: '%.60s' is one argument too many", word);
    }
    return own_set(call, path, word);
}

static int handle_get(const struct call *call, const char *name, const char *path)
{
    const struct dialect *dialect = name ? dialect_find(str_of(name)) : NULL;
    struct err err = { 0 };

    if (name && !path && !dialect) return own_get(call, name);
    if (!name || !path) {
        return say_fail(CODE_USAGE, "config get: a setting is needed, such as 'hone config get "
                        "limits.time', or a dialect and a setting, such as 'hone config get "
                        "iterate phases.3.onFailure'");
    }
    if (config_dialect(name, &dialect, &err) != 0) return say_err(&err);
    return config_get(call, dialect, path);
}

static int handle(struct call *call)
{
    const char *action = call_argument(call, 0), *name = call_argument(call, 1);
    const char *path = call_argument(call, 2);
    const struct dialect *dialect = NULL;
    struct err err = { 0 };
    bool set = strcmp(action, "set") == 0, show = strcmp(action, "show") == 0;
    bool list = show || strcmp(action, "path") == 0 || strcmp(action, "schema") == 0;

    if (call_has(call, "user") && !set && strcmp(action, "unset") != 0) {
        return say_fail(CODE_USAGE, "config: --user goes with set and unset");
    }
    if (set || strcmp(action, "unset") == 0) return handle_set(call, set, name, path);
    if (strcmp(action, "get") == 0) return handle_get(call, name, path);
    if (!list) {
        return say_fail(CODE_USAGE, "config: '%.60s' is not show, get, set, unset, path or schema",
                        action);
    }
    if (name && config_dialect(name, &dialect, &err) != 0) return say_err(&err);
    if (path) {
        return say_fail(CODE_USAGE, "config %s: '%.60s' is one argument too many", action, path);
    }
    if (strcmp(action, "schema") == 0) return schema();
    return show ? config_show(call, dialect) : config_paths(call, dialect);
}

static void extend(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Settings of hone");
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        page_add(page, BLOCK_TERM, key->path, key->help);
    }
}

const struct verb verb_config = {
    .name = "config",
    .summary = "show and change settings, and the files they come from",
    .text = {
        "hone's own settings come from the user's file, from hone.json at the top of the "
        "repository and from the file that HONE_CONFIG names; the last one wins, and options of "
        "hone run win over all. A mistake in one of them is an error: no key is ignored.",
        "A dialect may read settings from files of its own: one of the user, one of the project, "
        "which wins. What is wrong in those is said on standard error, and what it would have "
        "changed stays as it was.",
        "'show' lists every setting with its value and the file that says so; 'get' prints one "
        "value; 'path' says where the files are; 'schema' prints the JSON schema of hone.json. "
        "'set' and 'unset' change one of hone's own, in hone.json or with --user in the user's "
        "file, and keep everything else in it.",
    },
    .arguments = {
        { .name = "ACTION", .help = "show, get, set, unset, path or schema",
          .words = "show, get, set, unset, path or schema" },
        { .name = "NAME", .optional = true,
          .help = "of get, set and unset: a setting, as show lists it; of show and path: a dialect "
                  "that has configuration files. 'get DIALECT SETTING' is one of a dialect" },
        { .name = "VALUE", .optional = true, .help = "of set: the value" },
    },
    .options = {
        { .name = "user", .help = "change the user's own file, not the project's" },
    },
    .codes = {
        { CODE_DONE, "it was shown or changed" },
        { CODE_USAGE, "there is no such dialect or setting, or the value does not fit, or a file "
                      "of hone's own is wrong" },
        { CODE_FAILED, "the repository could not be looked at, or the file not be written" },
    },
    .examples = {
        "hone config show",
        "hone config set limits.time 30m",
        "hone config set 'agents.*' claude --user",
        "hone config get iterate phases.3.onFailure",
    },
    .extend = extend,
    .handle = handle,
};
