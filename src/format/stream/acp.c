/* SPDX-License-Identifier: Apache-2.0
 *
 * acp.c - one prompt over the Agent Client Protocol.
 *
 *    initialize --> session/new --> [session/set_mode] --> session/prompt --> its answer: over
 *
 * 1. One request of ours is open at a time. An answer to anything else is ignored, and so is what
 *    is no message at all.
 * 2. Every request of the agent is answered exactly once: a permission by role, a file inside the
 *    workspace, anything else as unknown.
 * 3. A reviewer is allowed to read, search, fetch and run commands. A role that writes is allowed
 *    to edit, too, but not a file that the agent itself says is outside the workspace. What an
 *    agent says it does is no proof: the sandbox and the comparison of trees stand behind it.
 * 4. We offer neither files nor terminals: an agent has its own, and the sandbox sees them. One
 *    that asks for files all the same gets those of the workspace.
 * 5. Nothing the agent sends is kept longer than its line, but the id of its session. */
#include "format/stream/acp.h"

#include "format/text/safe.h"
#include "format/text/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,
    SESSION_BYTES_MAX = 4096, ID_BYTES_MAX = 1024, PATH_BYTES_MAX = 4096,
    PROBLEM_BYTES_MAX = 400, PROBLEM_ROOM_BYTES = 16 * PROBLEM_BYTES_MAX,
    WHO_BYTES_MAX = 100, WHO_ROOM_BYTES = 32 * WHO_BYTES_MAX,
};

/* Codes of JSON-RPC. */
enum { RPC_UNKNOWN_METHOD = -32601, RPC_BAD_PARAMS = -32602, RPC_INTERNAL = -32603 };

void acp_init(struct acp *acp, const struct acp_about *about)
{
    *acp = (struct acp){ .about = *about };
    buf_init(&acp->session, SESSION_BYTES_MAX);
    buf_init(&acp->problem, PROBLEM_ROOM_BYTES);
    buf_init(&acp->who, WHO_ROOM_BYTES);
    buf_init(&acp->file_id, ID_BYTES_MAX);
    buf_init(&acp->path, PATH_BYTES_MAX);
    buf_init(&acp->content, ACP_LINE_BYTES_MAX);
}

void acp_release(struct acp *acp)
{
    buf_release(&acp->session);
    buf_release(&acp->problem);
    buf_release(&acp->who);
    buf_release(&acp->file_id);
    buf_release(&acp->path);
    buf_release(&acp->content);
}

static enum acp_event over(struct acp *acp, const char *words, struct str said)
{
    if (said.size > PROBLEM_BYTES_MAX) said.size = PROBLEM_BYTES_MAX;
    buf_clear(&acp->problem);
    buf_text(&acp->problem, words);
    if (said.size > 0) buf_text(&acp->problem, ": ");
    safe_text(&acp->problem, said, true, PROBLEM_BYTES_MAX);
    acp->over = true;
    return ACP_OVER;
}

/* ---- what we send ---- */

struct message {
    yyjson_mut_doc *doc;
    yyjson_mut_val *root, *body; /* body: params, or result */
};

static struct message message_new(void)
{
    struct message message = { .doc = json_new() };

    message.root = yyjson_mut_obj(message.doc);
    message.body = yyjson_mut_obj(message.doc);
    yyjson_mut_doc_set_root(message.doc, message.root);
    yyjson_mut_obj_add_str(message.doc, message.root, "jsonrpc", "2.0");
    return message;
}

static void message_send(struct message message, struct buf *out)
{
    json_write(message.doc, false, out);
    buf_byte(out, '\n');
    yyjson_mut_doc_free(message.doc);
}

static struct message request_new(struct acp *acp, enum acp_request id, const char *method)
{
    struct message message = message_new();

    acp->waiting = id;
    yyjson_mut_obj_add_uint(message.doc, message.root, "id", id);
    yyjson_mut_obj_add_str(message.doc, message.root, "method", method);
    yyjson_mut_obj_add_val(message.doc, message.root, "params", message.body);
    json_add_some(message.doc, message.body, "sessionId", buf_str(&acp->session));
    return message;
}

/* An answer; the id is a value of the agent's, given back as it was. */
static struct message answer_new(yyjson_val *id)
{
    struct message message = message_new();

    yyjson_mut_obj_add_val(message.doc, message.root, "id", yyjson_val_mut_copy(message.doc, id));
    return message;
}

static void answer_send(struct message message, struct buf *out)
{
    yyjson_mut_obj_add_val(message.doc, message.root, "result", message.body);
    message_send(message, out);
}

static void answer_refuse(yyjson_val *id, int code, const char *words, struct buf *out)
{
    struct message message = answer_new(id);

    yyjson_mut_obj_add_int(message.doc, message.body, "code", code);
    json_add_text(message.doc, message.body, "message", str_of(words));
    yyjson_mut_obj_add_val(message.doc, message.root, "error", message.body);
    message_send(message, out);
}

void acp_begin(struct acp *acp, struct buf *out)
{
    struct message message = request_new(acp, ACP_INITIALIZE, "initialize");
    yyjson_mut_doc *doc = message.doc;
    yyjson_mut_val *can = yyjson_mut_obj(doc), *files = yyjson_mut_obj(doc);
    yyjson_mut_val *who = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_int(doc, message.body, "protocolVersion", VERSION);
    yyjson_mut_obj_add_bool(doc, files, "readTextFile", false);
    yyjson_mut_obj_add_bool(doc, files, "writeTextFile", false);
    yyjson_mut_obj_add_val(doc, can, "fs", files);
    yyjson_mut_obj_add_bool(doc, can, "terminal", false);
    yyjson_mut_obj_add_val(doc, message.body, "clientCapabilities", can);
    yyjson_mut_obj_add_str(doc, who, "name", "hone");
    yyjson_mut_obj_add_str(doc, who, "title", "hone");
    yyjson_mut_obj_add_strcpy(doc, who, "version", acp->about.version);
    yyjson_mut_obj_add_val(doc, message.body, "clientInfo", who);
    message_send(message, out);
}

static void send_prompt(struct acp *acp, struct buf *out)
{
    struct message message = request_new(acp, ACP_PROMPT, "session/prompt");
    yyjson_mut_val *blocks = yyjson_mut_arr(message.doc), *text = yyjson_mut_obj(message.doc);

    yyjson_mut_obj_add_str(message.doc, text, "type", "text");
    json_add_text(message.doc, text, "text", acp->about.prompt);
    yyjson_mut_arr_append(blocks, text);
    yyjson_mut_obj_add_val(message.doc, message.body, "prompt", blocks);
    message_send(message, out);
}

void acp_cancel(struct acp *acp, struct buf *out)
{
    struct message message;

    if (acp->cancelled || acp->over || acp->session.size == 0) return;
    acp->cancelled = true;
    message = message_new();
    yyjson_mut_obj_add_str(message.doc, message.root, "method", "session/cancel");
    json_add_text(message.doc, message.body, "sessionId", buf_str(&acp->session));
    yyjson_mut_obj_add_val(message.doc, message.root, "params", message.body);
    message_send(message, out);
}

/* ---- answers to what we asked ---- */

static void take_who(struct acp *acp, yyjson_val *info)
{
    const struct str parts[] = { json_str(info, "name"), json_str(info, "version") };

    for (uint32_t i = 0; i < 2; i++) {
        struct str part = parts[i];

        if (part.size > WHO_BYTES_MAX) part.size = WHO_BYTES_MAX;
        if (part.size > 0 && acp->who.size > 0) buf_byte(&acp->who, ' ');
        safe_text(&acp->who, part, true, WHO_BYTES_MAX);
    }
}

static enum acp_event on_initialized(struct acp *acp, yyjson_val *result, struct buf *out)
{
    yyjson_val *version = yyjson_obj_get(result, "protocolVersion");
    struct message message;

    take_who(acp, yyjson_obj_get(result, "agentInfo"));

    if (!yyjson_is_uint(version) || yyjson_get_uint(version) != VERSION) {
        return over(acp, "the agent does not speak version 1 of ACP", (struct str){ "", 0 });
    }
    message = request_new(acp, ACP_NEW, "session/new");
    yyjson_mut_obj_add_strcpy(message.doc, message.body, "cwd", acp->about.workspace);
    yyjson_mut_obj_add_val(message.doc, message.body, "mcpServers", yyjson_mut_arr(message.doc));
    message_send(message, out);
    return ACP_GOES_ON;
}

/* The mode of the agent's own that fits the role, where it has one; NULL: it stays as it is. Most
 * agents begin by asking us; these would decide by themselves. */
static const char *mode_for(const struct acp *acp, yyjson_val *result)
{
    const char *wanted = acp->about.writes ? "workspace-write" : "read-only";
    yyjson_val *modes = yyjson_obj_get(result, "modes"), *mode;
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(modes, "availableModes"));

    while ((mode = yyjson_arr_iter_next(&iter))) {
        if (str_is(json_str(mode, "id"), wanted)) return wanted;
    }
    return NULL;
}

static enum acp_event on_session(struct acp *acp, yyjson_val *result, struct buf *out)
{
    struct str id = json_str(result, "sessionId");
    const char *mode = mode_for(acp, result);
    struct message message;

    if (id.size == 0 || buf_add(&acp->session, id) != 0) {
        return over(acp, "the agent opened a session without a usable id", (struct str){ "", 0 });
    }
    if (acp->about.looks) {
        acp->over = true;
        return ACP_OVER;
    }
    if (!mode) {
        send_prompt(acp, out);
        return ACP_GOES_ON;
    }
    message = request_new(acp, ACP_MODE, "session/set_mode");
    yyjson_mut_obj_add_str(message.doc, message.body, "modeId", mode);
    message_send(message, out);
    return ACP_GOES_ON;
}

static enum acp_event on_prompted(struct acp *acp, yyjson_val *result)
{
    struct str reason = json_str(result, "stopReason");

    if (str_is(reason, "end_turn")) {
        acp->over = true;
        return ACP_OVER;
    }
    return over(acp, "the agent stopped before its end", reason);
}

static enum acp_event on_answer(struct acp *acp, yyjson_val *root, struct buf *out)
{
    yyjson_val *result = yyjson_obj_get(root, "result"), *error = yyjson_obj_get(root, "error");
    enum acp_request request = acp->waiting;
    uint64_t id;

    if (!json_uint(root, "id", &id) || id != request) return ACP_GOES_ON;
    acp->waiting = ACP_NONE;
    if (request == ACP_MODE) { /* refused or not: the sandbox holds */
        send_prompt(acp, out);
        return ACP_GOES_ON;
    }
    if (error) {
        acp->login = yyjson_get_sint(yyjson_obj_get(error, "code")) == ACP_LOGIN_NEEDED;
        return over(acp, acp->login ? "the agent wants a login: start it once by hand"
                               : "the agent answered with an error", json_str(error, "message"));
    }
    switch (request) {
    case ACP_INITIALIZE: return on_initialized(acp, result, out);
    case ACP_NEW: return on_session(acp, result, out);
    case ACP_PROMPT: return on_prompted(acp, result);
    case ACP_MODE: case ACP_NONE: break;
    }
    return ACP_GOES_ON;
}

/* ---- what the agent asks ---- */

/* The path below the workspace, or an empty view: it is outside. */
static struct str below(const struct acp *acp, struct str path)
{
    struct str root = str_of(acp->about.workspace);

    if (root.size == 1) root.size = 0; /* "/" */
    if (!str_starts(path, root) || path.size <= root.size + 1 || path.data[root.size] != '/') {
        return (struct str){ "", 0 };
    }
    return str_skip(path, root.size + 1);
}

static bool is_outside(const struct acp *acp, yyjson_val *call)
{
    yyjson_arr_iter places = yyjson_arr_iter_with(yyjson_obj_get(call, "locations"));
    yyjson_arr_iter pieces = yyjson_arr_iter_with(yyjson_obj_get(call, "content"));
    yyjson_val *place;

    while ((place = yyjson_arr_iter_next(&places))) {
        struct str path = json_str(place, "path");
        if (path.size > 0 && path.data[0] == '/' && below(acp, path).size == 0) return true;
    }
    while ((place = yyjson_arr_iter_next(&pieces))) {
        struct str path = json_str(place, "path");
        if (path.size > 0 && path.data[0] == '/' && below(acp, path).size == 0) return true;
    }
    return false;
}

static bool is_allowed(const struct acp *acp, yyjson_val *call)
{
    static const char *const harmless[] = { "read", "search", "execute", "think", "fetch", NULL };
    struct str kind = json_str(call, "kind");

    if (text_is_one_of(kind, harmless)) return true;
    if (!acp->about.writes || str_is(kind, "switch_mode")) return false;
    return !is_outside(acp, call);
}

/* The id of the option of that kind; an empty view: there is none. */
static struct str option_of(yyjson_val *options, const char *kind)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(options);
    yyjson_val *option;

    while ((option = yyjson_arr_iter_next(&iter))) {
        if (str_is(json_str(option, "kind"), kind)) return json_str(option, "optionId");
    }
    return (struct str){ "", 0 };
}

static void on_permission(struct acp *acp, yyjson_val *id, yyjson_val *params, struct buf *out)
{
    bool allowed = !acp->cancelled && is_allowed(acp, yyjson_obj_get(params, "toolCall"));
    yyjson_val *options = yyjson_obj_get(params, "options");
    struct str option = option_of(options, allowed ? "allow_once" : "reject_once");
    struct message message = answer_new(id);
    yyjson_mut_val *outcome = yyjson_mut_obj(message.doc);

    if (option.size == 0) option = option_of(options, allowed ? "allow_always" : "reject_always");
    if (option.size == 0 || acp->cancelled) {
        yyjson_mut_obj_add_str(message.doc, outcome, "outcome", "cancelled");
    } else {
        yyjson_mut_obj_add_str(message.doc, outcome, "outcome", "selected");
        json_add_text(message.doc, outcome, "optionId", option);
    }
    yyjson_mut_obj_add_val(message.doc, message.body, "outcome", outcome);
    answer_send(message, out);
}

/* Keeps which file is wanted; false: it was refused. */
static bool file_wanted(struct acp *acp, yyjson_val *id, yyjson_val *params, struct buf *out)
{
    struct str path = below(acp, json_str(params, "path"));
    size_t size = 0;
    char *text;

    buf_clear(&acp->path);
    buf_clear(&acp->file_id);
    if (path.size == 0 || memchr(path.data, '\0', path.size) || buf_add(&acp->path, path) != 0) {
        answer_refuse(id, RPC_BAD_PARAMS, "only files of the workspace can be had", out);
        return false;
    }
    text = yyjson_val_write(id, YYJSON_WRITE_NOFLAG, &size);
    if (text) buf_add(&acp->file_id, (struct str){ text, size });
    free(text);
    if (acp->file_id.size > 0) return true;
    answer_refuse(id, RPC_BAD_PARAMS, "the request's id is too long", out);
    return false;
}

static enum acp_event on_read(struct acp *acp, yyjson_val *id, yyjson_val *params, struct buf *out)
{
    if (!file_wanted(acp, id, params, out)) return ACP_GOES_ON;
    if (!json_uint(params, "line", &acp->from_line) || acp->from_line == 0) acp->from_line = 1;
    if (!json_uint(params, "limit", &acp->lines)) acp->lines = UINT64_MAX;
    return ACP_WANTS_READ;
}

static enum acp_event on_write(struct acp *acp, yyjson_val *id, yyjson_val *params,
                               struct buf *out)
{
    struct str content = json_str(params, "content");

    if (!acp->about.writes) {
        answer_refuse(id, RPC_BAD_PARAMS, "a reviewer changes nothing", out);
        return ACP_GOES_ON;
    }
    if (!content.data) {
        answer_refuse(id, RPC_BAD_PARAMS, "there is no content", out);
        return ACP_GOES_ON;
    }
    if (!file_wanted(acp, id, params, out)) return ACP_GOES_ON;
    buf_clear(&acp->content);
    buf_add(&acp->content, content);
    return ACP_WANTS_WRITE;
}

/* The answer to the file request that is open, or its refusal. */
static struct message file_answer(struct acp *acp, const char *problem, struct buf *out)
{
    yyjson_doc *doc = NULL;
    struct message message = { 0 };
    struct err none;

    if (json_read(buf_str(&acp->file_id), &doc, &none) != 0) return message;
    if (problem) {
        answer_refuse(yyjson_doc_get_root(doc), RPC_INTERNAL, problem, out);
    } else {
        message = answer_new(yyjson_doc_get_root(doc));
    }
    yyjson_doc_free(doc);
    return message;
}

static struct str lines_of(struct str text, uint64_t from_line, uint64_t lines)
{
    struct str rest = text, piece, begin;

    for (uint64_t i = 1; i < from_line && str_cut(&rest, '\n', &piece); i++) {}
    begin = rest;
    for (uint64_t i = 0; i < lines && str_cut(&rest, '\n', &piece); i++) {}
    return (struct str){ begin.data, begin.size - rest.size };
}

void acp_file_read(struct acp *acp, struct str content, const char *problem, struct buf *out)
{
    struct message message = file_answer(acp, problem, out);
    struct str text = lines_of(content, acp->from_line, acp->lines);

    if (!message.doc) return;
    json_add_text(message.doc, message.body, "content", text);
    answer_send(message, out);
}

void acp_file_written(struct acp *acp, const char *problem, struct buf *out)
{
    struct message message = file_answer(acp, problem, out);

    if (message.doc) answer_send(message, out);
}

/* ---- lines ---- */

static enum acp_event on_request(struct acp *acp, struct str method, yyjson_val *id,
                                 yyjson_val *params, struct buf *out)
{
    if (str_is(method, "session/request_permission")) {
        on_permission(acp, id, params, out);
    } else if (str_is(method, "fs/read_text_file")) {
        return on_read(acp, id, params, out);
    } else if (str_is(method, "fs/write_text_file")) {
        return on_write(acp, id, params, out);
    } else {
        answer_refuse(id, RPC_UNKNOWN_METHOD, "hone does not offer this", out);
    }
    return ACP_GOES_ON;
}

enum acp_event acp_line(struct acp *acp, struct str line, struct buf *out)
{
    enum acp_event event = ACP_GOES_ON;
    yyjson_doc *doc = NULL;
    yyjson_val *root, *id;
    struct str method;
    struct err none;

    assert(!acp->over);
    if (json_read(line, &doc, &none) != 0) return ACP_GOES_ON;
    root = yyjson_doc_get_root(doc);
    id = yyjson_obj_get(root, "id");
    method = json_str(root, "method");
    if (!method.data) {
        event = on_answer(acp, root, out);
    } else if (yyjson_is_str(id) || yyjson_is_num(id)) {
        event = on_request(acp, method, id, yyjson_obj_get(root, "params"), out);
    }
    yyjson_doc_free(doc);
    return event;
}
