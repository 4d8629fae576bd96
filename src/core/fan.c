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
 * 4. When a lane has gone through checkpoint_every iterations (runs of its work, and repairs)
 *    since the last checkpoint, one is due: every active lane is reviewed at the end of the
 *    iteration that it is in. A lane whose work goes on is HELD for that. After a completed task or
 *    a repair the lane's own gate reviews that state anyway: then this review is the lane's part of
 *    the checkpoint, and no state is reviewed twice.
 * 5. The checkpoint begins, with all the held lanes together, when no iteration goes on that began
 *    before it was due: no lane is reviewed while its agent writes. An iteration that began later
 *    is not waited for: that lane has just been reviewed, or is new; and no lane is held until the
 *    whole group is through.
 * 6. A stuck or failed lane lets the others go on; then the run rests at the barrier. */
#include "core/step.h"

#include "base/mem.h"

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

static void group_open(struct engine *engine)
{
    uint32_t end = engine->group_lane + engine->groups[engine->group];

    while (engine->lane_count < end) {
        struct lane *lane;

        engine->lanes = mem_grow(engine->lanes, engine->lane_count, &engine->lane_cap,
                                 sizeof *engine->lanes);
        lane = &engine->lanes[engine->lane_count];
        lane_init(lane, engine->lane_count, engine->group, engine->plan->phase_count);
        lane->phase = engine->lanes[0].phase;
        engine->lane_count++;
        census_take(engine, lane);
    }
}

static void group_start(struct step *step)
{
    struct engine *engine = step->engine;
    uint32_t active = engine->census[CENSUS_ACTIVE];

    while (active < engine->plan->lane_max && engine->census[CENSUS_QUEUED] > 0) {
        struct lane *lane = census_first(engine, CENSUS_QUEUED);

        if (lane->state == LANE_WAITING) {
            lane_begin(step, lane);
        } else {
            lane->parked = false;
            iteration_again(step, lane);
            lane_again(step, lane);
        }
        census_take(engine, lane);
        active++;
    }
}

static void checkpoint_start(struct step *step)
{
    struct engine *engine = step->engine;

    if (engine->census[CENSUS_WRITING] > 0) return;
    engine->checkpoint_due = false;
    while (engine->census[CENSUS_LATE] > 0) census_take(engine, census_first(engine, CENSUS_LATE));
    while (engine->census[CENSUS_HELD] > 0) {
        struct lane *lane = census_first(engine, CENSUS_HELD);

        lane_move(step, lane, LANE_CHECKING);
        batch_begin(step, lane, 1);
        batch_add(step, lane, engine->plan->phases[lane->phase].work.checkpoint_role,
                  FOR_CHECKPOINT, 1);
        census_take(engine, lane);
    }
}

/* True when the whole group is merged. Else the next lane integrates, once all are ready. */
static bool group_integrate(struct step *step)
{
    struct engine *engine = step->engine;
    uint32_t merged = engine->census[CENSUS_MERGED], passed = engine->census[CENSUS_PASSED];
    struct lane *next;

    if (merged + passed < engine->groups[engine->group]) return false;
    if (passed == 0) return true;
    next = census_first(engine, CENSUS_PASSED);
    lane_move(step, next, LANE_INTEGRATING);
    batch_begin(step, next, 1);
    batch_add(step, next, engine->plan->integrate, FOR_INTEGRATE, 1);
    census_take(engine, next);
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
        lane_move(step, lane, LANE_MERGED);
        return;
    }
    lane->conflict = true;
    if (gate->repair.role != ROLE_NONE && gate->on_fail == FAIL_REPAIR &&
        gate_may_repair(gate, tally)) {
        lane_move(step, lane, LANE_WAITING); /* its place may be taken: lane_begin() repairs */
    } else if (asks) {
        lane_ask(step, lane, ASK_BOUND);
    } else {
        lane_move(step, lane, LANE_STUCK); /* a conflict cannot be passed over */
    }
}

void fan_advance(struct step *step)
{
    struct engine *engine = step->engine;

    census_take_moved(engine);
    while (engine->lanes[0].state == LANE_FANNING && engine->group < engine->group_count) {
        group_open(engine);
        group_start(step);
        if (engine->checkpoint_due) checkpoint_start(step);
        if (!group_integrate(step)) return;
        for (uint32_t i = engine->group_lane; i < engine->lane_count; i++) {
            if (engine->lanes[i].noted) engine->lanes[0].noted = true;
            if (lane_is_partial(&engine->lanes[i], engine->plan)) engine->lanes[0].partial = true;
            for (uint32_t k = 0; k < engine->plan->phase_count; k++) {
                enum reason end = engine->lanes[i].tallies[k].end;
                if (end > engine->lanes[0].merged_end) engine->lanes[0].merged_end = end;
            }
        }
        census_next_group(engine);
    }
    if (engine->lanes[0].state == LANE_FANNING) {
        lane_enter(step, &engine->lanes[0], engine->lanes[0].phase + 1);
    }
}
