/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.c - one walk through phases: what may follow what.
 *
 *                 .------- again, until complete -------.
 *                 v                                     |
 *   WAITING --> WORKING --> (JOINING) --> REVIEWING     |  HELD --> CHECKING
 *                 |  '--- not complete, a checkpoint ---'---^           |
 *                 |         is due (fan.c)            ^-----------------'
 *   REVIEWING --passed--> next phase, or PASSED (a task), or OVER (behind the last phase)
 *
 * A lane has jobs exactly while it is WORKING, JOINING, CHECKING, REVIEWING, REPAIRING, FINISHING
 * or INTEGRATING, or ASKING because of a dead one.
 *
 * Not here: what a gate's findings lead to (gate.c), lanes side by side (fan.c), stop and resume
 * (engine.c). */
#include "core/step.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

#define BIT(state) (1U << (state))

/* From where a lane may move where. Every state may also stay: a review follows a review. */
static const struct {
    const char *word;
    uint32_t next;
} states[LANE_STATE_COUNT] = {
    [LANE_WAITING] = { "waiting", BIT(LANE_WORKING) | BIT(LANE_REVIEWING) | BIT(LANE_REPAIRING) |
                                  BIT(LANE_FANNING) },
    [LANE_WORKING] = { "working", BIT(LANE_JOINING) | BIT(LANE_HELD) | BIT(LANE_REVIEWING) |
                                  BIT(LANE_PASSED) | BIT(LANE_STUCK) | BIT(LANE_FANNING) |
                                  BIT(LANE_ASKING) | BIT(LANE_OVER) },
    [LANE_JOINING] = { "joining", BIT(LANE_WORKING) | BIT(LANE_REVIEWING) | BIT(LANE_PASSED) |
                                  BIT(LANE_STUCK) | BIT(LANE_FANNING) | BIT(LANE_ASKING) |
                                  BIT(LANE_OVER) },
    [LANE_HELD] = { "held", BIT(LANE_CHECKING) },
    [LANE_CHECKING] = { "checking", BIT(LANE_WORKING) | BIT(LANE_ASKING) },
    [LANE_REVIEWING] = { "reviewing", BIT(LANE_WORKING) | BIT(LANE_REPAIRING) | BIT(LANE_PASSED) |
                                      BIT(LANE_STUCK) | BIT(LANE_ASKING) | BIT(LANE_OVER) |
                                      BIT(LANE_FANNING) },
    [LANE_REPAIRING] = { "repairing", BIT(LANE_FINISHING) | BIT(LANE_REVIEWING) |
                                      BIT(LANE_FANNING) | BIT(LANE_STUCK) | BIT(LANE_ASKING) |
                                      BIT(LANE_WORKING) | BIT(LANE_PASSED) | BIT(LANE_OVER) },
    [LANE_FINISHING] = { "finishing", BIT(LANE_REVIEWING) | BIT(LANE_FANNING) | BIT(LANE_ASKING) },
    [LANE_FANNING] = { "fanning", BIT(LANE_WORKING) | BIT(LANE_REVIEWING) | BIT(LANE_OVER) },
    [LANE_PASSED] = { "passed", BIT(LANE_INTEGRATING) | BIT(LANE_WAITING) },
    [LANE_INTEGRATING] = { "integrating", BIT(LANE_MERGED) | BIT(LANE_WAITING) |
                                          BIT(LANE_STUCK) | BIT(LANE_ASKING) | BIT(LANE_PASSED) },
    [LANE_MERGED] = { "merged", 0 },
    [LANE_STUCK] = { "stuck", BIT(LANE_WAITING) | BIT(LANE_REVIEWING) | BIT(LANE_WORKING) |
                              BIT(LANE_FANNING) },
    [LANE_ASKING] = { "asking", BIT(LANE_WAITING) | BIT(LANE_WORKING) | BIT(LANE_JOINING) |
                                BIT(LANE_CHECKING) | BIT(LANE_REVIEWING) | BIT(LANE_REPAIRING) |
                                BIT(LANE_FINISHING) | BIT(LANE_INTEGRATING) | BIT(LANE_PASSED) |
                                BIT(LANE_STUCK) | BIT(LANE_FANNING) | BIT(LANE_OVER) },
    [LANE_OVER] = { "over", 0 },
};

const char *lane_state_word(enum lane_state state) { return states[state].word; }

void lane_init(struct lane *lane, uint32_t id, uint32_t group, uint32_t phase_count)
{
    *lane = (struct lane){ .id = id, .group = group, .state = LANE_WAITING };
    lane->tallies = mem_alloc(phase_count * sizeof *lane->tallies);
}

void lane_release(struct lane *lane)
{
    batch_release(&lane->now);
    batch_release(&lane->work);
    batch_release(&lane->review);
    batch_release(&lane->repair);
    batch_release(&lane->known);
    docs_release(lane);
    free(lane->tallies);
    free(lane->repeats);
}

/* The only place that changes lane->state. */
void lane_move(struct step *step, struct lane *lane, enum lane_state next)
{
    assert(lane->state == next || (states[lane->state].next & BIT(next)));
    lane->state = next;
    lane_touch(step, lane);
}

bool lane_is_failed(const struct lane *lane)
{
    return lane->state != LANE_ASKING && !lane->parked && batch_has(&lane->now, JOB_DEAD) &&
           !batch_has(&lane->now, JOB_RUNNING);
}

bool lane_is_active(const struct lane *lane)
{
    uint32_t busy = BIT(LANE_WORKING) | BIT(LANE_JOINING) | BIT(LANE_HELD) | BIT(LANE_CHECKING) |
                    BIT(LANE_REVIEWING) | BIT(LANE_REPAIRING) | BIT(LANE_FINISHING);

    return (busy & BIT(lane->state)) && !lane->parked && !lane_is_failed(lane);
}

static const struct phase *phase_of(const struct step *step, const struct lane *lane)
{
    return &step->engine->plan->phases[lane->phase];
}

bool lane_is_task(const struct lane *lane)
{
    return lane->id != 0;
}

void lane_ask(struct step *step, struct lane *lane, enum question question)
{
    lane->question = question;
    lane_move(step, lane, LANE_ASKING);
    emit(step, (struct action){ .kind = ACT_ASK, .lane = lane->id, .question = question });
}

bool lane_iterates(const struct lane *lane)
{
    return lane->state == LANE_WORKING || lane->state == LANE_REPAIRING;
}

uint32_t lane_iterations(const struct lane *lane)
{
    return lane->runs + lane->tallies[lane->phase].repairs;
}

/* A checkpoint that became due since the last one began was answered for by the review between. */
void iteration_begin(struct step *step, struct lane *lane)
{
    const struct engine *engine = step->engine;

    if (!lane_is_task(lane)) return;
    if (lane->begun != engine->checkpoints) lane->checked = lane_iterations(lane);
    lane->begun = engine->checkpoints;
}

/* The checkpoints that began meanwhile did not wait for it. */
void iteration_again(struct step *step, struct lane *lane)
{
    if (!step->engine->checkpoint_due && lane_iterates(lane)) {
        lane->begun = step->engine->checkpoints;
    }
}

/* The review that follows is the lane's part of the checkpoint that is due. */
void iteration_end(struct step *step, struct lane *lane)
{
    struct engine *engine = step->engine;
    uint32_t every = phase_of(step, lane)->work.checkpoint_every;

    if (every == 0) return;
    if (!engine->checkpoint_due && lane_iterations(lane) - lane->checked >= every) {
        engine->checkpoint_due = true;
        engine->checkpoints++;
    }
    if (engine->checkpoint_due) lane->checked = lane_iterations(lane);
}

void lane_work(struct step *step, struct lane *lane)
{
    const struct work *work = &phase_of(step, lane)->work;

    iteration_begin(step, lane);
    lane->proof = PROOF_UNKNOWN;
    lane->known.count = 0;
    lane_move(step, lane, LANE_WORKING);
    batch_begin(step, lane, 1);
    for (uint32_t copy = 1; copy <= work->copies; copy++) {
        batch_add(step, lane, work->role, FOR_WORK, copy);
    }
}

/* The first phase whose gate mints one of the missing stages. */
static uint32_t phase_minting(const struct plan *plan, uint32_t missing)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].gate.mints & missing) return i;
    }
    assert(!"plan_problem() lets no such plan pass");
    return 0;
}

bool lane_is_partial(const struct lane *lane, const struct plan *plan)
{
    bool partial = lane->partial;

    for (uint32_t i = 0; i < plan->phase_count; i++) partial |= lane->tallies[i].partial;
    return partial;
}

/* How a lane ends that is behind its last phase: by the worst of its gates. */
static enum reason lane_end(const struct lane *lane, const struct plan *plan)
{
    enum reason end = lane->merged_end > REASON_CLEAN ? lane->merged_end : REASON_CLEAN;

    if (lane->noted) return REASON_NOTED;
    if (lane_is_partial(lane, plan)) return REASON_PARTIAL;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (lane->tallies[i].end > end) end = lane->tallies[i].end;
    }
    return end;
}

void lane_enter(struct step *step, struct lane *lane, uint32_t phase)
{
    const struct plan *plan = step->engine->plan;
    const struct phase *row;

    if (phase == plan->phase_count) {
        lane_move(step, lane, LANE_OVER);
        engine_over(step, lane_end(lane, plan));
        return;
    }
    row = &plan->phases[phase];
    if (row->needs & ~lane->mints) {
        gate_enter(step, lane, phase_minting(plan, row->needs & ~lane->mints));
        return;
    }
    lane->phase = phase;
    if (row->fan && !lane_is_task(lane)) {
        lane_move(step, lane, LANE_FANNING); /* fan_advance() opens the lanes */
    } else if (row->work.role != ROLE_NONE) {
        lane_work(step, lane);
    } else {
        gate_enter(step, lane, phase);
    }
}

/* The phase is behind us: a task's lane waits for its group, the main lane goes on. */
void lane_phase_done(struct step *step, struct lane *lane)
{
    if (lane_is_task(lane)) {
        lane_move(step, lane, LANE_PASSED);
    } else {
        lane_enter(step, lane, lane->phase + 1);
    }
}

/* A task's work that may have to be done again; true when it is not over yet. */
static bool work_again(struct step *step, struct lane *lane)
{
    const struct work *work = &phase_of(step, lane)->work;
    const struct result *result = &lane->work.jobs[0].result;

    if (work->run_max == 0) return false;
    lane->runs++;
    if (result->stuck || (!result->complete && lane->runs >= work->run_max + lane->granted)) {
        lane_move(step, lane, LANE_STUCK);
        return true;
    }
    iteration_end(step, lane);
    if (result->complete) return false;
    if (step->engine->checkpoint_due) {
        lane_move(step, lane, LANE_HELD);
    } else {
        lane_work(step, lane);
    }
    return true;
}

static void after_work(struct step *step, struct lane *lane)
{
    const struct phase *phase = phase_of(step, lane);
    bool joined = lane->state == LANE_JOINING;

    batch_keep(lane, &lane->work);
    if (phase->work.copies > 1 && !joined) {
        lane_move(step, lane, LANE_JOINING);
        batch_begin(step, lane, 1);
        batch_add(step, lane, phase->work.role, FOR_JOIN, 0);
        return;
    }
    doc_keep(lane, &lane->work);
    if (!lane_is_task(lane)) fan_take_groups(step, &lane->work);
    if (work_again(step, lane)) return;
    if (phase->needs) {
        lane->noted = false; /* delivered is delivered */
    } else {
        lane->mints = 0;
    }
    if (lane->work.jobs[0].result.stuck) {
        if (lane_is_task(lane)) lane_move(step, lane, LANE_STUCK);
        else lane_ask(step, lane, ASK_STUCK);
    } else if (phase->gate.reviewer_count > 0) {
        gate_enter(step, lane, lane->phase);
    } else {
        lane_phase_done(step, lane);
    }
}

void lane_begin(struct step *step, struct lane *lane)
{
    const struct gate *gate = &phase_of(step, lane)->gate;
    const struct tally *tally = &lane->tallies[lane->phase];
    bool reviewed = tally->rounds > 0;
    bool changed = lane->drifted && lane->work.count > 0 && gate->reviewer_count > 0;
    bool repaired = reviewed && tally->repairs == tally->rounds + tally->unreviewed;

    if (changed || repaired || (reviewed && gate->repair.role == ROLE_NONE)) {
        gate_enter(step, lane, lane->phase);
    } else if (reviewed) {
        lane_repair(step, lane);
    } else {
        lane_work(step, lane);
    }
}

bool lane_is_void(const struct step *step, const struct lane *lane)
{
    bool works = lane->state == LANE_WORKING || lane->state == LANE_JOINING;

    return works && !lane_is_task(lane) && (phase_of(step, lane)->needs & ~lane->mints);
}

/* A review whose tree has changed is asked for as a whole; a delivery whose stages do not hold
 * any more is not started again before they do. */
void lane_again(struct step *step, struct lane *lane)
{
    bool all = lane->drifted && lane->state == LANE_REVIEWING;

    if (lane_is_void(step, lane)) {
        batch_begin(step, lane, 0);
        lane_enter(step, lane, lane->phase);
        return;
    }
    batch_restart(step, lane, all);
    if (all) lane->drifted = false;
}

/* Whether all of its dead belong to roles for which the user is asked. */
static bool dead_asks(const struct step *step, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        if (job->state != JOB_DEAD) continue;
        if (!step->engine->plan->roles[job->role].ask_when_dead) return false;
    }
    return true;
}

void lane_advance(struct step *step, struct lane *lane)
{
    const struct batch *now = &lane->now;

    if (now->count == 0 || lane->state == LANE_ASKING || batch_has(now, JOB_RUNNING)) return;
    if (lane_is_void(step, lane)) {
        lane_again(step, lane);
        return;
    }
    if (batch_has(now, JOB_DEAD)) {
        if (dead_asks(step, now)) lane_ask(step, lane, ASK_DEAD);
        return;
    }
    if (batch_has(now, JOB_HALTED)) return;
    switch (now->jobs[0].purpose) {
    case FOR_WORK:
    case FOR_JOIN:
        after_work(step, lane);
        break;
    case FOR_REVIEW:
        after_review(step, lane);
        break;
    case FOR_REPAIR:
        after_repair(step, lane);
        break;
    case FOR_PROOF:
        after_proof(step, lane);
        break;
    case FOR_THEN:
        batch_begin(step, lane, 0);
        gate_recheck(step, lane);
        break;
    case FOR_CHECKPOINT:
        batch_keep(lane, &lane->review);
        lane_work(step, lane);
        break;
    case FOR_INTEGRATE:
        fan_integrated(step, lane);
        break;
    case FOR_COUNT:
        assert(!"no such purpose");
    }
}
