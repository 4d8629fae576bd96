/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_next.c - next_action: what the client that asks should do now.
 *
 * An agent inside an attempt is told which tool to report with. Any other client is told what the
 * run needs: nothing, patience, an answer, a resume, or a fix of what was found. */
#include "serve/tools.h"

#include "report/remarks.h"
#include "run/run.h"

#include <stdio.h>

enum { MESSAGE_BYTES_MAX = 1024 };

/* What the end of a run asks for; the message goes behind "Run X ". */
static const struct {
    const char *action, *tool, *message;
} wanted[REASON_COUNT] = {
    [REASON_NONE] = { "resume", "resume_run", "crashed: resume_run continues it, and nothing that "
                      "was finished is done again." },
    [REASON_CLEAN] = { "none", NULL, "is clean. There is nothing to do." },
    [REASON_NOTED] = { "fix", "list_findings", "has ended, and findings were passed over: "
                       "list_findings with state \"open\" shows them." },
    [REASON_BOUND] = { "fix", "list_findings", "has used up its rounds, and findings remain: "
                       "list_findings with state \"open\" shows them. Mend them, then start_run "
                       "reviews again." },
    [REASON_STUCK] = { "fix", "list_findings", "is stuck: list_findings with state \"open\" shows "
                       "on what. Mend that, then resume_run looks again." },
    [REASON_WAITING] = { "answer", "answer_question", "waits for an answer. Ask the person you "
                         "work for, then call answer_question." },
    [REASON_ESCALATED] = { "answer", "answer_question", "has findings that need a decision. Ask "
                           "the person you work for, then call answer_question." },
    [REASON_BUDGET] = { "resume", "resume_run", "has spent its budget. Ask the person you work for "
                        "whether it may have more: 'hone resume --budget' continues it." },
    [REASON_INTERRUPTED] = { "resume", "resume_run", "was stopped: resume_run continues it." },
    [REASON_FAILED] = { "resume", "resume_run", "failed: one of its agents could not run, or broke "
                        "its contract. run_status says which; when that is mended, resume_run "
                        "tries again." },
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
    char message[MESSAGE_BYTES_MAX];
    yyjson_mut_val *result;

    snprintf(message, sizeof message, "You are %.60s in run %.60s (%.60s, phase %.60s, round "
             "%.20s). Do what your prompt asks, then call %s once%s%.80s%s, or answer on standard "
             "output.", world->role, world->run, world->dialect, world->phase, world->round, tool,
             world->task_id[0] ? " for task '" : "", world->task_id,
             world->task_id[0] ? "'" : "");
    (void)next_put(call, "report", tool, world->run, message);
    result = call->structured;
    json_add(call->doc, result, "role", world->role);
    json_add(call->doc, result, "loopId", world->lane);
    if (world->task_id[0]) json_add(call->doc, result, "taskId", world->task_id);
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
    char message[MESSAGE_BYTES_MAX];

    if (look->alive) {
        snprintf(message, sizeof message, "Run %s is at work: run_status with waitSeconds waits "
                 "for it.", look->run.id);
        return next_put(call, "wait", tool_run_status.name, look->run.id, message);
    }
    snprintf(message, sizeof message, "Run %s %s", look->run.id, wanted[reason].message);
    (void)next_put(call, wanted[reason].action, wanted[reason].tool, look->run.id, message);
    if (reason == REASON_WAITING || reason == REASON_ESCALATED) add_question(call, look);
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
        next_put(call, "start", tool_start_run.name, NULL,
                 "There is no run in this repository yet: start_run starts one.");
    } else {
        mcp_error(call, "%s", err.text);
    }
    look_close(&look);
    return MCP_DONE;
}

const struct mcp_tool tool_next_action = {
    .name = "next_action",
    .title = "What to do next",
    .description = "What you should do now: with which tool an agent inside a run reports its "
                   "result, or what a run needs: patience, an answer, a resume, or findings to be "
                   "mended. Ask this first when you are not sure.",
    .input = "{\"type\":\"object\",\"properties\":{\"run\":{\"type\":\"string\",\"description\":"
             "\"The run, or the beginning of its name; where nothing is said, your own, or the "
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
