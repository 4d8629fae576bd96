/* SPDX-License-Identifier: Apache-2.0
 *
 * prose.h - the lines of a Markdown text, and whose words they are. */
#ifndef HONE_DIALECT_PROSE_H
#define HONE_DIALECT_PROSE_H

#include "base/str.h"
#include "format/text/words.h"

#include <stdbool.h>
#include <stdint.h>

enum prose_kind {
    PROSE_OWN,   /* the writer's own words */
    PROSE_QUOTE, /* words that the writer quotes: a block quote */
    PROSE_CODE,  /* in a code fence, indented as code, an HTML comment or <pre> */
};

/* A walk over lines. { .rest = text } begins one. */
struct prose {
    struct str rest;
    uint32_t line;      /* number of the line that was taken last, from 1 */
    char fence;         /* inside a code fence: its character ... */
    size_t fence_size;  /* ... and how many of them */
    const char *until;  /* inside an HTML block: the text that ends it */
    uint32_t open_line; /* where the fence or block began */
    bool quoting;       /* the line before was quoted text that the next may continue */
};

/* The next line, without indentation (of own lines) and without blanks behind it. */
bool prose_next(struct prose *prose, struct str *line, enum prose_kind *kind);
/* After the last line: whether a fence or an HTML block was left open. */
bool prose_is_open(const struct prose *prose);
/* The level of a heading, 1 to 6, and its text; 0 where the line is none. */
uint32_t prose_heading(struct str line, struct str *text);
/* A heading's text without the marks that may close it: "web ##", but not "C#". */
struct str prose_title(struct str heading);
/* Whether a line begins an item of a list: the words behind its mark, and whether that is a
 * number. Both are left alone where it does not. */
bool prose_item(struct str line, struct str *words, bool *numbered);

#endif
