/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.h - what the loops dialect's own files share.
 *
 * A loop is a lane of the engine: one task, one builder, one work tree. The engine's groups are
 * waves of tasks (order.c).
 *
 * Room: tasks side by side, each built, reviewed and merged; the tables of other tools. */
#ifndef HONE_DIALECT_LOOPS_LOOPS_H
#define HONE_DIALECT_LOOPS_LOOPS_H

#include "dialect/dialect.h"

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

/* A loop's id: "k3f9a1b2-7". */
const char *loops_id(const struct run_view *run, uint32_t lane, struct arena *arena);
/* Where its work tree is, or was. */
const char *loops_worktree(const struct run_view *run, uint32_t lane, struct arena *arena);

/* The newest document of a stage's work, made by its worker or by a repair. */
struct str loops_newest(const struct run_view *run, enum loops_stage stage);

/* --- tasks.c, order.c: what is to be built ---
 *
 * A list comes from a file of the user, or from an agent. Groups are built one after the other, in
 * the order they first appear in. A task that depends on another of its group begins when that one
 * is merged: a group is split into waves, and a wave is what the engine calls a group. */

enum {
    TASKS_MAX = 10000,
    TASK_ID_BYTES_MAX = 100,
    TASK_TITLE_BYTES_MAX = 300,
    TASK_NEEDS_MAX = 1000, /* of one task */
    TASK_TEXT_BYTES_MAX = 256 * 1024,
};

struct loops_task {
    const char *id;
    const char *title;        /* one line */
    struct str text;          /* what it says beyond its title; may be empty */
    const char *group;        /* as it is called, for people; "" where it has no name */
    uint32_t group_number;    /* which of the groups, from 1 */
    const char **needs;       /* ids */
    uint32_t need_count;
    uint32_t line;            /* of a checklist; else 0 */
    bool done;                /* ticked: nothing is to be built */
    uint32_t lane;            /* its number in the run, from 1; 0: none yet, or done */
};

/* Everything lives in the arena it was made with. */
struct loops_tasks {
    struct loops_task *items;
    uint32_t count, cap;
};

/* A user's file: JSON where it begins with a brace, else a checklist. ERR_FORMAT names what is
 * wrong by its path or line; ERR_LIMIT. Tasks without an id get one. */
int tasks_read(struct str text, struct arena *arena, struct loops_tasks *out, struct err *err);

/* The tasks of the option --tasks, in their order, with the sizes of their waves. ERR_USAGE names
 * the file and what is wrong with it, or that nothing in it is to be done. */
int tasks_given(const struct settings *settings, struct arena *arena, struct loops_tasks *tasks,
                const uint32_t **waves, uint32_t *wave_count, struct err *err);

/* What an agent answers with, or tasks_write() wrote. */
int tasks_read_json(struct str text, struct arena *arena, struct loops_tasks *out,
                    struct err *err);
/* The list as tasks_read_json() takes it, with lanes and what is done. */
void tasks_write(const struct loops_tasks *tasks, struct buf *out);

/* An empty task behind the others, or NULL with ERR_LIMIT. */
struct loops_task *tasks_add(struct loops_tasks *tasks, struct arena *arena, struct err *err);
/* Groups get their numbers by the order in which their names first appear, and tasks without an id
 * one that is made of their title. */
void tasks_name(struct loops_tasks *tasks, struct arena *arena);
/* A text as a title, a group or the like: one line, no control characters, valid, bounded. */
const char *task_line(struct str text, size_t bytes_max, struct arena *arena);
bool task_id_is_valid(struct str id);

/* Puts tasks[first..] into groups and waves and gives them lanes from lane_first on; those before
 * `first` count as done. *waves are the sizes, in order. ERR_FORMAT for two tasks with one id, a
 * task that depends on one that is not there, or on one of a later group, and for a circle. */
int tasks_order(struct loops_tasks *tasks, uint32_t first, uint32_t lane_first,
                struct arena *arena, const uint32_t **waves, uint32_t *wave_count,
                struct err *err);

/* The task with that id or lane; NULL: none. */
const struct loops_task *tasks_find(const struct loops_tasks *tasks, struct str id);
const struct loops_task *tasks_of_lane(const struct loops_tasks *tasks, uint32_t lane);

/* All tasks as they are known now; an empty list where none are known yet. */
void loops_tasks_of(const struct run_view *run, struct arena *arena, struct loops_tasks *out);

/* --- state.c: where a loop stands, in words --- */

const char *loop_status(const struct engine *engine, const struct lane *lane);
const char *loop_review_status(const struct lane *lane);
/* Runs of its builder, revisions and the one at work included. */
uint32_t loop_iteration(const struct lane *lane);
uint32_t loop_revisions(const struct lane *lane);
/* How many of each there can be, with what a resume allowed. Until the first review the bound of
 * the builder's runs counts; from then on only revisions follow. */
uint32_t loop_iteration_max(const struct engine *engine, const struct lane *lane);
uint32_t loop_revision_max(const struct engine *engine, const struct lane *lane);
/* For a person, when the run has ended: how much is merged, and which loops need help. called: the
 * word for one of them. */
void tasks_conclude(const struct run_view *run, const struct loops_tasks *tasks,
                    const char *called, struct buf *out);
void loops_conclude(const struct run_view *run, struct buf *out);

extern const struct report_tool loops_tools[]; /* tools.c; name NULL ends */

/* --- review.c: a review as set_loop_review_result has it --- */

enum { REVIEW_ISSUES_MAX = 500 };

struct review_issue {
    struct str task; /* of a review of the run: what it is about; may be empty */
    struct str file;
    uint32_t line; /* 0: none */
    struct str type, text, suggestion;
};

struct loops_review {
    struct str id;      /* of the attempt that gave it; empty where none is known */
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

/* What an integration came to: merged, nothing, or a conflict with its files as findings. */
void judge_integration(struct str answer, const char *role, struct arena *arena,
                       struct result *out);

void loops_prompt(const struct run_view *run, const struct prompt_request *request,
                  struct buf *out);
void loops_judge(const struct run_view *run, const struct action *action, struct str answer,
                 struct arena *arena, struct result *out);
void loops_record(const struct run_view *run, struct contract *out);
extern const struct contract_table loops_tables[];
void loops_status(const struct run_view *run, struct arena *arena, struct lanes_status *out);

/* A row of check.c. */
struct check_report;
void check_loop_review(struct str content, struct check_report *report);

/* Of what the role answers; NULL: it is no JSON. */
const char *loops_schema(const char *role);

#endif
