/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.h - everything a run's reviewers found, each fault once, with who reported it and what
 * became of it.
 *
 * The engine keeps it: it is told of each review and each repair. A fault that is reported again in
 * the same lane and phase is the same entry, by the same reviewer or another, in the same words or
 * in others, wherever its line has moved to (core/identity.h).
 *
 * {0} is an empty ledger. What it holds is good until the next event. */
#ifndef HONE_CORE_LEDGER_H
#define HONE_CORE_LEDGER_H

#include "core/event.h"

#include <stdbool.h>
#include <stdint.h>

struct batch;

enum finding_state {
    FINDING_NEW,        /* reported for the first time in the newest round */
    FINDING_PERSISTING, /* open in the round before, and still */
    FINDING_REGRESSED,  /* it was fixed, and is reported again */
    FINDING_PARKED,     /* open; no repair is tried any more in this run */
    FINDING_NOTED,      /* too small to fail its review, or left by the fixer with a reason */
    FINDING_WAIVED,     /* a person has decided to leave it */
    FINDING_FIXED,      /* its reviewers looked again and found it no more */
    FINDING_STATE_COUNT
};

/* What one reviewer said of a fault, when it said so last. */
struct vote {
    uint16_t role;
    struct str by;          /* the backend: "claude"; empty where it is not known */
    uint32_t iteration, round;
    struct finding finding; /* in its own words */
    bool stands;            /* its role has not looked since without finding it */
    char *block;            /* the ledger's own, from here on: what its texts live in, ... */
    struct identity_words *words, **slot; /* ... what was read of them, and where that is kept
                                             while its round goes on */
};

struct ledger_entry {
    struct finding finding; /* as the gravest vote of the newest report has it */
    uint64_t fingerprint;   /* of its first report ... */
    uint32_t ordinal;       /* ... and among those with the same, from 0: its name in the phase */
    uint32_t lane, phase;
    uint16_t role;          /* of the plan: who reported it first */
    uint32_t iteration_first, iteration_last; /* when it was first and last reported */
    uint32_t round_first, round_last;
    uint32_t line_first;    /* its line when it was first reported */
    enum finding_state state;
    enum doubt doubt;       /* why the repair did not resolve it; else DOUBT_NONE */
    struct vote *votes;     /* one for each role and backend; only to be read */
    uint32_t vote_count;
    uint32_t cause_round;   /* the repair of this round brought it; 0: the change did */
    uint32_t tries;         /* repairs that were to resolve it */
    uint32_t rounds_seen;
    uint32_t regressions;   /* how often it was reported again after it was fixed */
    uint32_t streak;        /* rounds running in which something came up at its place */
    uint32_t streak_iteration, streak_round; /* the last of these; 0: none */
    struct str waiver;      /* the name of the waiver that it is waived by */
    bool edited;            /* a repair has changed its place since the waivers were told */
    uint64_t order;         /* in which they were first reported */
    uint32_t saved;         /* the ledger's own: where it is kept as it was when the round began */
};

/* The ledger of one lane. */
struct ledger_book;

struct ledger {
    struct ledger_book *books; /* books[lane] */
    uint32_t book_count, book_cap;
    uint32_t rounds;           /* opened so far, of all lanes */
    struct waiver *waivers;
    uint32_t waiver_count;
    struct arena waiver_arena;
};

/* How a gate judges what is found: core/plan.h. {0}: what its reviewers say is what counts. */
struct ledger_rule {
    bool policy;        /* a whole round covers what any reviewer found, and ... */
    uint8_t floor;      /* ... what is less grave than this is noted */
    uint32_t tries_max; /* repairs that one finding is worth */
    uint32_t votes_min; /* where there is no policy: what fewer reviewers report is noted ... */
    bool votes_or_evidence; /* ... unless one of them gives evidence */
    const struct role *roles; /* whose reviews they are, where there is a policy */
};

/* A round as far as its reviews have ended: to be told again whenever one has, or is asked again.
 * What it leads to follows from which reviews are done, not from the order in which they ended. */
void ledger_review(struct ledger *ledger, uint32_t lane, const struct batch *batch,
                   struct ledger_rule rule);
/* A repair ended. */
void ledger_repair(struct ledger *ledger, uint32_t lane, const struct batch *batch,
                   const struct result *result);
/* The repair that just ended was taken back: the tree is as it was. What was repaired so often is
 * parked. */
void ledger_take_back(struct ledger *ledger, uint32_t lane, uint32_t phase, uint32_t tries_max);
/* Whether the repair that just ended wrote the place of the finding: it may be the cause. */
bool ledger_wrote(const struct ledger *ledger, uint32_t lane, const struct finding *finding);
/* Which waiver holds for each finding, by one rule everywhere (ledger.c, 6): out[i] is NULL where
 * none does. A waiver holds for one finding at most. The findings of waivers are where their code
 * is now. */
void waivers_match(const struct waiver *const *waivers, uint32_t waiver_count,
                   const struct finding *const *findings, uint32_t count,
                   const struct waiver **out);
/* What a person has decided to leave, from now on. */
void ledger_waive(struct ledger *ledger, const struct waiver *waivers, uint32_t count);
/* What of a gate was waived by none of these is open again: to be told before them. False: there is
 * nothing of the kind. */
bool ledger_unwaive(struct ledger *ledger, uint32_t lane, uint32_t phase,
                    const struct waiver *waivers, uint32_t count);
/* What is parked may be tried again. */
void ledger_unpark(struct ledger *ledger, uint32_t lane);
/* No review will tell of the repair that just ended, for it changed nothing: what the fixer gave a
 * reason for is noted, and the rest, as all that is grave, is parked. */
void ledger_idle(struct ledger *ledger, uint32_t lane, uint32_t phase);
void ledger_release(struct ledger *ledger);

/* The entries, in the order they were first reported; the list lives in arena. */
uint32_t ledger_list(const struct ledger *ledger, struct arena *arena,
                     const struct ledger_entry *const **out);
/* Those of one lane, in no order that means anything. */
uint32_t ledger_of_lane(const struct ledger *ledger, uint32_t lane,
                        const struct ledger_entry **out);

/* Of the newest reviews together: each file and tool once, by file; findings that were counted and
 * not listed are added up. Its list lives in arena, its texts in the ledger. */
struct coverage ledger_coverage(const struct ledger *ledger, struct arena *arena);
/* How many files there are in it that were not looked at. */
uint32_t coverage_unlooked(const struct coverage *coverage);

bool finding_is_open(enum finding_state state);     /* new, persisting, regressed, parked */
bool finding_is_accepted(enum finding_state state); /* those, but for parked: to be repaired */
const char *finding_state_word(enum finding_state state);
bool finding_state_from_word(struct str word, enum finding_state *out);

#endif
