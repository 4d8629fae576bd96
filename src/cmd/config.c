/* SPDX-License-Identifier: Apache-2.0
 *
 * config.c - hone config: what a dialect's settings are, and which file says so.
 *
 * Settings are what a run started now would go by: the same function reads them. What is wrong
 * with a file is said on standard error, and changes no exit code: a run would go on, too. */
#include "cmd/config.h"
#include "cmd/say.h"
#include "cmd/suggest.h"

#include "drive/config.h"
#include "io/file.h"
#include "io/repo.h"

#include <inttypes.h>
#include <string.h>

static const char from_built_in[] = "built-in";

int config_dialect(const char *name, const struct dialect **out, struct err *err)
{
    struct suggest suggest;
    const char *known = "";

    suggest_init(&suggest, str_of(name));
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect *dialect = dialects[i];
        if (str_is(suggest.word, dialect->name)) {
            *out = dialect;
            if (dialect->config) return 0;
            return err_set(err, ERR_USAGE, "%s has no configuration files; 'hone run --help' shows "
                           "its options", dialect->name);
        }
        if (dialect->config) suggest_offer(&suggest, dialect->name);
        if (dialect->config && !*known) known = dialect->name;
    }
    return err_set(err, ERR_USAGE, "unknown dialect '%.60s'; %s '%s'%s", name,
                   suggest.best ? "did you mean" : "one with configuration is",
                   suggest.best ? suggest.best : known, suggest.best ? "?" : "");
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
    dialect->config(&view->settings, &view->arena, &view->list);
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
    int paths = 0, values = 0;
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < view->list.count; i++) {
        const struct config_item *item = &view->list.items[i];
        if ((int)strlen(item->path) > paths) paths = (int)strlen(item->path);
        if ((int)strlen(item->value) > values) values = (int)strlen(item->value);
    }
    buf_printf(&out, "%s\n", dialect->name);
    for (uint32_t i = 0; i < view->list.count; i++) {
        const struct config_item *item = &view->list.items[i];
        buf_printf(&out, "  %-*s  %-*s  %s\n", paths, item->path, values, item->value,
                   item->from ? item->from : from_built_in);
    }
    buf_text(&out, "files, the last one wins\n");
    for (uint32_t i = 0; dialect->config_files[i]; i++) {
        const char *path;
        buf_printf(&out, "  %-*s  %s\n", paths + 2 + values, dialect->config_files[i],
                   file_state(dialect->config_files[i], view, &view->arena, &path));
    }
    say_out(&out);
    buf_release(&out);
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

static yyjson_mut_val *text_json(yyjson_mut_doc *doc, const char *text)
{
    return text ? json_text(doc, str_of(text)) : yyjson_mut_null(doc);
}

static yyjson_mut_val *item_json(yyjson_mut_doc *doc, const struct config_item *item)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_val(doc, object, "path", text_json(doc, item->path));
    yyjson_mut_obj_add_val(doc, object, "value", value_json(doc, item->value));
    yyjson_mut_obj_add_val(doc, object, "from", text_json(doc, item->from ? item->from
                                                                         : from_built_in));
    return object;
}

static void show_json(struct config_view *view, const struct dialect *dialect,
                      yyjson_mut_doc *doc, yyjson_mut_val *list)
{
    yyjson_mut_val *root = yyjson_mut_arr_add_obj(doc, list), *part;

    yyjson_mut_obj_add_val(doc, root, "dialect", text_json(doc, dialect->name));
    part = yyjson_mut_obj_add_arr(doc, root, "settings");
    for (uint32_t i = 0; i < view->list.count; i++) {
        yyjson_mut_arr_append(part, item_json(doc, &view->list.items[i]));
    }
    part = yyjson_mut_obj_add_arr(doc, root, "files");
    for (uint32_t i = 0; dialect->config_files[i]; i++) {
        yyjson_mut_val *file = yyjson_mut_arr_add_obj(doc, part);
        const char *path, *state = file_state(dialect->config_files[i], view, &view->arena, &path);
        yyjson_mut_obj_add_val(doc, file, "name", text_json(doc, dialect->config_files[i]));
        yyjson_mut_obj_add_val(doc, file, "path", text_json(doc, path));
        yyjson_mut_obj_add_bool(doc, file, "exists", strcmp(state, "exists") == 0);
    }
    part = yyjson_mut_obj_add_arr(doc, root, "warnings");
    for (uint32_t i = 0; i < view->warnings.count; i++) {
        yyjson_mut_arr_append(part, text_json(doc, view->warnings.items[i]));
    }
}

int config_show(const struct call *call, const struct dialect *dialect)
{
    yyjson_mut_doc *doc = call->json ? json_new() : NULL;
    yyjson_mut_val *root = NULL, *list = NULL;
    struct err err = { 0 };
    int rc = 0;

    if (doc) {
        root = yyjson_mut_obj(doc);
        yyjson_mut_doc_set_root(doc, root);
        list = yyjson_mut_obj_add_arr(doc, root, "dialects");
    }
    for (uint32_t i = 0; rc == 0 && dialects[i]; i++) {
        struct config_view view;
        if (!dialects[i]->config || (dialect && dialect != dialects[i])) continue;
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

static int find_item(const struct config_view *view, const char *path,
                     const struct config_item **out, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(path));
    for (uint32_t i = 0; i < view->list.count; i++) {
        if (str_is(suggest.word, view->list.items[i].path)) {
            *out = &view->list.items[i];
            return 0;
        }
        suggest_offer(&suggest, view->list.items[i].path);
    }
    if (!suggest.best) {
        return err_set(err, ERR_USAGE, "there is no setting '%.60s'; 'hone config show' lists them",
                       path);
    }
    return err_set(err, ERR_USAGE, "there is no setting '%.60s'; did you mean '%s'?", path,
                   suggest.best);
}

/* Words without their quotes: a script wants the word. */
static void get_text(const struct config_item *item)
{
    struct str value = str_of(item->value);
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (str_starts(value, STR("\"")) && str_ends(value, STR("\""))) {
        value = (struct str){ value.data + 1, value.size - 2 };
    }
    buf_add(&out, value);
    buf_byte(&out, '\n');
    say_out(&out);
    buf_release(&out);
}

static int config_get(const struct call *call, const struct dialect *dialect, const char *path)
{
    const struct config_item *item = NULL;
    struct config_view view;
    struct err err = { 0 };
    int rc = config_open(&view, call, dialect, &err);

    if (rc == 0) rc = find_item(&view, path, &item, &err);
    if (rc == 0) config_warn(&view);
    if (rc == 0 && call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_doc_set_root(doc, item_json(doc, item));
        say_json(doc, true);
    } else if (rc == 0) {
        get_text(item);
    }
    config_close(&view);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

static int config_paths(const struct call *call, const struct dialect *dialect)
{
    struct err err = { 0 };
    struct buf out;
    int rc = 0;

    if (call->json) return config_show(call, dialect);
    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; rc == 0 && dialects[i]; i++) {
        struct config_view view;
        if (!dialects[i]->config || (dialect && dialect != dialects[i])) continue;
        rc = config_open(&view, call, dialects[i], &err);
        for (uint32_t k = 0; rc == 0 && dialects[i]->config_files[k]; k++) {
            const char *path;
            const char *state = file_state(dialects[i]->config_files[k], &view, &view.arena, &path);
            add_safe(&out, path ? path : dialects[i]->config_files[k], 0);
            buf_printf(&out, "  (%s, %s)\n", dialects[i]->name, state);
        }
        config_close(&view);
    }
    if (rc == 0) say_out(&out);
    buf_release(&out);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

static int handle(struct call *call)
{
    const char *action = call_argument(call, 0), *name = call_argument(call, 1);
    const char *path = call_argument(call, 2);
    const struct dialect *dialect = NULL;
    struct err err = { 0 };
    bool get = strcmp(action, "get") == 0, show = strcmp(action, "show") == 0;

    if (!get && !show && strcmp(action, "path") != 0) {
        return say_fail(CODE_USAGE, "config: '%.60s' is not show, get or path", action);
    }
    if (name && config_dialect(name, &dialect, &err) != 0) return say_err(&err);
    if (get && (!dialect || !path)) {
        return say_fail(CODE_USAGE, "config get: a dialect and a setting are needed, such as 'hone "
                        "config get iterate phases.3.onFailure'");
    }
    if (!get && path) {
        return say_fail(CODE_USAGE, "config %s: '%.60s' is one argument too many", action, path);
    }
    if (get) return config_get(call, dialect, path);
    return show ? config_show(call, dialect) : config_paths(call, dialect);
}

const struct verb verb_config = {
    .name = "config",
    .summary = "show settings, and the files they come from",
    .text = (const char *const[]){
        "A dialect may read settings from files of its own: one of the user, one of the project, "
        "which wins. 'show' lists every setting with its value and the file that says so; 'get' "
        "prints one value; 'path' says where the files are. What is wrong in a file is said on "
        "standard error, and what it would have changed stays as it was. Nothing is changed: "
        "'hone configure' does that.",
        NULL,
    },
    .arguments = (const struct argument[]){
        { .name = "ACTION", .help = "show, get or path" },
        { .name = "DIALECT", .optional = true,
          .help = "a dialect that has configuration files; all of them where nothing is said" },
        { .name = "SETTING", .optional = true, .help = "of get: a setting, as show lists it" },
        { .name = NULL },
    },
    .codes = (const struct code_help[]){
        { CODE_DONE, "they were shown" },
        { CODE_USAGE, "there is no such dialect or setting" },
        { CODE_FAILED, "the repository could not be looked at" },
        { .help = NULL },
    },
    .examples = (const char *const[]){
        "hone config show iterate",
        "hone config get iterate phases.3.onFailure",
        "hone config path",
        NULL,
    },
    .handle = handle,
};
