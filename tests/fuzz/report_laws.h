/* SPDX-License-Identifier: Apache-2.0
 *
 * report_laws.h - what holds for every reader of format/report/diagnostic.h, with any bytes:
 *
 * 1. It says yes, ERR_FORMAT or ERR_LIMIT; and if it refuses, in one line without control bytes.
 * 2. Every diagnostic has a severity and a text, and every text of it is UTF-8 and in its bounds.
 * 3. A range does not end before it begins. A fix has edits, an edit has a file and a place.
 * 4. Reading again gives the same.
 *
 * And for those whose reports have an end (all but gcc's, and those of lines): */
#ifndef HONE_TESTS_REPORT_LAWS_H
#define HONE_TESTS_REPORT_LAWS_H

#include "format/report/diagnostic.h"

typedef int report_reader(struct str text, struct diagnostics *out, struct err *err);

void report_laws(report_reader *read, const uint8_t *data, size_t size);

/* 5. A beginning of a report is refused, or nothing was behind it: it reads as the whole does. */
void report_end_law(report_reader *read, const uint8_t *data, size_t size);

#endif
