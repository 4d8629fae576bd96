/* SPDX-License-Identifier: Apache-2.0 */
#include "core/budget.h"

/* An estimate is never larger: the estimates of all running agents can be added up. */
#define ESTIMATE_MAX (UINT64_C(1) << 40)

uint64_t amount_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void costs_add(struct costs *costs, uint64_t cost_micros, uint64_t tokens)
{
    costs->attempts++;
    costs->cost_micros = amount_sum(costs->cost_micros, cost_micros);
    costs->tokens = amount_sum(costs->tokens, tokens);
}

static uint64_t mean(uint64_t sum, uint64_t count)
{
    uint64_t up = count == 0 ? 0 : sum / count + (sum % count != 0);

    return up < ESTIMATE_MAX ? up : ESTIMATE_MAX;
}

struct amounts costs_estimate(const struct costs *costs)
{
    return (struct amounts){ .of = {
        [BUDGET_USD] = mean(costs->cost_micros, costs->attempts),
        [BUDGET_TOKENS] = mean(costs->tokens, costs->attempts),
        [BUDGET_CALLS] = 1,
    } };
}

bool budget_allows(const struct budget *budget, const struct amounts *used,
                   const struct amounts *reserved, const struct amounts *estimate)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        uint64_t limit = budget->limit.of[i];
        uint64_t taken = amount_sum(used->of[i], reserved->of[i]);

        if (limit == 0) continue;
        if (used->of[i] >= limit || amount_sum(taken, estimate->of[i]) > limit) return false;
    }
    return true;
}

bool budget_is_over(const struct budget *budget, const struct amounts *used)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        uint64_t limit = budget->limit.of[i];

        if (i != BUDGET_CALLS && limit > 0 && used->of[i] >= limit) return true;
    }
    return false;
}

bool budget_has_limit(const struct budget *budget)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (budget->limit.of[i] > 0) return true;
    }
    return false;
}

uint64_t budget_left(const struct budget *budget, enum budget_part part,
                     const struct amounts *used, const struct amounts *reserved)
{
    uint64_t taken = amount_sum(used->of[part], reserved->of[part]);

    return budget->limit.of[part] > taken ? budget->limit.of[part] - taken : 0;
}

struct budget budget_within(const struct budget *budget, const struct budget *bound)
{
    struct budget narrow = *budget;

    narrow.stop = budget->stop || bound->stop;
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        uint64_t most = bound->limit.of[i];

        if (most == 0) continue;
        if (narrow.limit.of[i] == 0 || narrow.limit.of[i] > most) narrow.limit.of[i] = most;
    }
    return narrow;
}
