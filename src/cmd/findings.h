/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.h - findings as lines, and over runs. */
#ifndef HONE_CMD_FINDINGS_H
#define HONE_CMD_FINDINGS_H

#include "cmd/parse.h"
#include "format/report/listing.h"
#include "run/finding_filter.h"
#include "run/finding_id.h"

/* FILE:LINE:COLUMN: severity: text [rule] (ID; what else matters), as compilers say it and editors
 * read it. What is noted, waived or fixed is a note. */
void findings_lines(const struct listing *listing, struct buf *out);

/* across.c: hone findings --across [ID]; the exit code. Of the filter states, severity and file
 * count, for what each finding was when it was seen last. */
int findings_across(struct call *call, const struct finding_filter *filter);

#endif
