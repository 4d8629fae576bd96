/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c - a loop that fans: a lane for each task, and how these are called and shown.
 *
 * The tasks are those that the file names, or those of --tasks: read and put into groups as the
 * dialect loops has them (dialect/loops/tasks.c, order.c), and a lane is called as a loop is there.
 * They are known when the run begins, and none is added later. */
#include "dialect/custom/custom.h"

enum { TASK_WORD_BYTES_MAX = 60 * 1024 }; /* in HONE_TASK: the kernel takes no longer words */

static int custom_start(const struct run_view *run, struct arena *arena, struct result *out,
                        struct err *err)
{
    struct loop loop;

    if (!custom_loop(run->settings, arena, &loop)) {
        return err_set(err, ERR_USAGE, "the loop file, or its tasks, cannot be read");
    }
    out->groups = loop.waves;
    out->group_count = loop.wave_count;
    return 0;
}

static void custom_conclude(const struct run_view *run, struct buf *out)
{
    struct arena arena = { 0 };
    struct loop loop;

    if (custom_loop(run->settings, &arena, &loop)) tasks_conclude(run, &loop.tasks, "lane", out);
    arena_release(&arena);
}

const struct dialect_framing custom_framing = {
    .start = custom_start,
    .conclude = custom_conclude,
};

const char *custom_merge_message(const struct run_view *run, const struct loop *loop,
                                 const struct action *action, struct arena *arena)
{
    const struct loops_task *task = tasks_of_lane(&loop->tasks, action->lane);

    return arena_printf(arena, "%s: %s\n\nTask: %s\nLane: %s\n", loop->roles[action->role].text,
                        task ? task->title : "", task ? task->id : "",
                        loops_id(run, action->lane, arena));
}

static void custom_about(const struct run_view *run, uint32_t lane, struct arena *arena,
                         struct lane_about *out)
{
    const struct loops_task *task;
    struct loop loop;

    *out = (struct lane_about){ .name = loops_id(run, lane, arena), .task_id = "", .task = "" };
    if (!custom_loop(run->settings, arena, &loop)) return;
    task = tasks_of_lane(&loop.tasks, lane);
    if (!task) return;
    out->task_id = task->id;
    out->task = arena_printf(arena, "%s%s%.*s", task->title, task->text.size ? "\n\n" : "",
                             STR_ARG(str_head(task->text, TASK_WORD_BYTES_MAX)));
}

/* A lane whose work is done once has no iterations to count: that is one, and repairs are more. */
static struct lane_status status_of(const struct run_view *run, const struct loops_task *task,
                                    struct arena *arena)
{
    const struct engine *engine = run->engine;
    const struct lane *lane = &engine->lanes[task->lane];
    uint32_t once = engine->plan->phases[lane->phase].work.run_max == 0;
    uint32_t reviewed = lane->tallies[lane->phase].rounds > 0;
    bool working = lane->state == LANE_WORKING || lane->state == LANE_WAITING;

    return (struct lane_status){
        .id = loops_id(run, lane->id, arena),
        .group = *task->group ? task->group : NULL,
        .task = task->id,
        .title = task->title,
        .status = lane->state == LANE_ASKING ? "asking" : loop_status(engine, lane),
        .phase = lane_state_word(lane->state),
        .review_status = loop_review_status(lane),
        .worktree = lane->state == LANE_MERGED ? NULL : loops_worktree(run, lane->id, arena),
        .iteration = loop_iteration(lane) + (once && !(working && !reviewed)),
        .iteration_max = loop_iteration_max(engine, lane) + (once && reviewed),
        .revisions = loop_revisions(lane),
    };
}

static void custom_status(const struct run_view *run, struct arena *arena,
                          struct lanes_status *out)
{
    struct loop loop;

    *out = (struct lanes_status){ 0 };
    if (!custom_loop(run->settings, arena, &loop)) return;
    out->items = arena_alloc(arena, (loop.tasks.count + 1) * sizeof *out->items);
    for (uint32_t i = 0; i < loop.tasks.count; i++) {
        const struct loops_task *task = &loop.tasks.items[i];

        if (task->done) continue;
        if (task->lane < run->engine->lane_count) {
            out->items[out->count++] = status_of(run, task, arena);
        } else {
            out->waiting++;
        }
    }
}

const struct dialect_lanes custom_lanes = {
    .called = "tasks",
    .one = "lane",
    .about = custom_about,
    .status = custom_status,
};
