/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp.h - the Model Context Protocol as a machine: messages in, messages out, tools behind a table.
 *
 * Both eras are served: requests that carry their protocol version themselves (2026-07-28), and
 * those that follow an `initialize` (2024-11-05 to 2025-11-25). The machine reads no file, no
 * clock and no descriptor; what a tool does is the tool's affair.
 *
 * Room: the MCP server: the protocol as a machine over bytes, its tools, its two transports. */
#ifndef HONE_SERVE_MCP_H
#define HONE_SERVE_MCP_H

#include "format/json/jsonrpc.h"

enum {
    SERVE_SHOWN_BYTES_MAX = 80,   /* of a name that a client wrote, in words for it */
    SERVE_NAME_BYTES_MAX = 1000,  /* of a name of hone's own, which the client is to use */
    MCP_CALLS_MAX = 32,             /* in flight at once */
    MCP_ANSWER_BYTES_MAX = 8 << 20, /* of one message to a client */
};

/* Errors that MCP adds to those of JSON-RPC. */
enum mcp_code {
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

enum mcp_era { MCP_LEGACY, MCP_MODERN };

/* ---- what goes out ---- */

enum mcp_send_kind {
    MCP_SEND_NOTIFICATION, /* about a request that is still open */
    MCP_SEND_ANSWER,       /* to a request: the last message about it */
    MCP_SEND_NOTHING,      /* what came wants no answer */
};

/* One message, or the word that there is none. HTTP has a status for it. */
struct mcp_send {
    enum mcp_send_kind kind;
    uint64_t channel; /* where the request came from */
    int status;       /* 200, 202, 400, 404 */
    bool opens;       /* it answers an initialize: a session may begin */
    struct str text;  /* one line, without its end; borrowed */
};

/* ---- tools ---- */

struct mcp_call;

enum mcp_state {
    MCP_DONE,  /* the result is set */
    MCP_LATER, /* ask again at call->wake_ms */
};

/* A tool is a row of a table and a function. Schemas are JSON texts; what is called with is
 * checked against the input's before the function sees it. */
struct mcp_tool {
    const char *name, *title, *description;
    const char *input;  /* a JSON Schema, of what schema_check.h knows */
    /* Describes members of the input that a table says what they may be; may be NULL. */
    void (*explain)(yyjson_mut_doc *doc, yyjson_mut_val *properties);
    const char *output; /* NULL: it answers with content alone */
    bool reads_only;    /* it changes nothing */
    bool destroys;      /* it may undo or overwrite something */
    bool repeatable;    /* twice is as good as once */
    bool open_world;    /* it reaches beyond this machine */
    const char *needs;  /* what the client must be able to do: "sampling"; NULL: nothing */
    /* Called first, and again while it says MCP_LATER. */
    enum mcp_state (*call)(struct mcp_call *call);
    /* It will not be called again. cancelled: the client wants it undone. May be NULL. */
    void (*drop)(struct mcp_call *call, bool cancelled);
};

/* One call of a tool. The tool reads the first part and sets the second. */
struct mcp_call {
    const struct mcp_tool *tool;
    void *world;             /* the tools' own, as mcp_init() was given it */
    yyjson_val *arguments;   /* an object */
    uint64_t now_ms;         /* steady */
    uint64_t begun_ms;
    uint32_t turn;           /* 0 at the first call */

    uint64_t wake_ms;        /* of MCP_LATER */
    void *state;             /* the tool's, from turn to turn; its drop() releases it */
    yyjson_mut_doc *doc;     /* the result is built in it */
    yyjson_mut_val *structured, *content;
    bool is_error;

    struct mcp *mcp;         /* from here on the machine's */
    yyjson_doc *message;
    enum mcp_era era;
    uint64_t channel, session;
    struct rpc_id id, progress;
    bool mute;               /* the client is gone */
};

/* The result: an object as the output schema has it; or words about what went wrong, for the
 * agent that called. Each returns MCP_DONE. */
enum mcp_state mcp_done(struct mcp_call *call, yyjson_mut_val *structured);
enum mcp_state mcp_error(struct mcp_call *call, const char *words);
/* The same with words of prompts/serve; and a page of it that knows the tool. */
struct serve_page;
enum mcp_state mcp_say(struct mcp_call *call,
                       void (*write)(struct buf *out, const struct serve_page *page),
                       const struct serve_page *page);
struct serve_page serve_page(const struct mcp_call *call);

/* Tells the client how far it is, where it asked for that: progress must grow. total 0: unknown. */
void mcp_progress(struct mcp_call *call, uint64_t progress, uint64_t total, const char *message);

/* A text among the arguments; NULL where there is none. */
const char *mcp_text(const struct mcp_call *call, const char *name);
/* A whole number of 0 or more among them, as its schema has seen to. */
uint64_t mcp_number(const struct mcp_call *call, const char *name, uint64_t otherwise);

/* ---- the machine ---- */

/* The protocol version of requests that stand for themselves. */
const char *mcp_version_newest(void);

struct mcp_setup {
    const struct mcp_tool *const *tools; /* NULL ends */
    const char *version;                 /* of hone */
    const char *instructions;            /* for the model that is given the tools */
    bool reading_only;                   /* only tools with reads_only are there */
    bool one_stream;                     /* every message comes from one client: stdio */
    void *world;
    void (*send)(void *context, const struct mcp_send *send);
    void *context;
};

struct mcp_flight {
    struct mcp_call *call; /* it stays where it is while others come and go */
};

struct mcp {
    struct mcp_setup setup;
    bool initialized;         /* of one stream: there was an initialize */
    struct mcp_flight *calls; /* in flight */
    uint32_t call_count, call_cap;
};

void mcp_init(struct mcp *mcp, const struct mcp_setup *setup);
void mcp_release(struct mcp *mcp); /* calls in flight are dropped, not cancelled */

/* What HTTP says about a message beside its body; data NULL where it is not said. */
struct mcp_headers {
    struct str version, method, name;
    uint64_t session; /* of the older protocols: which client's it is; 0: not known */
};

/* Takes one message; send() is called for each that goes out, and exactly once with an answer or
 * with nothing, now or in a later step. headers: NULL where there are none (stdio). */
void mcp_take(struct mcp *mcp, uint64_t channel, struct str text,
              const struct mcp_headers *headers, uint64_t now_ms);

/* A line was refused before it was read: too long. */
void mcp_refuse(struct mcp *mcp, uint64_t channel);

/* Goes on with the calls that are due. */
void mcp_step(struct mcp *mcp, uint64_t now_ms);
/* Milliseconds until a step is due; -1: nothing waits. */
int64_t mcp_due_in(const struct mcp *mcp, uint64_t now_ms);

/* The client of this channel is gone: no message goes there any more. In the modern era that
 * cancels its calls; in the legacy era they go on. */
void mcp_gone(struct mcp *mcp, uint64_t channel);

#endif
