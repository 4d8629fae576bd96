/* SPDX-License-Identifier: Apache-2.0 */
#include "run/history.h"

#include "base/mem.h"
#include "run/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void history_release(struct history *history)
{
    if (history->chronicle) chronicle_release(history->chronicle);
    free(history->chronicle);
    free(history->entries);
    arena_release(&history->arena);
    *history = (struct history){ 0 };
}

void history_keep(struct history *history)
{
    if (!history->chronicle) history->chronicle = mem_alloc(sizeof *history->chronicle);
}

/* The newest come last, and are asked for most. */
static struct entry *find(const struct history *history, uint32_t job, uint32_t attempt)
{
    for (uint32_t i = history->count; i-- > 0;) {
        struct entry *entry = &history->entries[i];
        if (entry->start.job != job) continue;
        if (attempt == 0 || entry->start.attempt == attempt) return entry;
    }
    return NULL;
}

const struct entry *history_find(const struct history *history, uint32_t job, uint32_t attempt)
{
    return find(history, job, attempt);
}

static void note_start(struct history *history, uint64_t now_ms, const struct action *action)
{
    bool known = action->job <= history->job_last;
    struct entry *entry = known ? find(history, action->job, action->attempt) : NULL;

    if (!known) history->job_last = action->job;
    if (!entry) {
        history->entries = mem_grow(history->entries, history->count, &history->cap,
                                    sizeof *history->entries);
        entry = &history->entries[history->count++];
    }
    *entry = (struct entry){
        .start = *action,
        .asked_ms = now_ms,
        .started_ms = action->not_before_ms > now_ms ? action->not_before_ms : now_ms,
        .by = "", .problem = "",
    };
}

static void note_end(struct history *history, const struct event *event)
{
    struct entry *entry = find(history, event->job, event->attempt);

    if (!entry || entry->ended_ms != 0) return;
    entry->ended_ms = event->now_ms;
    entry->verdict = event->result.verdict;
    entry->failure = event->result.failure;
    entry->finding_count = event->result.finding_count;
    entry->unchanged = event->result.unchanged;
    entry->doubt_count = event->result.doubt_count;
    entry->proof = event->result.proof;
    entry->usage = event->result.usage;
    entry->by = arena_cstr(&history->arena, event->result.by);
    entry->problem = arena_cstr(&history->arena, event->result.problem);
}

void history_note(struct history *history, const struct event *event,
                  const struct actions *actions)
{
    if (event->kind == EV_ENDED) note_end(history, event);
    for (uint32_t i = 0; i < actions->count; i++) {
        if (actions->item[i].kind != ACT_START) continue;
        note_start(history, event->now_ms, &actions->item[i]);
    }
}

bool history_visit(void *context, const struct run *replay, uint64_t sequence,
                   const struct event *event, const struct actions *actions)
{
    struct history *history = context;

    (void)sequence;
    history_note(history, event, actions);
    if (history->chronicle) chronicle_note(history->chronicle, &replay->engine, event);
    return true;
}

const char *entry_phase(const struct entry *entry, const struct plan *plan)
{
    const struct phase *phase = &plan->phases[entry->start.phase];
    bool repair = entry->start.purpose == FOR_REPAIR;

    return repair && phase->repair_name ? phase->repair_name : phase->name;
}

const char *entry_name(const struct entry *entry, char out[ENTRY_NAME_BYTES])
{
    snprintf(out, ENTRY_NAME_BYTES, "%" PRIu32 "-%" PRIu32, entry->start.job,
             entry->start.attempt);
    return out;
}

void entry_result(const struct entry *entry, struct buf *out)
{
    bool judges = entry->start.purpose == FOR_REVIEW || entry->start.purpose == FOR_CHECKPOINT;

    if (entry->ended_ms == 0) {
        buf_text(out, "not ended");
        return;
    }
    /* Work that is done says nothing about how good it is. */
    if (entry->verdict == VERDICT_CLEAN && !judges) {
        buf_text(out, entry->unchanged ? "no change" : "done");
    } else {
        buf_text(out, verdict_word(entry->verdict));
    }
    if (entry->verdict == VERDICT_FINDINGS) buf_printf(out, " (%" PRIu32 ")", entry->finding_count);
    if (entry->verdict == VERDICT_FAILED) buf_printf(out, " (%s)", failure_word(entry->failure));
}

void entry_json(const struct entry *entry, const struct plan *plan, yyjson_mut_doc *doc,
                yyjson_mut_val *object)
{
    const struct action *start = &entry->start;
    bool ended = entry->ended_ms != 0;

    yyjson_mut_obj_add_uint(doc, object, "job", start->job);
    yyjson_mut_obj_add_uint(doc, object, "attempt", start->attempt);
    json_add(doc, object, "role", plan->roles[start->role].name);
    json_add(doc, object, "for", purpose_word(start->purpose));
    yyjson_mut_obj_add_uint(doc, object, "lane", start->lane);
    json_add(doc, object, "phase", entry_phase(entry, plan));
    yyjson_mut_obj_add_uint(doc, object, "iteration", start->iteration);
    yyjson_mut_obj_add_uint(doc, object, "round", start->round);
    yyjson_mut_obj_add_uint(doc, object, "copy", start->copy);
    if (plan->eyes > 0 && start->purpose == FOR_REVIEW) {
        yyjson_mut_obj_add_uint(doc, object, "eye", start->eye);
        yyjson_mut_obj_add_bool(doc, object, "recheck", start->recheck);
    }
    if (entry->by[0]) json_add(doc, object, "by", entry->by);
    json_add_time(doc, object, "started", entry->started_ms);
    if (!ended) return;
    json_add_time(doc, object, "ended", entry->ended_ms);
    json_add(doc, object, "verdict", verdict_word(entry->verdict));
    if (entry->verdict == VERDICT_FAILED) {
        json_add(doc, object, "failure", failure_word(entry->failure));
    }
    yyjson_mut_obj_add_uint(doc, object, "findings", entry->finding_count);
    if (entry->unchanged) yyjson_mut_obj_add_bool(doc, object, "unchanged", true);
    if (entry->doubt_count) yyjson_mut_obj_add_uint(doc, object, "unresolved", entry->doubt_count);
    if (entry->problem[0]) json_add(doc, object, "problem", entry->problem);
}
