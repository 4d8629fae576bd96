/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_sourced.c - any bytes as a script. What must hold for all of them:
 *
 * 1. The walk goes on with each name, and ends.
 * 2. A name is one component of a path, or "/". */
#include "format/source/includes.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sourced_walk walk = { .text = { size ? (const char *)data : "", size } };
    struct buf name;
    size_t last = 0;

    buf_init(&name, 4096);
    while (sourced_next(&walk, &name)) {
        struct str told = buf_str(&name);

        assert(walk.at > last && walk.at <= size);
        last = walk.at;
        assert(!name.overflow);
        assert(str_is(told, "/") || !str_has(told, '/'));
        assert(!str_has(told, '\n') && !str_has(told, '\0'));
    }
    buf_release(&name);
    return 0;
}
