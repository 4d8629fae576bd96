/* SPDX-License-Identifier: Apache-2.0
 *
 * config.c - what a phase can be configured with, and what comes out of several files.
 *
 * Layers, a later one wins, key by key:
 *
 *     built-in reviewDefaults   built-in phase
 *     user's reviewDefaults     user's phase        ~/.claude/iterate-config.json
 *     project's reviewDefaults  project's phase     .claude/iterate-config.local.json
 *
 * 1. So a project's review defaults win over what the user's file says of a single phase: a layer
 *    is applied as a whole, its defaults first.
 * 2. A phase has a value in every field it can have, and in no other.
 * 3. Every value knows the file it comes from.
 *
 * Not here: what a file may hold (config_file.c), what the settings do (plan.c). */
#include "dialect/iterate/iterate.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

const char *const iterate_config_files[] = {
    "~/.claude/iterate-config.json", ".claude/iterate-config.local.json", NULL,
};

static const struct iterate_word on_failure_words[] = {
    { "mini-loop", FAIL_REPAIR }, { "restart", FAIL_RESTART }, { "proceed", FAIL_PROCEED },
    { "stop", FAIL_STOP },        { NULL, 0 },
};

static const struct iterate_word severity_words[] = {
    { "LOW", SEVERITY_LOW },   { "MEDIUM", SEVERITY_MEDIUM }, { "HIGH", SEVERITY_HIGH },
    { "NONE", THRESHOLD_NONE }, { NULL, 0 },
};

static const struct iterate_word on_max_retries_words[] = {
    { "stop", BOUND_STOP },       { "ask", BOUND_ASK }, { "restart", BOUND_RESTART },
    { "proceed", BOUND_PROCEED }, { NULL, 0 },
};

/* One for each effort that there is a word for (docs/configuration.md). */
const struct iterate_tool iterate_tools[] = {
    { "mcp__codex__codex", "codex", NULL },
    { "mcp__codex-minimal__codex", "codex", "minimal" },
    { "mcp__codex-low__codex", "codex", "low" },
    { "mcp__codex-medium__codex", "codex", "medium" },
    { "mcp__codex-high__codex", "codex", "high" },
    { "mcp__codex-xhigh__codex", "codex", "xhigh" },
    { "mcp__codex-max__codex", "codex", "max" },
    { "mcp__codex-ultra__codex", "codex", "ultra" },
    { "claude-review", "claude", NULL },
    { "inherit", NULL, NULL },
    { NULL, NULL, NULL },
};

const struct iterate_tool *iterate_tool_find(struct str name)
{
    for (const struct iterate_tool *tool = iterate_tools; tool->name; tool++) {
        if (str_is(name, tool->name)) return tool;
    }
    return NULL;
}

enum {
    DEFAULTS = 1 << 0,
    REVIEWS = 1 << PHASE_PLAN_REVIEW | 1 << PHASE_CODE_REVIEW | 1 << PHASE_FINAL_REVIEW,
    GATES = REVIEWS | 1 << PHASE_TEST,
    THINKING = 1 << PHASE_BRAINSTORM | 1 << PHASE_PLAN,
    WORK = THINKING | 1 << PHASE_IMPLEMENT | 1 << PHASE_SIMPLIFY,
};

const struct iterate_field_row iterate_fields[FIELD_COUNT] = {
    [FIELD_MODEL] = { .name = "model", .kind = KIND_MODEL,
                      .phases = WORK | 1 << PHASE_CODE_REVIEW | 1 << PHASE_TEST },
    [FIELD_PARALLEL] = { .name = "parallel", .kind = KIND_SWITCH, .phases = WORK },
    [FIELD_PARALLEL_MODEL] = { .name = "parallelModel", .kind = KIND_MODEL, .phases = THINKING },
    [FIELD_TOOL] = { .name = "tool", .kind = KIND_TOOL,
                     .phases = 1 << PHASE_PLAN_REVIEW | 1 << PHASE_FINAL_REVIEW |
                               1 << PHASE_CODEX_FINAL },
    [FIELD_ON_FAILURE] = { .name = "onFailure", .kind = KIND_WORD, .phases = GATES,
                           .words = on_failure_words },
    [FIELD_FAIL_ON_SEVERITY] = { .name = "failOnSeverity", .kind = KIND_WORD,
                                 .phases = DEFAULTS | REVIEWS, .words = severity_words },
    [FIELD_MAX_RETRIES] = { .name = "maxRetries", .kind = KIND_RETRIES,
                            .phases = DEFAULTS | GATES },
    [FIELD_ON_MAX_RETRIES] = { .name = "onMaxRetries", .kind = KIND_WORD,
                               .phases = DEFAULTS | GATES, .words = on_max_retries_words },
    [FIELD_PARALLEL_FIXES] = { .name = "parallelFixes", .kind = KIND_SWITCH,
                               .phases = DEFAULTS | REVIEWS },
};

static const char built_in[] =
    "{\"version\":2,"
    "\"reviewDefaults\":{\"failOnSeverity\":\"LOW\",\"maxRetries\":10,\"onMaxRetries\":\"stop\","
    "\"parallelFixes\":true},"
    "\"phases\":{"
    "\"1\":{\"model\":\"inherit\",\"parallel\":true,\"parallelModel\":\"inherit\"},"
    "\"2\":{\"model\":\"inherit\",\"parallel\":true,\"parallelModel\":\"inherit\"},"
    "\"3\":{\"tool\":\"mcp__codex__codex\",\"onFailure\":\"restart\"},"
    "\"4\":{\"model\":\"inherit\",\"parallel\":false},"
    "\"5\":{\"model\":\"inherit\",\"onFailure\":\"mini-loop\"},"
    "\"6\":{\"model\":null,\"onFailure\":\"restart\"},"
    "\"7\":{\"model\":\"inherit\",\"parallel\":false},"
    "\"8\":{\"tool\":\"mcp__codex__codex\",\"onFailure\":\"restart\"},"
    "\"9\":{\"tool\":\"mcp__codex-high__codex\"}}}";

bool iterate_has_field(uint32_t number, enum iterate_field field)
{
    assert(number <= PHASE_NUMBER_MAX && field < FIELD_COUNT);
    return iterate_fields[field].phases >> number & 1;
}

static void apply(struct iterate_config *out, const struct iterate_config *layer)
{
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            if (!iterate_has_field(n, (enum iterate_field)f)) continue;
            if (layer->fields[0][f].is_set) out->fields[n][f] = layer->fields[0][f];
            if (layer->fields[n][f].is_set) out->fields[n][f] = layer->fields[n][f];
        }
    }
}

void iterate_config_read(const struct settings *settings, struct arena *arena,
                         struct iterate_config *out)
{
    struct iterate_config layer;

    *out = (struct iterate_config){ 0 };
    iterate_config_layer(&(struct config_text){ .text = str_of(built_in) }, arena, NULL, &layer);
    apply(out, &layer);
    for (uint32_t i = 0; iterate_config_files[i]; i++) {
        for (uint32_t k = 0; k < settings->file_count; k++) {
            const struct config_text *file = &settings->files[k];
            if (strcmp(file->path, iterate_config_files[i]) != 0) continue;
            iterate_config_layer(file, arena, settings->warnings, &layer);
            apply(out, &layer);
        }
    }
}

const char *iterate_value_json(enum iterate_field field, const struct iterate_value *value,
                               struct arena *arena)
{
    assert(value->is_set);
    switch (iterate_fields[field].kind) {
    case KIND_SWITCH:
        return value->number ? "true" : "false";
    case KIND_RETRIES:
        if (value->number == NO_BOUND) return "null";
        return arena_printf(arena, "%" PRIu32, value->number);
    case KIND_MODEL:
    case KIND_WORD:
    case KIND_TOOL:
        break;
    }
    /* What is allowed there needs no escapes. */
    return value->text ? arena_printf(arena, "\"%s\"", value->text) : "null";
}

/* Who plays it, where the name is that of a tool. */
static const char *tool_means(const struct iterate_value *value, struct arena *arena)
{
    const struct iterate_tool *tool = value->text ? iterate_tool_find(str_of(value->text)) : NULL;

    if (!tool || !tool->backend) return NULL;
    if (!tool->effort) return tool->backend;
    return arena_printf(arena, "%s, effort %s", tool->backend, tool->effort);
}

void iterate_config_list(const struct settings *settings, struct arena *arena,
                         struct config_list *out)
{
    struct iterate_config config;

    iterate_config_read(settings, arena, &config);
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *value = &config.fields[n][f];
            const char *name = iterate_fields[f].name;
            if (!value->is_set) continue;
            config_list_add(out, arena, (struct config_item){
                .path = n ? arena_printf(arena, "phases.%" PRIu32 ".%s", n, name)
                          : arena_printf(arena, "reviewDefaults.%s", name),
                .value = iterate_value_json((enum iterate_field)f, value, arena),
                .from = value->from,
                .means = tool_means(value, arena),
            });
        }
    }
}

uint32_t iterate_threshold(const struct iterate_config *config, uint32_t number)
{
    assert(number >= 1 && number <= PHASE_NUMBER_MAX);
    if (number == PHASE_TEST) return SEVERITY_LOW;
    if (number == PHASE_CODEX_FINAL) number = 0;
    assert(iterate_has_field(number, FIELD_FAIL_ON_SEVERITY));
    return config->fields[number][FIELD_FAIL_ON_SEVERITY].number;
}
