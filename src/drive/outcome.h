/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome.h - what the end of an attempt means: facts in, one result out. Pure.
 *
 * facts.c gathers the facts, and is the only part that touches the system. Headless runs, hosted
 * runs and playback gather different facts and share everything behind them. */
#ifndef HONE_DRIVE_OUTCOME_H
#define HONE_DRIVE_OUTCOME_H

#include "agent/agent.h"
#include "dialect/dialect.h"
#include "format/secret/mask.h"
#include "io/process/supervisor.h"
#include "settings/settings.h"

/* A text that may be the answer, or why it could not be read. */
struct answer {
    struct str text;
    bool findings;       /* the text is findings as JSON, in no dialect's form */
    int rc;              /* of reading it */
    const char *problem; /* where rc is not 0: why */
};

/* Proof of reading: what shows that a reviewer looked at the change (drive/proof.c). */
struct proof {
    bool wanted;             /* of this attempt; of all others the rest says nothing */
    bool required;           /* without it no review counts: --require-proof */
    bool told;               /* its stream, its host or its evidence says what it read: */
    bool idle;               /* nothing at all */
    const struct str *unread; /* these files of the change not */
    uint32_t unread_count;
};

/* Everything that is known of one attempt's end. Everything is borrowed. */
struct facts {
    const struct dialect *dialect;
    const struct run_settings *settings;
    const struct mask *mask;
    const struct action *action;
    const struct agent *agent;
    struct run_view view;   /* for the judge: the backend set, and the tree where it asks for it */
    bool asked_once;        /* the dialect asks this role and backend only once */
    bool sandboxed;

    struct notice notice;   /* how its process ended */
    struct usage usage;
    const char *last_words; /* on standard error; "" where there are none or they do not matter */
    const char *cage;       /* what a sandbox kept it from, behind its name; "": nothing */
    const char *host;       /* of a host's agent: its kind, "codex-subagent"; "": no host */

    /* A failure that hone itself knows of, however the process ended; FAILURE_NONE: none. */
    enum failure failure;
    bool permanent;
    const char *problem;

    enum basis basis;       /* on what it is judged: BASIS_ANSWER, or what stands before that */
    const char *basis_what;  /* the changes, named; of BASIS_GUARD: what the agent is told */

    bool builtin;             /* hone plays the role itself: */
    enum builtin_kind builtin_kind;

    bool streamed;            /* the backend tells in a stream what it did: */
    struct reading reading;
    int reading_rc;
    const char *reading_problem;
    uint64_t ask_again_ms;    /* of a service that cannot serve now, or of a start that is put off;
                                 0: it is not waited for */
    bool budget_was_all;      /* it stopped at what was left of the run's budget */

    struct proof proof;

    bool unchanged;           /* of a repair: the tree is as the review had it; its findings: */
    const struct doubtful *doubts;
    uint32_t doubt_count;
    struct line_map moved;         /* how a repair moved lines */

    struct answer said;       /* where outcome_wants_answer() */
    bool prose;               /* it is standard output, which may be no answer at all */
    bool has_report;
    struct answer report;     /* what it reported by MCP */
};

struct outcome {
    struct result result;
    struct str counted; /* the text that was judged; empty where none was */
};

/* Whether the attempt ended by itself, with status 0. */
bool notice_is_answer(const struct notice *notice);
/* Whether said and report decide: they are gathered only then. */
bool outcome_wants_answer(const struct facts *facts);
/* Whether the last words of the attempt may say more than its end. */
bool outcome_wants_words(const struct facts *facts);
/* What is said of an agent that could not be started. */
const char *unstarted_text(const struct agent *agent, int error, struct arena *arena);
/* Whether its service could not serve, and is asked again: ask_again_ms is gathered then. */
bool reading_waits(const struct reading *reading);

/* Texts in *out live in arena, or are those of the facts. */
void outcome(const struct facts *facts, struct arena *arena, struct outcome *out);

#endif
