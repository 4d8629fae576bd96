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
#include "run/finding_id.h"
#include "run/forecast.h"
#include "run/listed.h"
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
/* hone status --json: that, its row, and what happened in it. row: where the caller has it; else
 * NULL. What was open after each round, and the marks, are there where the history keeps them
 * (history_keep()). */
void document_run(const struct status *status, const struct run_row *row, yyjson_mut_doc *doc,
                  yyjson_mut_val *root);
/* Members of that, one by one: what of it is new. Rounds by their numbers. */
void document_lanes(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root);
void document_counts(const struct run_sums *sums, yyjson_mut_doc *doc, yyjson_mut_val *root);
void document_rounds(const struct status *status, const uint32_t *which, uint32_t count,
                     yyjson_mut_doc *doc, yyjson_mut_val *root);

/* ---- attempts ---- */

/* hone show RUN --json: the attempts, in the order they were asked for. */
void document_attempts(const struct status *status, const struct slice *slice,
                       yyjson_mut_doc *doc, yyjson_mut_val *root);
/* Some of them alone, by their places in the history. */
void document_entries(const struct status *status, const uint32_t *which, uint32_t count,
                      yyjson_mut_doc *doc, yyjson_mut_val *root);

/* The attempt that a person's word means, JOB or JOB-ATTEMPT; NULL and err where there is none. */
const struct entry *attempt_find(const struct status *status, const char *word, struct err *err);

/* hone show RUN ATTEMPT --json: one attempt, with the files that were kept of it: those that are
 * named (NULL ends; NULL or none named: all; "none": none). At most bytes_max of each. */
enum { PART_BYTES_MAX = 16 << 20, PART_SHOWN_BYTES_MAX = 1 << 20 };
void document_attempt(const struct status *status, const struct entry *entry,
                      const char *const *parts, size_t bytes_max, yyjson_mut_doc *doc,
                      yyjson_mut_val *root);
bool attempt_part_is_asked(const char *const *parts, const char *name);
/* ERR_USAGE names a part that there is not; prefix stands before its name: "--". */
int attempt_parts_check(const char *const *parts, const char *prefix, struct err *err);

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

/* hone show RUN ATTEMPT --transcript --json: what it says and does, from a byte of its output on:
 * `items`, and as `next` from where to ask again. At most about 1 MiB. `anew`: the files were
 * written anew when the attempt ended, and this begins with the first byte; what was told before is
 * in it. */
int document_transcript(const struct status *status, const struct entry *entry, uint64_t from,
                        yyjson_mut_doc *doc, yyjson_mut_val *root, struct err *err);

/* ---- findings ---- */

struct findings_query {
    struct finding_filter filter;
    enum listing_order order;
    struct slice slice;
};

/* state, file, severity or round; NULL: state. ERR_USAGE names another word. */
int findings_order(const char *word, const char *prefix, enum listing_order *out, struct err *err);
/* ERR_USAGE where the run has no such role: an empty list would look like a clean review. */
int findings_check(const struct listed *listed, const struct findings_query *query,
                   struct err *err);

/* hone findings --json. Of listed_read(), or of listed_of() for a run that is kept. */
void document_findings(struct listed *listed, const struct findings_query *query,
                       yyjson_mut_doc *doc, yyjson_mut_val *root);

/* hone show RUN --finding ID --json. ERR_USAGE: there is none, or several fit. */
int document_finding(struct listed *listed, const char *id, yyjson_mut_doc *doc,
                     yyjson_mut_val *root, struct err *err);

/* hone show RUN --diff [AT] --json: what the repair of a round changed, by its number in
 * document_rounds(); NULL: the whole run, from its first review to its last. ERR_MISSING: there is
 * no such round. git is called. */
int document_diff(const struct status *status, const uint32_t *at, yyjson_mut_doc *doc,
                  yyjson_mut_val *root, struct err *err);

/* hone findings --across --json. */
void document_across(const struct across *across, yyjson_mut_doc *doc, yyjson_mut_val *root);

/* ---- the repository ---- */

/* A loop, compiled. */
struct loop_drawn {
    const struct dialect *dialect;
    const struct run_settings *settings;
    const struct plan *plan;
    const struct forecast *forecast;
};

/* hone plan DIALECT --json: a loop before it runs, and what it can take. */
void document_loop(const struct loop_drawn *drawn, yyjson_mut_doc *doc, yyjson_mut_val *root);
/* hone plan --run RUN --json: the same of a run, with where it is now. */
void document_plan(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root);
/* hone plan --list --json: what a run can be started with; repo may be NULL. git may be called. */
void document_dialects(const struct repo *repo, yyjson_mut_doc *doc, yyjson_mut_val *root);
/* When a gate passes, in words; loop: of a loop file, else NULL. Lives in arena. */
struct loop;
const char *loop_passes(const struct plan *plan, const struct loop *loop, uint32_t phase,
                        struct arena *arena);

/* What a run would do here, as far as it is known: what is not is NULL. */
struct preview_facts {
    const struct dialect *dialect;
    const struct plan *plan;
    const struct run_settings *settings; /* with the agents that would be chosen */
    const char *task, *missing, *scope, *until, *eyes;
    const char *const *writes; /* NULL ends */
    bool counted;              /* the files that its agents would be told of: */
    uint32_t files;
    const char *problem;       /* why it cannot be started; NULL: it can */
};

/* hone run [DIALECT ...] --preview --json. Only the verb can find these facts out: a server asks
 * it. */
void document_preview(const struct preview_facts *facts, yyjson_mut_doc *doc,
                      yyjson_mut_val *root);

/* hone reviewers --json. */
void document_reviewers(const struct reviewers *reviewers, yyjson_mut_doc *doc,
                        yyjson_mut_val *root);

#endif
