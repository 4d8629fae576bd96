/* SPDX-License-Identifier: Apache-2.0
 *
 * dialect.h - a loop's rules and its files, as five pure functions and a few constants.
 *
 * A dialect compiles its settings to a plan, writes the prompts, judges the answers and says what
 * its contract files hold. It starts nothing, reads nothing and writes nothing: the same functions
 * serve every driver, and a test is a struct literal. */
#ifndef HONE_DIALECT_DIALECT_H
#define HONE_DIALECT_DIALECT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/engine.h"

/* One option or configured value: "max-iterations" = "3". A later one wins. */
struct setting {
    const char *name, *value;
};

struct settings {
    const struct setting *items;
    uint32_t count;
};

/* An option of `hone run DIALECT`, for the command line, the help and the man page. */
struct dialect_option {
    const char *name;     /* without the dashes */
    const char *argument; /* "N", "FILE"; NULL for a switch */
    const char *help;
};

/* What a dialect may know of a run. Everything is borrowed. */
struct run_view {
    const struct engine *engine;
    const char *id;
    const char *task;
    const char *workspace; /* absolute */
    const char *owner;     /* the engine's process id, as text */
    const struct str *changed; /* files that changed since the last review, relative */
    uint32_t changed_count;
    const char *since;     /* the changes since this commit are judged; "" or NULL: everything */
    bool scope_given;      /* somebody said so; else the dialect says what is judged */
    const char *fence;     /* a word no agent could know before: marks quoted text in prompts */
};

struct prompt_request {
    const struct action *action; /* an ACT_START */
    const char *output;          /* HONE_OUTPUT: where the agent may put its answer */
    struct str problem;          /* what was wrong with its last answer; empty: nothing */
};

/* Paths are relative to the workspace, and content is what the file holds, byte for byte. */
struct contract_file {
    const char *path;
    struct str content;
};

struct contract {
    struct arena arena; /* holds everything below */
    struct contract_file *files;
    uint32_t file_count, file_cap;
    const char **folders; /* that must exist even while empty */
    uint32_t folder_count, folder_cap;
    const char **absent;  /* files that must not exist: what an agent put there is removed */
    uint32_t absent_count, absent_cap;
};

void contract_release(struct contract *contract);
/* All copy what they are given. */
void contract_file_add(struct contract *contract, const char *path, struct str content);
void contract_folder_add(struct contract *contract, const char *path);
void contract_absent_add(struct contract *contract, const char *path);

/* Findings and what there is to say about the looking. */
struct found {
    const struct finding *findings;
    uint32_t count;
    const struct str *notes;
    uint32_t note_count;
};

struct dialect {
    const char *name;
    const char *summary;        /* half a sentence */
    const char *task_default;   /* the task where none is given; NULL: one must be given */
    const char *const *private_paths; /* its files, as prefixes: never in a delta; NULL ends */
    const char *trail;          /* folder of an earlier run's files, moved aside at the start */
    bool rounds_are_iterations; /* it calls a round an iteration: HONE_ITERATION counts with it */
    const struct dialect_option *options; /* name NULL ends */

    /* The plan lives in arena. ERR_USAGE with the setting, its value and what is allowed. */
    int (*plan)(const struct settings *settings, struct arena *arena, struct plan *out,
                struct err *err);
    void (*prompt)(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out);
    /* Texts in out live in arena. Never fails: what cannot be read is VERDICT_INVALID, with
     * out->problem written for the agent that will be asked again. */
    void (*judge)(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out);
    /* What a reviewer found that answers with findings and in no dialect's form (an analyzer), as
     * the result of an answer that says the same. NULL: such a reviewer cannot play here. */
    void (*found)(const struct run_view *run, const struct action *action,
                  const struct found *found, struct arena *arena, struct result *out);
    void (*record)(const struct run_view *run, struct contract *out);
};

extern const struct dialect *const dialects[]; /* NULL ends */
const struct dialect *dialect_find(struct str name);

extern const struct dialect dialect_review;

#endif
