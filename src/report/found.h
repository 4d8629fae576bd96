/* SPDX-License-Identifier: Apache-2.0
 *
 * found.h - findings for a person who reads: each with where it is, how grave, what was said, who
 * said it by which rule, and the line of the source. */
#ifndef HONE_REPORT_FOUND_H
#define HONE_REPORT_FOUND_H

#include "format/report/listing.h"

struct found_page {
    const struct listing *listing;
    uint32_t columns;      /* of a line; at least 40. 0: lines are as long as they get */
    bool color;
    const char *links;     /* an address that workspace-relative ones go behind; NULL: no links */
    const char *workspace; /* whose lines are shown; NULL: none */
};

/* All of them, below their files. The items must be in the order LISTING_BY_GROUP. Every text is
 * harmless for a terminal, and every line fits. */
void found_groups(const struct found_page *page, struct buf *out);

/* The first so many of them, each with its file; the caller has put the worst first. */
void found_worst(const struct found_page *page, uint32_t count, struct buf *out);

#endif
