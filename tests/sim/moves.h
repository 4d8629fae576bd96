/* SPDX-License-Identifier: Apache-2.0
 *
 * moves.h - what the outside may do next. A move is four bytes; with the world it is an event. */
#ifndef HONE_TESTS_SIM_MOVES_H
#define HONE_TESTS_SIM_MOVES_H

#include "world.h"

enum { MOVES_MAX = 1024, NOISE_LANES = 8 };

enum move_kind {
    MOVE_START,
    MOVE_END,     /* the attempt of lane's job ends: how */
    MOVE_STALE,   /* the attempt before it ends once more */
    MOVE_UNKNOWN, /* a job that the engine did not ask for ends */
    MOVE_STOP,
    MOVE_RESUME,  /* how: 0, as it is; 1, without a budget from now on */
    MOVE_ANSWER,  /* how is the choice */
    MOVE_DRIFT,
    MOVE_SPENT,   /* the time of the budget goes by */
    MOVE_COUNT
};

enum how {
    HOW_CLEAN,
    HOW_COMPLETE,
    HOW_FINDINGS,
    HOW_GRAVE,   /* a finding that is the same each time */
    HOW_GROUPS,  /* findings in two groups */
    HOW_ALONE,   /* likewise, and the second waits for the first */
    HOW_STUCK,
    HOW_TASKS_1, /* new tasks: from here to HOW_TASKS_60 in the order of world_tasks() */
    HOW_TASKS_2,
    HOW_TASKS_3,
    HOW_TASKS_4,
    HOW_TASKS_10,
    HOW_TASKS_25,
    HOW_TASKS_60,
    HOW_INVALID,
    HOW_BROKEN,  /* invalid, and not to be asked again */
    HOW_FAILED,
    HOW_DEAD,    /* failed, and trying again cannot help */
    HOW_WAIT,    /* failed, not before a moment */
    HOW_BUDGET,  /* it stopped at what was left of the budget */
    HOW_LOST,    /* nothing comes back of it, but for a part of what it used */
    HOW_STOPPED,
    HOW_COUNT
};

struct move {
    uint8_t kind, lane, job, how;
};

/* Every move that changes something, in a fixed order; returns how many. What is left out, as it
 * only repeats: a fixer that says it is stuck where that counts as a repair. */
uint32_t moves_list(const struct world *world, struct move out[MOVES_MAX]);

/* Moves that must be ignored, of NOISE_LANES lanes from this one on, and one that is not there. */
uint32_t moves_noise(const struct world *world, uint32_t lane, struct move out[MOVES_MAX]);

/* The move with no fault in it: what lives ends well, what rests is resumed, without a budget where
 * that was spent; questions are accepted, or answered with stop. False at the end of the road. */
bool moves_good(const struct world *world, bool accept, struct move *out);

/* One of all that could happen, good ends and bad ones in about equal parts. */
struct move moves_random(const struct world *world, struct prng *prng);

/* The event; its texts and lists live for ever. */
struct event move_event(const struct world *world, struct move move);

/* What the move takes from what may still be done. Before world_step(). */
void moves_spend(struct world *world, struct move move);

/* The finding or the groups a result of ours points to, for a caller that copies results. */
void moves_point(struct result *result);

#endif
