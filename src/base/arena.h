/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.h - memory with one lifetime, given back all at once. {0} is an empty arena. */
#ifndef HONE_BASE_ARENA_H
#define HONE_BASE_ARENA_H

#include "base/buf.h"
#include "base/str.h"

struct arena_block;
struct arena {
    struct arena_block *block; /* newest first */
};

void *arena_alloc(struct arena *arena, size_t bytes); /* zeroed, aligned for anything */
struct str arena_copy(struct arena *arena, struct str s); /* with a NUL behind it */
const char *arena_cstr(struct arena *arena, struct str s);
struct str arena_take(struct arena *arena, struct buf *buf); /* its text; buf is released */
const char *arena_take_cstr(struct arena *arena, struct buf *buf);
const char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The lines of a text that are not empty; NULL ends. */
const char *const *arena_lines(struct arena *arena, struct str text);
/* Room for one more item behind `count`: returns items, copied to a larger place when *cap is
 * reached. The old place stays in the arena: for lists that are not huge. */
void *arena_grow(struct arena *arena, void *items, uint32_t count, uint32_t *cap,
                 size_t item_bytes);
void arena_release(struct arena *arena); /* the arena is empty afterwards, and usable */

#endif
