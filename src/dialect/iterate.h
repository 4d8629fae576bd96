/* SPDX-License-Identifier: Apache-2.0
 *
 * iterate.h - what the iterate dialect's own files share; beside them only its configuration verbs
 * include it.
 *
 * Nine phases, named "1" to "9": the phase with index i of the plan has the number i + 1. Work is
 * done in 1, 2, 4 and 7; 3, 5, 6 and 8 are gates; 9 is a last review after the iterations, in full
 * mode only. A restart begins the next iteration at phase 1. */
#ifndef HONE_DIALECT_ITERATE_H
#define HONE_DIALECT_ITERATE_H

#include "dialect/dialect.h"

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
    KIND_TOOL,    /* likewise, or null */
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
    const struct iterate_word *words; /* of KIND_WORD and KIND_TOOL */
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
 * cannot be used is a warning in settings->warnings (NULL: nobody asks), and what it would have
 * replaced stays. Texts live in arena. */
void iterate_config_read(const struct settings *settings, struct arena *arena,
                         struct iterate_config *out);

/* What one file says, and nothing else. */
void iterate_config_layer(const struct config_text *file, struct arena *arena,
                          struct warnings *warnings, struct iterate_config *out);

void iterate_config_list(const struct settings *settings, struct arena *arena,
                         struct config_list *out);

/* A setting as JSON has it: "LOW", 10, null, true. */
const char *iterate_value_json(enum iterate_field field, const struct iterate_value *value,
                               struct arena *arena);

/* The severity from which on a finding fails the review of this phase, or THRESHOLD_NONE. Phase 9
 * goes by the review defaults; phase 6 knows no severities: what it finds counts. */
uint32_t iterate_threshold(const struct iterate_config *config, uint32_t number);

bool iterate_is_lite(const struct settings *settings);   /* --lite */
const char *iterate_phase_name(uint32_t number);         /* "Plan Review" */
uint32_t iterate_phase_number(uint32_t phase);           /* of the plan's phase with this index */
const char *iterate_role_name(uint16_t role);

/* iterate_plan.c */
int iterate_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                 struct err *err);
const char *iterate_agent(const struct settings *settings, const char *role, uint32_t copy,
                          struct arena *arena);
void iterate_builtin(const struct run_view *run, const struct action *action, struct arena *arena,
                     struct builtin *out);

/* Whoever answers for the loop itself. The answer of ITERATE_TEST is "exit N", a line end and what
 * the command said; where no command is known, "exit 0", a line end and a note that says so. */
void iterate_prompt(const struct run_view *run, const struct prompt_request *request,
                    struct buf *out);
void iterate_judge(const struct run_view *run, const struct action *action, struct str answer,
                   struct arena *arena, struct result *out);
void iterate_record(const struct run_view *run, struct contract *out);
int iterate_restore(const struct contract *files, const struct settings *settings,
                    struct restored *out, struct err *err);

#endif
