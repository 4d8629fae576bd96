/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - what the user sees of a run while it runs.
 *
 *   --json       one object per event on standard output (json.c)
 *   a terminal   a view on standard error (view/view.c), and above it a line for what is over
 *   else         plain lines on standard error, one for each thing that happens
 *
 * Warnings come in every case, with --quiet too. Everything that came from an agent or a file
 * passes through safe_text(): it cannot move the cursor. A line that cannot be written
 * is lost, never a reason to end a run.
 *
 * Not here: how it ended (end.c). */
#include "report/report.h"

#include "base/clock.h"
#include "format/report/listing.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "io/process/host.h"
#include "io/terminal/terminal.h"
#include "report/json.h"
#include "report/remarks.h"
#include "run/cast.h"
#include "run/site.h"
#include "run/waits.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES_MAX = 1 << 20, PROBLEM_BYTES_MAX = 160, ROLE_WIDTH = 22 };

void report_open(struct report *report, const struct report *how, const char *dialect)
{
    *report = *how;
    report->view = NULL;
    if (report->json || report->quiet || !report->color) return;
    if (!terminal_can_move(TERMINAL_ERR_FD)) return;
    report->view = view_new(dialect);
}

void report_close(struct report *report)
{
    view_free(report->view);
    report->view = NULL;
}

int64_t report_wait_ms(const struct report *report, int64_t wait_ms)
{
    uint64_t due_ms;

    if (!report->view) return wait_ms;
    due_ms = view_due_in(report->view);
    return wait_ms < 0 || due_ms < (uint64_t)wait_ms ? (int64_t)due_ms : wait_ms;
}

void report_tick(const struct report *report)
{
    if (report->view) view_tick(report->view);
}

void report_pause(const struct report *report, bool held, uint32_t running, struct str word)
{
    struct view_model *model;

    if (!report->view) return;
    model = view_model(report->view);
    word = str_tail(word, VIEW_WORD_BYTES_MAX);
    if (model->keys && model->held == held && model->finishing == running &&
        str_eq(buf_str(&model->word), word)) return;
    model->keys = true;
    model->held = held;
    model->finishing = running;
    buf_clear(&model->word);
    model->word.limit = VIEW_WORD_BYTES_MAX;
    (void)buf_add(&model->word, word);
    view_touch(report->view);
}

/* ---- lines ---- */

static void put_safe(struct buf *out, struct str text)
{
    safe_text(out, text, true, 0);
}

static void put_styled(struct buf *out, const struct report *report, enum style style,
                       const char *words)
{
    if (!report->color) style = STYLE_PLAIN;
    buf_text(out, style_codes[style]);
    buf_text(out, words);
    if (style != STYLE_PLAIN) buf_text(out, STYLE_OFF);
}

/* One line on stderr; foreign texts in it are harmless already. */
static void say(const struct report *report, const struct buf *text)
{
    if (report->quiet) return;
    if (report->view) {
        view_line(report->view, buf_str(text));
    } else {
        fprintf(stderr, "%s\n", buf_cstr(text));
    }
}

void report_warning(const struct report *report, const char *format, ...)
{
    struct buf line;
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&line, LINE_BYTES_MAX);
    buf_text(&line, "hone: ");
    put_safe(&line, str_of(text));
    if (report->view) {
        view_line(report->view, buf_str(&line));
    } else {
        fprintf(stderr, "%s\n", buf_cstr(&line));
    }
    buf_release(&line);
    if (report->json) report_json_warning(text);
}

/* What a lane is called on a screen: its task, else its number; NULL: it is the main lane. */
static const char *lane_task(const struct run *run, uint32_t lane)
{
    const struct site *site = lane > 0 ? site_find(run, lane) : NULL;

    if (lane == 0) return NULL;
    return site && site->about.task_id && *site->about.task_id ? site->about.task_id : "a task";
}

/* Whose round a line is about. */
struct whose {
    uint32_t lane, iteration, round;
    const char *phase; /* its name */
};

/* "R1 round 2  ", "build login round 1  ", "iteration 2, phase 3 round 1  " - the beginning of
 * every line about a round; one phase needs no name on a screen, the first iteration no number. */
static void put_round(const struct report *report, const struct run *run, const struct whose *whose,
                      struct buf *text)
{
    if (whose->iteration > 1) buf_printf(text, "iteration %" PRIu32 ", ", whose->iteration);
    if (!report->view || run->plan.phase_count > 1) {
        if (phase_is_number(whose->phase)) buf_text(text, "phase ");
        put_safe(text, str_of(whose->phase));
        buf_byte(text, ' ');
    }
    if (whose->lane > 0) {
        put_safe(text, str_of(lane_task(run, whose->lane)));
        buf_byte(text, ' ');
    }
    buf_printf(text, "round %" PRIu32 "  ", whose->round);
}

/* "R1 round 2  critic" - the beginning of every line about an attempt. */
static void put_who(const struct report *report, const struct run *run, const struct action *action,
                    struct buf *text)
{
    const struct phase *phase = &run->plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    put_round(report, run, &(struct whose){ .lane = action->lane, .iteration = action->iteration,
                                      .round = action->round,
                                      .phase = repair ? phase->repair_name : phase->name }, text);
    buf_printf(text, "%-*s", report->view ? 0 : ROLE_WIDTH, run->plan.roles[action->role].name);
    if (report->view) buf_byte(text, ' ');
    if (run->plan.eyes > 1 && action->purpose == FOR_REVIEW) {
        buf_printf(text, "%sby %s%s  ", report->view ? "" : " ",
                   agent_of(run, action)->backend->name, action->recheck ? ", rechecking" : "");
    }
}

static enum style style_of(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_CLEAN:
        return STYLE_GOOD;
    case VERDICT_FINDINGS:
        return STYLE_FOUND;
    case VERDICT_NOT_PLAYED:
        return STYLE_PLAIN;
    case VERDICT_INVALID:
    case VERDICT_FAILED:
    case VERDICT_COUNT:
        break;
    }
    return STYLE_BAD;
}

/* Whether an attempt that ended so is asked again when its service can serve. */
static bool is_waiting(const struct run *run, const struct result *result)
{
    return result_waits(result) && run->engine.state == ENGINE_RUNNING;
}

/* "waits for the rate limit until 14:30" */
static void put_wait(const struct report *report, const struct result *result, struct buf *text)
{
    char words[128], when[HOST_TIME_BYTES];

    snprintf(words, sizeof words, "waits for %s until %s", wait_words(result->failure),
             host_time(result->retry_at_ms, when));
    put_styled(text, report, STYLE_FOUND, words);
}

static void put_result(const struct report *report, const struct action *action,
                       const struct result *result, struct buf *text)
{
    char words[64];

    if (action->purpose == FOR_INTEGRATE && result->verdict <= VERDICT_FINDINGS) {
        snprintf(words, sizeof words, result->verdict == VERDICT_CLEAN ? "merged" : "not merged");
    } else if (action->purpose == FOR_PROOF && result->verdict <= VERDICT_FINDINGS &&
               (result->finding_count == 0 || result->taken_back)) {
        snprintf(words, sizeof words, result->verdict == VERDICT_CLEAN ? "passes" : "fails");
    } else if (result->verdict == VERDICT_CLEAN && action->purpose != FOR_REVIEW) {
        snprintf(words, sizeof words, "done");
    } else if (result->verdict == VERDICT_FINDINGS) {
        snprintf(words, sizeof words, "%" PRIu32 " finding%s", result->finding_count,
                 result->finding_count == 1 ? "" : "s");
    } else if (result_is_stopped(result)) {
        snprintf(words, sizeof words, "stopped"); /* it did nothing wrong */
    } else {
        snprintf(words, sizeof words, "%s", verdict_word(result->verdict));
    }
    put_styled(text, report, style_of(result->verdict), words);
    if (result->note_count) buf_printf(text, ", %" PRIu32 " too small to fail", result->note_count);
    if (result->coverage.unlooked_count) {
        buf_printf(text, ", %" PRIu32 " of %" PRIu32 " files not looked at",
                   coverage_unlooked(&result->coverage), result->coverage.files);
    }
}

/* ---- what happens ---- */

/* An attempt gets its place in the view. */
static void show_attempt(const struct report *report, const struct run *run,
                         const struct action *action)
{
    const struct plan *plan = &run->plan;
    const char *spec = agent_of(run, action)->spec;

    view_model_start(view_model(report->view), &(struct view_row){
        .job = action->job, .attempt = action->attempt, .lane = action->lane,
        .phase = action->phase, .iteration = action->iteration, .round = action->round,
        .copy = action->copy, .purpose = action->purpose, .role = plan->roles[action->role].name,
        .task = lane_task(run, action->lane),
        .spec = spec ? spec : "", .state = ROW_RUNNING, .started_ms = now_wall_ms() });
}

/* What had been answered before the run was left. */
static void show_batch(const struct report *report, const struct run *run, uint32_t lane,
                       const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        if (job->state != JOB_DONE) continue;
        show_attempt(report, run, &(struct action){ .job = job->id, .attempt = job->attempt,
            .lane = lane, .role = job->role, .purpose = job->purpose, .phase = batch->phase,
            .iteration = batch->iteration, .round = batch->round, .copy = job->copy,
            .eye = batch->eye, .recheck = batch->recheck });
        view_model_ended(view_model(report->view), job->id, &job->result, 0);
    }
}

static void show_run(const struct report *report, const struct run *run)
{
    const struct engine *engine = &run->engine;
    struct view_model *model = view_model(report->view);

    model->dialect = run->row.dialect;
    model->run = run->row.id;
    model->fixed_before = ledger_faults(&run->engine.ledger).states[FINDING_FIXED];
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        if (lane->state == LANE_REPAIRING) show_batch(report, run, i, &lane->review);
        show_batch(report, run, i, &lane->now);
    }
}

static void tell_run(const struct report *report, const struct run *run, const struct news *news)
{
    const struct journal_run *row = &run->row;
    struct buf text;

    if (report->json) {
        report_json_run(run, news->resumed);
        return;
    }
    if (report->view) show_run(report, run);
    buf_init(&text, LINE_BYTES_MAX);
    buf_printf(&text, "run %s %s: %s: ", row->id, news->resumed ? "goes on" : "begins",
               row->dialect);
    put_safe(&text, str_of(row->task));
    say(report, &text);
    buf_release(&text);
}

static void show_start(const struct report *report, const struct run *run,
                       const struct action *action)
{
    const struct plan *plan = &run->plan;
    const struct phase *phase = &plan->phases[action->phase];
    struct view_model *model = view_model(report->view);

    show_attempt(report, run, action);
    model->phase = plan->phase_count > 1 ? phase->name : NULL;
    model->round = action->lane > 0 ? 0 : action->round; /* each has its own */
    model->round_max = gate_review_max(&phase->gate);
    model->stage = action->purpose == FOR_REPAIR ? "fixing" : NULL;
    view_touch(report->view);
}

static void tell_start(const struct report *report, const struct run *run, const struct news *news)
{
    const struct action *action = news->action;
    struct buf text;

    if (report->json) {
        report_json_start(run, action);
        return;
    }
    if (report->view) {
        show_start(report, run, action);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    put_who(report, run, action, &text);
    buf_text(&text, action->attempt > 1 ? "starts again" : "starts");
    say(report, &text);
    buf_release(&text);
}

/* Whether the end of an attempt is worth a line that stays: a reviewer's answer is part of its
 * round's. */
static bool is_news(const struct report *report, const struct action *action,
                    const struct result *result)
{
    if (!report->view) return true;
    if (result->verdict == VERDICT_FAILED) return result->failure != FAILURE_STOPPED;
    return result->verdict == VERDICT_INVALID || action->purpose != FOR_REVIEW;
}

static void tell_ended(const struct report *report, const struct run *run, const struct news *news)
{
    const struct action *action = news->action;
    const struct event *event = news->event;
    const struct result *result = &event->result;
    char span[CLOCK_SPAN_BYTES];
    uint64_t took = event->now_ms > news->started_ms ? event->now_ms - news->started_ms : 0;
    struct buf text;

    if (news->started_ms == 0) took = 0; /* it began before this process */
    if (report->json) {
        report_json_ended(run, action, result, took);
        if (is_waiting(run, result)) report_json_waiting(run, action, result);
        return;
    }
    if (report->view) {
        if (news->started_ms == 0) show_attempt(report, run, action);
        view_model_ended(view_model(report->view), action->job, result, took);
        if (is_waiting(run, result)) {
            view_model_waits(view_model(report->view), action->job,
                             wait_words(result->failure), result->retry_at_ms);
        }
    } /* drawn with what follows from it: tell_step() */
    if (!is_news(report, action, result)) return;
    buf_init(&text, LINE_BYTES_MAX);
    put_who(report, run, action, &text);
    if (is_waiting(run, result)) put_wait(report, result, &text);
    else put_result(report, action, result, &text);
    if (result->unchanged) buf_text(&text, ", changed nothing");
    if (result->taken_back) buf_text(&text, ", the repair is taken back");
    buf_printf(&text, " (%s)", clock_span(took, span));
    if (result->problem.size) {
        buf_text(&text, ": ");
        safe_text(&text, problem_core(result), true, PROBLEM_BYTES_MAX);
    }
    if (!report->view) found_lines(result, run->row.id, &text);
    say(report, &text);
    buf_release(&text);
}

/* ": critic 3, pedant 6" - how much each reviewer found: on a screen no line is shown for each. */
static void put_finders(const struct report *report, const struct round *round, struct buf *text)
{
    const struct view_model *model = view_model(report->view);
    const char *before = ": ";

    for (uint32_t i = 0; i < model->row_count; i++) {
        const struct view_row *row = &model->rows[i];
        if (row->lane != round->lane || row->round != round->number) continue;
        if (row->state != ROW_FINDINGS) continue;
        buf_printf(text, "%s%s %" PRIu32, before, row->role, row->finding_count);
        before = ", ";
    }
}

/* What the screen keeps of a round: all of its review in one line. */
static void put_review(const struct report *report, const struct run *run,
                       const struct round *round, struct buf *text)
{
    struct view_model *model = view_model(report->view);
    uint32_t fixed = ledger_faults(&run->engine.ledger).states[FINDING_FIXED];
    uint64_t took = round->ended_ms > round->started_ms ? round->ended_ms - round->started_ms : 0;
    char words[64], span[CLOCK_SPAN_BYTES];

    if (round->verdict == VERDICT_CLEAN || round->verdict == VERDICT_NOT_PLAYED) {
        snprintf(words, sizeof words, "%s", verdict_word(round->verdict));
    } else {
        snprintf(words, sizeof words, "%" PRIu32 " finding%s", round->finding_count,
                 round->finding_count == 1 ? "" : "s");
    }
    put_styled(text, report, style_of(round->verdict), words);
    if (fixed > model->fixed_before) {
        buf_printf(text, ", %" PRIu32 " fixed", fixed - model->fixed_before);
    }
    model->fixed_before = fixed;
    put_finders(report, round, text);
    buf_printf(text, " (%s)", clock_span(took, span));
}

/* A round whose review just ended. */
static void report_round(const struct report *report, const struct run *run,
                         const struct round *round)
{
    struct buf text;

    if (report->json) {
        report_json_round(run, round);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    put_round(report, run, &(struct whose){ .lane = round->lane, .iteration = round->iteration,
                                      .round = round->number,
                                      .phase = run->plan.phases[round->phase].name }, &text);
    if (batch_is_given(&run->engine.lanes[round->lane].review)) {
        buf_printf(&text, "%" PRIu32 " finding%s to repair, as you chose", round->finding_count,
                   round->finding_count == 1 ? "" : "s");
    } else if (report->view) {
        put_review(report, run, round, &text);
    } else if (round->verdict == VERDICT_CLEAN || round->verdict == VERDICT_NOT_PLAYED) {
        put_styled(&text, report, style_of(round->verdict), verdict_word(round->verdict));
    } else {
        buf_printf(&text, "%" PRIu32 " finding%s in all", round->finding_count,
                   round->finding_count == 1 ? "" : "s");
    }
    say(report, &text);
    buf_release(&text);
}

/* How many tasks there are, and how many of them are merged. */
static void show_tasks(const struct engine *engine, struct view_model *model)
{
    model->tasks = model->merged = 0;
    for (uint32_t i = 0; i < engine->group_count; i++) model->tasks += engine->groups[i];
    for (uint32_t i = 1; i < engine->lane_count; i++) {
        model->merged += engine->lanes[i].state == LANE_MERGED;
    }
}

/* What is known after a step, for the view. */
static void show_step(const struct report *report, const struct run *run)
{
    struct view_model *model = view_model(report->view);

    show_tasks(&run->engine, model);
    model->found = ledger_faults(&run->engine.ledger).total;
    model->fixed = ledger_faults(&run->engine.ledger).states[FINDING_FIXED];
    model->left = ledger_faults(&run->engine.ledger).open_count;
    if (run->engine.state == ENGINE_STOPPING) model->stage = "stopping";
    view_touch(report->view);
}

static void tell_step(const struct report *report, const struct run *run, const struct news *news)
{
    const struct engine *engine = &run->engine;

    /* The lane's newest round, or the one before where the step began another. */
    for (uint32_t i = engine->round_count; i-- > 0;) {
        const struct round *round = &engine->rounds[i];
        bool now = round->ended_ms == engine->now_ms && round->ended_ms != 0;

        if (round->lane != news->lane) continue;
        if (now && round->repaired_ms == 0) report_round(report, run, round);
        if (i < news->rounds_before) break;
    }
    if (report->view) show_step(report, run);
}

static void tell_no_test(const struct report *report, const struct run *run,
                         const struct news *news)
{
    const char *test = run->settings.test;

    (void)news;
    if (!run->dialect->wants_test || (test && *test)) return;
    report_warning(report, "no test command was found here, so nothing is tested: --test "
                   "COMMAND names one, or 'test' in hone.json");
}

static void tell_useless_test(const struct report *report, const struct run *run,
                              const struct news *news)
{
    (void)news;
    report_warning(report, "the test fails without any fix, so it cannot judge the fixes: "
                   "%.300s (%s)", run->settings.test, run->settings.test_from);
}

static void tell_unverified(const struct report *report, const struct run *run,
                            const struct news *news)
{
    struct buf text;

    (void)news;
    buf_init(&text, LINE_BYTES_MAX);
    unverified_words(run, &text);
    report_warning(report, "%s", buf_cstr(&text));
    buf_release(&text);
}

static void tell_ask(const struct report *report, const struct run *run, const struct news *news)
{
    const struct action *action = news->action;
    const struct lane *lane = &run->engine.lanes[action->lane];
    const struct phase *phase = &run->plan.phases[lane->phase];
    struct str reason = stuck_reason(lane);
    const char *escalation = question_escalation(run, action->lane, action->question);
    struct buf text;
    bool there = !report->json && line_can_ask(); /* the user is asked at once (drive/ask.c) */

    if (report->json) report_json_ask(action, escalation);
    if ((report->json || there) && !escalation) return;
    buf_init(&text, LINE_BYTES_MAX);
    if (escalation) buf_printf(&text, "%s: ", escalation);
    buf_printf(&text, "phase %s: %s", phase->name, question_text(action->question));
    if (reason.size) buf_text(&text, ": ");
    safe_text(&text, reason, true, PROBLEM_BYTES_MAX);
    if (!there) {
        buf_printf(&text, "; hone answer %s continue, accept%s or stop", run->row.id,
                   choice_is_open(&run->engine, CHOICE_RESTART) ? ", restart" : "");
    }
    report_warning(report, "%s", buf_cstr(&text));
    buf_release(&text);
}

static void tell_warning(const struct report *report, const struct run *run,
                         const struct news *news)
{
    (void)run;
    report_warning(report, "%s", news->text);
}

/* A line for it is one of many: it comes now and then. */
static void tell_progress(const struct report *report, const struct run *run,
                          const struct news *news)
{
    struct buf text;

    if (report->json) {
        report_json_progress(run, news->action, news->progress);
    } else if (report->view) {
        if (view_model_progress(view_model(report->view), news->action->job, news->progress)) {
            view_touch(report->view);
        }
    } else if (!news->often) {
        buf_init(&text, LINE_BYTES_MAX);
        put_who(report, run, news->action, &text);
        progress_words(news->progress, &text);
        say(report, &text);
        buf_release(&text);
    }
}

static void tell_note(const struct report *report, const struct run *run, const struct news *news)
{
    struct buf line;

    (void)run;
    if (report->json) return;
    buf_init(&line, LINE_BYTES_MAX);
    buf_text(&line, "hone: ");
    put_safe(&line, str_of(news->text));
    say(report, &line);
    buf_release(&line);
}

void report_tell(const struct report *report, const struct run *run, const struct news *news)
{
    static void (*const tellers[NEWS_KIND_COUNT])(const struct report *report,
                                                  const struct run *run,
                                                  const struct news *news) = {
        [NEWS_RUN] = tell_run, [NEWS_START] = tell_start, [NEWS_ENDED] = tell_ended,
        [NEWS_STEP] = tell_step, [NEWS_ASK] = tell_ask, [NEWS_NO_TEST] = tell_no_test,
        [NEWS_USELESS_TEST] = tell_useless_test, [NEWS_UNVERIFIED] = tell_unverified,
        [NEWS_WARNING] = tell_warning, [NEWS_NOTE] = tell_note, [NEWS_PROGRESS] = tell_progress,
    };

    tellers[news->kind](report, run, news);
}
