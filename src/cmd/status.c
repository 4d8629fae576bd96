/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c - hone status: where a run stands, in lines of "what  value".
 *
 * Everything comes out of the journal, replayed; only whether the run is alive comes from the
 * lock. A run that died may have agents in its journal that never ended: they are shown as
 * unfinished, not as running. */
#include "cmd/history.h"
#include "cmd/look.h"
#include "cmd/say.h"

#include "base/clock.h"
#include "drive/place.h"
#include "format/safe.h"
#include "io/file.h"

#include <inttypes.h>

enum { TEXT_SHOWN_MAX = 200 };

struct status {
    const struct look *look;
    const struct replay *replay;
    const struct history *history;
    uint64_t now_ms;
};

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "low", [SEVERITY_MEDIUM] = "medium", [SEVERITY_HIGH] = "high",
};

/* The findings of a lane's last review that was completed. */
static void count_findings(const struct lane *lane, uint32_t counts[SEVERITY_COUNT])
{
    for (uint32_t i = 0; i < SEVERITY_COUNT; i++) counts[i] = 0;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        const struct result *result = &lane->review.jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++) {
            counts[result->findings[k].severity]++;
        }
    }
}

static const char *lane_phase(const struct plan *plan, const struct lane *lane)
{
    const struct phase *phase = &plan->phases[lane->phase];

    return lane->state == LANE_REPAIRING && phase->repair_name ? phase->repair_name : phase->name;
}

/* 0: as many rounds as it takes. */
static uint32_t lane_round_max(const struct plan *plan, const struct lane *lane)
{
    uint32_t repair_max = plan->phases[lane->phase].gate.repair_max;

    return repair_max == NO_BOUND ? 0 : repair_max + 1 + lane->tallies[lane->phase].granted;
}

/* ---- text ---- */

static void add_label(struct buf *out, const char *label)
{
    buf_printf(out, "%-10s ", label);
}

static void add_line(struct buf *out, const char *label, const char *text)
{
    add_label(out, label);
    add_safe(out, text, TEXT_SHOWN_MAX);
    buf_byte(out, '\n');
}

static void add_findings(struct buf *out, const struct lane *lane)
{
    uint32_t counts[SEVERITY_COUNT];

    if (lane->review.count == 0) return;
    count_findings(lane, counts);
    add_label(out, "findings");
    buf_printf(out, "round %" PRIu32 ": ", lane->review.round);
    if (counts[SEVERITY_LOW] + counts[SEVERITY_MEDIUM] + counts[SEVERITY_HIGH] == 0) {
        buf_text(out, "none\n");
        return;
    }
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        buf_printf(out, "%" PRIu32 " %s%s", counts[i], severities[i], i > 0 ? ", " : "\n");
    }
}

static void add_lane(struct buf *out, const struct status *status, const struct lane *lane)
{
    const struct plan *plan = &status->replay->plan;
    uint32_t rounds = lane->tallies[lane->phase].rounds;
    uint32_t round_max = lane_round_max(plan, lane);

    if (lane->id == 0) add_label(out, "phase");
    else buf_printf(out, "lane %-5" PRIu32 " ", lane->id);
    buf_text(out, lane_phase(plan, lane));
    if (lane->state != LANE_OVER) buf_printf(out, ", %s", lane_state_word(lane->state));
    if (rounds > 0) {
        buf_printf(out, ", round %" PRIu32, rounds);
        if (round_max > 0) buf_printf(out, " of %" PRIu32, round_max);
    }
    if (plan->iteration_max > 1) {
        buf_printf(out, ", iteration %" PRIu32 " of %" PRIu32, status->replay->engine.iteration,
                   plan->iteration_max);
    }
    if (lane->question != ASK_NOTHING) buf_printf(out, " (%s)", question_word(lane->question));
    buf_byte(out, '\n');
}

/* Who runs, and since when; or who was left unfinished; and who failed for good. */
static void add_agents(struct buf *out, const struct status *status, const struct lane *lane)
{
    const struct plan *plan = &status->replay->plan;
    bool alive = status->look->alive;
    char span[CLOCK_SPAN_BYTES];

    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];
        const struct entry *entry = history_find(status->history, job->id, job->attempt);

        if (job->state == JOB_RUNNING) {
            add_label(out, alive ? "running" : "unfinished");
            buf_printf(out, "%-22s %" PRIu32 "-%" PRIu32, plan->roles[job->role].name, job->id,
                       job->attempt);
            if (alive && entry && entry->started_ms <= status->now_ms) {
                buf_printf(out, ", for %s", clock_span(status->now_ms - entry->started_ms, span));
            } else if (alive && entry) {
                buf_printf(out, ", starts in %s",
                           clock_span(entry->started_ms - status->now_ms, span));
            }
            buf_byte(out, '\n');
        } else if (job->state == JOB_DEAD) {
            add_label(out, "failed");
            buf_printf(out, "%-22s %" PRIu32 "-%" PRIu32 ": ", plan->roles[job->role].name,
                       job->id, job->attempt);
            safe_text(out, job->result.problem, true, TEXT_SHOWN_MAX);
            buf_byte(out, '\n');
        }
    }
}

static void show_text(const struct status *status)
{
    const struct journal_run *run = &status->look->run;
    const struct engine *engine = &status->replay->engine;
    const char *files = dialect_files(status->replay->dialect, &status->replay->settings.options);
    struct arena arena = { 0 };
    char started[CLOCK_ISO_BYTES], updated[CLOCK_ISO_BYTES];
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "%-10s %s (%s)\n", "run", run->id, run->dialect);
    add_line(&out, "task", run->task);
    add_line(&out, "state", standing_text(run, status->look->alive));
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        if (engine->reason != REASON_CLEAN) add_lane(&out, status, lane);
        add_agents(&out, status, lane);
        add_findings(&out, lane);
    }
    add_line(&out, "started", clock_iso(run->created_ms, started));
    add_line(&out, "last event", clock_iso(run->updated_ms, updated));
    add_line(&out, "workspace", run->workspace);
    if (files) add_line(&out, "files", files);
    add_line(&out, "attempts", place_run(&status->look->repo, run->id, &arena));
    say_out(&out);
    buf_release(&out);
    arena_release(&arena);
}

/* ---- JSON ---- */

static void json_findings(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct lane *lane)
{
    uint32_t counts[SEVERITY_COUNT];
    yyjson_mut_val *findings;

    if (lane->review.count == 0) return;
    count_findings(lane, counts);
    findings = yyjson_mut_obj_add_obj(doc, object, "findings");
    yyjson_mut_obj_add_uint(doc, findings, "round", lane->review.round);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, findings, severities[i], counts[i]);
    }
}

static void json_lane(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct status *status,
                      const struct lane *lane)
{
    const struct plan *plan = &status->replay->plan;
    yyjson_mut_val *jobs;

    yyjson_mut_obj_add_uint(doc, object, "lane", lane->id);
    json_add(doc, object, "state", lane_state_word(lane->state));
    json_add(doc, object, "phase", lane_phase(plan, lane));
    yyjson_mut_obj_add_uint(doc, object, "round", lane->tallies[lane->phase].rounds);
    if (lane_round_max(plan, lane) > 0) {
        yyjson_mut_obj_add_uint(doc, object, "round_max", lane_round_max(plan, lane));
    }
    if (lane->question != ASK_NOTHING) {
        json_add(doc, object, "question", question_word(lane->question));
    }
    json_findings(doc, object, lane);
    jobs = yyjson_mut_obj_add_arr(doc, object, "jobs");
    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];
        const struct entry *entry = history_find(status->history, job->id, job->attempt);
        if (entry) entry_json(entry, plan, doc, yyjson_mut_arr_add_obj(doc, jobs));
    }
}

static void show_json(const struct status *status)
{
    const struct journal_run *run = &status->look->run;
    const struct engine *engine = &status->replay->engine;
    const char *files = dialect_files(status->replay->dialect, &status->replay->settings.options);
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    struct arena arena = { 0 };
    yyjson_mut_val *lanes;

    yyjson_mut_doc_set_root(doc, root);
    look_describe(doc, root, run, status->look->alive);
    yyjson_mut_obj_add_uint(doc, root, "iteration", engine->iteration);
    lanes = yyjson_mut_obj_add_arr(doc, root, "lanes");
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        json_lane(doc, yyjson_mut_arr_add_obj(doc, lanes), status, &engine->lanes[i]);
    }
    if (files) json_add(doc, root, "files", files);
    json_add(doc, root, "attempts", place_run(&status->look->repo, run->id, &arena));
    say_json(doc, true);
    arena_release(&arena);
}

static int handle(struct call *call)
{
    struct replay replay = { 0 };
    struct history history = { 0 };
    struct look look;
    struct err err;
    int rc, code = CODE_DONE;

    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = replay_init(&replay, &look.run, &err);
    if (rc == 0) rc = replay_run(&replay, look.journal, history_visit, &history, &err);
    if (rc != 0) {
        code = say_err(&err);
    } else {
        struct status status = { &look, &replay, &history, now_wall_ms() };
        if (call->json) show_json(&status);
        else show_text(&status);
    }
    replay_release(&replay);
    history_release(&history);
    look_close(&look);
    return code;
}

const struct verb verb_status = {
    .name = "status",
    .summary = "show where a run stands",
    .text = (const char *const[]){
        "Shows a run's state, phase and round, who runs and since when, the findings of its last "
        "round that was completed, and where its files are: those the dialect writes into the "
        "workspace, and a folder for each attempt.",
        NULL,
    },
    .arguments = (const struct argument[]){
        { .name = "RUN", .optional = true,
          .help = "the run, or the beginning of its name; the newest of this workspace where "
                  "nothing is said" },
        { .name = NULL },
    },
    .codes = (const struct code_help[]){
        { CODE_DONE, "it was shown, whatever its state" },
        { CODE_USAGE, "there is no such run" },
        { .help = NULL },
    },
    .examples = (const char *const[]){ "hone status", "hone status 7k2m --json", NULL },
    .handle = handle,
};
