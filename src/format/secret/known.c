/* SPDX-License-Identifier: Apache-2.0
 *
 * known.c - many known texts, in one walk (after Wu and Manber).
 *
 * A window of KNOWN_BYTES_MIN bytes goes over the text. Its last BLOCK_BYTES say by a table how far
 * it can move on: as far as no known text has this block in its beginning. Where it cannot move,
 * the texts whose beginning ends with this block are compared.
 *
 * How many texts are known hardly matters to the time: most bytes are never looked at, and several
 * places at once where none of them holds anything known. */
#include "format/secret/known.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 3, SKIP_MAX = KNOWN_BYTES_MIN - BLOCK_BYTES + 1 };

static uint32_t slot_of(const char *block)
{
    uint32_t number = (uint32_t)(unsigned char)block[0] | (uint32_t)(unsigned char)block[1] << 8 |
                      (uint32_t)(unsigned char)block[2] << 16;

    return (number * 0x9e3779b1u) >> 17; /* of KNOWN_SLOTS */
}

void known_add(struct known *known, struct str text, const char *name)
{
    uint32_t slot;

    if (text.size < KNOWN_BYTES_MIN) return;
    for (uint32_t i = 0; i < known->count; i++) {
        if (str_eq(known->items[i].text, text)) return;
    }
    for (size_t i = 0; i + BLOCK_BYTES <= KNOWN_BYTES_MIN; i++) {
        uint8_t less = (uint8_t)(i + 1); /* SKIP_MAX less what is left to the window's end */
        slot = slot_of(text.data + i);
        if (known->skip[slot] < less) known->skip[slot] = less;
    }
    slot = slot_of(text.data + KNOWN_BYTES_MIN - BLOCK_BYTES);
    known->items = mem_grow(known->items, known->count, &known->cap, sizeof *known->items);
    known->items[known->count++] = (struct known_text){ text, name, known->first[slot] };
    known->first[slot] = known->count;
}

void known_release(struct known *known)
{
    free(known->items);
    *known = (struct known){ 0 };
}

/* The longest known text that begins at `at`; NULL: none. */
static const struct known_text *longest_at(const struct known *known, struct str text, size_t at,
                                           uint32_t slot)
{
    const struct known_text *best = NULL;

    for (uint32_t i = known->first[slot]; i > 0; i = known->items[i - 1].next) {
        const struct known_text *item = &known->items[i - 1];
        if (item->text.data[0] != text.data[at]) continue;
        if (best && best->text.size >= item->text.size) continue;
        if (str_starts(str_skip(text, at), item->text)) best = item;
    }
    return best;
}

/* Moves on by whole windows while four in a row end with blocks of no known text. */
static size_t pass_unknown(const struct known *known, struct str text, size_t from)
{
    enum { STEP = SKIP_MAX, LAST = KNOWN_BYTES_MIN - BLOCK_BYTES };

    while (from + 3 * STEP + KNOWN_BYTES_MIN <= text.size) {
        const char *block = text.data + from + LAST;
        if (known->skip[slot_of(block)] | known->skip[slot_of(block + STEP)] |
            known->skip[slot_of(block + 2 * STEP)] | known->skip[slot_of(block + 3 * STEP)]) {
            break;
        }
        from += 4 * STEP;
    }
    return from;
}

bool known_next(const struct known *known, struct str text, size_t *at, struct str *found,
                const char **name)
{
    size_t from = *at, end = 0;
    bool any = false;

    if (known->count > 0) from = pass_unknown(known, text, from);
    while (known->count > 0 && from + KNOWN_BYTES_MIN <= text.size && (!any || from <= end)) {
        uint32_t slot = slot_of(text.data + from + KNOWN_BYTES_MIN - BLOCK_BYTES);
        size_t skip = (size_t)(SKIP_MAX - known->skip[slot]);
        const struct known_text *item = skip == 0 ? longest_at(known, text, from, slot) : NULL;

        if (item && !any) {
            *found = (struct str){ text.data + from, 0 };
            *name = item->name;
            any = true;
        }
        if (item && from + item->text.size > end) end = from + item->text.size;
        from += skip ? skip : 1;
        if (skip == SKIP_MAX && !any) from = pass_unknown(known, text, from);
    }
    if (any) found->size = (size_t)(text.data + end - found->data);
    *at = any ? end : text.size;
    return any;
}
