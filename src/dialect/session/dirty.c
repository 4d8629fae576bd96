/* SPDX-License-Identifier: Apache-2.0
 *
 * dirty.c - which files differed from HEAD, and what they held: base_dirty and
 * last_verified_dirty of the metadata.
 *
 *     {"a.c":"8ab686ea...","b.c":"<deleted>"}     in one line, as it is written; other tools spread
 *                                                 it over lines, or write "- a.c: 8ab686ea..." */
#include "dialect/session/file_parts.h"

#include "format/json/json.h"

/* ---- reading ---- */

/* "path: blob" lines, with or without a bullet. */
static bool read_map_lines(struct str text, struct session_dirty *items, uint32_t *count)
{
    struct session_lines lines = { .rest = text };

    *count = 0;
    while (session_lines_next(&lines)) {
        struct str line = lines.text;
        size_t colon = line.size;

        if (line.size == 0) continue;
        (void)session_is_bullet(line, &line);
        while (colon > 0 && line.data[colon - 1] != ':') colon--;
        if (colon < 2 || colon > line.size) return false;
        items[*count] = (struct session_dirty){
            .path = session_unmarked((struct str){ line.data, colon - 1 }),
            .blob = session_unmarked(str_skip(line, colon)),
        };
        if (!items[*count].path.size || !items[*count].blob.size) return false;
        (*count)++;
    }
    return true;
}

static bool read_map_json(struct session_file *file, struct str text, struct session_dirty **out,
                          uint32_t *count)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root, *key;
    yyjson_obj_iter iter;
    struct err err;
    bool valid;

    if (json_read(text, &doc, &err) != 0) return false;
    root = yyjson_doc_get_root(doc);
    valid = yyjson_is_obj(root);
    *count = 0;
    *out = arena_alloc(&file->arena, (yyjson_obj_size(root) + 1) * sizeof **out);
    yyjson_obj_iter_init(root, &iter);
    while (valid && (key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *blob = yyjson_obj_iter_get_val(key);
        struct session_dirty *item = &(*out)[(*count)++];

        valid = yyjson_is_str(blob);
        if (!valid) break;
        item->path = session_file_keep(file, (struct str){ yyjson_get_str(key),
                                                           yyjson_get_len(key) });
        item->blob = session_file_keep(file, (struct str){ yyjson_get_str(blob),
                                                           yyjson_get_len(blob) });
    }
    yyjson_doc_free(doc);
    return valid;
}

/* Without the fence that somebody put around it. */
static struct str unfenced(struct str text)
{
    static const struct str fence = STR("```");
    struct str first;

    text = str_trim(text);
    if (!str_starts(text, fence)) return text;
    (void)str_cut(&text, '\n', &first);
    text = str_trim(text);
    if (str_ends(text, fence)) text.size -= fence.size;
    return str_trim(text);
}

bool session_map_read(struct session_file *file, struct str text, struct session_dirty_map *out)
{
    struct session_dirty *items = NULL;
    uint32_t lines = 0;
    struct str rest, line;

    *out = (struct session_dirty_map){ 0 };
    text = unfenced(text);
    if (session_is_null(text)) return true;
    if (str_starts(text, STR("{"))) {
        out->known = read_map_json(file, text, &items, &out->count);
    } else {
        rest = text;
        while (str_cut(&rest, '\n', &line)) lines++;
        items = arena_alloc(&file->arena, lines * sizeof *items);
        out->known = read_map_lines(text, items, &out->count);
    }
    out->items = items;
    if (!out->known) out->count = 0;
    return out->known;
}

/* ---- writing ---- */

void session_map_write(const struct session_dirty_map *map, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);

    yyjson_mut_doc_set_root(doc, root);
    for (uint32_t i = 0; i < map->count; i++) {
        yyjson_mut_obj_add(root, json_text(doc, map->items[i].path),
                           json_text(doc, map->items[i].blob));
    }
    json_write(doc, false, out);
    yyjson_mut_doc_free(doc);
}
