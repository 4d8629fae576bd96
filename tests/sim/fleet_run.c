/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_run.c - a run whose agents always answer the same. */
#include "fleet_run.h"

#include "base/mem.h"
#include "moves.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROUNDS_BAD = 2, STEP_MS = 10 };

/* ---- the plan ---- */

static void make_plan(struct fleet_run *run, struct prng *prng)
{
    static const enum plan_kind kinds[] = { PLAN_REVIEW, PLAN_ITERATE, PLAN_CYCLES, PLAN_SESSION,
                                            PLAN_LOOPS, PLAN_LOOPS };
    enum plan_kind kind = kinds[prng_below(prng, sizeof kinds / sizeof kinds[0])];
    struct plan_size size = plans_size(kind);

    size.reviewers = 1 + prng_below(prng, 4);
    size.repairs = size.revisions = ROUNDS_BAD + 1;
    size.invalid_max = size.failed_max = 1;
    size.copies = 1 + prng_below(prng, 3);
    size.by_groups = prng_chance(prng, 50);
    size.lite = prng_chance(prng, 50);
    size.on_fail = FAIL_REPAIR;
    size.phases = 1 + prng_below(prng, 3);
    size.repeats = 0;
    size.lanes = 1 + prng_below(prng, 3);
    size.runs = 1 + prng_below(prng, 3);
    size.checkpoint = 0; /* it reviews what happens to be there */
    size.gated = prng_chance(prng, 50);
    plans_make(&run->fixture, kind, &size);
}

/* ---- what agents say ---- */

static uint64_t mix(uint64_t sum, uint64_t number)
{
    struct prng prng = { sum ^ (number + UINT64_C(0x9e3779b97f4a7c15)) };

    return prng_next(&prng);
}

/* A number that follows from what an agent was asked. */
static uint64_t asked(const struct fleet_run *run, const struct action *action)
{
    const struct lane *lane = &run->engine.lanes[action->lane];
    uint64_t sum = mix(run->seed, action->lane);

    sum = mix(sum, action->phase);
    sum = mix(sum, action->iteration);
    sum = mix(sum, action->round);
    sum = mix(sum, action->copy);
    sum = mix(sum, action->role);
    sum = mix(sum, action->purpose);
    return mix(sum, lane->runs);
}

static bool may_be_bad(const struct fleet_run *run, const struct action *action)
{
    const struct tally *tally = &run->engine.lanes[action->lane].tallies[action->phase];

    return action->round <= ROUNDS_BAD && tally->repairs < ROUNDS_BAD;
}

/* The phase before the one that fans names the tasks. */
static bool names_tasks(const struct fleet_run *run, const struct action *action)
{
    const struct plan *plan = &run->fixture.plan;

    return action->lane == 0 && action->purpose == FOR_WORK &&
           action->phase + 1 < plan->phase_count && plan->phases[action->phase + 1].fan;
}

static enum how good_answer(const struct fleet_run *run, const struct action *action)
{
    const struct phase *phase = &run->fixture.plan.phases[action->phase];
    const struct lane *lane = &run->engine.lanes[action->lane];
    uint64_t dice = asked(run, action);

    switch (action->purpose) {
    case FOR_WORK:
    case FOR_JOIN:
        if (names_tasks(run, action)) return HOW_TASKS_2 + (enum how)(dice % 3);
        if (phase->work.run_max == 0) return HOW_CLEAN;
        return dice % 2 == 0 || lane->runs + 1 >= phase->work.run_max ? HOW_COMPLETE : HOW_CLEAN;
    case FOR_REVIEW:
        if (!may_be_bad(run, action) || dice % 3 != 0) return HOW_CLEAN;
        return phase->gate.repair.by_groups && dice % 2 == 0 ? HOW_GROUPS : HOW_FINDINGS;
    case FOR_INTEGRATE:
        return may_be_bad(run, action) && dice % 5 == 0 ? HOW_FINDINGS : HOW_CLEAN;
    case FOR_REPAIR:
    case FOR_PROOF:
    case FOR_THEN:
    case FOR_CHECKPOINT:
    case FOR_COUNT: return HOW_CLEAN;
    }
    return HOW_CLEAN;
}

static enum how answer(const struct fleet_run *run, const struct action *action)
{
    bool builtin = run->fixture.plan.roles[action->role].builtin;
    uint64_t dice = mix(asked(run, action), run->seed);

    if (!builtin && run->bad[action->job % FS_KEYS] == 0 && dice % 8 == 0) {
        return dice % 16 == 0 ? HOW_INVALID : HOW_FAILED;
    }
    return good_answer(run, action);
}

/* ---- events ---- */

static void attempt_add(struct fleet_run *run, const struct action *action)
{
    if (run->attempt_count == FS_KEYS) world_fail("too many attempts");
    run->attempts[run->attempt_count++] = (struct fleet_attempt){
        .action = *action, .how = (uint8_t)answer(run, action),
    };
}

static void attempt_stop(struct fleet_run *run, const struct action *action)
{
    for (uint32_t i = 0; i < run->attempt_count; i++) {
        struct fleet_attempt *attempt = &run->attempts[i];

        if (attempt->action.job == action->job && attempt->action.attempt == action->attempt) {
            attempt->stop = true;
        }
    }
}

static void run_take(struct fleet_run *run, const struct event *event)
{
    run->journal = mem_grow(run->journal, run->journal_count, &run->journal_cap,
                            sizeof *run->journal);
    run->journal[run->journal_count++] = *event;
    engine_step(&run->engine, event, &run->actions);
    for (uint32_t i = 0; i < run->actions.count; i++) {
        const struct action *action = &run->actions.item[i];

        if (action->kind == ACT_START) attempt_add(run, action);
        if (action->kind == ACT_STOP) attempt_stop(run, action);
        if (action->kind != ACT_FINISH) continue;
        run->ended = true;
        run->left = action->reason == REASON_FAILED || action->reason == REASON_INTERRUPTED;
        if (action->reason == REASON_WAITING || action->reason == REASON_ESCALATED) {
            world_fail("a question that was to be avoided");
        }
    }
}

static struct event event_of(enum event_kind kind, enum how how, uint64_t now_ms)
{
    struct world world = { .now_ms = now_ms, .tasks_first = 0 };
    struct event event = move_event(&world, (struct move){ .kind = MOVE_START,
                                                           .how = (uint8_t)how });

    event.kind = kind;
    return event;
}

void fleet_run_init(struct fleet_run *run, uint64_t seed)
{
    struct prng prng = { seed };

    run->seed = seed;
    make_plan(run, &prng);
    engine_init(&run->engine, &run->fixture.plan);
}

void fleet_run_release(struct fleet_run *run)
{
    engine_release(&run->engine);
    actions_release(&run->actions);
    free(run->journal);
}

void fleet_run_start(struct fleet_run *run, uint64_t now_ms)
{
    struct event event = event_of(EV_START, HOW_CLEAN, now_ms);

    run_take(run, &event);
}

uint32_t fleet_run_next(struct fleet_run *run)
{
    return run->told < run->attempt_count ? run->told++ : FS_KEYS;
}

void fleet_run_end(struct fleet_run *run, uint32_t key, bool lost, uint64_t now_ms)
{
    struct fleet_attempt *attempt = &run->attempts[key];
    uint32_t *bad = &run->bad[attempt->action.job % FS_KEYS];
    struct event event = event_of(EV_ENDED, (enum how)attempt->how, now_ms);

    if (attempt->journaled) world_fail("2: %" PRIu32 " has ended twice", key);
    attempt->journaled = true;
    event.job = attempt->action.job;
    event.attempt = attempt->action.attempt;
    if (lost) {
        event.result = (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_LOST };
    } else {
        *bad = attempt->how >= HOW_INVALID ? *bad + 1 : 0;
    }
    run_take(run, &event);
}

void fleet_run_replay(struct fleet_run *run)
{
    engine_release(&run->engine);
    engine_init(&run->engine, &run->fixture.plan);
    for (uint32_t i = 0; i < run->journal_count; i++) {
        engine_step(&run->engine, &run->journal[i], &run->actions);
    }
    run->told = run->attempt_count; /* what was not sent yet is asked for by the resume */
}

bool fleet_run_has(const struct fleet_run *run, uint32_t key)
{
    const struct fleet_attempt *attempt = &run->attempts[key];
    const struct job *job = engine_job(&run->engine, attempt->action.job, NULL);

    return job && job->state == JOB_RUNNING && job->attempt == attempt->action.attempt;
}

void fleet_run_resume(struct fleet_run *run, uint64_t now_ms)
{
    struct event event = { .kind = EV_RESUME, .now_ms = now_ms };

    for (uint32_t i = 0; i < run->attempt_count; i++) run->attempts[i].journaled = true;
    if (run->ended && !run->left) return; /* what was caught up was its end */
    run->ended = run->left = false;
    run->told = run->attempt_count; /* what was asked for while the journal was caught up */
    run_take(run, &event);
}

/* ---- the end ---- */

void fleet_run_print(const struct fleet_run *run, struct buf *out)
{
    const struct engine *engine = &run->engine;

    buf_printf(out, "%s, iteration %" PRIu32 ", rounds %" PRIu32 "\n",
               reason_word(engine->reason), engine->iteration, engine->round_count);
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        buf_printf(out, "lane %" PRIu32 " %s phase %" PRIu32 " runs %" PRIu32, i,
                   lane_state_word(lane->state), lane->phase, lane->runs);
        for (uint32_t k = 0; k < run->fixture.plan.phase_count; k++) {
            buf_printf(out, " %" PRIu32 "/%" PRIu32, lane->tallies[k].rounds,
                       lane->tallies[k].repairs);
        }
        buf_printf(out, "\n");
    }
}

void fleet_run_here(struct fleet_run *run)
{
    uint64_t now_ms = STEP_MS;
    uint32_t key;

    fleet_run_start(run, now_ms);
    while ((key = fleet_run_next(run)) < FS_KEYS) {
        now_ms += STEP_MS;
        if (!run->attempts[key].stop) fleet_run_end(run, key, false, now_ms);
    }
    if (!run->ended) world_fail("on one machine it does not end");
}
