/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void mem_die(size_t bytes)
{
    fprintf(stderr, "hone: out of memory (%zu bytes)\n", bytes);
    abort();
}

void *mem_alloc(size_t bytes)
{
    void *block = calloc(1, bytes ? bytes : 1);

    if (!block) mem_die(bytes);
    return block;
}

void *mem_resize(void *block, size_t bytes)
{
    void *moved = realloc(block, bytes ? bytes : 1);

    if (!moved) mem_die(bytes);
    return moved;
}

char *mem_copy(const char *data, size_t bytes)
{
    char *copy = mem_alloc(bytes + 1);

    if (bytes) memcpy(copy, data, bytes);
    return copy;
}

void *mem_grow(void *items, uint32_t count, uint32_t *cap, size_t item_bytes)
{
    uint32_t wanted;

    assert(count <= *cap);
    if (count < *cap) return items;
    wanted = *cap ? *cap * 2 : 4;
    assert(wanted > *cap); /* four thousand million items is a bug */
    *cap = wanted;
    return mem_resize(items, wanted * item_bytes);
}
