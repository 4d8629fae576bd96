/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the tables of a run: tasks, loops, loop_reviews, review_issues.
 *
 * 1. A review's row has the id of the attempt that gave it, so that an older row never passes for
 *    a newer one. It is written before anything that follows from the review is started. Writing
 *    it again changes nothing.
 * 2. A checkpoint is a review of no task: its task is NULL.
 * 3. Only the rows of loops that were touched since the last record are written again. Where the
 *    last record is not known, the rows of all loops are. */
#include "dialect/loops/loops.h"

#include "base/clock.h"
#include "format/json/json.h"

static struct contract_cell text_cell(const char *column, struct str text)
{
    return (struct contract_cell){ .column = column, .kind = CELL_TEXT, .text = text };
}

static struct contract_cell word_cell(const char *column, const char *text)
{
    return text_cell(column, str_of(text));
}

static struct contract_cell number_cell(const char *column, uint64_t number)
{
    return (struct contract_cell){ .column = column, .kind = CELL_INTEGER,
                                   .integer = (int64_t)number };
}

static struct contract_cell null_cell(const char *column)
{
    return (struct contract_cell){ .column = column, .kind = CELL_NULL };
}

/* NULL where there is nothing to say. */
static struct contract_cell maybe_cell(const char *column, struct str text)
{
    return text.size ? text_cell(column, text) : null_cell(column);
}

#define ADD_ROW(out, table, cells) \
    contract_row_add((out), (table), (cells), sizeof(cells) / sizeof(*(cells)))

static bool is_touched(const struct run_view *run, const struct lane *lane)
{
    return run->recorded == 0 || lane->touched > run->recorded;
}

/* 2026-01-02T03:04:05.006Z */
static const char *iso(uint64_t ms, struct arena *arena)
{
    char text[CLOCK_ISO_BYTES];
    struct str whole = str_of(clock_iso(ms, text));

    whole.size -= 1;
    return arena_printf(arena, "%.*s.%03uZ", STR_ARG(whole), (unsigned)(ms % 1000));
}

static struct str list_json(const char *const *ids, uint32_t count, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    yyjson_mut_doc_set_root(doc, list);
    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(ids[i])));
    }
    return json_keep(doc, false, arena);
}

/* ---- tasks ---- */

static const char *task_status(const struct engine *engine, const struct loops_task *task)
{
    const struct lane *lane;

    if (task->done) return "completed";
    if (task->lane == 0 || task->lane >= engine->lane_count) return "pending";
    lane = &engine->lanes[task->lane];
    if (lane->state == LANE_MERGED) return "completed";
    if (lane->state == LANE_WAITING) return "pending";
    if (lane->state == LANE_STUCK) return "stuck";
    return "in_progress";
}

static void add_task(const struct run_view *run, const struct loops_tasks *tasks, uint32_t index,
                     struct contract *out)
{
    const struct loops_task *task = &tasks->items[index];
    bool opened = task->lane > 0 && task->lane < run->engine->lane_count;
    struct arena *arena = &out->arena;
    const struct contract_cell cells[] = {
        word_cell("run_id", run->id),
        word_cell("id", task->id),
        number_cell("position", index + 1),
        word_cell("title", task->title),
        text_cell("description", task->text),
        maybe_cell("group_name", str_of(task->group)),
        text_cell("depends_on", list_json(task->needs, task->need_count, arena)),
        word_cell("status", task_status(run->engine, task)),
        opened ? word_cell("loop_id", loops_id(run, task->lane, arena)) : null_cell("loop_id"),
    };

    ADD_ROW(out, "tasks", cells);
}

/* ---- loops ---- */

/* The newest review of a loop that is still known, checkpoints included. */
static bool newest_review(const struct run_view *run, const struct lane *lane,
                          struct arena *arena, struct loops_review *out)
{
    uint32_t build = loops_phase(run->engine->plan, LOOPS_STAGE_BUILD);
    struct str text = { "", 0 };
    struct err err;

    if (lane->review.count > 0 && lane->review.jobs[0].purpose != FOR_INTEGRATE) {
        text = lane->review.jobs[0].result.doc;
    } else {
        text = engine_doc(run->engine, lane->id, 1, build, FOR_REVIEW);
    }
    return text.size > 0 && loops_review_read(text, arena, out, &err) == 0;
}

static void add_loop(const struct run_view *run, const struct lane *lane,
                     const struct loops_task *task, struct contract *out)
{
    const struct plan *plan = run->engine->plan;
    const struct work *work = &plan->phases[loops_phase(plan, LOOPS_STAGE_BUILD)].work;
    struct arena *arena = &out->arena;
    const char *ids[] = { task ? task->id : "" };
    struct loops_review review = { .id = { "", 0 } };
    bool merged = lane->state == LANE_MERGED;

    (void)newest_review(run, lane, arena, &review);
    {
        const struct contract_cell cells[] = {
            word_cell("id", loops_id(run, lane->id, arena)),
            word_cell("run_id", run->id),
            text_cell("task_ids", list_json(ids, task ? 1 : 0, arena)),
            maybe_cell("group_name", str_of(task ? task->group : "")),
            word_cell("status", loop_status(run->engine, lane)),
            word_cell("phase", lane_state_word(lane->state)),
            number_cell("iteration", loop_iteration(lane)),
            number_cell("max_iterations", loop_iteration_max(run->engine, lane)),
            work->checkpoint_every ? number_cell("review_interval", work->checkpoint_every)
                                   : null_cell("review_interval"),
            number_cell("last_review_at", lane->checked),
            word_cell("review_status", loop_review_status(lane)),
            maybe_cell("last_review_id", review.id),
            number_cell("revision_attempts", loop_revisions(lane)),
            merged ? null_cell("worktree_path")
                   : word_cell("worktree_path", loops_worktree(run, lane->id, arena)),
        };

        ADD_ROW(out, "loops", cells);
    }
}

/* ---- reviews ---- */

/* Whose review it is; loop NULL: the run's. */
struct reviewed {
    const char *loop, *task;
    const char *at;
};

static void add_issues(const struct run_view *run, const struct loops_review *review,
                       struct reviewed of, struct contract *out)
{
    for (uint32_t i = 0; i < review->count; i++) {
        const struct review_issue *issue = &review->issues[i];
        const struct contract_cell cells[] = {
            word_cell("run_id", run->id),
            maybe_cell("task_id", of.loop ? str_of(of.task) : issue->task),
            text_cell("file", issue->file),
            issue->line ? number_cell("line", issue->line) : null_cell("line"),
            text_cell("type", issue->type),
            text_cell("description", issue->text),
            text_cell("suggestion", issue->suggestion),
            word_cell("created_at", of.at),
            of.loop ? word_cell("loop_id", of.loop) : null_cell("loop_id"),
            of.loop ? text_cell("loop_review_id", review->id) : null_cell("loop_review_id"),
        };

        ADD_ROW(out, "review_issues", cells);
    }
}

static void add_review(const struct run_view *run, const struct lane *lane,
                       const struct loops_review *review, struct reviewed of,
                       struct contract *out)
{
    const struct contract_cell cells[] = {
        text_cell("id", review->id),
        word_cell("run_id", run->id),
        word_cell("loop_id", of.loop),
        of.task ? word_cell("task_id", of.task) : null_cell("task_id"),
        number_cell("passed", loops_review_passes(review, false)),
        maybe_cell("interpreted_intent", review->intent),
        review->has_intent ? number_cell("intent_satisfied", review->intent_satisfied)
                           : null_cell("intent_satisfied"),
        word_cell("reviewed_at", of.at),
        { .column = "cost_usd", .kind = CELL_REAL,
          .real = (double)lane->review.jobs[0].result.usage.cost_micros / 1e6 },
    };

    ADD_ROW(out, "loop_reviews", cells);
}

static void record_review(const struct run_view *run, const struct lane *lane,
                          const struct loops_task *task, struct contract *out)
{
    const struct batch *batch = &lane->review;
    struct reviewed of = { 0 };
    struct loops_review review;

    if (batch->count == 0 || batch->jobs[0].purpose == FOR_INTEGRATE) return;
    if (!newest_review(run, lane, &out->arena, &review)) return;
    of.at = iso(batch->jobs[0].ended_ms, &out->arena);
    if (lane->id != 0) {
        of.loop = loops_id(run, lane->id, &out->arena);
        if (batch->jobs[0].purpose == FOR_REVIEW && task) of.task = task->id;
        add_review(run, lane, &review, of, out);
    }
    add_issues(run, &review, of, out);
}

void loops_record(const struct run_view *run, struct contract *out)
{
    const struct engine *engine = run->engine;
    struct loops_tasks tasks;
    uint32_t *of_lane;

    loops_tasks_of(run, &out->arena, &tasks);
    of_lane = arena_alloc(&out->arena, (engine->lane_count + 1) * sizeof *of_lane);
    for (uint32_t i = 0; i < tasks.count; i++) {
        uint32_t lane = tasks.items[i].lane;
        bool opened = lane > 0 && lane < engine->lane_count;

        if (opened) of_lane[lane] = i + 1;
        if (is_touched(run, &engine->lanes[opened ? lane : 0])) add_task(run, &tasks, i, out);
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        const struct loops_task *task = of_lane[i] ? &tasks.items[of_lane[i] - 1] : NULL;

        if (!is_touched(run, lane)) continue;
        if (i > 0) add_loop(run, lane, task, out);
        record_review(run, lane, task, out);
    }
}
