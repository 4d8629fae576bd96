/* SPDX-License-Identifier: Apache-2.0
 *
 * sourced.h - the files that a shell script sources, as far as its text tells. */
#ifndef HONE_FORMAT_SOURCE_SOURCED_H
#define HONE_FORMAT_SOURCE_SOURCED_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>

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
