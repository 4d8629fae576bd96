/* SPDX-License-Identifier: Apache-2.0
 *
 * finding_json.h - findings as JSON: inside events, and as the answer of a reviewer that is no
 * model:
 *
 *     {"findings":[{"severity":"high","source":"critic","kind":"-Wformat","file":"a.c","line":7,
 *       "column":3,"text":"...","fix":"...","fingerprint":"00c0ffee00c0ffee"}],
 *      "notes":["2 of 40 files were looked at: the others are as they were"],
 *      "unseen":true,
 *      "coverage":{"files":40,"unbuilt":2,"generated":1,"hint":"...","older":3,"baseline":1,
 *       "unlooked":[{"file":"b.c","tool":"gcc","why":"it crashed (signal 11)"}]}}
 *
 * "unseen" is there where the reviewer looked at no file at all: it has found nothing, and that
 * says nothing. "coverage" is there where the reviewer says how much it has looked at.
 *
 * finding_read(finding_write(f)) == f, except that texts which are not UTF-8 come back with
 * U+FFFD. */
#ifndef HONE_FORMAT_JSON_FINDING_JSON_H
#define HONE_FORMAT_JSON_FINDING_JSON_H

#include "base/arena.h"
#include "core/event.h"
#include "format/json/json.h"

enum { FINDINGS_COUNT_MAX = 100000 };

/* The words of the ranks: low, medium, high. */
const char *severity_word(enum severity severity);
bool severity_from_word(struct str word, enum severity *out);

/* A new object, for the caller to put somewhere. */
yyjson_mut_val *finding_write(yyjson_mut_doc *doc, const struct finding *finding);
/* Texts live in arena. ERR_FORMAT says what is missing or wrong. */
int finding_read(yyjson_val *object, struct arena *arena, struct finding *out, struct err *err);

/* What a reviewer found, and notes about how it looked. Texts are borrowed. */
struct findings {
    struct finding *items;
    uint32_t count, cap;
    struct str *notes;
    uint32_t note_count, note_cap;
    bool unseen; /* it looked at no file */
    struct coverage coverage;
};

/* As the member "coverage" of an object; nothing where all of it is 0. Reading, everything lives in
 * arena; {0} where the member is missing. */
void coverage_write(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct coverage *coverage);
int coverage_read(yyjson_val *object, struct arena *arena, struct coverage *out, struct err *err);

void findings_write(const struct findings *findings, struct buf *out);
/* Everything lives in arena. ERR_FORMAT, ERR_LIMIT. */
int findings_read(struct str text, struct arena *arena, struct findings *out, struct err *err);

#endif
