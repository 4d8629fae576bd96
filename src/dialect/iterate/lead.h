/* SPDX-License-Identifier: Apache-2.0
 *
 * lead.h - how a line of a review begins; for lines.c alone. */
#ifndef HONE_DIALECT_ITERATE_LEAD_H
#define HONE_DIALECT_ITERATE_LEAD_H

#include "dialect/iterate/iterate.h"

struct lead {
    bool heading;           /* it is one */
    bool item;              /* of a list */
    bool counts;            /* it carries a severity that counts */
    bool leads;             /* at the front, not in brackets later on */
    bool field;             /* as "Severity: HIGH": the words are in the lines behind it */
    enum severity severity; /* where it counts */
    struct str rest;        /* without marks, and without a severity that leads */
};

/* masked is the line with the same size and ` for every byte of `code`. */
void lead_read(struct str line, struct str masked, struct lead *out);

/* One of the words for clean, as a whole line. */
bool lead_says_clean(struct str line);
/* "None", "0 issues": behind a severity, or alone below one. */
bool lead_says_none(struct str text);
/* "2", "2 issues found" and nothing else. */
bool lead_counts(struct str text, uint64_t *number);

#endif
