/* SPDX-License-Identifier: Apache-2.0
 *
 * custom.h - a loop that a user wrote: a file in the notation of docs/loops.md, as a dialect.
 *
 * The file's text is among the files of the run's settings, by the name LOOP_FILE, so that a run
 * goes on with what it began with. Everything else follows from that text.
 *
 * Room: loops as files: the notation, and a dialect made of one. */
#ifndef HONE_DIALECT_CUSTOM_CUSTOM_H
#define HONE_DIALECT_CUSTOM_CUSTOM_H

#include "dialect/check.h"
#include "dialect/cycles/cycles.h"
#include "dialect/dialect.h"
#include "dialect/loops/loops.h"

#define LOOP_FILE "loop"
/* The name of a second one: where the loop came from, as people are shown it, if that is the
 * repository; "~" if not. */
#define LOOP_FROM "loop-from"

/* What plays a role. */
enum custom_kind {
    CUSTOM_REMIT,  /* an agent that is told the text */
    CUSTOM_NAMED,  /* an agent that is told the remit of the role with this name */
    CUSTOM_RUN,    /* hone runs the text by sh -c */
    CUSTOM_COMMIT, /* hone commits what was changed, with the text as the message */
    CUSTOM_MERGE,  /* hone merges the lane of a task; its message begins with the text */
    CUSTOM_KIND_COUNT
};

/* How an answer is read. */
enum custom_reader {
    CUSTOM_FINDINGS, CUSTOM_GRADE, CUSTOM_VERDICT, CUSTOM_TEXT, CUSTOM_EXIT, CUSTOM_READER_COUNT
};

/* What the file says of a role beside what the engine knows of it. */
struct custom_role {
    enum custom_kind kind;
    const char *text;
    enum custom_reader reader;
    const char *agent, *effort; /* NULL: the file names none */
    uint32_t line;
};

/* When a review passes its gate. {0}: when nothing was found. */
struct custom_pass {
    enum severity severity; /* what is less grave is noted */
    enum grade grade;       /* the worst that passes */
    bool nonzero;           /* of a command: that it fails */
};

struct loop {
    const char *about, *task, *files, *until, *budget; /* NULL: the file does not say it */
    struct custom_role *roles;  /* by role of the plan, the checkers behind the others included */
    struct custom_pass *passes; /* by phase of the plan */
    const char *const *stages; /* by bit; NULL ends */
    struct plan plan;        /* without what options and policies add to it */
    bool commits;            /* something in it commits */
    bool fans;               /* a phase has a lane for each task */
    struct loops_tasks tasks; /* that the file names, with their lanes; none: they are given */
    const uint32_t *waves;   /* sizes of the groups of lanes, in order */
    uint32_t wave_count;
};

enum {
    LOOP_ROLES_MAX = 32, LOOP_PHASES_MAX = 32, LOOP_REVIEWERS_MAX = 16, LOOP_STAGES_MAX = 16,
    LOOP_REPAIRS_MAX = 1000, LOOP_RESTARTS_MAX = 100, LOOP_COPIES_MAX = 16, LOOP_RETRIES_MAX = 10,
    LOOP_NAME_BYTES_MAX = 40, LOOP_TASKS_MAX = 1000, LOOP_LANES_MAX = 1000, LOOP_AGAIN_MAX = 1000,
    LOOP_LANES_USUAL = 4,
};

/* Small letters, digits and '-', with a letter or a digit in front, at most LOOP_NAME_BYTES_MAX: it
 * becomes a part of file names. */
bool loop_name_ok(struct str name);

/* Adds everything that is wrong with the text to report. True where there is nothing: then the plan
 * passes plan_problem() and plan_most() bounds it. All lives in arena. */
bool loop_read(struct str text, struct arena *arena, struct check_report *report,
               struct loop *out);
/* The loop in the notation: loop_read() reads the same one. */
void loop_write(const struct loop *loop, struct buf *out);
/* A plan of a dialect that has a notation. ERR_USAGE says what the notation cannot say of it. */
int loop_of_plan(const struct dialect *dialect, const struct plan *plan, struct arena *arena,
                 struct loop *out, struct err *err);
/* `hone check loop`. */
void check_loop(struct str content, struct check_report *report);

/* A dialect of that name, made of the loop file among the settings' files; NULL: there is no such
 * file, or it cannot be read. It lives in arena. */
const struct dialect *custom_dialect(const char *name, const struct settings *settings,
                                     struct arena *arena);

/* ---- of the dialect's own files ---- */

/* The loop of a run's settings, whose text was read without a problem when the run began. The tasks
 * of --tasks take the place of those of the file. */
bool custom_loop(const struct settings *settings, struct arena *arena, struct loop *out);
/* What an agent of the role is told; empty: there is no role of that name. */
struct str custom_remit(const struct settings *settings, const struct custom_role *role,
                        struct arena *arena);
/* Where its contract files are, relative. */
const char *custom_folder(const struct run_view *run, const struct loop *loop, struct arena *arena);

extern const char *const custom_reader_words[CUSTOM_READER_COUNT];

void custom_prompt(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out);
void custom_judge(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out);
void custom_found(const struct run_view *run, const struct action *action,
                  const struct found *found, struct arena *arena, struct result *out);
void custom_record(const struct run_view *run, struct contract *out);

/* --- lanes.c: of a loop that fans --- */
extern const struct dialect_framing custom_framing;
extern const struct dialect_lanes custom_lanes;
/* The message of the merge of a lane. */
const char *custom_merge_message(const struct run_view *run, const struct loop *loop,
                                 const struct action *action, struct arena *arena);

#endif
