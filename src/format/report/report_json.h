/* SPDX-License-Identifier: Apache-2.0
 *
 * report_json.h - what readers of reports in JSON share.
 *
 * For the readers of format/report/diagnostic.h. */
#ifndef HONE_FORMAT_REPORT_REPORT_JSON_H
#define HONE_FORMAT_REPORT_REPORT_JSON_H

#include "format/json/json.h"
#include "format/report/diagnostic.h"

/* A line, a column or a count. Missing or null is 0; false for anything else. */
bool report_number(yyjson_val *object, const char *key, uint32_t *out);

/* The objects of a report that is one list, each given to `take` with its place from 1 on. Words
 * in front of an error: "ruff's report: result 3: ...". */
struct report_list {
    const char *name; /* "ruff's report" */
    const char *one;  /* "result" */
    int (*take)(yyjson_val *object, struct diagnostics *out, struct err *err);
};
int report_list_read(const struct report_list *list, struct str text, struct diagnostics *out,
                     struct err *err);

/* A diagnostic with its texts; NULL: ERR_LIMIT is in err. A file is needed and of a length that a
 * path can have, and so is a text: else NULL and ERR_FORMAT. */
struct diagnostic *report_add(struct diagnostics *out, struct str file, struct str text,
                              struct str rule, struct err *err);

/* Takes off an end that is not behind the beginning, and a column without a line. */
void place_settle(struct place *place);

/* Adds an edit with a place that is whole, and a text that is not too long; else false. */
bool report_edit(struct diagnostics *out, struct tool_fix *fix, struct str file,
                 const struct place *place, struct str text);

#endif
