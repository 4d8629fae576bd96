/* SPDX-License-Identifier: Apache-2.0
 *
 * jsonrpc.h - JSON-RPC 2.0 messages, one at a time: read with bounds, written whole.
 *
 * An id is a string or a whole number, as MCP and LSP have it; never null. A batch is refused. Params
 * that are null are none. A message that cannot be read gives what its sender is answered: the
 * error's code, its words, and the id where there was one. */
#ifndef HONE_FORMAT_JSON_JSONRPC_H
#define HONE_FORMAT_JSON_JSONRPC_H

#include "base/buf.h"
#include "format/json/json.h"

enum {
    RPC_BYTES_MAX = 4 << 20, /* of one message, where its reader has no other bound */
    RPC_ID_BYTES_MAX = 512,  /* of an id as JSON: a longer one is refused */
    RPC_METHOD_BYTES_MAX = 128,
};

/* JSON-RPC's own errors. */
enum rpc_code {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
};

enum rpc_kind {
    RPC_REQUEST,      /* has an id: exactly one answer follows */
    RPC_NOTIFICATION, /* has none: no answer follows, not even an error */
    RPC_RESPONSE,     /* to a request of ours */
    RPC_BROKEN,       /* code and problem say why */
    RPC_KIND_COUNT
};

/* An id as JSON: "7", "\"a\"". Two ids are the same when these are. */
struct rpc_id {
    char json[RPC_ID_BYTES_MAX];
    size_t size; /* 0: none */
};

struct rpc_message {
    enum rpc_kind kind;
    yyjson_doc *doc;     /* NULL where it is no JSON */
    struct rpc_id id;    /* of a broken one: as far as it could be read */
    struct str method;   /* of a request or notification; borrowed from doc */
    yyjson_val *params;  /* an object; NULL where there are none */
    enum rpc_code code;  /* of a broken one, as the next */
    const char *problem; /* half a sentence */
};

/* Reads one message. Never fails: what is wrong is RPC_BROKEN. Release it in any case. */
void rpc_read(struct str text, struct rpc_message *out);
/* The same of a message that its reader has bounded, and whose texts are a person's (a lone \ud800
 * is U+FFFD). The message lives on these bytes: they must stay as they are until it is released. */
void rpc_read_in_place(struct buf *text, struct rpc_message *out);
void rpc_release(struct rpc_message *message);

bool rpc_id_read(yyjson_val *value, struct rpc_id *out); /* false: it is none */
bool rpc_id_is(const struct rpc_id *a, const struct rpc_id *b);

/* The id of an answer to a message whose id could not be read, for a client that wants one there. */
extern const struct rpc_id rpc_id_null;

/* Each appends one message in one line, without a line end. The result, the params and the data
 * are values of doc; data and params may be NULL. An id of size 0 is left out. Where the message
 * does not fit into out, out is as it was and false is returned. */
bool rpc_write_result(const struct rpc_id *id, yyjson_mut_doc *doc, yyjson_mut_val *result,
                      struct buf *out);
bool rpc_write_error(const struct rpc_id *id, int code, const char *message, yyjson_mut_doc *doc,
                     yyjson_mut_val *data, struct buf *out);
bool rpc_write_request(const struct rpc_id *id, const char *method, yyjson_mut_doc *doc,
                       yyjson_mut_val *params, struct buf *out);
bool rpc_write_notification(const char *method, yyjson_mut_doc *doc, yyjson_mut_val *params,
                            struct buf *out);

#endif
