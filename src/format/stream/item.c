/* SPDX-License-Identifier: Apache-2.0 */
#include "format/stream/item.h"

#include <stdlib.h>

enum { BLOCKS_BYTES_MAX = READING_LINE_BYTES_MAX };

void item_text(struct items *items, enum item_kind kind, struct str text, bool piece)
{
    struct item item = { .kind = kind, .piece = piece, .text = text };

    if (text.size > 0) items->visit(items->context, &item);
}

void item_trouble(struct items *items, struct str message)
{
    struct item item = { .kind = ITEM_NOTE, .failed = true,
                         .text = message.size > 0 ? message : STR("an error") };

    items->visit(items->context, &item);
}

struct str item_about(yyjson_val *input)
{
    static const char *const names[] = { "file_path", "absolute_path", "notebook_path", "path",
                                         "command", "pattern", "query", "url", "description",
                                         "prompt", NULL };

    for (const char *const *name = names; *name; name++) {
        struct str text = json_str(input, *name);
        if (text.size > 0) return text;
    }
    return (struct str){ "", 0 };
}

static struct str json_of(struct items *items, yyjson_val *value)
{
    struct str text = { "", 0 };
    size_t size = 0;
    char *json = yyjson_val_write(value, YYJSON_WRITE_PRETTY_TWO_SPACES, &size);

    if (json) text = arena_copy(&items->arena, (struct str){ json, size });
    free(json);
    return text;
}

/* Blocks are {"type":"text","text":...}, or have such a one as their content. */
static struct str blocks_of(struct items *items, yyjson_val *list)
{
    yyjson_arr_iter blocks = yyjson_arr_iter_with(list);
    yyjson_val *block;
    struct buf out;

    buf_init(&out, BLOCKS_BYTES_MAX);
    while ((block = yyjson_arr_iter_next(&blocks))) {
        struct str text = json_str(block, "text");

        if (text.size == 0) text = json_str(yyjson_obj_get(block, "content"), "text");
        if (text.size == 0) text = json_str(block, "newText"); /* of a diff */
        if (text.size == 0) continue;
        if (out.size > 0 && out.data[out.size - 1] != '\n') buf_byte(&out, '\n');
        buf_add(&out, text);
    }
    return arena_take(&items->arena, &out);
}

struct str item_value(struct items *items, yyjson_val *value)
{
    struct str text = { "", 0 };

    if (yyjson_is_str(value)) return json_value(value);
    if (!value || yyjson_is_null(value)) return text;
    if (yyjson_is_arr(value)) text = blocks_of(items, value);
    if (text.size == 0 && yyjson_get_len(value) > 0) text = json_of(items, value);
    return text;
}

void item_call(struct items *items, struct str id, struct str tool, yyjson_val *input)
{
    struct item item = {
        .kind = ITEM_TOOL, .id = id, .tool = tool.size > 0 ? tool : STR("a tool"),
        .about = item_about(input), .text = item_value(items, input),
    };

    items->visit(items->context, &item);
}

void item_result(struct items *items, struct str id, yyjson_val *content, bool failed)
{
    struct item item = { .kind = ITEM_RESULT, .id = id, .failed = failed,
                         .text = item_value(items, content) };

    items->visit(items->context, &item);
}

void items_line(struct items *items, const struct stream_kind *kind, struct str line)
{
    yyjson_doc *doc = NULL;
    struct err none;

    if (str_trim(line).size == 0) return;
    if (!kind || !kind->items || json_read(line, &doc, &none) != 0 ||
        !yyjson_is_obj(yyjson_doc_get_root(doc))) {
        struct item item = { .kind = ITEM_NOTE, .text = line };

        items->visit(items->context, &item);
    } else {
        kind->items(items, yyjson_doc_get_root(doc));
    }
    yyjson_doc_free(doc);
    arena_release(&items->arena);
}
