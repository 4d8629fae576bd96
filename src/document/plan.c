/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - a loop drawn before it runs, as a document. */
#include "document/document.h"

static void names_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       const struct plan *plan, const uint16_t *roles, uint32_t count)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, key);

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(plan->roles[roles[i]].name)));
    }
}

static void phase_json(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct plan *plan,
                       uint32_t index)
{
    const struct phase *phase = &plan->phases[index];
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

    json_add(doc, object, "name", phase->name);
    if (phase->fan) yyjson_mut_obj_add_uint(doc, object, "lanes", plan->lane_max);
    if (phase->work.role != ROLE_NONE) {
        json_add(doc, object, "work", plan->roles[phase->work.role].name);
    }
    if (phase->gate.reviewer_count == 0) return;
    names_json(doc, object, "reviewers", plan, phase->gate.reviewers, phase->gate.reviewer_count);
    if (phase->gate.on_fail != FAIL_REPAIR) return;
    json_add(doc, object, "repair", plan->roles[phase->gate.repair.role].name);
    if (phase->gate.repair_max != NO_BOUND) {
        yyjson_mut_obj_add_uint(doc, object, "repairs", phase->gate.repair_max);
    }
}

void document_loop(const struct dialect *dialect, const struct plan *plan,
                   const struct forecast *forecast, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct plan_most *most = &forecast->most;
    yyjson_mut_val *list;

    json_add(doc, root, "dialect", dialect->name);
    json_add_text(doc, root, "about", str_of(dialect->summary));
    list = yyjson_mut_obj_add_arr(doc, root, "phases");
    for (uint32_t i = 0; i < plan->phase_count; i++) phase_json(doc, list, plan, i);
    yyjson_mut_obj_add_bool(doc, root, "bounded", most->bounded);
    if (forecast->tasks > 0) yyjson_mut_obj_add_uint(doc, root, "tasks", forecast->tasks);
    if (most->per_task) yyjson_mut_obj_add_bool(doc, root, "per_task", true);
    if (most->bounded) {
        yyjson_mut_obj_add_uint(doc, root, "agents_max", most->agents);
        yyjson_mut_obj_add_uint(doc, root, "rounds_max", most->rounds);
    }
    if (forecast->measured) {
        yyjson_mut_obj_add_uint(doc, root, "took_ms_max", forecast->took_ms);
        yyjson_mut_obj_add_uint(doc, root, "measured_runs", forecast->by_runs);
        yyjson_mut_obj_add_bool(doc, root, "measured_same", forecast->by_same);
        if (forecast->cost_micros) {
            yyjson_mut_obj_add_real(doc, root, "cost_max", (double)forecast->cost_micros / 1e6);
        }
    }
}
