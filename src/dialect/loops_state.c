/* SPDX-License-Identifier: Apache-2.0
 *
 * loops_state.c - where a loop stands, in the words of its tables.
 *
 *     status           pending, running, completed, stuck, failed, interrupted
 *     review status    pending, in_progress, passed, failed
 *
 * A checkpoint changes neither: it gives feedback, and nothing waits for it. */
#include "dialect/loops.h"

static bool has_job(const struct lane *lane, enum job_state state)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        if (lane->now.jobs[i].state == state) return true;
    }
    return false;
}

const char *loop_status(const struct engine *engine, const struct lane *lane)
{
    switch (lane->state) {
    case LANE_WAITING:
        return "pending";
    case LANE_PASSED:
    case LANE_MERGED:
    case LANE_OVER:
        return "completed";
    case LANE_STUCK:
        return "stuck";
    case LANE_WORKING:
    case LANE_JOINING:
    case LANE_HELD:
    case LANE_CHECKING:
    case LANE_REVIEWING:
    case LANE_REPAIRING:
    case LANE_FINISHING:
    case LANE_FANNING:
    case LANE_INTEGRATING:
    case LANE_ASKING:
    case LANE_STATE_COUNT:
        break;
    }
    if (has_job(lane, JOB_DEAD) && !has_job(lane, JOB_RUNNING)) return "failed";
    if (has_job(lane, JOB_HALTED) || engine->state == ENGINE_ENDED) return "interrupted";
    return lane->state == LANE_INTEGRATING ? "completed" : "running";
}

const char *loop_review_status(const struct lane *lane)
{
    switch (lane->state) {
    case LANE_REVIEWING:
        return "in_progress";
    case LANE_PASSED:
    case LANE_INTEGRATING:
    case LANE_MERGED:
    case LANE_OVER:
        return "passed";
    case LANE_WAITING:
    case LANE_WORKING:
    case LANE_JOINING:
    case LANE_HELD:
    case LANE_CHECKING:
    case LANE_REPAIRING:
    case LANE_FINISHING:
    case LANE_FANNING:
    case LANE_STUCK:
    case LANE_ASKING:
    case LANE_STATE_COUNT:
        break;
    }
    return lane->tallies[lane->phase].rounds > 0 ? "failed" : "pending";
}

uint32_t loop_revisions(const struct engine *engine, const struct lane *lane)
{
    uint32_t phase = loops_phase(engine->plan, LOOPS_STAGE_BUILD);

    return lane->tallies[phase].repairs + (lane->state == LANE_REPAIRING);
}

uint32_t loop_iteration(const struct engine *engine, const struct lane *lane)
{
    return lane->runs + (lane->state == LANE_WORKING) + loop_revisions(engine, lane);
}
