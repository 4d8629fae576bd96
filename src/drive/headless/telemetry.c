/* SPDX-License-Identifier: Apache-2.0
 *
 * telemetry.c - a run as spans.
 *
 *   invoke_workflow review          one process at work on the run; a resume is another such span
 *     '- round 1 R1                 the attempts of a round, from the first start to the last end
 *          '- invoke_agent critic   an attempt; the agent has its id as TRACEPARENT
 *     '- invoke_agent builder       an attempt of work that no review is of
 *
 * All spans of a run are in one trace, which follows from its UUID, or is the one that TRACEPARENT
 * names. A span is sent when it has ended: children before parents.
 *
 * 1. The run never waits: spans are kept here and handed to a process of its own every FLUSH_MS,
 *    and at the end. Where that one is still on its way they wait, SPANS_MAX at most; more are
 *    lost, and counted.
 * 2. What is in the way is remembered, and said once, at the end. It changes nothing else.
 * 3. Only names of the plan, fixed words and numbers are sent: nothing that an agent, a file or a
 *    person said, no path and no task.
 *
 * A process that is killed leaves its run's and its rounds' spans unsent; ended attempts of more
 * than FLUSH_MS ago are there. */
#include "drive/headless/telemetry.h"

#include "base/mem.h"
#include "format/report/listing.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "run/cast.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_MS = 2000, SPANS_MAX = 2048 };

/* A round, as far as this process has seen it. */
struct round_span {
    uint32_t lane, phase, iteration, number;
    uint64_t start_ms, end_ms;
    char span[SPAN_ID_BYTES];
};

void telemetry_open(struct telemetry *telemetry, const char *version)
{
    *telemetry = (struct telemetry){ .begun = false };
    otlp_setup_read(host_environment(), version, &telemetry->arena, &telemetry->setup);
    if (telemetry->setup.problem) {
        snprintf(telemetry->problem, sizeof telemetry->problem, "%s", telemetry->setup.problem);
    }
}

/* ---- spans ---- */

static struct otlp_span span_begin(const struct telemetry *telemetry, const char *span,
                                   const char *parent)
{
    struct otlp_span out = { .kind = OTLP_SPAN_INTERNAL };

    memcpy(out.trace, telemetry->trace, sizeof out.trace);
    snprintf(out.span, sizeof out.span, "%s", span);
    snprintf(out.parent, sizeof out.parent, "%s", parent);
    return out;
}

static void span_add(struct telemetry *telemetry, const struct otlp_span *span)
{
    if (telemetry->span_count == SPANS_MAX) {
        telemetry->lost++;
        return;
    }
    if (telemetry->span_count == 0) telemetry->due_ms = now_steady_ms() + FLUSH_MS;
    telemetry->spans = mem_grow(telemetry->spans, telemetry->span_count, &telemetry->span_cap,
                                sizeof *telemetry->spans);
    telemetry->spans[telemetry->span_count++] = *span;
}

static void put_usage(struct otlp_span *span, const struct usage *usage)
{
    if (usage->tokens_in) otlp_number(span, "gen_ai.usage.input_tokens", usage->tokens_in);
    if (usage->tokens_out) otlp_number(span, "gen_ai.usage.output_tokens", usage->tokens_out);
    if (usage->cost_micros) otlp_millionths(span, "hone.cost.usd", usage->cost_micros);
}

static void put_error(struct otlp_span *span, const char *word)
{
    span->status = OTLP_STATUS_ERROR;
    span->status_text = word;
    otlp_text(span, "error.type", word);
}

/* The round that an attempt belongs to; NULL: none. */
static struct round_span *round_of(struct telemetry *telemetry, const struct action *action)
{
    char name[128];
    struct round_span *round;

    if (action->round == 0) return NULL;
    for (uint32_t i = telemetry->round_count; i-- > 0;) {
        round = &telemetry->rounds[i];
        if (round->lane == action->lane && round->phase == action->phase &&
            round->iteration == action->iteration && round->number == action->round) return round;
    }
    telemetry->rounds = mem_grow(telemetry->rounds, telemetry->round_count, &telemetry->round_cap,
                                 sizeof *telemetry->rounds);
    round = &telemetry->rounds[telemetry->round_count++];
    *round = (struct round_span){ .lane = action->lane, .phase = action->phase,
                                  .iteration = action->iteration, .number = action->round };
    snprintf(name, sizeof name, "round/%" PRIu64 "/%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32,
             telemetry->opened, round->lane, round->phase, round->iteration, round->number);
    span_id(telemetry->run, name, round->span);
    return round;
}

static void round_widen(struct round_span *round, uint64_t start_ms, uint64_t end_ms)
{
    if (round->start_ms == 0 || start_ms < round->start_ms) round->start_ms = start_ms;
    if (end_ms > round->end_ms) round->end_ms = end_ms;
}

static void put_place(struct otlp_span *span, const struct run *run, const struct action *action)
{
    otlp_text(span, "hone.run.id", run->row.id);
    otlp_text(span, "hone.phase", run->plan.phases[action->phase].name);
    otlp_number(span, "hone.lane", action->lane);
    otlp_number(span, "hone.iteration", action->iteration);
    if (action->round) otlp_number(span, "hone.round", action->round);
}

/* Who played it. What hone does itself asks no provider. */
static void put_agent(struct otlp_span *span, const struct run *run, const struct action *action)
{
    const struct agent *agent = is_builtin(run, action) ? NULL : agent_of(run, action);
    bool model = agent && agent->backend->argument && agent->backend->provider;

    otlp_text(span, "gen_ai.operation.name", "invoke_agent");
    otlp_text(span, "gen_ai.agent.name", run->plan.roles[action->role].name);
    otlp_text(span, "gen_ai.provider.name", !agent ? "hone"
              : model ? agent->backend->provider : agent->backend->name);
    if (model) otlp_text(span, "gen_ai.request.model", agent->argument);
    if (agent) otlp_text(span, "hone.backend", agent->backend->name);
}

static void tell_ended(struct telemetry *telemetry, const struct run *run, const struct news *news)
{
    const struct action *action = news->action;
    const struct result *result = &news->event->result;
    uint64_t end_ms = news->event->now_ms;
    uint64_t start_ms = news->started_ms ? news->started_ms : end_ms;
    struct round_span *round = round_of(telemetry, action);
    char id[SPAN_ID_BYTES];
    struct otlp_span span = span_begin(
        telemetry, attempt_span_id(telemetry->run, action->job, action->attempt, id),
        round ? round->span : telemetry->root);

    if (round) round_widen(round, start_ms, end_ms);
    span.start_ms = start_ms;
    span.end_ms = end_ms;
    span.name = arena_printf(&telemetry->arena, "invoke_agent %s",
                             run->plan.roles[action->role].name);
    put_agent(&span, run, action);
    put_place(&span, run, action);
    otlp_number(&span, "hone.job", action->job);
    otlp_number(&span, "hone.attempt", action->attempt);
    otlp_text(&span, "hone.purpose", purpose_word(action->purpose));
    otlp_text(&span, "hone.verdict", verdict_word(result->verdict));
    if (result->finding_count) otlp_number(&span, "hone.findings", result->finding_count);
    put_usage(&span, &result->usage);
    if (result->verdict == VERDICT_FAILED) put_error(&span, failure_word(result->failure));
    else if (result->verdict == VERDICT_INVALID) put_error(&span, verdict_word(VERDICT_INVALID));
    span_add(telemetry, &span);
}

/* What the run itself knows of a round; NULL: it has forgotten it, or never had it. */
static const struct round *round_known(const struct run *run, const struct round_span *seen)
{
    const struct engine *engine = &run->engine;

    for (uint32_t i = engine->round_count; i-- > 0;) {
        const struct round *round = &engine->rounds[i];

        if (round->lane == seen->lane && round->phase == seen->phase &&
            round->iteration == seen->iteration && round->number == seen->number) return round;
    }
    return NULL;
}

static void round_send(struct telemetry *telemetry, const struct run *run,
                       const struct round_span *round)
{
    const struct round *known = round_known(run, round);
    const struct action place = { .lane = round->lane, .phase = round->phase,
                                  .iteration = round->iteration, .round = round->number };
    struct otlp_span span = span_begin(telemetry, round->span, telemetry->root);

    span.name = arena_printf(&telemetry->arena, "round %" PRIu32 " %s", round->number,
                             run->plan.phases[round->phase].name);
    span.start_ms = round->start_ms;
    span.end_ms = round->end_ms;
    put_place(&span, run, &place);
    if (known && known->ended_ms) {
        otlp_text(&span, "hone.verdict", verdict_word(known->verdict));
        otlp_number(&span, "hone.findings", known->finding_count);
    }
    span_add(telemetry, &span);
}

/* Rounds of a lane that another one has followed: nothing of them will come. */
static void rounds_send(struct telemetry *telemetry, const struct run *run, bool all)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < telemetry->round_count; i++) {
        struct round_span *round = &telemetry->rounds[i];
        bool over = all;

        for (uint32_t k = i + 1; k < telemetry->round_count && !over; k++) {
            over = telemetry->rounds[k].lane == round->lane;
        }
        if (over) round_send(telemetry, run, round);
        else telemetry->rounds[kept++] = *round;
    }
    telemetry->round_count = kept;
}

/* ---- the run ---- */

static void telemetry_begin(struct telemetry *telemetry, struct drive *drive)
{
    const struct run *run = &drive->run;
    const char *uuid = run->settings.uuid;
    char name[64];

    telemetry->begun = true;
    telemetry->run = uuid && *uuid ? arena_cstr(&telemetry->arena, str_of(uuid))
                                   : arena_printf(&telemetry->arena, "%s/%" PRIu64, run->row.id,
                                                  run->row.created_ms);
    telemetry->opened = run->event_count;
    telemetry->begun_ms = now_wall_ms();
    telemetry->used_before = run->engine.usage;
    if (telemetry->setup.parent.trace[0]) {
        memcpy(telemetry->trace, telemetry->setup.parent.trace, sizeof telemetry->trace);
    } else {
        trace_id(telemetry->run, telemetry->trace);
    }
    snprintf(name, sizeof name, "run/%" PRIu64, telemetry->opened);
    span_id(telemetry->run, name, telemetry->root);
    drive->trace = telemetry->trace;
    drive->trace_run = telemetry->run;
}

void telemetry_tell(struct telemetry *telemetry, struct drive *drive, const struct news *news)
{
    if (!telemetry->setup.url) return;
    if (!telemetry->begun && drive->run.row.id && drive->run.dialect) {
        telemetry_begin(telemetry, drive);
    }
    if (news->kind == NEWS_RUN && !telemetry->told) {
        telemetry->told = true;
        telemetry->resumed = news->resumed;
    }
    if (news->kind == NEWS_ENDED && telemetry->begun) tell_ended(telemetry, &drive->run, news);
    if (news->kind == NEWS_STEP) rounds_send(telemetry, &drive->run, false);
}

static uint64_t more_than(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static void run_send(struct telemetry *telemetry, const struct run *run, int code)
{
    const struct engine *engine = &run->engine;
    const struct usage *now = &engine->usage, *before = &telemetry->used_before;
    struct usage used = { more_than(now->cost_micros, before->cost_micros),
                          more_than(now->tokens_in, before->tokens_in),
                          more_than(now->tokens_out, before->tokens_out) };
    struct listing_counts counts = ledger_faults(&engine->ledger);
    struct otlp_span span = span_begin(telemetry, telemetry->root, telemetry->setup.parent.span);

    span.name = arena_printf(&telemetry->arena, "invoke_workflow %s", run->row.dialect);
    span.start_ms = telemetry->begun_ms;
    span.end_ms = now_wall_ms();
    otlp_text(&span, "gen_ai.operation.name", "invoke_workflow");
    otlp_text(&span, "gen_ai.workflow.name", run->row.dialect);
    otlp_text(&span, "hone.run.id", run->row.id);
    otlp_text(&span, "hone.run.uuid", run->settings.uuid);
    otlp_bool(&span, "hone.run.resumed", telemetry->resumed);
    otlp_text(&span, "hone.run.reason", reason_word(engine->reason));
    otlp_number(&span, "hone.run.exit_code", (uint64_t)code);
    otlp_number(&span, "hone.run.rounds", engine->round_count);
    otlp_number(&span, "hone.run.agent_starts", engine->calls);
    otlp_number(&span, "hone.findings.found", counts.total);
    otlp_number(&span, "hone.findings.fixed", counts.states[FINDING_FIXED]);
    otlp_number(&span, "hone.findings.open", counts.open_count);
    put_usage(&span, &used);
    if (code == CODE_FAILED) {
        put_error(&span, engine->reason == REASON_NONE ? "failed" : reason_word(engine->reason));
    }
    span_add(telemetry, &span);
}

/* ---- sending ---- */

static void note_problem(void *context, const char *what, const char *problem)
{
    struct telemetry *telemetry = context;

    (void)what;
    if (telemetry->problem[0]) return;
    snprintf(telemetry->problem, sizeof telemetry->problem, "%.255s", problem);
}

static void spans_send(struct telemetry *telemetry)
{
    const struct otlp_setup *setup = &telemetry->setup;
    struct http_header *headers = arena_alloc(&telemetry->arena,
                                              (setup->header_count + (size_t)1) * sizeof *headers);
    struct delivery delivery = { .kind = DELIVER_SPANS, .url = setup->url,
                                 .certificate = setup->certificate, .headers = headers,
                                 .header_count = setup->header_count,
                                 .timeout_ms = setup->timeout_ms };
    struct buf body;
    struct err err;

    for (uint32_t i = 0; i < setup->header_count; i++) {
        headers[i] = (struct http_header){ str_of(setup->headers[i].name),
                                           str_of(setup->headers[i].value) };
    }
    buf_init(&body, DELIVER_BYTES_MAX / 4);
    otlp_write(&setup->resource, telemetry->spans, telemetry->span_count, &body);
    delivery.body = buf_str(&body);
    if (body.overflow) note_problem(telemetry, "", "there are too many spans");
    else if (courier_send(&telemetry->couriers, &delivery, "", NULL, &err) != 0) {
        note_problem(telemetry, "", err.text);
    }
    buf_release(&body);
    telemetry->span_count = 0;
}

void telemetry_tick(struct telemetry *telemetry)
{
    if (!telemetry->setup.url) return;
    if (couriers_look(&telemetry->couriers, note_problem, telemetry) > 0) return;
    if (telemetry->span_count > 0 && now_steady_ms() >= telemetry->due_ms) spans_send(telemetry);
}

const char *telemetry_close(struct telemetry *telemetry, const struct run *run, int code)
{
    if (telemetry->setup.url && telemetry->told) {
        rounds_send(telemetry, run, true);
        run_send(telemetry, run, code);
        spans_send(telemetry);
    }
    couriers_leave(&telemetry->couriers, 0, note_problem, telemetry);
    if (telemetry->lost > 0 && !telemetry->problem[0]) {
        snprintf(telemetry->problem, sizeof telemetry->problem, "%" PRIu64 " spans had no room, "
                 "since the collector is slow", telemetry->lost);
    }
    free(telemetry->spans);
    free(telemetry->rounds);
    telemetry->spans = NULL;
    telemetry->rounds = NULL;
    telemetry->setup.url = NULL;
    return telemetry->problem[0] ? telemetry->problem : NULL;
}
