/* SPDX-License-Identifier: Apache-2.0
 *
 * gate.c - a review and what follows from it: passed, repaired, restarted, asked, stopped.
 *
 *   findings --> on_fail --repair, allowance left--> REPAIRING --> (FINISHING) --> recheck
 *                   |            '--none left--.
 *                   |--restart, none left------+--> at_bound: stop, ask, escalate, restart,
 *                   |                                         proceed, stuck
 *                   |--proceed--> noted, next phase
 *                   '--stop-----> over
 *
 * A repair has a fixer for each group of findings, as the review divides them: the independent ones
 * side by side, then the others one after the other. If a fixer is stuck, the plan's on_stuck says
 * what follows: the review all the same, or the repair ends, and the user is asked or the lane
 * rests.
 *
 * 1. Only a review whose every answer is clean passes a gate. Where a reviewer could not look at
 *    some files it passes, and the run ends as partial, not as clean. A reviewer that was
 *    not played (it looked at nothing) stands aside; where none was played, the gate does not pass:
 *    over, unseen.
 * 2. repairs <= repair_max + granted, in each phase and iteration.
 * 3. A stage is minted by its gate, or by the user who accepts it, and by nothing else; work and
 *    repair unmint all of them.
 * 4. A restart that is not allowed any more never passes for clean: at_bound decides, and where
 *    that says restart as well, the run stops.
 *
 * Not here: the order of phases (lane.c), integration (fan.c). */
#include "core/step.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

static const struct gate *gate_of(const struct step *step, const struct lane *lane)
{
    return &step->engine->plan->phases[lane->phase].gate;
}

void gate_enter(struct step *step, struct lane *lane, uint32_t phase)
{
    struct engine *engine = step->engine;
    const struct gate *gate = &engine->plan->phases[phase].gate;
    uint32_t round;

    lane->phase = phase;
    lane->drifted = false;
    lane->conflict = false;
    round = ++lane->tallies[phase].rounds;
    lane_move(step, lane, LANE_REVIEWING);
    batch_begin(step, lane, round);
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        batch_add(step, lane, gate->reviewers[i], FOR_REVIEW, 1);
    }
    engine->rounds = mem_grow(engine->rounds, engine->round_count, &engine->round_cap,
                              sizeof *engine->rounds);
    engine->rounds[engine->round_count++] = (struct round){
        .lane = lane->id, .phase = phase, .iteration = engine->iteration, .number = round,
        .started_ms = engine->now_ms, .iteration_ms = engine->iteration_ms };
    lane->round_last = engine->round_count;
}

static uint32_t repeat_rounds(const struct repeat *repeats, uint32_t count, uint32_t phase,
                              uint64_t fingerprint)
{
    for (uint32_t i = 0; i < count; i++) {
        if (repeats[i].phase == phase && repeats[i].fingerprint == fingerprint) {
            return repeats[i].rounds;
        }
    }
    return 0;
}

static void repeat_add(struct lane *lane, struct repeat repeat)
{
    lane->repeats = mem_grow(lane->repeats, lane->repeat_count, &lane->repeat_cap,
                             sizeof *lane->repeats);
    lane->repeats[lane->repeat_count++] = repeat;
}

/* What comes back at this gate is forgotten; at others it still counts. */
static void repeats_forget(struct lane *lane, uint32_t phase)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < lane->repeat_count; i++) {
        if (lane->repeats[i].phase != phase) lane->repeats[kept++] = lane->repeats[i];
    }
    lane->repeat_count = kept;
}

/* Counts in how many rounds of this gate running each grave finding was seen; true when one came
 * too often. */
static bool repeats_update(struct lane *lane, uint32_t repeat_max)
{
    uint32_t phase = lane->phase;
    struct lane old = { .repeats = lane->repeats, .repeat_count = lane->repeat_count };
    bool too_often = false;

    lane->repeats = NULL;
    lane->repeat_count = lane->repeat_cap = 0;
    for (uint32_t i = 0; i < old.repeat_count; i++) {
        if (old.repeats[i].phase != phase) repeat_add(lane, old.repeats[i]);
    }
    for (uint32_t i = 0; i < lane->review.count; i++) {
        const struct result *result = &lane->review.jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++) {
            uint64_t fingerprint = result->findings[k].fingerprint;
            uint32_t rounds = 1 + repeat_rounds(old.repeats, old.repeat_count, phase, fingerprint);
            if (result->findings[k].severity != SEVERITY_HIGH) continue;
            if (repeat_rounds(lane->repeats, lane->repeat_count, phase, fingerprint)) continue;
            repeat_add(lane, (struct repeat){ phase, fingerprint, rounds });
            too_often = too_often || rounds >= repeat_max;
        }
    }
    free(old.repeats);
    return too_often;
}

/* Whether a reviewer found something that is too small to fail its review. */
static bool batch_passed_over(const struct batch *review)
{
    for (uint32_t i = 0; i < review->count; i++) {
        if (review->jobs[i].passed_over) return true;
    }
    return false;
}

/* Whether there are files that a reviewer could not look at. */
static bool batch_is_partial(const struct batch *review)
{
    for (uint32_t i = 0; i < review->count; i++) {
        if (review->jobs[i].partial) return true;
    }
    return false;
}

static void gate_pass(struct step *step, struct lane *lane)
{
    lane->tallies[lane->phase].partial = batch_is_partial(&lane->review);
    lane->noted = batch_passed_over(&lane->review);
    lane->mints |= gate_of(step, lane)->mints;
    repeats_forget(lane, lane->phase);
    lane_phase_done(step, lane);
}

/* Starts the fixers behind those that are done: all that are independent, or the next of those that
 * are not. False: there are none. */
static bool repair_go_on(struct step *step, struct lane *lane, uint32_t done)
{
    const struct repair *repair = &gate_of(step, lane)->repair;
    uint32_t groups = 0, alone = 0, end;

    for (uint32_t i = 0; repair->by_groups && i < lane->review.count; i++) {
        const struct result *result = &lane->review.jobs[i].result;
        groups += result->fix_groups;
        alone += result->fix_groups > 0 && result->fix_alone;
    }
    if (done >= (groups ? groups : 1)) return false;
    end = done < groups - alone ? groups - alone : done + 1;
    batch_begin(step, lane, lane->tallies[lane->phase].rounds);
    for (uint32_t copy = done + 1; copy <= end; copy++) {
        batch_add(step, lane, repair->role, FOR_REPAIR, copy);
    }
    return true;
}

void lane_repair(struct step *step, struct lane *lane)
{
    assert(gate_of(step, lane)->repair.role != ROLE_NONE);
    iteration_begin(step, lane);
    lane_move(step, lane, LANE_REPAIRING);
    repair_go_on(step, lane, 0);
}

static void restart(struct step *step, struct lane *lane)
{
    struct engine *engine = step->engine;

    assert(engine->iteration < engine->plan->iteration_max);
    engine->iteration++;
    engine->iteration_ms = engine->now_ms;
    for (uint32_t i = 0; i < engine->plan->phase_count; i++) lane->tallies[i] = (struct tally){ 0 };
    lane->repeat_count = 0;
    lane->mints = 0;
    lane->noted = lane->partial = false;
    lane_enter(step, lane, 0);
}

static void stop(struct step *step, struct lane *lane, enum reason reason)
{
    if (lane_is_task(lane)) {
        lane_move(step, lane, LANE_STUCK);
    } else {
        lane_move(step, lane, LANE_OVER);
        engine_over(step, reason);
    }
}

static void at_bound(struct step *step, struct lane *lane, enum question question)
{
    const struct engine *engine = step->engine;

    switch (gate_of(step, lane)->at_bound) {
    case BOUND_STOP:
        stop(step, lane, REASON_BOUND);
        break;
    case BOUND_ASK:
    case BOUND_ESCALATE:
        lane_ask(step, lane, question);
        break;
    case BOUND_RESTART:
        if (engine->iteration < engine->plan->iteration_max) {
            restart(step, lane);
        } else {
            stop(step, lane, REASON_BOUND);
        }
        break;
    case BOUND_PROCEED:
        lane->noted = true;
        lane_phase_done(step, lane);
        break;
    case BOUND_STUCK:
        lane_move(step, lane, LANE_STUCK);
        break;
    }
}

/* The findings in lane->review ask for what the gate says. */
static void gate_fail(struct step *step, struct lane *lane)
{
    const struct engine *engine = step->engine;
    const struct gate *gate = gate_of(step, lane);
    const struct tally *tally = &lane->tallies[lane->phase];

    switch (gate->on_fail) {
    case FAIL_REPAIR:
        if (gate->repair_max == NO_BOUND || tally->repairs < gate->repair_max + tally->granted) {
            lane_repair(step, lane);
        } else {
            at_bound(step, lane, ASK_BOUND);
        }
        break;
    case FAIL_RESTART:
        if (engine->iteration < engine->plan->iteration_max) {
            restart(step, lane);
        } else {
            at_bound(step, lane, ASK_BOUND);
        }
        break;
    case FAIL_PROCEED:
        lane->noted = true;
        lane_phase_done(step, lane);
        break;
    case FAIL_STOP:
        stop(step, lane, REASON_BOUND);
        break;
    }
}

/* The history's row of the review this lane did last. */
static struct round *round_of(struct engine *engine, const struct lane *lane)
{
    return lane->round_last ? &engine->rounds[lane->round_last - 1] : NULL;
}

void after_review(struct step *step, struct lane *lane)
{
    const struct gate *gate = gate_of(step, lane);
    struct round *round = round_of(step->engine, lane);
    enum verdict verdict = batch_verdict(&lane->now);

    assert(round); /* gate_enter() made it */
    batch_keep(lane, &lane->review);
    doc_keep(lane, &lane->review);
    round->ended_ms = step->engine->now_ms;
    round->verdict = verdict;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        round->finding_count += lane->review.jobs[i].result.finding_count;
    }
    if (verdict == VERDICT_CLEAN) {
        gate_pass(step, lane);
    } else if (verdict == VERDICT_NOT_PLAYED) {
        stop(step, lane, REASON_UNSEEN);
    } else if (gate->repeat_max > 0 && repeats_update(lane, gate->repeat_max)) {
        at_bound(step, lane, ASK_REPEAT);
    } else {
        gate_fail(step, lane);
    }
}

void gate_recheck(struct step *step, struct lane *lane)
{
    uint32_t target = gate_of(step, lane)->recheck;

    if (step->engine->plan->phases[target].fan && !lane_is_task(lane)) {
        lane_enter(step, lane, target);
    } else {
        gate_enter(step, lane, target);
    }
}

void after_repair(struct step *step, struct lane *lane)
{
    const struct repair *repair = &gate_of(step, lane)->repair;
    struct round *round = round_of(step->engine, lane);
    uint32_t done = lane->now.jobs[lane->now.count - 1].copy;
    bool stuck = false;

    lane->mints = 0;
    for (uint32_t i = 0; i < lane->now.count; i++) {
        stuck = stuck || lane->now.jobs[i].result.stuck;
    }
    if (!lane_is_task(lane)) fan_take_groups(step, &lane->now);
    if (lane->now.jobs[0].copy == 1) {
        batch_keep(lane, &lane->repair);
    } else {
        batch_append(lane, &lane->repair);
    }
    if (!(stuck && repair->on_stuck != STUCK_REPAIRED) && repair_go_on(step, lane, done)) return;
    doc_keep(lane, &lane->repair);
    if (stuck && repair->on_stuck == STUCK_ASK) {
        lane_ask(step, lane, ASK_STUCK); /* nothing was repaired yet */
        return;
    }
    lane->tallies[lane->phase].repairs++;
    if (round) round->repaired_ms = step->engine->now_ms;
    if (stuck && repair->on_stuck == STUCK_REST) {
        lane_move(step, lane, LANE_STUCK);
        return;
    }
    iteration_end(step, lane);
    if (repair->then != ROLE_NONE) {
        lane_move(step, lane, LANE_FINISHING);
        batch_begin(step, lane, lane->tallies[lane->phase].rounds);
        batch_add(step, lane, repair->then, FOR_THEN, 1);
    } else {
        gate_recheck(step, lane);
    }
}

/* One more repair, however many there were. */
static void grant(struct lane *lane, const struct gate *gate)
{
    struct tally *tally = &lane->tallies[lane->phase];

    if (gate->repair_max == NO_BOUND) return;
    if (tally->repairs >= gate->repair_max + tally->granted) tally->granted++;
}

void gate_unstick(struct step *step, struct lane *lane)
{
    grant(lane, gate_of(step, lane));
    gate_recheck(step, lane);
}

static void lane_continue(struct step *step, struct lane *lane, enum question question)
{
    static const enum lane_state state_for[FOR_COUNT] = {
        [FOR_WORK] = LANE_WORKING,       [FOR_JOIN] = LANE_JOINING,
        [FOR_REVIEW] = LANE_REVIEWING,   [FOR_REPAIR] = LANE_REPAIRING,
        [FOR_THEN] = LANE_FINISHING,     [FOR_CHECKPOINT] = LANE_CHECKING,
        [FOR_INTEGRATE] = LANE_INTEGRATING,
    };
    const struct gate *gate = gate_of(step, lane);

    if (question == ASK_DEAD) {
        lane_move(step, lane, state_for[lane->now.jobs[0].purpose]);
        if (lane_is_task(lane)) {
            lane->parked = true;
        } else {
            lane_again(step, lane);
        }
        return;
    }
    grant(lane, gate);
    if (lane_is_task(lane)) {
        lane_move(step, lane, LANE_WAITING);
    } else if (lane->tallies[lane->phase].rounds == 0) {
        lane_work(step, lane);
    } else if (gate->repair.role != ROLE_NONE) {
        lane_repair(step, lane);
    } else {
        gate_enter(step, lane, lane->phase);
    }
}

bool lane_answer(struct step *step, struct lane *lane, enum choice choice)
{
    const struct engine *engine = step->engine;
    enum question question = lane->question;

    if (choice == CHOICE_RESTART && engine->iteration >= engine->plan->iteration_max) return false;
    lane->question = ASK_NOTHING;
    diary_choice(step, lane, question, choice);
    switch (choice) {
    case CHOICE_CONTINUE:
        lane_continue(step, lane, question);
        break;
    case CHOICE_ACCEPT:
        lane->noted = true;
        lane->mints |= gate_of(step, lane)->mints;
        batch_begin(step, lane, 0);
        lane_phase_done(step, lane);
        break;
    case CHOICE_RESTART:
        batch_begin(step, lane, 0);
        restart(step, lane);
        break;
    case CHOICE_STOP:
        batch_begin(step, lane, 0);
        stop(step, lane, REASON_BOUND);
        break;
    case CHOICE_COUNT:
        assert(!"no such choice");
    }
    return true;
}
