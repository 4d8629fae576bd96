/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c - where a loop stands: in the words of its tables, and for a person when the run has
 * ended (how much is merged, and which loops need help, why, and where).
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

#include "dialect/answer.h"
#include "format/text/safe.h"

enum { SHOWN_MAX = 20, TEXT_SHOWN_MAX = 300 };

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

uint32_t loop_revisions(const struct lane *lane)
{
    return lane->tallies[lane->phase].repairs + (lane->state == LANE_REPAIRING);
}

uint32_t loop_iteration(const struct lane *lane)
{
    return lane_iterations(lane) + (lane->state == LANE_WORKING || lane->state == LANE_REPAIRING);
}

uint32_t loop_revision_max(const struct engine *engine, const struct lane *lane)
{
    const struct gate *gate = &engine->plan->phases[lane->phase].gate;

    return gate->repair_max + lane->tallies[lane->phase].granted;
}

uint32_t loop_iteration_max(const struct engine *engine, const struct lane *lane)
{
    uint32_t run_max = engine->plan->phases[lane->phase].work.run_max;

    if (lane->tallies[lane->phase].rounds > 0) {
        return lane->runs + loop_revision_max(engine, lane);
    }
    return (run_max ? run_max : 1) + lane->granted;
}

/* ---- the end of a run ---- */

static bool said_stuck(const struct batch *batch)
{
    return batch->count > 0 && batch->jobs[0].result.stuck;
}

/* What the newest review of the lane found. */
static uint32_t found_count(const struct lane *lane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < lane->review.count; i++) {
        count += lane->review.jobs[i].result.finding_count;
    }
    return count;
}

/* Why a loop rests; ends without a line end. */
static void write_reason(const struct engine *engine, const struct lane *lane, struct buf *out)
{
    const struct tally *tally = &lane->tallies[lane->phase];
    const struct batch *said = said_stuck(&lane->repair) ? &lane->repair : &lane->work;

    if (said_stuck(said)) {
        const struct result *result = &said->jobs[0].result;

        buf_printf(out, "its %s says: ", engine->plan->roles[said->jobs[0].role].name);
        safe_text(out, result->problem.size ? result->problem : answer_stuck_reason(result->doc),
                  true, TEXT_SHOWN_MAX);
    } else if (lane->conflict) {
        buf_text(out, "it conflicts with what was merged before");
    } else if (tally->rounds > 0 && lane->review.count > 0) {
        uint32_t count = found_count(lane);

        buf_printf(out, "%u issue%s of its review after %u revision%s", (unsigned)count,
                   count == 1 ? "" : "s", (unsigned)tally->repairs,
                   tally->repairs == 1 ? "" : "s");
    } else {
        buf_printf(out, "not finished after %u iterations", (unsigned)loop_iteration(lane));
    }
}

static void write_stuck(const struct run_view *run, const struct loops_tasks *tasks,
                        const struct lane *lane, const char *called, struct buf *out)
{
    const struct loops_task *task = tasks_of_lane(tasks, lane->id);
    struct arena arena = { 0 };

    buf_printf(out, "%s %s is stuck, task %s (", called, loops_id(run, lane->id, &arena),
               task ? task->id : "?");
    safe_text(out, str_of(task ? task->title : ""), true, TEXT_SHOWN_MAX);
    buf_text(out, "): ");
    write_reason(run->engine, lane, out);
    buf_byte(out, '\n');
    arena_release(&arena);
}

void tasks_conclude(const struct run_view *run, const struct loops_tasks *tasks,
                    const char *called, struct buf *out)
{
    const struct engine *engine = run->engine;
    uint32_t merged = 0, passed = 0, stuck = 0, open = 0;

    for (uint32_t i = 0; i < tasks->count; i++) open += !tasks->items[i].done;
    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        merged += lane->state == LANE_MERGED;
        passed += lane->state == LANE_PASSED;
        if (lane->state == LANE_STUCK && stuck++ < SHOWN_MAX) {
            write_stuck(run, tasks, lane, called, out);
        }
    }
    if (stuck > SHOWN_MAX) buf_printf(out, "and %u more are\n", (unsigned)(stuck - SHOWN_MAX));
    if (stuck > 0) {
        buf_text(out, "help in its work tree, or change what it needs: a resume begins with the "
                      "review of what you changed\n");
    }
    buf_printf(out, "%u of %u tasks merged", (unsigned)merged, (unsigned)open);
    if (passed > 0) {
        buf_printf(out, "; %u passed, and wait%s for the others of the group", (unsigned)passed,
                   passed == 1 ? "s" : "");
    }
    buf_byte(out, '\n');
}

void loops_conclude(const struct run_view *run, struct buf *out)
{
    struct arena arena = { 0 };
    struct loops_tasks tasks;

    loops_tasks_of(run, &arena, &tasks);
    tasks_conclude(run, &tasks, "loop", out);
    arena_release(&arena);
}
