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
 * A person wrote a file by hand, or another program that knows more or less than hone does.
 * Nothing in it can end a run:
 *
 * 4. What cannot be used sets nothing, and is one warning: file, path, value, what is allowed.
 * 5. Of two members with one name the first counts.
 * 6. At most WARNINGS_MAX warnings for a file; the rest is counted.
 *
 * Not here: what the settings do (plan.c). */
#include "dialect/iterate/iterate.h"

#include "base/byte.h"
#include "format/json/json.h"
#include "format/text/safe.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    WARNINGS_MAX = 20,
    SHOWN_BYTES_MAX = 60,
    TOOLS_MAX = 16,
    VERSION = 2,
};

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
static const struct iterate_tool known_tools[] = {
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
    for (const struct iterate_tool *tool = known_tools; tool->name; tool++) {
        if (str_is(name, tool->name)) return tool;
    }
    return NULL;
}

static const char *const never_asked[] = { NULL };
static const char *const lax_severities[] = { "MEDIUM", "HIGH", "NONE", NULL };
static const char *const lax_ways[] = { "proceed", NULL };

enum {
    DEFAULTS = 1 << 0,
    REVIEWS = 1 << PHASE_PLAN_REVIEW | 1 << PHASE_CODE_REVIEW | 1 << PHASE_FINAL_REVIEW,
    GATES = REVIEWS | 1 << PHASE_TEST,
    THINKING = 1 << PHASE_BRAINSTORM | 1 << PHASE_PLAN,
    WORK = THINKING | 1 << PHASE_IMPLEMENT | 1 << PHASE_SIMPLIFY,
};

const struct iterate_field_row iterate_fields[FIELD_COUNT] = {
    [FIELD_MODEL] = { .name = "model", .kind = KIND_MODEL,
                      .phases = WORK | 1 << PHASE_CODE_REVIEW | 1 << PHASE_TEST,
                      .asked = never_asked },
    [FIELD_PARALLEL] = { .name = "parallel", .kind = KIND_SWITCH, .phases = WORK,
                         .asked = never_asked },
    [FIELD_PARALLEL_MODEL] = { .name = "parallelModel", .kind = KIND_MODEL, .phases = THINKING,
                               .asked = never_asked },
    [FIELD_TOOL] = { .name = "tool", .kind = KIND_TOOL,
                     .phases = 1 << PHASE_PLAN_REVIEW | 1 << PHASE_FINAL_REVIEW |
                               1 << PHASE_CODEX_FINAL,
                     .asked = never_asked },
    [FIELD_ON_FAILURE] = { .name = "onFailure", .kind = KIND_WORD, .phases = GATES,
                           .words = on_failure_words, .asked = lax_ways },
    [FIELD_FAIL_ON_SEVERITY] = { .name = "failOnSeverity", .kind = KIND_WORD,
                                 .phases = DEFAULTS | REVIEWS, .words = severity_words,
                                 .asked = lax_severities },
    [FIELD_MAX_RETRIES] = { .name = "maxRetries", .kind = KIND_RETRIES,
                            .phases = DEFAULTS | GATES, .asked = never_asked },
    [FIELD_ON_MAX_RETRIES] = { .name = "onMaxRetries", .kind = KIND_WORD,
                               .phases = DEFAULTS | GATES, .words = on_max_retries_words,
                               .asked = lax_ways },
    [FIELD_PARALLEL_FIXES] = { .name = "parallelFixes", .kind = KIND_SWITCH,
                               .phases = DEFAULTS | REVIEWS, .asked = never_asked },
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

struct reader {
    const char *file;
    struct arena *arena;
    struct warnings *warnings;
    uint32_t count; /* of warnings, shown or not */
    struct iterate_config *out;
};

static void warn(struct reader *reader, const char *path, const char *text)
{
    if (++reader->count > WARNINGS_MAX) return;
    warnings_add(reader->warnings, "%s: %s%s%s", reader->file, path, *path ? ": " : "", text);
}

/* ---- a file: words for a person ---- */

static const char *safe(const struct reader *reader, struct str text)
{
    return safe_copy(reader->arena, text, SHOWN_BYTES_MAX);
}

static const char *shown(struct reader *reader, yyjson_val *value)
{
    if (yyjson_is_null(value)) return "null";
    if (yyjson_is_bool(value)) return yyjson_get_bool(value) ? "true" : "false";
    if (yyjson_is_uint(value)) {
        return arena_printf(reader->arena, "%" PRIu64, yyjson_get_uint(value));
    }
    if (yyjson_is_sint(value)) {
        return arena_printf(reader->arena, "%" PRId64, yyjson_get_sint(value));
    }
    if (yyjson_is_real(value)) return arena_printf(reader->arena, "%g", yyjson_get_real(value));
    if (yyjson_is_str(value)) {
        return arena_printf(reader->arena, "\"%s\"", safe(reader, json_value(value)));
    }
    return yyjson_is_obj(value) ? "an object" : "a list";
}

static struct str lower(struct arena *arena, struct str text)
{
    char *bytes = arena_alloc(arena, text.size + 1);

    for (size_t i = 0; i < text.size; i++) {
        bytes[i] = byte_small(text.data[i]);
    }
    return (struct str){ bytes, text.size };
}

/* Which of them the word was probably meant to be; NULL: none is near. */
static const char *meant(struct reader *reader, struct str word, const char *const *known)
{
    uint32_t best = word.size <= 4 ? 2 : word.size <= 8 ? 3 : 4;
    const char *found = NULL;

    if (word.size < 2 || word.size > SHOWN_BYTES_MAX) return NULL;
    word = lower(reader->arena, word);
    for (uint32_t i = 0; known[i]; i++) {
        struct str other = lower(reader->arena, str_of(known[i]));
        uint32_t distance = str_starts(other, word) ? 0 : str_distance(word, other);
        if (distance >= best || distance >= other.size) continue;
        best = distance;
        found = known[i];
    }
    return found;
}

/* "a, b, c; did you mean b?" */
static const char *allowed(struct reader *reader, struct str word, const char *const *known)
{
    const char *list = "", *near = meant(reader, word, known);

    for (uint32_t i = 0; known[i]; i++) {
        list = arena_printf(reader->arena, "%s%s%s", list, i ? ", " : "", known[i]);
    }
    return near ? arena_printf(reader->arena, "%s; did you mean %s?", list, near) : list;
}

static void warn_key(struct reader *reader, const char *path, struct str key,
                     const char *const *known)
{
    if (reader->count >= WARNINGS_MAX) {
        reader->count++;
        return;
    }
    path = arena_printf(reader->arena, "%s%s%s", path, *path ? "." : "", safe(reader, key));
    for (uint32_t f = 0; f < FIELD_COUNT; f++) {
        if (!str_is(key, iterate_fields[f].name)) continue;
        key = STR(""); /* it was meant, if for another place: nothing to guess */
        break;
    }
    warn(reader, path, arena_printf(reader->arena, "there is no such setting, it is ignored; "
                                    "allowed here: %s", allowed(reader, key, known)));
}

static void warn_value(struct reader *reader, const char *path, yyjson_val *value,
                       const char *wanted)
{
    if (reader->count >= WARNINGS_MAX) {
        reader->count++;
        return;
    }
    warn(reader, path, arena_printf(reader->arena, "%s cannot be used, it is ignored; allowed: %s",
                                    shown(reader, value), wanted));
}

/* Whether a member comes a second time; remembers that it came. */
static bool is_again(struct reader *reader, const char *path, uint32_t *seen, uint32_t bit)
{
    bool again = *seen >> bit & 1;

    *seen |= 1u << bit;
    if (again) warn(reader, path, "it is there more than once; the first one counts");
    return again;
}

/* ---- a file: values ---- */

static bool take_tool(struct reader *reader, const char *path, yyjson_val *value,
                      struct iterate_value *out)
{
    const struct iterate_tool *tool = iterate_tool_find(json_value(value));
    const char *known[TOOLS_MAX + 1] = { NULL };

    if (yyjson_is_null(value)) return true;
    if (tool) {
        out->text = tool->name;
        return true;
    }
    for (uint32_t i = 0; known_tools[i].name; i++) {
        assert(i < TOOLS_MAX);
        known[i] = known_tools[i].name;
    }
    warn_value(reader, path, value, allowed(reader, json_value(value), known));
    return false;
}

static bool take_model(struct reader *reader, const char *path, uint32_t number,
                       yyjson_val *value, struct iterate_value *out)
{
    if (yyjson_is_null(value)) return true;
    if (number == PHASE_TEST) {
        warn_value(reader, path, value, "null, since no model runs the tests");
    } else if (str_starts(json_value(value), STR("mcp__"))) {
        return take_tool(reader, path, value, out);
    } else if (is_model_name(json_value(value))) {
        out->text = arena_cstr(reader->arena, json_value(value));
        return true;
    } else {
        warn_value(reader, path, value, "inherit, null, or the name of a model");
    }
    return false;
}

static bool take_word(struct reader *reader, const char *path, const struct iterate_field_row *row,
                      yyjson_val *value, struct iterate_value *out)
{
    const char *known[8] = { NULL };
    struct str text = json_value(value);

    for (uint32_t i = 0; row->words[i].word; i++) {
        known[i] = row->words[i].word;
        if (!yyjson_is_str(value) || !str_is(text, known[i])) continue;
        out->text = known[i];
        out->number = row->words[i].number;
        return true;
    }
    warn_value(reader, path, value, allowed(reader, text, known));
    return false;
}

static bool take_retries(struct reader *reader, const char *path, yyjson_val *value,
                         struct iterate_value *out)
{
    out->number = NO_BOUND;
    if (yyjson_is_null(value)) return true;
    if (yyjson_is_uint(value) && yyjson_get_uint(value) <= RETRIES_MAX) {
        out->number = (uint32_t)yyjson_get_uint(value);
        return true;
    }
    warn_value(reader, path, value, arena_printf(reader->arena, "a whole number from 0 to %d, "
                                                 "or null for no limit", RETRIES_MAX));
    return false;
}

static bool take_switch(struct reader *reader, const char *path, uint32_t number,
                        enum iterate_field field, yyjson_val *value, struct iterate_value *out)
{
    if (!yyjson_is_bool(value)) {
        warn_value(reader, path, value, "true or false");
        return false;
    }
    out->number = yyjson_get_bool(value);
    if (out->number && field == FIELD_PARALLEL &&
        (number == PHASE_IMPLEMENT || number == PHASE_SIMPLIFY)) {
        warn(reader, path, "true is taken as false, since two agents would change the same files; "
             "it is for phases 1 and 2");
        out->number = 0;
    }
    return true;
}

static void read_value(struct reader *reader, const char *path, uint32_t number,
                       enum iterate_field field, yyjson_val *value)
{
    const struct iterate_field_row *row = &iterate_fields[field];
    struct iterate_value out = { .is_set = true, .from = reader->file };
    bool good = false;

    switch (row->kind) {
    case KIND_MODEL:
        good = take_model(reader, path, number, value, &out);
        break;
    case KIND_SWITCH:
        good = take_switch(reader, path, number, field, value, &out);
        break;
    case KIND_TOOL:
        good = take_tool(reader, path, value, &out);
        break;
    case KIND_WORD:
        good = take_word(reader, path, row, value, &out);
        break;
    case KIND_RETRIES:
        good = take_retries(reader, path, value, &out);
        break;
    }
    if (good) reader->out->fields[number][field] = out;
}

/* ---- a file: objects ---- */

/* The settings of a phase, or (number 0) the review defaults. */
static void read_fields(struct reader *reader, const char *path, uint32_t number,
                        yyjson_val *object)
{
    enum iterate_field fields[FIELD_COUNT];
    const char *known[FIELD_COUNT + 1] = { NULL };
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    uint32_t count = 0, seen = 0, i;
    yyjson_val *key;

    if (!yyjson_is_obj(object)) warn_value(reader, path, object, "an object");
    for (uint32_t f = 0; f < FIELD_COUNT; f++) {
        if (!iterate_has_field(number, (enum iterate_field)f)) continue;
        fields[count] = (enum iterate_field)f;
        known[count++] = iterate_fields[f].name;
    }
    while ((key = yyjson_obj_iter_next(&members))) {
        const char *member;
        for (i = 0; i < count && !str_is(json_value(key), known[i]); i++) continue;
        if (i == count) {
            warn_key(reader, path, json_value(key), known);
            continue;
        }
        member = arena_printf(reader->arena, "%s.%s", path, known[i]);
        if (is_again(reader, member, &seen, i)) continue;
        read_value(reader, member, number, fields[i], yyjson_obj_iter_get_val(key));
    }
}

static void read_phases(struct reader *reader, yyjson_val *object)
{
    static const char *const known[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9", NULL };
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    uint32_t seen = 0, i;
    yyjson_val *key;

    if (!yyjson_is_obj(object)) warn_value(reader, "phases", object, "an object");
    while ((key = yyjson_obj_iter_next(&members))) {
        const char *path;
        for (i = 0; known[i] && !str_is(json_value(key), known[i]); i++) continue;
        if (!known[i]) {
            warn_key(reader, "phases", json_value(key), known);
            continue;
        }
        path = arena_printf(reader->arena, "phases.%s", known[i]);
        if (is_again(reader, path, &seen, i)) continue;
        read_fields(reader, path, i + 1, yyjson_obj_iter_get_val(key));
    }
}

static void read_root(struct reader *reader, yyjson_val *object)
{
    enum { KEY_VERSION, KEY_DEFAULTS, KEY_PHASES };
    static const char *const known[] = { "version", "reviewDefaults", "phases", NULL };
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    uint32_t seen = 0, i;
    yyjson_val *key;

    if (!yyjson_is_obj(object)) warn_value(reader, "", object, "an object");
    while ((key = yyjson_obj_iter_next(&members))) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        for (i = 0; known[i] && !str_is(json_value(key), known[i]); i++) continue;
        if (!known[i]) {
            warn_key(reader, "", json_value(key), known);
        } else if (is_again(reader, known[i], &seen, i)) {
            continue;
        } else if (i == KEY_DEFAULTS) {
            read_fields(reader, known[i], 0, value);
        } else if (i == KEY_PHASES) {
            read_phases(reader, value);
        } else if (!yyjson_is_uint(value) || yyjson_get_uint(value) != VERSION) {
            warn(reader, known[i], arena_printf(reader->arena, "%s is not a version that hone "
                 "knows; allowed: %d. The file is read as if it said so", shown(reader, value),
                 VERSION));
        }
    }
}

/* What one file says, and nothing else. */
static void read_layer(const struct config_text *file, struct arena *arena,
                       struct warnings *warnings, struct iterate_config *out)
{
    struct reader reader = { .file = file->path, .arena = arena, .warnings = warnings, .out = out };
    yyjson_doc *doc = NULL;
    struct err err = { 0 };

    *out = (struct iterate_config){ 0 };
    if (file->text.size > FILE_BYTES_MAX) {
        warn(&reader, "", arena_printf(arena, "it is larger than %d bytes, and ignored",
                                       FILE_BYTES_MAX));
    } else if (json_read(file->text, &doc, &err) != 0) {
        warn(&reader, "", arena_printf(arena, "it is not JSON (%s), and ignored; 'hone configure "
                                       "iterate' writes a new one", err.text));
    } else {
        read_root(&reader, yyjson_doc_get_root(doc));
    }
    yyjson_doc_free(doc);
    if (reader.count <= WARNINGS_MAX) return;
    warnings_add(warnings, "%s: and %" PRIu32 " more that are not shown", file->path,
                 reader.count - WARNINGS_MAX);
}

/* ---- the layers ---- */

static void apply_layer(struct iterate_config *out, const struct iterate_config *layer)
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
    read_layer(&(struct config_text){ .text = str_of(built_in) }, arena, NULL, &layer);
    apply_layer(out, &layer);
    for (uint32_t i = 0; iterate_config_files[i]; i++) {
        for (uint32_t k = 0; k < settings->file_count; k++) {
            const struct config_text *file = &settings->files[k];
            if (strcmp(file->path, iterate_config_files[i]) != 0) continue;
            read_layer(file, arena, settings->warnings, &layer);
            apply_layer(out, &layer);
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

/* The agent that plays it, where the name is that of a tool. */
static const char *tool_means(const struct iterate_value *value, struct arena *arena)
{
    const struct iterate_tool *tool = value->text ? iterate_tool_find(str_of(value->text)) : NULL;

    if (!tool || !tool->backend) return NULL;
    if (!tool->effort) return tool->backend;
    return arena_printf(arena, "%s, effort %s", tool->backend, tool->effort);
}

static bool words_have(const char *const *words, struct str word)
{
    while (*words && !str_is(word, *words)) words++;
    return *words != NULL;
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
                .asked = value->text &&
                         words_have(iterate_fields[f].asked, str_of(value->text)),
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
