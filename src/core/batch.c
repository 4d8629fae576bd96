/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.c - jobs: asked for together, answered one by one, asked again within their allowance.
 *
 *              EV_ENDED clean, findings
 *   RUNNING ---------------------------------> DONE
 *    ^  |  |
 *    |  |  '-- allowance used up ------------> DEAD ----.
 *    |  '----- ended while the run stops ----> HALTED --|
 *    '--- asked again: invalid or failed, ---'          |
 *         within the allowance; resume <----------------'
 *
 * An attempt that was lost (FAILURE_LOST) says nothing of its agent: it is asked for again at once,
 * LOST_MAX times in a row, and uses up no other allowance. What was wrong with the answer before it
 * is told to the next attempt all the same.
 *
 * A job that does not fit into the remaining budget is HALTED, too: a new job, one that is
 * asked again, an answer that must be given anew.
 *
 * 1. Ids count up over the run, and in a batch.
 * 2. Only the newest attempt of a running job can end it: an older result ends nothing.
 * 3. engine->running counts the jobs in RUNNING.
 * 4. engine->job_lanes[id - 1] is the lane of each id that was ever given: a job is found at
 *    once, however many lanes there are.
 *
 * Not here: what the answers of a whole batch lead to (lane.c). */
#include "core/step.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { LOST_MAX = 4 }; /* so the fifth that is lost in a row is the last */

void emit(struct step *step, struct action action)
{
    struct actions *out = step->out;

    out->item = mem_grow(out->item, out->count, &out->cap, sizeof *out->item);
    out->item[out->count++] = action;
}

void batch_release(struct batch *batch)
{
    free(batch->jobs);
    arena_release(&batch->arena);
    *batch = (struct batch){ 0 };
}

void batch_begin(struct step *step, struct lane *lane, uint32_t round)
{
    struct batch *now = &lane->now;

    assert(!batch_has(now, JOB_RUNNING));
    arena_release(&now->arena);
    now->count = 0;
    now->phase = lane->phase;
    now->iteration = step->engine->iteration;
    now->round = round;
    now->eye = 0;
    now->held = now->recheck = false;
    now->floor = SEVERITY_LOW;
}

struct action job_action(const struct lane *lane, const struct job *job)
{
    return (struct action){
        .kind = ACT_START, .job = job->id, .attempt = job->attempt, .lane = lane->id,
        .role = job->role, .purpose = job->purpose, .phase = lane->now.phase,
        .iteration = lane->now.iteration, .round = lane->now.round, .copy = job->copy,
        .eye = lane->now.eye, .recheck = lane->now.recheck,
    };
}

static void job_start(struct step *step, struct lane *lane, struct job *job, uint64_t not_before)
{
    struct action action;

    assert(job->state != JOB_RUNNING || job->attempt == 0);
    lane_touch(step, lane);
    job->state = spend_allows(step, job) ? JOB_RUNNING : JOB_HALTED;
    if (job->state == JOB_HALTED) return;
    spend_start(step, job);
    job->attempt++;
    job->started_ms = not_before > step->engine->now_ms ? not_before : step->engine->now_ms;
    step->engine->running++;
    action = job_action(lane, job);
    action.not_before_ms = not_before;
    emit(step, action);
}

static void job_allow(struct step *step, struct job *job)
{
    const struct role *role = &step->engine->plan->roles[job->role];

    job->invalid_left = role->invalid_max;
    job->failed_left = role->failed_max;
    job->lost_left = LOST_MAX;
}

/* The next job's id, which belongs to the lane from now on. */
static uint32_t job_number(struct engine *engine, const struct lane *lane)
{
    engine->job_lanes = mem_grow(engine->job_lanes, engine->job_next - 1, &engine->job_cap,
                                 sizeof *engine->job_lanes);
    engine->job_lanes[engine->job_next - 1] = lane->id;
    return engine->job_next++;
}

void batch_add(struct step *step, struct lane *lane, uint16_t role, enum purpose purpose,
               uint32_t copy)
{
    struct batch *now = &lane->now;
    struct job *job;

    assert(role != ROLE_NONE && role < step->engine->plan->role_count);
    now->jobs = mem_grow(now->jobs, now->count, &now->cap, sizeof *now->jobs);
    job = &now->jobs[now->count++];
    *job = (struct job){ .id = job_number(step->engine, lane), .role = role, .purpose = purpose,
                         .copy = copy };
    job_allow(step, job);
    job_start(step, lane, job, 0);
}

/* Copies what an answer said; the event's own texts end with the step. How lines moved is kept by
 * the ledger. */
static void result_keep(struct result *to, const struct result *from, struct arena *arena)
{
    struct result said = *from;

    said.moved = (struct line_map){ .files = NULL };
    *to = result_copy(&said, arena);
}

static bool is_review(const struct batch *batch)
{
    return batch->count > 0 && (batch->jobs[0].purpose == FOR_REVIEW ||
                                batch->jobs[0].purpose == FOR_CHECKPOINT);
}

/* The round as far as it is known now. */
static void review_tell_ledger(struct step *step, const struct lane *lane)
{
    const struct batch *now = &lane->now;
    struct ledger_rule rule = { .policy = false };

    if (!is_review(now)) return;
    if (now->jobs[0].purpose == FOR_REVIEW) rule = policy_rule(step->engine, now);
    ledger_review(&step->engine->ledger, lane->id, now, rule);
}

void batch_give(struct step *step, struct lane *lane, uint16_t role, const struct result *result)
{
    struct batch *now = &lane->now;
    struct job *job;

    now->jobs = mem_grow(now->jobs, now->count, &now->cap, sizeof *now->jobs);
    job = &now->jobs[now->count++];
    *job = (struct job){ .id = job_number(step->engine, lane), .role = role, .purpose = FOR_REVIEW,
                         .copy = 1, .state = JOB_DONE, .started_ms = step->engine->now_ms,
                         .ended_ms = step->engine->now_ms };
    result_keep(&job->result, result, &now->arena);
    job->result.verdict = VERDICT_FINDINGS;
    review_tell_ledger(step, lane);
}

bool batch_is_given(const struct batch *review)
{
    return review->count > 0 && review->jobs[0].attempt == 0;
}

void batch_keep(struct lane *lane, struct batch *slot)
{
    struct batch old = *slot;

    *slot = lane->now;
    old.count = 0;
    arena_release(&old.arena);
    lane->now = old;
}

bool batch_has(const struct batch *batch, enum job_state state)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        if (batch->jobs[i].state == state) return true;
    }
    return false;
}

enum verdict batch_verdict(const struct batch *batch)
{
    enum verdict worst = VERDICT_NOT_PLAYED;

    assert(batch->count > 0);
    for (uint32_t i = 0; i < batch->count; i++) {
        enum verdict verdict = batch->jobs[i].result.verdict;
        if (verdict == VERDICT_NOT_PLAYED) continue;
        if (worst == VERDICT_NOT_PLAYED || verdict > worst) worst = verdict;
    }
    return worst;
}

void job_lose(struct engine *engine, struct job *job)
{
    assert(job->state == JOB_RUNNING);
    job->state = JOB_HALTED;
    engine->running--;
    spend_free(engine, job);
}

void batch_restart(struct step *step, struct lane *lane, bool all)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        struct job *job = &lane->now.jobs[i];

        if (job->state == JOB_DONE && !all) continue;
        if (job->state == JOB_RUNNING) job_lose(step->engine, job);
        job_allow(step, job);
        job_start(step, lane, job, 0);
    }
    if (all) review_tell_ledger(step, lane);
}

void batch_redo(struct step *step, struct lane *lane)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        struct job *job = &lane->now.jobs[i];

        if (job->state != JOB_DONE) continue;
        job_allow(step, job);
        job_start(step, lane, job, 0);
    }
    review_tell_ledger(step, lane);
}

void batch_copy(struct batch *slot, const struct job *job)
{
    struct job *copy;

    slot->jobs = mem_grow(slot->jobs, slot->count, &slot->cap, sizeof *slot->jobs);
    copy = &slot->jobs[slot->count++];
    *copy = *job;
    result_keep(&copy->result, &job->result, &slot->arena);
}

void batch_append(struct lane *lane, struct batch *slot)
{
    for (uint32_t i = 0; i < lane->now.count; i++) batch_copy(slot, &lane->now.jobs[i]);
    lane->now.count = 0;
}

static struct job *job_find(struct lane *lane, const struct event *event)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        if (lane->now.jobs[i].id == event->job) return &lane->now.jobs[i];
    }
    return NULL;
}

/* Invalid or failed, and the run goes on: once more, or never again. */
static void job_retry(struct step *step, struct lane *lane, struct job *job)
{
    const struct result *result = &job->result;
    uint64_t not_before = step->engine->now_ms + step->engine->plan->retry_pause_ms;

    if (result->permanent) return;
    if (result->failure == FAILURE_LOST) {
        if (job->lost_left == 0) return;
        job->lost_left--;
        job_start(step, lane, job, 0);
        return;
    }
    job->lost_left = LOST_MAX;
    if (result->verdict == VERDICT_INVALID) {
        if (job->invalid_left == 0) return;
        job->invalid_left--;
        job_start(step, lane, job, 0);
    } else if (result->retry_at_ms != 0) {
        job_start(step, lane, job, result->retry_at_ms); /* it was told to wait: not a failure */
    } else if (job->failed_left > 0) {
        job->failed_left--;
        job_start(step, lane, job, not_before);
    }
}

/* The job forgets an attempt that was lost, and still knows of an answer that was invalid. */
static void job_remember(struct job *job, const struct result *before)
{
    bool lost = job->result.failure == FAILURE_LOST && job->state != JOB_DEAD;

    if (lost && before->verdict == VERDICT_INVALID) job->result = *before;
}

static void job_tell_ledger(struct step *step, const struct lane *lane, const struct job *job,
                            const struct result *result)
{
    if (job->purpose == FOR_REPAIR && lane->conflict) return; /* it repairs no finding */
    if (job->purpose == FOR_REPAIR) {
        ledger_repair(&step->engine->ledger, lane->id, &lane->now, result);
    } else {
        review_tell_ledger(step, lane);
    }
}

bool job_end(struct step *step, struct lane *lane, const struct event *event)
{
    struct job *job = job_find(lane, event);
    struct result before;
    bool good, told;

    if (!job || job->state != JOB_RUNNING || job->attempt != event->attempt) return false;
    before = job->result;
    good = verdict_is_done(event->result.verdict);
    step->engine->running--;
    result_keep(&job->result, &event->result, &lane->now.arena);
    told = job->told;
    spend_end(step, job);
    job->ended_ms = step->engine->now_ms;
    diary_ended(step, lane, job);
    lane_touch(step, lane);
    if (good && job->purpose == FOR_REPAIR && lane->round_last > 0) {
        step->engine->rounds[lane->round_last - 1].untouched = event->result.unchanged;
    }
    if (good && event->result.proof == PROOF_MISSING) step->engine->unproven++;
    if (good) {
        job->state = JOB_DONE;
        job_tell_ledger(step, lane, job, &event->result);
    } else if (step->engine->state == ENGINE_STOPPING || lane_is_void(step, lane)) {
        job->state = JOB_HALTED;
    } else if (spend_cuts(step, job, told)) {
        job->state = JOB_HALTED;
    } else {
        job->state = JOB_DEAD;
        job_retry(step, lane, job);
    }
    if (!good) job_remember(job, &before);
    return true;
}

void job_stop_all(struct step *step, bool begun)
{
    const struct engine *engine = step->engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;
        for (uint32_t k = 0; k < now->count; k++) {
            struct job *job = &now->jobs[k];
            if (job->state != JOB_RUNNING || job->told) continue;
            if (!begun && job->started_ms <= engine->now_ms) continue;
            job->told = true;
            emit(step, (struct action){ .kind = ACT_STOP, .job = job->id,
                                        .attempt = job->attempt, .lane = i });
        }
    }
}
