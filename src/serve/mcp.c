/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp.c - the protocol machine: what comes in, and who answers it.
 *
 *   text --rpc_read--> broken: an error, with its id where it had one
 *                      request --era--> a row of the table of methods; none: "method not found"
 *                      notification --> cancelled: that call is dropped; all others are ignored
 *                      response ------> ignored: we ask nobody anything
 *
 * 1. A request is answered exactly once, unless it was cancelled: then never.
 * 2. What is refused has changed nothing.
 * 3. A message that does not fit its bound is replaced by an error, never cut.
 *
 * Not here: eras (mcp_era.c), tools and calls in flight (mcp_call.c), transports. */
#include "serve/mcp_parts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { TTL_MS = 3600 * 1000, ERROR_BYTES = 1024 };

/* ---- out ---- */

static void send_text(const struct mcp_request *request, int status, const struct buf *text)
{
    const struct mcp_setup *setup = &request->mcp->setup;

    setup->send(setup->context, &(struct mcp_send){
        .kind = MCP_SEND_ANSWER, .channel = request->channel, .status = status,
        .opens = request->opens, .text = buf_str(text),
    });
}

static void send_nothing(struct mcp *mcp, uint64_t channel)
{
    mcp->setup.send(mcp->setup.context, &(struct mcp_send){
        .kind = MCP_SEND_NOTHING, .channel = channel, .status = 202, .text = { "", 0 },
    });
}

void mcp_answer(struct mcp_request *request, yyjson_mut_val *result)
{
    struct buf out;
    bool fits;

    buf_init(&out, MCP_ANSWER_BYTES_MAX);
    fits = rpc_write_result(&request->message->id, request->doc, result, &out);
    assert(fits); /* no list of ours is that long */
    send_text(request, 200, &out);
    buf_release(&out);
}

void mcp_fail(struct mcp_request *request, int status, int code, yyjson_mut_val *data,
              const char *format, ...)
{
    char text[ERROR_BYTES];
    struct buf out;
    va_list args;
    bool fits;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&out, MCP_ANSWER_BYTES_MAX);
    fits = rpc_write_error(&request->message->id, code, text, request->doc, data, &out);
    assert(fits); /* data holds little more than came in, and that is bounded */
    send_text(request, status, &out);
    buf_release(&out);
}

/* ---- what results share ---- */

static yyjson_mut_val *about_us(const struct mcp *mcp, yyjson_mut_doc *doc)
{
    yyjson_mut_val *info = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_str(doc, info, "name", "hone");
    yyjson_mut_obj_add_str(doc, info, "title", "hone: review-fix loops");
    yyjson_mut_obj_add_strcpy(doc, info, "version", mcp->setup.version);
    return info;
}

void mcp_complete(const struct mcp *mcp, yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    yyjson_mut_val *meta = yyjson_mut_obj_add_obj(doc, result, "_meta");

    yyjson_mut_obj_add_str(doc, result, "resultType", "complete");
    yyjson_mut_obj_add_val(doc, meta, "io.modelcontextprotocol/serverInfo", about_us(mcp, doc));
}

void mcp_cacheable(yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    yyjson_mut_obj_add_int(doc, result, "ttlMs", TTL_MS);
    yyjson_mut_obj_add_str(doc, result, "cacheScope", "public");
}

static void add_capabilities(const struct mcp *mcp, yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    yyjson_mut_val *capabilities = yyjson_mut_obj_add_obj(doc, result, "capabilities");

    yyjson_mut_obj_add_obj(doc, capabilities, "tools");
    if (mcp->setup.instructions) {
        yyjson_mut_obj_add_strcpy(doc, result, "instructions", mcp->setup.instructions);
    }
}

/* ---- methods ---- */

static void discover(struct mcp_request *request)
{
    yyjson_mut_doc *doc = request->doc;
    yyjson_mut_val *result = yyjson_mut_obj(doc);
    yyjson_mut_val *versions = yyjson_mut_obj_add_arr(doc, result, "supportedVersions");

    for (uint32_t i = 0; mcp_versions[i]; i++) {
        yyjson_mut_arr_add_str(doc, versions, mcp_versions[i]);
    }
    add_capabilities(request->mcp, doc, result);
    mcp_complete(request->mcp, doc, result);
    mcp_cacheable(doc, result);
    mcp_answer(request, result);
}

static void initialize(struct mcp_request *request)
{
    struct str wanted = json_str(request->message->params, "protocolVersion");
    yyjson_mut_doc *doc = request->doc;
    yyjson_mut_val *result = yyjson_mut_obj(doc);

    if (!wanted.data) {
        mcp_fail(request, 400, RPC_PARAMS, NULL, "params.protocolVersion must be a text; we speak "
                 "%s to %s, and %s without initialize", mcp_versions[4], mcp_versions[1],
                 mcp_versions[0]);
        return;
    }
    yyjson_mut_obj_add_str(doc, result, "protocolVersion", mcp_negotiate(wanted));
    add_capabilities(request->mcp, doc, result);
    yyjson_mut_obj_add_val(doc, result, "serverInfo", about_us(request->mcp, doc));
    request->mcp->initialized = request->mcp->setup.one_stream;
    request->opens = true;
    mcp_answer(request, result);
}

static void ping(struct mcp_request *request)
{
    mcp_answer(request, yyjson_mut_obj(request->doc));
}

static const struct method {
    const char *name;
    bool modern, legacy;
    void (*handle)(struct mcp_request *request);
} methods[] = {
    { .name = "server/discover", .modern = true, .handle = discover },
    { .name = "initialize", .legacy = true, .handle = initialize },
    { .name = "ping", .legacy = true, .handle = ping },
    { .name = "tools/list", .modern = true, .legacy = true, .handle = mcp_list_tools },
    { .name = "tools/call", .modern = true, .legacy = true, .handle = mcp_call_tool },
    { .name = NULL },
};

/* ---- in ---- */

static void take_request(struct mcp_request *request)
{
    struct str name = request->message->method;

    if (!mcp_find_era(request)) return;
    for (const struct method *method = methods; method->name; method++) {
        bool known = request->era == MCP_MODERN ? method->modern : method->legacy;
        if (!known || !str_is(name, method->name)) continue;
        method->handle(request);
        return;
    }
    mcp_fail(request, request->era == MCP_MODERN ? 404 : 200, RPC_METHOD, NULL,
             "Method not found: %.*s", STR_ARG(name));
}

static void take_notification(const struct mcp_request *request)
{
    const struct rpc_message *message = request->message;
    uint64_t session = request->headers ? request->headers->session : 0;
    struct rpc_id id;

    /* Ids of different clients may be the same: who belongs to no session and no stream cannot
     * cancel by an id, and goes away instead. */
    if ((request->mcp->setup.one_stream || session != 0) &&
        str_is(message->method, "notifications/cancelled") &&
        rpc_id_read(yyjson_obj_get(message->params, "requestId"), &id)) {
        mcp_cancel(request->mcp, session, &id);
    }
    send_nothing(request->mcp, request->channel);
}

void mcp_take(struct mcp *mcp, uint64_t channel, struct str text,
              const struct mcp_headers *headers, uint64_t now_ms)
{
    struct rpc_message message;
    struct mcp_request request = {
        .mcp = mcp, .channel = channel, .now_ms = now_ms, .message = &message,
        .headers = headers, .doc = json_new(),
    };

    rpc_read(text, &message);
    switch (message.kind) {
    case RPC_REQUEST:
        take_request(&request);
        break;
    case RPC_NOTIFICATION:
        take_notification(&request);
        break;
    case RPC_RESPONSE:
        send_nothing(mcp, channel);
        break;
    case RPC_BROKEN:
    case RPC_KIND_COUNT:
        mcp_fail(&request, 400, message.code, NULL, "%s: %s",
                 message.code == RPC_PARSE ? "Parse error" : "Invalid request", message.problem);
        break;
    }
    rpc_release(&message);
    yyjson_mut_doc_free(request.doc);
}

void mcp_refuse(struct mcp *mcp, uint64_t channel)
{
    struct rpc_message message = { .kind = RPC_BROKEN };
    struct mcp_request request = {
        .mcp = mcp, .channel = channel, .message = &message, .doc = json_new(),
    };

    mcp_fail(&request, 413, RPC_INVALID, NULL,
             "Invalid request: a message of more than %d MiB was passed over",
             RPC_BYTES_MAX >> 20);
    yyjson_mut_doc_free(request.doc);
}

void mcp_init(struct mcp *mcp, const struct mcp_setup *setup)
{
    *mcp = (struct mcp){ .setup = *setup };
}
