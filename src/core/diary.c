/* SPDX-License-Identifier: Apache-2.0
 *
 * diary.c - everything that happened, for dialects whose files tell the whole story.
 *
 * A plan that keeps a diary gets an entry for the start, for each attempt that ended, for each
 * choice of the user and each drift, in the order of the events. Nothing in it is ever changed or
 * removed, and the engine itself never reads it: no decision depends on it.
 *
 * What grows: an entry with each such event, and the text of its document or problem; of an answer
 * that was not taken both. How large a document may be is up to the dialect. */
#include "core/step.h"

#include "base/mem.h"

#include <stdlib.h>

static struct diary_entry *entry_add(struct step *step, const struct lane *lane,
                                     enum entry_kind kind, struct str text)
{
    struct engine *engine = step->engine;
    struct diary_entry *entry;

    engine->diary = mem_grow(engine->diary, engine->entry_count, &engine->entry_cap,
                             sizeof *engine->diary);
    entry = &engine->diary[engine->entry_count++];
    *entry = (struct diary_entry){
        .kind = kind,
        .lane = lane->id,
        .iteration = engine->iteration,
        .phase = lane->phase,
        .round = lane->tallies[lane->phase].rounds,
        .started_ms = engine->now_ms,
        .ended_ms = engine->now_ms,
        .text = text.size ? mem_copy(text.data, text.size) : NULL,
        .bytes = text.size,
    };
    return entry;
}

void diary_start(struct step *step, const struct event *event)
{
    if (!step->engine->plan->keeps_diary) return;
    entry_add(step, &step->engine->lanes[0], ENTRY_START, event->result.doc);
}

void diary_ended(struct step *step, const struct lane *lane, const struct job *job)
{
    const struct result *result = &job->result;
    bool good = result->verdict == VERDICT_CLEAN || result->verdict == VERDICT_FINDINGS;
    struct diary_entry *entry;

    if (!step->engine->plan->keeps_diary || job->purpose == FOR_PROOF) return;
    entry = entry_add(step, lane, good ? ENTRY_ANSWER : ENTRY_MISS,
                      good ? result->doc : result->problem);
    if (!good && result->doc.size) {
        entry->kept = mem_copy(result->doc.data, result->doc.size);
        entry->kept_bytes = result->doc.size;
    }
    entry->iteration = lane->now.iteration;
    entry->phase = lane->now.phase;
    entry->round = lane->now.round;
    entry->started_ms = job->started_ms;
    entry->job = job->id;
    entry->attempt = job->attempt;
    entry->role = job->role;
    entry->purpose = job->purpose;
    entry->verdict = result->verdict;
    entry->failure = result->failure;
    entry->miss = result_miss(result);
    for (size_t i = 0; i < result->by.size && i + 1 < sizeof entry->by; i++) {
        entry->by[i] = result->by.data[i];
    }
}

void diary_choice(struct step *step, const struct lane *lane, enum question question,
                  enum choice choice)
{
    struct diary_entry *entry;

    if (!step->engine->plan->keeps_diary) return;
    entry = entry_add(step, lane, ENTRY_CHOICE, (struct str){ "", 0 });
    entry->question = question;
    entry->choice = choice;
}

void diary_drift(struct step *step, const struct lane *lane)
{
    if (!step->engine->plan->keeps_diary) return;
    entry_add(step, lane, ENTRY_DRIFT, (struct str){ "", 0 });
}

void diary_release(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->entry_count; i++) {
        free(engine->diary[i].text);
        free(engine->diary[i].kept);
    }
    free(engine->diary);
}
