/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.h - a Markdown text as what stands before its first `## ` heading and the sections
 * behind it. Nothing is lost: preamble and sections, one behind the other, are the text.
 *
 * A heading in code, in a block quote or in an HTML comment is none (dialect/prose.h). A fence or
 * comment that nothing closes is none either: the text behind it would be swallowed. */
#ifndef HONE_DIALECT_SECTIONS_H
#define HONE_DIALECT_SECTIONS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

struct section {
    struct str title;    /* of its heading, without blanks and #s around it */
    struct str text;     /* all of it, with the heading's line; whole lines */
    uint32_t body_bytes; /* how much of that comes behind the heading's line */
    uint32_t line;       /* of the heading, from 1 */
};

/* Views of the text. */
struct sections {
    struct str preamble;
    struct section *items;
    uint32_t count, cap;
    uint32_t open_line;  /* a fence or comment that begins there is never closed; 0: none */
};

/* The list lives in arena; the text must live as long. */
void sections_read(struct str text, struct arena *arena, struct sections *out);

/* Without blank lines around it; the first line keeps its indentation. */
struct str markdown_trim(struct str text);

/* The smallest level of its headings; 0 where it has none. */
uint32_t markdown_level(struct str text);

/* Adds the text with the level of every heading changed by `by`, and kept between 1 and 6. */
void markdown_shift(struct str text, int by, struct buf *out);

/* Adds the line that closes a fence or comment which the text leaves open; nothing: it does not. */
void markdown_close(struct str text, struct buf *out);

/* Adds any text as one that can stand in a section: valid UTF-8 without control characters, line
 * ends "\n", none at the end, no blank lines around it, a fence or comment that it left open
 * closed, and no heading above `level` (all are lowered by as much as the highest needs; 0: as
 * they are). Doing it twice changes nothing more. */
void markdown_normal(struct str text, uint32_t level, struct buf *out);

#endif
