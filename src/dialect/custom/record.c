/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the files of a loop that a user wrote, out of the engine's state and nothing else.
 *
 *   FILES/state.json                        where the loop stands, with its history
 *   FILES/ITERATION-PHASE-ROUND-ROLE.json   what a reviewer found
 *                                   .md     any other review, work, repair; a command's output
 *   FILES/tasks/TASK/...                    the same of a task's lane. Of work that is repeated
 *                                           ROUND is the run of it; a checkpoint and a conflict
 *                                           have their own word behind ROLE
 *
 * FILES is what the loop file says, or the folder of the run.
 *
 * 1. The same run gives the same bytes.
 * 2. Listed are the newest work, review and repair, and what is being asked for as far as it is
 *    done; older files are on disk already and never change.
 * 3. Only what was judged clean or findings becomes a file.
 * 4. Of lanes only those are listed that were touched since the last record. */
#include "dialect/custom/custom.h"

#include "format/json/json.h"

struct custom_files {
    const struct run_view *run;
    const struct loop *loop;
    const char *folder;
    struct contract *out;
};

/* What tells one file of a role from another. */
struct file_word {
    uint32_t number;
    const char *behind;
};

static struct file_word file_word(const struct custom_files *files, const struct lane *lane,
                                  const struct batch *batch, const struct job *job)
{
    const struct work *work = &files->run->engine->plan->phases[batch->phase].work;
    struct file_word word = { .number = batch->round, .behind = "" };

    if (job->purpose == FOR_WORK && work->copies > 1) {
        word.behind = arena_printf(&files->out->arena, "-%u", (unsigned)job->copy);
    } else if (job->purpose == FOR_WORK && work->run_max > 0) {
        word.number = lane->runs;
    } else if (job->purpose == FOR_CHECKPOINT) {
        word = (struct file_word){ lane->runs, "-checkpoint" };
    } else if (job->purpose == FOR_INTEGRATE) {
        word = (struct file_word){ lane->tallies[batch->phase].rounds, "-conflict" };
    }
    return word;
}

/* Its number is that of what follows: from when that has ended it is on disk already. */
static bool is_past(const struct lane *lane, const struct job *job)
{
    if (job->purpose == FOR_CHECKPOINT) return lane->state != LANE_WORKING;
    return job->purpose == FOR_INTEGRATE && !lane->conflict;
}

static void batch_record(const struct custom_files *files, const struct lane *lane,
                         const struct batch *batch)
{
    const struct plan *plan = files->run->engine->plan;

    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        bool reviews = job->purpose == FOR_REVIEW || job->purpose == FOR_CHECKPOINT;
        bool json = reviews && files->loop->roles[job->role].reader == CUSTOM_FINDINGS;
        struct file_word word = file_word(files, lane, batch, job);

        if (job->state != JOB_DONE || job->result.doc.size == 0) continue;
        if (job->purpose == FOR_PROOF || is_past(lane, job)) continue;
        contract_file_add(files->out,
                          arena_printf(&files->out->arena, "%s/%u-%s-%u-%s%s.%s", files->folder,
                                       (unsigned)batch->iteration, plan->phases[batch->phase].name,
                                       (unsigned)word.number, plan->roles[job->role].name,
                                       word.behind, json ? "json" : "md"),
                          job->result.doc);
    }
}

static void lane_record(struct custom_files *files, const struct lane *lane)
{
    const struct loops_task *task = tasks_of_lane(&files->loop->tasks, lane->id);
    const char *folder = files->folder;

    if (lane->id != 0 && !task) return;
    if (lane->id != 0) {
        files->folder = arena_printf(&files->out->arena, "%s/tasks/%s", folder, task->id);
        contract_folder_add(files->out, files->folder);
    }
    batch_record(files, lane, &lane->work);
    batch_record(files, lane, &lane->review);
    batch_record(files, lane, &lane->repair);
    batch_record(files, lane, &lane->now);
    files->folder = folder;
}

static yyjson_mut_val *round_value(yyjson_mut_doc *doc, const struct custom_files *files,
                                   const struct round *round)
{
    const struct plan *plan = files->run->engine->plan;
    const struct loops_task *task = tasks_of_lane(&files->loop->tasks, round->lane);
    yyjson_mut_val *value = yyjson_mut_obj(doc);

    if (task) json_add_text(doc, value, "task", str_of(task->id));
    json_add_text(doc, value, "phase", str_of(plan->phases[round->phase].name));
    yyjson_mut_obj_add_uint(doc, value, "iteration", round->iteration);
    yyjson_mut_obj_add_uint(doc, value, "round", round->number);
    json_add_time(doc, value, "startedAt", round->started_ms);
    if (round->ended_ms) {
        yyjson_mut_obj_add_str(doc, value, "verdict", verdict_word(round->verdict));
        yyjson_mut_obj_add_uint(doc, value, "findings", round->finding_count);
    }
    yyjson_mut_obj_add_bool(doc, value, "repaired", round->repaired_ms != 0);
    return value;
}

/* The tasks of a loop that fans, each with what became of it. */
static void tasks_value(yyjson_mut_doc *doc, yyjson_mut_val *root,
                        const struct custom_files *files)
{
    const struct engine *engine = files->run->engine;
    const struct loops_tasks *tasks = &files->loop->tasks;
    yyjson_mut_val *list;

    if (!files->loop->fans) return;
    list = yyjson_mut_obj_add_arr(doc, root, "tasks");
    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct loops_task *task = &tasks->items[i];
        yyjson_mut_val *value = yyjson_mut_arr_add_obj(doc, list);
        bool opened = task->lane > 0 && task->lane < engine->lane_count;

        json_add_text(doc, value, "id", str_of(task->id));
        json_add_text(doc, value, "title", str_of(task->title));
        if (*task->group) json_add_text(doc, value, "group", str_of(task->group));
        yyjson_mut_obj_add_str(doc, value, "state",
                               task->done ? "done" : !opened ? "waiting"
                               : lane_state_word(engine->lanes[task->lane].state));
    }
}

static void state_record(const struct custom_files *files)
{
    const struct run_view *run = files->run;
    const struct engine *engine = run->engine;
    const struct lane *lane = &engine->lanes[0];
    bool ended = engine->state == ENGINE_ENDED;
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list = yyjson_mut_arr(doc);

    json_add_text(doc, root, "loop", str_of(files->loop->about));
    json_add_text(doc, root, "run", str_of(run->id));
    json_add_text(doc, root, "task", str_of(run->task));
    yyjson_mut_obj_add_str(doc, root, "status", ended ? "ended" : "running");
    if (ended) yyjson_mut_obj_add_str(doc, root, "end", reason_word(engine->reason));
    json_add_text(doc, root, "phase", str_of(engine->plan->phases[lane->phase].name));
    yyjson_mut_obj_add_uint(doc, root, "iteration", engine->iteration);
    yyjson_mut_obj_add_uint(doc, root, "round", lane->tallies[lane->phase].rounds);
    json_add_time(doc, root, "startedAt", engine->started_ms);
    json_add_time(doc, root, "updatedAt", engine->now_ms);
    for (uint32_t i = 0; i < engine->round_count; i++) {
        yyjson_mut_arr_append(list, round_value(doc, files, &engine->rounds[i]));
    }
    tasks_value(doc, root, files);
    yyjson_mut_obj_add_val(doc, root, "rounds", list);
    contract_json_add(files->out, arena_printf(&files->out->arena, "%s/state.json", files->folder),
                      doc);
}

void custom_record(const struct run_view *run, struct contract *out)
{
    const struct engine *engine = run->engine;
    struct custom_files files = { .run = run, .out = out };
    struct loop loop;

    if (!custom_loop(run->settings, &out->arena, &loop)) return;
    files.loop = &loop;
    files.folder = custom_folder(run, &loop, &out->arena);
    contract_folder_add(out, files.folder);
    state_record(&files);
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        if (i > 0 && run->recorded > 0 && lane->touched <= run->recorded) continue;
        lane_record(&files, lane);
    }
}
