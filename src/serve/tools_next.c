/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_next.c - next_action: what the client that asks should do now.
 *
 * An agent inside an attempt is told which tool to report with. Any other client is told what the
 * run needs: nothing, patience, an answer, a resume, or a fix of what was found. */
#include "serve/tools.h"

#include "prompts/serve.h"
#include "report/remarks.h"
#include "run/run.h"

/* What the end of a run asks for. */
static const struct {
    const char *action, *tool;
} wanted[REASON_COUNT] = {
    [REASON_NONE] = { "resume", "resume_run" },
    [REASON_CLEAN] = { "none", NULL },
    [REASON_CONVERGED] = { "none", NULL },
    [REASON_SETTLED] = { "none", NULL },
    [REASON_NOTED] = { "fix", "list_findings" },
    [REASON_BOUND] = { "fix", "list_findings" },
    [REASON_OSCILLATING] = { "fix", "list_findings" },
    [REASON_DIVERGING] = { "fix", "list_findings" },
    [REASON_STUCK] = { "fix", "list_findings" },
    [REASON_WAITING] = { "answer", "answer_question" },
    [REASON_ESCALATED] = { "answer", "answer_question" },
    [REASON_BUDGET] = { "resume", "resume_run" },
    [REASON_INTERRUPTED] = { "resume", "resume_run" },
    [REASON_FAILED] = { "resume", "resume_run" },
    [REASON_UNSEEN] = { "start", "start_run" },
    [REASON_PARTIAL] = { "fix", "list_findings" },
};

static enum mcp_state next_put(struct mcp_call *call, const char *action, const char *tool,
                               const char *run, const char *message)
{
    yyjson_mut_val *result = yyjson_mut_obj(call->doc);

    json_add(call->doc, result, "action", action);
    if (tool) json_add(call->doc, result, "tool", tool);
    if (run) json_add(call->doc, result, "run", run);
    json_add(call->doc, result, "message", message);
    return mcp_done(call, result);
}

static enum mcp_state of_attempt(struct mcp_call *call, const struct world *world)
{
    const char *tool = tool_for_role(world);
    struct serve_page page = world_page(call);
    struct arena arena = { 0 };
    yyjson_mut_val *result;

    page.tool = slot_word(tool);
    (void)next_put(call, "report", tool, world->run,
                   serve_words(serve_page_next_attempt, &page, &arena).data);
    result = call->structured;
    json_add(call->doc, result, "role", world->role);
    json_add(call->doc, result, "loopId", world->lane);
    if (world->task_id[0]) json_add(call->doc, result, "taskId", world->task_id);
    arena_release(&arena);
    return MCP_DONE;
}

/* The open question, and what may be chosen. */
static void add_question(struct mcp_call *call, struct look *look)
{
    struct run replay = { 0 };
    struct err err;
    int rc;

    rc = run_load(&replay, &look->run, &err);
    if (rc == 0) rc = run_replay(&replay, look->journal, NULL, NULL, &err);
    for (uint32_t i = 0; rc == 0 && i < replay.engine.lane_count; i++) {
        enum question question = replay.engine.lanes[i].question;
        const char *escalation = question_escalation(&replay, i, question);
        yyjson_mut_val *choices;

        if (question == ASK_NOTHING) continue;
        json_add(call->doc, call->structured, "question", question_word(question));
        if (escalation) json_add(call->doc, call->structured, "escalation", escalation);
        choices = yyjson_mut_obj_add_arr(call->doc, call->structured, "choices");
        for (uint32_t k = 0; k < CHOICE_COUNT; k++) {
            if (!choice_is_open(&replay.engine, (enum choice)k)) continue;
            yyjson_mut_arr_add_str(call->doc, choices, choice_word((enum choice)k));
        }
        break;
    }
    run_release(&replay);
}

static enum mcp_state of_run(struct mcp_call *call, struct look *look)
{
    enum reason reason = look->run.reason;
    const char *action = look->alive ? "wait" : wanted[reason].action;
    const char *tool = look->alive ? tool_run_status.name : wanted[reason].tool;
    struct serve_page page = serve_page(call);
    struct arena arena = { 0 };

    page.run = slot_text(str_of(look->run.id), SERVE_NAME_BYTES_MAX);
    page.at_work = look->alive;
    page.crashed = !look->alive && reason == REASON_NONE;
    page.clean = !look->alive && reason == REASON_CLEAN;
    page.noted = !look->alive && reason == REASON_NOTED;
    page.partial = !look->alive && reason == REASON_PARTIAL;
    page.bound = !look->alive && reason == REASON_BOUND;
    page.converged = !look->alive && reason == REASON_CONVERGED;
    page.settled = !look->alive && reason == REASON_SETTLED;
    page.oscillating = !look->alive && reason == REASON_OSCILLATING;
    page.diverging = !look->alive && reason == REASON_DIVERGING;
    page.stuck = !look->alive && reason == REASON_STUCK;
    page.waiting = !look->alive && reason == REASON_WAITING;
    page.escalated = !look->alive && reason == REASON_ESCALATED;
    page.budget = !look->alive && reason == REASON_BUDGET;
    page.interrupted = !look->alive && reason == REASON_INTERRUPTED;
    page.failed = !look->alive && reason == REASON_FAILED;
    (void)next_put(call, action, tool, look->run.id,
                   serve_words(serve_page_next_run, &page, &arena).data);
    arena_release(&arena);
    if (page.waiting || page.escalated) add_question(call, look);
    return MCP_DONE;
}

static enum mcp_state next_action(struct mcp_call *call)
{
    const struct world *world = call->world;
    struct look look = { 0 };
    struct err err;
    int rc;

    if (world_is_attempt(world) && !mcp_text(call, "run")) return of_attempt(call, world);
    rc = tool_look(call, &look, &err);
    if (rc == 0) {
        of_run(call, &look);
    } else if (rc == ERR_MISSING && look_is_empty(&look)) {
        next_put(call, "start", tool_start_run.name, NULL, serve_text_next_start);
    } else {
        mcp_error(call, err.text);
    }
    look_close(&look);
    return MCP_DONE;
}

const struct mcp_tool tool_next_action = {
    .name = "next_action",
    .title = "What to do next",
    .description = serve_text_about_next_action,
    .input = "{\"type\":\"object\",\"properties\":{\"run\":{\"type\":\"string\",\"description\":"
             "\"The run, or the beginning of its name; by default your own, or the "
             "newest of this workspace\"}},\"additionalProperties\":false}",
    .output = "{\"type\":\"object\",\"properties\":{"
              "\"action\":{\"type\":\"string\",\"enum\":[\"report\",\"wait\",\"answer\","
              "\"resume\",\"fix\",\"start\",\"none\"]},"
              "\"message\":{\"type\":\"string\"},\"tool\":{\"type\":\"string\"},"
              "\"run\":{\"type\":\"string\"},\"role\":{\"type\":\"string\"},"
              "\"loopId\":{\"type\":\"string\"},\"taskId\":{\"type\":\"string\"},"
              "\"question\":{\"type\":\"string\"},\"escalation\":{\"type\":\"string\"},"
              "\"choices\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
              "\"required\":[\"action\",\"message\"]}",
    .reads_only = true,
    .repeatable = true,
    .call = next_action,
};
