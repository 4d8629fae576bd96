/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_report.c - tools by which an agent inside an attempt says what came of it.
 *
 * A report is a file beside the attempt's answer, `<attempt folder>/report`: the very text that the
 * agent would have answered with on standard output. When the attempt ends the driver judges both
 * and takes the worse. The last call wins, and a report is whole or not there.
 *
 * 1. Only the attempt's own folder is written, and nothing in it but the report.
 * 2. A call that names another loop or task than the attempt's own is refused and changes nothing:
 *    agents invent ids, and get them right when they are told.
 * 3. A role reports with one tool; another is refused by name.
 *
 * Not here: what the report means (the dialect's judge). */
#include "serve/tools.h"

#include "base/path.h"
#include "dialect/dialect.h"
#include "io/file/scratch.h"
#include "prompts/serve.h"

#include <string.h>

enum { LIST_BYTES_MAX = 1024, REPORT_BYTES_MAX = RPC_BYTES_MAX * 2 };

#define ISSUE_MEMBERS                                                                            \
    "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"number\"},\"type\":{\"type\":\"string\"},"\
    "\"description\":{\"type\":\"string\"},\"suggestion\":{\"type\":\"string\"}"

#define REPORTED                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"accepted\":{\"type\":\"boolean\"},\"message\":{"      \
    "\"type\":\"string\"}},\"required\":[\"accepted\",\"message\"]}"

const char *tool_for_role(const struct world *world)
{
    const struct dialect *dialect = dialect_find(str_of(world->dialect));
    const struct dialect_answering *answering = dialect ? dialect->answering : NULL;
    const char *name = answering ? word_pair_find(answering->tools, world->role) : NULL;

    return name ? name : tool_report_result.name;
}

/* ---- who may ---- */

static bool refuse_outside(struct mcp_call *call)
{
    struct serve_page page = serve_page(call);
    struct buf list;

    buf_init(&list, LIST_BYTES_MAX);
    tool_list_alive(call->world, &list);
    page.runs = slot_part(&list);
    mcp_say(call, serve_page_not_inside, &page);
    buf_release(&list);
    return false;
}

/* Whether the caller is an agent whose role reports with this tool; else that is the result. */
static bool may_report(struct mcp_call *call)
{
    const struct world *world = call->world;
    struct serve_page page = world_page(call);

    if (!world_is_attempt(world)) return refuse_outside(call);
    if (call->tool == &tool_report_result) return true;
    if (strcmp(tool_for_role(world), call->tool->name) == 0) return true;
    page.own_tool = slot_word(tool_for_role(world));
    mcp_say(call, serve_page_other_tool, &page);
    return false;
}

static bool is_own_task(struct mcp_call *call)
{
    const struct world *world = call->world;
    const char *task = mcp_text(call, "taskId");
    struct serve_page page = world_page(call);

    if (!task || strcmp(task, world->task_id) == 0) return true;
    page.task = slot_text(str_of(task), SERVE_SHOWN_BYTES_MAX);
    mcp_say(call, serve_page_other_task, &page);
    return false;
}

static bool is_own_loop(struct mcp_call *call)
{
    const struct world *world = call->world;
    const char *loop = mcp_text(call, "loopId");
    struct serve_page page = world_page(call);

    if (strcmp(loop, world->lane) == 0) return true;
    page.loop = slot_text(str_of(loop), SERVE_SHOWN_BYTES_MAX);
    mcp_say(call, serve_page_other_loop, &page);
    return false;
}

/* ---- the report ---- */

static enum mcp_state put_report(struct mcp_call *call, struct str text, const char *message)
{
    const struct world *world = call->world;
    yyjson_mut_val *result = yyjson_mut_obj(call->doc);
    struct serve_page page = serve_page(call);
    struct arena arena = { 0 };
    const char *folder;
    struct err err = { 0 };
    int rc;

    folder = path_folder_text(world->output, &arena);
    rc = scratch_replace(folder, "report", text, &err);
    arena_release(&arena);
    if (rc != 0) {
        page.why = slot_words(err.text);
        return mcp_say(call, serve_page_report_unwritten, &page);
    }
    yyjson_mut_obj_add_bool(call->doc, result, "accepted", true);
    yyjson_mut_obj_add_strcpy(call->doc, result, "message", message);
    return mcp_done(call, result);
}

/* How the review counts, and why one that says passed may not. */
static void fill_review(const struct mcp_call *call, struct serve_page *page)
{
    bool passed = yyjson_is_true(yyjson_obj_get(call->arguments, "passed"));
    size_t issues = yyjson_arr_size(yyjson_obj_get(call->arguments, "issues"));

    page->issues = slot_number((uint32_t)issues);
    page->one_issue = issues == 1;
    page->intent_missed = passed &&
                          yyjson_is_false(yyjson_obj_get(call->arguments, "intentSatisfied"));
    page->lists_issues = passed && !page->intent_missed && issues > 0 &&
                         call->tool == &tool_set_review_result;
    page->passed = passed && !page->intent_missed && !page->lists_issues;
}

/* The arguments are the report, as the reviewer would have written them. */
static enum mcp_state put_review(struct mcp_call *call)
{
    struct serve_page page = serve_page(call);
    yyjson_mut_doc *doc = json_new();
    struct arena arena = { 0 };
    enum mcp_state state;
    struct buf text;

    fill_review(call, &page);
    buf_init(&text, REPORT_BYTES_MAX);
    yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, call->arguments));
    json_write(doc, true, &text);
    if (text.overflow) {
        state = mcp_error(call, serve_text_review_too_long);
    } else {
        state = put_report(call, buf_str(&text),
                           serve_words(serve_page_review_recorded, &page, &arena).data);
    }
    buf_release(&text);
    arena_release(&arena);
    yyjson_mut_doc_free(doc);
    return state;
}

static enum mcp_state set_loop_review_result(struct mcp_call *call)
{
    if (!may_report(call) || !is_own_loop(call) || !is_own_task(call)) return MCP_DONE;
    return put_review(call);
}

static enum mcp_state set_review_result(struct mcp_call *call)
{
    return may_report(call) ? put_review(call) : MCP_DONE;
}

static enum mcp_state report_result(struct mcp_call *call)
{
    yyjson_val *result = yyjson_obj_get(call->arguments, "result");
    struct str text = { yyjson_get_str(result), yyjson_get_len(result) };

    if (!may_report(call)) return MCP_DONE;
    if (str_trim(text).size == 0) {
        return mcp_error(call, serve_text_result_empty);
    }
    return put_report(call, text, serve_text_result_recorded);
}

static enum mcp_state complete_task(struct mcp_call *call)
{
    const char *reason = mcp_text(call, "reason");
    bool stuck = strcmp(mcp_text(call, "outcome"), "stuck") == 0;
    enum mcp_state state;
    struct buf text;

    if (!may_report(call) || !is_own_task(call)) return MCP_DONE;
    if (stuck && str_trim(str_of(reason)).size == 0) {
        return mcp_error(call, serve_text_reason_missing);
    }
    buf_init(&text, REPORT_BYTES_MAX);
    buf_text(&text, stuck ? "TASK_STUCK: " : "TASK_COMPLETE\n");
    for (; stuck && *reason; reason++) {
        bool plain = (unsigned char)*reason >= ' ' && *reason != 0x7f;
        buf_byte(&text, plain ? *reason : ' '); /* the marker is one line */
    }
    if (stuck) buf_byte(&text, '\n');
    state = put_report(call, buf_str(&text),
                       stuck ? serve_text_task_stuck : serve_text_task_complete);
    buf_release(&text);
    return state;
}

/* ---- rows ---- */

const struct mcp_tool tool_set_loop_review_result = {
    .name = "set_loop_review_result",
    .title = "Report the review of a loop",
    .description = serve_text_about_set_loop_review_result,
    .input = "{\"type\":\"object\",\"properties\":{"
             "\"loopId\":{\"type\":\"string\",\"description\":\"The loop being reviewed\"},"
             "\"taskId\":{\"type\":\"string\",\"description\":\"The task that was reviewed "
             "(optional for checkpoint reviews)\"},"
             "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":{\"type\":\"string\"},"
             "\"intentSatisfied\":{\"type\":\"boolean\"},"
             "\"issues\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
             ISSUE_MEMBERS "}}}},\"required\":[\"loopId\",\"passed\"]}",
    .output = REPORTED,
    .repeatable = true,
    .call = set_loop_review_result,
};

const struct mcp_tool tool_set_review_result = {
    .name = "set_review_result",
    .title = "Report the review of a whole run",
    .description = serve_text_about_set_review_result,
    .input = "{\"type\":\"object\",\"properties\":{"
             "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":{\"type\":\"string\"},"
             "\"intentSatisfied\":{\"type\":\"boolean\"},"
             "\"issues\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
             "\"taskId\":{\"type\":\"string\",\"description\":\"The task it is about\"},"
             ISSUE_MEMBERS "}}}},\"required\":[\"passed\"]}",
    .output = REPORTED,
    .repeatable = true,
    .call = set_review_result,
};

const struct mcp_tool tool_report_result = {
    .name = "report_result",
    .title = "Report a result",
    .description = serve_text_about_report_result,
    .input = "{\"type\":\"object\",\"properties\":{\"result\":{\"type\":\"string\","
             "\"description\":\"The whole answer\"}},\"required\":[\"result\"],"
             "\"additionalProperties\":false}",
    .output = REPORTED,
    .repeatable = true,
    .call = report_result,
};

const struct mcp_tool tool_complete_task = {
    .name = "complete_task",
    .title = "Complete a task",
    .description = serve_text_about_complete_task,
    .input = "{\"type\":\"object\",\"properties\":{"
             "\"taskId\":{\"type\":\"string\",\"description\":\"Your task\"},"
             "\"outcome\":{\"type\":\"string\",\"enum\":[\"complete\",\"stuck\"]},"
             "\"reason\":{\"type\":\"string\",\"description\":\"What keeps you from going on; "
             "needed with stuck\",\"maxLength\":4000}},"
             "\"required\":[\"outcome\"],\"additionalProperties\":false}",
    .output = REPORTED,
    .repeatable = true,
    .call = complete_task,
};
