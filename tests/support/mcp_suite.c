/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp_suite.c - hone's MCP server over HTTP with the tools of the conformance suite instead of
 * hone's own; for tools/mcp-conformance.
 *
 *   mcp_suite      in a repository, on a port that is free; prints its address and the file with
 *                  its token, as JSON, like `hone mcp --http 0 --json` */
#include "serve/serve.h"

#include <stdio.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../fuzz/suite_tools.c"

static void on_listening(void *context, const char *url, const char *token_file)
{
    (void)context;
    printf("{\"url\":\"%s\",\"token_file\":\"%s\"}\n", url, token_file);
    fflush(stdout);
}

int main(void)
{
    struct serve_request request = {
        .tools = suite_tools, .cwd = ".", .version = "0", .listening = on_listening,
    };
    struct err err = { 0 };

    if (serve_http(&request, &err) == 0) return 0;
    fprintf(stderr, "mcp_suite: %s\n", err.text);
    return 1;
}
