/* SPDX-License-Identifier: Apache-2.0
 *
 * clippy_json.c - what `cargo clippy --message-format=json` writes, an object in each line:
 *
 *     {"reason":"compiler-message","message":{"level":"warning","message":"length comparison ...",
 *       "code":{"code":"clippy::len_zero"},"spans":[{"file_name":"src/main.rs","is_primary":true,
 *         "line_start":3,"column_start":8,"line_end":3,"column_end":20, ...}],
 *       "children":[{"level":"help","message":"use is_empty","spans":[{"byte_start":53,
 *         "byte_end":65,"suggested_replacement":"v.is_empty()",
 *         "suggestion_applicability":"MachineApplicable","file_name":"src/main.rs"}]}]}}
 *     {"reason":"build-finished","success":true}
 *
 * 1. A report without its last line was cut short and is refused.
 * 2. A child with replacements is one fix. MachineApplicable is safe by rustc's own word, and
 *    MaybeIncorrect risky; other fixes have gaps for a person to fill, and are none.
 * 3. A message without a place sums others up, or is about cargo: an error of that kind is the
 *    failure where no other error is there to explain it. */
#include "format/report/report_json.h"

struct clippy_reading {
    struct diagnostics *out;
    bool finished, severe;
    struct str last; /* an error without a place */
    struct err *err;
};

static bool span_place(yyjson_val *span, struct place *out)
{
    *out = (struct place){ .unit = COLUMN_CODE_POINTS };
    return report_number(span, "line_start", &out->line) &&
           report_number(span, "column_start", &out->column) &&
           report_number(span, "line_end", &out->end_line) &&
           report_number(span, "column_end", &out->end_column);
}

static yyjson_val *primary_span(yyjson_val *message)
{
    yyjson_arr_iter spans = yyjson_arr_iter_with(yyjson_obj_get(message, "spans"));
    yyjson_val *span;

    while ((span = yyjson_arr_iter_next(&spans))) {
        if (yyjson_is_true(yyjson_obj_get(span, "is_primary"))) return span;
    }
    return NULL;
}

static int edit_take(struct clippy_reading *reading, yyjson_val *span, struct tool_fix *fix,
                     bool *usable)
{
    yyjson_val *text = yyjson_obj_get(span, "suggested_replacement");
    struct str word = json_str(span, "suggestion_applicability");
    struct str file = json_str(span, "file_name");
    struct place place = { .by_offset = true };

    if (!text || yyjson_is_null(text)) return 0;
    if (!yyjson_is_str(text) || !json_uint(span, "byte_start", &place.offset) ||
        !json_uint(span, "byte_end", &place.end_offset)) {
        return err_set(reading->err, ERR_FORMAT, "a replacement has no place or no text");
    }
    if (str_is(word, "MaybeIncorrect")) fix->class = FIX_RISKY;
    else if (!str_is(word, "MachineApplicable")) *usable = false;
    file = arena_copy(&reading->out->arena, file);
    *usable = *usable && file.size > 0 &&
              report_edit(reading->out, fix, file, &place, json_value(text));
    return 0;
}

static int child_take(struct clippy_reading *reading, yyjson_val *child, struct diagnostic *to)
{
    yyjson_arr_iter spans = yyjson_arr_iter_with(yyjson_obj_get(child, "spans"));
    struct str text = json_str(child, "message");
    struct tool_fix fix = { .class = FIX_SAFE };
    bool usable = true;
    yyjson_val *span;
    int rc = 0;

    while (rc == 0 && (span = yyjson_arr_iter_next(&spans))) {
        rc = edit_take(reading, span, &fix, &usable);
    }
    fix.text = diagnostic_text(reading->out, text);
    if (rc == 0 && usable && fix.count > 0) *diagnostic_fix_add(reading->out, to) = fix;
    if (to->help.size == 0 && str_is(json_str(child, "level"), "help")) {
        to->help = diagnostic_text(reading->out, text);
    }
    return rc;
}

static int message_take(struct clippy_reading *reading, yyjson_val *message)
{
    yyjson_arr_iter children = yyjson_arr_iter_with(yyjson_obj_get(message, "children"));
    struct str level = json_str(message, "level"), text = json_str(message, "message");
    struct str code = json_str(yyjson_obj_get(message, "code"), "code");
    bool severe = str_starts(level, STR("error"));
    yyjson_val *span = primary_span(message), *child;
    struct diagnostic *to;
    struct place place;
    int rc = 0;

    if (level.size == 0) return err_set(reading->err, ERR_FORMAT, "a message has no level");
    if (!span) {
        if (severe) reading->last = diagnostic_text(reading->out, text);
        return 0;
    }
    if (!severe && !str_is(level, "warning")) return 0;
    if (!span_place(span, &place)) return err_set(reading->err, ERR_FORMAT, "a place is no place");
    to = report_add(reading->out, json_str(span, "file_name"), text, code, reading->err);
    if (!to) return (int)reading->err->code;
    to->severity = severe ? SEVERITY_HIGH : SEVERITY_MEDIUM;
    to->place = place;
    place_settle(&to->place);
    reading->severe = reading->severe || severe;
    while (rc == 0 && (child = yyjson_arr_iter_next(&children))) {
        rc = child_take(reading, child, to);
    }
    return rc;
}

static int line_take(struct clippy_reading *reading, struct str line)
{
    yyjson_doc *doc;
    yyjson_val *root;
    struct str reason;
    int rc = json_read(line, &doc, reading->err);

    if (rc != 0) return rc;
    root = yyjson_doc_get_root(doc);
    reason = json_str(root, "reason");
    if (!yyjson_is_obj(root) || reason.size == 0) {
        rc = err_set(reading->err, ERR_FORMAT, "it is no object with a reason");
    } else if (reading->finished) {
        rc = err_set(reading->err, ERR_FORMAT, "something stands behind the end");
    } else if (str_is(reason, "compiler-message")) {
        rc = message_take(reading, yyjson_obj_get(root, "message"));
    }
    reading->finished = str_is(reason, "build-finished");
    yyjson_doc_free(doc);
    return rc;
}

int clippy_json_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct clippy_reading reading = { .out = out, .err = err };
    struct str line;

    for (uint32_t number = 1; str_cut(&text, '\n', &line); number++) {
        if (str_trim(line).size == 0) continue;
        if (line_take(&reading, line) == 0) continue;
        return err_wrap(err, "clippy's report: line %u", number);
    }
    if (!reading.finished) {
        return err_set(err, ERR_FORMAT, "clippy's report has no end (build-finished)");
    }
    if (!reading.severe && reading.last.size) out->failure = reading.last;
    return 0;
}
