/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.c - the door of the core: one event in, an ordered list of actions out.
 *
 *            EV_START             nothing runs any more
 *     IDLE ------------> RUNNING -----------------------> ENDED (reason)
 *                         |   ^                             ^   |
 *                 EV_STOP |   '-- EV_RESUME, EV_ANSWER -----|---'
 *                         v                                 |
 *                      STOPPING ----------------------------'
 *                                 (interrupted)
 *
 * Every action list begins with ACT_RECORD: the contract files show a step before its agents
 * start and before its end is announced.
 *
 * Invariants. After every step those are checked that it can have touched, of the lanes it changed
 * (engine_check_moved()); when the run ends or resumes, and by tests, all of them (engine_check()):
 *   1. While RUNNING or STOPPING at least one job runs; while IDLE or ENDED none does.
 *   2. running counts the jobs in JOB_RUNNING, each in exactly one lane's batch.
 *   3. A reason is set exactly while ENDED. Clean: the main lane is over, nothing is noted, no
 *      gate is partial, no lane has a dead job, and every task's lane is merged. Converged and
 *      settled: likewise. What passed by a policy has nothing open that is to be repaired.
 *   4. 1 <= iteration <= iteration_max once started.
 *   5. In each lane and phase: repairs <= repair_max + granted; repairs <= rounds, but for those
 *      that no review was of.
 *   6. At most lane_max task lanes are active; at most one integrates.
 *   7. A question is open exactly while its lane is ASKING.
 *   8. Job ids are below job_next, and those of a batch follow one another.
 *   9. census counts the lanes of the group at work as they are: census.c.
 *  10. A checkpoint looked at no more iterations of a lane than the lane has.
 *  11. reserved is what the running jobs have reserved. With calls limited, a limit that was never
 *      lowered is never passed. Budget is the reason only where a job was halted.
 *
 * What a step costs follows from what it changes, not from how many lanes there are; stops, resumes
 * and ends look at them all.
 *
 * Not here: time, processes, files (drivers); what answers mean (dialects). */
#include "core/step.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BIT(state) (1U << (state))

static const uint32_t engine_next[ENGINE_STATE_COUNT] = {
    [ENGINE_IDLE] = BIT(ENGINE_RUNNING),
    [ENGINE_RUNNING] = BIT(ENGINE_STOPPING) | BIT(ENGINE_ENDED),
    [ENGINE_STOPPING] = BIT(ENGINE_RUNNING) | BIT(ENGINE_ENDED),
    [ENGINE_ENDED] = BIT(ENGINE_RUNNING),
};

/* The only place that changes engine->state. */
static void engine_move(struct engine *engine, enum engine_state next)
{
    assert(engine->state == next || (engine_next[engine->state] & BIT(next)));
    engine->state = next;
}

void engine_init(struct engine *engine, const struct plan *plan)
{
    assert(!plan_problem(plan));
    *engine = (struct engine){ .plan = plan, .job_next = 1, .moved_first = NO_LANE };
    engine->lanes = mem_alloc(sizeof *engine->lanes);
    engine->lane_cap = engine->lane_count = engine->group_lane = 1;
    lane_init(&engine->lanes[0], 0, 0, plan->phase_count);
    engine->costs = mem_alloc(plan->role_count * sizeof *engine->costs);
    engine_check(engine);
}

void engine_release(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) lane_release(&engine->lanes[i]);
    free(engine->lanes);
    free(engine->groups);
    free(engine->job_lanes);
    free(engine->costs);
    free(engine->rounds);
    ledger_release(&engine->ledger);
    diary_release(engine);
    for (uint32_t i = 0; i < engine->word_count; i++) free(engine->words[i].text);
    *engine = (struct engine){ 0 };
}

static void finish(struct step *step, enum reason reason)
{
    engine_move(step->engine, ENGINE_ENDED);
    step->engine->reason = reason;
    emit(step, (struct action){ .kind = ACT_FINISH, .reason = reason });
}

void engine_over(struct step *step, enum reason reason)
{
    assert(step->engine->running == 0);
    finish(step, reason);
}

static enum reason lane_rest_reason(const struct engine *engine, const struct lane *lane)
{
    enum at_bound at_bound = engine->plan->phases[lane->phase].gate.at_bound;

    if (lane_is_failed(lane)) return REASON_FAILED;
    if (lane->state != LANE_ASKING && batch_has(&lane->now, JOB_HALTED)) return REASON_BUDGET;
    if (lane->state == LANE_STUCK) return REASON_STUCK;
    if (lane->state != LANE_ASKING) return REASON_NONE;
    if (lane->question == ASK_DEAD) return REASON_FAILED;
    if (lane->question == ASK_BOUND && at_bound == BOUND_ESCALATE) return REASON_ESCALATED;
    return REASON_WAITING;
}

/* Nothing runs and no lane is over: what the lanes are waiting for. A failure outranks a spent
 * budget, that a question, and a question what is stuck; enum reason has them in that order. */
static enum reason rest_reason(const struct engine *engine)
{
    enum reason worst = REASON_NONE;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        enum reason reason = lane_rest_reason(engine, &engine->lanes[i]);
        if (reason > worst) worst = reason;
    }
    assert(worst != REASON_NONE);
    return worst;
}

/* After the event's own effect: what is used up is acted upon, lanes of a group move up, and a run
 * in which nothing runs ends. */
static void settle(struct step *step)
{
    struct engine *engine = step->engine;

    if (engine->state == ENGINE_RUNNING) spend_look(step);
    if (engine->state == ENGINE_RUNNING) fan_advance(step);
    if (engine->running > 0) return;
    if (engine->state == ENGINE_RUNNING) finish(step, rest_reason(engine));
    if (engine->state == ENGINE_STOPPING) finish(step, REASON_INTERRUPTED);
}

/* The run goes on, or begins: a job that the budget refused before is looked at anew. */
static void open_again(struct engine *engine)
{
    engine_move(engine, ENGINE_RUNNING);
    engine->reason = REASON_NONE;
    engine->spent = engine->cut = false;
}

static bool on_start(struct step *step, const struct event *event)
{
    struct engine *engine = step->engine;

    if (engine->state != ENGINE_IDLE) return false;
    open_again(engine);
    if (event->has_budget) engine->budget = event->budget;
    engine->started_ms = engine->iteration_ms = engine->now_ms;
    engine->iteration = 1;
    diary_start(step, event);
    ledger_waive(&engine->ledger, event->waivers, event->waiver_count);
    fan_add_groups(step, &event->result);
    if (event->result.finding_count > 0 &&
        gate_begin_given(step, &engine->lanes[0], &event->result)) return true;
    lane_enter(step, &engine->lanes[0], 0);
    return true;
}

static bool on_ended(struct step *step, const struct event *event)
{
    struct engine *engine = step->engine;
    struct lane *lane;

    if (event->job == 0 || event->job >= engine->job_next) return false;
    lane = &engine->lanes[engine->job_lanes[event->job - 1]];
    if (!job_end(step, lane, event)) return false;
    if (engine->state == ENGINE_RUNNING) lane_advance(step, lane);
    return true;
}

static bool on_stop(struct step *step)
{
    if (step->engine->state != ENGINE_RUNNING) return false;
    engine_move(step->engine, ENGINE_STOPPING);
    job_stop_all(step, true);
    return true;
}

bool engine_can_resume(const struct engine *engine)
{
    if (engine->reason != REASON_NONE) return !reason_is_final(engine->reason);
    return engine->state == ENGINE_RUNNING || engine->state == ENGINE_STOPPING;
}

/* A task's lane that rested gets a fresh allowance, of one repair at least, and queues for a
 * place. What it did before goes on counting; what was parked is tried once more. */
static void task_resume(struct step *step, struct lane *lane)
{
    uint32_t repair_max = step->engine->plan->phases[lane->phase].gate.repair_max;
    struct tally *tally = &lane->tallies[lane->phase];

    lane->granted = lane->runs;
    lane->checked = lane_iterations(lane);
    tally->granted = tally->repairs + tally->looks_more + (repair_max == 0);
    policy_unpark(step, lane);
    lane_move(step, lane, LANE_WAITING);
}

/* A task's review that was overtaken by a change of its tree is no pass: it queues again. */
static void task_unpass(struct step *step, struct lane *lane)
{
    if (lane->state != LANE_PASSED || !lane->drifted) return;
    if (lane->tallies[lane->phase].rounds > 0) lane_move(step, lane, LANE_WAITING);
}

/* Jobs of an attempt we lost count as not running until they are started again. */
static void lane_forget(struct step *step, struct lane *lane)
{
    for (uint32_t i = 0; i < lane->now.count; i++) {
        struct job *job = &lane->now.jobs[i];
        if (job->state == JOB_RUNNING) job_lose(step->engine, job);
    }
}

static void lane_resume(struct step *step, struct lane *lane)
{
    bool undone = (lane->drifted && lane->state == LANE_REVIEWING) ||
                  batch_has(&lane->now, JOB_HALTED) || batch_has(&lane->now, JOB_DEAD);

    if (lane->state == LANE_ASKING && lane->question == ASK_DEAD) {
        lane_answer(step, lane, CHOICE_CONTINUE);
    } else if (lane->state == LANE_ASKING) {
        emit(step, (struct action){ .kind = ACT_ASK, .lane = lane->id,
                                    .question = lane->question });
    } else if (lane->state == LANE_STUCK && lane_is_task(lane)) {
        task_resume(step, lane);
    } else if (lane->state == LANE_STUCK) {
        gate_unstick(step, lane);
    } else if (undone && lane->state == LANE_INTEGRATING) {
        batch_begin(step, lane, 0);
        lane_move(step, lane, LANE_PASSED); /* the group may not be ready any more */
        task_unpass(step, lane);
    } else if (undone && lane_is_task(lane)) {
        lane->parked = true;
    } else if (undone) {
        lane_again(step, lane);
    } else {
        lane_advance(step, lane);
    }
}

static bool on_resume(struct step *step, const struct event *event)
{
    struct engine *engine = step->engine;
    uint32_t lane_count = engine->lane_count;

    if (!engine_can_resume(engine)) return false;
    open_again(engine);
    if (event->has_budget) engine->budget = event->budget;
    for (uint32_t i = 0; i < lane_count; i++) policy_unwaive(step, &engine->lanes[i], event);
    ledger_waive(&engine->ledger, event->waivers, event->waiver_count);
    for (uint32_t i = 0; i < lane_count; i++) lane_forget(step, &engine->lanes[i]);
    for (uint32_t i = 0; i < lane_count && engine->state == ENGINE_RUNNING; i++) {
        lane_resume(step, &engine->lanes[i]);
    }
    census_take_all(engine);
    return true;
}

static bool on_answer(struct step *step, const struct event *event)
{
    struct engine *engine = step->engine;
    enum engine_state state = engine->state;
    bool asked = state == ENGINE_RUNNING || engine->reason == REASON_WAITING ||
                 engine->reason == REASON_ESCALATED || engine->reason == REASON_BUDGET ||
                 engine->reason == REASON_FAILED;
    bool spent = engine->spent, cut = engine->cut;
    enum reason reason = engine->reason;

    if (!asked || event->lane >= engine->lane_count) return false;
    if (engine->lanes[event->lane].state != LANE_ASKING) return false;
    if (state == ENGINE_ENDED) open_again(engine);
    if (lane_answer(step, &engine->lanes[event->lane], event->choice)) return true;
    if (state == ENGINE_ENDED) engine_move(engine, state);
    engine->reason = reason;
    engine->spent = spent;
    engine->cut = cut;
    return false;
}

/* The tree is not the one that was judged: what is done of a review at work is asked for again;
 * what still reads is the driver's affair. A lane at rest remembers it until it goes on. */
static bool on_drift(struct step *step, const struct event *event)
{
    struct engine *engine = step->engine;
    struct lane *lane;

    if (engine->state == ENGINE_IDLE || event->lane >= engine->lane_count) return false;
    lane = &engine->lanes[event->lane];
    lane->mints = 0;
    lane->proof = PROOF_UNKNOWN;
    policy_tree_changed(engine, lane);
    lane_touch(step, lane);
    diary_drift(step, lane);
    if (engine->state == ENGINE_RUNNING && lane->state == LANE_REVIEWING && !lane->parked &&
        !lane_is_failed(lane)) {
        batch_redo(step, lane);
    } else {
        lane->drifted = true;
        task_unpass(step, lane);
    }
    return true;
}

/* Only news where it is true: what follows is settle()'s affair. */
static bool on_spent(const struct step *step)
{
    const struct engine *engine = step->engine;
    struct amounts used = engine_used(engine);

    return engine->state == ENGINE_RUNNING && !engine->cut &&
           budget_is_over(&engine->budget, &used);
}

/* It is kept for the prompts of agents that follow, and decides nothing. */
static bool on_word(const struct step *step, const struct event *event)
{
    struct engine *engine = step->engine;
    struct str said = str_head(event->result.doc, SAID_WORD_BYTES_MAX);
    struct said_word *word;

    if (engine->state != ENGINE_RUNNING && engine->state != ENGINE_STOPPING) return false;
    if (said.size == 0) return true;
    if (engine->word_count == SAID_WORDS_MAX) {
        free(engine->words[0].text);
        memmove(engine->words, engine->words + 1, (SAID_WORDS_MAX - 1) * sizeof *engine->words);
        engine->word_count--;
    }
    word = &engine->words[engine->word_count++];
    *word = (struct said_word){ .text = mem_alloc(said.size), .bytes = said.size };
    memcpy(word->text, said.data, said.size);
    return true;
}

static bool dispatch(struct step *step, const struct event *event)
{
    switch (event->kind) {
    case EV_START:
        return on_start(step, event);
    case EV_ENDED:
        return on_ended(step, event);
    case EV_STOP:
        return on_stop(step);
    case EV_RESUME:
        return on_resume(step, event);
    case EV_ANSWER:
        return on_answer(step, event);
    case EV_DRIFT:
        return on_drift(step, event);
    case EV_SPENT:
        return on_spent(step);
    case EV_WORD:
        return on_word(step, event);
    case EV_COUNT:
        break;
    }
    return false;
}

static void lanes_touch(struct engine *engine)
{
    engine->steps++;
    census_take_moved(engine);
    for (uint32_t i = engine->moved_first; i != NO_LANE; i = engine->lanes[i].moved_next) {
        engine->lanes[i].touched = engine->steps;
        engine->lanes[i].moved = false;
    }
}

void engine_step(struct engine *engine, const struct event *event, struct actions *out)
{
    struct step step = { .engine = engine, .out = out, .late = event->late };
    uint64_t before_ms = engine->now_ms, active_ms = engine->active_ms;
    bool busy = engine->state == ENGINE_RUNNING || engine->state == ENGINE_STOPPING;

    out->count = 0;
    if (event->now_ms > engine->now_ms) engine->now_ms = event->now_ms; /* clocks jump back */
    if (busy && event->kind != EV_RESUME && !event->late) {
        engine->active_ms += engine->now_ms - before_ms;
    }
    emit(&step, (struct action){ .kind = ACT_RECORD });
    if (dispatch(&step, event)) {
        settle(&step);
        lanes_touch(engine);
    } else {
        engine->now_ms = before_ms;
        engine->active_ms = active_ms;
        out->count = 0;
    }
    if (engine->state == ENGINE_ENDED || event->kind == EV_RESUME) {
        engine_check(engine);
    } else {
        engine_check_moved(engine);
    }
    engine->moved_first = NO_LANE;
}

const struct job *engine_job(const struct engine *engine, uint32_t id, const struct lane **lane)
{
    const struct lane *owner;

    if (id == 0 || id >= engine->job_next) return NULL;
    owner = &engine->lanes[engine->job_lanes[id - 1]];
    for (uint32_t i = 0; i < owner->now.count; i++) {
        if (owner->now.jobs[i].id != id) continue;
        if (lane) *lane = owner;
        return &owner->now.jobs[i];
    }
    return NULL;
}
