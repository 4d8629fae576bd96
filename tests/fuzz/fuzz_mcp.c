/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_mcp.c - the protocol machine and any lines: every request is answered once, or cancelled;
 * nothing else is; and all that goes out is a message.
 *
 * The first byte chooses stdio or HTTP; over HTTP the lines before the first empty one are what the
 * headers say. The tools are the suite's: they touch nothing, and one takes its time. */
#include "suite_tools.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADERS = 3, STEP_MS = 50, STEPS_MAX = 40 };

struct tally {
    uint64_t answers, nothings;
};

static void on_send(void *context, const struct mcp_send *send)
{
    struct tally *tally = context;
    struct rpc_message message;

    tally->answers += send->kind == MCP_SEND_ANSWER;
    tally->nothings += send->kind == MCP_SEND_NOTHING;
    if (send->kind == MCP_SEND_NOTHING) return;
    assert(send->status == 200 || send->status == 400 || send->status == 404);
    assert(send->text.size > 0 && !str_has(send->text, '\n'));
    rpc_read(send->text, &message);
    assert(message.kind == (send->kind == MCP_SEND_ANSWER ? RPC_RESPONSE : RPC_NOTIFICATION));
    rpc_release(&message);
}

static void take(struct mcp *mcp, struct str line, const struct mcp_headers *headers,
                 uint64_t channel, uint64_t now_ms)
{
    struct tally *tally = mcp->setup.context;
    uint32_t before = mcp->call_count;
    uint64_t sent = tally->answers + tally->nothings;
    uint64_t more;

    mcp_take(mcp, channel, line, headers, now_ms);
    more = tally->answers + tally->nothings - sent;
    /* It was answered, or wants no answer (and may have cancelled one), or is in flight. */
    assert(more == 1 ? mcp->call_count <= before : mcp->call_count == before + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size }, line, said[HEADERS] = { { 0 } };
    bool http = size > 0 && (data[0] & 1);
    uint64_t now_ms = 1, channel = 1;
    struct mcp_headers headers;
    struct tally tally = { 0 };
    struct mcp mcp;

    if (size == 0) return 0;
    rest = str_skip(rest, 1);
    for (uint32_t i = 0; http && i < HEADERS && str_cut(&rest, '\n', &line) && line.size; i++) {
        said[i] = line;
    }
    headers = (struct mcp_headers){ .version = said[0], .method = said[1], .name = said[2],
                                    .session = data[0] >> 1 & 1 };
    mcp_init(&mcp, &(struct mcp_setup){
        .tools = suite_tools, .version = "0", .one_stream = !http, .send = on_send,
        .context = &tally,
    });
    for (; str_cut(&rest, '\n', &line); now_ms += STEP_MS / 2, channel += http) {
        take(&mcp, line, http ? &headers : NULL, channel, now_ms);
        if (line.size % 7 == 0) mcp_step(&mcp, now_ms);
        if (http && line.size % 11 == 0) mcp_gone(&mcp, channel - channel % 3);
    }
    for (uint32_t i = 0; mcp.call_count > 0 && i < STEPS_MAX; i++) {
        now_ms += STEP_MS;
        mcp_step(&mcp, now_ms);
    }
    assert(mcp.call_count == 0); /* every call ends */
    mcp_release(&mcp);
    return 0;
}
