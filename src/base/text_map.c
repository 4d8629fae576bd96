/* SPDX-License-Identifier: Apache-2.0
 *
 * text_map.c - at most half of the slots are taken, so a search ends soon and always. No free slot
 * stands between a text and the slot where its search begins: what is behind a text that goes moves
 * up. */
#include "base/text_map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

struct text_slot {
    struct str text; /* data NULL: free */
    uint64_t hash;
    uint32_t number;
};

static struct text_slot *slot_of(const struct text_map *map, struct str text, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (map->cap - 1);

    while (map->slots[at].text.data &&
           (map->slots[at].hash != hash || !str_eq(map->slots[at].text, text)))
        at = (at + 1) & (map->cap - 1);
    return &map->slots[at];
}

static void map_grow(struct text_map *map)
{
    struct text_map larger = { .count = map->count, .cap = map->cap ? 2 * map->cap : 64 };

    larger.slots = mem_alloc(larger.cap * sizeof *larger.slots);
    for (uint32_t i = 0; i < map->cap; i++) {
        const struct text_slot *slot = &map->slots[i];

        if (slot->text.data) *slot_of(&larger, slot->text, slot->hash) = *slot;
    }
    free(map->slots);
    *map = larger;
}

uint32_t *text_map_put(struct text_map *map, struct str text, struct arena *copy)
{
    uint64_t hash = hash_text(HASH_START, text);
    struct text_slot *slot;

    if (map->count >= map->cap / 2) map_grow(map);
    slot = slot_of(map, text, hash);
    if (!slot->text.data) {
        if (copy) text = arena_copy(copy, text);
        if (!text.data) text.data = "";
        *slot = (struct text_slot){ .text = text, .hash = hash, .number = MAP_NONE };
        map->count++;
    }
    return &slot->number;
}

uint32_t text_map_find(const struct text_map *map, struct str text)
{
    const struct text_slot *slot;

    if (map->count == 0) return MAP_NONE;
    slot = slot_of(map, text, hash_text(HASH_START, text));
    return slot->text.data ? slot->number : MAP_NONE;
}

void text_map_remove(struct text_map *map, struct str text)
{
    struct text_slot *gap, moved;
    uint32_t at;

    if (map->count == 0) return;
    gap = slot_of(map, text, hash_text(HASH_START, text));
    if (!gap->text.data) return;
    gap->text.data = NULL;
    map->count--;
    at = (uint32_t)(gap - map->slots);
    while (map->slots[at = (at + 1) & (map->cap - 1)].text.data) {
        moved = map->slots[at];
        map->slots[at].text.data = NULL;
        *slot_of(map, moved.text, moved.hash) = moved;
    }
}

void text_map_release(struct text_map *map)
{
    free(map->slots);
    *map = (struct text_map){ 0 };
}
