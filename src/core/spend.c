/* SPDX-License-Identifier: Apache-2.0
 *
 * spend.c - what the run uses: reserved before an agent starts, counted when it has ended, refused
 * when the budget has no room for it.
 *
 *   job_start --> allowed?  --yes--> reserved, one call --> attempt ends --> reservation freed,
 *                   |                                                       what it used counted
 *                   '--no--> JOB_HALTED; engine->spent: no agent starts any more, until a resume
 *                            or an answer opens the run again
 *
 * A run whose budget is spent walks on by itself: what runs ends, answers are taken, commits and
 * integrations are made. Only agents are not started. So it comes to rest with everything done that
 * costs nothing, and may still turn out to be clean.
 *
 * 1. engine->reserved is the sum of what the running jobs have reserved; a job that does not run
 *    has reserved nothing.
 * 2. calls counts each start of an agent. What hone does itself (builtin roles) costs nothing, nor
 *    does a proof, which no model gives.
 *    An attempt that the user's ceiling of calls did not let begin is none.
 *    An event that comes late (event.late: at a recovery, or of a past that a contract file tells)
 *    counts none: the resume behind it starts the agents.
 * 3. While spent, no agent starts. It is set when one was refused, when money, tokens or time are
 *    used up, and when an agent ended because of what was left for it.
 * 4. When money, tokens or time are used up, each attempt that waits for its time is told to end,
 *    once; where the budget says stop, each that runs. An attempt that was told to end and gave no
 *    answer is started again by a resume.
 *
 * Not here: the arithmetic (budget.c), when the time is over (the driver, by EV_SPENT). */
#include "core/step.h"

#include <assert.h>

static bool is_free(const struct engine *engine, const struct job *job)
{
    return engine->plan->roles[job->role].builtin || job->purpose == FOR_PROOF;
}

static uint64_t tokens_of(const struct usage *usage)
{
    return amount_sum(usage->tokens_in, usage->tokens_out);
}

struct amounts engine_used(const struct engine *engine)
{
    return (struct amounts){ .of = {
        [BUDGET_USD] = engine->usage.cost_micros,
        [BUDGET_TOKENS] = tokens_of(&engine->usage),
        [BUDGET_TIME] = engine->active_ms,
        [BUDGET_CALLS] = engine->calls,
    } };
}

/* Of its role so far, else of all agents. */
static struct amounts estimate(const struct engine *engine, const struct job *job)
{
    const struct costs *own = &engine->costs[job->role];

    return costs_estimate(own->attempts > 0 ? own : &engine->costs[ROLE_NONE]);
}

bool spend_allows(struct step *step, const struct job *job)
{
    struct engine *engine = step->engine;
    struct amounts used = engine_used(engine), wanted = estimate(engine, job);

    if (is_free(engine, job)) return true;
    if (!engine->spent) {
        engine->spent = !budget_allows(&engine->budget, &used, &engine->reserved, &wanted);
    }
    return !engine->spent;
}

void spend_start(struct step *step, struct job *job)
{
    struct engine *engine = step->engine;

    if (is_free(engine, job)) return;
    job->reserved = estimate(engine, job);
    job->reserved.of[BUDGET_CALLS] = 0; /* used already */
    if (!step->late) engine->calls++;
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        engine->reserved.of[i] += job->reserved.of[i];
    }
}

void spend_free(struct engine *engine, struct job *job)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        assert(engine->reserved.of[i] >= job->reserved.of[i]);
        engine->reserved.of[i] -= job->reserved.of[i];
    }
    job->reserved = (struct amounts){ 0 };
    job->told = false;
}

void spend_end(struct step *step, struct job *job)
{
    struct engine *engine = step->engine;
    const struct usage *usage = &job->result.usage;

    spend_free(engine, job);
    usage_add(&engine->usage, usage);
    if (is_free(engine, job)) return;
    if (job->result.failure == FAILURE_CEILING) { /* it was not started: no call was made */
        if (engine->calls > 0) engine->calls--;
        return;
    }
    if (job->result.failure == FAILURE_LOST) return; /* what it used is not known */
    costs_add(&engine->costs[job->role], usage->cost_micros, tokens_of(usage));
    costs_add(&engine->costs[ROLE_NONE], usage->cost_micros, tokens_of(usage));
}

bool spend_cuts(struct step *step, const struct job *job, bool told)
{
    struct engine *engine = step->engine;

    if (job->result.failure == FAILURE_BUDGET && engine->budget.limit.of[BUDGET_USD] > 0) {
        engine->spent = true;
        return true;
    }
    return told;
}

void spend_look(struct step *step)
{
    struct engine *engine = step->engine;
    struct amounts used = engine_used(engine);

    if (engine->cut || !budget_is_over(&engine->budget, &used)) return;
    engine->spent = engine->cut = true;
    job_stop_all(step, engine->budget.stop);
}

uint64_t engine_deadline_ms(const struct engine *engine)
{
    uint64_t limit_ms = engine->budget.limit.of[BUDGET_TIME];

    if (limit_ms == 0 || engine->state != ENGINE_RUNNING || engine->cut) return 0;
    if (engine->active_ms >= limit_ms) return engine->now_ms;
    return amount_sum(engine->now_ms, limit_ms - engine->active_ms);
}

struct amounts engine_share(const struct engine *engine, uint32_t id)
{
    const struct job *job = engine_job(engine, id, NULL);
    struct amounts used = engine_used(engine), others = engine->reserved, share;

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (job) others.of[i] -= job->reserved.of[i];
        share.of[i] = budget_left(&engine->budget, (enum budget_part)i, &used, &others);
    }
    return share;
}
