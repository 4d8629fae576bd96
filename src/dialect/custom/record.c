/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the files of a loop that a user wrote, out of the engine's state and nothing else.
 *
 *   FILES/state.json                        where the loop stands, with its history
 *   FILES/ITERATION-PHASE-ROUND-ROLE.json   what a reviewer found
 *                                   .md     any other review, work, repair; a command's output
 *
 * FILES is what the loop file says, or the folder of the run.
 *
 * 1. The same run gives the same bytes.
 * 2. Listed are the newest work, review and repair, and what is being asked for as far as it is
 *    done; older files are on disk already and never change.
 * 3. Only what was judged clean or findings becomes a file. */
#include "dialect/custom/custom.h"

#include "format/json/json.h"

struct custom_files {
    const struct run_view *run;
    const struct loop *loop;
    const char *folder;
    struct contract *out;
};

static void batch_record(const struct custom_files *files, const struct batch *batch)
{
    const struct plan *plan = files->run->engine->plan;

    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        bool json = job->purpose == FOR_REVIEW &&
                    files->loop->roles[job->role].reader == CUSTOM_FINDINGS;
        const char *copy = "";

        if (job->state != JOB_DONE || job->result.doc.size == 0) continue;
        if (job->purpose == FOR_PROOF) continue;
        if (job->purpose == FOR_WORK && plan->phases[batch->phase].work.copies > 1) {
            copy = arena_printf(&files->out->arena, "-%u", (unsigned)job->copy);
        }
        contract_file_add(files->out,
                          arena_printf(&files->out->arena, "%s/%u-%s-%u-%s%s.%s", files->folder,
                                       (unsigned)batch->iteration, plan->phases[batch->phase].name,
                                       (unsigned)batch->round, plan->roles[job->role].name, copy,
                                       json ? "json" : "md"),
                          job->result.doc);
    }
}

static yyjson_mut_val *round_value(yyjson_mut_doc *doc, const struct plan *plan,
                                   const struct round *round)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);

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
        yyjson_mut_arr_append(list, round_value(doc, engine->plan, &engine->rounds[i]));
    }
    yyjson_mut_obj_add_val(doc, root, "rounds", list);
    contract_json_add(files->out, arena_printf(&files->out->arena, "%s/state.json", files->folder),
                      doc);
}

void custom_record(const struct run_view *run, struct contract *out)
{
    const struct lane *lane = &run->engine->lanes[0];
    struct custom_files files = { .run = run, .out = out };
    struct loop loop;

    if (!custom_loop(run->settings, &out->arena, &loop)) return;
    files.loop = &loop;
    files.folder = custom_folder(run, &loop, &out->arena);
    contract_folder_add(out, files.folder);
    state_record(&files);
    batch_record(&files, &lane->work);
    batch_record(&files, &lane->review);
    batch_record(&files, &lane->repair);
    batch_record(&files, &lane->now);
}
