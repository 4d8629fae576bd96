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
 * Where a gate with a policy has provers (those that look first, then a test), each looks before
 * the repair, if what it would say is not known, and after it: a repair that made things worse is
 * taken back by the driver, and no other prover looks. Then its findings were tried once more, and
 * no review follows: they are repaired again, or parked. Of the tree before a repair its review
 * tells what those that look first would say.
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

const struct gate *lane_gate(const struct engine *engine, const struct lane *lane)
{
    return &engine->plan->phases[lane->phase].gate;
}

/* A review of the phase begins: its line in the history. */
static struct round *round_add(struct step *step, struct lane *lane, uint32_t phase)
{
    struct engine *engine = step->engine;

    lane->phase = phase;
    lane->drifted = false;
    lane->conflict = false;
    lane->tallies[phase].end = REASON_NONE;
    engine->rounds = mem_grow(engine->rounds, engine->round_count, &engine->round_cap,
                              sizeof *engine->rounds);
    engine->rounds[engine->round_count++] = (struct round){
        .lane = lane->id, .phase = phase, .iteration = engine->iteration,
        .number = ++lane->tallies[phase].rounds, .started_ms = engine->now_ms,
        .iteration_ms = engine->iteration_ms };
    lane->round_last = engine->round_count;
    return &engine->rounds[engine->round_count - 1];
}

void gate_enter(struct step *step, struct lane *lane, uint32_t phase)
{
    const struct gate *gate = &step->engine->plan->phases[phase].gate;
    uint32_t round = round_add(step, lane, phase)->number;

    lane_move(step, lane, LANE_REVIEWING);
    batch_begin(step, lane, round);
    if (gate->policy) policy_ask(step, lane);
    for (uint32_t i = 0; !gate->policy && i < gate->reviewer_count; i++) {
        batch_add(step, lane, gate->reviewers[i], FOR_REVIEW, 1);
    }
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
        if (review->jobs[i].result.note_count > 0) return true;
    }
    return false;
}

/* Whether there are files that a reviewer could not look at. */
static bool batch_is_partial(const struct batch *review)
{
    for (uint32_t i = 0; i < review->count; i++) {
        if (review->jobs[i].result.coverage.unlooked_count > 0) return true;
    }
    return false;
}

/* end: of a gate with a policy; else REASON_NONE. waived: all that was found is. */
static void gate_pass(struct step *step, struct lane *lane, enum reason end, bool waived)
{
    lane->tallies[lane->phase].partial = batch_is_partial(&lane->review);
    lane->tallies[lane->phase].end = end;
    lane->noted = end == REASON_NONE && (waived || batch_passed_over(&lane->review));
    lane->mints |= lane_gate(step->engine, lane)->mints;
    repeats_forget(lane, lane->phase);
    lane_phase_done(step, lane);
}

/* Starts the fixers behind those that are done: all that are independent, or the next of those that
 * are not. False: there are none. */
static bool repair_go_on(struct step *step, struct lane *lane, uint32_t done)
{
    const struct repair *repair = &lane_gate(step->engine, lane)->repair;
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

/* What the user said about a fault when the run began; empty: nothing. */
static struct str say_of(const struct ledger_entry *entry)
{
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        if (entry->votes[i].finding.say.size > 0) return entry->votes[i].finding.say;
    }
    return STR("");
}

static bool has_vote(const struct ledger_entry *entry, uint16_t role, const struct finding *finding)
{
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];
        if (vote->role == role && vote->finding.fingerprint == finding->fingerprint &&
            vote->finding.line == finding->line) return true;
    }
    return false;
}

/* The user's words hold for the next repair, too, where a review reports the same fault again. */
static void review_keep_words(const struct engine *engine, struct lane *lane)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, lane->id, &entries);
    struct batch *review = &lane->review;

    for (uint32_t i = 0; lane->tallies[lane->phase].given && i < review->count; i++) {
        struct result *result = &review->jobs[i].result;
        struct finding *findings = arena_alloc(&review->arena, (result->finding_count + (size_t)1) *
                                                                   sizeof *findings);

        for (uint32_t k = 0; k < result->finding_count; k++) {
            findings[k] = result->findings[k];
            for (uint32_t n = 0; n < count && findings[k].say.size == 0; n++) {
                if (!has_vote(&entries[n], review->jobs[i].role, &findings[k])) continue;
                findings[k].say = arena_copy(&review->arena, say_of(&entries[n]));
            }
        }
        result->findings = findings;
    }
}

const struct job *lane_known(const struct lane *lane, uint16_t role)
{
    for (uint32_t i = 0; i < lane->known.count; i++) {
        if (lane->known.jobs[i].role == role) return &lane->known.jobs[i];
    }
    return NULL;
}

/* The review that just ended tells what its first lookers say of the tree. */
static void known_take(const struct step *step, struct lane *lane)
{
    const struct engine *engine = step->engine;

    arena_release(&lane->known.arena);
    lane->known.count = 0;
    if (plan_prover(engine->plan, lane->phase, ROLE_NONE) == ROLE_NONE) return;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        const struct job *job = &lane->review.jobs[i];
        if (engine->plan->roles[job->role].first) batch_copy(&lane->known, job);
    }
}

/* The next prover behind the last one looks; false: there is none that must. */
static bool repair_prove(struct step *step, struct lane *lane, uint32_t copy, uint16_t last)
{
    const struct plan *plan = step->engine->plan;
    const struct gate *gate = lane_gate(step->engine, lane);
    uint16_t role = last;

    while ((role = plan_prover(plan, lane->phase, role)) != ROLE_NONE) {
        bool known = role == gate->prover ? lane->proof != PROOF_UNKNOWN
                                          : lane_known(lane, role) != NULL;

        if (copy == PROOF_BEFORE && known) continue;
        batch_begin(step, lane, lane->tallies[lane->phase].rounds);
        batch_add(step, lane, role, FOR_PROOF, copy);
        return true;
    }
    return false;
}

void lane_repair(struct step *step, struct lane *lane)
{
    assert(lane_gate(step->engine, lane)->repair.role != ROLE_NONE);
    review_keep_words(step->engine, lane);
    iteration_begin(step, lane);
    lane_move(step, lane, LANE_REPAIRING);
    if (!repair_prove(step, lane, PROOF_BEFORE, ROLE_NONE)) repair_go_on(step, lane, 0);
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
    lane->merged_end = REASON_NONE;
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

static void at_bound(struct step *step, struct lane *lane, enum question question,
                     enum reason reason)
{
    const struct engine *engine = step->engine;

    switch (lane_gate(step->engine, lane)->at_bound) {
    case BOUND_STOP:
        stop(step, lane, reason);
        break;
    case BOUND_ASK:
    case BOUND_ESCALATE:
        lane_ask(step, lane, question);
        break;
    case BOUND_RESTART:
        if (engine->iteration < engine->plan->iteration_max) {
            restart(step, lane);
        } else {
            stop(step, lane, reason);
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

bool gate_may_repair(const struct gate *gate, const struct tally *tally)
{
    return gate->repair_max == NO_BOUND ||
           tally->repairs + tally->looks_more < gate->repair_max + tally->granted;
}

/* The findings in lane->review ask for what the gate says. */
static void gate_fail(struct step *step, struct lane *lane)
{
    const struct engine *engine = step->engine;
    const struct gate *gate = lane_gate(step->engine, lane);
    const struct tally *tally = &lane->tallies[lane->phase];

    switch (gate->on_fail) {
    case FAIL_REPAIR:
        if (gate_may_repair(gate, tally)) {
            lane_repair(step, lane);
        } else {
            at_bound(step, lane, ASK_BOUND, REASON_BOUND);
        }
        break;
    case FAIL_RESTART:
        if (engine->iteration < engine->plan->iteration_max) {
            restart(step, lane);
        } else {
            at_bound(step, lane, ASK_BOUND, REASON_BOUND);
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

/* What is parked waits for a person: one is asked where the gate asks, else the lane rests. */
static void gate_rest(struct step *step, struct lane *lane)
{
    enum at_bound at_bound = lane_gate(step->engine, lane)->at_bound;

    if (at_bound == BOUND_ASK || at_bound == BOUND_ESCALATE) lane_ask(step, lane, ASK_STUCK);
    else lane_move(step, lane, LANE_STUCK);
}

static void gate_follow(struct step *step, struct lane *lane, enum policy_next next,
                        enum reason reason)
{
    switch (next) {
    case POLICY_PASS:
        gate_pass(step, lane, reason, false);
        break;
    case POLICY_REPAIR:
        gate_fail(step, lane);
        break;
    case POLICY_LOOK:
        gate_enter(step, lane, lane->phase);
        break;
    case POLICY_STUCK:
        gate_rest(step, lane);
        break;
    case POLICY_BOUND:
        at_bound(step, lane, ASK_BOUND, reason);
        break;
    }
}

bool vote_is_of_job(const struct vote *vote, const struct batch *review, const struct job *job)
{
    return vote->iteration == review->iteration && vote->round == review->round &&
           vote->role == job->role && str_eq(vote->by, job->result.by);
}

/* Whether the job's review has this finding as one that a person has waived, or that too few
 * reviewers report. */
static bool is_left(const struct engine *engine, const struct lane *lane, const struct job *job,
                    const struct finding *finding)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, lane->id, &entries);
    bool votes = lane_gate(engine, lane)->votes_min > 1;

    for (uint32_t i = 0; i < count; i++) {
        bool left = entries[i].state == FINDING_WAIVED ||
                    (votes && entries[i].state == FINDING_NOTED);

        if (entries[i].phase != lane->phase || !left) continue;
        for (uint32_t k = 0; k < entries[i].vote_count; k++) {
            const struct finding *told = &entries[i].votes[k].finding;

            if (!vote_is_of_job(&entries[i].votes[k], &lane->review, job)) continue;
            if (told->line == finding->line && str_eq(told->file, finding->file) &&
                str_eq(told->text, finding->text)) {
                return true;
            }
        }
    }
    return false;
}

/* Of a gate that has no policy: takes what a person has waived, and what too few reviewers report,
 * out of lane->review, but where its fixers work by groups, which are of all findings. Whether
 * nothing else was found. */
static bool review_spares(const struct engine *engine, struct lane *lane)
{
    const struct gate *gate = lane_gate(engine, lane);
    uint32_t left = 0;

    if (engine->ledger.waiver_count == 0 && gate->votes_min < 2) return false;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        struct job *job = &lane->review.jobs[i];
        struct result *result = &job->result;
        struct finding *kept = arena_alloc(&lane->review.arena,
                                           (result->finding_count + 1) * sizeof *kept);
        uint32_t count = 0;

        for (uint32_t k = 0; k < result->finding_count; k++) {
            if (is_left(engine, lane, job, &result->findings[k])) continue;
            kept[count++] = result->findings[k];
        }
        left += count;
        if (count == 0 && result->finding_count == 0 && result->verdict == VERDICT_FINDINGS) {
            left++; /* it found something and lists nothing */
        }
        if (gate->repair.by_groups) continue;
        result->findings = kept;
        result->finding_count = count;
    }
    return left == 0;
}

void after_review(struct step *step, struct lane *lane)
{
    const struct gate *gate = lane_gate(step->engine, lane);
    struct round *round = round_of(step->engine, lane);
    enum verdict verdict = batch_verdict(&lane->now);
    enum reason reason = REASON_NONE;

    assert(round); /* gate_enter() made it */
    if (gate->policy && policy_ask_rest(step, lane)) return;
    batch_keep(lane, &lane->review);
    doc_keep(lane, &lane->review);
    known_take(step, lane);
    round->ended_ms = step->engine->now_ms;
    round->verdict = verdict;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        round->finding_count += lane->review.jobs[i].result.finding_count;
    }
    if (verdict == VERDICT_NOT_PLAYED) {
        stop(step, lane, REASON_UNSEEN);
    } else if (gate->policy) {
        enum policy_next next = policy_after_review(step, lane, &reason);
        gate_follow(step, lane, next, reason);
    } else if (verdict == VERDICT_CLEAN) {
        gate_pass(step, lane, REASON_NONE, false);
    } else if (verdict == VERDICT_FINDINGS && review_spares(step->engine, lane)) {
        gate_pass(step, lane, REASON_NONE, true);
    } else if (gate->repeat_max > 0 && repeats_update(lane, gate->repeat_max)) {
        at_bound(step, lane, ASK_REPEAT, REASON_BOUND);
    } else {
        gate_fail(step, lane);
    }
}

/* One more repair, however many there were. */
static void repair_grant(struct lane *lane, const struct gate *gate)
{
    struct tally *tally = &lane->tallies[lane->phase];

    if (!gate_may_repair(gate, tally)) tally->granted++;
}

/* The bound holds for what follows: what was asked for by name is repaired once in any case. */
bool gate_begin_given(struct step *step, struct lane *lane, const struct result *given)
{
    const struct phase *phase = &step->engine->plan->phases[0];
    const struct gate *gate = &phase->gate;
    struct round *round;

    if (phase->work.role != ROLE_NONE || gate->on_fail != FAIL_REPAIR) return false;
    round = round_add(step, lane, 0);
    lane_move(step, lane, LANE_REVIEWING);
    batch_begin(step, lane, round->number);
    batch_give(step, lane, gate->reviewers[0], given);
    batch_keep(lane, &lane->review);
    round->ended_ms = step->engine->now_ms;
    round->verdict = VERDICT_FINDINGS;
    round->finding_count = given->finding_count;
    policy_give(lane);
    repair_grant(lane, gate);
    lane_repair(step, lane);
    return true;
}

void gate_recheck(struct step *step, struct lane *lane)
{
    uint32_t target = lane_gate(step->engine, lane)->recheck;

    if (step->engine->plan->phases[target].fan && !lane_is_task(lane)) {
        lane_enter(step, lane, target);
    } else {
        gate_enter(step, lane, target);
    }
}

static bool is_unchanged(const struct batch *repair)
{
    for (uint32_t i = 0; i < repair->count; i++) {
        if (!repair->jobs[i].result.unchanged) return false;
    }
    return true;
}

/* Whether the tree is as the last review saw it: no gate before this one has to look again. What
 * was given no review of this run has seen yet; and a repair that leads to tasks has made some. */
static bool repair_left_tree(const struct step *step, const struct lane *lane)
{
    const struct gate *gate = lane_gate(step->engine, lane);

    return gate->policy && !batch_is_given(&lane->review) && is_unchanged(&lane->repair) &&
           !lane->drifted &&
           (gate->recheck == lane->phase || !step->engine->plan->phases[gate->recheck].fan);
}

/* Likewise, and no other eyes are to look. */
static bool repair_is_idle(const struct step *step, const struct lane *lane)
{
    return repair_left_tree(step, lane) && policy_would_repeat(step->engine, lane);
}

/* What follows a repair that stays. */
static void repair_done(struct step *step, struct lane *lane)
{
    const struct repair *repair = &lane_gate(step->engine, lane)->repair;

    if (repair->then != ROLE_NONE) {
        lane_move(step, lane, LANE_FINISHING);
        batch_begin(step, lane, lane->tallies[lane->phase].rounds);
        batch_add(step, lane, repair->then, FOR_THEN, 1);
    } else if (repair_left_tree(step, lane)) {
        gate_enter(step, lane, lane->phase);
    } else {
        gate_recheck(step, lane);
    }
}

/* The repair in lane->repair changed nothing in the end. What got worse is kept with it. */
static void repair_take_back(struct step *step, struct lane *lane, struct str problem)
{
    struct batch *repair = &lane->repair;
    enum reason reason = REASON_NONE;
    enum policy_next next;
    bool again;

    lane->tallies[lane->phase].unreviewed++;
    for (uint32_t i = 0; i < repair->count; i++) {
        repair->jobs[i].result.taken_back = true;
        repair->jobs[i].result.problem = arena_copy(&repair->arena, problem);
    }
    batch_begin(step, lane, 0); /* no job is left, where none follows */
    next = policy_after_take_back(step, lane, &reason);
    again = next == POLICY_REPAIR &&
            gate_may_repair(lane_gate(step->engine, lane), &lane->tallies[lane->phase]);
    if (lane->drifted || (batch_is_given(&lane->review) && !again)) {
        gate_recheck(step, lane); /* no review of this run has seen the tree as it is now */
    } else {
        gate_follow(step, lane, next, reason);
    }
}

void after_proof(struct step *step, struct lane *lane)
{
    const struct job *job = &lane->now.jobs[0];
    uint16_t role = job->role;
    uint32_t copy = job->copy;

    if (job->result.taken_back && copy == PROOF_AFTER) {
        repair_take_back(step, lane, job->result.problem);
        return;
    }
    if (role == lane_gate(step->engine, lane)->prover) {
        lane->proof = job->result.verdict == VERDICT_CLEAN ? PROOF_HOLDS : PROOF_FAILS;
    } else if (copy == PROOF_BEFORE) {
        batch_append(lane, &lane->known);
    }
    if (repair_prove(step, lane, copy, role)) return;
    if (copy == PROOF_BEFORE) {
        repair_go_on(step, lane, 0);
    } else {
        batch_begin(step, lane, 0);
        policy_tree_changed(step->engine, lane);
        repair_done(step, lane);
    }
}

void after_repair(struct step *step, struct lane *lane)
{
    const struct gate *gate = lane_gate(step->engine, lane);
    const struct repair *repair = &gate->repair;
    struct round *round = round_of(step->engine, lane);
    uint32_t done = lane->now.jobs[lane->now.count - 1].copy;
    bool stuck = false, proves;

    for (uint32_t i = 0; i < lane->now.count; i++) {
        stuck = stuck || lane->now.jobs[i].result.stuck;
    }
    if (!lane_is_task(lane)) fan_take_groups(step, &lane->now);
    if (lane->now.jobs[0].copy == 1) {
        batch_keep(lane, &lane->repair);
    } else {
        batch_append(lane, &lane->repair);
    }
    if (!repair_left_tree(step, lane)) lane->mints = 0;
    if (!(stuck && repair->on_stuck != STUCK_REPAIRED) && repair_go_on(step, lane, done)) return;
    doc_keep(lane, &lane->repair);
    if (stuck && repair->on_stuck == STUCK_ASK) {
        lane_ask(step, lane, ASK_STUCK); /* nothing was repaired yet */
        return;
    }
    lane->tallies[lane->phase].repairs++;
    proves = plan_prover(step->engine->plan, lane->phase, ROLE_NONE) != ROLE_NONE &&
             !is_unchanged(&lane->repair) &&
             !(stuck && repair->on_stuck == STUCK_REST);
    if (!proves && !is_unchanged(&lane->repair)) policy_tree_changed(step->engine, lane);
    if (round) round->repaired_ms = step->engine->now_ms;
    if (stuck && repair->on_stuck == STUCK_REST) {
        lane_move(step, lane, LANE_STUCK);
        return;
    }
    iteration_end(step, lane);
    if (repair_is_idle(step, lane)) {
        enum reason reason = REASON_NONE;
        enum policy_next next = policy_after_idle(step, lane, &reason);

        lane->tallies[lane->phase].unreviewed++;
        gate_follow(step, lane, next, reason);
    } else if (!proves || !repair_prove(step, lane, PROOF_AFTER, ROLE_NONE)) {
        repair_done(step, lane);
    }
}

void gate_unstick(struct step *step, struct lane *lane)
{
    repair_grant(lane, lane_gate(step->engine, lane));
    policy_unpark(step, lane);
    gate_recheck(step, lane);
}

static void lane_continue(struct step *step, struct lane *lane, enum question question)
{
    static const enum lane_state state_for[FOR_COUNT] = {
        [FOR_WORK] = LANE_WORKING,       [FOR_JOIN] = LANE_JOINING,
        [FOR_REVIEW] = LANE_REVIEWING,   [FOR_REPAIR] = LANE_REPAIRING,
        [FOR_PROOF] = LANE_REPAIRING,
        [FOR_THEN] = LANE_FINISHING,     [FOR_CHECKPOINT] = LANE_CHECKING,
        [FOR_INTEGRATE] = LANE_INTEGRATING,
    };
    const struct gate *gate = lane_gate(step->engine, lane);

    if (question == ASK_DEAD) {
        lane_move(step, lane, state_for[lane->now.jobs[0].purpose]);
        if (lane_is_task(lane)) {
            lane->parked = true;
        } else {
            lane_again(step, lane);
        }
        return;
    }
    repair_grant(lane, gate);
    policy_unpark(step, lane);
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
        lane->mints |= lane_gate(step->engine, lane)->mints;
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
