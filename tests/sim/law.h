/* SPDX-License-Identifier: Apache-2.0
 *
 * law.h - what the world's own files share: the rules of a plan, seen from outside. */
#ifndef HONE_TESTS_SIM_LAW_H
#define HONE_TESTS_SIM_LAW_H

#include "world.h"

/* One step's view of it: what this list of actions has done so far. */
struct look {
    struct world *world;
    const struct engine *engine;
    const struct wlane *own; /* whose the event is; NULL: not of one lane */
    bool resumes, late;
    bool cuts; /* something is used up in this step */
    bool finished;
};

/* --- world_start.c --- */
void on_start_action(struct look *look, const struct action *action);
/* The jobs up to this id that have no first attempt: they were asked for and had no room. */
void take_refused(struct look *look, uint32_t end);
/* Likewise those of the lane that were to be started again, up to this one. */
void take_refused_again(struct world *world, struct wlane *lane, const struct wjob *end);
/* Whether an iteration goes on that the checkpoint that is due must wait for. */
bool checkpoint_waits(const struct world *world);

/* --- law_event.c --- */
/* What the event calls for: what is due, asked, over. The event is one that fits. */
void law_event(struct world *world, const struct event *event);
/* Nothing is alive and the main lane is not over: why the run rests. */
enum reason law_rest_reason(const struct world *world);

/* --- law_budget.c --- */
/* Whether the budget has room for one more of this role; what hone does itself always has. */
bool law_affords(const struct world *world, uint16_t role);
/* Nothing else can explain why it did not start; from now on no agent does. */
bool law_refuses(struct world *world, uint16_t role);
void law_reserve(struct world *world, struct wjob *job, bool late);
void law_free(struct world *world, struct wjob *job);
void law_settle(struct world *world, struct wjob *job, const struct result *result);
/* Money, tokens or time, if that much more of it goes by. */
bool law_used_up(const struct world *world, uint64_t more_ms);
/* The clock moves to the event's time. */
void law_time(struct world *world, const struct event *event);
/* The run begins, or goes on after an end. */
void law_open(struct world *world, const struct event *event);

/* --- law.c --- */
/* Every job of the batch has a good answer: on to what follows. */
void law_act(struct world *world, struct wlane *lane);
/* The lane begins an iteration: its work, or a repair. */
void law_iterates(struct wlane *lane);
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
