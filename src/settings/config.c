/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/config.h"

#include "dialect/role_file.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "settings/hone_use.h"
#include "settings/trust.h"

#include <string.h>

const char *config_path(const char *name, const char *workspace, struct arena *arena)
{
    const char *home;

    if (!str_starts(str_of(name), STR("~/"))) return arena_printf(arena, "%s/%s", workspace, name);
    home = host_home();
    return home ? arena_printf(arena, "%s/%s", home, name + 2) : NULL;
}

static bool config_read(const char *name, const char *workspace, struct arena *arena,
                        struct warnings *warnings, struct str *out)
{
    const char *path = config_path(name, workspace, arena);
    struct err err = { 0 };
    int rc;

    if (!path) return false;
    rc = file_text(path, CONFIG_BYTES_MAX, arena, out, &err);
    if (rc != 0 && rc != ERR_MISSING) {
        warnings_add(warnings, "%s: %s; it is left out", name, err.text);
    }
    return rc == 0;
}

void config_load(const struct dialect *dialect, const char *workspace, struct settings *settings,
                 struct arena *arena)
{
    const struct dialect_configuring *configuring = dialect->configuring;
    struct config_text *files;
    uint32_t named = 0, count = 0;

    while (configuring && configuring->files[named]) named++;
    files = arena_alloc(arena, (named + settings->file_count + 1) * sizeof *files);
    for (uint32_t i = 0; i < named; i++) {
        struct config_text *file = &files[count];
        file->path = configuring->files[i];
        if (config_read(file->path, workspace, arena, settings->warnings, &file->text)) count++;
    }
    for (uint32_t i = 0; i < settings->file_count; i++) files[count++] = settings->files[i];
    settings->files = files;
    settings->file_count = count;
}

static bool is_role_of(const struct dialect *dialect, const char *name, struct arena *arena)
{
    const char *const *names = hone_roles(dialect, arena);

    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* A role that the repository brings: a command that plays it, what takes the place of a built-in
 * one, and paths without which one of these is not asked. What a file adds to a remit can make no
 * review worth less. */
static void list_roles(const struct dialect *dialect, const struct settings *settings,
                       struct arena *arena, struct config_list *out)
{
    for (uint32_t i = 0; i < settings->file_count; i++) {
        const struct config_text *text = &settings->files[i];
        const char *name = role_path_name(text->path, arena);
        struct role_file file;
        struct err none;

        if (!name || role_file_read(name, text->path, text->text, arena, &file, &none) != 0) {
            continue; /* the plan says it */
        }
        config_list_add(out, arena, (struct config_item){
            .path = "agent", .value = file.agent ? file.agent : "", .from = text->path,
            .asked = file.agent, .is_agent = true,
        });
        config_list_add(out, arena, (struct config_item){
            .path = "replaces", .value = file.body.data, .from = text->path,
            .asked = file.replaces,
        });
        config_list_add(out, arena, (struct config_item){
            .path = "paths", .value = file.paths ? file.paths : "", .from = text->path,
            .asked = file.paths && is_role_of(dialect, name, arena),
        });
    }
}

/* A SPEC that is written as JSON, or as it is. */
static const char *spec_of(const char *value, struct arena *arena)
{
    yyjson_doc *doc = NULL;
    struct err none;
    const char *spec = value;

    if (value[0] == '"' && json_read(str_of(value), &doc, &none) == 0) {
        spec = arena_cstr(arena, json_value(yyjson_doc_get_root(doc)));
        yyjson_doc_free(doc);
    }
    return spec;
}

uint32_t config_asked(const struct dialect *dialect, const struct settings *settings,
                      struct arena *arena, struct hone_value **out)
{
    static const struct hone_key key = { .path = "", .kind = HONE_TEXT };
    struct settings silent = *settings;
    struct config_list list = { 0 };
    uint32_t count = 0;

    silent.warnings = NULL; /* said where they are used */
    if (dialect->configuring) dialect->configuring->list(&silent, arena, &list);
    if (dialect->role_file) list_roles(dialect, settings, arena, &list);
    *out = arena_alloc(arena, (list.count + 1) * sizeof **out);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct config_item *item = &list.items[i];

        if (!item->asked || !item->from || item->from[0] == '~') continue;
        if (item->is_agent && !agent_is_asked(spec_of(item->value, arena))) continue;
        (*out)[count++] = (struct hone_value){
            .key = &key, .path = arena_printf(arena, "%s: %s", item->from, item->path),
            .text = item->value, .json = item->value,
        };
    }
    return count;
}

int config_check(const struct dialect *dialect, const char *workspace,
                 const struct settings *settings, struct arena *arena, struct err *err)
{
    struct hone_value *values;
    uint32_t count = config_asked(dialect, settings, arena, &values);
    struct trust trust;
    int rc = 0;

    if (count == 0) return 0;
    trust_open(&trust);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        if (trust_has(&trust, workspace, &values[i])) continue;
        rc = err_set(err, ERR_USAGE, "%s is %.60s, which runs a command or makes a review worth "
                     "less, and you have not agreed to it: look at it, then start once with 'hone "
                     "run %s --trust', or take it out of the file", values[i].path, values[i].text,
                     dialect->name);
    }
    trust_close(&trust);
    return rc;
}

int config_agree(const struct dialect *dialect, const char *workspace,
                 const struct settings *settings, struct arena *arena, struct err *err)
{
    struct hone_value *values;
    uint32_t count = config_asked(dialect, settings, arena, &values);
    struct trust trust;
    int rc = 0;

    if (count == 0) return 0;
    trust_open(&trust);
    rc = trust_add(&trust, workspace, values, count, err);
    trust_close(&trust);
    return rc;
}
