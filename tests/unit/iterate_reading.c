/* SPDX-License-Identifier: Apache-2.0 */
#include "iterate_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

const char *reading_quoted(struct arena *arena, const char *text)
{
    char *copy = arena_alloc(arena, strlen(text) + 1);

    for (size_t i = 0; text[i]; i++) copy[i] = text[i] == '\'' ? '"' : text[i];
    return copy;
}

void reading_open(struct reading *reading, const char *user, const char *project)
{
    struct config_text files[2];
    struct settings settings = { .files = files, .warnings = &reading->warnings };

    *reading = (struct reading){ 0 };
    if (user) {
        files[settings.file_count++] = (struct config_text){
            READING_USER, str_of(reading_quoted(&reading->arena, user)) };
    }
    if (project) {
        files[settings.file_count++] = (struct config_text){
            READING_PROJECT, str_of(reading_quoted(&reading->arena, project)) };
    }
    iterate_config_read(&settings, &reading->arena, &reading->config);
}

void reading_close(struct reading *reading)
{
    warnings_release(&reading->warnings);
    arena_release(&reading->arena);
}

const char *reading_value(struct reading *reading, uint32_t number, enum iterate_field field)
{
    const struct iterate_value *value = &reading->config.fields[number][field];

    return value->is_set ? iterate_value_json(field, value, &reading->arena) : "-";
}

void reading_same(struct reading *a, struct reading *b)
{
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            enum iterate_field field = (enum iterate_field)f;
            assert_string_equal(reading_value(a, n, field), reading_value(b, n, field));
        }
    }
}
