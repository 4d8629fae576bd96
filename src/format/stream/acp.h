/* SPDX-License-Identifier: Apache-2.0
 *
 * acp.h - the client's side of one prompt in the Agent Client Protocol, version 1, as a machine:
 * lines in, lines out. Pure: agent/acp.c reads and writes them.
 *
 *    acp_begin(), then acp_line() for each line of the agent, until it says ACP_OVER. What is to be
 *    sent is appended to out, whole lines of at most ACP_LINE_BYTES_MAX. */
#ifndef HONE_FORMAT_STREAM_ACP_H
#define HONE_FORMAT_STREAM_ACP_H

#include "base/buf.h"
#include "base/err.h"
#include "format/json/json.h"

#include <stdbool.h>
#include <stdint.h>

enum { ACP_LINE_BYTES_MAX = 40 << 20, ACP_FILE_BYTES_MAX = 8 << 20 };

/* The ids of what we ask. */
enum acp_request { ACP_NONE, ACP_INITIALIZE, ACP_NEW, ACP_MODE, ACP_PROMPT };

/* An answer that an agent has to a request: these classes are told apart. */
enum { ACP_LOGIN_NEEDED = -32000 };

enum acp_event {
    ACP_GOES_ON,
    ACP_WANTS_READ,  /* acp->path, from acp->from_line, acp->lines: acp_file_read() must follow */
    ACP_WANTS_WRITE, /* acp->path, acp->content: acp_file_written() must follow */
    ACP_OVER,        /* acp->problem is empty where the prompt was answered to its end */
};

struct acp_about {
    bool writes;           /* the role changes files */
    bool looks;            /* it is over when a session could be opened: nothing is asked */
    const char *workspace; /* absolute */
    struct str prompt;
    const char *version;   /* of hone */
};

struct acp {
    struct acp_about about;
    enum acp_request waiting; /* for the answer to this */
    bool over, cancelled;
    bool login;               /* it is over because the agent wants a login */
    struct buf who;           /* the agent's name and version, safe to show; may be empty */
    struct buf session;       /* its id, once there is one */
    struct buf problem;       /* one line, safe to show */

    /* A file that the agent wants. */
    struct buf file_id;       /* of the request, as JSON */
    struct buf path;          /* relative to the workspace; not yet known to be clean */
    struct buf content;
    uint64_t from_line, lines; /* from 1; UINT64_MAX: all */
};

void acp_init(struct acp *acp, const struct acp_about *about); /* borrows what about has */
void acp_release(struct acp *acp);

void acp_begin(struct acp *acp, struct buf *out);
enum acp_event acp_line(struct acp *acp, struct str line, struct buf *out);

/* problem: NULL where it went well. */
void acp_file_read(struct acp *acp, struct str content, const char *problem, struct buf *out);
void acp_file_written(struct acp *acp, const char *problem, struct buf *out);

/* Asks the agent to stop. Its answer to the prompt is still to come. */
void acp_cancel(struct acp *acp, struct buf *out);

#endif
