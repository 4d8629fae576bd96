/* SPDX-License-Identifier: Apache-2.0
 *
 * dialect.c - the table of dialects: one row each. */
#include "dialect/dialect.h"

const struct dialect *const dialects[] = { &dialect_review, &dialect_iterate, &dialect_cycles,
                                         NULL };

const struct dialect *dialect_find(struct str name)
{
    for (size_t i = 0; dialects[i]; i++) {
        if (str_is(name, dialects[i]->name)) return dialects[i];
    }
    return NULL;
}

const char *dialect_files(const struct dialect *dialect, const struct settings *settings)
{
    const struct dialect_option *option = dialect->options;

    if (dialect->trail) return dialect->trail;
    while (option && option->name && !option->is_folder) option++;
    return option && option->name ? setting_value(settings, option->name) : NULL;
}
