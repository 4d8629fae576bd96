/* SPDX-License-Identifier: Apache-2.0
 *
 * reported.h - what a reader makes of a tool's report, as text that a test can compare.
 *
 *     medium -Wformat= a.c:4:19-4:21 b.c: format ... expects ...
 *       help: https://...
 *       fix: words, or "safe fix:" and "risky fix:" by the word of the tool
 *         a.c:4:19-4:21 "%ld"
 *     failed: words
 *
 * The unit stands behind the place where there is one; places by offset are a.c@40-65. Control
 * bytes are shown as \n and \x1b, a backslash as \\. A report that is refused is
 * "refused: words". */
#ifndef HONE_TESTS_REPORTED_H
#define HONE_TESTS_REPORTED_H

#include "format/report/diagnostic.h"

typedef int report_reader(struct str text, struct diagnostics *out, struct err *err);

/* Valid until the next call. */
const char *reported(report_reader *read, struct str text);
const char *reported_file(report_reader *read, const char *name); /* below tests/corpus */

/* The text of such a file; free() it. */
struct str report_load(const char *name);

/* No beginning of the text is a report, unless nothing but line ends is missing. */
void expect_no_part_reads(report_reader *read, const char *name);

/* Refused for its format, with words that name no byte of it as it is. */
void expect_refused(report_reader *read, const char *text);

#endif
