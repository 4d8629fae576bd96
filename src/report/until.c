/* SPDX-License-Identifier: Apache-2.0
 *
 * until.c - a gate with a policy, for a person at the end of the run:
 *
 *     13 calls; looked: 5 reviewers by claude, 5 reviewers by codex; checker by claude rechecked
 *     1 repair; expected to be left: 0.4 grave, by simulation: in about 3 of 10 such ends there is
 *     one; one more look: 5 calls, about $0.42
 *
 * Where findings are open, what is expected to be left comes to them, and that is said.
 *
 * How often an end is wrong is what the simulation of many runs gave, and no more than that
 * (docs/convergence.md). Where the guess itself goes by what the user's own runs showed
 * (plan.missed), it says so. */
#include "report/until.h"

#include "format/text/safe.h"
#include "run/cast.h"

#include <inttypes.h>
#include <string.h>

enum { NAMES_BYTES_MAX = 4096, PLACE_BYTES_MAX = 300, MILLE = 1000 };

/* Whether a review of the phase is complete. */
static bool has_looked(const struct run *run, uint32_t phase)
{
    const struct engine *engine = &run->engine;

    for (uint32_t i = 0; run->plan.phases[phase].gate.policy && i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];
        if (round->lane == 0 && round->phase == phase && round->ended_ms > 0) return true;
    }
    return false;
}

/* What was looked at; a review that could not be completed, or in which no reviewer had anything
 * to look at, counts for nothing. */
struct seen {
    uint32_t looks, rechecks;
    bool complete; /* the newest review counts */
};

static struct seen seen_of(const struct run *run, uint32_t phase)
{
    const struct engine *engine = &run->engine;
    const struct tally *tally = &engine->lanes[0].tallies[phase];
    bool recheck = engine->lanes[0].now.recheck;
    struct seen seen = {
        .looks = tally->looked,
        .rechecks = tally->rounds - tally->looked - tally->broken - tally->given,
        .complete = true,
    };

    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];
        if (round->lane == 0 && round->phase == phase && round->iteration == engine->iteration &&
            round->number == tally->rounds) {
            seen.complete = round->ended_ms > 0 && engine->reason != REASON_UNSEEN;
        }
    }
    if (!seen.complete && recheck && seen.rechecks > 0) seen.rechecks--;
    if (!seen.complete && !recheck && seen.looks > 0) seen.looks--;
    return seen;
}

/* Whether the role looked at nothing in the newest review: there was nothing for it. */
static bool has_nothing_to_see(const struct run *run, uint16_t role)
{
    const struct batch *review = &run->engine.lanes[0].review;

    for (uint32_t i = 0; i < review->count; i++) {
        const struct job *job = &review->jobs[i];
        if (job->role == role && job->result.verdict == VERDICT_NOT_PLAYED) return true;
    }
    return false;
}

/* Those who look with one eye, by backend: "5 reviewers by claude", "critic by gcc, 4 by codex". */
static void say_panel(const struct run *run, const struct gate *gate, uint32_t eye,
                      struct buf *out)
{
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        struct action action = { .role = gate->reviewers[i], .eye = eye, .purpose = FOR_REVIEW };
        const char *name = agent_of(run, &action)->backend->name;
        uint32_t same = 0, before = 0;

        if (has_nothing_to_see(run, gate->reviewers[i])) continue;
        for (uint32_t k = 0; k < gate->reviewer_count; k++) {
            struct action other = { .role = gate->reviewers[k], .eye = eye,
                                    .purpose = FOR_REVIEW };
            bool alike = strcmp(agent_of(run, &other)->backend->name, name) == 0 &&
                         !has_nothing_to_see(run, gate->reviewers[k]);

            same += alike;
            before += alike && k < i;
        }
        if (before > 0) continue;
        buf_text(out, out->size ? ", " : "");
        if (same == 1) buf_text(out, run->plan.roles[gate->reviewers[i]].name);
        else buf_printf(out, "%" PRIu32 " reviewers", same);
        buf_printf(out, " by %s", name);
    }
}

/* How many of the looks were by these eyes: the panel's, or those of the one that looks alone. */
static uint32_t times_of(const struct gate *gate, uint32_t looks, uint32_t eyes, uint32_t eye,
                         bool alone)
{
    uint32_t times = 0;

    for (uint32_t i = eye; i < looks; i += eyes) {
        times += (gate->policy->panel_once && i > 0) == alone;
    }
    return times;
}

/* "5 reviewers by claude, 5 reviewers by codex 2 times" */
static void say_looks(const struct run *run, const struct gate *gate, uint16_t checker,
                      uint32_t looks, struct buf *out)
{
    uint32_t eyes = run->plan.eyes;

    for (uint32_t i = 0; i < 2 * eyes; i++) {
        struct action action = { .role = checker, .eye = i % eyes, .purpose = FOR_REVIEW };
        bool alone = i >= eyes;
        uint32_t times = times_of(gate, looks, eyes, action.eye, alone);

        if (times == 0) continue;
        if (!alone) say_panel(run, gate, action.eye, out);
        else buf_printf(out, ", %s by %s", run->plan.roles[checker].name,
                        agent_of(run, &action)->backend->name);
        if (times > 1) buf_printf(out, " %" PRIu32 " times", times);
    }
}

static void say_lookers(const struct run *run, uint32_t phase, struct buf *out)
{
    const struct gate *gate = &run->plan.phases[phase].gate;
    const struct tally *tally = &run->engine.lanes[0].tallies[phase];
    struct seen seen = seen_of(run, phase);
    uint16_t checker = gate_checker(&run->plan, gate);
    struct buf names;

    buf_init(&names, NAMES_BYTES_MAX);
    say_looks(run, gate, checker, seen.looks, &names);
    if (names.size) buf_printf(out, "; looked: %s", buf_cstr(&names));
    if (seen.rechecks > 0) {
        struct action action = { .role = checker, .purpose = FOR_REVIEW };

        buf_printf(out, "; %s by %s rechecked %" PRIu32 " repair%s", run->plan.roles[checker].name,
                   agent_of(run, &action)->backend->name, seen.rechecks,
                   seen.rechecks == 1 ? "" : "s");
    }
    if (tally->broken > 0) {
        buf_printf(out, "; %" PRIu32 " review%s by analyzers alone, for it did not build",
                   tally->broken, tally->broken == 1 ? "" : "s");
    }
    buf_release(&names);
}

static bool is_measured(const struct plan *plan)
{
    return plan->missed[0] != 0;
}

/* In how many of ten such ends a grave fault is left all the same; 0: that was not looked at. */
static uint32_t wrong_of_ten(const struct run *run, uint32_t phase)
{
    const struct policy *policy = run->plan.phases[phase].gate.policy;
    enum reason reason = run->engine.reason;

    return reason == REASON_CONVERGED ? policy->wrong_converged
           : reason == REASON_SETTLED ? policy->wrong_settled : 0;
}

/* Whether there is a guess of what is left: it is of a whole change, with all that was found. */
static bool is_guessed(const struct seen *seen)
{
    return seen->looks > 0 && seen->complete;
}

static bool is_by_programs(const struct run *run, const struct gate *gate)
{
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        if (!run->plan.roles[gate->reviewers[i]].first) return false;
    }
    return true;
}

static bool has_open(const struct engine *engine)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, 0, &entries);

    for (uint32_t i = 0; i < count; i++) {
        if (finding_is_open(entries[i].state)) return true;
    }
    return false;
}

static void say_left(const struct run *run, uint32_t phase, struct buf *out)
{
    uint32_t left = policy_left(&run->engine, 0, phase), wrong = wrong_of_ten(run, phase);
    struct seen seen = seen_of(run, phase);

    if (!is_guessed(&seen)) return;
    buf_printf(out, "; expected to be left%s: %.1f grave, by %s",
               has_open(&run->engine) ? " beside what is open" : "", left / (double)MILLE,
               is_measured(&run->plan) ? "your runs so far" : "simulation");
    if (is_by_programs(run, &run->plan.phases[phase].gate)) {
        buf_text(out, ", as if models had looked, and only analyzers have");
    } else if (wrong) {
        buf_printf(out, "%s in about %" PRIu32 " of 10 such ends there is one",
                   is_measured(&run->plan) ? "; in simulation" : ":", wrong);
    }
}

/* What those who look next cost: the mean of what each of these roles cost so far. */
static struct amounts look_amounts(const struct run *run, uint32_t phase)
{
    const struct gate *gate = &run->plan.phases[phase].gate;
    bool alone = gate->policy->panel_once && seen_of(run, phase).looks > 0;
    uint32_t count = alone ? 1 : gate->reviewer_count;
    struct amounts sum = { { 0 } };

    for (uint32_t i = 0; i < count; i++) {
        uint16_t role = alone ? gate_checker(&run->plan, gate) : gate->reviewers[i];
        struct amounts one = costs_estimate(&run->engine.costs[role]);

        for (uint32_t k = 0; k < BUDGET_PART_COUNT; k++) sum.of[k] += one.of[k];
    }
    return sum;
}

static void say_look(const struct run *run, uint32_t phase, struct buf *out)
{
    struct amounts look = look_amounts(run, phase);

    buf_printf(out, "; one more look: %" PRIu64 " call%s", look.of[BUDGET_CALLS],
               look.of[BUDGET_CALLS] == 1 ? "" : "s");
    if (look.of[BUDGET_USD] == 0) return;
    buf_printf(out, ", about $%" PRIu64 ".%02" PRIu64, look.of[BUDGET_USD] / 1000000,
               look.of[BUDGET_USD] % 1000000 / 10000);
}

/* "notes.txt:12 had something new in 4 reviews running: cut there ..." */
static void say_place(const struct run *run, uint32_t phase, struct buf *out)
{
    const struct ledger_entry *place = policy_place(&run->engine, 0, phase);

    if (run->engine.reason != REASON_OSCILLATING || !place) return;
    safe_text(out, place->finding.file.size ? place->finding.file : STR("one place"), true,
              PLACE_BYTES_MAX);
    if (place->finding.line) buf_printf(out, ":%" PRIu32, place->finding.line);
    buf_printf(out, " had something new in %" PRIu32 " reviews running: cut there instead of "
               "patching, or write that place anew\n", place->streak);
}

void until_say(const struct run *run, struct buf *out)
{
    for (uint32_t i = 0; run->agents && i < run->plan.phase_count; i++) {
        const struct phase *phase = &run->plan.phases[i];

        if (!has_looked(run, i)) continue;
        if (run->plan.phase_count > 1) buf_printf(out, "phase %s: ", phase->name);
        buf_printf(out, "%" PRIu64 " call%s in all", run->engine.calls,
                   run->engine.calls == 1 ? "" : "s");
        say_lookers(run, i, out);
        say_left(run, i, out);
        say_look(run, i, out);
        buf_byte(out, '\n');
        say_place(run, i, out);
    }
}

static void json_eyes(const struct run *run, yyjson_mut_doc *doc, yyjson_mut_val *object)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, "eyes");
    struct arena arena = { 0 };
    const char *eye;

    for (uint32_t i = 1; (eye = settings_eye(&run->settings, i, &arena)); i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(eye)));
    }
    arena_release(&arena);
}

static void json_place(const struct run *run, uint32_t phase, yyjson_mut_doc *doc,
                       yyjson_mut_val *object)
{
    const struct ledger_entry *place = policy_place(&run->engine, 0, phase);
    struct arena arena = { 0 };
    yyjson_mut_val *value;

    if (run->engine.reason != REASON_OSCILLATING || !place) return;
    value = yyjson_mut_obj_add_obj(doc, object, "place");
    json_add_text(doc, value, "at", str_of(arena_printf(&arena, "%.*s:%" PRIu32,
                                                        STR_ARG(place->finding.file),
                                                        place->finding.line)));
    arena_release(&arena);
    json_add_text(doc, value, "file", place->finding.file);
    yyjson_mut_obj_add_uint(doc, value, "line", place->finding.line);
    yyjson_mut_obj_add_uint(doc, value, "reviews", place->streak);
}

void until_json(const struct run *run, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    uint32_t phase = run->plan.phase_count;
    const struct tally *tally;
    yyjson_mut_val *object;
    struct amounts look;
    struct seen seen;

    while (phase > 0 && !has_looked(run, phase - 1)) phase--;
    if (phase-- == 0) return;
    tally = &run->engine.lanes[0].tallies[phase];
    seen = seen_of(run, phase);
    look = look_amounts(run, phase);
    object = yyjson_mut_obj_add_obj(doc, root, "until");
    json_add(doc, object, "policy", run->plan.phases[phase].gate.policy->name);
    json_add(doc, object, "phase", run->plan.phases[phase].name);
    yyjson_mut_obj_add_uint(doc, object, "looks", seen.looks);
    yyjson_mut_obj_add_uint(doc, object, "rechecks", seen.rechecks);
    yyjson_mut_obj_add_uint(doc, object, "broken", tally->broken);
    json_eyes(run, doc, object);
    if (is_guessed(&seen)) {
        yyjson_mut_obj_add_real(doc, object, "expected_left",
                                policy_left(&run->engine, 0, phase) / (double)MILLE);
    }
    json_add(doc, object, "expected_by", is_measured(&run->plan) ? "runs" : "simulation");
    if (wrong_of_ten(run, phase)) {
        yyjson_mut_obj_add_real(doc, object, "wrong_share", wrong_of_ten(run, phase) / 10.0);
    }
    yyjson_mut_obj_add_uint(doc, object, "look_calls", look.of[BUDGET_CALLS]);
    yyjson_mut_obj_add_real(doc, object, "look_cost", (double)look.of[BUDGET_USD] / 1e6);
    json_place(run, phase, doc, object);
}
