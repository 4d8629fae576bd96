/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/dialect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *setting_value(const struct settings *settings, const char *name)
{
    for (uint32_t i = settings->count; i-- > 0;) {
        if (strcmp(settings->items[i].name, name) == 0) return settings->items[i].value;
    }
    return NULL;
}

void warnings_add(struct warnings *warnings, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (!warnings) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (warnings->count == warnings->cap) {
        uint32_t cap = warnings->cap ? warnings->cap * 2 : 8;
        const char **grown = arena_alloc(&warnings->arena, cap * sizeof *grown);
        if (warnings->count) memcpy(grown, warnings->items, warnings->count * sizeof *grown);
        warnings->items = grown;
        warnings->cap = cap;
    }
    warnings->items[warnings->count++] = arena_cstr(&warnings->arena, str_of(text));
}

void config_list_add(struct config_list *list, struct arena *arena, struct config_item item)
{
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 64;
        struct config_item *grown = arena_alloc(arena, cap * sizeof *grown);
        if (list->count) memcpy(grown, list->items, list->count * sizeof *grown);
        list->items = grown;
        list->cap = cap;
    }
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
    while (option && option->name && !option->is_folder) option++;
    return option && option->name ? setting_value(settings, option->name) : NULL;
}
