/* SPDX-License-Identifier: Apache-2.0
 *
 * markdownlint_json.c - what `markdownlint --json` writes:
 *
 *     [{"fileName":"a.md","lineNumber":3,"ruleNames":["MD009","no-trailing-spaces"],
 *       "ruleDescription":"Trailing spaces","ruleInformation":"https://...",
 *       "errorDetail":"Expected: 0 or 2; Actual: 1","errorRange":[8,1],
 *       "fixInfo":{"lineNumber":3,"editColumn":8,"deleteCount":1,"insertText":""}}]
 *
 * A fix is in one line: its own or that of the finding, at a column (1 where it is not said);
 * deleteCount -1 takes the whole line. Columns count UTF-16 units. All of it is a matter of style.
 * Where nothing is found, the report may be empty. */
#include "format/report/report_json.h"

static int fix_take(yyjson_val *fix, struct diagnostic *to, struct diagnostics *out,
                    struct err *err)
{
    yyjson_val *gone = yyjson_obj_get(fix, "deleteCount");
    yyjson_val *text = yyjson_obj_get(fix, "insertText");
    bool whole_line = yyjson_is_sint(gone) && yyjson_get_sint(gone) == -1;
    struct place place = { .unit = COLUMN_UTF16 };
    struct tool_fix added = { .class = FIX_SAFE };
    uint32_t count = 0;

    if (!fix || yyjson_is_null(fix)) return 0;
    if (!report_number(fix, "lineNumber", &place.line) ||
        !report_number(fix, "editColumn", &place.column) ||
        (!whole_line && !report_number(fix, "deleteCount", &count)) ||
        (text && !yyjson_is_str(text) && !yyjson_is_null(text))) {
        return err_set(err, ERR_FORMAT, "its fix has a member that is no number or no text");
    }
    if (place.line == 0) place.line = to->place.line;
    if (place.column == 0) place.column = 1;
    if (count > UINT32_MAX - place.column) return 0;
    place.end_line = place.line + whole_line;
    place.end_column = whole_line ? 1 : place.column + count;
    if (report_edit(out, &added, to->file, &place, json_value(text))) {
        *diagnostic_fix_add(out, to) = added;
    }
    return 0;
}

static struct str text_of(yyjson_val *value, struct arena *arena)
{
    struct str text = json_str(value, "ruleDescription"), detail = json_str(value, "errorDetail");

    if (text.size == 0 || detail.size == 0) return text;
    return str_of(arena_printf(arena, "%.*s (%.*s)", STR_ARG(text), STR_ARG(detail)));
}

static int result_take(yyjson_val *value, struct diagnostics *out, struct err *err)
{
    yyjson_val *range = yyjson_obj_get(value, "errorRange");
    yyjson_val *column = yyjson_arr_get(range, 0), *count = yyjson_arr_get(range, 1);
    struct str rule = json_value(yyjson_arr_get_first(yyjson_obj_get(value, "ruleNames")));
    struct diagnostic *to;
    uint32_t line;

    if (!report_number(value, "lineNumber", &line)) {
        return err_set(err, ERR_FORMAT, "its line is no number");
    }
    to = report_add(out, json_str(value, "fileName"), text_of(value, &out->arena), rule, err);
    if (!to) return (int)err->code;
    to->severity = SEVERITY_LOW;
    to->help = diagnostic_text(out, json_str(value, "ruleInformation"));
    to->place = (struct place){ .line = line, .unit = COLUMN_UTF16 };
    if (line && yyjson_is_uint(column) && yyjson_is_uint(count) &&
        yyjson_get_uint(column) + yyjson_get_uint(count) < UINT32_MAX &&
        yyjson_get_uint(column) < UINT32_MAX) {
        to->place.column = (uint32_t)yyjson_get_uint(column);
        to->place.end_line = line;
        to->place.end_column = to->place.column + (uint32_t)yyjson_get_uint(count);
    }
    place_settle(&to->place);
    return fix_take(yyjson_obj_get(value, "fixInfo"), to, out, err);
}

int markdownlint_json_read(struct str text, struct diagnostics *out, struct err *err)
{
    static const struct report_list list = { "markdownlint's report", "result", result_take };

    if (str_trim(text).size == 0) return 0;
    return report_list_read(&list, text, out, err);
}
