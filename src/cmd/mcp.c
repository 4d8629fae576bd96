/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp.c - hone mcp: hone's tools for agents and their clients, by the Model Context Protocol. */
#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "io/file/line.h"
#include "run/look.h"
#include "serve/serve.h"
#include "serve/tools.h"

#include <stdio.h>

enum { PORT_DEFAULT = 4663, PORT_MAX = 65535 };

static void on_listening(void *context, const char *url, const char *token_file)
{
    const struct call *call = context;
    yyjson_mut_doc *doc;
    yyjson_mut_val *root;

    if (!call->json) {
        (void)say_fail(CODE_DONE, "listening on %s; the token is in %s", url, token_file);
        return;
    }
    doc = json_new();
    root = json_object(doc);
    json_add(doc, root, "url", url);
    json_add(doc, root, "token_file", token_file);
    say_json(doc, false);
    fflush(stdout);
}

static int handle(struct call *call)
{
    struct serve_request request = {
        .tools = tools_all(&call->arena),
        .instructions = tools_instructions,
        .cwd = call->cwd,
        .version = HONE_VERSION,
        .reading_only = call_has(call, "read-only"),
        .listening = on_listening,
        .context = call,
    };
    const char *word = call_argument(call, 0);
    uint64_t port = PORT_DEFAULT;
    struct err err;

    if (word && !call_has(call, "http")) {
        return say_fail(CODE_USAGE, "'%.60s': a port is for --http; without it hone mcp talks on "
                        "standard input and output", word);
    }
    if (word && (!str_number(str_of(word), &port) || port > PORT_MAX)) {
        return say_fail(CODE_USAGE, "'%.60s' is no port: a number from 1 to 65535, or 0 for any "
                        "that is free", word);
    }
    request.port = (uint16_t)port;
    if (call_has(call, "http")) return serve_http(&request, &err) == 0 ? CODE_DONE : say_err(&err);
    if (line_can_ask()) {
        (void)say_fail(CODE_DONE, "an MCP client starts this and talks to it on standard input and "
                       "output ('hone mcp --help' says how); Ctrl-D ends it");
    }
    serve_stdio(&request);
    return CODE_DONE;
}

static void extend(struct page *page)
{
    const struct mcp_tool *const *tools = tools_all(&page->arena);

    page_add(page, BLOCK_HEADING, NULL, "Tools");
    for (uint32_t i = 0; tools[i]; i++) {
        page_add(page, BLOCK_TERM, tools[i]->name, tools[i]->description);
    }
}

const struct verb verb_mcp = {
    .name = "mcp",
    .summary = "offer hone's tools to agents and their clients (MCP)",
    .text = {
        "Speaks the Model Context Protocol on standard input and output, for a client that "
        "starts it: versions 2026-07-28 and, after an initialize, 2024-11-05 to 2025-11-25. Agents "
        "inside a run report their results with it; other clients look at runs, start them and "
        "answer their questions.",
        "With --http it listens on 127.0.0.1 instead, at /mcp. Requests must name this machine in "
        "Host, and in Origin where a browser sends one, and bring the token of this repository, "
        "which is kept in your own state folder, in a file that only you can read: "
        "'Authorization: Bearer TOKEN'.",
        "A run that a client has started goes on when client and server are gone. Who plays which "
        "role is never chosen by a client: that is the user's configuration.",
    },
    .arguments = {
        { .name = "PORT", .optional = true,
          .help = "of --http: 4663 by default; 0 for any that is free" },
    },
    .options = {
        { .name = "http", .help = "listen on 127.0.0.1, for clients that connect" },
        { .name = "read-only", .help = "offer only the tools that change nothing" },
    },
    .codes = {
        { CODE_DONE, "the client has gone, or the server was told to end" },
        { CODE_USAGE, "the command line is wrong, or the port is taken" },
        { CODE_FAILED, "it could not listen" },
    },
    .examples = {
        "claude mcp add hone -- hone mcp",
        "hone mcp --http 4663",
    },
    .extend = extend,
    .handle = handle,
};
