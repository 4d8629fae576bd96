/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.c - until what a gate goes on.
 *
 * The rows below are what a user chooses by name. A second look of the same eyes at unchanged text
 * finds little, a look of other eyes finds more, and the fourth repair buys nothing: so looks are
 * few and by other eyes in turn, what follows is a recheck of the last repair by one reviewer, and
 * what is small is noted, not repaired, the later the more.
 *
 *            .-- looks left: the panel of the next eyes, at all of it
 *   ENTER ---+-- else: the checker, at the last repair and what is open
 *            '-- "clean": always the panel
 *
 * Those that look first (analyzers) are asked before the others of a panel, and in every recheck.
 * While they say that the work is broken, no other is asked: its repair follows, and the look is
 * owed still.
 *
 *   review --> the ledger judges (ledger.c) --> accepted: new, persisting, regressed
 *
 *   nothing accepted:  something is parked ................ stuck
 *                      a look is owed, so much was found ... LOOK
 *                      little is expected to be left ....... passes, converged; else settled
 *   else:              too often new at one place .......... oscillating
 *                      "clean", and not less two times ..... diverging
 *                      no repair left ...................... bound (gate.c)
 *                      else ................................ repair what is accepted, ENTER again
 *
 * 1. No role looks with the same eyes twice at unchanged text: a repair that changed nothing is
 *    followed by other eyes or by none. Then what the fixer gave a reason for is noted, and the
 *    rest is parked, as is all that is grave.
 * 2. Nothing ends on a tree that no review has seen: every end follows a review, or a repair that
 *    changed nothing.
 * 3. Reviews are bounded by review_max, and a finding's repairs by tries_max.
 *    A repair that was taken back changed nothing in the end, and its findings were tried once
 *    more: no review looks at the same tree again, the next repair follows.
 * 4. Before a repair lane->review is narrowed to what is accepted, in every wording, so that
 *    fixers, prompts and files need to know nothing of policies. */
#include "core/step.h"

#include <assert.h>

static const struct policy policies[] = {
    { .name = "settled", .looks = 2, .floor_first = SEVERITY_LOW, .floor_look = SEVERITY_LOW,
      .floor_recheck = SEVERITY_MEDIUM, .review_max = 5, .region_max = 4, .tries_max = 3,
      .wrong_converged = 3, .wrong_settled = 5 },
    { .name = "lean", .looks = 2, .looks_grave = 3, .grave_min = 5, .panel_once = true,
      .floor_first = SEVERITY_LOW, .floor_look = SEVERITY_MEDIUM, .floor_recheck = SEVERITY_HIGH,
      .review_max = 7, .region_max = 4, .tries_max = 3,
      .wrong_converged = 4, .wrong_settled = 6 },
    { .name = "thorough", .looks = 2, .looks_grave = 3, .grave_min = 5,
      .floor_first = SEVERITY_LOW, .floor_look = SEVERITY_LOW, .floor_recheck = SEVERITY_MEDIUM,
      .review_max = 7, .region_max = 4, .tries_max = 3,
      .wrong_converged = 3, .wrong_settled = 4 },
    { .name = "clean", .to_clean = true, .floor_first = SEVERITY_LOW, .floor_look = SEVERITY_LOW,
      .floor_recheck = SEVERITY_LOW, .review_max = 20, .region_max = 4, .tries_max = 3 },
};

const struct policy *policy_find(struct str name)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (str_is(name, policies[i].name)) return &policies[i];
    }
    return NULL;
}

/* The policy for one gate: with the bound that the user said, where there is one. */
static const struct policy *policy_for(const struct gate *gate, const struct policy *policy,
                                       struct arena *arena)
{
    struct policy *bounded;

    if (!gate->bound_said || gate->repair_max == NO_BOUND) return policy;
    bounded = arena_alloc(arena, sizeof *bounded);
    *bounded = *policy;
    bounded->review_max = gate->repair_max + 1;
    return bounded;
}

void plan_until(struct plan *plan, const struct policy *policy, uint32_t eyes,
                struct arena *arena)
{
    struct phase *phases = arena_alloc(arena, plan->phase_count * sizeof *phases);

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        phases[i] = plan->phases[i];
        if (phases[i].gate.on_fail != FAIL_REPAIR || phases[i].gate.reviewer_count == 0) continue;
        phases[i].gate.policy = policy_for(&phases[i].gate, policy, arena);
        phases[i].gate.repair_max = phases[i].gate.policy->review_max - 1;
        phases[i].gate.repeat_max = 0;
    }
    plan->role_count += plan->checker_count;
    plan->checker_count = 0;
    plan->phases = phases;
    plan->eyes = eyes;
}

void plan_first(struct plan *plan, const bool *first, struct arena *arena)
{
    struct role *roles = arena_alloc(arena, plan->role_count * sizeof *roles);

    for (uint32_t i = 0; i < plan->role_count; i++) {
        roles[i] = plan->roles[i];
        roles[i].first = first[i];
    }
    plan->roles = roles;
}

/* ---- what is left ---- */

/* So much of what is grave is missed, in thousandths: by no look, by one of a panel, and by more
 * looks of other eyes. */
static const uint32_t missed[1 + MEASURE_LOOKS] = { 1000, 360, 250, 180, 150 };

enum { GRAVE_PRIOR = 1500, GRAVE_TRUE = 800, SHAPE = 1700, LEFT_LITTLE = 600 };

uint32_t policy_missed(uint32_t looks)
{
    assert(looks <= MEASURE_LOOKS);
    return missed[looks];
}

/* The posterior mean of a gamma prior: 1.5 grave faults in a change more than were found, of which
 * eight of ten are true. */
uint32_t policy_left(const struct engine *engine, uint32_t lane, uint32_t phase)
{
    const struct tally *tally = &engine->lanes[lane].tallies[phase];
    uint32_t looks = tally->looked < MEASURE_LOOKS ? tally->looked : MEASURE_LOOKS;
    const uint32_t *measured = engine->plan->missed;
    uint64_t miss;

    miss = looks > 0 && measured[looks - 1] ? measured[looks - 1] : missed[looks];
    return (uint32_t)((GRAVE_PRIOR + GRAVE_TRUE * (uint64_t)tally->grave) * miss / (SHAPE - miss));
}

/* ---- who looks ---- */

struct ledger_rule policy_rule(const struct engine *engine, const struct batch *review)
{
    const struct gate *gate = &engine->plan->phases[review->phase].gate;
    const struct policy *policy = gate->policy;

    if (!policy) {
        return (struct ledger_rule){ .votes_min = gate->votes_min,
                                     .votes_or_evidence = gate->votes_or_evidence };
    }
    return (struct ledger_rule){ .policy = true, .floor = review->floor,
                                 .tries_max = policy->tries_max, .roles = engine->plan->roles };
}

/* Whether the next review is a recheck. */
static bool is_recheck(const struct policy *policy, const struct tally *tally)
{
    return !policy->to_clean && !tally->look_more &&
           (tally->given || tally->looked >= policy->looks);
}

void policy_tree_changed(const struct engine *engine, struct lane *lane)
{
    bool looks = lane->now.count > 0 && lane->now.jobs[0].purpose == FOR_REVIEW;

    for (uint32_t i = 0; i < engine->plan->phase_count; i++) lane->tallies[i].looked_here = 0;
    lane->known.count = 0;
    if (lane_gate(engine, lane)->policy && looks && !lane->now.recheck) {
        lane->tallies[lane->phase].looked_here = 1; /* it is asked for again */
    }
}

bool policy_would_repeat(const struct engine *engine, const struct lane *lane)
{
    const struct tally *tally = &lane->tallies[lane->phase];

    return is_recheck(lane_gate(engine, lane)->policy, tally) || lane->review.held ||
           tally->looked_here >= engine->plan->eyes;
}

/* Whether one reviewer looks for all: a recheck, or a later look where the policy says so. */
static bool is_alone(const struct gate *gate, const struct lane *lane)
{
    return lane->now.recheck || (gate->policy->panel_once && lane->tallies[lane->phase].looked > 1);
}

/* Who looks beside those that look first: the nth of the panel, or the one that looks alone. */
static uint16_t other_at(const struct engine *engine, const struct lane *lane, uint32_t nth)
{
    const struct gate *gate = lane_gate(engine, lane);
    uint16_t role = ROLE_NONE;

    if (is_alone(gate, lane)) role = nth == 0 ? gate_checker(engine->plan, gate) : ROLE_NONE;
    else if (nth < gate->reviewer_count) role = gate->reviewers[nth];
    /* Where those that look first have been asked, one more such has nothing to add. */
    if (role != ROLE_NONE && engine->plan->roles[role].first && lane->now.count > 0) {
        return ROLE_NONE;
    }
    return role;
}

static bool has_rest(const struct engine *engine, const struct lane *lane)
{
    for (uint32_t i = 0; i < lane_gate(engine, lane)->reviewer_count; i++) {
        if (other_at(engine, lane, i) != ROLE_NONE) return true;
    }
    return false;
}

static void ask_first(struct step *step, struct lane *lane)
{
    const struct gate *gate = lane_gate(step->engine, lane);

    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        uint16_t role = gate->reviewers[i];
        if (step->engine->plan->roles[role].first) batch_add(step, lane, role, FOR_REVIEW, 1);
    }
}

static void ask_rest(struct step *step, struct lane *lane)
{
    for (uint32_t i = 0; i < lane_gate(step->engine, lane)->reviewer_count; i++) {
        uint16_t role = other_at(step->engine, lane, i);
        if (role != ROLE_NONE) batch_add(step, lane, role, FOR_REVIEW, 1);
    }
}

void policy_give(struct lane *lane)
{
    struct tally *tally = &lane->tallies[lane->phase];
    const struct result *given = &lane->review.jobs[0].result;

    tally->given = true;
    for (uint32_t i = 0; i < given->finding_count; i++) {
        tally->grave += given->findings[i].severity == SEVERITY_HIGH;
    }
}

void policy_ask(struct step *step, struct lane *lane)
{
    const struct gate *gate = lane_gate(step->engine, lane);
    const struct policy *policy = gate->policy;
    struct tally *tally = &lane->tallies[lane->phase];
    bool recheck = is_recheck(policy, tally);
    struct batch *now = &lane->now;

    now->recheck = recheck;
    now->eye = recheck ? 0 : tally->looked % step->engine->plan->eyes;
    now->floor = recheck ? policy->floor_recheck
                 : tally->looked == 0 ? policy->floor_first : policy->floor_look;
    if (!recheck) {
        tally->looked++;
        tally->looked_here++;
    }
    tally->look_more = false;
    ask_first(step, lane);
    if (now->count > 0) now->held = has_rest(step->engine, lane);
    else ask_rest(step, lane);
}

/* What those who looked first found keeps the others from looking: it does not build, and that is
 * to be repaired. */
static bool is_broken(const struct engine *engine, const struct lane *lane)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, lane->id, &entries);
    bool broken = false, accepted = false;

    for (uint32_t i = 0; i < lane->now.count; i++) {
        broken = broken || lane->now.jobs[i].result.broken;
    }
    for (uint32_t i = 0; broken && i < count; i++) {
        accepted = accepted || (entries[i].phase == lane->phase &&
                                finding_is_accepted(entries[i].state));
    }
    return accepted;
}

bool policy_ask_rest(struct step *step, struct lane *lane)
{
    if (!lane->now.held) return false;
    if (is_broken(step->engine, lane)) {
        lane->tallies[lane->phase].broken++;
        if (!lane->now.recheck) {
            lane->tallies[lane->phase].looked--;
            lane->tallies[lane->phase].looked_here--;
        }
        return false;
    }
    lane->now.held = false;
    ask_rest(step, lane);
    return true;
}

/* ---- what follows ---- */

/* What the ledger has of a gate. */
struct sum {
    uint32_t accepted, parked, grave; /* grave: accepted in the newest round for the first time */
    uint32_t weight, weight_of_repair;
    uint32_t streak;
};

static struct sum sum_of(const struct engine *engine, const struct lane *lane)
{
    static const uint32_t weights[SEVERITY_COUNT] = { 1, 2, 5 };
    const struct batch *review = &lane->review;
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, lane->id, &entries);
    struct sum sum = { .accepted = 0 };

    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = &entries[i];
        uint32_t weight = weights[entry->finding.severity];

        if (entry->phase != lane->phase) continue;
        sum.parked += entry->state == FINDING_PARKED;
        if (!finding_is_accepted(entry->state)) continue;
        sum.accepted++;
        sum.grave += entry->state == FINDING_NEW && entry->finding.severity == SEVERITY_HIGH;
        sum.weight += weight;
        if (entry->cause_round > 0 && entry->round_first == review->round) {
            sum.weight_of_repair += weight;
        }
        if (entry->streak_iteration == review->iteration &&
            entry->streak_round == review->round && entry->streak > sum.streak) {
            sum.streak = entry->streak;
        }
    }
    return sum;
}

const struct ledger_entry *policy_place(const struct engine *engine, uint32_t lane, uint32_t phase)
{
    const struct ledger_entry *entries, *most = NULL;
    uint32_t count = ledger_of_lane(&engine->ledger, lane, &entries);

    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].phase != phase || entries[i].streak == 0) continue;
        if (!most || entries[i].streak > most->streak) most = &entries[i];
    }
    return most;
}

/* The findings of one job that are accepted; the first has what no reviewer reported again, too. */
static void review_narrow_job(const struct engine *engine, struct lane *lane, uint32_t at)
{
    struct batch *review = &lane->review;
    struct job *job = &review->jobs[at];
    const struct ledger_entry *entries;
    uint32_t total = ledger_of_lane(&engine->ledger, lane->id, &entries), room = 1, count = 0;
    struct finding *findings;

    for (uint32_t i = 0; i < total; i++) room += entries[i].vote_count;
    findings = arena_alloc(&review->arena, room * sizeof *findings);
    for (uint32_t i = 0; i < total; i++) {
        const struct ledger_entry *entry = &entries[i];
        bool told = entry->round_last == review->round &&
                    entry->iteration_last == review->iteration;

        if (entry->phase != lane->phase || !finding_is_accepted(entry->state)) continue;
        if (!told && at == 0) findings[count++] = finding_copy(&entry->finding, &review->arena);
        for (uint32_t k = 0; told && k < entry->vote_count; k++) {
            if (!vote_is_of_job(&entry->votes[k], review, job)) continue;
            findings[count++] = finding_copy(&entry->votes[k].finding, &review->arena);
        }
    }
    job->result.findings = findings;
    job->result.finding_count = count;
}

static void review_narrow(const struct engine *engine, struct lane *lane)
{
    if (lane_gate(engine, lane)->repair.by_groups) return; /* its groups are of all findings */
    if (lane->conflict) return;                            /* lane->review tells of that */
    for (uint32_t i = 0; i < lane->review.count; i++) review_narrow_job(engine, lane, i);
}

/* Nothing is accepted: it passes, or what is parked keeps it. */
static enum policy_next pass_or_rest(struct step *step, struct lane *lane, const struct sum *sum,
                                     enum reason *reason)
{
    const struct policy *policy = lane_gate(step->engine, lane)->policy;

    if (sum->parked > 0) return POLICY_STUCK;
    if (policy->to_clean) {
        *reason = batch_verdict(&lane->review) == VERDICT_CLEAN ? REASON_CLEAN : REASON_SETTLED;
    } else {
        uint32_t left = policy_left(step->engine, lane->id, lane->phase);
        *reason = left <= LEFT_LITTLE ? REASON_CONVERGED : REASON_SETTLED;
    }
    return POLICY_PASS;
}

/* Counts the reviews running in which what is open got no less, half of it and more by the last
 * repair. */
static void rising_count(struct tally *tally, const struct sum *sum)
{
    bool rises = tally->rounds > 1 && sum->weight >= tally->weight &&
                 2 * sum->weight_of_repair >= sum->weight;

    tally->rising = rises ? tally->rising + 1 : 0;
    tally->weight = sum->weight;
}

enum policy_next policy_after_review(struct step *step, struct lane *lane, enum reason *reason)
{
    const struct policy *policy = lane_gate(step->engine, lane)->policy;
    struct tally *tally = &lane->tallies[lane->phase];
    struct sum sum = sum_of(step->engine, lane);

    rising_count(tally, &sum);
    tally->grave += sum.grave;
    if (sum.accepted == 0) {
        bool more = policy->grave_min > 0 && tally->grave >= policy->grave_min &&
                    tally->looked >= policy->looks && tally->looked < policy->looks_grave &&
                    tally->looked_here < step->engine->plan->eyes;

        if (more && tally->rounds < policy->review_max) {
            tally->look_more = true;
            tally->looks_more++;
            return POLICY_LOOK;
        }
        return pass_or_rest(step, lane, &sum, reason);
    }
    review_narrow(step->engine, lane);
    *reason = REASON_BOUND;
    if (policy->region_max > 0 && sum.streak >= policy->region_max) *reason = REASON_OSCILLATING;
    else if (policy->to_clean && tally->rising >= 2) *reason = REASON_DIVERGING;
    return *reason == REASON_BOUND ? POLICY_REPAIR : POLICY_BOUND;
}

enum policy_next policy_after_idle(struct step *step, struct lane *lane, enum reason *reason)
{
    struct sum sum;

    ledger_idle(&step->engine->ledger, lane->id, lane->phase);
    sum = sum_of(step->engine, lane);
    assert(sum.accepted == 0);
    return pass_or_rest(step, lane, &sum, reason);
}

enum policy_next policy_after_take_back(struct step *step, struct lane *lane, enum reason *reason)
{
    struct engine *engine = step->engine;
    struct sum sum;

    ledger_take_back(&engine->ledger, lane->id, lane->phase,
                     lane_gate(engine, lane)->policy->tries_max);
    sum = sum_of(engine, lane);
    if (sum.accepted == 0) return pass_or_rest(step, lane, &sum, reason);
    review_narrow(engine, lane);
    return POLICY_REPAIR;
}

void policy_unpark(struct step *step, struct lane *lane)
{
    if (!lane_gate(step->engine, lane)->policy) return;
    ledger_unpark(&step->engine->ledger, lane->id);
    review_narrow(step->engine, lane);
}

void policy_unwaive(struct step *step, struct lane *lane, const struct event *event)
{
    struct engine *engine = step->engine;

    if (!lane_gate(engine, lane)->policy) return;
    if (lane->tallies[lane->phase].end != REASON_NONE) return; /* it passed with what held then */
    if (!ledger_unwaive(&engine->ledger, lane->id, lane->phase, event->waivers,
                        event->waiver_count)) return;
    if (lane->state == LANE_REPAIRING) review_narrow(engine, lane);
}
