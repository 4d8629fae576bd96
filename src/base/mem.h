/* SPDX-License-Identifier: Apache-2.0
 *
 * mem.h - heap memory that is there or ends the program.
 *
 * Out of memory is not an error path in hone: it says so and aborts, and the run is resumed from
 * its journal, like after any other death. */
#ifndef HONE_BASE_MEM_H
#define HONE_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes); /* zeroed; free() it */
void *mem_resize(void *block, size_t bytes);
char *mem_copy(const char *data, size_t bytes); /* a NUL is put behind the copy */

/* Room for one more item behind `count`: returns items, moved and grown when *cap is reached. */
void *mem_grow(void *items, uint32_t count, uint32_t *cap, size_t item_bytes);

#endif
