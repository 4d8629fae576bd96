/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown_write.h - findings as Markdown, for a comment on a pull request. */
#ifndef HONE_FORMAT_REPORT_MARKDOWN_WRITE_H
#define HONE_FORMAT_REPORT_MARKDOWN_WRITE_H

#include "format/report/listing.h"

/* Services take comments of up to 65,536 characters. */
enum { MARKDOWN_BYTES_MAX = 60000 };

/* The items must be in the order LISTING_BY_FILE. Where there are more than fit, the last line
 * says how many were left out. */
void markdown_write(const struct listing *listing, struct buf *out);

#endif
