/* SPDX-License-Identifier: Apache-2.0
 *
 * eslint_json.c - what `eslint --format json` writes:
 *
 *     [{"filePath":"/w/a.js","messages":[{"ruleId":"no-var","severity":2,"message":"No var",
 *        "line":1,"column":1,"endLine":1,"endColumn":11,"fix":{"range":[0,10],"text":"let a = 1;"},
 *        "suggestions":[{"desc":"Use let","fix":{...}}]}]}]
 *
 * 1. Columns and ranges count UTF-16 units; a range is from the file's beginning, behind a byte
 *    order mark.
 * 2. "fix" is what `eslint --fix` makes. A suggestion is for a person to choose: its words are
 *    help.
 * 3. A message without a rule is a file that cannot be parsed (fatal: severe), or says that the
 *    file is ignored: then there is nothing to find. */
#include "format/report/report_json.h"

static int fix_take(yyjson_val *fix, struct diagnostic *to, struct diagnostics *out,
                    struct err *err)
{
    yyjson_val *range = yyjson_obj_get(fix, "range"), *text = yyjson_obj_get(fix, "text");
    yyjson_val *start = yyjson_arr_get(range, 0), *end = yyjson_arr_get(range, 1);
    struct tool_fix added = { .class = FIX_SAFE };
    struct place place;

    if (!fix || yyjson_is_null(fix)) return 0;
    if (yyjson_arr_size(range) != 2 || !yyjson_is_int(start) || !yyjson_is_int(end) ||
        !yyjson_is_str(text)) {
        return err_set(err, ERR_FORMAT, "a fix has no range or no text");
    }
    if (!yyjson_is_uint(start) || !yyjson_is_uint(end)) return 0; /* the byte order mark itself */
    place = (struct place){ .by_offset = true, .unit = COLUMN_UTF16,
                            .offset = yyjson_get_uint(start), .end_offset = yyjson_get_uint(end) };
    if (report_edit(out, &added, to->file, &place, json_value(text))) {
        *diagnostic_fix_add(out, to) = added;
    }
    return 0;
}

static int message_take(yyjson_val *message, struct str file, struct diagnostics *out,
                        struct err *err)
{
    yyjson_val *suggestion = yyjson_arr_get_first(yyjson_obj_get(message, "suggestions"));
    bool fatal = yyjson_is_true(yyjson_obj_get(message, "fatal"));
    struct str rule = json_str(message, "ruleId");
    struct place place = { .unit = COLUMN_UTF16 };
    struct diagnostic *to;
    uint32_t severity;

    if (!report_number(message, "line", &place.line) ||
        !report_number(message, "column", &place.column) ||
        !report_number(message, "endLine", &place.end_line) ||
        !report_number(message, "endColumn", &place.end_column) ||
        !report_number(message, "severity", &severity)) {
        return err_set(err, ERR_FORMAT, "a line, a column or a severity is no number");
    }
    if (rule.size == 0 && !fatal && place.line == 0) return 0;
    to = report_add(out, file, json_str(message, "message"), rule.size ? rule : STR("parse-error"),
                    err);
    if (!to) return (int)err->code;
    to->severity = fatal || severity > 1 ? SEVERITY_HIGH : SEVERITY_MEDIUM;
    to->help = diagnostic_text(out, json_str(suggestion, "desc"));
    to->place = place;
    place_settle(&to->place);
    return fix_take(yyjson_obj_get(message, "fix"), to, out, err);
}

static int file_take(yyjson_val *value, struct diagnostics *out, struct err *err)
{
    yyjson_val *list = yyjson_obj_get(value, "messages"), *message;
    yyjson_arr_iter messages = yyjson_arr_iter_with(list);
    int rc = 0;

    if (!yyjson_is_arr(list)) return err_set(err, ERR_FORMAT, "it has no messages");
    while (rc == 0 && (message = yyjson_arr_iter_next(&messages))) {
        if (!yyjson_is_obj(message)) rc = err_set(err, ERR_FORMAT, "a message is no object");
        else rc = message_take(message, json_str(value, "filePath"), out, err);
    }
    return rc;
}

int eslint_json_read(struct str text, struct diagnostics *out, struct err *err)
{
    static const struct report_list list = { "eslint's report", "file", file_take };

    return report_list_read(&list, text, out, err);
}
