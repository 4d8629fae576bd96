/* SPDX-License-Identifier: Apache-2.0
 *
 * spending.c - what a run has used of its budget, in words and in JSON. The engine counts and
 * decides (core/spend.c). */
#include "report/spending.h"

#include "format/text/budget_text.h"

static struct amounts used_now(const struct engine *engine, uint64_t more_ms)
{
    struct amounts used = engine_used(engine);

    used.of[BUDGET_TIME] = amount_sum(used.of[BUDGET_TIME], more_ms);
    return used;
}

static void json_amount(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                        enum budget_part part, uint64_t amount)
{
    if (part == BUDGET_USD) {
        yyjson_mut_obj_add_real(doc, object, key, (double)amount / 1e6);
    } else {
        yyjson_mut_obj_add_uint(doc, object, key, amount);
    }
}

void spending_json(const struct engine *engine, uint64_t more_ms, yyjson_mut_doc *doc,
                   yyjson_mut_val *root)
{
    static const char *const keys[BUDGET_PART_COUNT] = {
        [BUDGET_USD] = "usd", [BUDGET_TOKENS] = "tokens", [BUDGET_TIME] = "time_ms",
        [BUDGET_CALLS] = "calls",
    };
    const struct budget *budget = &engine->budget;
    struct amounts used = used_now(engine, more_ms);
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, root, "budget");

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        enum budget_part part = (enum budget_part)i;
        yyjson_mut_val *row = yyjson_mut_obj_add_obj(doc, object, keys[i]);

        if (budget->limit.of[i] == 0) yyjson_mut_obj_add_null(doc, row, "limit");
        else json_amount(doc, row, "limit", part, budget->limit.of[i]);
        json_amount(doc, row, "spent", part, used.of[i]);
        json_amount(doc, row, "reserved", part, engine->reserved.of[i]);
        if (budget->limit.of[i] == 0) yyjson_mut_obj_add_null(doc, row, "left");
        else json_amount(doc, row, "left", part,
                         budget_left(budget, part, &used, &engine->reserved));
    }
    yyjson_mut_obj_add_str(doc, object, "when_spent", budget->stop ? "stop" : "wait");
    yyjson_mut_obj_add_bool(doc, object, "is_spent", engine->spent);
}

void spending_sum(const struct engine *engine, uint64_t more_ms, struct buf *out)
{
    struct amounts used = used_now(engine, more_ms);
    bool said = false;

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (used.of[i] == 0 && (i == BUDGET_USD || i == BUDGET_TOKENS)) continue;
        if (said) buf_text(out, ", ");
        amount_write((enum budget_part)i, used.of[i], true, out);
        said = true;
    }
}

bool spending_line(const struct engine *engine, uint64_t more_ms, enum budget_part part,
                   struct buf *out)
{
    const struct budget *budget = &engine->budget;
    struct amounts used = used_now(engine, more_ms);

    if (budget->limit.of[part] == 0) return false;
    amount_write(part, used.of[part], false, out);
    buf_text(out, " of ");
    amount_write(part, budget->limit.of[part], true, out);
    buf_text(out, " spent");
    if (part == BUDGET_USD || part == BUDGET_TOKENS) {
        buf_text(out, ", ");
        amount_write(part, engine->reserved.of[part], false, out);
        buf_text(out, " reserved");
    }
    buf_text(out, ", ");
    amount_write(part, budget_left(budget, part, &used, &engine->reserved), false, out);
    buf_text(out, " left");
    return true;
}

bool spending_share(const struct engine *engine, uint64_t more_ms, enum budget_part part,
                    uint32_t *out)
{
    uint64_t limit = engine->budget.limit.of[part];
    uint64_t used = used_now(engine, more_ms).of[part];

    *out = used >= limit ? 1000 : (uint32_t)((double)used * 1000 / (double)limit);
    return limit > 0;
}

/* Twice as much of what the next agent would have had no room in; of all where that is none. */
void spending_more(const struct engine *engine, struct buf *out)
{
    const struct budget *budget = &engine->budget;
    struct amounts used = engine_used(engine);
    struct amounts next = costs_estimate(&engine->costs[ROLE_NONE]), none = { 0 };
    struct budget more = { 0 };

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        struct budget one = { 0 };

        one.limit.of[i] = budget->limit.of[i];
        if (budget_allows(&one, &used, &none, &next)) continue;
        more.limit.of[i] = 2 * (used.of[i] > budget->limit.of[i] ? used.of[i]
                                                                  : budget->limit.of[i]);
    }
    if (budget_has_limit(&more)) {
        budget_write(&more, out);
        return;
    }
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) more.limit.of[i] = 2 * budget->limit.of[i];
    budget_write(&more, out);
}
