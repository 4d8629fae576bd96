/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_tree.c - libyaml's events to a tree, and a tree to libyaml's events.
 *
 * Reading goes down with yaml_reader, which refuses what could make a small file large and bounds
 * the depth; so the recursion here is bounded, too. */
#include "format/text/yaml_tree.h"

#include "base/text_map.h"
#include "format/text/yaml_reader.h"

#include <assert.h>
#include <string.h>

struct tree_reader {
    struct yaml_reader yaml;
    struct arena *arena;
    uint32_t node_count;
};

struct yaml_node *yaml_new(enum yaml_kind kind, struct arena *arena)
{
    struct yaml_node *node = arena_alloc(arena, sizeof *node);

    node->kind = kind;
    return node;
}

struct yaml_node *yaml_new_text(struct str text, struct arena *arena)
{
    struct yaml_node *node = yaml_new(YAML_TEXT, arena);

    node->text = text;
    return node;
}

/* Room for twice as many where the count is a power of two: so no cap need be kept. */
static void *room_grow(void *items, uint32_t count, size_t item_bytes, struct arena *arena)
{
    void *to;

    if (count & (count - 1)) return items;
    to = arena_alloc(arena, (count ? (size_t)count * 2 : 1) * item_bytes);
    if (count > 0) memcpy(to, items, count * item_bytes);
    return to;
}

void yaml_append(struct yaml_node *list, struct yaml_node *item, struct arena *arena)
{
    assert(list->kind != YAML_TEXT);
    list->items = room_grow(list->items, list->count, sizeof(struct yaml_node *), arena);
    list->items[list->count++] = item;
}

static void pair_add(struct yaml_node *map, struct str key, uint32_t line, struct yaml_node *value,
                     struct arena *arena)
{
    map->keys = room_grow(map->keys, map->count, sizeof *map->keys, arena);
    map->key_lines = room_grow(map->key_lines, map->count, sizeof *map->key_lines, arena);
    map->keys[map->count] = key;
    map->key_lines[map->count] = line;
    yaml_append(map, value, arena);
}

void yaml_put(struct yaml_node *map, const char *key, struct yaml_node *value,
              struct arena *arena)
{
    assert(map->kind == YAML_MAP);
    pair_add(map, str_of(key), 0, value, arena);
}

struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    if (!map || map->kind != YAML_MAP) return NULL;
    for (uint32_t i = 0; i < map->count; i++) {
        if (str_is(map->keys[i], key)) return map->items[i];
    }
    return NULL;
}

static uint32_t event_line(const struct tree_reader *reader)
{
    return (uint32_t)reader->yaml.event.start_mark.line + 1;
}

/* The text of the scalar that was read last. */
static int text_take(struct tree_reader *reader, struct str *out)
{
    struct str text = yaml_scalar(&reader->yaml);

    if (str_has(text, '\0')) return yaml_bad(&reader->yaml, "a NUL stands in this text");
    *out = arena_copy(reader->arena, text);
    return 0;
}

static int node_take(struct tree_reader *reader, struct yaml_node **out);

static int list_take(struct tree_reader *reader, struct yaml_node *list)
{
    for (;;) {
        struct yaml_node *item;
        int rc = yaml_next(&reader->yaml);

        if (rc != 0 || reader->yaml.event.type == YAML_SEQUENCE_END_EVENT) return rc;
        rc = node_take(reader, &item);
        if (rc != 0) return rc;
        yaml_append(list, item, reader->arena);
    }
}

static int pair_take(struct tree_reader *reader, struct text_map *seen, struct yaml_node *map)
{
    uint32_t line = event_line(reader), *before;
    struct yaml_node *value;
    struct str key;
    int rc;

    if (reader->yaml.event.type != YAML_SCALAR_EVENT) {
        return yaml_bad(&reader->yaml, "a key is one word, not a list or a mapping");
    }
    rc = text_take(reader, &key);
    if (rc != 0) return rc;
    before = text_map_put(seen, key, NULL);
    if (*before != MAP_NONE) return yaml_bad(&reader->yaml, "this key stands twice");
    *before = line;
    rc = yaml_next(&reader->yaml);
    if (rc == 0) rc = node_take(reader, &value);
    if (rc == 0) pair_add(map, key, line, value, reader->arena);
    return rc;
}

static int map_take(struct tree_reader *reader, struct yaml_node *map)
{
    struct text_map seen = { 0 };
    int rc;

    for (;;) {
        rc = yaml_next(&reader->yaml);
        if (rc != 0 || reader->yaml.event.type == YAML_MAPPING_END_EVENT) break;
        rc = pair_take(reader, &seen, map);
        if (rc != 0) break;
    }
    text_map_release(&seen);
    return rc;
}

/* The node that begins with the event that was read last. */
static int node_take(struct tree_reader *reader, struct yaml_node **out)
{
    const yaml_event_t *event = &reader->yaml.event;
    struct yaml_node *node = yaml_new(YAML_TEXT, reader->arena);

    *out = node;
    node->line = event_line(reader);
    if (++reader->node_count > YAML_NODES_MAX) return yaml_bad(&reader->yaml, "this is too much");
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        node->kind = YAML_LIST;
        return list_take(reader, node);
    }
    if (event->type == YAML_MAPPING_START_EVENT) {
        node->kind = YAML_MAP;
        return map_take(reader, node);
    }
    assert(event->type == YAML_SCALAR_EVENT);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return text_take(reader, &node->text);
}

static int document_take(struct tree_reader *reader, struct yaml_node **out)
{
    struct yaml_reader *yaml = &reader->yaml;
    int rc = yaml_expect(yaml, YAML_STREAM_START_EVENT, "no YAML");

    if (rc == 0) rc = yaml_expect(yaml, YAML_DOCUMENT_START_EVENT, "there is nothing in it");
    if (rc == 0) rc = yaml_next(yaml);
    if (rc == 0) rc = node_take(reader, out);
    if (rc == 0) rc = yaml_expect(yaml, YAML_DOCUMENT_END_EVENT, "this is too much");
    if (rc == 0) rc = yaml_expect(yaml, YAML_STREAM_END_EVENT, "a second document begins here");
    return rc;
}

int yaml_tree_read(struct str text, struct arena *arena, struct yaml_node **out, uint32_t *line,
                   struct err *err)
{
    struct tree_reader reader = { .yaml = { .line = line }, .arena = arena };
    struct yaml_node *node = NULL;
    int rc;

    *line = 1;
    *out = NULL;
    if (text.size > YAML_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "it has more than %d KiB", YAML_BYTES_MAX >> 10);
    }
    yaml_open(&reader.yaml, text, err);
    rc = document_take(&reader, &node);
    yaml_close(&reader.yaml);
    if (rc == 0) *out = node;
    return rc;
}

/* ---- writing ---- */

static int bytes_out(void *to, unsigned char *data, size_t size)
{
    (void)buf_add(to, (struct str){ (const char *)data, size }); /* it remembers what did not fit */
    return 1;
}

static void event_out(yaml_emitter_t *emitter, yaml_event_t *event, int made)
{
    assert(made); /* what can fail is memory, and bytes that are no UTF-8: none come here */
    made = yaml_emitter_emit(emitter, event);
    assert(made);
    (void)made;
}

/* A text of several lines is a block; libyaml quotes where that would not come back. */
static void text_out(yaml_emitter_t *emitter, struct str text)
{
    yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;
    yaml_event_t event;

    if (text.size == 0) style = YAML_SINGLE_QUOTED_SCALAR_STYLE;
    if (str_has(text, '\n') && !str_has(text, '\t')) style = YAML_LITERAL_SCALAR_STYLE;
    event_out(emitter, &event,
              yaml_scalar_event_initialize(&event, NULL, NULL,
                                           (const yaml_char_t *)(text.data ? text.data : ""),
                                           (int)text.size, 1, 1, style));
}

static bool is_flat(const struct yaml_node *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind != YAML_TEXT || str_has(list->items[i]->text, '\n')) return false;
    }
    return true;
}

static void node_out(yaml_emitter_t *emitter, const struct yaml_node *node)
{
    yaml_event_t event;

    if (node->kind == YAML_TEXT) {
        text_out(emitter, node->text);
        return;
    }
    if (node->kind == YAML_LIST) {
        event_out(emitter, &event,
                  yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
                                                       is_flat(node) ? YAML_FLOW_SEQUENCE_STYLE
                                                                     : YAML_BLOCK_SEQUENCE_STYLE));
        for (uint32_t i = 0; i < node->count; i++) node_out(emitter, node->items[i]);
        event_out(emitter, &event, yaml_sequence_end_event_initialize(&event));
        return;
    }
    event_out(emitter, &event,
              yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                                  node->count ? YAML_BLOCK_MAPPING_STYLE
                                                              : YAML_FLOW_MAPPING_STYLE));
    for (uint32_t i = 0; i < node->count; i++) {
        text_out(emitter, node->keys[i]);
        node_out(emitter, node->items[i]);
    }
    event_out(emitter, &event, yaml_mapping_end_event_initialize(&event));
}

void yaml_tree_write(const struct yaml_node *node, struct buf *out)
{
    yaml_emitter_t emitter;
    yaml_event_t event;
    int made = yaml_emitter_initialize(&emitter);

    assert(made);
    (void)made;
    yaml_emitter_set_output(&emitter, bytes_out, out);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    event_out(&emitter, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    event_out(&emitter, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    node_out(&emitter, node);
    event_out(&emitter, &event, yaml_document_end_event_initialize(&event, 1));
    event_out(&emitter, &event, yaml_stream_end_event_initialize(&event));
    yaml_emitter_delete(&emitter);
}
