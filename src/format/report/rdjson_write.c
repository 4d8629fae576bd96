/* SPDX-License-Identifier: Apache-2.0
 *
 * rdjson_write.c - findings as reviewdog's rdjson.
 *
 * 1. Columns count bytes there as they do with us, and the end is behind the last byte: places go
 *    over as they are. An end that lies before its beginning is left out.
 * 2. A diagnostic must have a location: what is about no file in the workspace is about "." there.
 * 3. What is fixed is information, and says so: the format has no word for it.
 *
 * Not here: suggestions. They want lines and columns; our edits are byte ranges of a file that is
 * not at hand. */
#include "format/report/listing.h"

#include "format/json/json.h"
#include "format/report/uri.h"

static const char *const words[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "INFO",
    [SEVERITY_MEDIUM] = "WARNING",
    [SEVERITY_HIGH] = "ERROR",
};

static void add_position(yyjson_mut_doc *doc, yyjson_mut_val *range, const char *key,
                         uint32_t line, uint32_t column)
{
    yyjson_mut_val *position = yyjson_mut_obj_add_obj(doc, range, key);

    yyjson_mut_obj_add_uint(doc, position, "line", line);
    if (column > 0) yyjson_mut_obj_add_uint(doc, position, "column", column);
}

static void add_range(yyjson_mut_doc *doc, yyjson_mut_val *location, const struct finding *finding)
{
    bool lines = finding->column == 0 && finding->end_line > finding->line;
    bool columns = finding->column > 0 && finding->end_column > 0 &&
                   (finding->end_line > finding->line ||
                    (finding->end_line == finding->line &&
                     finding->end_column >= finding->column));
    yyjson_mut_val *range;

    if (finding->line == 0) return;
    range = yyjson_mut_obj_add_obj(doc, location, "range");
    add_position(doc, range, "start", finding->line, finding->column);
    if (lines) add_position(doc, range, "end", finding->end_line, 0);
    if (columns) add_position(doc, range, "end", finding->end_line, finding->end_column);
}

static void add_location(yyjson_mut_doc *doc, yyjson_mut_val *object,
                         const struct finding *finding)
{
    yyjson_mut_val *location = yyjson_mut_obj_add_obj(doc, object, "location");
    bool below = path_below(finding->file);

    json_add_text(doc, location, "path", below ? finding->file : STR("."));
    if (below) add_range(doc, location, finding);
}

static void add_entry(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct listing *listing,
                      const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
    bool open = finding_is_open(entry->state);
    struct buf text;

    buf_init(&text, finding->text.size + finding->kind.size + LISTING_RULE_BYTES_MAX);
    if (!open) buf_printf(&text, "%s: ", finding_state_word(entry->state));
    buf_add(&text, finding->text.size > 0 ? finding->text : finding->kind);
    if (text.size == 0) buf_text(&text, "(no text)");
    json_add_text(doc, object, "message", buf_str(&text));
    add_location(doc, object, finding);
    json_add_text(doc, object, "severity", str_of(open ? words[finding->severity] : "INFO"));
    buf_clear(&text);
    listing_rule(listing, entry, &text);
    json_add_text(doc, yyjson_mut_obj_add_obj(doc, object, "code"), "value", buf_str(&text));
    buf_release(&text);
}

void rdjson_write(const struct listing *listing, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    yyjson_mut_val *list;

    json_add_text(doc, yyjson_mut_obj_add_obj(doc, root, "source"), "name", STR("hone"));
    list = yyjson_mut_obj_add_arr(doc, root, "diagnostics");
    for (uint32_t i = 0; i < listing->count; i++) add_entry(doc, list, listing, listing->items[i]);
    json_finish(doc, true, out);
}
