/* SPDX-License-Identifier: Apache-2.0
 *
 * iterate.h - what the iterate dialect's own files share; beside them only its configuration verbs
 * include it.
 *
 * Nine phases, named "1" to "9": the phase with index i of the plan has the number i + 1. Work is
 * done in 1, 2, 4 and 7; 3, 5, 6 and 8 are gates; 9 is a last review after the iterations, in full
 * mode only. A restart begins the next iteration at phase 1. Others than the code-reviewer may
 * review in phase 5, where the user names them: their roles stand behind those below.
 *
 * Room: nine phases in iterations: configuration, plan, prompts, judge, state file. */
#ifndef HONE_DIALECT_ITERATE_ITERATE_H
#define HONE_DIALECT_ITERATE_ITERATE_H

#include "dialect/panel.h"
#include "format/json/json.h"

/* As the plan has them. The last one plays in full mode only: lite mode has no such role. */
enum iterate_role {
    ITERATE_NOBODY = ROLE_NONE,
    ITERATE_BRAINSTORMER,
    ITERATE_PLANNER,
    ITERATE_PLAN_REVIEWER,
    ITERATE_IMPLEMENTER,
    ITERATE_CODE_REVIEWER,
    ITERATE_TEST, /* hone itself, by the project's test command */
    ITERATE_SIMPLIFIER,
    ITERATE_FINAL_REVIEWER,
    ITERATE_FIXER,
    ITERATE_CODEX_FINAL,
    ITERATE_ROLE_COUNT
};

enum {
    PHASE_BRAINSTORM = 1,
    PHASE_PLAN,
    PHASE_PLAN_REVIEW,
    PHASE_IMPLEMENT,
    PHASE_CODE_REVIEW,
    PHASE_TEST,
    PHASE_SIMPLIFY,
    PHASE_FINAL_REVIEW,
    PHASE_CODEX_FINAL,
    PHASE_NUMBER_MAX = PHASE_CODEX_FINAL,
};

/* Everything a phase can be configured with. */
enum iterate_field {
    FIELD_MODEL,
    FIELD_PARALLEL,
    FIELD_PARALLEL_MODEL,
    FIELD_TOOL,
    FIELD_ON_FAILURE,
    FIELD_FAIL_ON_SEVERITY,
    FIELD_MAX_RETRIES,
    FIELD_ON_MAX_RETRIES,
    FIELD_PARALLEL_FIXES,
    FIELD_COUNT
};

enum iterate_kind {
    KIND_MODEL,   /* a model's name, "inherit" or null */
    KIND_SWITCH,  /* true or false */
    KIND_WORD,    /* one of some words */
    KIND_TOOL,    /* the name of a tool, or null */
    KIND_RETRIES, /* a whole number, or null: no limit */
};

/* What FIELD_FAIL_ON_SEVERITY comes to: a finding counts if its severity >= the threshold. */
enum { THRESHOLD_NONE = SEVERITY_COUNT, RETRIES_MAX = 1000000 };

struct iterate_word {
    const char *word; /* NULL ends a list */
    uint32_t number;  /* enum on_fail, enum severity or THRESHOLD_NONE, enum at_bound */
};

struct iterate_field_row {
    const char *name; /* as the files have it: "onFailure" */
    enum iterate_kind kind;
    uint32_t phases;  /* that have it, as bits; bit 0: so have the review defaults */
    const struct iterate_word *words; /* of KIND_WORD */
    const char *const *asked; /* words that weaken a gate, which the user must agree to where a
                                 repository brings them; NULL ends. Every row has a list */
};

extern const struct iterate_field_row iterate_fields[FIELD_COUNT];

/* Whether a phase (0: the review defaults) has a field. */
bool iterate_has_field(uint32_t number, enum iterate_field field);

/* One setting. */
struct iterate_value {
    bool is_set;      /* false: the phase has no such field, or the file says nothing */
    const char *text; /* of models, tools and words, as written; NULL: null */
    uint32_t number;  /* of switches 0 or 1; of retries, NO_BOUND for null; of words, theirs */
    const char *from; /* the file that says so, as the dialect names it; NULL: built in */
};

/* fields[0] are the review defaults, fields[n] those of phase n. */
struct iterate_config {
    struct iterate_value fields[PHASE_NUMBER_MAX + 1][FIELD_COUNT];
};

/* Where the files are, a later one wins; NULL ends. */
extern const char *const iterate_config_files[];

/* The effective settings. Cheap enough to be called wherever one is needed. Never fails: what
 * cannot be used is a warning in settings->warnings (NULL: none is wanted), and what it would have
 * replaced stays. Texts live in arena. */
void iterate_config_read(const struct settings *settings, struct arena *arena,
                         struct iterate_config *out);

void iterate_config_list(const struct settings *settings, struct arena *arena,
                         struct config_list *out);

/* A setting as JSON has it: "LOW", 10, null, true. */
const char *iterate_value_json(enum iterate_field field, const struct iterate_value *value,
                               struct arena *arena);

/* The severity from which on a finding fails the review of this phase, or THRESHOLD_NONE. Phase 9
 * goes by the review defaults; phase 6 knows no severities: what it finds counts. */
uint32_t iterate_threshold(const struct iterate_config *config, uint32_t number);

/* The tools are servers of the Codex command line, one for each effort, and `claude-review`. */
struct iterate_tool {
    const char *name;    /* as the files have it: "mcp__codex-high__codex" */
    const char *backend; /* that plays it; NULL: inherit */
    const char *effort;  /* how hard its model thinks; NULL: as its program has it */
};

/* NULL: there is no such tool. */
const struct iterate_tool *iterate_tool_find(struct str name);

const char *iterate_phase_name(uint32_t number);         /* "Plan Review" */
uint32_t iterate_phase_number(uint32_t phase);           /* of the plan's phase with this index */
const char *iterate_role_name(uint16_t role);            /* of a built-in one */
bool iterate_is_builtin(const char *role);
/* What a role of the plan is: who reviews the code by the user's list is a code-reviewer. */
enum iterate_role iterate_kind(const struct plan *plan, uint16_t role);

#define ITERATE_STATE_PATH ".agents/iteration-state.json"
enum { ITERATE_STATE_VERSION = 4 };

/* ---- a reviewer's answer: issues.c ---- */

enum { ANSWER_BYTES_MAX = 16 * 1024 * 1024, ISSUE_BYTES_MAX = 4096, PLACE_BYTES_MAX = 1024 };

/* What a reviewer lists, at any severity. Texts live in the arena of the reading. */
struct iterate_issues {
    struct finding *items;
    uint32_t count, cap;
};

struct check_report;

/* Reads an answer and adds what is wrong with it to report, which must be empty. False when it is
 * no review: neither issues that can be read nor a word for clean. A review without issues is
 * clean. What stands between the lines of this fence is not the reviewer's; NULL: there is none. */
bool iterate_issues_read(struct str answer, const char *fence, struct arena *arena,
                         struct check_report *report, struct iterate_issues *out);
/* A place for one more, zeroed. */
struct finding *iterate_issue_add(struct iterate_issues *issues, struct arena *arena);

/* HIGH, MEDIUM, LOW, and Critical, Important, Minor for the same; in any case. */
bool iterate_severity_read(struct str word, enum severity *out);
const char *iterate_severity_word(enum severity severity);

/* Valid UTF-8 in arena, also of bytes that are not; with a note where more than bytes_max was
 * cut. */
struct str iterate_text(struct str bytes, size_t bytes_max, struct arena *arena);

/* "src/a.c:12:5" as file, line and column: every number behind the name is taken off, so that what
 * is printed again is read the same. Borrows. */
void iterate_place_read(struct str place, struct finding *out);
/* "src/a.c:12", "src/a.c", or "" where there is no file. */
struct str iterate_place_print(const struct finding *finding, struct arena *arena);

/* A row of dialect/checks.c. */
void check_iterate(struct str content, struct check_report *report);

/* ---- who repairs what: group.c ---- */

enum { GROUPS_MAX = 16 };

struct iterate_groups {
    uint32_t count;
    bool alone; /* the last one names no file, and is repaired behind the others */
};

/* Findings that one agent repairs: those of one file. group_of[i] becomes 1 to count, by the names
 * of the files, those without a file last. Beyond GROUPS_MAX files share a group. */
struct iterate_groups iterate_groups(const struct finding *findings, uint32_t count,
                                     uint32_t *group_of);

/* ---- what is kept of an answer: doc.c ---- */

enum {
    ISSUES_MAX = 500, /* of one review */
    ISSUES_BYTES_MAX = 128 * 1024,
    WORK_BYTES_MAX = 256 * 1024,
    OUTPUT_BYTES_MAX = 32 * 1024,  /* of the tests */
    AMENDMENTS_BYTES_MAX = 64 * 1024,
};

/* The document of a review. */
struct iterate_review {
    struct iterate_issues issues; /* at or above the threshold */
    struct iterate_issues notes;  /* below it */
    struct str amendments;        /* of a plan review: what was changed in the plan it judged */
};

struct str iterate_review_write(const struct iterate_review *review, struct arena *arena);
void iterate_review_read(struct str doc, struct arena *arena, struct iterate_review *out);
/* {"severity","message","location"}, in a document for writing; and "reviewer", the issue's source,
 * where that is named. */
yyjson_mut_val *iterate_issue_value(yyjson_mut_doc *doc, const struct finding *issue, bool named);

/* What the newest review of a phase in that iteration left, of all its reviewers: issues, and with
 * notes those, too, each reviewer's behind its issues. Where there were several, each has its
 * reviewer as its source; else none has. */
void iterate_kept(const struct engine *engine, uint32_t iteration, uint32_t number, bool notes,
                  struct arena *arena, struct iterate_issues *out);

/* The document of the tests. */
struct iterate_tested {
    uint64_t status;   /* as the command ended; 0: passed */
    struct str output; /* the end of what it said */
};

struct str iterate_tested_write(const struct iterate_tested *tested, struct arena *arena);
void iterate_tested_read(struct str doc, struct arena *arena, struct iterate_tested *out);

/* What fixers have changed in this iteration's plan since it was written, as far as reviews have
 * looked at it. pending: for a review of the plan that is under way, with the newest as well. */
struct str iterate_amendments(const struct engine *engine, bool pending, struct arena *arena);

/* plan.c */
/* Whether a setting of this phase has an effect beside its other settings: no retry limit where
 * nothing is repaired. */
bool iterate_matters(const struct iterate_value *fields, uint32_t number, enum iterate_field field);
/* Whether issues of this phase can be shared out among fixers, if parallelFixes says so. */
bool iterate_divides(uint32_t number);
int iterate_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                 struct err *err);
const struct role_file *iterate_role_file(const struct settings *settings, const char *role,
                                          struct arena *arena);
const char *iterate_agent(const struct settings *settings, const char *role, uint32_t copy,
                          struct arena *arena);
const char *iterate_model(const struct settings *settings, const char *backend, const char *role,
                          struct arena *arena);
const char *iterate_agent_default(const struct settings *settings, const char *role, uint32_t copy,
                                  struct arena *arena);
const char *iterate_effort(const struct settings *settings, const char *role, uint32_t copy,
                           bool by_default, struct arena *arena);
void iterate_builtin(const struct run_view *run, const struct action *action, struct arena *arena,
                     struct builtin *out);

/* The functions that the dialect's row names. The answer of ITERATE_TEST is "exit N", a line end
 * and what the command said; where no command is known, "exit 0", a line end and a note that says
 * so. */
void iterate_prompt(const struct run_view *run, const struct prompt_request *request,
                    struct buf *out);
void iterate_judge(const struct run_view *run, const struct action *action, struct str answer,
                   struct arena *arena, struct result *out);
void iterate_found(const struct run_view *run, const struct action *action,
                   const struct found *found, struct arena *arena, struct result *out);
void iterate_record(const struct run_view *run, struct contract *out);
extern const struct dialect_notation iterate_notation;

#endif
