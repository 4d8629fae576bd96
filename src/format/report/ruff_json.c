/* SPDX-License-Identifier: Apache-2.0
 *
 * ruff_json.c - what `ruff check --output-format json` writes:
 *
 *     [{"code":"F401","message":"`os` imported but unused","filename":"/w/a.py",
 *       "location":{"row":1,"column":8},"end_location":{"row":1,"column":10},
 *       "fix":{"applicability":"safe","message":"Remove unused import: `os`","edits":[
 *         {"content":"","location":{"row":1,"column":1},"end_location":{"row":2,"column":1}}]},
 *       "url":"https://docs.astral.sh/ruff/rules/unused-import"}]
 *
 * Columns count characters. A fix is safe or "unsafe" by ruff's own word; one that is only for
 * display is none. A file that cannot be parsed has a code of null, or invalid-syntax: severe. */
#include "format/report/report_json.h"

static bool point_read(yyjson_val *value, uint32_t *line, uint32_t *column)
{
    return report_number(value, "row", line) && report_number(value, "column", column);
}

static bool ruff_place(yyjson_val *object, struct place *out)
{
    *out = (struct place){ .unit = COLUMN_CODE_POINTS };
    return point_read(yyjson_obj_get(object, "location"), &out->line, &out->column) &&
           point_read(yyjson_obj_get(object, "end_location"), &out->end_line, &out->end_column);
}

static int fix_take(yyjson_val *value, struct diagnostic *to, struct diagnostics *out,
                    struct err *err)
{
    struct str applicability = json_str(value, "applicability");
    bool safe = str_is(applicability, "safe"), usable;
    yyjson_val *list = yyjson_obj_get(value, "edits"), *edit;
    yyjson_arr_iter edits = yyjson_arr_iter_with(list);
    struct tool_fix fix = { .class = safe ? FIX_SAFE : FIX_RISKY };

    if (!value || yyjson_is_null(value)) return 0;
    if (!yyjson_is_arr(list)) return err_set(err, ERR_FORMAT, "its fix has no edits");
    usable = safe || str_is(applicability, "unsafe");
    while ((edit = yyjson_arr_iter_next(&edits))) {
        struct place place;

        if (!ruff_place(edit, &place) || !yyjson_is_str(yyjson_obj_get(edit, "content"))) {
            return err_set(err, ERR_FORMAT, "an edit has no place or no content");
        }
        usable = usable && report_edit(out, &fix, to->file, &place, json_str(edit, "content"));
    }
    fix.text = diagnostic_text(out, json_str(value, "message"));
    if (usable && fix.count > 0) *diagnostic_fix_add(out, to) = fix;
    return 0;
}

static bool is_severe(struct str code)
{
    return code.size == 0 || str_is(code, "invalid-syntax") || str_starts(code, STR("E9")) ||
           str_starts(code, STR("F82")) || str_starts(code, STR("F7"));
}

static int result_take(yyjson_val *value, struct diagnostics *out, struct err *err)
{
    struct str code = json_str(value, "code");
    struct place place;
    struct diagnostic *to;

    if (!ruff_place(value, &place)) return err_set(err, ERR_FORMAT, "its place is no place");
    to = report_add(out, json_str(value, "filename"), json_str(value, "message"),
                    code.size ? code : STR("invalid-syntax"), err);
    if (!to) return (int)err->code;
    to->severity = is_severe(code) ? SEVERITY_HIGH : SEVERITY_MEDIUM;
    to->help = diagnostic_text(out, json_str(value, "url"));
    to->place = place;
    place_settle(&to->place);
    return fix_take(yyjson_obj_get(value, "fix"), to, out, err);
}

int ruff_json_read(struct str text, struct diagnostics *out, struct err *err)
{
    static const struct report_list list = { "ruff's report", "result", result_take };

    return report_list_read(&list, text, out, err);
}
