/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - the invariants of engine.c, in two strengths.
 *
 * Those of one lane follow from what is in that lane, so a step can only break them in lanes it has
 * changed; those of the whole are kept as counts. engine_check_moved() looks at both, and costs
 * what the step did. engine_check() trusts no count: it goes through all lanes and counts. */
#include "core/step.h"

#include <assert.h>

static void lane_check(const struct engine *engine, const struct lane *lane)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];

        assert(i == 0 || job->id > job[-1].id);
        assert(job->id < engine->job_next);
        assert(engine->job_lanes[job->id - 1] == lane->id);
        for (uint32_t k = 0; k < BUDGET_PART_COUNT && job->state != JOB_RUNNING; k++) {
            assert(job->reserved.of[k] == 0);
        }
    }
    for (uint32_t i = 0; i < engine->plan->phase_count; i++) {
        const struct tally *tally = &lane->tallies[i];
        uint32_t repair_max = engine->plan->phases[i].gate.repair_max;
        assert(tally->repairs <= tally->rounds + tally->unreviewed);
        assert(repair_max == NO_BOUND || tally->repairs <= repair_max + tally->granted);
    }
    assert(lane->granted <= lane->runs);
    assert(!lane_is_task(lane) || lane->checked <= lane_iterations(lane));
    assert(lane->begun <= engine->checkpoints);
    assert(lane->round_last <= engine->round_count);
    assert(lane->round_last == 0 || engine->rounds[lane->round_last - 1].lane == lane->id);
    assert((lane->question != ASK_NOTHING) == (lane->state == LANE_ASKING));
}

static bool amounts_are_zero(const struct amounts *amounts)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (amounts->of[i] != 0) return false;
    }
    return true;
}

static void counts_check(const struct engine *engine)
{
    bool busy = engine->state == ENGINE_RUNNING || engine->state == ENGINE_STOPPING;

    assert((engine->running > 0) == busy);
    assert((engine->reason != REASON_NONE) == (engine->state == ENGINE_ENDED));
    assert(engine->state == ENGINE_IDLE || engine->iteration >= 1);
    assert(engine->iteration <= engine->plan->iteration_max);
    assert(engine->census[CENSUS_ACTIVE] <= engine->plan->lane_max);
    assert(engine->census[CENSUS_INTEGRATING] <= 1);
    assert(engine->running > 0 || amounts_are_zero(&engine->reserved));
    assert(engine->spent || !engine->cut);
}

void engine_check_moved(const struct engine *engine)
{
    for (uint32_t i = engine->moved_first; i != NO_LANE; i = engine->lanes[i].moved_next) {
        lane_check(engine, &engine->lanes[i]);
    }
    counts_check(engine);
}

static void census_check(const struct engine *engine)
{
    uint32_t counts[CENSUS_COUNT] = { 0 };

    for (uint32_t i = engine->group_lane; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        assert(lane->census == lane_census(engine, lane));
        for (uint32_t k = 0, left = lane->census; left; k++, left >>= 1) {
            counts[k] += left & 1;
            assert(!(left & 1) || i >= engine->census_from[k]);
        }
    }
    for (uint32_t k = 0; k < CENSUS_COUNT; k++) assert(counts[k] == engine->census[k]);
}

/* Whether a gate that passed by its policy has something open that is to be repaired. */
static bool has_accepted(const struct engine *engine, const struct lane *lane)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, lane->id, &entries);

    for (uint32_t i = 0; i < count; i++) {
        if (!finding_is_accepted(entries[i].state)) continue;
        if (lane->tallies[entries[i].phase].end != REASON_NONE) return true;
    }
    return false;
}

void engine_check(const struct engine *engine)
{
    bool clean = engine->reason == REASON_CLEAN || engine->reason == REASON_CONVERGED ||
                 engine->reason == REASON_SETTLED;
    uint32_t running = 0, halted = 0, group_lane = 1;
    struct amounts reserved = { 0 };

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        lane_check(engine, lane);
        for (uint32_t k = 0; k < lane->now.count; k++) {
            const struct job *job = &lane->now.jobs[k];

            running += job->state == JOB_RUNNING;
            halted += job->state == JOB_HALTED;
            for (uint32_t part = 0; part < BUDGET_PART_COUNT; part++) {
                reserved.of[part] += job->reserved.of[part];
            }
        }
        assert(!clean || lane->now.count == 0);
        assert(!clean || !has_accepted(engine, lane));
        assert(!clean || i == 0 || lane->state == LANE_MERGED);
    }
    for (uint32_t i = 0; i < engine->group; i++) group_lane += engine->groups[i];
    assert(group_lane == engine->group_lane);
    assert(running == engine->running);
    assert(halted > 0 || engine->reason != REASON_BUDGET);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        assert(reserved.of[i] == engine->reserved.of[i]);
    }
    assert(!clean || (engine->lanes[0].state == LANE_OVER && !engine->lanes[0].noted &&
                       !lane_is_partial(&engine->lanes[0], engine->plan)));
    counts_check(engine);
    census_check(engine);
}
