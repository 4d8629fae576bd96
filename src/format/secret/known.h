/* SPDX-License-Identifier: Apache-2.0
 *
 * known.h - many known texts, looked for in another one in a single walk. */
#ifndef HONE_FORMAT_SECRET_KNOWN_H
#define HONE_FORMAT_SECRET_KNOWN_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    KNOWN_BYTES_MIN = 8, /* of a text that is looked for */
    KNOWN_SLOTS = 1 << 15,
};

struct known_text {
    struct str text; /* borrowed */
    const char *name;
    uint32_t next; /* with the same slot, from 1; 0: none */
};

/* All 0 is a valid value: finds nothing. */
struct known {
    struct known_text *items;
    uint32_t count, cap;
    uint32_t first[KNOWN_SLOTS]; /* texts that may end their beginning here, from 1; 0: none */
    uint8_t skip[KNOWN_SLOTS];   /* bytes that can be passed over, less than usual by so many */
};

/* A text that is too short, or known already, is left out. */
void known_add(struct known *known, struct str text, const char *name);
void known_release(struct known *known);

/* The next place at or behind *at with known texts that overlap or touch; false: no more. */
bool known_next(const struct known *known, struct str text, size_t *at, struct str *found,
                const char **name);

#endif
