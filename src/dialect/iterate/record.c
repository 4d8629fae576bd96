/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the iterate dialect's file, out of the engine's state and nothing else.
 *
 *   .agents/iteration-state.json   version 4: where the loop stands, with all iterations so far
 *
 * 1. The same run gives the same bytes.
 * 2. A phase is completed when the next has begun, or the run has passed the last one. One that
 *    led to a restart, and one at which a run stopped, asks or failed, stays in progress: it never
 *    passes for completed.
 * 3. retryCount counts repairs that were done. lastIssues are those of the newest review, whether
 *    or not their severity fails it, and stay while they are repaired and looked at again. Where
 *    several have reviewed, they are those of all, each with its reviewer.
 *
 * Not here: writing (drivers). */
#include "dialect/iterate/iterate.h"

#include <stdio.h>

/* Where an iteration stands, or stood when the next one began. */
struct standing {
    uint64_t started_ms;
    uint32_t at;  /* the number of its phase */
    bool passed;  /* that too */
};

static struct standing standing_now(const struct engine *engine, uint32_t iteration)
{
    bool passed = engine->reason == REASON_CLEAN || engine->reason == REASON_NOTED ||
                  engine->reason == REASON_PARTIAL;
    struct standing standing = {
        .started_ms = engine->iteration_ms,
        .at = iterate_phase_number(engine->lanes[0].phase),
        .passed = engine->state == ENGINE_ENDED && passed,
    };

    if (iteration == engine->iteration) return standing;
    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];
        if (round->iteration != iteration) continue;
        standing = (struct standing){ .started_ms = round->iteration_ms,
                                      .at = iterate_phase_number(round->phase) };
    }
    return standing;
}

static const char *status_of(const struct standing *standing, uint32_t number)
{
    if (number < standing->at) return "completed";
    if (number > standing->at) return "pending";
    return standing->passed ? "completed" : "in_progress";
}

static uint32_t retries_of(const struct engine *engine, uint32_t iteration, uint32_t number)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];
        if (round->iteration != iteration || iterate_phase_number(round->phase) != number) continue;
        count += round->repaired_ms != 0;
    }
    return count;
}

static yyjson_mut_val *issues_value(yyjson_mut_doc *doc, const struct engine *engine,
                                    uint32_t iteration, uint32_t number)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    struct iterate_issues issues = { 0 };
    struct arena arena = { 0 };

    iterate_kept(engine, iteration, number, true, &arena, &issues);
    for (uint32_t i = 0; i < issues.count; i++) {
        yyjson_mut_arr_append(list, iterate_issue_value(doc, &issues.items[i],
                                                        issues.items[i].source.size > 0));
    }
    arena_release(&arena);
    return list;
}

static yyjson_mut_val *phase_value(yyjson_mut_doc *doc, const struct engine *engine,
                                   uint32_t iteration, const char *status, uint32_t number)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_str(doc, value, "status", status);
    if (engine->plan->phases[number - 1].gate.reviewer_count == 0) return value;
    yyjson_mut_obj_add_uint(doc, value, "retryCount", retries_of(engine, iteration, number));
    if (number == PHASE_TEST) return value;
    yyjson_mut_obj_add_val(doc, value, "lastIssues", issues_value(doc, engine, iteration, number));
    return value;
}

static yyjson_mut_val *iteration_value(yyjson_mut_doc *doc, const struct engine *engine,
                                       uint32_t iteration)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc), *phases = yyjson_mut_obj(doc);
    struct standing standing = standing_now(engine, iteration);

    yyjson_mut_obj_add_uint(doc, value, "iteration", iteration);
    json_add_time(doc, value, "startedAt", standing.started_ms);
    for (uint32_t number = PHASE_BRAINSTORM; number <= PHASE_FINAL_REVIEW; number++) {
        char key[4];
        snprintf(key, sizeof key, "%u", (unsigned)number);
        yyjson_mut_obj_add(phases, yyjson_mut_strcpy(doc, key),
                           phase_value(doc, engine, iteration, status_of(&standing, number),
                                       number));
    }
    yyjson_mut_obj_add_val(doc, value, "phases", phases);
    return value;
}

static yyjson_mut_val *last_value(yyjson_mut_doc *doc, const struct engine *engine)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);
    struct standing standing = standing_now(engine, engine->iteration);

    yyjson_mut_obj_add_str(doc, value, "status", status_of(&standing, PHASE_CODEX_FINAL));
    return value;
}

void iterate_record(const struct run_view *run, struct contract *out)
{
    const struct engine *engine = run->engine;
    bool lite = engine->plan->phase_count < PHASE_CODEX_FINAL;
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list = yyjson_mut_arr(doc);

    yyjson_mut_obj_add_uint(doc, root, "version", ITERATE_STATE_VERSION);
    json_add_text(doc, root, "task", str_of(run->task));
    yyjson_mut_obj_add_str(doc, root, "mode", lite ? "lite" : "full");
    yyjson_mut_obj_add_uint(doc, root, "maxIterations", engine->plan->iteration_max);
    yyjson_mut_obj_add_uint(doc, root, "currentIteration", engine->iteration);
    yyjson_mut_obj_add_uint(doc, root, "currentPhase",
                            iterate_phase_number(engine->lanes[0].phase));
    json_add_time(doc, root, "startedAt", engine->started_ms);
    for (uint32_t i = 1; i <= engine->iteration; i++) {
        yyjson_mut_arr_append(list, iteration_value(doc, engine, i));
    }
    yyjson_mut_obj_add_val(doc, root, "iterations", list);
    yyjson_mut_obj_add_val(doc, root, "phase9", last_value(doc, engine));
    contract_json_add(out, ITERATE_STATE_PATH, doc);
}
