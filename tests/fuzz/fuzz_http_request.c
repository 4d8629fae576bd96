/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_http_request.c - any bytes as the head of a request: refused with a status we know, or read
 * into parts that lie inside it and hold nothing that could end a line. */
#include "io/http/http.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(struct str head, struct str part)
{
    assert(part.data >= head.data && part.data + part.size <= head.data + head.size);
    assert(!str_has(part, '\r') && !str_has(part, '\n') && !str_has(part, '\0'));
}

static void check_head(struct str text, const struct http_head *head)
{
    check_part(text, head->method);
    check_part(text, head->path);
    assert(head->path.size > 0 && head->path.data[0] == '/');
    assert(head->count <= HTTP_HEADERS_MAX);
    for (uint32_t i = 0; i < head->count; i++) {
        check_part(text, head->headers[i].name);
        check_part(text, head->headers[i].value);
        assert(head->headers[i].name.size > 0 && !str_has(head->headers[i].name, ' '));
    }
    assert(!http_header_twice(head, "content-length"));
    assert(!http_header(head, "transfer-encoding").data);
    (void)http_host_is_local(http_header(head, "host"));
    (void)http_origin_is_local(http_header(head, "origin"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *block = malloc(size + 1); /* of its own, so that a look past the end is seen */
    struct str text = { block, size };
    struct http_head head;
    size_t end;
    int status;

    assert(block);
    if (size > 0) memcpy(block, data, size);
    end = http_head_end(text);
    assert(end <= size);
    if (end > 0) text.size = end;
    status = http_head_read(text, &head);
    if (status == 0) check_head(text, &head);
    else assert(status == 400 || http_status(status)->status == status);
    free(block);
    return 0;
}
