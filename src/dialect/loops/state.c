/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c - where a loop stands, in the words of its tables.
 *
 *     status           pending, running, needs_revision, completed, stuck, failed, interrupted
 *     review status    pending, in_progress, passed, failed
 *
 * A loop needs revision from the failed review, or the conflict, until the revision's own review
 * begins: while it waits for a place, and while its builder is at work on it. Where that builder
 * died or was cut off, the loop failed or was interrupted like any other.
 *
 * A checkpoint changes neither: it gives feedback, and nothing waits for it. */
#include "dialect/loops/loops.h"

static bool has_job(const struct lane *lane, enum job_state state)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        if (lane->now.jobs[i].state == state) return true;
    }
    return false;
}

/* Its newest review, or its integration, was no pass; and the builder has not answered it yet. A
 * loop that waits and whose work tree was changed meanwhile is reviewed first. */
static bool needs_revision(const struct lane *lane)
{
    const struct tally *tally = &lane->tallies[lane->phase];

    if (lane->state == LANE_WAITING) return tally->rounds > tally->repairs && !lane->drifted;
    return lane->state == LANE_REPAIRING || lane->state == LANE_FINISHING;
}

const char *loop_status(const struct engine *engine, const struct lane *lane)
{
    switch (lane->state) {
    case LANE_WAITING:
        return needs_revision(lane) ? "needs_revision" : "pending";
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
    if (lane->state == LANE_INTEGRATING) return "completed";
    return needs_revision(lane) ? "needs_revision" : "running";
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
        return needs_revision(lane) ? "failed" : "pending";
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

uint32_t loop_iteration(const struct lane *lane)
{
    return lane_iterations(lane) + (lane->state == LANE_WORKING || lane->state == LANE_REPAIRING);
}

uint32_t loop_revision_max(const struct engine *engine, const struct lane *lane)
{
    uint32_t phase = loops_phase(engine->plan, LOOPS_STAGE_BUILD);

    return engine->plan->phases[phase].gate.repair_max + lane->tallies[phase].granted;
}

uint32_t loop_iteration_max(const struct engine *engine, const struct lane *lane)
{
    uint32_t phase = loops_phase(engine->plan, LOOPS_STAGE_BUILD);

    if (lane->tallies[phase].rounds > 0) return lane->runs + loop_revision_max(engine, lane);
    return engine->plan->phases[phase].work.run_max + lane->granted;
}
