/* SPDX-License-Identifier: Apache-2.0
 *
 * shellcheck_json.c - what `shellcheck -f json1` writes.
 *
 *     {"comments":[{"file":"a.sh","line":3,"endLine":3,"column":6,"endColumn":8,"level":"info",
 *       "code":2086,"message":"Double quote ...","fix":{"replacements":[
 *         {"line":3,"column":6,"endLine":3,"endColumn":6,"insertionPoint":"afterEnd",
 *          "precedence":7,"replacement":"\""}, ...]}}]}
 *
 * Columns count characters, a tab is one. The older format "json" (an array, where a tab counts as
 * eight columns) is refused.
 *
 * shellcheck makes the replacements of a fix one after another, by falling precedence (the inner
 * ones first), and says of each where a later one at the same place goes: in front of what an
 * "afterEnd" brought (it opens something: a quote, a parenthesis), or behind what a "beforeStart"
 * brought (it closes something). So at one place stand, from left to right:
 *
 * 1. what closes, by falling precedence, and in the order of the list;
 * 2. what opens, by rising precedence, and against the order of the list;
 * 3. what replaces something.
 *
 * Edits leave here in that order. A fix whose replacements overlap is left out. */
#include "format/report/diagnostic.h"

#include "base/mem.h"
#include "format/json/json.h"

#include <stdlib.h>

/* What shellcheck says of a script in a language that it does not know, and does not read. */
enum { CODE_NOT_SUPPORTED = 1071 };

struct reading {
    struct diagnostics *out;
    uint32_t number; /* of the comment that is read, from 1 */
    struct err *err;
};

struct replacement {
    struct place place;
    struct str text;
    bool opens;
    uint64_t precedence;
    size_t index;
};

static int bad(struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_FORMAT, "comment %u: %s", reading->number, what);
}

static int take_number(struct reading *reading, yyjson_val *object, const char *key, uint32_t *out)
{
    uint64_t number;

    if (!json_uint(object, key, &number) || number > UINT32_MAX) {
        return bad(reading, "a line, a column or a code is missing");
    }
    *out = (uint32_t)number;
    return 0;
}

static int take_place(struct reading *reading, yyjson_val *object, struct place *out)
{
    int rc;

    *out = (struct place){ .unit = COLUMN_CODE_POINTS };
    rc = take_number(reading, object, "line", &out->line);
    if (rc == 0) rc = take_number(reading, object, "column", &out->column);
    if (rc == 0) rc = take_number(reading, object, "endLine", &out->end_line);
    if (rc == 0) rc = take_number(reading, object, "endColumn", &out->end_column);
    return rc;
}

/* As strcmp(). */
static int point_compare(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column)
{
    if (line != other_line) return line < other_line ? -1 : 1;
    return (column > other_column) - (column < other_column);
}

static bool is_empty(const struct place *place)
{
    return point_compare(place->line, place->column, place->end_line, place->end_column) == 0;
}

static int replacement_compare(const void *a, const void *b)
{
    const struct replacement *x = a, *y = b;
    bool x_empty = is_empty(&x->place), y_empty = is_empty(&y->place);
    int order = point_compare(x->place.line, x->place.column, y->place.line, y->place.column);

    if (order != 0) return order;
    if (x_empty != y_empty) return x_empty ? -1 : 1;
    if (x_empty && x->opens != y->opens) return x->opens ? 1 : -1;
    if (x_empty) order = (x->precedence < y->precedence) - (x->precedence > y->precedence);
    if (order == 0) order = x->index < y->index ? -1 : 1;
    return x_empty && x->opens ? -order : order;
}

static int take_replacement(struct reading *reading, yyjson_val *value, struct replacement *out)
{
    yyjson_val *text = yyjson_obj_get(value, "replacement");
    struct str point = json_str(value, "insertionPoint");
    int rc = take_place(reading, value, &out->place);

    if (rc != 0) return rc;
    if (!yyjson_is_str(text)) return bad(reading, "a replacement has no text");
    out->text = json_value(text);
    out->opens = str_is(point, "afterEnd");
    if (!out->opens && !str_is(point, "beforeStart")) {
        return bad(reading, "a replacement has no insertion point");
    }
    if (!json_uint(value, "precedence", &out->precedence)) {
        return bad(reading, "a replacement has no precedence");
    }
    return 0;
}

/* Whether all of them can be made together, as they stand. */
static bool is_usable(const struct replacement *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &list[i].place, *before = i ? &list[i - 1].place : NULL;

        if (place->line == 0 || place->column == 0 || place->end_column == 0) return false;
        if (list[i].text.size > DIAGNOSTIC_EDIT_BYTES_MAX) return false;
        if (point_compare(place->line, place->column, place->end_line, place->end_column) > 0) {
            return false;
        }
        if (before && point_compare(before->end_line, before->end_column, place->line,
                                    place->column) > 0) return false;
    }
    return count > 0;
}

static int take_fix(struct reading *reading, yyjson_val *comment, struct diagnostic *to)
{
    yyjson_val *fix = yyjson_obj_get(comment, "fix"), *value;
    yyjson_val *list = yyjson_obj_get(fix, "replacements");
    size_t count = yyjson_arr_size(list), i = 0;
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    struct replacement *replacements;
    struct tool_fix *added;
    int rc = 0;

    if (!fix || yyjson_is_null(fix)) return 0;
    if (!yyjson_is_arr(list)) return bad(reading, "its fix has no replacements");
    replacements = mem_alloc((count + 1) * sizeof *replacements);
    while (rc == 0 && (value = yyjson_arr_iter_next(&items))) {
        replacements[i].index = i;
        rc = take_replacement(reading, value, &replacements[i++]);
    }
    if (rc == 0) qsort(replacements, count, sizeof *replacements, replacement_compare);
    if (rc == 0 && is_usable(replacements, count)) {
        added = diagnostic_fix_add(reading->out, to);
        for (i = 0; i < count; i++) {
            struct tool_edit *edit = tool_edit_add(reading->out, added);
            edit->file = to->file;
            edit->place = replacements[i].place;
            edit->text = arena_copy(&reading->out->arena, replacements[i].text);
        }
    }
    free(replacements);
    return rc;
}

static enum severity severity_of(struct str level)
{
    if (str_is(level, "error")) return SEVERITY_HIGH;
    if (str_is(level, "info") || str_is(level, "style")) return SEVERITY_LOW;
    return SEVERITY_MEDIUM;
}

static int take_comment(struct reading *reading, yyjson_val *comment)
{
    struct str file = json_str(comment, "file"), level = json_str(comment, "level");
    struct str message = json_str(comment, "message");
    struct arena *arena = &reading->out->arena;
    struct diagnostic *to;
    struct place place;
    uint32_t code = 0;
    int rc;

    reading->number++;
    if (!yyjson_is_obj(comment)) return bad(reading, "it is no object");
    if (!file.size || !level.size || !message.size) {
        return bad(reading, "it has no file, level or message");
    }
    rc = take_place(reading, comment, &place);
    if (rc == 0) rc = take_number(reading, comment, "code", &code);
    if (rc != 0) return rc;

    to = diagnostic_add(reading->out);
    if (!to) {
        return err_set(reading->err, ERR_LIMIT, "more than %d comments", DIAGNOSTICS_MAX);
    }
    if (place.line == 0) place.column = 0;
    if (place.column == 0 ||
        point_compare(place.line, place.column, place.end_line, place.end_column) >= 0) {
        place.end_line = place.end_column = 0;
    }
    to->severity = severity_of(level);
    to->rule = str_of(arena_printf(arena, "SC%04u", code));
    to->text = diagnostic_text(reading->out, message);
    to->help = str_of(arena_printf(arena, "https://www.shellcheck.net/wiki/SC%04u", code));
    to->file = arena_copy(arena, file);
    to->place = place;
    if (code == CODE_NOT_SUPPORTED && !reading->out->failure.size) {
        reading->out->failure = str_of(arena_printf(arena, "%.*s: %.*s", STR_ARG(to->file),
                                                    STR_ARG(to->text)));
    }
    return take_fix(reading, comment, to);
}

int shellcheck_json_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct reading reading = { .out = out, .err = err };
    yyjson_val *list, *comment;
    yyjson_arr_iter items;
    yyjson_doc *doc;
    int rc = json_read(text, &doc, err);

    if (rc != 0) return err_wrap(err, "shellcheck's report");
    list = yyjson_obj_get(yyjson_doc_get_root(doc), "comments");
    items = yyjson_arr_iter_with(list);
    if (!yyjson_is_arr(list)) {
        rc = err_set(err, ERR_FORMAT, "there are no comments: it is not of the format json1");
    }
    while (rc == 0 && (comment = yyjson_arr_iter_next(&items))) {
        rc = take_comment(&reading, comment);
    }
    yyjson_doc_free(doc);
    if (rc != 0) return err_wrap(err, "shellcheck's report");
    return 0;
}
