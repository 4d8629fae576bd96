/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp.c - the protocol machine: messages that come in, and what answers them.
 *
 *   text --rpc_read--> broken: an error, with its id where it had one
 *                      request --era--> a row of the table of methods; none: "method not found"
 *                      notification --> cancelled: that call is dropped; all others are ignored
 *                      response ------> ignored: we send no requests
 *
 * 1. A request is answered exactly once, unless it was cancelled: then never.
 * 2. What is refused has changed nothing.
 * 3. A message that does not fit its bound is replaced by an error, never cut.
 *
 * Eras: which protocol a request speaks, and whether it says what that protocol wants.
 *
 *   says its version in _meta ------------------------> known, modern: MODERN
 *                             |                         known, legacy: LEGACY
 *                             '-----------------------> unknown: refused, with those there are
 *   says none, but HTTP's header does ----------------> legacy: LEGACY; else refused
 *   says none at all: initialize, ping, or after one -> LEGACY
 *                     HTTP ---------------------------> LEGACY, but for server/discover
 *                     else ---------------------------> refused: a modern request without _meta
 *
 * 4. What a header says and what the body says must be the same, before anything else is looked
 *    at: a proxy that routes by the header must not be led astray.
 * 5. A request is judged by itself. Only stdio remembers an initialize, since the process is the
 *    session there; over HTTP there are no sessions, and nothing is remembered.
 *
 * The tools that are there, and their calls from the first turn to the answer:
 *
 *            call()                      call() again, when it is due
 *   (new) -----------> DONE: answered      ^  |
 *              |                           |  |-------> DONE: answered
 *              '-----> LATER: in flight ---'  '-------> cancelled, or its client is gone: dropped
 *
 * 6. What a tool is called with fits its input schema, or the tool is not called: the caller is
 *    told what is wrong, as a result it can read (isError), and not as an error of the protocol.
 * 7. What a tool answers fits its output schema: asserted.
 * 8. Progress is told only to a client that asked for it, and only grows.
 * 9. After an answer, or a cancellation, nothing more is said about a request.
 *
 * Not here: what the tools do (tools.h), transports. */
#include "serve/mcp.h"

#include "base/byte.h"
#include "base/mem.h"
#include "prompts/serve.h"
#include "serve/schema_check.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A request that is being answered. */
struct mcp_request {
    struct mcp *mcp;
    uint64_t channel, now_ms;
    struct rpc_message *message;
    const struct mcp_headers *headers; /* NULL: stdio */
    enum mcp_era era;
    bool opens; /* it is an initialize, and taken */
    yyjson_mut_doc *doc; /* for the answer */
};

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

static void mcp_answer(struct mcp_request *request, yyjson_mut_val *result)
{
    struct buf out;
    bool fits;

    buf_init(&out, MCP_ANSWER_BYTES_MAX);
    fits = rpc_write_result(&request->message->id, request->doc, result, &out);
    assert(fits); /* no list of ours is that long */
    send_text(request, 200, &out);
    buf_release(&out);
}

static void mcp_fail(struct mcp_request *request, int status, int code, yyjson_mut_val *data,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

static void mcp_fail(struct mcp_request *request, int status, int code, yyjson_mut_val *data,
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

/* What every result of the modern era has. */
static void mcp_complete(const struct mcp *mcp, yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    yyjson_mut_val *meta = yyjson_mut_obj_add_obj(doc, result, "_meta");

    yyjson_mut_obj_add_str(doc, result, "resultType", "complete");
    yyjson_mut_obj_add_val(doc, meta, "io.modelcontextprotocol/serverInfo", about_us(mcp, doc));
}

/* And what says how long a result may be kept. */
static void mcp_cacheable(yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    yyjson_mut_obj_add_int(doc, result, "ttlMs", TTL_MS);
    yyjson_mut_obj_add_str(doc, result, "cacheScope", "public");
}

/* ---- eras ---- */

enum { VERSION_SHOWN_MAX = 64 };

#define META_PREFIX "io.modelcontextprotocol/"

/* The versions there are, newest first; NULL ends. */
static const char *const mcp_versions[] = {
    "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL,
};

static bool is_modern(struct str version)
{
    return str_is(version, mcp_versions[0]);
}

static bool is_legacy(struct str version)
{
    for (uint32_t i = 1; mcp_versions[i]; i++) {
        if (str_is(version, mcp_versions[i])) return true;
    }
    return false;
}

const char *mcp_version_newest(void)
{
    return mcp_versions[0];
}

/* The version to speak with a client that wants this one in its initialize. */
static const char *mcp_negotiate(struct str wanted)
{
    for (uint32_t i = 1; mcp_versions[i]; i++) {
        if (str_is(wanted, mcp_versions[i])) return mcp_versions[i];
    }
    return mcp_versions[1];
}

static bool refuse_version(struct mcp_request *request, struct str version)
{
    yyjson_mut_doc *doc = request->doc;
    yyjson_mut_val *data = yyjson_mut_obj(doc);
    yyjson_mut_val *supported = yyjson_mut_obj_add_arr(doc, data, "supported");

    for (uint32_t i = 0; mcp_versions[i]; i++) {
        yyjson_mut_arr_add_str(doc, supported, mcp_versions[i]);
    }
    if (version.size > VERSION_SHOWN_MAX) version.size = VERSION_SHOWN_MAX;
    yyjson_mut_obj_add_val(doc, data, "requested", json_text(doc, version));
    mcp_fail(request, 400, MCP_UNSUPPORTED_VERSION, data, "Unsupported protocol version");
    return false;
}

/* ---- headers ---- */

static int digit_of(char byte)
{
    if (byte_is_capital(byte)) return byte - 'A';
    if (byte_is_small(byte)) return byte - 'a' + 26;
    if (byte_is_digit(byte)) return byte - '0' + 52;
    if (byte == '+') return 62;
    return byte == '/' ? 63 : -1;
}

/* Whether coded is text in base64, with its padding. */
static bool is_base64_of(struct str coded, struct str text)
{
    size_t full = text.size / 3 * 4, rest = text.size % 3;
    uint32_t bits = 0, have = 0;
    size_t at = 0;

    if (coded.size != full + (rest ? 4 : 0)) return false;
    for (size_t i = 0; i < coded.size; i++) {
        int digit = digit_of(coded.data[i]);

        if (rest && i >= full + rest + 1) {
            if (coded.data[i] != '=') return false;
            continue;
        }
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        if ((char)(bits >> have & 0xff) != text.data[at++]) return false;
    }
    return at == text.size && (bits & ((1u << have) - 1)) == 0; /* one way to write a name */
}

/* A header's value, plain or as =?base64?...?=, against what the body says. */
static bool header_is(struct str header, struct str body)
{
    struct str prefix = STR("=?base64?"), suffix = STR("?=");

    if (header.size >= prefix.size + suffix.size && str_starts(header, prefix) &&
        str_ends(header, suffix)) {
        struct str coded = str_skip(header, prefix.size);
        coded.size -= suffix.size;
        return is_base64_of(coded, body);
    }
    return str_eq(header, body);
}

static bool mismatch(struct mcp_request *request, const char *header, struct str said,
                     struct str body)
{
    if (!said.data) {
        mcp_fail(request, 400, MCP_HEADER_MISMATCH, NULL,
                 "Header mismatch: the %s header is missing", header);
    } else {
        mcp_fail(request, 400, MCP_HEADER_MISMATCH, NULL,
                 "Header mismatch: %s says '%.*s', the body says '%.*s'", header,
                 said.size > 80 ? 80 : (int)said.size, said.data,
                 body.size > 80 ? 80 : (int)body.size, body.data ? body.data : "");
    }
    return false;
}

static bool headers_fit(struct mcp_request *request)
{
    const struct mcp_headers *headers = request->headers;
    struct str method = request->message->method;
    struct str name = json_str(request->message->params, "name");

    if (!headers) return true;
    if (!headers->method.data || !str_eq(headers->method, method)) {
        return mismatch(request, "Mcp-Method", headers->method, method);
    }
    if (!str_is(method, "tools/call") || !name.data) return true;
    if (!headers->name.data || !header_is(headers->name, name)) {
        return mismatch(request, "Mcp-Name", headers->name, name);
    }
    return true;
}

/* ---- the era ---- */

static bool refuse_meta(struct mcp_request *request, const char *missing)
{
    mcp_fail(request, 400, RPC_PARAMS, NULL, "params._meta must have \"" META_PREFIX "%s\"; a "
             "client of an older protocol sends initialize first", missing);
    return false;
}

static bool is_modern_whole(struct mcp_request *request, yyjson_val *meta)
{
    request->era = MCP_MODERN;
    if (!yyjson_is_obj(yyjson_obj_get(meta, META_PREFIX "clientCapabilities"))) {
        return refuse_meta(request, "clientCapabilities");
    }
    return headers_fit(request);
}

/* The request says nothing about its version. */
static bool find_unsaid(struct mcp_request *request)
{
    struct str method = request->message->method;
    struct str header = request->headers ? request->headers->version : (struct str){ 0 };
    bool opens = str_is(method, "initialize") || str_is(method, "ping");

    if (header.data && is_modern(header)) return refuse_meta(request, "protocolVersion");
    if (header.data && !is_legacy(header)) return refuse_version(request, header);
    if (opens || header.data) return true;
    if (request->headers && !str_is(method, "server/discover")) return true;
    if (!request->headers && request->mcp->initialized) return true;
    return refuse_meta(request, "protocolVersion");
}

/* Finds the request's era, and whether it says all that it must: false when it was refused. */
static bool mcp_find_era(struct mcp_request *request)
{
    yyjson_val *meta = yyjson_obj_get(request->message->params, "_meta");
    struct str said = json_str(meta, META_PREFIX "protocolVersion");
    const struct mcp_headers *headers = request->headers;

    request->era = MCP_LEGACY;
    if (!said.data) return find_unsaid(request);
    if (headers && (!headers->version.data || !str_eq(headers->version, said))) {
        return mismatch(request, "MCP-Protocol-Version", headers->version, said);
    }
    if (is_modern(said)) return is_modern_whole(request, meta);
    return is_legacy(said) || refuse_version(request, said);
}

/* ---- tools and calls ---- */

enum { PROBLEM_BYTES_MAX = 4096 };

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

    yyjson_mut_obj_add_val(doc, object, key, yyjson_val_mut_copy(doc, yyjson_doc_get_root(schema)));
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

static void mcp_list_tools(struct mcp_request *request)
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

enum mcp_state mcp_error(struct mcp_call *call, const char *words)
{
    call->is_error = true;
    call->structured = NULL;
    set_text(call, str_of(words));
    return MCP_DONE;
}

enum mcp_state mcp_say(struct mcp_call *call,
                       void (*write)(struct buf *out, const struct serve_page *page),
                       const struct serve_page *page)
{
    struct arena arena = { 0 };

    mcp_error(call, serve_words(write, page, &arena).data);
    arena_release(&arena);
    return MCP_DONE;
}

struct serve_page serve_page(const struct mcp_call *call)
{
    /* No quote stands in these texts: any fence will do. */
    return (struct serve_page){ .fence = "=====", .tool = slot_word(call->tool->name) };
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
    struct serve_page page = serve_page(call);
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
        page.mib_max = slot_number(MCP_ANSWER_BYTES_MAX / 4 >> 20);
        mcp_say(call, serve_page_answer_too_long, &page);
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
    struct serve_page page = serve_page(call);
    struct buf problems;
    bool fits;

    buf_init(&problems, PROBLEM_BYTES_MAX);
    schema_check(yyjson_doc_get_root(schema), call->arguments, &problems);
    if (has_nul(call->arguments)) buf_text(&problems, "- no text may hold a NUL (\\u0000)\n");
    fits = problems.size == 0 && !problems.overflow;
    if (!fits) {
        page.problems = slot_part(&problems);
        mcp_say(call, serve_page_bad_arguments, &page);
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

static void mcp_call_tool(struct mcp_request *request)
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

/* Cancels a call of this session, or of the one stream. */
static void mcp_cancel(struct mcp *mcp, uint64_t session, const struct rpc_id *id)
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

/* ---- the machine ---- */

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

    /* Ids of different clients may be the same: a client without a session or a stream of its own
     * cannot cancel by an id; it closes its connection instead. */
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
