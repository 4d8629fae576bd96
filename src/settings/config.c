/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/config.h"

#include "io/file/file.h"
#include "io/process/host.h"

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
