/* SPDX-License-Identifier: Apache-2.0
 *
 * gcc_json.c - what `gcc -fdiagnostics-format=json` writes to its standard error.
 *
 * Each compiler process writes one array, in a line of its own; the driver and its other helpers
 * write plain lines before and behind it. gcc does not mark the end of its report: one that is cut
 * between two arrays reads like a shorter one. So gcc is called with one unit at a time, and its
 * exit status says whether it came to its end.
 *
 * 1. No whole array: refused. An array that is not whole: refused.
 * 2. A plain line with an error in it means that gcc could not do its work: that line is the
 *    failure. So is an error without any place (no such source), and an internal one.
 * 3. Notes are no diagnostics: they are help for what they belong to. A warning that gcc made a
 *    child of another one is a diagnostic like any other.
 * 4. gcc copies bytes of the source and of names as they are: control bytes are escaped before
 *    the JSON is read, and bytes that are no UTF-8 become U+FFFD. Edits with such a text are left
 *    out: they would write U+FFFD where gcc meant other bytes.
 * 5. Columns are bytes ("column" itself counts a tab as eight; only gcc 10 and older, which have
 *    no "byte-column", count bytes in it). "finish" is the last byte, "next" the one behind. */
#include "format/report/diagnostic.h"

#include "format/json/json.h"
#include "format/report/hints.h"
#include "format/text/safe.h"
#include "format/text/utf8.h"
#include "format/text/words.h"

#include <string.h>

enum { DEPTH_MAX = 8 };

struct reading {
    struct diagnostics *out;
    uint32_t number; /* of the diagnostic that is read, from 1, children too */
    bool mended;
    struct err *err;
};

struct point {
    struct str file;
    uint32_t line, column;
};

enum weight { WEIGHT_NOTE, WEIGHT_WARNING, WEIGHT_ERROR, WEIGHT_CRASH };

/* What is not here is an error of a new kind. */
static const struct { const char *kind; enum weight weight; } kinds[] = {
    { "note", WEIGHT_NOTE },
    { "debug", WEIGHT_NOTE },
    { "warning", WEIGHT_WARNING },
    { "pedwarn", WEIGHT_WARNING },
    { "permerror", WEIGHT_WARNING },
    { "anachronism", WEIGHT_WARNING },
    { "internal compiler error", WEIGHT_CRASH },
};

static enum weight weight_of(struct str kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (str_is(kind, kinds[i].kind)) return kinds[i].weight;
    }
    return WEIGHT_ERROR;
}

static int bad(struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_FORMAT, "diagnostic %u: %s", reading->number, what);
}

/* A line or a column. gcc says -1 where it knows none. */
static int take_number(struct reading *reading, yyjson_val *object, const char *key, uint32_t *out)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    *out = 0;
    if (!value || yyjson_is_sint(value)) return 0;
    if (!yyjson_is_uint(value) || yyjson_get_uint(value) > UINT32_MAX) {
        return bad(reading, "a line or a column is no number");
    }
    *out = (uint32_t)yyjson_get_uint(value);
    return 0;
}

static int take_point(struct reading *reading, yyjson_val *value, struct point *out)
{
    bool bytes = yyjson_obj_get(value, "byte-column");
    int rc;

    *out = (struct point){ 0 };
    if (!value) return 0;
    if (!yyjson_is_obj(value)) return bad(reading, "a place is no object");
    out->file = json_str(value, "file");
    rc = take_number(reading, value, "line", &out->line);
    if (rc != 0) return rc;
    return take_number(reading, value, bytes ? "byte-column" : "column", &out->column);
}

/* Whether b is a place in the same file, and not before a. */
static bool is_behind(const struct point *a, const struct point *b)
{
    return a->column && b->column && str_eq(a->file, b->file) &&
           (b->line > a->line || (b->line == a->line && b->column >= a->column));
}

/* The caret says in which line it is, since that is what gcc shows; the range is widened to the
 * left in that line, and to the right. */
static int take_place(struct reading *reading, yyjson_val *item, struct diagnostic *to)
{
    yyjson_val *locations = yyjson_obj_get(item, "locations");
    yyjson_val *first = yyjson_arr_get_first(locations);
    struct point start, caret, finish;
    int rc;

    if (locations && !yyjson_is_arr(locations)) return bad(reading, "\"locations\" is no array");
    if (!first) return 0;
    rc = take_point(reading, yyjson_obj_get(first, "caret"), &caret);
    if (rc == 0) rc = take_point(reading, yyjson_obj_get(first, "start"), &start);
    if (rc == 0) rc = take_point(reading, yyjson_obj_get(first, "finish"), &finish);
    if (rc != 0) return rc;
    to->file = arena_copy(&reading->out->arena, caret.file);
    if (!caret.file.size || !caret.line) return 0;

    to->place.unit = COLUMN_BYTES;
    to->place.line = caret.line;
    to->place.column = caret.column;
    if (is_behind(&start, &caret) && start.line == caret.line) to->place.column = start.column;
    if (!finish.line) finish = caret;
    if (is_behind(&caret, &finish) && finish.column < UINT32_MAX) {
        to->place.end_line = finish.line;
        to->place.end_column = finish.column + 1;
    }
    return 0;
}

static bool is_doubtful(const struct reading *reading, struct str text)
{
    return reading->mended && text_has(text, "\xef\xbf\xbd");
}

/* Adds the edit to fix, or sets *usable to false where the fix cannot be trusted with it. */
static int take_edit(struct reading *reading, yyjson_val *value, struct tool_fix *fix, bool *usable)
{
    yyjson_val *string = yyjson_obj_get(value, "string");
    struct str text = json_value(string);
    struct point start, next;
    struct tool_edit *edit;
    int rc;

    if (!yyjson_is_str(string)) return bad(reading, "a fix-it has no text");
    rc = take_point(reading, yyjson_obj_get(value, "start"), &start);
    if (rc == 0) rc = take_point(reading, yyjson_obj_get(value, "next"), &next);
    if (rc != 0) return rc;
    if (!start.file.size || !start.line || !is_behind(&start, &next) ||
        text.size > DIAGNOSTIC_EDIT_BYTES_MAX || is_doubtful(reading, text) ||
        is_doubtful(reading, start.file)) {
        *usable = false;
        return 0;
    }
    edit = tool_edit_add(reading->out, fix);
    edit->file = arena_copy(&reading->out->arena, start.file);
    edit->text = arena_copy(&reading->out->arena, text);
    edit->place = (struct place){
        .line = start.line, .column = start.column,
        .end_line = next.line, .end_column = next.column, .unit = COLUMN_BYTES,
    };
    return 0;
}

/* The fix-its of a diagnostic or of one of its notes are one fix. */
static int take_fix(struct reading *reading, yyjson_val *item, struct str words,
                    struct diagnostic *to)
{
    yyjson_val *list = yyjson_obj_get(item, "fixits");
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    struct tool_fix fix = { .text = words };
    yyjson_val *value;
    bool usable = true;
    int rc;

    if (list && !yyjson_is_arr(list)) return bad(reading, "\"fixits\" is no array");
    while ((value = yyjson_arr_iter_next(&items))) {
        rc = take_edit(reading, value, &fix, &usable);
        if (rc != 0) return rc;
    }
    if (usable && fix.count) *diagnostic_fix_add(reading->out, to) = fix;
    return 0;
}

/* The way to the place that the analyzer found. */
static int hints_from_path(struct reading *reading, yyjson_val *item, struct str home,
                           struct hints *hints)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(yyjson_obj_get(item, "path"));
    yyjson_val *step;
    struct point point;

    while ((step = yyjson_arr_iter_next(&items))) {
        int rc = take_point(reading, yyjson_obj_get(step, "location"), &point);
        if (rc != 0) return rc;
        hints_add_in(hints, json_str(step, "description"), point.file, home, point.line);
    }
    return 0;
}

static void finish_hints(struct reading *reading, yyjson_val *item, struct hints *hints,
                        struct diagnostic *to)
{
    struct str url = json_str(item, "option_url");
    uint64_t cwe;

    if (json_uint(yyjson_obj_get(item, "metadata"), "cwe", &cwe) && cwe <= UINT32_MAX) {
        const char *name = arena_printf(&reading->out->arena, "CWE-%u", (uint32_t)cwe);
        if (!to->rule.size) to->rule = str_of(name);
        else hints_add(hints, str_of(name), 0);
    }
    hints_add_last(hints, url);
    to->help = hints_text(hints, reading->out);
}

/* "-Werror=unused" is the project's word for how much it minds "-Wunused". */
static struct str take_rule(struct reading *reading, struct str option)
{
    if (!str_starts(option, STR("-Werror="))) return arena_copy(&reading->out->arena, option);
    return str_of(arena_printf(&reading->out->arena, "-W%.*s", STR_ARG(str_skip(option, 8))));
}

static enum severity severity_of(enum weight weight, struct str rule)
{
    if (weight != WEIGHT_WARNING || str_starts(rule, STR("-Wanalyzer-"))) return SEVERITY_HIGH;
    return SEVERITY_MEDIUM;
}

static int take_item(struct reading *reading, yyjson_val *item, uint32_t depth);

static int take_note(struct reading *reading, yyjson_val *note, struct hints *hints,
                     struct diagnostic *to)
{
    struct diagnostic place = { 0 };
    struct str words = json_str(note, "message");
    int rc = take_place(reading, note, &place);

    if (rc != 0) return rc;
    hints_add_in(hints, words, place.file, to->file, place.place.line);
    return take_fix(reading, note, diagnostic_text(reading->out, words), to);
}

/* Notes become help and fixes of the parent, in *to; everything else is a diagnostic. */
static int take_children(struct reading *reading, yyjson_val *item, struct hints *hints,
                         struct diagnostic *to, uint32_t depth)
{
    yyjson_val *list = yyjson_obj_get(item, "children");
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    yyjson_val *child;
    int rc = 0;

    if (list && !yyjson_is_arr(list)) return bad(reading, "\"children\" is no array");
    while (rc == 0 && (child = yyjson_arr_iter_next(&items))) {
        if (to && weight_of(json_str(child, "kind")) == WEIGHT_NOTE) {
            rc = take_note(reading, child, hints, to);
        } else {
            rc = take_item(reading, child, depth + 1);
        }
    }
    return rc;
}

/* *to is filled beside the list, which may move while children are added to it. */
static int fill(struct reading *reading, yyjson_val *item, struct diagnostic *to, uint32_t depth)
{
    enum weight weight = weight_of(json_str(item, "kind"));
    struct str message = json_str(item, "message");
    struct hints hints;
    int rc;

    to->rule = take_rule(reading, json_str(item, "option"));
    to->severity = severity_of(weight, to->rule);
    to->text = diagnostic_text(reading->out, message.size ? message : json_str(item, "kind"));
    rc = take_place(reading, item, to);
    if (rc == 0) rc = take_fix(reading, item, (struct str){ 0 }, to);
    if (rc != 0) return rc;

    hints_init(&hints);
    rc = hints_from_path(reading, item, to->file, &hints);
    if (rc == 0) rc = take_children(reading, item, &hints, to, depth);
    if (rc == 0) finish_hints(reading, item, &hints, to);
    hints_release(&hints);
    if (rc != 0) return rc;

    if (weight == WEIGHT_CRASH || (weight == WEIGHT_ERROR && !to->file.size)) {
        if (!reading->out->failure.size) reading->out->failure = to->text;
    }
    return 0;
}

static int take_item(struct reading *reading, yyjson_val *item, uint32_t depth)
{
    struct diagnostic filled = { 0 }, *added;
    uint32_t at = reading->out->count;
    int rc;

    reading->number++;
    if (!yyjson_is_obj(item)) return bad(reading, "it is no object");
    if (!yyjson_is_str(yyjson_obj_get(item, "kind"))) return bad(reading, "it has no kind");
    if (!yyjson_is_str(yyjson_obj_get(item, "message"))) return bad(reading, "it has no message");
    if (depth > DEPTH_MAX) return bad(reading, "it has too many levels of children");
    if (weight_of(json_str(item, "kind")) == WEIGHT_NOTE) {
        return take_children(reading, item, NULL, NULL, depth);
    }
    added = diagnostic_add(reading->out);
    if (!added) {
        return err_set(reading->err, ERR_LIMIT, "more than %d diagnostics", DIAGNOSTICS_MAX);
    }
    rc = fill(reading, item, &filled, depth);
    reading->out->items[at] = filled;
    return rc;
}

/* The bytes of the array at the beginning of text; 0 where it does not end. */
static size_t array_bytes(struct str text)
{
    uint32_t depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];

        if (byte == '"') quoted = !quoted;
        else if (quoted && byte == '\\') i++;
        else if (!quoted && (byte == '[' || byte == '{')) depth++;
        else if (!quoted && (byte == ']' || byte == '}') && --depth == 0) return i + 1;
    }
    return 0;
}

/* Not every line that begins with a bracket is JSON: "[ 50%] Building ..." is not. */
static bool is_array(struct str text)
{
    if (text.size == 0 || text.data[0] != '[') return false;
    text = str_skip(text, 1);
    while (text.size && str_has(STR(" \t\r\n"), text.data[0])) text = str_skip(text, 1);
    return text.size == 0 || text.data[0] == '{' || text.data[0] == ']';
}

static bool is_control(uint32_t code)
{
    return code < ' ' && code != '\t' && code != '\n' && code != '\r';
}

static bool needs_mending(struct str text)
{
    if (utf8_prefix(text) < text.size) return true;
    for (size_t i = 0; i < text.size; i++) {
        if (is_control((unsigned char)text.data[i])) return true;
    }
    return false;
}

/* Invariant 4. True: some bytes are not what they were. */
static bool mend(struct str text, struct buf *out)
{
    bool replaced = false;

    while (text.size) {
        uint32_t code;
        size_t bytes = utf8_next(text, &code);

        if (bytes == 0) {
            buf_text(out, "\xef\xbf\xbd");
            replaced = true;
        } else if (is_control(code)) {
            buf_printf(out, "\\u%04x", code);
        } else {
            buf_add(out, (struct str){ text.data, bytes });
        }
        text = str_skip(text, bytes ? bytes : 1);
    }
    return replaced;
}

static int read_array(struct str text, struct diagnostics *out, struct err *err)
{
    struct reading reading = { .out = out, .err = err };
    yyjson_arr_iter items;
    yyjson_val *item;
    yyjson_doc *doc;
    struct buf mended;
    int rc;

    buf_init(&mended, text.size * 6);
    if (needs_mending(text)) {
        reading.mended = mend(text, &mended);
        text = buf_str(&mended);
    }
    rc = json_read(text, &doc, err);
    items = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
    while (rc == 0 && (item = yyjson_arr_iter_next(&items))) rc = take_item(&reading, item, 0);
    yyjson_doc_free(doc);
    buf_release(&mended);
    return rc;
}

/* A line of the driver, the assembler or the linker. */
static void take_line(struct str line, struct diagnostics *out)
{
    static const char *const words[] = {
        ": error: ", ": fatal error: ", ": internal compiler error: ", ": Error: ",
    };

    for (size_t i = 0; i < sizeof words / sizeof *words && !out->failure.size; i++) {
        if (text_has(line, words[i])) out->failure = diagnostic_text(out, str_trim(line));
    }
}

static int no_report(const struct diagnostics *out, struct err *err)
{
    struct arena arena = { 0 };
    int rc = err_set(err, ERR_FORMAT, "gcc wrote no report%s%s", out->failure.size ? ": " : "",
                     safe_copy(&arena, out->failure, 400));

    arena_release(&arena);
    return rc;
}

int gcc_json_read(struct str text, struct diagnostics *out, struct err *err)
{
    uint32_t arrays = 0;

    while (text.size) {
        struct str line = { 0 };

        if (is_array(text)) {
            size_t bytes = array_bytes(text);
            int rc;

            if (bytes == 0) return err_set(err, ERR_FORMAT, "gcc's report has no end");
            rc = read_array((struct str){ text.data, bytes }, out, err);
            if (rc != 0) return err_wrap(err, "gcc's report");
            text = str_skip(text, bytes);
            str_cut(&text, '\n', &line);
            if (str_trim(line).size) {
                return err_set(err, ERR_FORMAT, "gcc's report: there is more behind its end");
            }
            arrays++;
        } else {
            str_cut(&text, '\n', &line);
            take_line(line, out);
        }
    }
    return arrays ? 0 : no_report(out, err);
}
