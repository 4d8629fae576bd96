/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most arenas hold a few texts, and there may be thousands of them: the first block is small. */
enum { FIRST_BYTES = 512 - 64, BLOCK_BYTES = 4096 - 64 };

struct arena_block {
    struct arena_block *next;
    size_t used, cap;
    max_align_t data[];
};

static struct arena_block *block_new(struct arena *arena, size_t bytes)
{
    size_t usual = arena->block ? BLOCK_BYTES : FIRST_BYTES;
    size_t cap = bytes > usual ? bytes : usual;
    struct arena_block *block = mem_alloc(sizeof *block + cap);

    block->cap = cap;
    block->next = arena->block;
    arena->block = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    struct arena_block *block = arena->block;
    void *out;

    assert(bytes < SIZE_MAX / 2);
    bytes = (bytes + align - 1) / align * align;
    if (!block || block->cap - block->used < bytes) block = block_new(arena, bytes);
    out = (char *)block->data + block->used;
    block->used += bytes;
    return out;
}

struct str arena_copy(struct arena *arena, struct str s)
{
    char *copy = arena_alloc(arena, s.size + 1);

    if (s.size) memcpy(copy, s.data, s.size);
    return (struct str){ copy, s.size };
}

const char *arena_cstr(struct arena *arena, struct str s)
{
    return arena_copy(arena, s).data;
}

struct str arena_take(struct arena *arena, struct buf *buf)
{
    struct str text = arena_copy(arena, buf_str(buf));

    buf_release(buf);
    return text;
}

const char *arena_take_cstr(struct arena *arena, struct buf *buf)
{
    return arena_take(arena, buf).data;
}

const char *const *arena_lines(struct arena *arena, struct str text)
{
    struct str rest = text, line;
    uint32_t count = 0;
    const char **out;

    while (str_cut(&rest, '\n', &line)) count++;
    out = arena_alloc(arena, (count + 1) * sizeof *out);
    for (count = 0; str_cut(&text, '\n', &line);) {
        if (line.size > 0) out[count++] = arena_cstr(arena, line);
    }
    return out;
}

const char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    char *text;
    int bytes;

    va_start(args, format);
    bytes = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(bytes >= 0);
    text = arena_alloc(arena, (size_t)bytes + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)bytes + 1, format, args);
    va_end(args);
    return text;
}

void *arena_grow(struct arena *arena, void *items, uint32_t count, uint32_t *cap,
                 size_t item_bytes)
{
    uint32_t wanted;
    void *grown;

    assert(count <= *cap);
    if (count < *cap) return items;
    wanted = *cap ? *cap * 2 : 8;
    assert(wanted > *cap); /* four thousand million items is a bug */
    grown = arena_alloc(arena, wanted * item_bytes);
    if (count) memcpy(grown, items, count * item_bytes);
    *cap = wanted;
    return grown;
}

void arena_release(struct arena *arena)
{
    while (arena->block) {
        struct arena_block *block = arena->block;
        arena->block = block->next;
        free(block);
    }
}
