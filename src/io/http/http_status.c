/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http/http_status.h"

#include <stddef.h>

static const struct http_status bad_request = {
    400, "Bad Request", "", "this is no request we can read",
};

static const struct http_status statuses[] = {
    { 200, "OK", "", "" },
    { 202, "Accepted", "", "" },
    { 401, "Unauthorized", "WWW-Authenticate: Bearer\r\n", "send 'Authorization: Bearer TOKEN'; "
      "the token is in the file that was named when hone began to listen" },
    { 403, "Forbidden", "", "Host, and Origin where there is one, must name this machine" },
    { 404, "Not Found", "", "the only address here is /mcp, and a "
      "session that has ended is begun anew with initialize" },
    { 405, "Method Not Allowed", "Allow: POST, DELETE\r\n", "only POST is known here, and "
      "DELETE of a session" },
    { 406, "Not Acceptable", "", "answers are application/json or text/event-stream" },
    { 408, "Request Timeout", "", "the request took too long" },
    { 411, "Length Required", "", "send a Content-Length" },
    { 413, "Content Too Large", "", "the body is too long" },
    { 415, "Unsupported Media Type", "", "the body must be application/json" },
    { 417, "Expectation Failed", "", "only 100-continue can be expected" },
    { 431, "Request Header Fields Too Large", "", "the head is too long" },
    { 501, "Not Implemented", "", "send a Content-Length and no Transfer-Encoding" },
    { 505, "HTTP Version Not Supported", "", "only HTTP/1.1 is spoken here" },
};

const struct http_status *http_status(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].status == status) return &statuses[i];
    }
    return &bad_request;
}
