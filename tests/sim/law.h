/* SPDX-License-Identifier: Apache-2.0
 *
 * law.h - what the world's own files share: the rules of a plan, seen from outside. */
#ifndef HONE_TESTS_SIM_LAW_H
#define HONE_TESTS_SIM_LAW_H

#include "world.h"

/* --- law_event.c --- */
/* What the event calls for: what is due, asked, over. The event is one that fits. */
void law_event(struct world *world, const struct event *event);
/* Nothing is alive and the main lane is not over: why the run rests. */
enum reason law_rest_reason(const struct world *world);

/* --- law.c --- */
/* Every job of the batch has a good answer: on to what follows. */
void law_act(struct world *world, struct wlane *lane);
void law_enter(struct world *world, struct wlane *lane, uint32_t phase);
void law_recheck(struct world *world, struct wlane *lane);
void law_restart(struct world *world, struct wlane *lane);
void law_stop(struct world *world, struct wlane *lane);
/* The phase is behind the lane. */
void law_done(struct world *world, struct wlane *lane);
/* More groups: those of the list of this number. */
void law_groups(struct world *world, uint32_t tasks);
void law_ask(struct wlane *lane, enum question question);
/* While fanning: opens the next group, or goes on behind the last. */
void law_fan(struct world *world);
uint32_t law_repairs_max(const struct world *world, const struct wlane *lane);

void due_review(struct world *world, struct wlane *lane, uint32_t phase);
void due_work(struct world *world, struct wlane *lane);
void due_repair(struct world *world, struct wlane *lane);
/* A task's lane that has rested, met a conflict or waited for an answer begins anew. */
void due_begin(struct world *world, struct wlane *lane);

/* Its batch does not matter any more. */
void lane_drop(struct wlane *lane);
bool lane_has(const struct wlane *lane, enum wjob_state state);
bool lane_is_of_task(const struct world *world, const struct wlane *lane);
/* The first lane of the group at work. */
uint32_t group_first(const struct world *world);

#endif
