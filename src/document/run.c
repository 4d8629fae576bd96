/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - where a run stands, as a document. */
#include "document/document.h"

#include "format/json/finding_json.h"
#include "report/remarks.h"
#include "report/spending.h"
#include "run/place.h"

static void json_wait(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct job *job)
{
    json_add(doc, object, "waits_for", failure_word(job->result.failure));
    json_add_time(doc, object, "waits_until", job->result.retry_at_ms);
    yyjson_mut_obj_add_val(doc, object, "problem", json_text(doc, job->result.problem));
}

static void json_findings(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct lane *lane)
{
    uint32_t counts[SEVERITY_COUNT];
    yyjson_mut_val *findings;

    if (lane->review.count == 0) return;
    status_findings(lane, counts);
    findings = yyjson_mut_obj_add_obj(doc, object, "findings");
    yyjson_mut_obj_add_uint(doc, findings, "round", lane->review.round);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, findings, severity_word((enum severity)i), counts[i]);
    }
}

/* What may be answered. */
static void json_choices(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct engine *engine)
{
    yyjson_mut_val *choices = yyjson_mut_obj_add_arr(doc, object, "choices");

    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        yyjson_mut_arr_add_str(doc, choices, choice_word((enum choice)i));
    }
}

static void json_lane(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct status *status,
                      const struct lane *lane)
{
    const struct plan *plan = &status->replay->plan;
    const char *escalation = question_escalation(status->replay, lane->id, lane->question);
    struct progress progress;
    yyjson_mut_val *jobs;

    yyjson_mut_obj_add_uint(doc, object, "lane", lane->id);
    json_add(doc, object, "state", lane_state_word(lane->state));
    json_add(doc, object, "phase", status_phase(plan, lane));
    yyjson_mut_obj_add_uint(doc, object, "round", lane->tallies[lane->phase].rounds);
    if (status_round_max(plan, lane) > 0) {
        yyjson_mut_obj_add_uint(doc, object, "round_max", status_round_max(plan, lane));
    }
    if (lane->question != ASK_NOTHING) {
        json_add(doc, object, "question", question_word(lane->question));
        if (escalation) json_add(doc, object, "escalation", escalation);
        json_choices(doc, object, &status->replay->engine);
    }
    json_findings(doc, object, lane);
    jobs = yyjson_mut_obj_add_arr(doc, object, "jobs");
    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];
        const struct entry *entry = history_find(status->history, job->id, job->attempt);
        yyjson_mut_val *item = entry ? yyjson_mut_arr_add_obj(doc, jobs) : NULL;

        if (!item) continue;
        entry_json(entry, plan, doc, item);
        if (status->look->alive && job->state == JOB_RUNNING &&
            status_progress(&status->look->repo, status->look->run.id, job, &progress)) {
            json_progress(doc, item, &progress);
        }
        if (status->look->alive && status_waits(job, status->now_ms)) json_wait(doc, item, job);
    }
}

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text)
{
    if (text) json_add(doc, object, key, text);
    else yyjson_mut_obj_add_null(doc, object, key);
}

/* The lanes as members of the document; nothing where the plan does not fan. */
static void add_lanes(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct lanes_status lanes;
    yyjson_mut_val *list;

    if (!status_has_lanes(status)) return;
    status_lanes(status, &arena, &lanes);
    list = yyjson_mut_obj_add_arr(doc, root, status->replay->dialect->lanes->called);
    for (uint32_t i = 0; i < lanes.count; i++) {
        const struct lane_status *lane = &lanes.items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        add_text(doc, object, "id", lane->id);
        add_text(doc, object, "group", lane->group);
        add_text(doc, object, "task", lane->task);
        add_text(doc, object, "title", lane->title);
        add_text(doc, object, "status", lane->status);
        add_text(doc, object, "state", lane->phase);
        yyjson_mut_obj_add_uint(doc, object, "iteration", lane->iteration);
        yyjson_mut_obj_add_uint(doc, object, "iteration_max", lane->iteration_max);
        add_text(doc, object, "reviewStatus", lane->review_status);
        add_text(doc, object, "lastReviewId", lane->last_review_id);
        yyjson_mut_obj_add_uint(doc, object, "revisionAttempts", lane->revisions);
        add_text(doc, object, "worktree", lane->worktree);
    }
    yyjson_mut_obj_add_uint(doc, root, "tasks_waiting", lanes.waiting);
    arena_release(&arena);
}

void document_standing(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct journal_run *run = &status->look->run;
    const struct engine *engine = &status->replay->engine;
    const char *files = dialect_files(status->replay->dialect, &status->replay->settings.options);
    struct arena arena = { 0 };
    yyjson_mut_val *lanes;

    look_describe(doc, root, run, status->look->alive);
    yyjson_mut_obj_add_uint(doc, root, "iteration", engine->iteration);
    lanes = yyjson_mut_obj_add_arr(doc, root, "lanes");
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        json_lane(doc, yyjson_mut_arr_add_obj(doc, lanes), status, &engine->lanes[i]);
    }
    add_lanes(status, doc, root);
    spending_json(engine, status_more_ms(status), doc, root);
    if (files) json_add(doc, root, "files", files);
    json_add(doc, root, "attempts", place_run(&status->look->repo, run->id, &arena));
    arena_release(&arena);
}

/* ---- the run ---- */

void document_run(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct look *look = status->look;
    struct run_row row = { .run = look->run, .alive = look->alive };
    struct arena arena = { 0 };

    document_standing(status, doc, root);
    sums_of(&look->repo, status->replay, status->history, &arena, &row.sums);
    document_row(&row, doc, root);
    yyjson_mut_obj_add_uint(doc, root, "now_ms", status->now_ms);
    arena_release(&arena);
}
