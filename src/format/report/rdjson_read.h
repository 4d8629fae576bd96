/* SPDX-License-Identifier: Apache-2.0
 *
 * rdjson_read.h - which of reviewdog's two formats a text is. Its reader is in diagnostic.h. */
#ifndef HONE_FORMAT_REPORT_RDJSON_READ_H
#define HONE_FORMAT_REPORT_RDJSON_READ_H

#include "base/str.h"

#include <stdbool.h>

/* Whether it is rdjsonl, a diagnostic per line, by what its first line is. Without a byte order
 * mark. */
bool rdjson_is_lines(struct str text);

#endif
