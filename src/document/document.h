/* SPDX-License-Identifier: Apache-2.0
 *
 * document.h - one document for one question about a run or a repository: the members that
 * `--json` of a verb prints and that a server answers. One model, two faces.
 *
 * Each function appends members to an object of the caller's document; it prints nothing and opens
 * no repository. A run is told by struct status (report/status.h): looked up, replayed, with its
 * history, by a verb just now or by a server that keeps it so.
 *
 * 1. Members are only ever added: what a program reads today it finds tomorrow.
 * 2. Texts of agents and files are data: they stand in strings, as they are but for secrets, never
 *    as markup.
 * 3. A document reads only what it shows; what it can be long of is asked for in parts.
 *
 * Room: documents of runs and repositories as JSON. Not here: how they are asked for and sent (cmd,
 * serve), and how they look. */
#ifndef HONE_DOCUMENT_DOCUMENT_H
#define HONE_DOCUMENT_DOCUMENT_H

#include "agent/agent.h"
#include "format/json/json.h"
#include "report/status.h"
#include "run/across.h"
#include "run/forecast.h"
#include "run/reviewers.h"
#include "run/sums.h"

/* ---- runs ---- */

/* Which of those that fit: `count` (0: all) from the one with the number `from` on. */
struct slice {
    uint32_t from, count;
};
bool slice_takes(const struct slice *slice, uint32_t at);

/* Words with commas between; NULL: any. A state is how a run stands (row_standing()), "ended", or
 * the word of its reason. */
struct runs_query {
    const char *state, *dialect, *branch, *agent;
    struct slice slice;
};

/* ERR_USAGE names a state that there is not; prefix stands before its name: "--". */
int runs_query_check(const struct runs_query *query, const char *prefix, struct err *err);
bool row_fits(const struct run_row *row, const struct runs_query *query);

/* For members that only a caller has, such as the number of a repository: at is the row's. */
typedef void row_more(const void *context, uint32_t at, yyjson_mut_doc *doc,
                      yyjson_mut_val *object);

/* hone list --json: the rows that fit, in their order, and what there is to choose by. more may be
 * NULL. */
void document_runs(const struct run_row *const *rows, uint32_t count,
                   const struct runs_query *query, row_more *more, const void *context,
                   yyjson_mut_doc *doc, yyjson_mut_val *root);
/* The members of a row behind those of look_describe(). */
void document_row(const struct run_row *row, yyjson_mut_doc *doc, yyjson_mut_val *object);

/* Where a run stands now, for a reader that pays by the word. */
void document_standing(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root);
/* hone status --json: that, its row, and what happened in it. */
void document_run(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root);

/* ---- attempts ---- */

/* hone show RUN --json: every attempt. */
void document_attempts(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root);

/* hone show RUN ATTEMPT --json: one attempt, with the files that were kept of it. */
void document_attempt(const struct status *status, const struct entry *entry, yyjson_mut_doc *doc,
                      yyjson_mut_val *root);

/* What is kept of an attempt. */
struct kept {
    const struct entry *entry;
    const char *folder;
    struct agent agent;
    const struct stream_kind *stream; /* NULL: its standard output is no stream of events */
};

/* Texts live in arena. */
void kept_find(const struct status *status, const struct entry *entry, struct arena *arena,
               struct kept *out);
/* The names of the files, in the order they are shown; NULL ends. And the content of one: *problem
 * says why it is not all there, NULL: it is. False: it is not kept. */
extern const char *const attempt_parts[];
bool kept_part(const struct kept *kept, const char *name, struct buf *content,
               const char **problem);

/* ---- findings ---- */

/* hone findings --across --json. */
void document_across(const struct across *across, yyjson_mut_doc *doc, yyjson_mut_val *root);

/* ---- the repository ---- */

/* hone plan DIALECT --json: a loop before it runs, and what it can take. */
void document_loop(const struct dialect *dialect, const struct plan *plan,
                   const struct forecast *forecast, yyjson_mut_doc *doc, yyjson_mut_val *root);

/* hone reviewers --json. */
void document_reviewers(const struct reviewers *reviewers, yyjson_mut_doc *doc,
                        yyjson_mut_val *root);

#endif
