/* SPDX-License-Identifier: Apache-2.0
 *
 * law_budget.c - what a run may use, told a second time: plain sums over small numbers. */
#include "law.h"

static bool is_agent(const struct world *world, uint16_t role)
{
    return !world->plan->roles[role].builtin;
}

/* What an agent of this role is expected to use: as they did so far on the average, or as all did;
 * never less than that. */
static uint64_t expected(const struct world *world, uint16_t role, bool tokens)
{
    const struct wcosts *seen = &world->spend.by_role[role];

    if (seen->ends == 0) seen = &world->spend.by_role[ROLE_NONE];
    if (seen->ends == 0) return 0;
    return ((tokens ? seen->tokens : seen->cost) + seen->ends - 1) / seen->ends;
}

/* Something must be left, and it must be enough with what others are expected to use. */
static bool fits(uint64_t limit, uint64_t used, uint64_t held, uint64_t more)
{
    return limit == 0 || (used < limit && used + held + more <= limit);
}

bool law_affords(const struct world *world, uint16_t role)
{
    const struct wspend *spend = &world->spend;
    const uint64_t *limit = world->budget.limit.of;

    if (!is_agent(world, role)) return true;
    return !world->spent &&
           fits(limit[BUDGET_USD], spend->cost, spend->held_cost, expected(world, role, false)) &&
           fits(limit[BUDGET_TOKENS], spend->tokens, spend->held_tokens,
                expected(world, role, true)) &&
           fits(limit[BUDGET_TIME], spend->active_ms, 0, 0) &&
           fits(limit[BUDGET_CALLS], spend->calls, 0, 1);
}

void law_reserve(struct world *world, struct wjob *job, bool late)
{
    if (!is_agent(world, job->role)) return;
    job->held_cost = (uint32_t)expected(world, job->role, false);
    job->held_tokens = (uint32_t)expected(world, job->role, true);
    world->spend.held_cost += job->held_cost;
    world->spend.held_tokens += job->held_tokens;
    world->spend.calls += !late;
}

void law_free(struct world *world, struct wjob *job)
{
    world->spend.held_cost -= job->held_cost;
    world->spend.held_tokens -= job->held_tokens;
    job->held_cost = job->held_tokens = 0;
}

static void note(struct wcosts *costs, uint64_t cost, uint64_t tokens)
{
    costs->ends++;
    costs->cost += (uint32_t)cost;
    costs->tokens += (uint32_t)tokens;
}

void law_settle(struct world *world, struct wjob *job, const struct result *result)
{
    const struct usage *usage = &result->usage;
    uint64_t tokens = usage->tokens_in + usage->tokens_out;

    law_free(world, job);
    world->spend.cost += usage->cost_micros;
    world->spend.tokens += tokens;
    if (!is_agent(world, job->role) || result->failure == FAILURE_LOST) return;
    note(&world->spend.by_role[job->role], usage->cost_micros, tokens);
    note(&world->spend.by_role[ROLE_NONE], usage->cost_micros, tokens);
}

bool law_used_up(const struct world *world, uint64_t more_ms)
{
    const struct wspend *spend = &world->spend;
    const uint64_t *limit = world->budget.limit.of;

    return (limit[BUDGET_USD] > 0 && spend->cost >= limit[BUDGET_USD]) ||
           (limit[BUDGET_TOKENS] > 0 && spend->tokens >= limit[BUDGET_TOKENS]) ||
           (limit[BUDGET_TIME] > 0 && spend->active_ms + more_ms >= limit[BUDGET_TIME]);
}

void law_time(struct world *world, const struct event *event)
{
    bool busy = world->state == ENGINE_RUNNING || world->state == ENGINE_STOPPING;

    if (event->now_ms <= world->now_ms) return;
    if (busy && event->kind != EV_RESUME && !event->late) {
        world->spend.active_ms += event->now_ms - world->now_ms;
    }
    world->now_ms = event->now_ms;
}

void law_open(struct world *world, const struct event *event)
{
    world->spent = world->cut = 0;
    if (event->has_budget) world->budget = event->budget;
}

bool law_refuses(struct world *world, uint16_t role)
{
    if (!is_agent(world, role) || law_affords(world, role)) return false;
    world->spent = 1;
    return true;
}
