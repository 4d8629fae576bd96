/* SPDX-License-Identifier: Apache-2.0
 *
 * law.c - what ought to follow from an event, told from the outside.
 *
 * A lane's batch is over when every job of it has a good answer. law_act() then says what is due:
 * jobs to start in this step (a task's lane may have to wait for a place), a question, or the end.
 * Nothing here looks at the engine.
 *
 * Not here: what each event does before and beside that (law_event.c). */
#include "law.h"

static const struct phase *phase_of(const struct world *world, const struct wlane *lane)
{
    return &world->plan->phases[lane->phase];
}

bool lane_is_of_task(const struct world *world, const struct wlane *lane)
{
    return lane != &world->lanes[0];
}

bool lane_has(const struct wlane *lane, enum wjob_state state)
{
    for (uint32_t i = 0; i < lane->count; i++) {
        if (lane->jobs[i].state == (uint8_t)state) return true;
    }
    return false;
}

uint32_t law_repairs_max(const struct world *world, const struct wlane *lane)
{
    uint32_t max = phase_of(world, lane)->gate.repair_max;

    return max == NO_BOUND ? UINT32_MAX : max + lane->granted[lane->phase];
}

static void due_jobs(struct wlane *lane, enum purpose purpose, uint32_t phase, uint32_t count)
{
    lane->due = DUE_JOBS;
    lane->due_purpose = (uint8_t)purpose;
    lane->due_phase = (uint8_t)phase;
    lane->due_count = (uint8_t)count;
    lane->due_done = 0;
    lane->phase = (uint8_t)phase;
}

void due_review(struct world *world, struct wlane *lane, uint32_t phase)
{
    due_jobs(lane, FOR_REVIEW, phase, world->plan->phases[phase].gate.reviewer_count);
    lane->stale = 0;
}

void due_work(struct world *world, struct wlane *lane)
{
    due_jobs(lane, FOR_WORK, lane->phase, phase_of(world, lane)->work.copies);
}

void due_repair(struct world *world, struct wlane *lane)
{
    bool by_groups = phase_of(world, lane)->gate.repair.by_groups && lane->fix_groups > 0;
    uint32_t together = by_groups ? lane->fix_groups - lane->fix_alone : 1;

    lane->fixed = (uint8_t)(together > 0 ? together : 1);
    due_jobs(lane, FOR_REPAIR, lane->phase, lane->fixed);
}

/* One of those that had to wait for the others; false: all are repaired. */
static bool due_next_repair(struct world *world, struct wlane *lane)
{
    if (!phase_of(world, lane)->gate.repair.by_groups) return false;
    if (lane->fixed >= lane->fix_groups) return false;
    lane->fixed++;
    due_jobs(lane, FOR_REPAIR, lane->phase, 1);
    return true;
}

void due_begin(struct world *world, struct wlane *lane)
{
    const struct gate *gate = &phase_of(world, lane)->gate;
    bool looked_at = lane->rounds[lane->phase] > 0;
    bool changed = lane->stale && lane->worked && gate->reviewer_count > 0;
    bool unseen = looked_at && lane->repairs[lane->phase] == lane->rounds[lane->phase];

    if (changed || unseen || (looked_at && gate->repair.role == ROLE_NONE)) {
        due_review(world, lane, lane->phase);
    } else if (!looked_at) {
        due_work(world, lane);
    } else {
        due_repair(world, lane);
    }
}

void lane_drop(struct wlane *lane)
{
    lane->count = 0;
    lane->acted = 1;
}

static void law_over(struct world *world, struct wlane *lane, enum reason reason)
{
    lane_drop(lane);
    world->over = 1;
    world->reason = (uint8_t)reason;
}

void law_enter(struct world *world, struct wlane *lane, uint32_t phase)
{
    const struct plan *plan = world->plan;
    const struct phase *row = &plan->phases[phase];
    uint32_t missing;

    lane->fanning = 0;
    if (phase == plan->phase_count) {
        law_over(world, lane, lane->noted ? REASON_NOTED : REASON_CLEAN);
        return;
    }
    missing = row->needs & ~(uint32_t)lane->mints;
    if (missing) {
        uint32_t from = 0;

        while (!(plan->phases[from].gate.mints & missing)) from++;
        due_review(world, lane, from);
        return;
    }
    lane->phase = (uint8_t)phase;
    if (row->fan) {
        lane->fanning = 1;
        law_fan(world);
    } else if (row->work.role != ROLE_NONE) {
        due_work(world, lane);
    } else {
        due_review(world, lane, phase);
    }
}

static void group_open(struct world *world)
{
    uint32_t first = world->lane_count;

    if (first + world->groups[world->group] > world->lane_cap) world_fail("8: too many lanes");
    for (uint32_t i = 0; i < world->groups[world->group]; i++) {
        struct wlane *lane = &world->lanes[first + i];

        *lane = (struct wlane){ .phase = world->lanes[0].phase, .acted = 1 };
        due_work(world, lane);
        world->lane_count++;
    }
}

uint32_t group_first(const struct world *world)
{
    uint32_t first = 1;

    for (uint32_t i = 0; i < world->group; i++) first += world->groups[i];
    return first;
}

void law_fan(struct world *world)
{
    while (world->group < world->group_count) {
        uint32_t first = group_first(world);

        if (world->lane_count == first) group_open(world);
        for (uint32_t i = first; i < world->lane_count; i++) {
            if (!world->lanes[i].merged) return;
        }
        for (uint32_t i = first; i < world->lane_count; i++) {
            world->lanes[0].noted |= world->lanes[i].noted;
        }
        world->group++;
    }
    law_enter(world, &world->lanes[0], world->lanes[0].phase + 1U);
}

void law_done(struct world *world, struct wlane *lane)
{
    if (lane_is_of_task(world, lane)) {
        lane->passed = 1;
    } else {
        law_enter(world, lane, lane->phase + 1U);
    }
}

void law_ask(struct wlane *lane, enum question question)
{
    lane->question = lane->ask_due = (uint8_t)question;
}

void law_stop(struct world *world, struct wlane *lane)
{
    if (lane_is_of_task(world, lane)) {
        lane->resting = 1;
        lane->passed = 0;
    } else {
        law_over(world, lane, REASON_BOUND);
    }
}

void law_restart(struct world *world, struct wlane *lane)
{
    world->iteration++;
    for (uint32_t i = 0; i < FIXTURE_PHASES; i++) {
        lane->rounds[i] = lane->repairs[i] = lane->granted[i] = 0;
    }
    lane->mints = lane->noted = 0;
    for (uint32_t i = 0; i < FIXTURE_PHASES; i++) lane->grave[i] = 0;
    law_enter(world, lane, 0);
}

static void law_bound(struct world *world, struct wlane *lane, enum question question)
{
    switch (phase_of(world, lane)->gate.at_bound) {
    case BOUND_STOP:
        law_stop(world, lane);
        break;
    case BOUND_ASK:
    case BOUND_ESCALATE:
        law_ask(lane, question);
        break;
    case BOUND_RESTART:
        if (world->iteration < world->plan->iteration_max) {
            law_restart(world, lane);
        } else {
            law_stop(world, lane);
        }
        break;
    case BOUND_PROCEED:
        lane->noted = 1;
        law_done(world, lane);
        break;
    case BOUND_STUCK:
        lane->resting = 1;
        break;
    }
}

static uint8_t iterations_of(const struct wlane *lane)
{
    return (uint8_t)(lane->runs + lane->repairs[lane->phase]);
}

void law_iterates(struct wlane *lane)
{
    if (lane->looked) lane->checked = iterations_of(lane);
    lane->looked = lane->awaited = 0;
    lane->iterating = 1;
}

static void law_findings(struct world *world, struct wlane *lane)
{
    switch (phase_of(world, lane)->gate.on_fail) {
    case FAIL_REPAIR:
        if (lane->repairs[lane->phase] < law_repairs_max(world, lane)) {
            due_repair(world, lane);
            law_iterates(lane);
        } else {
            law_bound(world, lane, ASK_BOUND);
        }
        break;
    case FAIL_RESTART:
        if (world->iteration < world->plan->iteration_max) {
            law_restart(world, lane);
        } else {
            law_bound(world, lane, ASK_BOUND);
        }
        break;
    case FAIL_PROCEED:
        lane->noted = 1;
        law_done(world, lane);
        break;
    case FAIL_STOP:
        law_stop(world, lane);
        break;
    }
}

/* A gate that passes forgets what came back to it, and only that. */
static bool law_repeats(const struct world *world, struct wlane *lane)
{
    uint32_t repeat_max = phase_of(world, lane)->gate.repeat_max;
    bool grave = false;

    for (uint32_t i = 0; i < lane->count; i++) grave = grave || lane->jobs[i].grave;
    if (repeat_max == 0) return false;
    lane->grave[lane->phase] = (uint8_t)(grave ? lane->grave[lane->phase] + 1 : 0);
    return lane->grave[lane->phase] >= repeat_max;
}

static void law_reviewed(struct world *world, struct wlane *lane)
{
    uint8_t worst = VERDICT_CLEAN;

    lane->fix_groups = lane->fix_alone = 0;
    for (uint32_t i = 0; i < lane->count; i++) {
        if (lane->jobs[i].verdict > worst) worst = lane->jobs[i].verdict;
        lane->fix_groups = (uint8_t)(lane->fix_groups + lane->jobs[i].fix_groups);
        lane->fix_alone = (uint8_t)(lane->fix_alone + lane->jobs[i].fix_alone);
    }
    if (worst == VERDICT_CLEAN) {
        lane->noted = 0;
        lane->mints |= (uint8_t)phase_of(world, lane)->gate.mints;
        lane->grave[lane->phase] = 0;
        law_done(world, lane);
    } else if (law_repeats(world, lane)) {
        law_bound(world, lane, ASK_REPEAT);
    } else {
        law_findings(world, lane);
    }
}

void law_recheck(struct world *world, struct wlane *lane)
{
    uint32_t target = phase_of(world, lane)->gate.recheck;

    if (world->plan->phases[target].fan && !lane_is_of_task(world, lane)) {
        law_enter(world, lane, target);
    } else {
        due_review(world, lane, target);
    }
}

void law_groups(struct world *world, uint32_t tasks)
{
    const struct tasks *list = world_tasks(tasks);

    for (uint32_t i = 0; list && i < list->count; i++) {
        world->groups[world->group_count++] = (uint8_t)list->sizes[i];
    }
}

/* New tasks replace those that have not begun. */
static void law_tasks(struct world *world, const struct wlane *lane, uint32_t count)
{
    bool any = false;

    for (uint32_t i = 0; i < count; i++) any = any || lane->jobs[i].tasks;
    if (any) world->group_count = world->group;
    for (uint32_t i = 0; i < count; i++) law_groups(world, lane->jobs[i].tasks);
}

/* When any lane hits the threshold, all active lanes get a review at the end of the iteration they
 * are in; those between two iterations have theirs at that moment. */
static void law_iterated(struct world *world, struct wlane *lane)
{
    uint32_t every = phase_of(world, lane)->work.checkpoint_every;

    if (!lane_is_of_task(world, lane) || every == 0) return;
    lane->awaited = 0;
    if (!world->checkpoint_due && (uint32_t)(iterations_of(lane) - lane->checked) >= every) {
        world->checkpoint_due = 1;
        for (uint32_t i = group_first(world); i < world->lane_count; i++) {
            struct wlane *other = &world->lanes[i];

            other->awaited = other->iterating;
            other->looked = other->looked || !other->awaited;
        }
    }
    lane->looked = world->checkpoint_due;
}

static void law_repaired(struct world *world, struct wlane *lane)
{
    const struct repair *repair = &phase_of(world, lane)->gate.repair;
    bool stuck = false;

    lane->mints = 0;
    for (uint32_t i = 0; i < lane->count; i++) stuck = stuck || lane->jobs[i].stuck;
    if (!lane_is_of_task(world, lane)) law_tasks(world, lane, lane->count);
    if (stuck && repair->on_stuck == STUCK_ASK) {
        law_ask(lane, ASK_STUCK);
        return;
    }
    if (!(stuck && repair->on_stuck == STUCK_REST) && due_next_repair(world, lane)) return;
    lane->repairs[lane->phase]++;
    if (stuck && repair->on_stuck == STUCK_REST) {
        lane->resting = 1;
        return;
    }
    law_iterated(world, lane);
    if (repair->then != ROLE_NONE) {
        due_jobs(lane, FOR_THEN, lane->phase, 1);
    } else {
        law_recheck(world, lane);
    }
}

/* Repeated work that is not complete: again, at once or behind a checkpoint; or it rests. */
static bool law_again(struct world *world, struct wlane *lane)
{
    const struct work *work = &phase_of(world, lane)->work;

    if (work->run_max == 0) return false;
    lane->runs++;
    if (lane->jobs[0].stuck || (!lane->jobs[0].complete && lane->runs >= work->run_max)) {
        lane->resting = 1;
        return true;
    }
    law_iterated(world, lane);
    if (lane->jobs[0].complete) return false;
    lane->held = world->checkpoint_due;
    due_work(world, lane);
    if (!lane->held) law_iterates(lane);
    return true;
}

static void law_worked(struct world *world, struct wlane *lane)
{
    const struct phase *phase = phase_of(world, lane);

    lane->worked = 1;
    if (lane->purpose == FOR_WORK && phase->work.copies > 1) {
        due_jobs(lane, FOR_JOIN, lane->phase, 1);
        return;
    }
    if (!lane_is_of_task(world, lane)) law_tasks(world, lane, 1);
    if (law_again(world, lane)) return;
    if (phase->needs) {
        lane->noted = 0;
    } else {
        lane->mints = 0;
    }
    if (!lane_is_of_task(world, lane) && lane->jobs[0].stuck) {
        law_ask(lane, ASK_STUCK);
    } else if (phase->gate.reviewer_count > 0) {
        due_review(world, lane, lane->phase);
    } else {
        law_done(world, lane);
    }
}

/* A conflict is a failed gate that cannot be passed over. Without a review there is no repair to
 * be checked: the work is done again. */
static void law_integrated(struct world *world, struct wlane *lane)
{
    const struct gate *gate = &phase_of(world, lane)->gate;

    lane->passed = 0;
    lane->fix_groups = lane->jobs[0].fix_groups;
    lane->fix_alone = lane->jobs[0].fix_alone;
    if (lane->jobs[0].verdict == VERDICT_CLEAN) {
        lane->merged = 1;
        law_fan(world);
    } else if (gate->repair.role != ROLE_NONE && gate->on_fail == FAIL_REPAIR &&
               lane->repairs[lane->phase] < law_repairs_max(world, lane)) {
        due_begin(world, lane);
    } else if (gate->at_bound == BOUND_ASK || gate->at_bound == BOUND_ESCALATE) {
        law_ask(lane, ASK_BOUND);
    } else {
        lane->resting = 1;
    }
}

void law_act(struct world *world, struct wlane *lane)
{
    lane->acted = 1;
    lane->iterating = 0;
    switch ((enum purpose)lane->purpose) {
    case FOR_WORK:
    case FOR_JOIN:
        law_worked(world, lane);
        break;
    case FOR_REVIEW:
        law_reviewed(world, lane);
        break;
    case FOR_REPAIR:
        law_repaired(world, lane);
        break;
    case FOR_THEN:
        law_recheck(world, lane);
        break;
    case FOR_CHECKPOINT:
        due_work(world, lane);
        law_iterates(lane);
        break;
    case FOR_INTEGRATE:
        law_integrated(world, lane);
        break;
    case FOR_PROOF:
    case FOR_COUNT:
        world_fail("a batch for nothing");
    }
}
