/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.h - findings as lines. */
#ifndef HONE_CMD_FINDINGS_H
#define HONE_CMD_FINDINGS_H

#include "format/report/listing.h"

/* FILE:LINE:COLUMN: severity: text [rule], as compilers say it and editors read it. What is fixed
 * is a note. */
void findings_lines(const struct listing *listing, struct buf *out);

#endif
