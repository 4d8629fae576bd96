/* SPDX-License-Identifier: Apache-2.0
 *
 * includes.h - which files a C or C++ text includes, by its text alone. */
#ifndef HONE_FORMAT_SOURCE_INCLUDES_H
#define HONE_FORMAT_SOURCE_INCLUDES_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct include {
    const char *name;
    bool angled; /* <x>, not "x" */
    bool next;   /* #include_next */
};

struct includes {
    struct include *items; /* in the order of the text; a name may be there twice */
    uint32_t count;
    bool uncertain; /* #include MACRO, __has_include(MACRO): who knows what */
};

/* Finds #include, #include_next and #import, under any condition: a compiler may include less; and
 * what __has_include asks for, which changes a text by being there.
 * Comments, strings and raw strings are skipped. Names live in arena. */
void includes_scan(struct str text, struct arena *arena, struct includes *out);

#endif
