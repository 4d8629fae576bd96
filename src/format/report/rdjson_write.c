/* SPDX-License-Identifier: Apache-2.0
 *
 * rdjson_write.c - findings as reviewdog's rdjson.
 *
 * 1. Columns count bytes there as they do with us, and the end is behind the last byte: places go
 *    over as they are. An end that lies before its beginning is left out.
 * 2. A diagnostic must have a location: what is about no file in the workspace is about "." there,
 *    and the message has the name that was said.
 * 3. What is fixed is information, and says so: the format has no word for it.
 * 4. What a tool proposed is a suggestion where it fits the file as it is (listing.fixes).
 * 5. The format has no word for a run that could not look: that is an error of ".", as what was not
 *    looked at is one of its file. No diagnostics means that all was looked at. */
#include "format/report/listing.h"

#include "format/json/json.h"

enum { TEXT_BYTES_MAX = 4000 };

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

/* path is empty afterwards. */
static yyjson_mut_val *add_message(yyjson_mut_doc *doc, yyjson_mut_val *list, struct str message,
                                   struct buf *path, yyjson_mut_val **location)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

    json_add_text(doc, object, "message", message);
    *location = yyjson_mut_obj_add_obj(doc, object, "location");
    json_add_text(doc, *location, "path", buf_str(path));
    buf_clear(path);
    return object;
}

static void add_code(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *severity,
                     struct str code)
{
    json_add_text(doc, object, "severity", str_of(severity));
    json_add_text(doc, yyjson_mut_obj_add_obj(doc, object, "code"), "value", code);
}

static void add_suggestion(yyjson_mut_doc *doc, yyjson_mut_val *object,
                           const struct listing_fix *fix)
{
    const struct listing_edit *edit = &fix->edits[0];
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, "suggestions");
    yyjson_mut_val *suggestion = yyjson_mut_arr_add_obj(doc, list);
    yyjson_mut_val *range = yyjson_mut_obj_add_obj(doc, suggestion, "range");

    add_position(doc, range, "start", edit->line, edit->column);
    add_position(doc, range, "end", edit->end_line, edit->end_column);
    json_add_text(doc, suggestion, "text", edit->text);
}

static void add_entry(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct listing *listing,
                      const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    const struct listing_fix *fix = listing_fix(listing, entry);
    bool open = finding_is_open(entry->state), placed;
    yyjson_mut_val *object, *location;
    struct buf text, path;

    buf_init(&text, SIZE_MAX / 4);
    buf_init(&path, SIZE_MAX / 4);
    placed = listing_path(listing, finding->file, &path);
    if (!open) buf_printf(&text, "%s: ", finding_state_word(entry->state));
    listing_words(listing, entry, &text);
    object = add_message(doc, list, str_head(buf_str(&text), TEXT_BYTES_MAX), &path, &location);
    if (placed) add_range(doc, location, finding);
    buf_clear(&text);
    listing_rule(listing, entry, &text);
    add_code(doc, object, open ? words[finding->severity] : "INFO", buf_str(&text));
    if (open && fix && fix->round == 0 && str_eq(fix->edits[0].file, finding->file)) {
        add_suggestion(doc, object, fix);
    }
    buf_release(&text);
    buf_release(&path);
}

/* What is about the run and not about a finding. */
static void add_run(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct listing *listing)
{
    const struct coverage *coverage = &listing->coverage;
    yyjson_mut_val *location;
    struct buf text, path;

    buf_init(&text, SIZE_MAX / 4);
    buf_init(&path, SIZE_MAX / 4);
    listing_end_say(listing, &text);
    if (text.size > 0) {
        buf_byte(&path, '.');
        add_code(doc, add_message(doc, list, buf_str(&text), &path, &location), "ERROR",
                 STR("hone/run"));
    }
    for (uint32_t i = 0; i < coverage->unlooked_count && i < LISTING_UNLOOKED_MAX; i++) {
        buf_clear(&text);
        unlooked_say_one(&coverage->unlooked[i], &text);
        (void)listing_path(listing, coverage->unlooked[i].file, &path);
        add_code(doc, add_message(doc, list, buf_str(&text), &path, &location), "ERROR",
                 STR("hone/coverage"));
    }
    buf_clear(&text);
    listing_left_say(listing, &text);
    if (text.size > 0) {
        buf_byte(&path, '.');
        add_code(doc, add_message(doc, list, buf_str(&text), &path, &location), "WARNING",
                 STR("hone/left-out"));
    }
    buf_release(&text);
    buf_release(&path);
}

void rdjson_write(const struct listing *listing, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    yyjson_mut_val *list;

    json_add_text(doc, yyjson_mut_obj_add_obj(doc, root, "source"), "name", STR("hone"));
    list = yyjson_mut_obj_add_arr(doc, root, "diagnostics");
    for (uint32_t i = 0; i < listing->count; i++) add_entry(doc, list, listing, listing->items[i]);
    add_run(doc, list, listing);
    json_finish(doc, true, out);
}
