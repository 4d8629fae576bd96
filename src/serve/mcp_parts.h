/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp_parts.h - what the machine's own files share. */
#ifndef HONE_SERVE_MCP_PARTS_H
#define HONE_SERVE_MCP_PARTS_H

#include "serve/mcp.h"

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

/* ---- mcp.c ---- */
void mcp_answer(struct mcp_request *request, yyjson_mut_val *result);
void mcp_fail(struct mcp_request *request, int status, int code, yyjson_mut_val *data,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
/* What every result of the modern era has. */
void mcp_complete(const struct mcp *mcp, yyjson_mut_doc *doc, yyjson_mut_val *result);
/* And what says how long a result may be kept. */
void mcp_cacheable(yyjson_mut_doc *doc, yyjson_mut_val *result);

/* ---- mcp_era.c ---- */
/* The versions there are, newest first; NULL ends. */
extern const char *const mcp_versions[];
/* The version to speak with a client that wants this one in its initialize. */
const char *mcp_negotiate(struct str wanted);
/* Finds the request's era, and whether it says all that it must: false when it was refused. */
bool mcp_find_era(struct mcp_request *request);

/* ---- mcp_call.c ---- */
void mcp_list_tools(struct mcp_request *request);
void mcp_call_tool(struct mcp_request *request);
/* Of a session, or of the one stream. */
void mcp_cancel(struct mcp *mcp, uint64_t session, const struct rpc_id *id);

#endif
