/* SPDX-License-Identifier: Apache-2.0
 *
 * review.h - what the review dialect's own files share, and its readers and lists for others.
 *
 * The engine's round is this dialect's iteration: one review by all five and the repair that
 * follows it. Prompts and files say iteration, as the contract does.
 *
 * Room: five reviewers and one fixer: plan, prompts, judge, files. */
#ifndef HONE_DIALECT_REVIEW_REVIEW_H
#define HONE_DIALECT_REVIEW_REVIEW_H

#include "dialect/dialect.h"

/* Roles of the seed's plan. One with other reviewers has them in the same order: those who review,
 * the fixer, the checker. */
enum review_role {
    REVIEW_NOBODY = ROLE_NONE,
    REVIEW_CRITIC,
    REVIEW_PEDANT,
    REVIEW_WITNESS,
    REVIEW_SECURITY,
    REVIEW_SILENT_FAILURE,
    REVIEW_FIXER,
    REVIEW_CHECKER, /* only where the gate has a policy */
    REVIEW_ROLE_COUNT
};

enum { REVIEWER_COUNT = 5, REVIEW_FIRST = REVIEW_CRITIC, REVIEW_LAST = REVIEW_SILENT_FAILURE };
enum { REVIEW_ITERATIONS_MAX = 1000 }; /* that the settings may ask for */

#define REVIEW_STATE_PATH ".agents/tmp/state.json"
#define REVIEW_TRAIL ".agents/tmp/phases"
#define REVIEW_FIXER_NAME "review-fixer"
#define REVIEW_FIVE "critic, pedant, witness, security-reviewer, silent-failure-hunter"

/* Who repairs: ROLE_NONE never. */
uint16_t review_fixer(const struct plan *plan);
/* Whether hone has a role of this name in a review. */
bool review_is_builtin(const char *role);
/* Whether it must run something: its answer says whether that passed. */
bool review_is_witness(const char *role);

/* The roles that review: those of the gate's panel and, where it has a policy, its checker. The nth
 * from 0; REVIEW_NOBODY behind the last. */
uint16_t review_reviewer(const struct plan *plan, uint32_t nth);

/* Reviews that are allowed: the repairs, and the last look. */
uint32_t review_iteration_max(const struct plan *plan);

/* Where an iteration's files are: ".agents/tmp/phases/review-2". */
const char *review_folder(struct arena *arena, uint32_t iteration);
/* "<folder>/r1-critic.json" */
const char *review_r1_path(struct arena *arena, uint32_t iteration, const char *role);
/* "<folder>/r2-fix-summary.md" */
const char *review_r2_path(struct arena *arena, uint32_t iteration);
/* One of the two: what the action's agent writes itself in a hosted run. */
const char *review_answer_file(const struct run_view *run, const struct action *action,
                               struct arena *arena);

/* The findings of a review, quoted, by file and the worst first, as the fixer needs them; or, for
 * the reviewers of the next iteration, in short. At most so many bytes; says how many were left
 * out. */
void review_list_full(struct buf *out, const char *fence, const struct batch *review);
void review_list_short(struct buf *out, const char *fence, const struct batch *review);
/* Whether the user says something about one of them; the full list has it. */
bool review_list_says(const struct batch *review);

/* How a review is judged. */
struct r1_rule {
    const char *source; /* the role */
    bool status;        /* a `status` that is not PASS counts */
    bool keeps;         /* the text is a contract file: what is right in it stays as it is */
};
/* A reviewer's answer, and a fixer's or worker's report. */
void review_judge_r1(struct str answer, const struct r1_rule *rule, struct arena *arena,
                     struct result *out);
void review_judge_summary(struct str answer, struct arena *arena, struct result *out);
/* What an analyzer found, as the review of the role. */
void review_found_as(const char *source, const struct found *found, struct arena *arena,
                     struct result *out);
extern const struct dialect_notation review_notation;

void review_prompt(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out);
void review_judge(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out);
void review_found(const struct run_view *run, const struct action *action,
                  const struct found *found, struct arena *arena, struct result *out);
void review_record(const struct run_view *run, struct contract *out);
int review_restore(const struct contract *files, const struct settings *settings,
                   struct restored *out, struct err *err);
int review_settings_of(const struct contract *files, struct arena *arena, struct settings *out,
                       struct err *err);
const char *review_schema(const char *role);

#endif
