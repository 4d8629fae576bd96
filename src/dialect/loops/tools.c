/* SPDX-License-Identifier: Apache-2.0
 *
 * tools.c - the MCP tools that builders and reviewers of loops report with.
 *
 * A call that names another loop or task than the caller's own is refused: agents invent ids, and
 * get them right when they are told. The report of a reviewer is what it called with; that of a
 * builder is the marker that it would have answered with. */
#include "dialect/loops/loops.h"

#include "format/json/json.h"

#include <string.h>

#define ISSUE_MEMBERS                                                                            \
    "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"number\"},\"type\":{\"type\":\"string\"},"\
    "\"description\":{\"type\":\"string\"},\"suggestion\":{\"type\":\"string\"}"

static const char *argument_text(const struct report_call *call, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(call->arguments, name));
}

static bool is_own_task(const struct report_call *call, const char **message)
{
    const char *task = argument_text(call, "taskId");

    if (!task || strcmp(task, call->task_id) == 0) return true;
    if (call->task_id[0]) {
        *message = arena_printf(call->arena, "There is no task '%.80s' here, and nothing was "
                                "changed. Yours is '%s': call %s again with taskId \"%s\".", task,
                                call->task_id, call->tool, call->task_id);
    } else {
        *message = arena_printf(call->arena, "There is no task '%.80s' here, and nothing was "
                                "changed. You have no task of your own: call %s again without "
                                "taskId.", task, call->tool);
    }
    return false;
}

static bool is_own_loop(const struct report_call *call, const char **message)
{
    const char *loop = argument_text(call, "loopId");

    if (strcmp(loop, call->lane) == 0) return true;
    *message = arena_printf(call->arena, "There is no loop '%.80s' for you to review, and nothing "
                            "was changed. Yours is '%s'%s%s%s: call %s again with loopId \"%s\".",
                            loop, call->lane, call->task_id[0] ? " (task '" : "", call->task_id,
                            call->task_id[0] ? "')" : "", call->tool, call->lane);
    return false;
}

/* why_failed: why a review that says passed counts as failed all the same; NULL: it does not. */
static const char *report_review(const struct report_call *call, const char *why_failed,
                                 struct buf *out)
{
    bool passed = yyjson_is_true(yyjson_obj_get(call->arguments, "passed"));
    size_t issues = yyjson_arr_size(yyjson_obj_get(call->arguments, "issues"));
    const char *why = passed ? why_failed : NULL;
    yyjson_mut_doc *doc = json_new();

    yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, call->arguments));
    json_write(doc, true, out);
    yyjson_mut_doc_free(doc);
    return arena_printf(call->arena, "Your review is recorded: %s, %zu issue%s.%s%s%s Call this "
                        "again only to replace it; else end your turn now.",
                        passed && !why ? "passed" : "failed", issues, issues == 1 ? "" : "s",
                        why ? " It counts as failed, since " : "", why ? why : "", why ? "." : "");
}

static const char *intent_failed(const struct report_call *call)
{
    bool failed = yyjson_is_false(yyjson_obj_get(call->arguments, "intentSatisfied"));

    return failed ? "intentSatisfied is false" : NULL;
}

static bool report_loop(const struct report_call *call, struct buf *out, const char **message)
{
    if (!is_own_loop(call, message) || !is_own_task(call, message)) return false;
    *message = report_review(call, intent_failed(call), out);
    return true;
}

static bool report_run(const struct report_call *call, struct buf *out, const char **message)
{
    const char *why = intent_failed(call);

    if (!why && yyjson_arr_size(yyjson_obj_get(call->arguments, "issues")) > 0) {
        why = "issues are listed";
    }
    *message = report_review(call, why, out);
    return true;
}

static bool report_task(const struct report_call *call, struct buf *out, const char **message)
{
    const char *reason = argument_text(call, "reason");
    bool stuck = strcmp(argument_text(call, "outcome"), "stuck") == 0;

    if (!is_own_task(call, message)) return false;
    if (stuck && str_trim(str_of(reason)).size == 0) {
        *message = "Nothing was changed: with outcome \"stuck\" a reason must be given. Say in one "
                   "line what keeps you from going on.";
        return false;
    }
    buf_text(out, stuck ? "TASK_STUCK: " : "TASK_COMPLETE\n");
    for (; stuck && *reason; reason++) {
        bool plain = (unsigned char)*reason >= ' ' && *reason != 0x7f;
        buf_byte(out, plain ? *reason : ' '); /* the marker is one line */
    }
    if (stuck) buf_byte(out, '\n');
    *message = stuck ? "Your task is marked as stuck. End your turn now: the user is told why."
                     : "Your task is marked as complete. End your turn now: its review begins.";
    return true;
}

const struct report_tool loops_tools[] = {
    { .name = "set_loop_review_result", .role = "loop-reviewer",
      .title = "Report the review of a loop",
      .description = "Report review results for a specific loop",
      .input = "{\"type\":\"object\",\"properties\":{"
               "\"loopId\":{\"type\":\"string\",\"description\":\"The loop being reviewed\"},"
               "\"taskId\":{\"type\":\"string\",\"description\":\"The task that was reviewed "
               "(optional for checkpoint reviews)\"},"
               "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":{\"type\":\"string\"},"
               "\"intentSatisfied\":{\"type\":\"boolean\"},"
               "\"issues\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
               ISSUE_MEMBERS "}}}},\"required\":[\"loopId\",\"passed\"]}",
      .report = report_loop },
    { .name = "set_review_result", .role = "run-reviewer",
      .title = "Report the review of a whole run",
      .description = "Report review results for the tasks or the plan of the whole run. For the "
                     "agent that reviews them; a review of one loop is reported with "
                     "set_loop_review_result.",
      .input = "{\"type\":\"object\",\"properties\":{"
               "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":{\"type\":\"string\"},"
               "\"intentSatisfied\":{\"type\":\"boolean\"},"
               "\"issues\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
               "\"taskId\":{\"type\":\"string\",\"description\":\"The task it is about\"},"
               ISSUE_MEMBERS "}}}},\"required\":[\"passed\"]}",
      .report = report_run },
    { .name = "complete_task", .role = "builder",
      .title = "Complete a task",
      .description = "Say that your task is complete and may be reviewed, or that you are stuck. "
                     "For the agent that builds it; without this call the task counts as "
                     "unfinished and you are started again.",
      .input = "{\"type\":\"object\",\"properties\":{"
               "\"taskId\":{\"type\":\"string\",\"description\":\"Your task\"},"
               "\"outcome\":{\"type\":\"string\",\"enum\":[\"complete\",\"stuck\"]},"
               "\"reason\":{\"type\":\"string\",\"description\":\"What keeps you from going on; "
               "needed with stuck\",\"maxLength\":4000}},"
               "\"required\":[\"outcome\"],\"additionalProperties\":false}",
      .report = report_task },
    { .name = NULL },
};
