/* SPDX-License-Identifier: Apache-2.0
 *
 * http_request.h - the head of an HTTP/1.1 request, read strictly. Pure.
 *
 * What two readers could take in two ways is refused: bare line ends, blanks before a colon,
 * folded lines, control characters, a length that is said twice, a body without a length. */
#ifndef HONE_IO_HTTP_HTTP_REQUEST_H
#define HONE_IO_HTTP_HTTP_REQUEST_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HTTP_HEAD_BYTES_MAX = 16 * 1024,
    HTTP_HEADERS_MAX = 64,
};

struct http_header {
    struct str name, value; /* the value without blanks around it */
};

/* Everything is borrowed from the bytes that were read. */
struct http_head {
    struct str method, path; /* the path without what follows "?" */
    struct http_header headers[HTTP_HEADERS_MAX];
    uint32_t count;
    uint64_t body_bytes;   /* Content-Length; 0 where there is none */
    bool has_length;
    bool wants_continue;   /* Expect: 100-continue */
};

/* Where the head ends in bytes: behind the empty line, or 0 while that has not come. */
size_t http_head_end(struct str bytes);

/* Reads a whole head, as http_head_end() found it. 0, or the status to refuse it with: 400, 411,
 * 417, 431, 501, 505. */
int http_head_read(struct str head, struct http_head *out);

/* A header's value by its name, whatever the case; data NULL where it is not there. Of several the
 * first. */
struct str http_header(const struct http_head *head, const char *name);

/* Whether there are several of that name. */
bool http_header_twice(const struct http_head *head, const char *name);

/* Whether HOST[:PORT] names this machine: localhost, 127.0.0.1, [::1]. */
bool http_host_is_local(struct str host);
/* Whether an Origin does: http or https, and such a host. "null" does not. */
bool http_origin_is_local(struct str origin);

#endif
