/* SPDX-License-Identifier: Apache-2.0
 *
 * fan.c - lanes side by side: a group of tasks at a time, in a bounded number of places.
 *
 *   main lane FANNING:   group 1 --barrier--> group 2 --barrier--> ... --> next phase
 *
 *   in a group:  WAITING --place--> lane.c, gate.c --> PASSED --.
 *                                                               | all of the group
 *                MERGED <--clean-- INTEGRATING <---in order-----'
 *                                       '--conflict--> WAITING --> REPAIRING --> REVIEWING
 *
 * 1. At most lane_max lanes are active.
 * 2. A group begins when every lane of the one before is MERGED.
 * 3. At most one lane integrates, and only while all the others are PASSED or MERGED.
 * 4. A checkpoint begins when no lane of the group is at work: nobody is reviewed while writing.
 * 5. A stuck or failed lane lets the others go on; then the run rests at the barrier. */
#include "core/step.h"

#include "base/mem.h"

#include <assert.h>

void fan_add_groups(struct step *step, const struct result *result)
{
    struct engine *engine = step->engine;

    for (uint32_t i = 0; i < result->group_count; i++) {
        if (result->groups[i] == 0) continue;
        engine->groups = mem_grow(engine->groups, engine->group_count, &engine->group_cap,
                                  sizeof *engine->groups);
        engine->groups[engine->group_count++] = result->groups[i];
    }
}

void fan_take_groups(struct step *step, const struct batch *batch)
{
    bool named = false;

    for (uint32_t i = 0; i < batch->count; i++) {
        named = named || batch->jobs[i].result.group_count > 0;
    }
    if (named) step->engine->group_count = step->engine->group;
    for (uint32_t i = 0; i < batch->count; i++) fan_add_groups(step, &batch->jobs[i].result);
}

/* The id of the group's first lane: ids follow the groups. */
static uint32_t group_first(const struct engine *engine)
{
    uint32_t first = 1;

    for (uint32_t i = 0; i < engine->group; i++) first += engine->groups[i];
    return first;
}

static void group_open(struct engine *engine)
{
    uint32_t end = group_first(engine) + engine->groups[engine->group];

    while (engine->lane_count < end) {
        engine->lanes = mem_grow(engine->lanes, engine->lane_count, &engine->lane_cap,
                                 sizeof *engine->lanes);
        lane_init(&engine->lanes[engine->lane_count], engine->lane_count, engine->group,
                  engine->plan->phase_count);
        engine->lanes[engine->lane_count].phase = engine->lanes[0].phase;
        engine->lane_count++;
    }
}

static void group_start(struct step *step, uint32_t first)
{
    struct engine *engine = step->engine;
    uint32_t active = 0;

    for (uint32_t i = first; i < engine->lane_count; i++) {
        active += lane_is_active(&engine->lanes[i]);
    }
    for (uint32_t i = first; i < engine->lane_count && active < engine->plan->lane_max; i++) {
        struct lane *lane = &engine->lanes[i];

        if (lane->state == LANE_WAITING) {
            lane_begin(step, lane);
            active++;
        } else if (lane->parked) {
            lane->parked = false;
            lane_again(step, lane);
            active++;
        }
    }
}

static void checkpoint_start(struct step *step, uint32_t first)
{
    struct engine *engine = step->engine;

    for (uint32_t i = first; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        if (lane->state == LANE_WORKING && lane_is_active(lane)) return;
    }
    engine->checkpoint_due = false;
    for (uint32_t i = first; i < engine->lane_count; i++) {
        struct lane *lane = &engine->lanes[i];
        if (lane->state != LANE_HELD) continue;
        lane_move(lane, LANE_CHECKING);
        batch_begin(step, lane, 1);
        batch_add(step, lane, engine->plan->phases[lane->phase].work.checkpoint_role,
                  FOR_CHECKPOINT, 1);
    }
}

/* True when the whole group is merged. Else the next lane integrates, once all are ready. */
static bool group_integrate(struct step *step, uint32_t first)
{
    struct engine *engine = step->engine;
    struct lane *next = NULL;

    for (uint32_t i = first; i < engine->lane_count; i++) {
        struct lane *lane = &engine->lanes[i];
        if (lane->state == LANE_MERGED) continue;
        if (lane->state != LANE_PASSED) return false;
        if (!next) next = lane;
    }
    if (!next) return true;
    lane_move(next, LANE_INTEGRATING);
    batch_begin(step, next, 1);
    batch_add(step, next, engine->plan->integrate, FOR_INTEGRATE, 1);
    return false;
}

void fan_integrated(struct step *step, struct lane *lane)
{
    const struct gate *gate = &step->engine->plan->phases[lane->phase].gate;
    const struct tally *tally = &lane->tallies[lane->phase];
    enum verdict verdict = batch_verdict(&lane->now);
    bool asks = gate->at_bound == BOUND_ASK || gate->at_bound == BOUND_ESCALATE;

    batch_keep(lane, &lane->review);
    if (verdict == VERDICT_CLEAN) {
        lane_move(lane, LANE_MERGED);
        return;
    }
    lane->conflict = true;
    if (gate->repair.role != ROLE_NONE && gate->on_fail == FAIL_REPAIR &&
        (gate->repair_max == NO_BOUND || tally->repairs < gate->repair_max + tally->granted)) {
        lane_move(lane, LANE_WAITING); /* its place may be taken: lane_begin() repairs */
    } else if (asks) {
        lane_ask(step, lane, ASK_BOUND);
    } else {
        lane_move(lane, LANE_STUCK); /* a conflict cannot be passed over */
    }
}

void fan_advance(struct step *step)
{
    struct engine *engine = step->engine;

    while (engine->lanes[0].state == LANE_FANNING && engine->group < engine->group_count) {
        uint32_t first = group_first(engine);

        group_open(engine);
        group_start(step, first);
        if (engine->checkpoint_due) checkpoint_start(step, first);
        if (!group_integrate(step, first)) return;
        for (uint32_t i = first; i < engine->lane_count; i++) {
            if (engine->lanes[i].noted) engine->lanes[0].noted = true;
        }
        engine->group++;
    }
    if (engine->lanes[0].state == LANE_FANNING) {
        lane_enter(step, &engine->lanes[0], engine->lanes[0].phase + 1);
    }
}
