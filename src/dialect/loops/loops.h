/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.h - what the loops dialect's own files share, and what `hone mcp` needs of it.
 *
 * A loop is a lane of the engine: one task, one builder, one work tree. The engine's groups are
 * waves of tasks (loops_tasks.h).
 *
 * Room: tasks side by side, each built, reviewed and merged; the tables of other tools. */
#ifndef HONE_DIALECT_LOOPS_LOOPS_H
#define HONE_DIALECT_LOOPS_LOOPS_H

#include "dialect/dialect.h"
#include "dialect/loops/tasks.h"

enum loops_role {
    LOOPS_NOBODY = ROLE_NONE,
    LOOPS_BUILDER,
    LOOPS_REVIEWER,     /* of a loop */
    LOOPS_RUN_REVIEWER,
    LOOPS_REVISER,
    LOOPS_INTEGRATOR,
    LOOPS_ENUMERATOR,   /* these two only where the tasks are not given */
    LOOPS_PLANNER,
    LOOPS_ROLE_COUNT
};

/* What a phase of the plan is about; its name is the word for it. */
enum loops_stage {
    LOOPS_STAGE_ENUMERATE,
    LOOPS_STAGE_PLAN,
    LOOPS_STAGE_BUILD,
    LOOPS_STAGE_REVIEW,
    LOOPS_STAGE_COUNT
};

/* How closely a review looks. */
enum review_depth { DEPTH_SHALLOW, DEPTH_STANDARD, DEPTH_DEEP, DEPTH_COMPREHENSIVE, DEPTH_COUNT };

struct loops_effort {
    const char *word;
    uint32_t checkpoint_every; /* 0: never */
    uint32_t revision_max;     /* of a loop */
    enum review_depth depth;
    bool reviews_tasks, reviews_plan;
    uint32_t run_revision_max;
};

const struct loops_effort *loops_effort(const struct settings *settings);
const char *review_depth_word(enum review_depth depth);

const char *loops_role_name(uint16_t role);
enum loops_stage loops_stage(const struct plan *plan, uint32_t phase);
/* The phase of a stage; phase_count where the plan has none. */
uint32_t loops_phase(const struct plan *plan, enum loops_stage stage);

/* A file that an option names, as the run keeps it; empty: it was not given. */
struct str loops_file(const struct settings *settings, const char *option);

/* A loop's id: "k3f9a1b2-7". */
const char *loops_id(const struct run_view *run, uint32_t lane, struct arena *arena);
/* Where its work tree is, or was. */
const char *loops_worktree(const struct run_view *run, uint32_t lane, struct arena *arena);

/* The newest document of a stage's work, made by its worker or by whoever repaired it. */
struct str loops_newest(const struct run_view *run, enum loops_stage stage);

/* All tasks as they are known now. Nothing is missing where nothing is known yet: empty. */
void loops_tasks_of(const struct run_view *run, struct arena *arena, struct loops_tasks *out);

/* --- state.c: where a loop stands, in the words of its tables --- */

const char *loop_status(const struct engine *engine, const struct lane *lane);
const char *loop_review_status(const struct lane *lane);
/* Runs of its builder, revisions and the one at work included. */
uint32_t loop_iteration(const struct lane *lane);
uint32_t loop_revisions(const struct engine *engine, const struct lane *lane);
/* How many of each there can be, with what a resume allowed. Until the first review the bound of
 * the builder's runs counts; from then on only revisions follow. */
uint32_t loop_iteration_max(const struct engine *engine, const struct lane *lane);
uint32_t loop_revision_max(const struct engine *engine, const struct lane *lane);

/* --- review.c: a review as set_loop_review_result has it --- */

enum { REVIEW_ISSUES_MAX = 500 };

struct review_issue {
    struct str task; /* of a review of the run: what it is about; may be empty */
    struct str file;
    uint32_t line; /* 0: none */
    struct str type, text, suggestion;
};

struct loops_review {
    struct str id;      /* of the attempt that gave it; empty where nobody has set it */
    struct str loop, task; /* as given; may be empty */
    bool passed;        /* as given */
    bool has_intent, intent_satisfied;
    struct str intent;  /* interpretedIntent */
    struct review_issue *issues;
    uint32_t count;     /* at most REVIEW_ISSUES_MAX */
};

/* What the reviewer of a loop, or of the run, answers with. Texts live in arena. ERR_FORMAT says
 * what is wrong, for the agent. */
int loops_review_read(struct str json, struct arena *arena, struct loops_review *out,
                      struct err *err);
void loops_review_write(const struct loops_review *review, struct buf *out);
/* passed decides; but an intent that is not satisfied is no pass, nor is an issue of the run. */
bool loops_review_passes(const struct loops_review *review, bool of_run);
/* The types of issues, as prompts list them; NULL ends. */
extern const char *const review_issue_types[];

/* The one JSON object of an answer: alone, in a code fence, or behind some prose; data NULL where
 * there is none. A last line REVIEW_COMPLETE is passed over. */
struct str loops_answer_json(struct str answer);

/* --- the dialect --- */

void loops_prompt(const struct run_view *run, const struct prompt_request *request,
                  struct buf *out);
void loops_judge(const struct run_view *run, const struct action *action, struct str answer,
                 struct arena *arena, struct result *out);
void loops_record(const struct run_view *run, struct contract *out);
extern const struct contract_table loops_tables[];
void loops_status(const struct run_view *run, struct arena *arena, struct lanes_status *out);
void loops_conclude(const struct run_view *run, struct buf *out);

/* A row of check.c. */
struct check_report;
void check_loop_review(struct str content, struct check_report *report);

/* Of what the role answers; NULL: it is no JSON. */
const char *loops_schema(const char *role);

#endif
