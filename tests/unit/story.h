/* SPDX-License-Identifier: Apache-2.0
 *
 * story.h - a run told as a script and compared with its trace.
 *
 * A script is a list of events with commas between them; each comes 10 ms after the one before.
 *
 *   start            start 2 1         the run begins; with tasks in groups of 2 and 1
 *   start given N                      with the repair of N findings
 *   7 clean          7.1 clean         job 7's newest attempt, or attempt 1 of it, ended so
 *   1-5 clean                          several, one after the other
 *     clean  findings [N]  high NAME   NAME is a grave finding that is the same whenever it comes
 *     fix N  invalid  failed           N groups of findings
 *     broken  dead                     invalid, or failed, and not to be asked again
 *     wait MS  stopped                 failed, not before MS; failed because we ended it
 *     lost                             failed: nothing comes back of it
 *     paid                             failed at what was left of the budget for it
 *     complete  stuck  tasks 2 1       what workers and fixers say
 *     worse                            of a proof: the repair before it was taken back
 *   stop  resume  drift [LANE]  answer CHOICE [LANE]  spent
 *   at MS                              sets the clock */
#ifndef HONE_TESTS_UNIT_STORY_H
#define HONE_TESTS_UNIT_STORY_H

#include "../sim/plans.h"
#include "core/engine.h"

struct story {
    struct fixture fixture;
    struct engine engine;
    struct actions actions;
    struct buf trace;
    uint64_t now_ms;
    struct usage usage;          /* of each attempt that ends */
    const struct budget *budget; /* given with the next start or resume; NULL: none is */
    bool late;                   /* what is told is told late */
};

void story_begin(struct story *story, enum plan_kind kind, struct plan_size size);
/* The same with a budget from the start on. */
void story_begin_within(struct story *story, enum plan_kind kind, struct plan_size size,
                        const struct budget *budget);
struct budget story_budget(enum budget_part part, uint64_t limit); /* one limit and no other */
void story_end(struct story *story);

/* Plays the script; its trace must be the expected one. */
void story_play(struct story *story, const char *script, const char *expected);

/* Plays the script and looks at nothing: the way to where a story becomes interesting. */
void story_skip(struct story *story, const char *script);

#endif
