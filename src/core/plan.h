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
#include "base/str.h"

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
    bool first;            /* where a gate has a policy: it looks before the others, and in each
                              recheck; while what it looks at is broken, no other is asked */
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

/* Until what a gate goes on, in place of "every reviewer again after each repair": policy.c. */
struct policy {
    const char *name;      /* as the user says it: "settled" */
    uint32_t looks;        /* at the whole change, each by the next eyes; then rechecks */
    uint32_t looks_grave;  /* so many looks ... */
    uint32_t grave_min;    /* ... where so many grave findings were accepted; 0: never */
    bool panel_once;       /* looks after the first are the checker's alone */
    bool to_clean;         /* every review is a look, and only one that finds nothing ends it */
    uint8_t floor_first, floor_look, floor_recheck; /* enum severity: what is less is noted */
    uint32_t review_max;   /* reviews, so one repair less than that */
    uint32_t region_max;   /* new findings at one place in so many reviews running: oscillating */
    uint32_t tries_max;    /* repairs that one finding is worth: then it is parked */
    /* In so many of ten such ends a grave fault is left, in simulation; 0: that is not known. */
    uint32_t wrong_converged, wrong_settled;
};

struct gate {
    const uint16_t *reviewers;
    uint32_t reviewer_count; /* 0: the phase has no gate */
    enum on_fail on_fail;
    struct repair repair;
    uint32_t repair_max; /* repairs, so one review more than that; NO_BOUND */
    enum at_bound at_bound;
    uint32_t recheck;    /* phase whose gate looks again after a repair; mostly its own */
    uint32_t votes_min;  /* a finding that fewer reviewers report is noted, not repaired; 0, 1: none
                            is. Only where there is no policy */
    bool votes_or_evidence; /* unless a reviewer gives evidence of it */
    uint32_t mints;      /* stage bits that hold once it passed, until the tree changes */
    bool of_text;        /* it judges a text that prompts hold: no file must have been read */
    const struct policy *policy; /* NULL: all reviewers look again after each repair */
    uint16_t prover;     /* where there is a policy: a test, which says before a repair and after it
                            whether all is well; or NONE. Reviewers that look first prove, too */
    uint16_t checker;    /* who rechecks where there is a policy; ROLE_NONE: the first reviewer */
    bool bound_said;     /* the user said repair_max: it bounds a policy, too */
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

enum { MEASURE_LOOKS = 4 }; /* looks of which it is said what they miss: one, two, three, four */

struct plan {
    const struct role *roles;
    uint32_t role_count;
    uint32_t checker_count;   /* roles right behind those that only a gate with a policy has */
    const struct phase *phases;
    uint32_t phase_count;
    uint32_t iteration_max;   /* 1: no restarts */
    uint32_t lane_max;        /* lanes of a group at work at once; 0 where nothing fans */
    uint16_t integrate;       /* role that integrates a lane; where something fans */
    uint64_t retry_pause_ms;  /* before a failed agent is started again */
    uint32_t eyes;            /* backends that take turns; 0: no gate has a policy */
    uint32_t missed[MEASURE_LOOKS]; /* of what is grave, in thousandths: what so many looks miss,
                                 where it was measured; 0: policy.c's own guess */
    bool keeps_diary;         /* everything that happened is kept: diary.c. It grows with that */
};

/* Whether no phase of it has work: it reviews what is there. */
bool plan_only_reviews(const struct plan *plan);
/* Nothing is repaired any more: what a review finds is left. Its phases live in arena. */
void plan_leave(struct plan *plan, struct arena *arena);
/* NULL, or what is wrong with the plan, in words: a plan that passes cannot make the engine
 * assert, loop without a bound of its own, or ask for a role that is not there. */
const char *plan_problem(const struct plan *plan);
/* Reviews that a gate may have, before the user allows more; 0: as many as it takes, or it has no
 * reviewer. */
uint32_t gate_review_max(const struct gate *gate);

/* The most that a run can take as long as no person resumes it, answers it or changes its tree:
 * plan_most.c. */
struct plan_most {
    bool bounded;    /* false: a gate has no bound of its own, or it is too many to count */
    uint32_t agents; /* started, those that are asked again included */
    uint32_t rounds;
    uint32_t tasks;  /* all of these are counted; 0: the plan has none, or it is per_task: */
    bool per_task;   /* this is for one task; there are as many as are named */
    bool by_groups;  /* a repair has a fixer for each group of findings: it counts as one here */
};
/* tasks: that are named when the run begins; 0: that is not known. */
struct plan_most plan_most(const struct plan *plan, uint32_t tasks);

/* "settled", "lean", "thorough", "clean"; NULL: there is no such policy. */
const struct policy *policy_find(struct str name);
/* Whether the role looks, or looks again, at a gate with a policy. */
bool plan_role_looks(const struct plan *plan, uint32_t role);
/* Who looks alone at a gate with a policy: its checker, or its first reviewer. What models found is
 * no analyzer's to recheck: where that one looks first, the first of the panel that does not. */
uint16_t gate_checker(const struct plan *plan, const struct gate *gate);
/* Sets role.first of each; by role. The roles live in arena then. */
void plan_first(struct plan *plan, const bool *first, struct arena *arena);
/* What so many looks (0 to MEASURE_LOOKS) are guessed to miss of what is grave, in thousandths. */
uint32_t policy_missed(uint32_t looks);
/* Every repair of a gate with a policy is proven by this role, which hone plays; but for those that
 * commit, and in lanes of tasks. Its roles and phases live in arena. */
void plan_prove(struct plan *plan, const char *role, struct arena *arena);
/* Who proves the repairs of a phase behind the one that is named, ROLE_NONE: the first. Those that
 * look first there, then its prover; ROLE_NONE: no more, or its repairs are not proven. */
uint16_t plan_prover(const struct plan *plan, uint32_t phase, uint16_t last);
/* Every gate that repairs goes on until this, and its checkers are roles. What the user said of a
 * gate's bound bounds it, too. All of it lives in arena. */
void plan_until(struct plan *plan, const struct policy *policy, uint32_t eyes,
                struct arena *arena);

#endif
