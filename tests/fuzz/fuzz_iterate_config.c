/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_iterate_config.c - any bytes as iterate's two configuration files; a byte 0xff ends the
 * first. What must hold for all of them:
 *
 * 1. A phase has a value in every field it can have, of the kind it must be, and in no other.
 * 2. Warnings are few, each a line of valid UTF-8 without control characters, and name the file.
 * 3. The plan that comes of it is one the engine takes, and every role is played by a known
 *    backend.
 * 4. The effective settings, written as a project's file, are taken without a warning and come to
 *    the same with any user's file.
 * 5. Warnings change nothing. */
#include "dialect/iterate/iterate.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(enum iterate_field field, const struct iterate_value *value)
{
    const struct iterate_field_row *row = &iterate_fields[field];
    bool known = false;

    switch (row->kind) {
    case KIND_MODEL:
        for (size_t i = 0; value->text && value->text[i]; i++) {
            assert(value->text[i] > ' ' && value->text[i] < 127 && value->text[0] != '-');
        }
        break;
    case KIND_SWITCH:
        assert(value->number <= 1);
        break;
    case KIND_TOOL:
        assert(!value->text || iterate_tool_find(str_of(value->text)));
        break;
    case KIND_WORD:
        for (uint32_t i = 0; row->words[i].word; i++) {
            known = known || (value->text && strcmp(value->text, row->words[i].word) == 0 &&
                              value->number == row->words[i].number);
        }
        assert(known);
        break;
    case KIND_RETRIES:
        assert(value->number <= RETRIES_MAX || value->number == NO_BOUND);
        break;
    }
}

static void check_config(const struct iterate_config *config)
{
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            enum iterate_field field = (enum iterate_field)f;
            const struct iterate_value *value = &config->fields[n][f];
            assert(value->is_set == iterate_has_field(n, field));
            if (value->is_set) check_value(field, value);
        }
    }
}

static void check_warnings(const struct warnings *warnings)
{
    assert(warnings->count <= 42);
    for (uint32_t i = 0; i < warnings->count; i++) {
        struct str text = str_of(warnings->items[i]);
        assert(text.size < 1000 && utf8_prefix(text) == text.size);
        for (size_t k = 0; k < text.size; k++) assert((unsigned char)text.data[k] >= ' ');
        assert(str_starts(text, str_of(iterate_config_files[0])) ||
               str_starts(text, str_of(iterate_config_files[1])));
    }
}

static void check_plan(const struct settings *settings, struct arena *arena)
{
    struct plan plan;
    struct err err = { 0 };

    assert(iterate_plan(settings, arena, &plan, &err) == 0);
    assert(!plan_problem(&plan));
    for (uint32_t i = 1; i < plan.role_count; i++) {
        for (uint32_t copy = 0; copy < 2; copy++) {
            const char *spec = iterate_agent(settings, plan.roles[i].name, copy, arena);
            assert(!spec || strcmp(spec, "codex") == 0 || str_starts(str_of(spec), STR("claude")));
        }
    }
}

static struct str written(const struct iterate_config *config, struct arena *arena)
{
    struct str text;
    struct buf out;

    buf_init(&out, 1 << 16);
    buf_text(&out, "{\"version\":2");
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        const char *mark = "";
        if (n == 1) buf_text(&out, ",\"phases\":{\"1\":{");
        else if (n) buf_printf(&out, ",\"%u\":{", (unsigned)n);
        else buf_text(&out, ",\"reviewDefaults\":{");
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *value = &config->fields[n][f];
            if (!value->is_set) continue;
            buf_printf(&out, "%s\"%s\":%s", mark, iterate_fields[f].name,
                       iterate_value_json((enum iterate_field)f, value, arena));
            mark = ",";
        }
        buf_text(&out, "}");
    }
    buf_text(&out, "}}");
    text = arena_copy(arena, buf_str(&out));
    buf_release(&out);
    return text;
}

static void check_same(const struct iterate_config *a, const struct iterate_config *b)
{
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *one = &a->fields[n][f], *other = &b->fields[n][f];
            assert(one->is_set == other->is_set && one->number == other->number);
            assert(!one->text == !other->text);
            assert(!one->text || strcmp(one->text, other->text) == 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
    size_t first = end ? (size_t)(end - data) : size;
    struct config_text files[] = {
        { iterate_config_files[0], { (const char *)data, first } },
        { iterate_config_files[1], { (const char *)data + first + 1, end ? size - first - 1 : 0 } },
    };
    struct warnings warnings = { 0 };
    struct settings settings = { .files = files, .file_count = end ? 2 : 1,
                                 .warnings = &warnings };
    struct iterate_config config, again;
    struct arena arena = { 0 };

    iterate_config_read(&settings, &arena, &config);
    check_config(&config);
    check_warnings(&warnings);
    settings.warnings = NULL;
    iterate_config_read(&settings, &arena, &again);
    check_same(&config, &again);
    check_plan(&settings, &arena);
    warnings_release(&warnings);
    settings.warnings = &warnings;
    settings.file_count = 1;
    files[0] = (struct config_text){ iterate_config_files[1], written(&config, &arena) };
    iterate_config_read(&settings, &arena, &again);
    assert(warnings.count == 0);
    check_same(&config, &again);
    warnings_release(&warnings);
    arena_release(&arena);
    return 0;
}
