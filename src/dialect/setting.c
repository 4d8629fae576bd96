/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/dialect.h"

#include "base/byte.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct setting *setting_find(const struct settings *settings, const char *name)
{
    for (uint32_t i = settings->count; i-- > 0;) {
        if (strcmp(settings->items[i].name, name) == 0) return &settings->items[i];
    }
    return NULL;
}

struct str settings_file(const struct settings *settings, const char *name)
{
    for (uint32_t i = 0; i < settings->file_count; i++) {
        if (strcmp(settings->files[i].path, name) == 0) return settings->files[i].text;
    }
    return STR("");
}

const char *setting_value(const struct settings *settings, const char *name)
{
    const struct setting *setting = setting_find(settings, name);

    return setting ? setting->value : NULL;
}

int setting_number(const struct settings *settings, const char *name, uint32_t otherwise,
                   uint32_t max, uint32_t *out, struct err *err)
{
    const struct setting *setting = setting_find(settings, name);
    struct str value = str_of(setting ? setting->value : NULL);
    uint64_t number = otherwise;

    if (setting && (!str_number(value, &number) || number < 1 || number > max)) {
        return err_set(err, ERR_USAGE, "%s: '%s' is not a whole number from 1 to %u", name,
                       value.data, (unsigned)max);
    }
    *out = (uint32_t)number;
    return 0;
}

int settings_check(const struct settings *settings, const struct dialect *dialect,
                   struct err *err)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        const struct dialect_option *option = dialect->options;
        const char *name = settings->items[i].name;

        while (option->name && strcmp(option->name, name) != 0) option++;
        if (!option->name) {
            return err_set(err, ERR_USAGE, "%s: %s has no such setting", name, dialect->name);
        }
    }
    return 0;
}

bool is_model_name(struct str text)
{
    enum { MODEL_BYTES_MAX = 100 };

    if (text.size == 0 || text.size > MODEL_BYTES_MAX || !byte_is_alnum(text.data[0])) return false;
    for (size_t i = 1; i < text.size; i++) {
        if (!byte_is_alnum(text.data[i]) && !str_has(STR("._-:/@[]"), text.data[i])) return false;
    }
    return true;
}

void warnings_add(struct warnings *warnings, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (!warnings) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    warnings->items = arena_grow(&warnings->arena, warnings->items, warnings->count, &warnings->cap,
                                 sizeof *warnings->items);
    warnings->items[warnings->count++] = arena_cstr(&warnings->arena, str_of(text));
}

void config_list_add(struct config_list *list, struct arena *arena, struct config_item item)
{
    list->items = arena_grow(arena, list->items, list->count, &list->cap, sizeof *list->items);
    list->items[list->count++] = item;
}

void warnings_release(struct warnings *warnings)
{
    arena_release(&warnings->arena);
    *warnings = (struct warnings){ 0 };
}

const char *dialect_files(const struct dialect *dialect, const struct settings *settings)
{
    const struct dialect_option *option = dialect->options;

    if (dialect->trail) return dialect->trail;
    while (option && option->name && !option->folder) option++;
    return option && option->name ? setting_value(settings, option->name) : NULL;
}
