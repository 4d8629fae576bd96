/* SPDX-License-Identifier: Apache-2.0
 *
 * conclude.c - what a person wants to read when a loops run has ended: how much is merged,
 * and which loops need help, why, and where. */
#include "dialect/loops/loops.h"

#include "format/text/safe.h"

enum { SHOWN_MAX = 20, TEXT_SHOWN_MAX = 300 };

static bool said_stuck(const struct batch *batch)
{
    return batch->count > 0 && batch->jobs[0].result.stuck;
}

/* Why a loop rests; ends without a line end. */
static void write_reason(const struct lane *lane, struct buf *out)
{
    const struct tally *tally = &lane->tallies[lane->phase];
    const struct batch *said = said_stuck(&lane->repair) ? &lane->repair : &lane->work;

    if (said_stuck(said)) {
        buf_text(out, "its builder says: ");
        safe_text(out, said->jobs[0].result.problem, true, TEXT_SHOWN_MAX);
    } else if (lane->conflict) {
        buf_text(out, "it conflicts with what was merged before");
    } else if (tally->rounds > 0 && lane->review.count > 0) {
        uint32_t count = lane->review.jobs[0].result.finding_count;

        buf_printf(out, "%u issue%s of its review after %u revision%s", (unsigned)count,
                   count == 1 ? "" : "s", (unsigned)tally->repairs,
                   tally->repairs == 1 ? "" : "s");
    } else {
        buf_printf(out, "not finished after %u iterations", (unsigned)loop_iteration(lane));
    }
}

static void write_stuck(const struct run_view *run, const struct loops_tasks *tasks,
                        const struct lane *lane, struct arena *arena, struct buf *out)
{
    const struct loops_task *task = tasks_of_lane(tasks, lane->id);

    buf_printf(out, "loop %s is stuck, task %s (", loops_id(run, lane->id, arena),
               task ? task->id : "?");
    safe_text(out, str_of(task ? task->title : ""), true, TEXT_SHOWN_MAX);
    buf_text(out, "): ");
    write_reason(lane, out);
    buf_byte(out, '\n');
}

void loops_conclude(const struct run_view *run, struct buf *out)
{
    const struct engine *engine = run->engine;
    uint32_t merged = 0, passed = 0, stuck = 0, open = 0;
    struct arena arena = { 0 };
    struct loops_tasks tasks;

    loops_tasks_of(run, &arena, &tasks);
    for (uint32_t i = 0; i < tasks.count; i++) open += !tasks.items[i].done;
    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        merged += lane->state == LANE_MERGED;
        passed += lane->state == LANE_PASSED;
        if (lane->state == LANE_STUCK && stuck++ < SHOWN_MAX) {
            write_stuck(run, &tasks, lane, &arena, out);
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
    arena_release(&arena);
}
