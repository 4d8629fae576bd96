/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_report.c - tools by which an agent inside an attempt says what came of it.
 *
 * A report is a file beside the attempt's answer, `<attempt folder>/report`: the very text that the
 * agent would have answered with on standard output. When the attempt ends the driver judges both
 * and takes the worse. The last call wins, and a report is whole or not there.
 *
 * 1. Only the attempt's own folder is written, and nothing in it but the report.
 * 2. A role reports with one tool, its dialect's (dialect/dialect.h: struct report_tool) or
 *    report_result; another is refused by name.
 * 3. A call that is refused changes nothing.
 *
 * Not here: what the report means (the dialect's judge). */
#include "serve/tools.h"

#include "base/path.h"
#include "dialect/dialect.h"
#include "io/file/scratch.h"
#include "prompts/serve.h"

#include <assert.h>
#include <string.h>

enum { LIST_BYTES_MAX = 1024, REPORT_BYTES_MAX = RPC_BYTES_MAX * 2 };

#define REPORTED                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"accepted\":{\"type\":\"boolean\"},\"message\":{"      \
    "\"type\":\"string\"}},\"required\":[\"accepted\",\"message\"]}"

const char *tool_for_role(const struct world *world)
{
    const struct dialect *dialect = dialect_find(str_of(world->dialect));
    const struct dialect_answering *answering = dialect ? dialect->answering : NULL;
    const struct report_tool *tool = answering ? answering->tools : NULL;

    for (; tool && tool->name; tool++) {
        if (strcmp(tool->role, world->role) == 0) return tool->name;
    }
    return tool_report_result.name;
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

/* ---- tools of dialects ---- */

/* Those of all dialects, one after the other; NULL: there are no more. */
static const struct report_tool *dialect_tool(uint32_t nth)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_answering *answering = dialects[i]->answering;
        const struct report_tool *tool = answering ? answering->tools : NULL;

        for (; tool && tool->name; tool++) {
            if (nth-- == 0) return tool;
        }
    }
    return NULL;
}

static enum mcp_state report_as_dialect(struct mcp_call *call)
{
    const struct world *world = call->world;
    struct arena arena = { 0 };
    const struct report_call report = { .tool = call->tool->name, .lane = world->lane,
        .task_id = world->task_id, .arguments = call->arguments, .arena = &arena };
    const struct report_tool *tool;
    enum mcp_state state;
    const char *message;
    struct buf text;

    if (!may_report(call)) return MCP_DONE;
    for (uint32_t i = 0; (tool = dialect_tool(i)) && strcmp(tool->name, report.tool) != 0;) i++;
    assert(tool);
    buf_init(&text, REPORT_BYTES_MAX);
    if (!tool->report(&report, &text, &message)) {
        state = mcp_error(call, message);
    } else if (text.overflow) {
        state = mcp_error(call, serve_text_review_too_long);
    } else {
        state = put_report(call, buf_str(&text), message);
    }
    buf_release(&text);
    arena_release(&arena);
    return state;
}

const struct mcp_tool *tool_of_dialects(uint32_t nth, struct arena *arena)
{
    const struct report_tool *tool = dialect_tool(nth);
    struct mcp_tool *out = tool ? arena_alloc(arena, sizeof *out) : NULL;

    if (tool) {
        *out = (struct mcp_tool){ .name = tool->name, .title = tool->title,
            .description = tool->description, .input = tool->input, .output = REPORTED,
            .repeatable = true, .call = report_as_dialect };
    }
    return out;
}

/* ---- the row ---- */

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
