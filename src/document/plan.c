/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - a loop as data for a drawing, before it runs; and where a run is in it.
 *
 * A phase that the main lane has behind it has passed; where it stands it is at work, or, of a run
 * that has ended, passed or left; what comes behind it is ahead. */
#include "document/parts.h"

#include "dialect/custom/custom.h"
#include "format/json/finding_json.h"
#include "run/teller.h"

static void names_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       const struct plan *plan, const uint16_t *roles, uint32_t count)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, key);

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(plan->roles[roles[i]].name)));
    }
}

static const char *role_name(const struct plan *plan, uint16_t role)
{
    return plan->roles[role].name;
}

/* ---- a phase ---- */

const char *loop_passes(const struct plan *plan, const struct loop *loop, uint32_t phase,
                        struct arena *arena)
{
    const struct gate *gate = &plan->phases[phase].gate;
    const struct custom_pass *pass = loop ? &loop->passes[phase] : NULL;
    const char *text = gate->policy
        ? arena_printf(arena, "as the policy %s says", gate->policy->name)
        : "when nothing is found";

    if (pass && pass->severity != SEVERITY_LOW) {
        text = arena_printf(arena, "%s that is at least %s", text, severity_word(pass->severity));
    }
    if (pass && pass->grade != GRADE_PASS) {
        text = arena_printf(arena, "%s; with a grade of %s, too", text, grade_word(pass->grade));
    }
    if (pass && pass->nonzero) text = arena_printf(arena, "%s; when the command fails", text);
    if (gate->votes_min > 1) {
        text = arena_printf(arena, "%s by %u reviewers%s; the rest is noted", text,
                            (unsigned)gate->votes_min,
                            gate->votes_or_evidence ? ", or by one with evidence" : "");
    }
    return text;
}

static void work_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct plan *plan,
                      const struct work *work)
{
    if (work->role == ROLE_NONE) return;
    json_add(doc, object, "work", role_name(plan, work->role));
    if (work->copies > 1) yyjson_mut_obj_add_uint(doc, object, "copies", work->copies);
    if (work->run_max > 0) yyjson_mut_obj_add_uint(doc, object, "again", work->run_max);
    if (work->checkpoint_every == 0) return;
    json_add(doc, object, "checkpoint", role_name(plan, work->checkpoint_role));
    yyjson_mut_obj_add_uint(doc, object, "checkpoint_every", work->checkpoint_every);
}

static void provers_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct plan *plan,
                         uint32_t phase)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, "provers");
    uint16_t prover = ROLE_NONE;

    while ((prover = plan_prover(plan, phase, prover)) != ROLE_NONE) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(role_name(plan, prover))));
    }
}

static void gate_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct loop_drawn *drawn,
                      const struct loop *loop, uint32_t index)
{
    static const char *const fails[] = {
        [FAIL_REPAIR] = "repair", [FAIL_RESTART] = "restart", [FAIL_PROCEED] = "proceed",
        [FAIL_STOP] = "stop",
    };
    static const char *const bounds[] = {
        [BOUND_STOP] = "stop", [BOUND_ASK] = "ask", [BOUND_ESCALATE] = "escalate",
        [BOUND_RESTART] = "restart", [BOUND_PROCEED] = "proceed", [BOUND_STUCK] = "stuck",
    };
    const struct plan *plan = drawn->plan;
    const struct gate *gate = &plan->phases[index].gate;
    struct arena arena = { 0 };

    if (gate->reviewer_count == 0) return;
    names_json(doc, object, "reviewers", plan, gate->reviewers, gate->reviewer_count);
    json_add(doc, object, "passes", loop_passes(plan, loop, index, &arena));
    yyjson_mut_obj_add_str(doc, object, "on_fail", fails[gate->on_fail]);
    yyjson_mut_obj_add_str(doc, object, "at_bound", bounds[gate->at_bound]);
    if (gate->policy) json_add(doc, object, "until", gate->policy->name);
    if (gate->policy) json_add(doc, object, "rechecker", role_name(plan, gate_checker(plan, gate)));
    if (gate->on_fail == FAIL_REPAIR) {
        json_add(doc, object, "repair", role_name(plan, gate->repair.role));
        if (gate->repair_max != NO_BOUND) {
            yyjson_mut_obj_add_uint(doc, object, "repairs", gate->repair_max);
        }
        if (gate->repair.then != ROLE_NONE) {
            json_add(doc, object, "then", role_name(plan, gate->repair.then));
        }
        yyjson_mut_obj_add_bool(doc, object, "by_groups", gate->repair.by_groups);
        yyjson_mut_obj_add_uint(doc, object, "recheck", gate->recheck);
        provers_json(doc, object, plan, index);
    }
    arena_release(&arena);
}

/* The phases whose gates mint what this one needs. */
static void needs_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct plan *plan,
                       uint32_t index)
{
    uint32_t needs = plan->phases[index].needs;
    yyjson_mut_val *list;

    if (needs == 0) return;
    list = yyjson_mut_obj_add_arr(doc, object, "needs");
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].gate.mints & needs) yyjson_mut_arr_add_uint(doc, list, i);
    }
    yyjson_mut_obj_add_bool(doc, object, "delivers", true);
}

static void phase_json(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct loop_drawn *drawn,
                       const struct loop *loop, uint32_t index)
{
    const struct plan *plan = drawn->plan;
    const struct phase *phase = &plan->phases[index];
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

    json_add(doc, object, "name", phase->name);
    if (phase->repair_name) json_add(doc, object, "repair_name", phase->repair_name);
    yyjson_mut_obj_add_bool(doc, object, "fan", phase->fan);
    if (phase->fan) yyjson_mut_obj_add_uint(doc, object, "lanes", plan->lane_max);
    work_json(doc, object, plan, &phase->work);
    gate_json(doc, object, drawn, loop, index);
    needs_json(doc, object, plan, index);
}

/* ---- who plays ---- */

static void roles_json(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct loop_drawn *drawn,
                       const struct loop *loop)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "roles");
    struct arena arena = { 0 };

    for (uint32_t i = 1; i < drawn->plan->role_count; i++) {
        const struct role *role = &drawn->plan->roles[i];
        bool runs = loop && loop->roles[i].kind == CUSTOM_RUN;
        const char *spec = role->builtin ? NULL
            : settings_spec(drawn->settings, drawn->dialect, role->name, 1, &arena);
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        json_add(doc, object, "name", role->name);
        yyjson_mut_obj_add_str(doc, object, "does", role->builtin ? "hone"
                                                    : role->writes ? "writes" : "reads");
        if (runs) json_add(doc, object, "command", loop->roles[i].text);
        if (spec) json_add(doc, object, "spec", spec);
        else yyjson_mut_obj_add_null(doc, object, "spec"); /* hone, or one that is chosen */
    }
    arena_release(&arena);
}

/* ---- the loop ---- */

void document_loop(const struct loop_drawn *drawn, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct plan *plan = drawn->plan;
    const struct forecast *forecast = drawn->forecast;
    const struct plan_most *most = &forecast->most;
    struct arena arena = { 0 };
    struct loop loop;
    bool has_loop = custom_loop(&drawn->settings->options, &arena, &loop);
    yyjson_mut_val *list;

    json_add(doc, root, "dialect", drawn->dialect->name);
    json_add_text(doc, root, "about", str_of(drawn->dialect->summary));
    list = yyjson_mut_obj_add_arr(doc, root, "phases");
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        phase_json(doc, list, drawn, has_loop ? &loop : NULL, i);
    }
    yyjson_mut_obj_add_uint(doc, root, "iterations", plan->iteration_max);
    if (plan->lane_max > 0) json_add(doc, root, "integrate", role_name(plan, plan->integrate));
    roles_json(doc, root, drawn, has_loop ? &loop : NULL);
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
    arena_release(&arena);
}

/* ---- where a run is in it ---- */

/* Whether a lane stands in a phase and has not ended there. */
static bool is_there(const struct lane *lane, uint32_t phase)
{
    return lane->phase == phase && lane->state != LANE_OVER && lane->state != LANE_MERGED &&
           lane->state != LANE_STUCK;
}

static const char *state_of(const struct status *status, uint32_t phase)
{
    const struct engine *engine = &status->replay->engine;
    const struct lane *main_lane = engine->lane_count > 0 ? &engine->lanes[0] : NULL;
    enum story_tone tone = tell_outcome(status->look, status->replay).tone;

    if (tone == STORY_GOOD) return "passed";
    if (!main_lane || phase > main_lane->phase) return "ahead";
    if (phase < main_lane->phase) return "passed";
    return tone == STORY_AT_WORK ? "at work" : "left";
}

static void now_json(const struct status *status, uint32_t phase, yyjson_mut_doc *doc,
                     yyjson_mut_val *object)
{
    const struct engine *engine = &status->replay->engine;
    yyjson_mut_val *lanes, *doing;
    uint32_t rounds = 0;

    for (uint32_t i = 0; i < engine->round_count; i++) rounds += engine->rounds[i].phase == phase;
    yyjson_mut_obj_add_str(doc, object, "state", state_of(status, phase));
    yyjson_mut_obj_add_uint(doc, object, "rounds", rounds);
    lanes = yyjson_mut_obj_add_arr(doc, object, "lanes");
    doing = yyjson_mut_obj_add_arr(doc, object, "doing");
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (!is_there(&engine->lanes[i], phase)) continue;
        yyjson_mut_arr_add_uint(doc, lanes, i);
        yyjson_mut_arr_add_str(doc, doing, lane_state_word(engine->lanes[i].state));
    }
}

void document_plan(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct run *run = status->replay;
    const struct engine *engine = &run->engine;
    struct forecast forecast;
    yyjson_mut_val *list;

    forecast_make(run->dialect, &run->settings.options, &run->plan, NULL, &forecast);
    json_add(doc, root, "run", status->look->run.id);
    document_loop(&(struct loop_drawn){ run->dialect, &run->settings, &run->plan, &forecast }, doc,
                  root);
    list = yyjson_mut_obj_add_arr(doc, root, "now");
    for (uint32_t i = 0; i < run->plan.phase_count; i++) {
        now_json(status, i, doc, yyjson_mut_arr_add_obj(doc, list));
    }
    list = yyjson_mut_obj_add_arr(doc, root, "at");
    for (uint32_t i = 0; i < run->plan.phase_count; i++) {
        bool there = false;

        for (uint32_t k = 0; k < engine->lane_count && !there; k++) {
            there = is_there(&engine->lanes[k], i);
        }
        if (there) yyjson_mut_arr_add_uint(doc, list, i);
    }
}
