/* SPDX-License-Identifier: Apache-2.0
 *
 * agent.h - backends: how an agent is started, and where its answer is.
 *
 * SPEC is BACKEND[:ARGUMENT]. A backend is a row of backends.h and a file of its own. It
 * either says which program to run, or gives the answer itself, at once (script).
 *
 * Room: backends: one file says how one kind of agent is started and what its end means. */
#ifndef HONE_AGENT_AGENT_H
#define HONE_AGENT_AGENT_H

#include "analyze/undone.h"
#include "format/stream/reading.h"

struct backend;

/* A role's agent, as --agent ROLE=SPEC named it. */
struct agent {
    const struct backend *backend;
    const char *argument; /* behind the colon; "" when there is none */
    const char *spec;     /* the whole, for messages */
    const char *effort;   /* how hard its model thinks; NULL: as its program sees fit */
};

/* What an attempt is about; the same values go into its environment (HONE_ROLE and so on). */
struct attempt {
    const char *run, *dialect, *role, *lane, *phase;
    uint32_t iteration, round, attempt, copy;
    uint32_t eye;          /* of a review under a policy: which of the eyes looks, from 0 */
    bool recheck;          /* likewise: it looks at the last repair and what is open alone */
    bool writes;           /* its role changes files */
    const char *output;    /* HONE_OUTPUT */
    const char *evidence;  /* HONE_EVIDENCE: of a reviewer; a file for the paths that it read */
    struct buf *shown;     /* of a backend that plays: paths that it says it read, one in a line;
                              NULL: they are not asked for */
    const char *workspace;
    const char *task, *task_id; /* task_id may be NULL, as all below */
    const char *findings;  /* of a repair: a file with what is to be repaired (finding_json.h) */
    const char *since;     /* the commit whose changes are looked at; NULL: everything is */
    const char *paths;     /* files and folders that are looked at, one per line; "": all */
    const char *exclude;   /* patterns of files to leave out, one per line */
    const char *analyzers; /* those that the user has defined (analyze/analyzer.h) */
    const char *test;      /* the command that must pass after a repair */
    uint64_t file_ms_max;  /* how long an analyzer may look at one file; 0: it decides */
    const char *fixes;     /* which fixes are made: "safe" or "all" */
    const char *generated; /* "true": generated and vendored files are looked at, too */
    const char *baseline;  /* the commit whose baseline counts; "": the workspace's does */
    const char *cache;     /* a folder that lives from run to run; for backends that want it */
    const char *schema;    /* the JSON schema of the answer, for backends that can hold to one */
    const char *schema_file; /* the same in a file; there wherever schema is */
    uint64_t budget_micros; /* the most it may cost, in millionths of a dollar; 0: not bounded */
    const char *budget;    /* what is left for it in all, as --budget reads it */
    const char *traceparent; /* its span, as W3C writes one; NULL: no spans are sent */
};

struct backend {
    const char *name;
    const char *argument;  /* what the argument is, for help: "COMMAND", "FILE" */
    bool argument_needed;
    bool argument_is_file; /* a path: see agent_absolute() */
    bool cannot_review, cannot_repair;
    bool answers_findings; /* its answer is findings as JSON, in no dialect's own form */
    bool closed;           /* it needs neither a network nor a home: the closed cage (sandbox.h) */
    bool runs_test;        /* it runs HONE_TEST: where no setting names one, it is looked for */
    bool wants_cache;      /* it may write to the cache folder, sandboxed or not */
    bool may_cost;         /* the service that it asks may charge for the answer */
    bool tells_cost, tells_tokens; /* its program reports what it used; else a budget of dollars, or
                              of tokens, does not bind it */
    bool may_nest;         /* it may start a run of hone, which reports by itself */
    const char *credentials; /* variables that it needs, between blanks: "OPENAI_* CODEX_*"; NULL:
                                none; see env.h */
    const char *provider;  /* whose models it asks, as OpenTelemetry names them; NULL: not known */
    const char *program;   /* what must be on the PATH; NULL: nothing, or the argument says it */
    const char *install;   /* the command that brings it, for messages; NULL: unknown */
    const char *login;     /* the command that logs in, for messages; NULL: it says so itself */

    /* How to know whether it is logged in without asking a model: arguments of its own, of which
     * the first has a --help that names the second (exit status 0: it is); variables that stand for
     * a login; files in the home folder that are there after one. NULL, or ending in NULL. */
    const char *const *login_ask, *const *login_env, *const *login_files;
    bool login_sure;       /* a no of login_ask is certain: there is no other way to log in */
    const char *const *efforts; /* how hard its model can be told to think, of agent_efforts; NULL
                                   ends. NULL: it cannot be told */
    const char *const *host_models; /* where it hosts hone, the models that its own agents can be
                                       asked for; NULL: any */
    const char *const *shell_env; /* variables that only commands of its agents find set
                                     (agent_around()), NULL at the end; NULL: none is known */
    bool hosted;           /* the host's agents play it: hone starts nothing */
    bool by_default;       /* plays roles that no SPEC names; of several the first in the table */
    const char *help;
    /* Instead of help, where a table says what the argument may be; the text lives in arena. */
    const char *(*help_of)(struct arena *arena);
    const struct stream_kind *stream; /* standard output is a stream of events, for agent_read();
                                         NULL: it is the answer */

    /* Checks the argument when the run starts: a missing program or file is better said before
     * the first agent than after it. May be NULL. */
    int (*check)(const struct agent *agent, struct err *err);

    /* The command that answers; NULL where the backend answers by itself. */
    const char *const *(*command)(const struct agent *agent, const struct attempt *attempt,
                                  struct arena *arena);

    /* Takes back what an attempt with this folder did to the workspace and had not checked, where
     * it did not end with status 0. barred: prefixes of paths that are not written, NULL ends. NULL
     * where what an attempt wrote stays, however it ended. */
    int (*undo)(const char *dir, const char *workspace, const char *const *barred,
                struct undone *undone, struct err *err);

    /* Whether it says with this finding that what it looked at does not build. NULL: it never
     * does. */
    bool (*broken)(const struct finding *finding);

    /* The answer by itself; *exit_code other than 0 means that the agent failed. NULL where it is
     * a command. */
    int (*play)(const struct agent *agent, const struct attempt *attempt, struct buf *answer,
                int *exit_code, struct err *err);
};

extern const struct backend *const backends[]; /* those of backends.h; NULL ends */

const char *backend_help(const struct backend *backend, struct arena *arena);

/* How a SPEC with this backend looks: "cmd:COMMAND", "claude[:MODEL]", "fixits". Lives in arena. */
const char *backend_form(const struct backend *backend, struct arena *arena);

/* Reads a SPEC. ERR_USAGE names it, with a suggestion or the list of backends. */
int agent_parse(const char *spec, struct arena *arena, struct agent *out, struct err *err);

/* Whether it reviews by looking at nothing: analyzer:none. */
bool agent_is_idle(const struct agent *agent);

/* Every word that some backend takes for how hard its model thinks, least first; NULL ends. */
extern const char *const agent_efforts[];

/* Tells the agent how hard to think. Nothing happens where its backend cannot be told, or where it
 * hosts hone and does not know the word; ERR_USAGE where it knows others. */
int agent_set_effort(struct agent *agent, const char *effort, struct err *err);

/* A check() for backends whose program must be on the PATH. */
int agent_check_program(const struct agent *agent, struct err *err);

/* The agent with a relative file in its argument taken from folder: what a run keeps, so that a
 * resume from another folder means the same file. Unchanged where there is no file to speak of. */
struct agent agent_absolute(const struct agent *agent, const char *folder, struct arena *arena);

/* What the stream that an attempt left in dir/stdout tells; the agent's backend has one.
 * exit_status is its program's, or -1 where it did not end by itself. ERR_LIMIT: the answer is too
 * long, *out is good; any other error: the file could not be read. */
int agent_read(const struct agent *agent, const char *dir, int exit_status, struct arena *arena,
               struct reading *out, struct err *err);

/* How far the stream is that an attempt writes to dir/stdout, while it does; the agent's backend
 * has one. What cannot be read, or is long without an answer, counts as answered. */
enum agent_progress { AGENT_SILENT, AGENT_BEGUN, AGENT_ANSWERED };
enum agent_progress agent_look(const struct agent *agent, const char *dir);

/* Which agent a process with this environment was started by, for messages: "an attempt of hone",
 * "claude"; NULL: by none that is known. */
const char *agent_around(const char *const *environment);

/* The attempt's environment, NULL at the end: HONE_RUN, HONE_DIALECT, HONE_ROLE, HONE_LANE,
 * HONE_PHASE, HONE_ITERATION, HONE_ROUND, HONE_ATTEMPT, HONE_COPY, HONE_EYE, HONE_RECHECK,
 * HONE_OUTPUT, HONE_EVIDENCE, HONE_WORKSPACE, HONE_TASK, HONE_TASK_ID, HONE_FINDINGS, HONE_SINCE,
 * HONE_PATHS, HONE_EXCLUDE, HONE_ANALYZERS, HONE_TEST, HONE_FIXES, HONE_GENERATED, HONE_FILE_MS,
 * HONE_CACHE. All are always there, empty where there is nothing to say, so that nothing of an
 * outer hone shines through. TRACEPARENT is there where spans are sent. Of the names in withheld
 * (NULL ends) nothing is in it. */
const char *const *agent_env(const struct attempt *attempt, const char *const *withheld,
                             struct arena *arena);

#endif
