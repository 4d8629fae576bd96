/* SPDX-License-Identifier: Apache-2.0
 *
 * word_map.c - an open table, never more than half full: a search ends at the first free slot. */
#include "dialect/word_map.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

static uint64_t hash_of(const char *word)
{
    uint64_t hash = hash_text(HASH_START, str_of(word));

    return hash ^ hash >> 32;
}

void word_map_init(struct word_map *map, uint32_t count_max, struct arena *arena)
{
    uint32_t slots = 16;

    assert(count_max < UINT32_MAX / 4);
    while (slots < 2 * count_max + 2) slots *= 2;
    *map = (struct word_map){ .slot_count = slots, .count_max = count_max };
    map->slots = arena_alloc(arena, slots * sizeof *map->slots);
}

static struct word_slot *slot_of(const struct word_map *map, const char *word)
{
    uint64_t at = hash_of(word);

    for (;; at++) {
        struct word_slot *slot = &map->slots[at & (map->slot_count - 1)];
        if (!slot->word || strcmp(slot->word, word) == 0) return slot;
    }
}

uint32_t *word_map_at(struct word_map *map, const char *word)
{
    struct word_slot *slot = slot_of(map, word);

    if (!slot->word) {
        assert(map->count < map->count_max);
        map->count++;
        slot->word = word;
    }
    return &slot->number;
}

uint32_t word_map_find(const struct word_map *map, const char *word)
{
    return slot_of(map, word)->number;
}
