/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.h - how a run was asked for: options, agents, limits. Kept in the journal as JSON, so
 * that a resume means the same thing; pure.
 *
 * Room: what the user wants: hone.json, options, the dialect's files, who plays which role, what a
 * repository is trusted with. */
#ifndef HONE_SETTINGS_SETTINGS_H
#define HONE_SETTINGS_SETTINGS_H

#include "dialect/dialect.h"

/* What bounds one attempt, where no setting does. A client has begun its stream within
 * seconds; ten minutes is what clients themselves wait for one answer of their model; limits of a
 * subscription end within five hours. */
enum {
    LIMIT_TIME_MS = 3600 * 1000, LIMIT_IDLE_MS = 900 * 1000, LIMIT_START_MS = 120 * 1000,
    LIMIT_FIRST_MS = 600 * 1000, LIMIT_WAIT_MS = 6 * 3600 * 1000,
};

enum limit { LIMIT_TIME, LIMIT_IDLE, LIMIT_START, LIMIT_FIRST, LIMIT_WAIT, LIMIT_COUNT };

/* One of them: where it is set, and what it is called. */
struct limit_about {
    const char *path;   /* in hone.json: "limits.time" */
    const char *option; /* of hone run, without its dashes; NULL: there is none */
    const char *key;    /* in what is kept with a run */
    uint64_t builtin_ms;
};

extern const struct limit_about limits_about[LIMIT_COUNT];

/* --agent ROLE=SPEC, in the order given; ROLE may be "*". */
struct agent_setting {
    const char *role, *spec;
    bool chosen; /* by hone, as no SPEC was named: the dialect's own configuration comes before */
};

enum { RUNS_KEPT = 200 };

/* How hard the model of a role thinks, in the order given; ROLE may be "*". */
struct effort_setting {
    const char *role, *effort;
};

struct run_settings {
    struct settings options; /* the dialect's own: max-iterations and so on */
    const struct agent_setting *agents;
    uint32_t agent_count;
    const struct effort_setting *efforts;
    uint32_t effort_count;
    uint64_t time_ms_max, idle_ms_max; /* of one attempt; 0: none */
    uint64_t start_ms_max, first_ms_max; /* until its stream begins; until its model answers */
    uint64_t wait_ms_max; /* for a service that cannot serve now */
    bool sandbox_off, sandbox_asked; /* asked for: without it nothing begins */
    bool allow_partial;  /* files that were not looked at do not make the end a failure */
    bool no_fix;         /* it only looks: nothing is repaired */
    uint32_t runs_kept;  /* of those that have ended, when a new one begins; 0: RUNS_KEPT */
    bool isolate;        /* a fixer works in a disposable work tree */
    bool require_proof;  /* a review without proof of reading does not count */
    bool network_off, home_private, tmp_private; /* what a sandbox takes away besides */
    bool tmp_said; /* the user asked for the last one; not kept with the run */
    const char *write;   /* paths elsewhere that fixers may write to, one per line; may be "" */
    const char *change;  /* protected paths of the workspace that they may change, likewise */
    const char *pass;    /* names of credentials that agents find in their environment, likewise */
    const char *owner;   /* whose run it is: owner_word() when it began; "": not known */
    const char *since;   /* what is looked at: the changes since this commit; "": everything */
    bool scope_given;    /* the user said so; else it was chosen for agents that must be told */
    const char *exclude; /* patterns of files that no agent looks at, one per line; may be "" */
    const char *paths;   /* files and folders that are looked at, one per line; "": all */
    const char *fail_on; /* the least severity that fails a review; "": any */
    const char *analyzers; /* of the user, as analyzers_define() takes them; "": none */
    const char *test;    /* the command that must pass after a repair; "": none */
    const char *missing; /* tools that would fit and are not installed, in words; "": none */
    const char *test_from; /* what named it: "--test", "Makefile" ...; "": nothing */
    bool test_found;     /* no person named it: it runs in the closed cage or not at all */
    const char *until;   /* the policy of its gates (core/policy.c); "" or "seed": none */
    const char *eyes;    /* who looks in turn with those that play, under a policy: SPECs, one per
                            line; "": those that play alone */
    const char *missed;  /* what one, two, three, four looks missed in earlier runs, in thousandths
                            with blanks between (core/measure.h); "": the guess of policies */
    const char *fixes;   /* which fixes fixits makes: "all", else those that are safe */
    const char *generated; /* "true": generated and vendored files are looked at, too */
    const char *baseline; /* the commit whose .hone/baseline.json counts; "": the workspace's */
    const char *budget;  /* of the whole run, as format/text/budget_text.h reads it; "": none */
    const char *uuid;    /* another name of the run; "": a run of before there were such */
    const char *fleet;   /* where attempts are sent: "ssh:HOST", "nats://HOST" ...; "": nowhere */
    const char *fleet_pools; /* NAME=POOL, one per line: a role, a lane or "*", and its pool, or
                                "local" */
    const char *fleet_setup; /* a command that makes a new work tree there ready; "": none */
    const char *fleet_carry; /* patterns of ignored files that go along, one per line */
};

/* The plan of a run that was asked for so: the dialect's, with what no dialect decides (no_fix,
 * until). ERR_USAGE with the setting, its value and what is allowed. */
int settings_plan(const struct run_settings *settings, const struct dialect *dialect,
                  struct arena *arena, struct plan *out, struct err *err);
/* The nth that looks in turn, from 1; NULL: there are fewer. */
const char *settings_eye(const struct run_settings *settings, uint32_t nth, struct arena *arena);
/* What until may be, the weakest first; NULL ends. */
extern const char *const until_words[];

uint64_t *limit_of(struct run_settings *settings, enum limit limit);
/* "10m (limits.first in hone.json)": a limit, its value and where it is set. */
const char *limit_text(const struct run_settings *settings, enum limit limit, struct arena *arena);

/* One line. Texts that are not UTF-8 are written with U+FFFD. */
void settings_write(const struct run_settings *settings, struct buf *out);

/* Texts live in arena. Limits that are not there are the defaults, unknown members are ignored;
 * ERR_FORMAT names a member that has another type. */
int settings_read(struct str json, struct arena *arena, struct run_settings *out, struct err *err);

/* The SPEC that was named for a role: by the last that names it, else the last for "*", else
 * NULL. And the one that was chosen for it, or NULL. */
const char *settings_agent(const struct run_settings *settings, const char *role);
const char *settings_chosen(const struct run_settings *settings, const char *role);
/* The name by which entries of a role are found: the role's. In a hosted run copies that work side
 * by side (copy above 0) may have an entry of their own, "ROLE copies": then that is the name. */
const char *settings_key(const struct run_settings *settings, const char *role, uint32_t copy,
                         struct arena *arena);
/* The SPEC that counts: settings_agent(), else what the dialect's configuration names (for this
 * copy), else settings_chosen(); NULL: no agent was named or chosen. */
const char *settings_spec(const struct run_settings *settings, const struct dialect *dialect,
                          const char *role, uint32_t copy, struct arena *arena);

/* How hard the model of a role thinks: by the last that names it, else the last for "*"; NULL. */
const char *settings_effort(const struct run_settings *settings, const char *role);

/* How hard it thinks by the dialect's configuration, where that names the role's agent; NULL. */
const char *settings_own_effort(const struct run_settings *settings, const struct dialect *dialect,
                                const char *role, uint32_t copy, struct arena *arena);

#endif
