/* SPDX-License-Identifier: Apache-2.0
 *
 *   [   10] critic 1.1 findings 2
 *             start 2.1 review-fixer: repair, R2, round 1
 *
 * A job's attempt is JOB.ATTEMPT. What is as usual is not said: lane 0, iteration 1 of one, copy
 * 1 of one, at once. */
#include "trace.h"

#include <inttypes.h>

static void trace_result(const struct result *result, struct buf *out)
{
    buf_printf(out, " %s", verdict_word(result->verdict));
    if (result->finding_count > 0) buf_printf(out, " %" PRIu32, result->finding_count);
    if (result->failure != FAILURE_NONE) buf_printf(out, " (%s)", failure_word(result->failure));
    if (result->permanent) buf_text(out, " for good");
    if (result->complete) buf_text(out, " complete");
    if (result->stuck) buf_text(out, " stuck");
    if (result->fix_groups > 0) buf_printf(out, " in %" PRIu32 " groups", result->fix_groups);
    if (result->fix_alone) buf_text(out, ", the last alone");
    if (result->retry_at_ms > 0) buf_printf(out, " until %" PRIu64, result->retry_at_ms);
}

static void trace_groups(const struct result *result, struct buf *out)
{
    if (result->group_count > 0) buf_text(out, " tasks");
    for (uint32_t i = 0; i < result->group_count; i++) {
        buf_printf(out, " %" PRIu32, result->groups[i]);
    }
}

void trace_event(const struct engine *engine, const struct event *event, struct buf *out)
{
    const struct job *job = engine_job(engine, event->job, NULL);

    buf_printf(out, "[%5" PRIu64 "] ", event->now_ms);
    switch (event->kind) {
    case EV_START:
        buf_text(out, "start");
        if (event->result.finding_count > 0) {
            buf_printf(out, " given %" PRIu32, event->result.finding_count);
        }
        trace_groups(&event->result, out);
        break;
    case EV_ENDED:
        buf_printf(out, "%s %" PRIu32 ".%" PRIu32,
                   job ? engine->plan->roles[job->role].name : "nobody", event->job,
                   event->attempt);
        trace_result(&event->result, out);
        trace_groups(&event->result, out);
        break;
    case EV_STOP:
        buf_text(out, "stop");
        break;
    case EV_RESUME:
        buf_text(out, "resume");
        if (event->has_budget) buf_text(out, " with another budget");
        break;
    case EV_ANSWER:
        buf_printf(out, "answer %s", choice_word(event->choice));
        break;
    case EV_DRIFT:
        buf_text(out, "drift");
        break;
    case EV_SPENT:
        buf_text(out, "time is over");
        break;
    case EV_WORD:
        buf_text(out, "a word");
        break;
    case EV_COUNT:
        buf_text(out, "nonsense");
    }
    if (event->lane > 0) buf_printf(out, ", lane %" PRIu32, event->lane);
    if (event->late) buf_text(out, ", late");
    buf_byte(out, '\n');
}

static void trace_start(const struct plan *plan, const struct action *action, struct buf *out)
{
    const struct phase *phase = &plan->phases[action->phase];
    bool renamed = phase->repair_name &&
                   (action->purpose == FOR_REPAIR || action->purpose == FOR_THEN);

    buf_printf(out, "start %" PRIu32 ".%" PRIu32 " %s: %s, %s, round %" PRIu32, action->job,
               action->attempt, plan->roles[action->role].name, purpose_word(action->purpose),
               renamed ? phase->repair_name : phase->name, action->round);
    if (plan->iteration_max > 1) buf_printf(out, ", iteration %" PRIu32, action->iteration);
    if (action->copy != 1) buf_printf(out, ", copy %" PRIu32, action->copy);
    if (action->lane > 0) buf_printf(out, ", lane %" PRIu32, action->lane);
    if (action->not_before_ms > 0) buf_printf(out, ", at %" PRIu64, action->not_before_ms);
}

void trace_actions(const struct plan *plan, const struct actions *actions, struct buf *out)
{
    if (actions->count == 0) buf_text(out, "          ignored\n");
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->item[i];

        if (i == 0 && action->kind == ACT_RECORD) continue;
        buf_text(out, "          ");
        switch (action->kind) {
        case ACT_RECORD:
            buf_text(out, "record");
            break;
        case ACT_START:
            trace_start(plan, action, out);
            break;
        case ACT_STOP:
            buf_printf(out, "stop %" PRIu32 ".%" PRIu32, action->job, action->attempt);
            break;
        case ACT_ASK:
            buf_printf(out, "ask %s", question_word(action->question));
            if (action->lane > 0) buf_printf(out, ", lane %" PRIu32, action->lane);
            break;
        case ACT_FINISH:
            buf_printf(out, "finish %s", reason_word(action->reason));
            break;
        }
        buf_byte(out, '\n');
    }
}
