/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_flat_config.c - any bytes as .review-loop/config.md. What must hold for all of them:
 *
 * 1. Lines are in order and within the text; of each key one value counts, the last.
 * 2. Settings are within their ranges, models are fit to be arguments, warnings are few and a line
 *    of valid UTF-8 each. */
#include "dialect/session/config.h"
#include "format/json/flat_config.h"
#include "format/json/json.h"
#include "format/text/utf8.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(struct str text, struct arena *arena)
{
    struct flat_config config;
    uint32_t line = 0;
    size_t lines = 1;

    for (size_t i = 0; i < text.size; i++) lines += text.data[i] == '\n';
    flat_config_read(text, arena, &config);
    for (uint32_t i = 0; i < config.count; i++) {
        const struct flat_value *value = &config.values[i];

        assert(value->line > line && value->line <= lines && value->key.size > 0);
        assert(value->replaced ==
               (flat_config_find(&config, arena_cstr(arena, value->key)) != value));
        line = value->line;
    }
    for (uint32_t i = 0; i < config.problem_count; i++) {
        assert(config.problems[i].line >= 1 && config.problems[i].line <= lines);
    }
}

static void check_model(const char *model)
{
    assert(model[0] != '-');
    for (; *model; model++) assert(*model > ' ' && *model < 127);
}

static void check_warnings(const struct warnings *warnings)
{
    assert(warnings->count <= 21);
    for (uint32_t i = 0; i < warnings->count; i++) {
        struct str text = str_of(warnings->items[i]);

        assert(utf8_prefix(text) == text.size);
        for (size_t k = 0; k < text.size; k++) assert((unsigned char)text.data[k] >= ' ');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { size ? (const char *)data : "", size };
    const struct config_text file = { SESSION_CONFIG_FILE, text };
    struct warnings warnings = { 0 };
    const struct settings settings = { .files = &file, .file_count = 1, .warnings = &warnings };
    struct config_list list = { 0 };
    struct session_config config;
    struct arena arena = { 0 };

    check_values(text, &arena);
    session_config_read(&settings, &arena, &config);
    assert(config.soft_limit_plan >= 1 && config.soft_limit_plan <= 100);
    assert(config.soft_limit_exec >= 1 && config.soft_limit_exec <= 100);
    check_model(session_config_model(&config));
    check_model(config.codex_reviewer_model);
    check_warnings(&warnings);
    session_config_list(&settings, &arena, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        yyjson_doc *doc = NULL;
        struct err err = { 0 };

        assert(json_read(str_of(list.items[i].value), &doc, &err) == 0);
        yyjson_doc_free(doc);
    }
    warnings_release(&warnings);
    arena_release(&arena);
    return 0;
}
