/* SPDX-License-Identifier: Apache-2.0
 *
 * change.h - a change with faults that are not seen, reviewers who see some of them, and a fixer.
 *
 * A population to try a policy on: one change is drawn from a seed, is reviewed by roles that each
 * have eyes of their own, and is repaired. What is reported are findings in words, with places, as
 * the engine takes them; what they are about only the change knows. */
#ifndef HONE_TESTS_SIM_CHANGE_H
#define HONE_TESTS_SIM_CHANGE_H

#include "core/event.h"

#include "shared/prng.h"

#include "base/arena.h"

enum { PANEL = 5, GENERALIST = PANEL, REVIEWER_KINDS = PANEL + 1, EYES_MAX = 3, REGIONS = 12 };
enum { TOGETHER_MAX = 8 }; /* reviewers of one review */

/* How changes, reviewers and fixers are: odds_base has the figures, and where they are from. */
struct odds {
    double faults, faults_shape;    /* in a change: gamma-Poisson */
    double grave, medium;           /* shares of their severities; the rest is low */
    double seen_in, seen_out, seen_general; /* by one call: of its remit, of others', by one who
                                               looks for all */
    double blind, shared, by_eye;   /* sd of the log odds of being seen; its share that all
                                       reviewers have; of the rest the share of the backend */
    double made_up, made_up_general, made_up_shape; /* false findings of a first call; how their
                                       rate varies between changes */
    double again;                   /* factor of that rate in a later review */
    double again_min;               /* in a recheck not less than this; else by what was edited */
    double false_grave, false_medium, false_near; /* severities; on edited lines, when later */
    double insist, insist_told;     /* a false one left alone is told again; where a reason was
                                       given for leaving it */
    double echo;                    /* another reviewer tells the same false one */
    double fixed, tiring, mutates;  /* a repair works; factor for each that did not; of those that
                                       did not: another fault in its place */
    double breaks, breaks_false;    /* an edit adds a fault: for a true finding, for a false one */
    double hard;                    /* sd of the log hardness of regions: scales the failures */
    double broken_grave, broken_medium; /* severities of what is added */
    double declines_false, declines_true;
    double fresh_recheck, fresh_look; /* log odds added for what the last repair made */
    double twice;                   /* a finding told by two is edited for twice */
    double word_kept;               /* a word of a fault is in a report of it */
    double word_common;             /* words of a report that others of its file have, too */
    double line_off;                /* a report's line is not quite the fault's */
    double kin;                     /* words that a fault has from the one it mutated from */
};

extern const struct odds odds_base;

struct fault {
    bool is_false; /* it was made up: there is nothing */
    bool alive, declined;
    enum severity severity, label; /* what it is, what reviewers call it */
    uint32_t remit, region, line;
    uint32_t role, eye;    /* of a false one: who made it up */
    uint32_t made;         /* by the repair after this review; 0: it was there from the start */
    uint32_t first, last;  /* reviews that reported it; 0: none */
    uint32_t tries;        /* repairs that edited for it */
    uint32_t told;         /* reports in the newest review: a bit for each reviewer */
    uint64_t words, kin;   /* seeds of its words, and of those it shares with another */
    double all, eyes[EYES_MAX], roles[EYES_MAX][REVIEWER_KINDS]; /* log odds of being seen */
};

struct change {
    const struct odds *odds;
    struct prng chance, tongue;  /* what happens; in which words */
    double level[3][SEVERITY_COUNT]; /* log odds of being seen: in remit, out of it, general */
    struct fault *faults;
    uint32_t count, cap;
    double hardness[REGIONS], rate;
    uint32_t edited[REGIONS];    /* the review behind which it was edited last; 0: never */
    uint32_t reviews, tree;      /* so far; and how often the tree has changed */
    uint32_t false_edits;
    bool mute;                   /* reports have no words: where none are compared */
};

struct reviewer { uint32_t role, eye; }; /* role: 0 .. PANEL-1, or GENERALIST */

/* The levels follow from the odds: once for all changes of a population. */
void change_levels(struct change *change, const struct odds *odds);
void change_init(struct change *change, uint64_t seed);
void change_release(struct change *change);

/* One review by all of these at once; a recheck looks where the last repair edited, and at what
 * the review before it reported. */
void change_review(struct change *change, const struct reviewer *reviewers, uint32_t count,
                   bool recheck);
/* What the reviewer with this index of that review reports; it lives in arena. */
struct result change_report(struct change *change, uint32_t index, struct arena *arena);
/* Which fault a finding is about. */
uint32_t change_fault(const struct finding *finding);

/* One repair of these findings: as a fixer's result, which lives in arena. */
struct result change_repair(struct change *change, const struct finding *const *findings,
                            uint32_t count, struct arena *arena);

/* What is left of it. */
struct residue {
    uint32_t by_severity[SEVERITY_COUNT], all, added;
    double weight;
};
struct residue change_residue(const struct change *change);

#endif
