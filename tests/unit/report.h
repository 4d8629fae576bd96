/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - reports of tools, written in a test's own words: ' stands for ". */
#ifndef HONE_TESTS_REPORT_H
#define HONE_TESTS_REPORT_H

#include "base/str.h"
#include "format/report/diagnostic.h"

typedef int sample_reader(struct str text, struct diagnostics *out, struct err *err);

/* printf's format, but for ' in it. Valid until the next call. */
struct str sample_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A SARIF log with one run of the tool "t" that has these members; and with one result, which is
 * the message "m" and these members (",'level':'note'" or "") of it and of its run. */
struct str sample_run(const char *members);
struct str sample_result(const char *members, const char *run_members);

/* Reads what must be readable; release it. */
struct diagnostics sample_read(sample_reader *read, struct str text);

/* Reads what must be refused, and compares the code and a part of the text. */
void sample_refused(sample_reader *read, struct str text, enum err_code code, const char *part);

void sample_expect(struct str value, const char *wanted);

/* A place as text: "3:5-3:9/utf16", "3", "@5-9"; valid until the next call. */
const char *sample_place(const struct place *place);

#endif
