/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown.h - texts from outside as Markdown of one line, for pages that people trust. */
#ifndef HONE_FORMAT_REPORT_MARKDOWN_H
#define HONE_FORMAT_REPORT_MARKDOWN_H

#include "base/buf.h"

#include <stdint.h>

/* Running text, escaped; what is longer than 1,000 bytes is cut. Good inside a table, too. */
void markdown_text(struct buf *out, struct str text);

/* A code span; nothing for an empty text. In a table a "|" ends a cell even in code: there it is
 * written as "\|", which is shown as "|". */
void markdown_code(struct buf *out, struct str text, bool in_table);

#endif
