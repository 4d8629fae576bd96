/* SPDX-License-Identifier: Apache-2.0
 *
 * engine_print.c - the engine's whole state as text: to compare two of them, and for traces.
 *
 * What agents said is told by its size and a number made of its bytes.
 *
 * Attempts that were lost leave a trace in the engine: numbers of attempts, what is left of the
 * count of lost ones, when an attempt began, calls, entries of the diary. The text is whole with
 * these; engine_print_fate() leaves exactly these out. */
#include "engine_print.h"

#include <inttypes.h>

static const char *const engine_words[ENGINE_STATE_COUNT] = {
    [ENGINE_IDLE] = "idle",
    [ENGINE_RUNNING] = "running",
    [ENGINE_STOPPING] = "stopping",
    [ENGINE_ENDED] = "ended",
};

static const char *const job_words[] = {
    [JOB_RUNNING] = "running",
    [JOB_DONE] = "done",
    [JOB_DEAD] = "dead",
    [JOB_HALTED] = "halted",
};

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 0x100000001b3u;
}

static uint64_t mix_text(uint64_t hash, struct str text)
{
    for (size_t i = 0; i < text.size; i++) hash = mix_number(hash, (unsigned char)text.data[i]);
    return mix_number(hash, text.size);
}

/* The same for answers that said the same. */
static uint64_t result_number(const struct result *result)
{
    uint64_t hash = mix_text(mix_text(0xcbf29ce484222325u, result->doc), result->problem);

    hash = mix_number(mix_number(hash, result->permanent), result->retry_at_ms);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];

        hash = mix_number(mix_number(hash, finding->severity), finding->line);
        hash = mix_number(hash, finding->fingerprint);
        hash = mix_text(mix_text(hash, finding->source), finding->kind);
        hash = mix_text(mix_text(hash, finding->file), finding->text);
        hash = mix_text(mix_text(hash, finding->evidence), finding->suggestion);
    }
    for (uint32_t i = 0; i < result->group_count; i++) hash = mix_number(hash, result->groups[i]);
    return hash;
}

static void print_allowance(const struct job *job, bool whole, struct buf *out)
{
    if (whole) buf_printf(out, " attempt %" PRIu32, job->attempt);
    buf_printf(out, " left %" PRIu32 "/%" PRIu32, job->invalid_left, job->failed_left);
    if (whole) buf_printf(out, "/%" PRIu32, job->lost_left);
}

static void print_batch(const struct engine *engine, const char *name, const struct batch *batch,
                        bool whole, struct buf *out)
{
    if (batch->count == 0) return;
    buf_printf(out, "  %s phase %" PRIu32 " iteration %" PRIu32 " round %" PRIu32 "\n", name,
               batch->phase, batch->iteration, batch->round);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        const struct result *result = &job->result;

        buf_printf(out, "    job %" PRIu32 " %s for %s copy %" PRIu32 " %s", job->id,
                   engine->plan->roles[job->role].name, purpose_word(job->purpose), job->copy,
                   job_words[job->state]);
        print_allowance(job, whole, out);
        buf_printf(out, " %s %s%s%s findings %" PRIu32 " in %" PRIu32 "%s doc %zu number %016"
                   PRIx64 "\n", verdict_word(result->verdict), failure_word(result->failure),
                   result->complete ? " complete" : "",
                   result->stuck ? " stuck" : "", result->finding_count, result->fix_groups,
                   result->fix_alone ? "+" : "", result->doc.size, result_number(result));
    }
}

static void print_lane(const struct engine *engine, const struct lane *lane, bool whole,
                       struct buf *out)
{
    buf_printf(out, "lane %" PRIu32 " group %" PRIu32 " %s phase %" PRIu32 " runs %" PRIu32
               " granted %" PRIu32 " checked %" PRIu32 " begun %" PRIu32 " mints %" PRIx32
               "%s%s%s%s question %s\n",
               lane->id, lane->group, lane_state_word(lane->state), lane->phase, lane->runs,
               lane->granted, lane->checked, lane->begun, lane->mints, lane->noted ? " noted" : "",
               lane->drifted ? " drifted" : "", lane->conflict ? " conflict" : "",
               lane->parked ? " parked" : "", question_word(lane->question));
    if (lane->proof != PROOF_UNKNOWN) buf_printf(out, "  proof %d\n", (int)lane->proof);
    for (uint32_t i = 0; i < engine->plan->phase_count; i++) {
        const struct tally *tally = &lane->tallies[i];
        if (tally->rounds == 0 && tally->repairs == 0 && tally->granted == 0) continue;
        buf_printf(out, "  tally %" PRIu32 ": %" PRIu32 " rounds %" PRIu32 " repairs %" PRIu32
                   " granted\n", i, tally->rounds, tally->repairs, tally->granted);
        if (tally->looked == 0) continue;
        buf_printf(out, "    policy %" PRIu32 "/%" PRIu32 " looks %" PRIu32 " more %" PRIu32
                   " broken %" PRIu32 " grave weight %" PRIu32 " rising %" PRIu32 " unreviewed %"
                   PRIu32 " end %s\n", tally->looked_here, tally->looked, tally->looks_more,
                   tally->broken, tally->grave, tally->weight, tally->rising, tally->unreviewed,
                   reason_word(tally->end));
    }
    for (uint32_t i = 0; i < lane->repeat_count; i++) {
        buf_printf(out, "  repeat %" PRIu32 " %016" PRIx64 " %" PRIu32 "\n",
                   lane->repeats[i].phase, lane->repeats[i].fingerprint, lane->repeats[i].rounds);
    }
    print_batch(engine, "now", &lane->now, whole, out);
    print_batch(engine, "work", &lane->work, whole, out);
    print_batch(engine, "review", &lane->review, whole, out);
    print_batch(engine, "repair", &lane->repair, whole, out);
    print_batch(engine, "known", &lane->known, whole, out);
    for (uint32_t i = 0; i < lane->doc_count; i++) {
        const struct kept_doc *doc = &lane->docs[i];
        buf_printf(out, "  doc %" PRIu32 ".%" PRIu32 " %s %zu %.*s\n", doc->iteration, doc->phase,
                   purpose_word(doc->purpose), doc->bytes, (int)doc->bytes,
                   doc->text ? doc->text : "");
    }
}

/* Every fault, in the order they were first reported. */
static void print_ledger(const struct ledger *ledger, struct buf *out)
{
    const struct ledger_entry *const *entries;
    struct arena arena = { NULL };
    uint32_t count = ledger_list(ledger, &arena, &entries);

    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = entries[i];

        buf_printf(out, "fault %" PRIu32 ".%" PRIu32 " %016" PRIx64 ".%" PRIu32 " %s role %u at %"
                   PRIu32 " rounds %" PRIu32 ".%" PRIu32 " to %" PRIu32 ".%" PRIu32 " of %" PRIu32,
                   entry->lane, entry->phase, entry->fingerprint, entry->ordinal,
                   finding_state_word(entry->state), (unsigned)entry->role, entry->finding.line,
                   entry->iteration_first, entry->round_first, entry->iteration_last,
                   entry->round_last, entry->rounds_seen);
        buf_printf(out, " cause %" PRIu32 " tries %" PRIu32 " again %" PRIu32 " streak %" PRIu32
                   " doubt %d waiver %.*s votes", entry->cause_round, entry->tries,
                   entry->regressions, entry->streak, (int)entry->doubt, STR_ARG(entry->waiver));
        for (uint32_t k = 0; k < entry->vote_count; k++) {
            const struct vote *vote = &entry->votes[k];
            buf_printf(out, " %u:%.*s:%" PRIu32 ".%" PRIu32 "%s", (unsigned)vote->role,
                       STR_ARG(vote->by), vote->iteration, vote->round, vote->stands ? "" : "-");
        }
        buf_byte(out, '\n');
    }
    arena_release(&arena);
}

static void print_entry(const struct diary_entry *entry, bool whole, struct buf *out)
{
    static const char *const words[ENTRY_COUNT] = {
        [ENTRY_START] = "start",   [ENTRY_ANSWER] = "answer", [ENTRY_MISS] = "miss",
        [ENTRY_CHOICE] = "choice", [ENTRY_DRIFT] = "drift",
    };
    struct str text = { entry->text, entry->bytes }, kept = { entry->kept, entry->kept_bytes };

    if (!whole && entry->failure == FAILURE_LOST) return;
    buf_printf(out, "entry %s %" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32 " job %" PRIu32,
               words[entry->kind], entry->lane, entry->iteration, entry->phase, entry->round,
               entry->job);
    if (whole) buf_printf(out, ".%" PRIu32 " began %" PRIu64, entry->attempt, entry->started_ms);
    buf_printf(out, " at %" PRIu64, entry->ended_ms);
    buf_printf(out, " role %u by %s for %s %s %s %s %s text %016" PRIx64 "\n",
               (unsigned)entry->role, entry->by,
               purpose_word(entry->purpose), verdict_word(entry->verdict),
               failure_word(entry->failure), question_word(entry->question),
               choice_word(entry->choice), mix_text(mix_text(0xcbf29ce484222325u, text), kept));
}

/* Only of runs that have one: what others were counted at changes nothing for them. */
static void print_budget(const struct engine *engine, bool whole, struct buf *out)
{
    static const char *const words[BUDGET_PART_COUNT] = {
        [BUDGET_USD] = "micros", [BUDGET_TOKENS] = "tokens", [BUDGET_TIME] = "ms",
        [BUDGET_CALLS] = "calls",
    };
    struct amounts used = engine_used(engine);

    buf_printf(out, "budget%s%s%s:", engine->budget.stop ? " stop" : "",
               engine->spent ? " spent" : "", engine->cut ? " cut" : "");
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (!whole && i == BUDGET_CALLS) continue;
        buf_printf(out, " %" PRIu64 "+%" PRIu64 "/%" PRIu64 " %s", used.of[i],
                   engine->reserved.of[i], engine->budget.limit.of[i], words[i]);
    }
    buf_byte(out, '\n');
    for (uint32_t i = 0; i < engine->plan->role_count; i++) {
        const struct costs *costs = &engine->costs[i];
        if (costs->attempts == 0) continue;
        buf_printf(out, "  role %" PRIu32 ": %" PRIu64 " attempts %" PRIu64 " micros %" PRIu64
                   " tokens\n", i, costs->attempts, costs->cost_micros, costs->tokens);
    }
}

static void print_whole(const struct engine *engine, bool whole, struct buf *out)
{
    buf_printf(out, "%s %s iteration %" PRIu32 " group %" PRIu32 "/%" PRIu32 " next %" PRIu32
               " running %" PRIu32 " checkpoints %" PRIu32 "%s",
               engine_words[engine->state], reason_word(engine->reason), engine->iteration,
               engine->group, engine->group_count, engine->job_next, engine->running,
               engine->checkpoints, engine->checkpoint_due ? " due" : "");
    buf_printf(out, " started %" PRIu64 " now %" PRIu64 " since %" PRIu64 "\n",
               engine->started_ms, engine->now_ms, engine->iteration_ms);
    for (uint32_t i = 0; i < engine->group_count; i++) {
        buf_printf(out, "group of %" PRIu32 "\n", engine->groups[i]);
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        print_lane(engine, &engine->lanes[i], whole, out);
    }
    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];
        buf_printf(out, "round %" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32 " %s %" PRIu32
                   " at %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                   round->lane, round->phase, round->iteration, round->number,
                   verdict_word(round->verdict), round->finding_count, round->started_ms,
                   round->ended_ms, round->repaired_ms);
    }
    if (engine->usage.cost_micros || engine->usage.tokens_in || engine->usage.tokens_out) {
        buf_printf(out, "used %" PRIu64 " micros %" PRIu64 " in %" PRIu64 " out\n",
                   engine->usage.cost_micros, engine->usage.tokens_in, engine->usage.tokens_out);
    }
    if (budget_has_limit(&engine->budget)) print_budget(engine, whole, out);
    print_ledger(&engine->ledger, out);
    for (uint32_t i = 0; i < engine->entry_count; i++) print_entry(&engine->diary[i], whole, out);
}

void engine_print(const struct engine *engine, struct buf *out)
{
    print_whole(engine, true, out);
}

void engine_print_fate(const struct engine *engine, struct buf *out)
{
    print_whole(engine, false, out);
}
