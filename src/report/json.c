/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c - a run as lines of JSON, for programs.
 *
 * Members are only ever added. Texts from outside are written as JSON strings and not made safe for
 * a terminal: the program that shows them must do that. */
#include "report/json.h"

#include "format/json/finding_json.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "report/remarks.h"
#include "report/spending.h"
#include "report/until.h"
#include "run/cast.h"
#include "run/exit_code.h"
#include "run/site.h"

enum { LINE_BYTES_MAX = 64 << 20 };

struct line {
    yyjson_mut_doc *doc;
    yyjson_mut_val *root;
};

static struct line line_begin(const char *event)
{
    struct line line = { .doc = yyjson_mut_doc_new(NULL) };

    line.root = yyjson_mut_obj(line.doc);
    yyjson_mut_doc_set_root(line.doc, line.root);
    yyjson_mut_obj_add_str(line.doc, line.root, "event", event);
    yyjson_mut_obj_add_uint(line.doc, line.root, "at", now_wall_ms());
    return line;
}

static void line_text(struct line *line, const char *key, struct str text)
{
    yyjson_mut_obj_add_val(line->doc, line->root, key, json_text(line->doc, text));
}

static void line_word(struct line *line, const char *key, const char *word)
{
    line_text(line, key, str_of(word));
}

static void line_number(struct line *line, const char *key, uint64_t number)
{
    yyjson_mut_obj_add_uint(line->doc, line->root, key, number);
}

static void line_end(struct line *line)
{
    struct buf out;

    buf_init(&out, LINE_BYTES_MAX);
    json_write(line->doc, false, &out);
    buf_byte(&out, '\n');
    report_out(buf_str(&out));
    buf_release(&out);
    yyjson_mut_doc_free(line->doc);
}

/* Which of many it is about. */
static void line_lane(struct line *line, const struct run *run, uint32_t lane)
{
    const struct site *site = site_find(run, lane);

    line_number(line, "lane", lane);
    if (!site) return;
    line_word(line, "loop", site->about.name);
    line_word(line, "task", site->about.task_id);
}

static void line_job(struct line *line, const struct run *run, const struct action *action)
{
    const struct phase *phase = &run->plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    line_number(line, "job", action->job);
    line_number(line, "attempt", action->attempt);
    line_word(line, "role", run->plan.roles[action->role].name);
    line_word(line, "purpose", purpose_word(action->purpose));
    line_word(line, "phase", repair ? phase->repair_name : phase->name);
    line_number(line, "iteration", run_iteration(run, action));
    line_number(line, "round", action->round);
    line_number(line, "copy", action->copy);
    if (run->agents) line_word(line, "by", agent_of(run, action)->backend->name);
    if (run->plan.eyes > 0 && action->purpose == FOR_REVIEW) {
        line_number(line, "eye", action->eye);
        yyjson_mut_obj_add_bool(line->doc, line->root, "recheck", action->recheck);
    }
    if (action->lane > 0) line_lane(line, run, action->lane);
}

static void line_findings(struct line *line, const struct result *result)
{
    yyjson_mut_val *list = yyjson_mut_arr(line->doc);

    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        struct line item = { .doc = line->doc, .root = yyjson_mut_obj(line->doc) };

        line_word(&item, "severity", severity_word(finding->severity));
        line_text(&item, "kind", finding->kind);
        line_text(&item, "file", finding->file);
        line_number(&item, "line", finding->line);
        line_text(&item, "text", finding->text);
        yyjson_mut_arr_append(list, item.root);
    }
    yyjson_mut_obj_add_val(line->doc, line->root, "findings", list);
}

void report_json_run(const struct run *run, bool resumed)
{
    const struct journal_run *row = &run->row;
    struct line line = line_begin("run");

    line_word(&line, "run", row->id);
    line_word(&line, "dialect", row->dialect);
    line_word(&line, "task", row->task);
    line_word(&line, "workspace", run->repo.workspace);
    yyjson_mut_obj_add_bool(line.doc, line.root, "resumed", resumed);
    yyjson_mut_obj_add_bool(line.doc, line.root, "sandbox", run->sandboxed);
    line_end(&line);
}

void report_json_start(const struct run *run, const struct action *action)
{
    struct line line = line_begin("start");

    line_job(&line, run, action);
    line_end(&line);
}

void report_json_progress(const struct run *run, const struct action *action,
                          const struct progress *progress)
{
    struct line line = line_begin("progress");

    line_job(&line, run, action);
    json_progress(line.doc, line.root, progress);
    line_end(&line);
}

void report_json_ended(const struct run *run, const struct action *action,
                       const struct result *result, uint64_t took_ms)
{
    struct line line = line_begin("ended");

    line_job(&line, run, action);
    line_word(&line, "verdict", verdict_word(result->verdict));
    line_number(&line, "took_ms", took_ms);
    if (result->verdict == VERDICT_FAILED) {
        line_word(&line, "failure", failure_word(result->failure));
    }
    if (result->problem.size) line_text(&line, "problem", result->problem);
    if (result->unchanged) yyjson_mut_obj_add_bool(line.doc, line.root, "unchanged", true);
    if (result->taken_back) yyjson_mut_obj_add_bool(line.doc, line.root, "taken_back", true);
    if (result->doubt_count) line_number(&line, "unresolved", result->doubt_count);
    if (result->proof) line_word(&line, "proof", proof_word(result->proof));
    if (action->purpose == FOR_REVIEW) line_findings(&line, result);
    line_end(&line);
}

void report_json_waiting(const struct run *run, const struct action *action,
                         const struct result *result)
{
    struct line line = line_begin("waiting");

    line_job(&line, run, action);
    line_word(&line, "for", failure_word(result->failure));
    line_number(&line, "until", result->retry_at_ms);
    line_text(&line, "problem", result->problem);
    line_end(&line);
}

void report_json_round(const struct run *run, const struct round *round)
{
    struct line line = line_begin("round");

    line_word(&line, "phase", run->plan.phases[round->phase].name);
    line_number(&line, "iteration", run->dialect->rounds_are_iterations ? round->number
                                                                               : round->iteration);
    line_number(&line, "round", round->number);
    line_word(&line, "verdict", verdict_word(round->verdict));
    line_number(&line, "finding_count", round->finding_count);
    if (round->lane > 0) line_lane(&line, run, round->lane);
    line_end(&line);
}

void report_json_ask(const struct action *action, const char *escalation)
{
    struct line line = line_begin("ask");

    line_number(&line, "lane", action->lane);
    line_word(&line, "question", question_word(action->question));
    if (escalation) line_word(&line, "escalation", escalation);
    line_end(&line);
}

void report_json_warning(const char *text)
{
    struct line line = line_begin("warning");

    line_word(&line, "text", text);
    line_end(&line);
}

static void line_not_played(struct line *line, const struct run *run)
{
    const struct batch *review = &run->engine.lanes[0].review;
    yyjson_mut_val *list = yyjson_mut_arr(line->doc);

    for (uint32_t i = 0; i < review->count; i++) {
        if (review->jobs[i].result.verdict != VERDICT_NOT_PLAYED) continue;
        yyjson_mut_arr_append(list, json_text(line->doc,
                                              str_of(run->plan.roles[review->jobs[i].role].name)));
    }
    if (yyjson_mut_arr_size(list)) {
        yyjson_mut_obj_add_val(line->doc, line->root, "not_played", list);
    }
}

void report_json_finish(const struct run *run, const struct ending *ending)
{
    const struct engine *engine = &run->engine;
    struct str reason = stuck_reason(&engine->lanes[0]);
    struct line line = line_begin("finish");

    line_word(&line, "run", run->row.id);
    line_word(&line, "reason", reason_word(engine->reason));
    line_number(&line, "exit_code", (uint64_t)run_exit_code(run));
    line_number(&line, "rounds", engine->round_count);
    line_number(&line, "calls", engine->calls);
    line_number(&line, "found", ending->found);
    line_number(&line, "fixed", ending->fixed);
    line_number(&line, "left", ending->left);
    line_number(&line, "noted", ending->noted);
    if (ending->noted_grave) line_number(&line, "noted_grave", ending->noted_grave);
    line_number(&line, "waived", ending->waived);
    line_number(&line, "findings_left", ending->findings_left);
    line_number(&line, "took_ms", ending->took_ms);
    if (engine->usage.cost_micros) {
        yyjson_mut_obj_add_real(line.doc, line.root, "cost",
                                (double)engine->usage.cost_micros / 1e6);
    } else {
        yyjson_mut_obj_add_null(line.doc, line.root, "cost"); /* no agent reported one */
    }
    until_json(run, line.doc, line.root);
    if (budget_has_limit(&engine->budget)) spending_json(engine, 0, line.doc, line.root);
    if (ending->summary.size) line_text(&line, "summary", ending->summary);
    if (reason.size) line_text(&line, "stuck", reason);
    line_not_played(&line, run);
    coverage_write(line.doc, line.root, &ending->coverage);
    if (run->settings.missing && *run->settings.missing) {
        line_text(&line, "missing", str_of(run->settings.missing));
    }
    if (engine->reason == REASON_UNSEEN) {
        yyjson_mut_obj_add_bool(line.doc, line.root, "saw_nothing", true);
    }
    if (engine->unproven) line_number(&line, "unproven", engine->unproven);
    if (run->test_useless) yyjson_mut_obj_add_bool(line.doc, line.root, "test_useless", true);
    if (run->unverified) yyjson_mut_obj_add_bool(line.doc, line.root, "unverified", true);
    if (run->held_back) line_number(&line, "held_back", run->held_back);
    line_word(&line, "files", ending->files);
    yyjson_mut_obj_add_bool(line.doc, line.root, "resumable", engine_can_resume(engine));
    line_end(&line);
}
