/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_jsonrpc.c - any bytes are one kind of message; what is broken can be answered, and what
 * is a request has an id that can be written and read again. */
#include "format/json/jsonrpc.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The answer to it: one line, a response, with the same id. */
static void check_answer(const struct rpc_message *message)
{
    yyjson_mut_doc *doc = json_new();
    struct rpc_message back;
    struct buf out;
    bool fits;

    buf_init(&out, 4096);
    fits = rpc_write_error(&message->id, -1, "no", doc, NULL, &out);
    assert(fits && !str_has(buf_str(&out), '\n'));
    rpc_read(buf_str(&out), &back);
    assert(back.kind == RPC_RESPONSE);
    assert(rpc_id_is(&back.id, &message->id));
    rpc_release(&back);
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rpc_message message;

    rpc_read((struct str){ (const char *)data, size }, &message);
    assert(message.kind < RPC_KIND_COUNT);
    if (message.kind == RPC_BROKEN) {
        assert(message.problem && (message.code == RPC_PARSE || message.code == RPC_INVALID));
    } else {
        assert(message.doc);
    }
    if (message.kind == RPC_REQUEST) assert(message.id.size > 0);
    if (message.kind == RPC_REQUEST || message.kind == RPC_NOTIFICATION) {
        assert(message.method.size > 0 && message.method.size <= RPC_METHOD_BYTES_MAX);
        assert(!message.params || yyjson_is_obj(message.params));
    }
    check_answer(&message);
    rpc_release(&message);
    return 0;
}
