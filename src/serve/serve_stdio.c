/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_stdio.c - MCP over standard input and output: a message per line.
 *
 * 1. Nothing but messages goes to standard output.
 * 2. A line is refused as soon as it is too long, and the rest of it is skipped: it takes no more
 *    memory than the longest line that is allowed.
 * 3. At the end of input calls in flight are dropped, not cancelled: runs that they started go
 *    on. */
#include "serve/serve.h"

#include "serve/tools.h"

#include "format/stream/lines.h"
#include "io/file/file.h"
#include "io/file/stream.h"

enum { CHANNEL = 1, READ_BYTES = 64 * 1024 };

struct talk {
    struct mcp mcp;
    struct lines lines;
    bool closed; /* the client has closed its end of standard output */
};

static void on_send(void *context, const struct mcp_send *send)
{
    struct talk *talk = context;

    if (send->kind == MCP_SEND_NOTHING || talk->closed) return;
    if (!stream_write(send->text) || !stream_write(STR("\n"))) talk->closed = true;
}

static void take_line(struct talk *talk, struct str line)
{
    if (str_trim(line).size == 0) return;
    mcp_take(&talk->mcp, CHANNEL, line, NULL, now_steady_ms());
}

static void take_bytes(struct talk *talk, struct str chunk)
{
    while (chunk.size > 0) {
        uint64_t skipped = talk->lines.skipped;
        struct str line;
        bool whole = lines_next(&talk->lines, &chunk, &line);

        for (; skipped < talk->lines.skipped; skipped++) mcp_refuse(&talk->mcp, CHANNEL);
        if (whole) take_line(talk, line);
    }
}

void serve_stdio(const struct serve_request *request)
{
    struct world world = world_here(request->cwd);
    struct talk talk = { 0 };
    static char bytes[READ_BYTES];
    struct str line;
    long got = STREAM_NOTHING;

    mcp_init(&talk.mcp, &(struct mcp_setup){
        .tools = request->tools,
        .version = request->version,
        .instructions = request->instructions,
        .reading_only = request->reading_only,
        .one_stream = true,
        .world = &world,
        .send = on_send,
        .context = &talk,
    });
    lines_init(&talk.lines, RPC_BYTES_MAX);
    while (got != STREAM_END && !talk.closed) {
        got = stream_read(bytes, sizeof bytes, mcp_due_in(&talk.mcp, now_steady_ms()));
        if (got > 0) take_bytes(&talk, (struct str){ bytes, (size_t)got });
        mcp_step(&talk.mcp, now_steady_ms());
    }
    if (!talk.closed && lines_last(&talk.lines, &line)) take_line(&talk, line);
    mcp_release(&talk.mcp);
    lines_release(&talk.lines);
}
