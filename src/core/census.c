/* SPDX-License-Identifier: Apache-2.0
 *
 * census.c - what the lanes of the group at work are doing, counted.
 *
 * fan.c asks after every event: is there a place, which lane is next, have all passed? To look at
 * each lane would cost a run of many lanes the square of their number. So each lane carries what it
 * was counted as, and is counted anew when something of it has changed:
 *
 *   a step changes a lane --> lane_touch(): it is in the chain of moved lanes
 *                         --> census_take(): the difference goes into engine->census
 *
 * 1. Outside of a step, census[p] is the number of lanes of the group at work that are p, and
 *    lane->census says which. Lanes of earlier groups are merged for good and not counted, nor is
 *    the main lane.
 * 2. No lane of the group below census_from[p] is p. A lane that becomes p lowers it, a search
 *    raises it. Lanes begin and merge in order: a search mostly passes over a lane for good.
 * 3. What a lane is counted as follows from the lane alone, but for late (its iteration began after
 *    a checkpoint was due). When a checkpoint becomes due no lane is late, since each began before;
 *    when the checkpoint begins, fan.c counts the late lanes anew.
 * 4. The chain of moved lanes holds each that the step at work changed, once; between steps it is
 *    empty.
 *
 * Not here: what follows from the counts (fan.c). */
#include "core/step.h"

#include <assert.h>

#define BIT(which) (1U << (which))

void lane_touch(struct step *step, struct lane *lane)
{
    struct engine *engine = step->engine;

    if (lane->moved) return;
    lane->moved = true;
    lane->moved_next = engine->moved_first;
    engine->moved_first = lane->id;
}

uint8_t lane_census(const struct engine *engine, const struct lane *lane)
{
    bool active = lane_is_active(lane);
    bool writes = active && lane_iterates(lane);
    bool late = engine->checkpoint_due && lane->begun == engine->checkpoints;
    uint32_t bits = 0;

    if (active) bits |= BIT(CENSUS_ACTIVE);
    if (writes) bits |= late ? BIT(CENSUS_LATE) : BIT(CENSUS_WRITING);
    if (lane->state == LANE_WAITING || lane->parked) bits |= BIT(CENSUS_QUEUED);
    if (lane->state == LANE_HELD) bits |= BIT(CENSUS_HELD);
    if (lane->state == LANE_PASSED) bits |= BIT(CENSUS_PASSED);
    if (lane->state == LANE_MERGED) bits |= BIT(CENSUS_MERGED);
    if (lane->state == LANE_INTEGRATING) bits |= BIT(CENSUS_INTEGRATING);
    return (uint8_t)bits;
}

void census_take(struct engine *engine, struct lane *lane)
{
    uint8_t now = lane_census(engine, lane);

    if (lane->id < engine->group_lane || now == lane->census) return;
    for (uint32_t i = 0; i < CENSUS_COUNT; i++) {
        bool is = now & BIT(i), was = lane->census & BIT(i);

        if (is == was) continue;
        engine->census[i] += is ? 1U : UINT32_MAX;
        if (is && lane->id < engine->census_from[i]) engine->census_from[i] = lane->id;
    }
    lane->census = now;
}

void census_take_moved(struct engine *engine)
{
    for (uint32_t i = engine->moved_first; i != NO_LANE; i = engine->lanes[i].moved_next) {
        census_take(engine, &engine->lanes[i]);
    }
}

void census_take_all(struct engine *engine)
{
    for (uint32_t i = engine->group_lane; i < engine->lane_count; i++) {
        census_take(engine, &engine->lanes[i]);
    }
}

void census_next_group(struct engine *engine)
{
    engine->group_lane += engine->groups[engine->group++];
    for (uint32_t i = 0; i < CENSUS_COUNT; i++) {
        engine->census[i] = 0;
        engine->census_from[i] = engine->group_lane;
    }
}

struct lane *census_first(struct engine *engine, enum census which)
{
    uint32_t *from = &engine->census_from[which];

    assert(engine->census[which] > 0);
    while (!(engine->lanes[*from].census & BIT(which))) {
        ++*from;
        assert(*from < engine->lane_count); /* it was counted: it is there */
    }
    return &engine->lanes[*from];
}
