/* SPDX-License-Identifier: Apache-2.0
 *
 * tools.c - the MCP tools that builders and reviewers of loops report with.
 *
 * A call that names another loop or task than the caller's own is refused: agents invent ids, and
 * get them right when they are told. The report of a reviewer is what it called with; that of a
 * builder is the marker that it would have answered with. */
#include "dialect/loops/loops.h"

#include "format/json/json.h"
#include "prompts/loops.h"

#include <string.h>

enum { NAMED_BYTES_MAX = 80, OWN_BYTES_MAX = 1000 };

#define ISSUE_MEMBERS                                                                            \
    "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"number\"},\"type\":{\"type\":\"string\"},"\
    "\"description\":{\"type\":\"string\"},\"suggestion\":{\"type\":\"string\"}"

static const char *argument_text(const struct report_call *call, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(call->arguments, name));
}

static struct loops_page tool_page(const struct report_call *call)
{
    /* No quote stands in these texts: any fence will do. */
    return (struct loops_page){ .fence = "=====", .tool = slot_word(call->tool),
                                .own_loop = slot_text(str_of(call->lane), OWN_BYTES_MAX),
                                .task_id = slot_text(str_of(call->task_id), OWN_BYTES_MAX) };
}

static bool is_own_task(const struct report_call *call, const char **message)
{
    const char *task = argument_text(call, "taskId");
    struct loops_page page = tool_page(call);

    if (!task || strcmp(task, call->task_id) == 0) return true;
    page.named = slot_text(str_of(task), NAMED_BYTES_MAX);
    *message = loops_words(loops_page_other_task, &page, call->arena).data;
    return false;
}

static bool is_own_loop(const struct report_call *call, const char **message)
{
    const char *loop = argument_text(call, "loopId");
    struct loops_page page = tool_page(call);

    if (strcmp(loop, call->lane) == 0) return true;
    page.named = slot_text(str_of(loop), NAMED_BYTES_MAX);
    *message = loops_words(loops_page_other_loop, &page, call->arena).data;
    return false;
}

/* lists_count: a review that lists issues counts as failed, also one that says passed. */
static const char *report_review(const struct report_call *call, bool lists_count, struct buf *out)
{
    bool passed = yyjson_is_true(yyjson_obj_get(call->arguments, "passed"));
    size_t issues = yyjson_arr_size(yyjson_obj_get(call->arguments, "issues"));
    struct loops_page page = tool_page(call);
    yyjson_mut_doc *doc = json_new();

    yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, call->arguments));
    json_write(doc, true, out);
    yyjson_mut_doc_free(doc);
    page.issue_count = slot_number((uint32_t)issues);
    page.one_issue = issues == 1;
    page.intent_missed = passed &&
                         yyjson_is_false(yyjson_obj_get(call->arguments, "intentSatisfied"));
    page.lists_issues = passed && !page.intent_missed && lists_count && issues > 0;
    page.passed = passed && !page.intent_missed && !page.lists_issues;
    return loops_words(loops_page_review_recorded, &page, call->arena).data;
}

static bool report_loop(const struct report_call *call, struct buf *out, const char **message)
{
    if (!is_own_loop(call, message) || !is_own_task(call, message)) return false;
    *message = report_review(call, false, out);
    return true;
}

static bool report_run(const struct report_call *call, struct buf *out, const char **message)
{
    *message = report_review(call, true, out);
    return true;
}

static bool report_task(const struct report_call *call, struct buf *out, const char **message)
{
    const char *reason = argument_text(call, "reason");
    bool stuck = strcmp(argument_text(call, "outcome"), "stuck") == 0;

    if (!is_own_task(call, message)) return false;
    if (stuck && str_trim(str_of(reason)).size == 0) {
        *message = loops_text_reason_missing;
        return false;
    }
    buf_text(out, stuck ? "TASK_STUCK: " : "TASK_COMPLETE\n");
    for (; stuck && *reason; reason++) {
        bool plain = (unsigned char)*reason >= ' ' && *reason != 0x7f;
        buf_byte(out, plain ? *reason : ' '); /* the marker is one line */
    }
    if (stuck) buf_byte(out, '\n');
    *message = stuck ? loops_text_task_stuck : loops_text_task_complete;
    return true;
}

const struct report_tool loops_tools[] = {
    { .name = "set_loop_review_result", .role = "loop-reviewer",
      .title = "Report the review of a loop",
      .description = loops_text_about_set_loop_review_result,
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
      .description = loops_text_about_set_review_result,
      .input = "{\"type\":\"object\",\"properties\":{"
               "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":{\"type\":\"string\"},"
               "\"intentSatisfied\":{\"type\":\"boolean\"},"
               "\"issues\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
               "\"taskId\":{\"type\":\"string\",\"description\":\"The task it is about\"},"
               ISSUE_MEMBERS "}}}},\"required\":[\"passed\"]}",
      .report = report_run },
    { .name = "complete_task", .role = "builder",
      .title = "Complete a task",
      .description = loops_text_about_complete_task,
      .input = "{\"type\":\"object\",\"properties\":{"
               "\"taskId\":{\"type\":\"string\",\"description\":\"Your task\"},"
               "\"outcome\":{\"type\":\"string\",\"enum\":[\"complete\",\"stuck\"]},"
               "\"reason\":{\"type\":\"string\",\"description\":\"What keeps you from going on; "
               "needed with stuck\",\"maxLength\":4000}},"
               "\"required\":[\"outcome\"],\"additionalProperties\":false}",
      .report = report_task },
    { .name = NULL },
};
