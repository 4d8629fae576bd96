/* SPDX-License-Identifier: Apache-2.0
 *
 * serve.h - hone as a server for other programs: MCP over standard input and output, or HTTP. */
#ifndef HONE_SERVE_SERVE_H
#define HONE_SERVE_SERVE_H

#include "serve/mcp.h"

struct serve_request {
    const struct mcp_tool *const *tools; /* NULL ends: those of tools.h */
    const char *instructions;            /* for the model that is given them */
    const char *cwd;
    const char *version; /* of hone */
    bool reading_only;   /* only tools that change nothing */
    uint16_t port;       /* of HTTP; 0: any that is free */
    /* Called when it listens. */
    void (*listening)(void *context, const char *url, const char *token_file);
    void *context;
};

/* Until standard input ends, or the client closes standard output. */
void serve_stdio(const struct serve_request *request);

/* On 127.0.0.1, until SIGINT or SIGTERM. */
int serve_http(const struct serve_request *request, struct err *err);

#endif
