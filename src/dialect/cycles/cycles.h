/* SPDX-License-Identifier: Apache-2.0
 *
 * cycles.h - what the cycles dialect's own files share, and what judges their contract files.
 *
 * The engine's round is this dialect's cycle: one review of a phase and the fix that follows it.
 * A phase of the spec is two phases of the plan with one name: the implementer's work, and its
 * commit with the gate behind it. Others than the spec-reviewer may review at the gates, where the
 * user names them: their roles stand behind those below.
 *
 * Room: a spec phase by phase, with grades and signals. */
#ifndef HONE_DIALECT_CYCLES_CYCLES_H
#define HONE_DIALECT_CYCLES_CYCLES_H

#include "dialect/panel.h"
#include "dialect/prose.h"

enum cycles_role {
    CYCLES_NOBODY = ROLE_NONE,
    CYCLES_IMPLEMENTER,
    CYCLES_COMMITTER,
    CYCLES_REVIEWER,
    CYCLES_FIXER,
    CYCLES_ROLE_COUNT
};

enum { CYCLES_PHASE_MAX = 1000, CYCLES_PHASES_MAX = 100 };

const char *cycles_role_name(uint16_t role); /* of a built-in one */
bool cycles_is_builtin(const char *role);
/* What a role of the plan is: who reviews by the user's list is a reviewer. */
enum cycles_role cycles_kind(const struct plan *plan, uint16_t role);

/* Reviews that are allowed in a phase of the plan: its fixes, and the last look. */
uint32_t cycles_max(const struct plan *plan, uint32_t phase);

/* --- grades: grade.c --- */

enum grade { GRADE_PASS, GRADE_WARN, GRADE_FAIL, GRADE_COUNT }; /* the worse is the greater */

/* A place where a review says a grade; line 0: it does not. */
struct grade_mark {
    uint32_t line;
    enum grade grade;
    bool odd; /* it says another word: FAIL */
};

struct grading {
    enum grade grade; /* FAIL where nothing was found */
    bool found;
    struct grade_mark heading;    /* the last `## Grade: X` */
    struct grade_mark final;      /* the last `**Final Grade**: X` */
    struct grade_mark compliance, quality;
    uint32_t open_line;           /* a code fence that begins there is never closed; 0: none */
};

void grading_read(struct str review, struct grading *out);
const char *grade_word(enum grade grade);
bool grade_from_word(struct str word, enum grade *out);

/* --- the spec: spec.c --- */

struct spec {
    const char *path; /* as the user gave it; NULL: the task is all there is */
    struct str text;
};

struct spec cycles_spec(const struct settings *settings);
/* The highest phase of its table of criteria; 0: it has no such table. Numbers beyond max are left
 * out, with a warning. */
uint32_t spec_phase_count(const struct spec *spec, uint32_t max, struct warnings *warnings);
/* Appends the rows of the table for one phase, a line each; how many there were. */
uint32_t spec_criteria(const struct spec *spec, uint32_t phase, struct buf *out);
/* "042" of specs/042-login.md; "000" where the name has no number. */
const char *spec_number(const struct spec *spec, struct arena *arena);
/* Its first heading, else the name of the file; without a spec the beginning of the task. */
const char *spec_title(const struct spec *spec, const char *task, struct arena *arena);
/* A few words of that for a folder's name: "login-form". */
const char *spec_topic(const struct spec *spec, const char *task, struct arena *arena);

/* --- names --- */

/* The session's folder, relative, without a final slash. */
const char *cycles_folder(const struct settings *settings, struct arena *arena);
/* A step of a session. */
struct cycles_step {
    const char *phase;
    const char *step; /* "review" or "fix" */
    uint32_t cycle;
    const char *by;   /* of a review: the role of its reviewer */
};
/* "<folder>/reviews/phase-1-review-2.md"; "phase-1-review-2-perf.md" by another than the
 * spec-reviewer. */
const char *cycles_review_path(const struct settings *settings, struct cycles_step step,
                               struct arena *arena);
/* "<folder>/.signals/phase-1-review-2.done", likewise; end is "done" or "fail". */
const char *cycles_signal_path(const struct settings *settings, struct cycles_step step,
                               const char *end, struct arena *arena);
/* What the action's agent writes itself in a hosted run; NULL: nothing but its last message. */
const char *cycles_answer_file(const struct run_view *run, const struct action *action,
                               struct arena *arena);
/* The message of the commit that follows the work or the fix of an action. */
const char *cycles_message(const struct run_view *run, const struct action *action,
                           struct arena *arena);

extern const struct dialect_notation cycles_notation;

/* --- the dialect --- */

void cycles_prompt(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out);
void cycles_judge(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out);
/* The reviewer's part of it: a review as a verdict, findings and the text of its file. by: the
 * role. */
void cycles_judge_review(struct str review, const char *by, struct arena *arena,
                         struct result *out);
void cycles_record(const struct run_view *run, struct contract *out);

/* --- rows of check.c --- */
struct check_report;
void check_grade(struct str content, struct check_report *report);
void check_signal(struct str content, struct check_report *report);

#endif
