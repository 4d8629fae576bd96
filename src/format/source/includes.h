/* SPDX-License-Identifier: Apache-2.0
 *
 * includes.h - which files a source reads, by its text alone: what a C or C++ text includes, and
 * what a shell script sources. */
#ifndef HONE_FORMAT_SOURCE_INCLUDES_H
#define HONE_FORMAT_SOURCE_INCLUDES_H

#include "base/arena.h"
#include "base/buf.h"
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

/* A walk over a script. { .text = text } begins one. */
struct sourced_walk {
    struct str text;
    size_t at; /* where it goes on */
};

/* The next place where the script may read another file: "." or "source" as a word, or shellcheck's
 * `source=`. Rather one too many than one too few. name becomes the last component of the path; ""
 * where that is known only when the script runs, or is nothing (/dev/null); "/", which no file is
 * called, where it cannot be told. False: there are no more. */
bool sourced_next(struct sourced_walk *walk, struct buf *name);

#endif
