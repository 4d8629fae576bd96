/* SPDX-License-Identifier: Apache-2.0
 *
 * outline.h - an answer in Markdown as headings with what stands below each of them.
 *
 * For the answers of dialect session: session/answers.h says first what is forgiven. */
#ifndef HONE_DIALECT_OUTLINE_H
#define HONE_DIALECT_OUTLINE_H

#include "base/arena.h"
#include "dialect/check.h"
#include "dialect/prose.h"

enum { OUTLINE_LEVEL = 3 }; /* the deepest heading that parts a text; deeper ones are words */

struct outline_heading {
    uint32_t level;
    struct str name; /* behind the # */
    uint32_t line;
    struct str body; /* all lines down to the next heading */
};

struct outline {
    struct str text;   /* valid UTF-8, without a byte order mark and a fence around all of it */
    struct str kept;   /* from the first heading on, trimmed */
    struct str before; /* what stands before the first heading */
    struct outline_heading *items;
    uint32_t count, cap;
};

/* Reads an answer. Headings above first_level are words as well. Adds `empty` and `open-fence`. */
void outline_read(struct str answer, uint32_t first_level, struct arena *arena,
                  struct check_report *report, struct outline *out);

/* ---- the lines of a text ---- */

enum outline_kind {
    OUTLINE_BLANK,    /* or a line across the page */
    OUTLINE_OWN,
    OUTLINE_INDENTED, /* own words or code: it stands four columns from the margin or more */
    OUTLINE_QUOTE,
    OUTLINE_CODE,     /* in a fence; so is its first and last line */
    OUTLINE_HTML,     /* a comment or <pre> */
};

struct outline_line {
    enum outline_kind kind;
    struct str text;  /* without indentation and blanks behind it */
    uint32_t number;
    uint32_t columns; /* bytes of indentation */
    bool goes_on;     /* code, HTML or a quote that began before it */
    uint32_t level;   /* of a heading at the margin, 1 to 6; else 0 */
    bool item;        /* it begins with the mark of a list item ... */
    bool numbered;    /* ... which is a number ... */
    struct str words; /* ... and this is behind the mark; without one, the text */
};

/* A walk over lines; outline_lines() begins one, with the number of the line before the first. */
struct outline_walk {
    struct prose prose;
    const char *base;
    enum outline_kind last; /* of the line that was taken last */
};

struct outline_walk outline_lines(struct str text, uint32_t line_before);
bool outline_next(struct outline_walk *walk, struct outline_line *line);

/* Words that say something: the writer's own, or code; not headings, not `...` of a template. */
bool outline_says(const struct outline_line *line);
/* `None`, in any case, emphasized or not, with or without a final point. */
bool outline_says_none(struct str words);
/* A body that says nothing; one that says `None` and nothing else. */
bool outline_is_hollow(struct str body);
bool outline_is_none(struct str body);

#endif
