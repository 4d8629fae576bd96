/* SPDX-License-Identifier: Apache-2.0
 *
 * config_file.c - one configuration file of iterate, version 2, read with care.
 *
 * A person wrote it by hand, or another program that knows more or less than we do. Nothing in it
 * can end a run:
 *
 * 1. What cannot be used sets nothing, and is one warning: file, path, value, what is allowed.
 * 2. Of two members with one name the first counts.
 * 3. A model's name has only letters, digits and ._-:/@[], and begins with a letter or a
 *    digit: it becomes an argument of a program.
 * 4. At most WARNINGS_MAX warnings for a file; the rest is counted. */
#include "dialect/iterate/iterate.h"

#include "base/byte.h"
#include "format/json/json.h"
#include "format/text/safe.h"

#include <inttypes.h>
#include <string.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    WARNINGS_MAX = 20,
    MODEL_BYTES_MAX = 100,
    SHOWN_BYTES_MAX = 60,
    TOOLS_MAX = 16,
    VERSION = 2,
};

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

/* ---- words for a person ---- */

static const char *safe(const struct reader *reader, struct str text)
{
    return safe_copy(reader->arena, text, SHOWN_BYTES_MAX);
}

/* Empty where it is not a string: a list has a length, too. */
static struct str text_of(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);

    return (struct str){ text, text ? yyjson_get_len(value) : 0 };
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
        return arena_printf(reader->arena, "\"%s\"", safe(reader, text_of(value)));
    }
    return yyjson_is_obj(value) ? "an object" : "a list";
}

static struct str lower(struct arena *arena, struct str text)
{
    char *bytes = arena_alloc(arena, text.size + 1);

    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bytes[i] = byte_small(byte);
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

/* ---- values ---- */

static bool is_model(struct str text)
{
    if (text.size == 0 || text.size > MODEL_BYTES_MAX) return false;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bool letter = byte_is_alnum(byte);
        if (letter) continue;
        if (!byte || i == 0 || !strchr("._-:/@[]", byte)) return false;
    }
    return true;
}

static bool take_tool(struct reader *reader, const char *path, yyjson_val *value,
                      struct iterate_value *out)
{
    const struct iterate_tool *tool = iterate_tool_find(text_of(value));
    const char *known[TOOLS_MAX + 1] = { NULL };

    if (yyjson_is_null(value)) return true;
    if (tool) {
        out->text = tool->name;
        return true;
    }
    for (uint32_t i = 0; i < TOOLS_MAX && iterate_tools[i].name; i++) {
        known[i] = iterate_tools[i].name;
    }
    warn_value(reader, path, value, allowed(reader, text_of(value), known));
    return false;
}

static bool take_model(struct reader *reader, const char *path, uint32_t number,
                       yyjson_val *value, struct iterate_value *out)
{
    if (yyjson_is_null(value)) return true;
    if (number == PHASE_TEST) {
        warn_value(reader, path, value, "null, since no model runs the tests");
    } else if (str_starts(text_of(value), STR("mcp__"))) {
        return take_tool(reader, path, value, out);
    } else if (is_model(text_of(value))) {
        out->text = arena_cstr(reader->arena, text_of(value));
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
    struct str text = text_of(value);

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

/* ---- objects ---- */

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
        for (i = 0; i < count && !str_is(text_of(key), known[i]); i++) continue;
        if (i == count) {
            warn_key(reader, path, text_of(key), known);
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
        for (i = 0; known[i] && !str_is(text_of(key), known[i]); i++) continue;
        if (!known[i]) {
            warn_key(reader, "phases", text_of(key), known);
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
        for (i = 0; known[i] && !str_is(text_of(key), known[i]); i++) continue;
        if (!known[i]) {
            warn_key(reader, "", text_of(key), known);
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

void iterate_config_layer(const struct config_text *file, struct arena *arena,
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
