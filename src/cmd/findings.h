/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.h - findings for people: a table that fits a terminal, or a line for each. */
#ifndef HONE_CMD_FINDINGS_H
#define HONE_CMD_FINDINGS_H

#include "format/report/listing.h"

struct findings_table {
    const struct listing *listing;
    uint32_t columns;  /* of the terminal */
    bool color;
    const char *links; /* an address that workspace-relative ones go behind; NULL: no links */
};

/* Every text in it is harmless for a terminal; every line fits, as long as there are 40 columns. */
void findings_table(const struct findings_table *table, struct buf *out);

/* FILE:LINE:COLUMN: severity: text [rule], as compilers say it and editors read it. What is fixed
 * is a note. */
void findings_lines(const struct listing *listing, struct buf *out);

#endif
