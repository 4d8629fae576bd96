/* SPDX-License-Identifier: Apache-2.0
 *
 * post.h - one request to an address of the user's: JSON by POST, and what was answered.
 *
 * http:// is spoken by hone itself; https:// by the program curl, since hone has no TLS. It waits:
 * for a process of its own (observe/deliver.h), never for one that a run is at work in. */
#ifndef HONE_IO_HTTP_POST_H
#define HONE_IO_HTTP_POST_H

#include "base/buf.h"
#include "base/err.h"
#include "io/http/http.h"

enum { POST_ANSWER_BYTES_MAX = 64 * 1024 };

struct http_post {
    const char *url;
    const struct http_header *headers; /* beside those that every request has */
    uint32_t header_count;
    struct str body;
    const char *certificate; /* of https: a file in PEM form; NULL: the system's */
    uint64_t timeout_ms;     /* for all of it */
};

/* {0} but for the buffer, which is the caller's; of a longer answer the beginning. */
struct http_reply {
    int status;
    bool told_when; /* it said when to ask again: */
    uint64_t retry_after_ms;
    struct buf body;
};

/* ERR_USAGE: the address or a header is none. ERR_MISSING: it needs curl, which is not there.
 * ERR_SYSTEM, ERR_FAILED: it cannot be reached, or did not answer in time. ERR_FORMAT: what it
 * answered is no HTTP. */
int http_post(const struct http_post *post, struct http_reply *reply, struct err *err);

/* ---- parts: pure ---- */

/* http://HOST[:PORT][/PATH][?QUERY]; views of the text. */
struct http_address {
    bool secure;
    struct str host; /* without brackets */
    struct str port; /* as digits; empty: the usual one */
    struct str path; /* with what follows "?"; empty: "/" */
};

/* False: it is no such address. One with a user's name in it is none. */
bool http_address_read(struct str url, struct http_address *out);

/* The head of an answer, whole (http_head_end()): false where it is none. */
bool http_reply_read(struct str head, struct http_reply *reply, uint64_t *body_bytes);

/* What curl reads from standard input to make this request: nothing of it is on its command
 * line. */
void curl_config_write(const struct http_post *post, struct buf *out);

#endif
