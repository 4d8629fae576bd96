/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http/http_request.h"

#include "base/byte.h"

#include <string.h>

enum { LENGTH_DIGITS_MAX = 18 };

/* By letters of any case: names of headers and hosts. */
static bool is_word(struct str a, const char *word)
{
    size_t bytes = strlen(word);

    if (a.size != bytes) return false;
    for (size_t i = 0; i < bytes; i++) {
        if (byte_small(a.data[i]) != byte_small(word[i])) return false;
    }
    return true;
}

/* What a name, a method and the like may be made of. */
static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.size; i++) {
        char byte = byte_small(s.data[i]);
        bool plain = byte_is_small(byte) || byte_is_digit(byte);
        if (!plain && (byte == '\0' || !strchr("!#$%&'*+-.^_`|~", byte))) return false;
    }
    return s.size > 0;
}

/* Printable, with blanks and tabs where they are allowed; bytes above ASCII are passed on. */
static bool is_text(struct str s, bool blanks)
{
    for (size_t i = 0; i < s.size; i++) {
        unsigned char byte = (unsigned char)s.data[i];
        if (byte == 0x7f || (byte < ' ' && !(blanks && byte == '\t'))) return false;
        if (byte == ' ' && !blanks) return false;
    }
    return true;
}

size_t http_head_end(struct str bytes)
{
    const char *end = bytes.size ? memmem(bytes.data, bytes.size, "\r\n\r\n", 4) : NULL;

    return end ? (size_t)(end - bytes.data) + 4 : 0;
}

/* Cuts a line that ends in CR LF, and in nothing less. */
static bool cut_line(struct str *rest, struct str *line)
{
    const char *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;

    if (!end || end == rest->data || end[-1] != '\r') return false;
    *line = (struct str){ rest->data, (size_t)(end - rest->data) - 1 };
    *rest = str_skip(*rest, line->size + 2);
    return true;
}

static int read_first(struct str line, struct http_head *out)
{
    struct str path, version = line;

    if (!str_cut(&version, ' ', &out->method) || !str_cut(&version, ' ', &path)) return 400;
    if (!is_token(out->method) || !is_text(path, false) || path.size == 0) return 400;
    if (path.data[0] != '/') return 400;
    if (!str_starts(version, STR("HTTP/"))) return 400;
    if (!str_is(version, "HTTP/1.1")) return 505;
    (void)str_cut(&path, '?', &out->path);
    return 0;
}

static int read_length(struct str value, struct http_head *out)
{
    if (out->has_length || value.size > LENGTH_DIGITS_MAX) return 400;
    if (!str_number(value, &out->body_bytes)) return 400;
    out->has_length = true;
    return 0;
}

static int read_header(struct str line, struct http_head *out)
{
    struct http_header *header = &out->headers[out->count];
    size_t bytes = line.size;

    if (!str_cut(&line, ':', &header->name) || header->name.size == bytes) return 400;
    header->value = str_trim(line);
    if (!is_token(header->name) || !is_text(header->value, true)) return 400;
    out->count++;
    if (is_word(header->name, "content-length")) return read_length(header->value, out);
    if (is_word(header->name, "transfer-encoding")) return 501;
    if (is_word(header->name, "expect")) {
        if (!is_word(header->value, "100-continue")) return 417;
        out->wants_continue = true;
    }
    return 0;
}

int http_head_read(struct str head, struct http_head *out)
{
    struct str rest = head, line;
    int status;

    *out = (struct http_head){ 0 };
    if (!cut_line(&rest, &line)) return 400;
    status = read_first(line, out);
    while (status == 0) {
        if (!cut_line(&rest, &line)) return 400;
        if (line.size == 0) break;
        if (out->count == HTTP_HEADERS_MAX) return 431;
        status = read_header(line, out);
    }
    if (status == 0 && rest.size > 0) return 400;
    if (status == 0 && !out->has_length && str_is(out->method, "POST")) return 411;
    return status;
}

struct str http_header(const struct http_head *head, const char *name)
{
    for (uint32_t i = 0; i < head->count; i++) {
        if (is_word(head->headers[i].name, name)) return head->headers[i].value;
    }
    return (struct str){ 0 };
}

bool http_header_twice(const struct http_head *head, const char *name)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < head->count; i++) count += is_word(head->headers[i].name, name);
    return count > 1;
}

/* ---- this machine ---- */

static bool is_port(struct str port)
{
    uint64_t number;

    return port.size <= 5 && str_number(port, &number) && number <= 65535;
}

bool http_host_is_local(struct str host)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]", NULL };

    for (uint32_t i = 0; names[i]; i++) {
        struct str name = { host.data, strlen(names[i]) };
        if (host.size < name.size || !is_word(name, names[i])) continue;
        if (host.size == name.size) return true;
        return host.data[name.size] == ':' && is_port(str_skip(host, name.size + 1));
    }
    return false;
}

bool http_origin_is_local(struct str origin)
{
    if (str_starts(origin, STR("http://"))) return http_host_is_local(str_skip(origin, 7));
    if (str_starts(origin, STR("https://"))) return http_host_is_local(str_skip(origin, 8));
    return false;
}
