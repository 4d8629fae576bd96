/* SPDX-License-Identifier: Apache-2.0
 *
 * text_map.h - texts (any bytes) to numbers: a hash table, open addressing. */
#ifndef HONE_BASE_TEXT_MAP_H
#define HONE_BASE_TEXT_MAP_H

#include "base/arena.h"
#include "base/str.h"

#define MAP_NONE UINT32_MAX /* a macro: an enum has no room for it */

/* {0} is empty; texts are borrowed. */
struct text_map {
    struct text_slot *slots;
    uint32_t count, cap;
};

/* The place of its number, which is MAP_NONE when the text is new; valid until the next call. The
 * text must live as long as the map: copy it into arena where it does not (copy). */
uint32_t *text_map_put(struct text_map *map, struct str text, struct arena *copy);
/* The number of a text; MAP_NONE: it is not there, and nothing is added. */
uint32_t text_map_find(const struct text_map *map, struct str text);
/* A text that is not there is fine. */
void text_map_remove(struct text_map *map, struct str text);
void text_map_release(struct text_map *map);

#endif
