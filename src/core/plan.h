/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h - what a dialect compiles its rules into. Data for the engine; nothing here has a
 * dialect's name on it, and nothing runs.
 *
 * A lane walks the phases in order. A phase is some work, a gate, or both:
 *
 *     work --> gate --passed--------------------------------> next phase
 *               ^ |
 *               | '--findings--> repair [--> then] --.
 *               '------------ recheck --------------'
 *
 * The main lane is lane 0. A fan phase opens a lane per task, group by group; those lanes walk
 * the fan phase alone and are integrated one after the other when all of a group have passed. */
#ifndef HONE_CORE_PLAN_H
#define HONE_CORE_PLAN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { ROLE_NONE = 0, NO_BOUND = UINT32_MAX };

/* Roles are named by their index in plan->roles; index 0 is no role. */
struct role {
    const char *name;
    bool writes;           /* may change the tree; a reviewer may not */
    bool commits;          /* may move its lane's own branch forward; of what git knows no
                              other agent may change anything */
    bool confined;         /* only reads; but of what git knows it may change as little as one that
                              writes, and where no sandbox holds it, it is looked at like one */
    bool builtin;          /* done by hone itself (a commit, a test command), not by an agent */
    bool ask_when_dead;    /* when it failed for good: ask the user, instead of ending the run */
    uint32_t invalid_max;  /* how often it is asked again after breaking its contract */
    uint32_t failed_max;   /* and after a crash or a time limit */
};

/* What to do when a gate found something. */
enum on_fail { FAIL_REPAIR, FAIL_RESTART, FAIL_PROCEED, FAIL_STOP };

/* What to do when repair_max is spent, or a restart is not allowed any more. */
enum at_bound {
    BOUND_STOP,     /* the run ends: bound */
    BOUND_ASK,      /* the user is asked; meanwhile the run ends: waiting */
    BOUND_ESCALATE, /* likewise; meanwhile the run ends: escalated */
    BOUND_RESTART,  /* the next iteration, at the first phase */
    BOUND_PROCEED,  /* the findings are noted, the next phase begins */
    BOUND_STUCK,    /* this lane rests; the others go on */
};

/* A fixer that says it cannot go on. */
enum on_stuck {
    STUCK_REPAIRED, /* it counts as a repair like any other: the review follows */
    STUCK_ASK,      /* the user is asked; nothing counts as repaired */
    STUCK_REST,     /* the lane rests; a resume looks again at what others have done */
};

struct work {
    uint16_t role;             /* ROLE_NONE: the phase has no work */
    uint32_t copies;           /* more than 1: side by side, joined by one more of the role */
    uint32_t run_max;          /* 0: once. Else again until it says complete, at most so often */
    uint16_t checkpoint_role;  /* reviews all active lanes for feedback only ... */
    uint32_t checkpoint_every; /* ... after so many iterations of one since the last; 0: never */
};

struct repair {
    uint16_t role;   /* ROLE_NONE: this cannot be repaired */
    bool by_groups;  /* one agent per group of findings: independent ones side by side, then those
                        that are not, one after the other */
    uint16_t then;   /* after it, such as a commit; ROLE_NONE: nothing */
    enum on_stuck on_stuck;
};

struct gate {
    const uint16_t *reviewers;
    uint32_t reviewer_count; /* 0: the phase has no gate */
    enum on_fail on_fail;
    struct repair repair;
    uint32_t repair_max; /* repairs, so one review more than that; NO_BOUND */
    enum at_bound at_bound;
    uint32_t recheck;    /* phase whose gate looks again after a repair; mostly its own */
    uint32_t mints;      /* stage bits that hold once it passed, until the tree changes */
    bool of_text;        /* it judges a text that prompts hold: no file must have been read */
    uint32_t repeat_max; /* the same grave finding in so many of its rounds running: as at the
                            bound; 0: never */
};

struct phase {
    const char *name;        /* the dialect's own name: R1, 3, planning */
    const char *repair_name; /* where a repair has a name of its own: R2; else NULL */
    struct work work;
    struct gate gate;
    bool fan;                /* walked by a lane per task */
    uint32_t needs;          /* stage bits that must hold on entry; such a phase delivers */
};

struct plan {
    const struct role *roles;
    uint32_t role_count;
    const struct phase *phases;
    uint32_t phase_count;
    uint32_t iteration_max;   /* 1: no restarts */
    uint32_t lane_max;        /* lanes of a group at work at once; 0 where nothing fans */
    uint16_t integrate;       /* role that integrates a lane; where something fans */
    uint64_t retry_pause_ms;  /* before a failed agent is started again */
    bool keeps_diary;         /* everything that happened is kept: diary.c. It grows with that */
};

/* NULL, or what is wrong with the plan, in words: a plan that passes cannot make the engine
 * assert, loop without a bound of its own, or ask for a role that is not there. */
/* Whether no phase of it has work: it reviews what is there. */
bool plan_only_reviews(const struct plan *plan);
/* Nothing is repaired any more: what a review finds is left. Its phases live in arena. */
void plan_leave(struct plan *plan, struct arena *arena);
const char *plan_problem(const struct plan *plan);

#endif
