/* SPDX-License-Identifier: Apache-2.0
 *
 * r1.h - a reviewer's document (r1-critic.json and its like), read and judged field by field. */
#ifndef HONE_DIALECT_REVIEW_R1_H
#define HONE_DIALECT_REVIEW_R1_H

#include "core/finding.h"
#include "dialect/check.h"
#include "format/json/json.h"

enum { R1_BYTES_MAX = 16 * 1024 * 1024, R1_COUNT_MAX = 1000000, R1_SHOWN_BYTES = 80 };

struct r1 {
    yyjson_doc *doc;                 /* NULL where the text is not JSON */
    yyjson_val *root;
    yyjson_val *issues;              /* as given: may be missing, or no array */
    yyjson_val *only;                /* an issue that stands where the array should, or NULL */
    yyjson_val *summary;             /* as given: may be missing, or no object */
    uint64_t counts[SEVERITY_COUNT]; /* what is listed, or declared where that is more */
    bool clean;                      /* declared, counted and listed; and nothing is malformed */
};

/* Reads text and adds what is wrong with it to report, which must be empty. False when it is not a
 * review: too big, no JSON, no object, neither `issues` nor `summary`, or to be read in two ways
 * because a key stands twice. Release out in any case; it may borrow from text. */
bool r1_read(struct str text, struct check_report *report, struct r1 *out);
void r1_release(struct r1 *r1);

/* An issue's severity; false where it has none that is known, and *out is then the worst. */
bool r1_severity(yyjson_val *issue, enum severity *out);
const char *r1_severity_word(enum severity severity);

/* A value in a few words, for messages: "approved", 0.5, null, an array, missing; returns out. */
const char *r1_show(yyjson_val *value, char out[R1_SHOWN_BYTES]);

#endif
