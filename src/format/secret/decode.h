/* SPDX-License-Identifier: Apache-2.0
 *
 * decode.h - a text as it reads once its notations are undone, and where each byte of it came from.
 *
 * Undone are escapes of JSON and C (\/ \" \u0026 \x26 \046, pairs of surrogates), however often
 * they were escaped again; %26; &amp; &#38; &#x26;; a quote inside a shell's quotes ('\''). A
 * backslash that begins none of these is left out. Two texts that some of these notations make of
 * the same credential read alike then: a text that never was in a notation is compared in the same
 * form. */
#ifndef HONE_FORMAT_SECRET_DECODE_H
#define HONE_FORMAT_SECRET_DECODE_H

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

enum { DECODE_PASSES_MAX = 4 }; /* notations inside notations: a %5Cu0026 is two */

struct decode_mark {
    size_t out, in; /* from this byte of what was read on, bytes come from there */
    bool whole;     /* the bytes up to the next mark stand for one thing there */
};

struct decode_pass {
    struct buf text;
    struct decode_mark *marks;
    uint32_t count, cap;
};

/* Empty is a valid value: a text in which nothing was undone. */
struct decoded {
    struct decode_pass passes[DECODE_PASSES_MAX];
    uint32_t count;
};

/* What the text reads; it lives as long as `decoded`, or is the text itself. */
struct str decode_text(struct decoded *decoded, struct str text);
/* Where a part of what was read stands in the text, with no half of a notation at its ends. */
void decode_place(const struct decoded *decoded, size_t *begin, size_t *end);
void decode_release(struct decoded *decoded);

#endif
