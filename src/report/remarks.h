/* SPDX-License-Identifier: Apache-2.0
 *
 * remarks.h - what a run that cannot go on by itself wants to know, and why agents failed: in words
 * for a person. */
#ifndef HONE_REPORT_REMARKS_H
#define HONE_REPORT_REMARKS_H

#include "core/engine.h"
#include "format/json/json.h"
#include "format/text/progress.h"
#include "run/run.h"

/* Half a sentence each. */
const char *question_text(enum question question);
/* The dialect's word for a question of that lane which stands at a bound that the user must decide
 * about, such as STAGE_FAILED: it is said with the question wherever that is. NULL: it has none. */
const char *question_escalation(const struct run *run, uint32_t lane, enum question question);
const char *choice_text(enum choice choice);

/* Whether the run has a place for that choice: a restart needs another iteration. */
bool choice_is_open(const struct engine *engine, enum choice choice);

/* What hone's own fixer said first in an event that was stepped. */
enum remark {
    REMARK_NONE,
    REMARK_USELESS_TEST, /* that the test cannot judge */
    REMARK_UNVERIFIED,   /* that nothing has judged its fixes */
};
enum remark remark_note(struct run *run, const struct event *event);

/* Why a lane that is stuck, or asks because its fixer is, cannot go on: as its agent said it, not
 * yet harmless. Empty where nothing was said. */
struct str stuck_reason(const struct lane *lane);

/* The problem of an attempt, for a person. An agent that broke its contract is told what was wanted
 * first, what is wrong behind that, and perhaps the form again: here it is only what is wrong. */
struct str problem_core(const struct result *result);

/* What a reviewer found, each in an indented line behind a line end; the first ones, where they are
 * many. Adds nothing where nothing was found. */
void found_lines(const struct result *result, const char *run, struct buf *out);

/* That nothing has judged the fixes, and what to do. */
void unverified_words(const struct run *run, struct buf *out);

/* "pedant, witness": the roles of the main lane's last review that looked at nothing. */
void not_played_words(const struct run *run, struct buf *out);

/* "1, 3": the rounds whose repair left the tree as it was. */
void untouched_words(const struct engine *engine, struct buf *out);

/* The members "progress", a list of done, total and of, and "who". */
void json_progress(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct progress *progress);

#endif
