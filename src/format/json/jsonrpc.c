/* SPDX-License-Identifier: Apache-2.0
 *
 * jsonrpc.c - JSON-RPC 2.0 messages.
 *
 * 1. A message that could be read in two ways (one of its own members stands twice) is broken: what
 *    another reader takes for the method or the id must be what we take.
 * 2. The id of a broken request is kept where it is a good one, so that its sender is answered.
 * 3. What is written is one line: JSON text has no raw line end in it.
 *
 * Not here: what methods mean (serve/), where messages come from. */
#include "format/json/jsonrpc.h"

#include <stdlib.h>
#include <string.h>

const struct rpc_id rpc_id_null = { .json = "null", .size = 4 };

/* ---- reading ---- */

bool rpc_id_read(yyjson_val *value, struct rpc_id *out)
{
    char *text;
    size_t bytes;
    bool fits;

    out->size = 0;
    if (!yyjson_is_str(value) && !yyjson_is_int(value)) return false;
    text = yyjson_val_write(value, 0, &bytes);
    if (!text) return false;
    fits = bytes < sizeof out->json;
    if (fits) {
        memcpy(out->json, text, bytes);
        out->json[bytes] = '\0';
        out->size = bytes;
    }
    free(text);
    return fits;
}

bool rpc_id_is(const struct rpc_id *a, const struct rpc_id *b)
{
    return a->size == b->size && memcmp(a->json, b->json, a->size) == 0;
}

static void broken(struct rpc_message *out, enum rpc_code code, const char *problem)
{
    out->kind = RPC_BROKEN;
    out->code = code;
    out->problem = problem;
}

static void read_call(yyjson_val *root, bool has_id, struct rpc_message *out)
{
    yyjson_val *params = yyjson_obj_get(root, "params");

    if (yyjson_is_null(params)) params = NULL;
    if (!out->method.data || out->method.size == 0 || out->method.size > RPC_METHOD_BYTES_MAX) {
        broken(out, RPC_INVALID, "\"method\" must be a text of 1 to 128 bytes");
    } else if (params && !yyjson_is_obj(params)) {
        broken(out, RPC_INVALID, "\"params\" must be an object");
    } else if (has_id && out->id.size == 0) {
        broken(out, RPC_INVALID, "\"id\" must be a text or a whole number");
    } else {
        out->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
        out->params = params;
    }
}

static void read_object(yyjson_val *root, struct rpc_message *out)
{
    yyjson_val *id = yyjson_obj_get(root, "id");
    bool is_answer = yyjson_obj_get(root, "result") || yyjson_obj_get(root, "error");

    if (id) (void)rpc_id_read(id, &out->id);
    out->method = json_str(root, "method");
    if (json_has_duplicates(root)) {
        out->id.size = 0;
        broken(out, RPC_INVALID, "a member of the message stands in it twice");
    } else if (!str_is(json_str(root, "jsonrpc"), "2.0")) {
        broken(out, RPC_INVALID, "\"jsonrpc\" must be \"2.0\"");
    } else if (!yyjson_obj_get(root, "method") && is_answer) {
        out->kind = RPC_RESPONSE;
    } else {
        read_call(root, id != NULL, out);
    }
}

static void read_root(struct rpc_message *out)
{
    yyjson_val *root = yyjson_doc_get_root(out->doc);

    if (yyjson_is_arr(root)) {
        broken(out, RPC_INVALID, "batches are not taken: send one message at a time");
    } else if (!yyjson_is_obj(root)) {
        broken(out, RPC_INVALID, "a message is a JSON object");
    } else {
        read_object(root, out);
    }
}

void rpc_read(struct str text, struct rpc_message *out)
{
    struct err err = { 0 };

    *out = (struct rpc_message){ .kind = RPC_BROKEN };
    if (text.size > RPC_BYTES_MAX) {
        broken(out, RPC_INVALID, "the message is longer than 4 MiB");
        return;
    }
    if (json_read(text, &out->doc, &err) != 0) {
        broken(out, RPC_PARSE, "this is not one JSON value of at most 64 levels");
        return;
    }
    read_root(out);
}

void rpc_read_in_place(struct buf *text, struct rpc_message *out)
{
    struct err err = { 0 };

    *out = (struct rpc_message){ .kind = RPC_BROKEN };
    if (json_read_in_place(text, &out->doc, &err) != 0 ||
        json_is_too_deep(yyjson_doc_get_root(out->doc))) {
        yyjson_doc_free(out->doc);
        out->doc = NULL;
        broken(out, RPC_PARSE, "this is not one JSON value of at most 64 levels");
        return;
    }
    read_root(out);
}

void rpc_release(struct rpc_message *message)
{
    yyjson_doc_free(message->doc);
    *message = (struct rpc_message){ .kind = RPC_BROKEN };
}

/* ---- writing ---- */

/* The document is only borrowed: its root is put back. */
static bool write_root(yyjson_mut_doc *doc, yyjson_mut_val *root, struct buf *out)
{
    yyjson_mut_val *before = yyjson_mut_doc_get_root(doc);
    struct buf line;
    bool fits;

    buf_init(&line, out->limit);
    yyjson_mut_doc_set_root(doc, root);
    json_write(doc, false, &line);
    yyjson_mut_doc_set_root(doc, before);
    fits = !line.overflow && line.size <= out->limit - out->size;
    if (fits) (void)buf_add(out, buf_str(&line));
    buf_release(&line);
    return fits;
}

static yyjson_mut_val *new_root(yyjson_mut_doc *doc, const struct rpc_id *id)
{
    yyjson_mut_val *root = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_str(doc, root, "jsonrpc", "2.0");
    if (id && id->size > 0) {
        yyjson_mut_obj_add_val(doc, root, "id", yyjson_mut_rawn(doc, id->json, id->size));
    }
    return root;
}

bool rpc_write_result(const struct rpc_id *id, yyjson_mut_doc *doc, yyjson_mut_val *result,
                      struct buf *out)
{
    yyjson_mut_val *root = new_root(doc, id);

    yyjson_mut_obj_add_val(doc, root, "result", result);
    return write_root(doc, root, out);
}

bool rpc_write_error(const struct rpc_id *id, int code, const char *message, yyjson_mut_doc *doc,
                     yyjson_mut_val *data, struct buf *out)
{
    yyjson_mut_val *root = new_root(doc, id);
    yyjson_mut_val *error = yyjson_mut_obj_add_obj(doc, root, "error");

    yyjson_mut_obj_add_int(doc, error, "code", code);
    json_add_text(doc, error, "message", str_of(message));
    if (data) yyjson_mut_obj_add_val(doc, error, "data", data);
    return write_root(doc, root, out);
}

bool rpc_write_request(const struct rpc_id *id, const char *method, yyjson_mut_doc *doc,
                       yyjson_mut_val *params, struct buf *out)
{
    yyjson_mut_val *root = new_root(doc, id);

    yyjson_mut_obj_add_str(doc, root, "method", method);
    if (params) yyjson_mut_obj_add_val(doc, root, "params", params);
    return write_root(doc, root, out);
}

bool rpc_write_notification(const char *method, yyjson_mut_doc *doc, yyjson_mut_val *params,
                            struct buf *out)
{
    return rpc_write_request(NULL, method, doc, params, out);
}
