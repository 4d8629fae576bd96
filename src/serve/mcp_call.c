/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp_call.c - the tools that are there, and their calls from the first turn to the answer.
 *
 *            call()                      call() again, when it is due
 *   (new) -----------> DONE: answered      ^  |
 *              |                           |  |-------> DONE: answered
 *              '-----> LATER: in flight ---'  '-------> cancelled, or its client is gone: dropped
 *
 * 1. What a tool is called with fits its input schema, or the tool is not called: the caller is
 *    told what is wrong, as a result it can read (isError), and not as an error of the protocol.
 * 2. What a tool answers fits its output schema: asserted.
 * 3. Progress is told only to whoever asked for it, and only grows.
 * 4. After an answer, or a cancellation, nothing more is said about a request.
 *
 * Not here: what the tools do (tools.h). */
#include "serve/mcp_parts.h"
#include "serve/schema_check.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEM_BYTES_MAX = 4096, ERROR_TEXT_BYTES = 8192 };

/* ---- the table ---- */

static bool is_there(const struct mcp *mcp, const struct mcp_tool *tool)
{
    return !mcp->setup.reading_only || tool->reads_only;
}

static const struct mcp_tool *find_tool(const struct mcp *mcp, struct str name)
{
    for (uint32_t i = 0; mcp->setup.tools[i]; i++) {
        const struct mcp_tool *tool = mcp->setup.tools[i];
        if (is_there(mcp, tool) && str_is(name, tool->name)) return tool;
    }
    return NULL;
}

static yyjson_doc *schema_of(const char *text)
{
    struct err err;
    yyjson_doc *doc;
    int rc = json_read(str_of(text), &doc, &err);

    assert(rc == 0); /* a table of ours */
    return doc;
}

static void add_schema(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       const char *text)
{
    yyjson_doc *schema = schema_of(text);

    yyjson_mut_obj_add_val(doc, object, key,
                           yyjson_val_mut_copy(doc, yyjson_doc_get_root(schema)));
    yyjson_doc_free(schema);
}

static void add_tool(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct mcp_tool *tool)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
    yyjson_mut_val *hints;

    yyjson_mut_obj_add_str(doc, object, "name", tool->name);
    yyjson_mut_obj_add_str(doc, object, "title", tool->title);
    yyjson_mut_obj_add_str(doc, object, "description", tool->description);
    add_schema(doc, object, "inputSchema", tool->input);
    if (tool->explain) {
        tool->explain(doc, yyjson_mut_obj_get(yyjson_mut_obj_get(object, "inputSchema"),
                                              "properties"));
    }
    if (tool->output) add_schema(doc, object, "outputSchema", tool->output);
    hints = yyjson_mut_obj_add_obj(doc, object, "annotations");
    yyjson_mut_obj_add_str(doc, hints, "title", tool->title);
    yyjson_mut_obj_add_bool(doc, hints, "readOnlyHint", tool->reads_only);
    yyjson_mut_obj_add_bool(doc, hints, "destructiveHint", tool->destroys);
    yyjson_mut_obj_add_bool(doc, hints, "idempotentHint", tool->repeatable);
    yyjson_mut_obj_add_bool(doc, hints, "openWorldHint", tool->open_world);
}

void mcp_list_tools(struct mcp_request *request)
{
    const struct mcp *mcp = request->mcp;
    yyjson_mut_doc *doc = request->doc;
    yyjson_mut_val *result, *list;

    if (yyjson_obj_get(request->message->params, "cursor")) {
        mcp_fail(request, request->era == MCP_MODERN ? 400 : 200, RPC_PARAMS, NULL,
                 "there is no such cursor: the list has one page");
        return;
    }
    result = yyjson_mut_obj(doc);
    list = yyjson_mut_obj_add_arr(doc, result, "tools");
    for (uint32_t i = 0; mcp->setup.tools[i]; i++) {
        if (is_there(mcp, mcp->setup.tools[i])) add_tool(doc, list, mcp->setup.tools[i]);
    }
    if (request->era == MCP_MODERN) {
        mcp_complete(mcp, doc, result);
        mcp_cacheable(doc, result);
    }
    mcp_answer(request, result);
}

/* ---- results ---- */

static void set_text(struct mcp_call *call, struct str text)
{
    yyjson_mut_val *block;

    call->content = yyjson_mut_arr(call->doc);
    block = yyjson_mut_arr_add_obj(call->doc, call->content);
    yyjson_mut_obj_add_str(call->doc, block, "type", "text");
    yyjson_mut_obj_add_val(call->doc, block, "text", json_text(call->doc, text));
}

enum mcp_state mcp_done(struct mcp_call *call, yyjson_mut_val *structured)
{
    call->structured = structured;
    return MCP_DONE;
}

enum mcp_state mcp_error(struct mcp_call *call, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    call->is_error = true;
    call->structured = NULL;
    set_text(call, str_of(text));
    return MCP_DONE;
}

const char *mcp_text(const struct mcp_call *call, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(call->arguments, name));
}

uint64_t mcp_number(const struct mcp_call *call, const char *name, uint64_t otherwise)
{
    yyjson_val *value = yyjson_obj_get(call->arguments, name);

    return value ? (uint64_t)yyjson_get_num(value) : otherwise; /* 2.0 is a whole number, too */
}

/* The same as text, for clients that know no structured content; and whether it fits. */
static void settle_structured(struct mcp_call *call)
{
    yyjson_doc *schema = schema_of(call->tool->output);
    struct buf text, problems;
    yyjson_doc *said;
    struct err err;
    int rc;

    buf_init(&text, MCP_ANSWER_BYTES_MAX);
    buf_init(&problems, PROBLEM_BYTES_MAX);
    yyjson_mut_doc_set_root(call->doc, call->structured);
    json_write(call->doc, false, &text);
    yyjson_mut_doc_set_root(call->doc, NULL);
    if (text.overflow || text.size > MCP_ANSWER_BYTES_MAX / 4) {
        mcp_error(call, "The answer is longer than %d MiB. Ask for less of it.",
                  MCP_ANSWER_BYTES_MAX / 4 >> 20);
    } else {
        rc = json_read(buf_str(&text), &said, &err);
        assert(rc == 0);
        schema_check(yyjson_doc_get_root(schema), yyjson_doc_get_root(said), &problems);
        assert(problems.size == 0); /* 2 */
        yyjson_doc_free(said);
        set_text(call, buf_str(&text));
    }
    buf_release(&problems);
    buf_release(&text);
    yyjson_doc_free(schema);
}

/* ---- the life of a call ---- */

static void call_free(struct mcp_call *call)
{
    yyjson_mut_doc_free(call->doc);
    yyjson_doc_free(call->message);
    free(call);
}

static void call_send(const struct mcp_call *call, enum mcp_send_kind kind, struct str text)
{
    const struct mcp_setup *setup = &call->mcp->setup;

    if (call->mute) return;
    setup->send(setup->context, &(struct mcp_send){
        .kind = kind, .channel = call->channel, .status = 200, .text = text,
    });
}

static void call_answer(struct mcp_call *call)
{
    yyjson_mut_doc *doc = call->doc;
    yyjson_mut_val *result = yyjson_mut_obj(doc);
    struct buf out;

    assert(call->structured || call->content);
    if (call->structured) settle_structured(call);
    yyjson_mut_obj_add_val(doc, result, "content", call->content);
    if (call->structured) {
        yyjson_mut_obj_add_val(doc, result, "structuredContent", call->structured);
    }
    if (call->is_error) yyjson_mut_obj_add_bool(doc, result, "isError", true);
    if (call->era == MCP_MODERN) mcp_complete(call->mcp, doc, result);
    buf_init(&out, MCP_ANSWER_BYTES_MAX);
    if (!rpc_write_result(&call->id, doc, result, &out)) {
        (void)rpc_write_error(&call->id, RPC_INTERNAL, "the answer is too long; ask for less of it",
                              doc, NULL, &out);
    }
    call_send(call, MCP_SEND_ANSWER, buf_str(&out));
    buf_release(&out);
}

/* True when it is over. */
static bool call_turn(struct mcp_call *call, uint64_t now_ms)
{
    enum mcp_state state;

    call->now_ms = now_ms;
    state = call->tool->call(call);
    call->turn++;
    if (state == MCP_LATER) return false;
    if (call->tool->drop) call->tool->drop(call, false);
    call_answer(call);
    return true;
}

static void call_drop(struct mcp_call *call, bool cancelled)
{
    if (call->tool->drop) call->tool->drop(call, cancelled);
    call_free(call);
}

/* The list without its i-th; the order of the others stays. */
static void forget(struct mcp *mcp, uint32_t i)
{
    mcp->call_count--;
    memmove(&mcp->calls[i], &mcp->calls[i + 1], (mcp->call_count - i) * sizeof *mcp->calls);
}

void mcp_progress(struct mcp_call *call, uint64_t progress, uint64_t total, const char *message)
{
    yyjson_mut_doc *doc;
    yyjson_mut_val *params;
    struct buf out;

    if (call->progress.size == 0) return;
    doc = json_new();
    params = yyjson_mut_obj(doc);
    yyjson_mut_obj_add_val(doc, params, "progressToken",
                           yyjson_mut_rawn(doc, call->progress.json, call->progress.size));
    yyjson_mut_obj_add_uint(doc, params, "progress", progress);
    if (total > 0) yyjson_mut_obj_add_uint(doc, params, "total", total);
    if (message) yyjson_mut_obj_add_val(doc, params, "message", json_text(doc, str_of(message)));
    buf_init(&out, MCP_ANSWER_BYTES_MAX);
    if (rpc_write_notification("notifications/progress", doc, params, &out)) {
        call_send(call, MCP_SEND_NOTIFICATION, buf_str(&out));
    }
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

/* ---- tools/call ---- */

static bool refuse_params(struct mcp_request *request, const char *what, struct str name)
{
    mcp_fail(request, request->era == MCP_MODERN ? 400 : 200, RPC_PARAMS, NULL, "%s%.*s", what,
             name.size > 128 ? 128 : (int)name.size, name.data ? name.data : "");
    return false;
}

static bool has_capability(struct mcp_request *request, const struct mcp_tool *tool)
{
    yyjson_val *meta = yyjson_obj_get(request->message->params, "_meta");
    yyjson_val *can = yyjson_obj_get(meta, "io.modelcontextprotocol/clientCapabilities");
    yyjson_mut_val *data, *required;

    if (!tool->needs || yyjson_is_obj(yyjson_obj_get(can, tool->needs))) return true;
    data = yyjson_mut_obj(request->doc);
    required = yyjson_mut_obj_add_obj(request->doc, data, "requiredCapabilities");
    yyjson_mut_obj_add_obj(request->doc, required, tool->needs);
    mcp_fail(request, request->era == MCP_MODERN ? 400 : 200, MCP_MISSING_CAPABILITY, data,
             "the client must be able to do %s for this tool", tool->needs);
    return false;
}

static bool is_open(const struct mcp *mcp, uint64_t channel, const struct rpc_id *id)
{
    for (uint32_t i = 0; i < mcp->call_count; i++) {
        const struct mcp_call *call = mcp->calls[i].call;
        if (call->channel == channel && rpc_id_is(&call->id, id)) return true;
    }
    return false;
}

static struct mcp_call *call_new(struct mcp_request *request, const struct mcp_tool *tool)
{
    yyjson_val *params = request->message->params;
    yyjson_val *meta = yyjson_obj_get(params, "_meta");
    struct mcp_call *call = mem_alloc(sizeof *call);

    *call = (struct mcp_call){
        .tool = tool, .world = request->mcp->setup.world,
        .arguments = yyjson_obj_get(params, "arguments"),
        .begun_ms = request->now_ms, .doc = json_new(), .mcp = request->mcp,
        .message = request->message->doc, .era = request->era, .channel = request->channel,
        .session = request->headers ? request->headers->session : 0,
        .id = request->message->id,
    };
    request->message->doc = NULL; /* the call reads from it as long as it lives */
    (void)rpc_id_read(yyjson_obj_get(meta, "progressToken"), &call->progress);
    return call;
}

/* Whether a text in it holds a NUL: tools take their words up to there. */
static bool has_nul(yyjson_val *value)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(value);
    yyjson_obj_iter members = yyjson_obj_iter_with(value);
    yyjson_val *next;

    if (yyjson_is_str(value)) return memchr(yyjson_get_str(value), 0, yyjson_get_len(value));
    while ((next = yyjson_arr_iter_next(&items))) {
        if (has_nul(next)) return true;
    }
    while ((next = yyjson_obj_iter_next(&members))) {
        if (has_nul(next) || has_nul(yyjson_obj_iter_get_val(next))) return true;
    }
    return false;
}

/* What is wrong with the arguments becomes the result; true when nothing is. */
static bool arguments_fit(struct mcp_call *call)
{
    yyjson_doc *schema = schema_of(call->tool->input);
    struct buf problems;
    bool fits;

    buf_init(&problems, PROBLEM_BYTES_MAX);
    schema_check(yyjson_doc_get_root(schema), call->arguments, &problems);
    if (has_nul(call->arguments)) buf_text(&problems, "- no text may hold a NUL (\\u0000)\n");
    fits = problems.size == 0 && !problems.overflow;
    if (!fits) {
        mcp_error(call, "%s was not done, and nothing was changed. Call it again with this put "
                  "right:\n%s", call->tool->name, buf_cstr(&problems));
    }
    buf_release(&problems);
    yyjson_doc_free(schema);
    return fits;
}

static void call_begin(struct mcp *mcp, struct mcp_call *call)
{
    if (!arguments_fit(call)) {
        call_answer(call);
        call_free(call);
        return;
    }
    if (call_turn(call, call->begun_ms)) {
        call_free(call);
        return;
    }
    mcp->calls = mem_grow(mcp->calls, mcp->call_count, &mcp->call_cap, sizeof *mcp->calls);
    mcp->calls[mcp->call_count++].call = call;
}

void mcp_call_tool(struct mcp_request *request)
{
    yyjson_val *params = request->message->params;
    yyjson_val *arguments = yyjson_obj_get(params, "arguments");
    struct str name = json_str(params, "name");
    const struct mcp_tool *tool = find_tool(request->mcp, name);

    if (!name.data) {
        refuse_params(request, "params.name must be the name of a tool", STR(""));
    } else if (!tool) {
        refuse_params(request, "Unknown tool: ", name);
    } else if (arguments && !yyjson_is_obj(arguments)) {
        refuse_params(request, "params.arguments must be an object", STR(""));
    } else if (is_open(request->mcp, request->channel, &request->message->id)) {
        refuse_params(request, "a request with this id is still open", STR(""));
    } else if (request->mcp->call_count == MCP_CALLS_MAX) {
        mcp_fail(request, 200, RPC_INTERNAL, NULL, "%d calls are in flight; try again when one "
                 "has ended", MCP_CALLS_MAX);
    } else if (has_capability(request, tool)) {
        call_begin(request->mcp, call_new(request, tool));
    }
}

/* ---- calls in flight ---- */

void mcp_cancel(struct mcp *mcp, uint64_t session, const struct rpc_id *id)
{
    for (uint32_t i = 0; i < mcp->call_count; i++) {
        struct mcp_call *call = mcp->calls[i].call;
        if (call->session != session || !rpc_id_is(&call->id, id)) continue;
        forget(mcp, i);
        call_drop(call, true);
        return;
    }
}

void mcp_gone(struct mcp *mcp, uint64_t channel)
{
    for (uint32_t i = mcp->call_count; i-- > 0;) {
        struct mcp_call *call = mcp->calls[i].call;
        if (call->channel != channel) continue;
        call->mute = true;
        if (call->era != MCP_MODERN) continue;
        forget(mcp, i);
        call_drop(call, true);
    }
}

void mcp_step(struct mcp *mcp, uint64_t now_ms)
{
    for (uint32_t i = 0; i < mcp->call_count;) {
        struct mcp_call *call = mcp->calls[i].call;
        if (call->wake_ms > now_ms || !call_turn(call, now_ms)) {
            i++;
            continue;
        }
        forget(mcp, i);
        call_free(call);
    }
}

int64_t mcp_due_in(const struct mcp *mcp, uint64_t now_ms)
{
    int64_t soonest = -1;

    for (uint32_t i = 0; i < mcp->call_count; i++) {
        uint64_t wake_ms = mcp->calls[i].call->wake_ms;
        int64_t left = wake_ms > now_ms ? (int64_t)(wake_ms - now_ms) : 0;
        if (soonest < 0 || left < soonest) soonest = left;
    }
    return soonest;
}

void mcp_release(struct mcp *mcp)
{
    while (mcp->call_count > 0) call_drop(mcp->calls[--mcp->call_count].call, false);
    free(mcp->calls);
    *mcp = (struct mcp){ 0 };
}
