/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - what the user sees of a run: plain lines on stderr, the result on stdout; with
 * --json one JSON object per event on stdout, and nothing else there.
 *
 * Everything that came from an agent or a file passes through safe_text(): it cannot move the
 * cursor. A line that cannot be written is lost, never a reason to end a run. */
#include "drive/drive.h"

#include "base/clock.h"
#include "format/json.h"
#include "format/safe.h"
#include "io/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES_MAX = 1 << 20, PROBLEM_BYTES_MAX = 160, ROLE_WIDTH = 22 };

static const char *const severity_words[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "low",
    [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_HIGH] = "high",
};

/* --- JSON lines --- */

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

    buf_init(&out, LINE_BYTES_MAX * 64);
    json_write(line->doc, false, &out);
    buf_byte(&out, '\n');
    fwrite(out.data, 1, out.size, stdout);
    fflush(stdout);
    buf_release(&out);
    yyjson_mut_doc_free(line->doc);
}

static void line_job(struct line *line, const struct drive *drive, const struct action *action)
{
    const struct phase *phase = &drive->run.plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    line_number(line, "job", action->job);
    line_number(line, "attempt", action->attempt);
    line_word(line, "role", drive->run.plan.roles[action->role].name);
    line_word(line, "purpose", purpose_word(action->purpose));
    line_word(line, "phase", repair ? phase->repair_name : phase->name);
    line_number(line, "iteration", drive_iteration(drive, action));
    line_number(line, "round", action->round);
    line_number(line, "copy", action->copy);
}

static void line_findings(struct line *line, const struct result *result)
{
    yyjson_mut_val *list = yyjson_mut_arr(line->doc);

    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        struct line item = { .doc = line->doc, .root = yyjson_mut_obj(line->doc) };

        line_word(&item, "severity", severity_words[finding->severity]);
        line_text(&item, "kind", finding->kind);
        line_text(&item, "file", finding->file);
        line_number(&item, "line", finding->line);
        line_text(&item, "text", finding->text);
        yyjson_mut_arr_append(list, item.root);
    }
    yyjson_mut_obj_add_val(line->doc, line->root, "findings", list);
}

/* --- plain lines --- */

/* One line on stderr with everything foreign in it made harmless. */
static void say(const struct report *report, const struct buf *text)
{
    struct buf safe;

    if (report->quiet) return;
    buf_init(&safe, LINE_BYTES_MAX);
    safe_text(&safe, buf_str(text), true, 0);
    fprintf(stderr, "%s\n", buf_cstr(&safe));
    buf_release(&safe);
}

void report_warning(const struct report *report, const char *format, ...)
{
    struct buf safe;
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&safe, LINE_BYTES_MAX);
    safe_text(&safe, str_of(text), true, 0);
    fprintf(stderr, "hone: %s\n", buf_cstr(&safe));
    buf_release(&safe);
    if (report->json) {
        struct line line = line_begin("warning");
        line_word(&line, "text", text);
        line_end(&line);
    }
}

void report_run(const struct drive *drive, bool resumed)
{
    const struct journal_run *row = &drive->run.row;
    struct buf text;

    if (drive->report.json) {
        struct line line = line_begin("run");
        line_word(&line, "run", row->id);
        line_word(&line, "dialect", row->dialect);
        line_word(&line, "task", row->task);
        line_word(&line, "workspace", drive->repo.workspace);
        yyjson_mut_obj_add_bool(line.doc, line.root, "resumed", resumed);
        yyjson_mut_obj_add_bool(line.doc, line.root, "sandbox", drive->sandboxed);
        line_end(&line);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    buf_printf(&text, "run %s %s: %s: %s", row->id, resumed ? "goes on" : "begins", row->dialect,
               row->task);
    say(&drive->report, &text);
    buf_release(&text);
}

/* "R1 round 2  critic" - the beginning of every line about an attempt. */
static void put_who(const struct drive *drive, const struct action *action, struct buf *text)
{
    const struct phase *phase = &drive->run.plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    buf_printf(text, "%s round %" PRIu32 "  %-*s", repair ? phase->repair_name : phase->name,
               action->round, ROLE_WIDTH, drive->run.plan.roles[action->role].name);
}

void report_start(const struct drive *drive, const struct action *action)
{
    struct buf text;

    if (drive->report.json) {
        struct line line = line_begin("start");
        line_job(&line, drive, action);
        line_end(&line);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    put_who(drive, action, &text);
    buf_text(&text, action->attempt > 1 ? "starts again" : "starts");
    say(&drive->report, &text);
    buf_release(&text);
}

void report_ended(const struct drive *drive, const struct live *live, const struct event *event)
{
    const struct result *result = &event->result;
    char span[CLOCK_SPAN_BYTES];
    uint64_t took = event->now_ms > live->started_ms ? event->now_ms - live->started_ms : 0;
    struct buf text;

    if (live->started_ms == 0) took = 0; /* it ended before this engine began */
    if (drive->report.json) {
        struct line line = line_begin("ended");
        line_job(&line, drive, &live->action);
        line_word(&line, "verdict", verdict_word(result->verdict));
        line_number(&line, "took_ms", took);
        if (result->verdict == VERDICT_FAILED) {
            line_word(&line, "failure", failure_word(result->failure));
        }
        if (result->problem.size) line_text(&line, "problem", result->problem);
        if (live->action.purpose == FOR_REVIEW) line_findings(&line, result);
        line_end(&line);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    put_who(drive, &live->action, &text);
    if (result->verdict == VERDICT_CLEAN && live->action.purpose != FOR_REVIEW) {
        buf_text(&text, "done");
    } else if (result->verdict == VERDICT_FINDINGS) {
        buf_printf(&text, "%" PRIu32 " finding%s", result->finding_count,
                   result->finding_count == 1 ? "" : "s");
    } else {
        buf_text(&text, verdict_word(result->verdict));
    }
    buf_printf(&text, " (%s)", clock_span(took, span));
    if (result->problem.size) {
        buf_text(&text, ": ");
        safe_text(&text, result->problem, true, PROBLEM_BYTES_MAX);
    }
    say(&drive->report, &text);
    buf_release(&text);
}

/* A round whose review just ended. */
static void report_round(const struct drive *drive, const struct round *round)
{
    const struct phase *phase = &drive->run.plan.phases[round->phase];
    struct buf text;

    if (drive->report.json) {
        struct line line = line_begin("round");
        line_word(&line, "phase", phase->name);
        line_number(&line, "round", round->number);
        line_word(&line, "verdict", verdict_word(round->verdict));
        line_number(&line, "finding_count", round->finding_count);
        line_end(&line);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    buf_printf(&text, "%s round %" PRIu32 "  ", phase->name, round->number);
    if (round->verdict == VERDICT_CLEAN) {
        buf_text(&text, "clean");
    } else {
        buf_printf(&text, "%" PRIu32 " finding%s in all", round->finding_count,
                   round->finding_count == 1 ? "" : "s");
    }
    say(&drive->report, &text);
    buf_release(&text);
}

void report_step(const struct drive *drive, uint32_t rounds_before)
{
    const struct engine *engine = &drive->run.engine;
    uint32_t from = rounds_before > 0 ? rounds_before - 1 : 0;

    for (uint32_t i = from; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];
        bool now = round->ended_ms == engine->now_ms && round->ended_ms != 0;
        if (now && round->repaired_ms == 0) report_round(drive, round);
    }
}

void report_ask(const struct drive *drive, const struct action *action)
{
    if (drive->report.json) {
        struct line line = line_begin("ask");
        line_number(&line, "lane", action->lane);
        line_word(&line, "question", question_word(action->question));
        line_end(&line);
        return;
    }
    report_warning(&drive->report, "a question is open: %s", question_word(action->question));
}

/* Why it ended, for people. */
static const char *const reason_texts[REASON_COUNT] = {
    [REASON_NONE] = "",
    [REASON_CLEAN] = "clean: the last review found nothing",
    [REASON_NOTED] = "findings were noted and passed over",
    [REASON_BOUND] = "findings remain, and no more rounds are allowed",
    [REASON_STUCK] = "stuck: a lane cannot go on by itself",
    [REASON_WAITING] = "waiting for an answer",
    [REASON_ESCALATED] = "findings remain: somebody must decide",
    [REASON_INTERRUPTED] = "interrupted",
    [REASON_FAILED] = "failed: an agent could not run or kept breaking its contract",
};

/* Those in a batch that are dead for the same reason as jobs[first], in one line. */
static void report_dead_like(const struct drive *drive, const struct batch *batch, uint32_t first)
{
    const struct result *result = &batch->jobs[first].result;
    struct buf names;

    buf_init(&names, LINE_BYTES_MAX);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        if (job->state != JOB_DEAD || !str_eq(job->result.problem, result->problem)) continue;
        if (i < first) goto out; /* said already */
        buf_printf(&names, "%s%s", names.size ? ", " : "",
                   drive->run.plan.roles[job->role].name);
    }
    report_warning(&drive->report, "%s %s: %.*s", buf_cstr(&names),
                   result->verdict == VERDICT_INVALID ? "broke the contract" : "failed",
                   STR_ARG(result->problem));

out:
    buf_release(&names);
}

/* Who could not do its part, and why: said even to those who want no progress. */
static void report_dead(const struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;
        for (uint32_t k = 0; k < now->count; k++) {
            if (now->jobs[k].state == JOB_DEAD) report_dead_like(drive, now, k);
        }
    }
}

void report_finish(const struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;
    uint32_t count = engine->round_count;
    const struct round *last = count ? &engine->rounds[count - 1] : NULL;
    char span[CLOCK_SPAN_BYTES];
    uint64_t took = engine->now_ms - engine->started_ms;
    uint32_t left = last && last->verdict == VERDICT_FINDINGS ? last->finding_count : 0;

    if (engine->reason == REASON_FAILED) report_dead(drive);
    if (drive->report.json) {
        struct line line = line_begin("finish");
        line_word(&line, "run", drive->run.row.id);
        line_word(&line, "reason", reason_word(engine->reason));
        line_number(&line, "exit_code", (uint64_t)exit_code_of(engine->reason));
        line_number(&line, "rounds", engine->round_count);
        line_number(&line, "findings_left", left);
        line_number(&line, "took_ms", took);
        yyjson_mut_obj_add_bool(line.doc, line.root, "resumable", engine_can_resume(engine));
        line_end(&line);
        return;
    }
    printf("%s (run %s, %" PRIu32 " round%s, %s)\n", reason_texts[engine->reason],
           drive->run.row.id, engine->round_count, engine->round_count == 1 ? "" : "s",
           clock_span(took, span));
    if (left > 0) printf("%" PRIu32 " finding%s left\n", left, left == 1 ? "" : "s");
    if (engine_can_resume(engine)) printf("continue with: hone resume %s\n", drive->run.row.id);
    fflush(stdout);
}
