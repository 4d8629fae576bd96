/* SPDX-License-Identifier: Apache-2.0
 *
 * twin.c - the same events with and without attempts that were lost.
 *
 *   the engine    start        1.1 ends            2.1 ends
 *   the twin      start        1.1 is lost         2.1 ends
 *                              1.2 is lost
 *                              1.3 ends
 *
 * Before an attempt ends, up to LOSTS_MAX attempts of its job are lost in the twin, at moments
 * after the event before. The twin is then told the end of the attempt that is the newest there.
 *
 * 1. What is lost leads to one action: the next attempt of the same job, at once. What was wrong
 *    with the answer before it is still known.
 * 2. Every other event leads both to the same actions, but for the numbers of attempts.
 * 3. The engines stay the same in all that engine_print_fate() tells: reason, rounds, ledger,
 *    lanes, answers, allowances, what was used.
 *
 * An attempt is lost only where the engine asks for the next one by itself. Where a resume has to
 * do that, the run ends otherwise by right: while it stops, where the attempt was told to end,
 * where the budget has no room for one more, where the delivery is void, and where the attempt is
 * the fifth running that is lost. */
#include "twin.h"

#include "shared/engine_print.h"

#include <stdio.h>
#include <string.h>

enum { LOSTS_MAX = 4, TEXT_BYTES_MAX = 1 << 20, LOSES_PERCENT = 50 };

void twin_init(struct twin *twin, const struct plan *plan, uint64_t seed)
{
    *twin = (struct twin){ .prng = { seed } };
    engine_init(&twin->engine, plan);
}

void twin_release(struct twin *twin)
{
    engine_release(&twin->engine);
    actions_release(&twin->actions);
}

/* Whether the budget has room for one more of the job in place of the one that runs. */
static bool has_room(const struct engine *engine, const struct job *job)
{
    const struct costs *seen = &engine->costs[job->role];
    struct amounts share = engine_share(engine, job->id), used = engine_used(engine), expected;

    if (engine->plan->roles[job->role].builtin || job->purpose == FOR_PROOF) return true;
    if (seen->attempts == 0) seen = &engine->costs[ROLE_NONE];
    expected = costs_estimate(seen);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        uint64_t limit = engine->budget.limit.of[i];

        if (limit > 0 && (used.of[i] >= limit || share.of[i] < expected.of[i])) return false;
    }
    return !engine->spent;
}

/* Whether the next attempt of the job follows when the one that runs is lost. */
static bool job_may_lose(const struct engine *engine, uint32_t id)
{
    const struct lane *lane;
    const struct job *job = engine_job(engine, id, &lane);
    uint32_t missing;

    if (engine->state != ENGINE_RUNNING || job->state != JOB_RUNNING || job->told) return false;
    missing = engine->plan->phases[lane->phase].needs & ~lane->mints;
    return job->lost_left > 0 && (lane->id > 0 || !missing) && has_room(engine, job);
}

/* A moment since the event before, when the time of the budget is not over. */
static uint64_t lost_ms(struct twin *twin, const struct event *event)
{
    uint64_t from_ms = twin->engine.now_ms, over_ms = engine_deadline_ms(&twin->engine), at_ms;

    if (event->now_ms <= from_ms) return from_ms;
    at_ms = from_ms + prng_below(&twin->prng, (uint32_t)(event->now_ms - from_ms) + 1);
    return over_ms > 0 && at_ms >= over_ms ? from_ms : at_ms;
}

/* The attempt of the job that runs in the twin is lost. False: the next one does not follow. */
static bool attempt_lose(struct twin *twin, const struct event *event)
{
    const struct job *job = engine_job(&twin->engine, event->job, NULL);
    struct result before = job->result;
    uint32_t attempt = job->attempt;
    const struct action *again;

    engine_step(&twin->engine, &(struct event){
        .kind = EV_ENDED, .now_ms = lost_ms(twin, event), .late = event->late, .job = event->job,
        .attempt = attempt,
        .result = { .verdict = VERDICT_FAILED, .failure = FAILURE_LOST,
                    .problem = STR("its worker is lost") } }, &twin->actions);
    twin->lost++;
    job = engine_job(&twin->engine, event->job, NULL);
    if (before.verdict == VERDICT_INVALID &&
        (job->result.verdict != VERDICT_INVALID || !str_eq(job->result.problem, before.problem))) {
        return false;
    }
    if (twin->actions.count != 2) return false;
    again = &twin->actions.item[1];
    return again->kind == ACT_START && again->job == event->job && again->attempt == attempt + 1 &&
           again->not_before_ms == 0;
}

static bool job_lose(struct twin *twin, const struct event *event)
{
    uint32_t losts = 0;

    if (prng_chance(&twin->prng, LOSES_PERCENT)) losts = 1 + prng_below(&twin->prng, LOSTS_MAX);
    for (uint32_t i = 0; i < losts && job_may_lose(&twin->engine, event->job); i++) {
        if (!attempt_lose(twin, event)) return false;
    }
    return true;
}

static bool action_is_same(const struct action *a, const struct action *b)
{
    return a->kind == b->kind && a->job == b->job && a->lane == b->lane && a->role == b->role &&
           a->purpose == b->purpose && a->phase == b->phase && a->iteration == b->iteration &&
           a->round == b->round && a->copy == b->copy && a->eye == b->eye &&
           a->recheck == b->recheck && a->not_before_ms == b->not_before_ms &&
           a->question == b->question && a->reason == b->reason;
}

const char *twin_step(struct twin *twin, struct engine *engine, const struct event *event,
                      struct actions *out)
{
    const struct job *job = engine_job(engine, event->job, NULL);
    struct event own = *event;

    if (event->kind == EV_ENDED && job) {
        bool ends = job->state == JOB_RUNNING && job->attempt == event->attempt;

        if (!engine_job(&twin->engine, event->job, NULL)) return "twin 2: it has no such job";
        if (ends && event->result.failure != FAILURE_LOST && !job_lose(twin, event)) {
            return "twin 1: what was lost is not asked for again as it was, at once";
        }
        own.attempt += engine_job(&twin->engine, event->job, NULL)->attempt - job->attempt;
    }
    engine_step(&twin->engine, &own, &twin->actions);
    engine_step(engine, event, out);
    if (twin->actions.count != out->count) return "twin 2: more actions, or less";
    for (uint32_t i = 0; i < out->count; i++) {
        if (!action_is_same(&twin->actions.item[i], &out->item[i])) return "twin 2: another action";
    }
    return NULL;
}

const char *twin_compare(const struct twin *twin, const struct engine *engine)
{
    const char *problem = NULL;
    struct buf one, other;

    buf_init(&one, TEXT_BYTES_MAX);
    buf_init(&other, TEXT_BYTES_MAX);
    engine_print_fate(engine, &one);
    engine_print_fate(&twin->engine, &other);
    if (one.overflow || other.overflow) {
        problem = "the engine's text is too long";
    } else if (strcmp(buf_cstr(&one), buf_cstr(&other)) != 0) {
        problem = "twin 3: it is another";
        fprintf(stderr, "without what was lost:\n%s\nwith it:\n%s\n", buf_cstr(&one),
                buf_cstr(&other));
    }
    buf_release(&one);
    buf_release(&other);
    return problem;
}
