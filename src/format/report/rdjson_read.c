/* SPDX-License-Identifier: Apache-2.0
 *
 * rdjson_read.c - reviewdog's formats: rdjson, one object with `diagnostics`, and rdjsonl, one
 * diagnostic per line.
 *
 * Which of the two it is the first line says: an object by itself and without `diagnostics` begins
 * rdjsonl. Members are read as protobuf's JSON allows: a number may be a text, null is missing, a
 * severity is a word or its number.
 *
 * 1. Nothing is not a report. rdjsonl without a line looks like a tool that died, and "{}" like
 *    anything: both are ERR_FORMAT. {"diagnostics":[]} is a tool that found nothing.
 * 2. A diagnostic that is no object, has a key twice or no message is ERR_FORMAT, with its line.
 * 3. Places are lenient, fixes are not: a suggestion whose range cannot be told is left out.
 * 4. Columns are bytes, from 1. A range without columns is whole lines, and one with a start only
 *    a point. A suggestion for whole lines that ends in a line end, or is empty, replaces the last
 *    line's end, too: else it would leave an empty line behind.
 * 5. Each suggestion is a fix of its own: the format does not say that some belong together.
 *
 * Not here: related locations and original output, which have no place in a diagnostic. */

#include "format/json/json.h"
#include "format/json/json_walk.h"
#include "format/report/diagnostic.h"
#include "format/text/words.h"

#include <assert.h>
#include <string.h>

enum { PATH_BYTES_MAX = 4096 };

/* What a report says for all of its diagnostics. */
struct defaults {
    yyjson_val *severity;
};

static yyjson_val *member(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_null(value) ? NULL : value;
}

/* A line or column: from 1, or 0 where it is missing. False for anything else. */
static bool read_count(yyjson_val *position, const char *key, uint32_t *out)
{
    yyjson_val *value = member(position, key);
    uint64_t number = 0;
    double real = yyjson_get_real(value);

    *out = 0;
    if (!value) return true;
    if (yyjson_is_uint(value)) {
        number = yyjson_get_uint(value);
    } else if (yyjson_is_str(value)) {
        if (!str_number(json_str(position, key), &number)) return false;
    } else if (yyjson_is_real(value) && real >= 0 && real <= INT32_MAX) {
        number = (uint64_t)real;
        if ((double)number != real) return false;
    } else {
        return false;
    }
    if (number > INT32_MAX) return false;
    *out = (uint32_t)number;
    return true;
}

/* False when it cannot be told exactly: *out then has the part that can. */
static bool read_range(yyjson_val *range, struct place *out)
{
    yyjson_val *start = member(range, "start");
    yyjson_val *end = member(range, "end");
    bool good;

    *out = (struct place){ .unit = COLUMN_BYTES };
    good = read_count(start, "line", &out->line);
    if (!good || out->line == 0) return false;
    good = read_count(start, "column", &out->column);
    good = read_count(end, "line", &out->end_line) && good;
    good = read_count(end, "column", &out->end_column) && good;
    if (out->end_column && out->column == 0 && good) out->column = 1;
    if (out->end_line == 0 && (out->end_column || out->column == 0)) out->end_line = out->line;
    if (out->end_line && out->end_line < out->line) good = false;
    if (out->end_line == out->line && out->end_column && out->end_column < out->column) {
        good = false;
    }
    if (!good) out->end_line = out->end_column = 0;
    return good;
}

static enum severity read_severity(yyjson_val *value)
{
    static const struct { const char *word; enum severity severity; } severities[] = {
        { "UNKNOWN_SEVERITY", SEVERITY_MEDIUM },
        { "ERROR", SEVERITY_HIGH },
        { "WARNING", SEVERITY_MEDIUM },
        { "INFO", SEVERITY_LOW },
    };
    enum { COUNT = sizeof severities / sizeof *severities };
    struct str word = json_value(value);

    if (!value) return SEVERITY_MEDIUM;
    if (yyjson_is_uint(value) && yyjson_get_uint(value) < COUNT) {
        return severities[yyjson_get_uint(value)].severity;
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (word_is(word, severities[i].word)) return severities[i].severity; /* some: small */
    }
    return SEVERITY_HIGH;
}

static bool is_unknown(yyjson_val *severity)
{
    return !severity || yyjson_equals_str(severity, "UNKNOWN_SEVERITY") ||
           (yyjson_is_uint(severity) && yyjson_get_uint(severity) == 0);
}

static void read_suggestion(struct diagnostics *out, struct diagnostic *item,
                            yyjson_val *suggestion)
{
    yyjson_val *value = member(suggestion, "text");
    struct str text = json_str(suggestion, "text");
    struct place place;
    struct tool_fix *fix;

    if (!yyjson_is_obj(suggestion) || (value && !yyjson_is_str(value))) return;
    if (text.size > DIAGNOSTIC_EDIT_BYTES_MAX || item->file.size == 0) return;
    if (!read_range(member(suggestion, "range"), &place)) return;
    if (place.column == 0 && (text.size == 0 || text.data[text.size - 1] == '\n')) {
        place.column = place.end_column = 1;
        place.end_line++;
    } else if (place.end_line == 0) {
        place.end_line = place.line;
        place.end_column = place.column;
    }
    fix = diagnostic_fix_add(out, item);
    *tool_edit_add(out, fix) = (struct tool_edit){
        .file = item->file, .place = place, .text = arena_copy(&out->arena, text)
    };
}

static int read_place(struct diagnostics *out, struct diagnostic *item, yyjson_val *location,
                      struct err *err)
{
    struct str path = json_str(location, "path");

    if (path.size > PATH_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "a path is longer than %d bytes", PATH_BYTES_MAX);
    }
    if (str_has(path, '\0')) return err_set(err, ERR_FORMAT, "a path has a NUL in it");
    item->file = diagnostic_text(out, path);
    if (path.size) read_range(member(location, "range"), &item->place);
    return 0;
}

static int read_diagnostic(struct diagnostics *out, yyjson_val *value,
                           const struct defaults *defaults, struct err *err)
{
    yyjson_arr_iter suggestions = yyjson_arr_iter_with(member(value, "suggestions"));
    yyjson_val *severity = member(value, "severity");
    yyjson_val *code = member(value, "code");
    struct str message = json_str(value, "message");
    struct str source = json_str(member(value, "source"), "name");
    struct diagnostic *item;
    yyjson_val *suggestion;
    int rc;

    if (!yyjson_is_obj(value)) return err_set(err, ERR_FORMAT, "is not an object");
    if (json_has_duplicates(value)) return err_set(err, ERR_FORMAT, "has a key twice");
    if (message.size == 0) return err_set(err, ERR_FORMAT, "has no message");
    item = diagnostic_add(out);
    if (!item) return err_set(err, ERR_LIMIT, "is one more than %d", DIAGNOSTICS_MAX);
    item->severity = read_severity(is_unknown(severity) ? defaults->severity : severity);
    item->text = diagnostic_text(out, message);
    item->rule = diagnostic_text(out, json_str(code, "value"));
    item->help = diagnostic_text(out, json_str(code, "url"));
    if (out->tool.size == 0 && source.size) out->tool = diagnostic_text(out, source);
    rc = read_place(out, item, member(value, "location"), err);
    if (rc != 0) return rc;
    while ((suggestion = yyjson_arr_iter_next(&suggestions))) {
        read_suggestion(out, item, suggestion);
    }
    return 0;
}

/* The line of diagnostics[at]. */
static uint32_t line_of(struct str text, uint32_t at)
{
    struct json_walk walk = json_walk_start(text);

    if (json_walk_member(walk, "diagnostics", &walk) == 0 || !json_walk_enter(&walk)) return 0;
    for (uint32_t i = 0; json_walk_next(&walk, NULL) && i < at; i++) json_walk_skip(&walk);
    return walk.line;
}

static int read_whole(struct str text, yyjson_val *root, struct diagnostics *out, struct err *err)
{
    struct defaults defaults = { .severity = member(root, "severity") };
    struct str source = json_str(member(root, "source"), "name");
    yyjson_val *list = yyjson_obj_get(root, "diagnostics");
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    uint32_t line = json_walk_start(text).line;
    yyjson_val *value;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "line %u: not an object", line);
    if (json_has_duplicates(root)) {
        return err_set(err, ERR_FORMAT, "line %u: the object has a key twice", line);
    }
    if (!yyjson_is_arr(list)) {
        return err_set(err, ERR_FORMAT, "line %u: there is no list of diagnostics", line);
    }
    out->tool = diagnostic_text(out, source);
    for (uint32_t at = 0; (value = yyjson_arr_iter_next(&iter)); at++) {
        if (read_diagnostic(out, value, &defaults, err) == 0) continue;
        return err_wrap(err, "line %u: diagnostics[%u]", line_of(text, at), at);
    }
    return 0;
}

/* json_read() of one line calls it line 1. */
static int read_line(struct str line, uint32_t number, struct diagnostics *out, struct err *err)
{
    const struct defaults none = { 0 };
    const char prefix[] = "line 1: ";
    yyjson_doc *doc;
    int rc;

    rc = json_read(line, &doc, err);
    if (rc != 0) {
        struct err inner = *err;
        bool cut = str_starts(str_of(inner.text), str_of(prefix));
        return err_set(err, rc, "line %u: %s", number, inner.text + (cut ? strlen(prefix) : 0));
    }
    rc = read_diagnostic(out, yyjson_doc_get_root(doc), &none, err);
    yyjson_doc_free(doc);
    return rc == 0 ? 0 : err_wrap(err, "line %u", number);
}

static int read_lines(struct str text, struct diagnostics *out, struct err *err)
{
    struct str line;
    int rc = 0;

    for (uint32_t number = 1; rc == 0 && str_cut(&text, '\n', &line); number++) {
        if (str_trim(line).size) rc = read_line(line, number, out, err);
    }
    return rc;
}

/* The first line that is not blank. */
static struct str first_line(struct str text)
{
    struct str line = { "", 0 };

    while (str_trim(line).size == 0 && str_cut(&text, '\n', &line)) continue;
    return str_trim(line);
}

bool rdjson_is_lines(struct str text)
{
    struct err ignored;
    yyjson_doc *doc;
    bool lines = false;

    if (json_read(first_line(text), &doc, &ignored) == 0) {
        yyjson_val *root = yyjson_doc_get_root(doc);
        lines = yyjson_obj_size(root) > 0 && !yyjson_obj_get(root, "diagnostics");
    }
    yyjson_doc_free(doc);
    return lines;
}

int rdjson_read(struct str text, struct diagnostics *out, struct err *err)
{
    const struct str mark = STR("\xef\xbb\xbf");
    yyjson_doc *doc = NULL;
    int rc;

    assert(out->count == 0);
    if (str_starts(text, mark)) text = str_skip(text, mark.size);
    if (rdjson_is_lines(text)) {
        rc = read_lines(text, out, err);
    } else {
        rc = json_read(text, &doc, err);
        if (rc == 0) rc = read_whole(text, yyjson_doc_get_root(doc), out, err);
        yyjson_doc_free(doc);
    }
    return rc == 0 ? 0 : err_wrap(err, "rdjson");
}
