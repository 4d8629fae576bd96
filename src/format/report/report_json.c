/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/report_json.h"

enum { PATH_BYTES_MAX = 4096 };

bool report_number(yyjson_val *object, const char *key, uint32_t *out)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    *out = 0;
    if (!value || yyjson_is_null(value)) return true;
    if (!yyjson_is_uint(value) || yyjson_get_uint(value) >= UINT32_MAX) return false;
    *out = (uint32_t)yyjson_get_uint(value);
    return true;
}

int report_list_read(const struct report_list *list, struct str text, struct diagnostics *out,
                     struct err *err)
{
    yyjson_doc *doc;
    yyjson_arr_iter items;
    yyjson_val *item, *root;
    uint32_t number = 0;
    int rc = json_read(text, &doc, err);

    if (rc != 0) return err_wrap(err, "%s", list->name);
    root = yyjson_doc_get_root(doc);
    if (!yyjson_is_arr(root)) rc = err_set(err, ERR_FORMAT, "%s is no list", list->name);
    items = yyjson_arr_iter_with(root);
    while (rc == 0 && (item = yyjson_arr_iter_next(&items))) {
        number++;
        if (!yyjson_is_obj(item)) rc = err_set(err, ERR_FORMAT, "it is no object");
        else rc = list->take(item, out, err);
        if (rc != 0) err_wrap(err, "%s: %s %u", list->name, list->one, number);
    }
    yyjson_doc_free(doc);
    return rc;
}

struct diagnostic *report_add(struct diagnostics *out, struct str file, struct str text,
                              struct str rule, struct err *err)
{
    struct diagnostic *to;

    if (file.size == 0 || file.size > PATH_BYTES_MAX || str_has(file, '\0') || text.size == 0) {
        err_set(err, ERR_FORMAT, "it has no file or no message");
        return NULL;
    }
    to = diagnostic_add(out);
    if (!to) {
        err_set(err, ERR_LIMIT, "more than %d findings", DIAGNOSTICS_MAX);
        return NULL;
    }
    to->severity = SEVERITY_MEDIUM;
    to->file = arena_copy(&out->arena, file);
    to->text = diagnostic_text(out, text);
    to->rule = diagnostic_text(out, rule);
    return to;
}

static bool is_behind(const struct place *place)
{
    return place->end_line > place->line ||
           (place->end_line == place->line && place->end_column > place->column);
}

void place_settle(struct place *place)
{
    if (place->line == 0) *place = (struct place){ .unit = place->unit };
    if (place->column == 0 || place->end_column == 0 || !is_behind(place)) {
        place->end_line = place->end_column = 0;
    }
}

bool report_edit(struct diagnostics *out, struct tool_fix *fix, struct str file,
                 const struct place *place, struct str text)
{
    bool same = place->line == place->end_line && place->column == place->end_column;
    bool whole = place->line && place->column && place->end_column && (same || is_behind(place));

    if (place->by_offset) whole = place->offset <= place->end_offset;
    if (!whole || text.size > DIAGNOSTIC_EDIT_BYTES_MAX) return false;
    *tool_edit_add(out, fix) = (struct tool_edit){
        .file = file, .place = *place, .text = arena_copy(&out->arena, text),
    };
    return true;
}
