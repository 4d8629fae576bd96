/* SPDX-License-Identifier: Apache-2.0
 *
 * log.c - hone log: one line per event of a run, with what followed from it.
 *
 *     2026-11-15T08:40:02Z    3  ended 2-1 pedant: findings (2) -> start review-fixer 6-1
 *
 * That the contract files are written is true of every step and is not repeated in each line.
 * With --json each line is {"run", "sequence", "event", "actions"}; the event is what the journal
 * holds. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "base/clock.h"
#include "cmd/verbs.h"
#include "report/remarks.h"
#include "format/json/event_json.h"
#include "format/text/budget_text.h"
#include "format/text/safe.h"
#include "run/history.h"
#include "run/look.h"

#include <inttypes.h>

enum { PROBLEM_SHOWN_MAX = 160 };

struct log {
    struct history history;
    struct buf line;
    bool json;
};

/* ---- text ---- */

static void add_ended(struct log *log, const struct run *replay, const struct event *event)
{
    const struct entry *entry = history_find(&log->history, event->job, event->attempt);

    buf_printf(&log->line, " %" PRIu32 "-%" PRIu32, event->job, event->attempt);
    if (!entry) return;
    buf_printf(&log->line, " %s: ", replay->plan.roles[entry->start.role].name);
    entry_result(entry, &log->line);
    if (!entry->problem[0]) return;
    buf_text(&log->line, ", ");
    add_safe(&log->line, entry->problem, PROBLEM_SHOWN_MAX);
}

static void add_budget(struct log *log, const struct event *event)
{
    if (!event->has_budget) return;
    buf_text(&log->line, ", budget ");
    if (budget_has_limit(&event->budget)) budget_write(&event->budget, &log->line);
    else buf_text(&log->line, "none");
}

static void add_event(struct log *log, const struct run *replay, const struct event *event)
{
    buf_text(&log->line, event_word(event->kind));
    switch (event->kind) {
    case EV_ENDED:
        add_ended(log, replay, event);
        break;
    case EV_ANSWER:
        buf_printf(&log->line, " %s", choice_word(event->choice));
        break;
    case EV_START:
    case EV_RESUME:
        if (event->result.finding_count > 0) {
            buf_printf(&log->line, " with %" PRIu32 " finding%s to repair",
                       event->result.finding_count, event->result.finding_count == 1 ? "" : "s");
        }
        add_budget(log, event);
        break;
    case EV_WORD:
        if (event->result.doc.size > 0) buf_text(&log->line, ": ");
        safe_text(&log->line, event->result.doc, true, PROBLEM_SHOWN_MAX);
        break;
    case EV_STOP:
    case EV_DRIFT:
    case EV_SPENT:
    case EV_COUNT:
        break;
    }
    if (event->lane > 0) buf_printf(&log->line, " (lane %" PRIu32 ")", event->lane);
}

/* again: the action before was of the same kind, and its word need not be repeated. */
static void add_action(struct buf *out, const struct run *replay, const struct action *action,
                       bool again)
{
    const char *escalation;

    switch (action->kind) {
    case ACT_RECORD:
        break;
    case ACT_START:
        buf_printf(out, "%s%s %" PRIu32 "-%" PRIu32, again ? "" : "start ",
                   replay->plan.roles[action->role].name, action->job, action->attempt);
        break;
    case ACT_STOP:
        buf_printf(out, "%s%" PRIu32 "-%" PRIu32, again ? "" : "stop ", action->job,
                   action->attempt);
        break;
    case ACT_ASK:
        buf_printf(out, "ask: %s", question_word(action->question));
        escalation = question_escalation(replay, action->lane, action->question);
        if (escalation) buf_printf(out, " (%s)", escalation);
        break;
    case ACT_FINISH:
        buf_printf(out, "end: %s", reason_word(action->reason));
        break;
    }
}

static void add_text(struct log *log, const struct run *replay, uint64_t sequence,
                     const struct event *event, const struct actions *actions)
{
    char iso[CLOCK_ISO_BYTES];
    const struct action *before = NULL;

    buf_printf(&log->line, "%s %4" PRIu64 "  ", clock_iso(event->now_ms, iso), sequence);
    add_event(log, replay, event);
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->item[i];
        if (action->kind == ACT_RECORD) continue;
        buf_text(&log->line, before ? ", " : " -> ");
        add_action(&log->line, replay, action, before && before->kind == action->kind);
        before = action;
    }
    if (actions->count == 0) buf_text(&log->line, " (changed nothing)");
}

/* ---- JSON ---- */

static const char *action_word(enum action_kind kind)
{
    switch (kind) {
    case ACT_RECORD: return "record";
    case ACT_START: return "start";
    case ACT_STOP: return "stop";
    case ACT_ASK: return "ask";
    case ACT_FINISH: return "finish";
    }
    return "";
}

static void action_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct log *log,
                        const struct run *replay, const struct action *action)
{
    const char *escalation;

    json_add(doc, object, "action", action_word(action->kind));
    switch (action->kind) {
    case ACT_RECORD:
        break;
    case ACT_START: {
        const struct entry *entry = history_find(&log->history, action->job, action->attempt);
        if (entry) entry_json(entry, &replay->plan, doc, object);
        break;
    }
    case ACT_STOP:
        yyjson_mut_obj_add_uint(doc, object, "job", action->job);
        yyjson_mut_obj_add_uint(doc, object, "attempt", action->attempt);
        break;
    case ACT_ASK:
        json_add(doc, object, "question", question_word(action->question));
        escalation = question_escalation(replay, action->lane, action->question);
        if (escalation) json_add(doc, object, "escalation", escalation);
        yyjson_mut_obj_add_uint(doc, object, "lane", action->lane);
        break;
    case ACT_FINISH:
        json_add(doc, object, "reason", reason_word(action->reason));
        break;
    }
}

static void add_json(struct log *log, const struct run *replay, uint64_t sequence,
                     const struct event *event, const struct actions *actions)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    yyjson_mut_doc_set_root(doc, list);
    for (uint32_t i = 0; i < actions->count; i++) {
        action_json(doc, yyjson_mut_arr_add_obj(doc, list), log, replay, &actions->item[i]);
    }
    buf_printf(&log->line, "{\"run\":\"%s\",\"sequence\":%" PRIu64 ",\"event\":", replay->row.id,
               sequence);
    event_write(event, &log->line);
    buf_text(&log->line, ",\"actions\":");
    json_write(doc, false, &log->line);
    buf_byte(&log->line, '}');
    yyjson_mut_doc_free(doc);
}

static bool visit(void *context, const struct run *replay, uint64_t sequence,
                  const struct event *event, const struct actions *actions)
{
    struct log *log = context;

    history_note(&log->history, event, actions);
    buf_clear(&log->line);
    if (log->json) add_json(log, replay, sequence, event, actions);
    else add_text(log, replay, sequence, event, actions);
    buf_byte(&log->line, '\n');
    say_out(&log->line);
    return say_problem() == 0;
}

static int handle(struct call *call)
{
    struct run replay = { 0 };
    struct log log = { .json = call->json };
    struct look look;
    struct err err;
    int rc, code = CODE_DONE;

    buf_init(&log.line, SAY_BYTES_MAX);
    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = run_load(&replay, &look.run, &err);
    if (rc == 0) rc = run_replay(&replay, look.journal, visit, &log, &err);
    if (rc != 0) code = say_err(&err);
    buf_release(&log.line);
    history_release(&log.history);
    run_release(&replay);
    look_close(&look);
    return code;
}

const struct verb verb_log = {
    .name = "log",
    .summary = "show the events of a run, one line each",
    .text = {
        "Shows everything that happened in a run, in order: the time (UTC), the event's number, "
        "the event, and behind the arrow what followed from it. Attempts are shown as "
        "JOB-ATTEMPT; 'hone show RUN JOB-ATTEMPT' shows one.",
    },
    .arguments = { ARGUMENT_RUN },
    .codes = {
        { CODE_DONE, "it was shown" },
        { CODE_USAGE, "there is no such run" },
    },
    .examples = { "hone log", "hone log 7k2m --json" },
    .handle = handle,
};
