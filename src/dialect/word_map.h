/* SPDX-License-Identifier: Apache-2.0
 *
 * word_map.h - numbers by words, for lists that are too long to be searched from the front. */
#ifndef HONE_DIALECT_WORD_MAP_H
#define HONE_DIALECT_WORD_MAP_H

#include "base/arena.h"

#include <stdint.h>

struct word_map {
    struct word_slot {
        const char *word; /* borrowed; NULL: free */
        uint32_t number;
    } *slots;
    uint32_t slot_count, count, count_max;
};

/* For at most so many words. Lives in arena. */
void word_map_init(struct word_map *map, uint32_t count_max, struct arena *arena);

/* The word's number, or where to put it: 0 for one that was not there. */
uint32_t *word_map_at(struct word_map *map, const char *word);

/* Its number, or 0. */
uint32_t word_map_find(const struct word_map *map, const char *word);

#endif
