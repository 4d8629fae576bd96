/* SPDX-License-Identifier: Apache-2.0
 *
 * http.c - connections of a small HTTP server.
 *
 *   FREE --accept--> HEAD --admitted--> BODY --whole--> READY --shown--> OWED --answer--> CLOSING
 *                     |  \                |                               |  \               |
 *                     |   '--refused------+----------------> CLOSING      |   '-stream-> STREAM
 *                     too slow, closed: FREE                          closed: GONE --shown--> FREE
 *   CLOSING --all sent--> LINGER --the client has closed, or a moment passed--> FREE
 *
 * 1. One request per connection, and then it is closed: what follows the body is never read as a
 *    request.
 * 2. Every state but OWED and an idle STREAM has a deadline.
 * 3. A closed connection that owed an answer is shown once as gone, and only then its place is
 *    free.
 * 4. We end our side and wait for the client's for a moment (LINGER): closing at once, with bytes
 *    of the client unread, would take the answer back from the client.
 *
 * Not here: what requests mean (serve/). */
#include "io/http/http.h"

#include "base/byte.h"
#include "base/mem.h"
#include "io/file/descriptor.h"
#include "io/file/file.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- statuses ---- */

static const struct http_status bad_request = {
    400, "Bad Request", "this is no request we can read",
};

static const struct http_status statuses[] = {
    { 200, "OK", "" },
    { 202, "Accepted", "" },
    { 304, "Not Modified", "" },
    { 401, "Unauthorized", "send 'Authorization: Bearer TOKEN', with the token of this server" },
    { 403, "Forbidden", "Host, and Origin where there is one, must name this machine" },
    { 404, "Not Found", "there is nothing at this address" },
    { 405, "Method Not Allowed", "this method is not known here" },
    { 406, "Not Acceptable", "answers are application/json or text/event-stream" },
    { 408, "Request Timeout", "the request took too long" },
    { 409, "Conflict", "something else is at work there" },
    { 411, "Length Required", "send a Content-Length" },
    { 413, "Content Too Large", "the body is too long" },
    { 415, "Unsupported Media Type", "the body must be application/json" },
    { 417, "Expectation Failed", "only 100-continue can be expected" },
    { 431, "Request Header Fields Too Large", "the head is too long" },
    { 500, "Internal Server Error", "it could not be done" },
    { 501, "Not Implemented", "send a Content-Length and no Transfer-Encoding" },
    { 503, "Service Unavailable", "too much is at work at once" },
    { 505, "HTTP Version Not Supported", "only HTTP/1.1 is spoken here" },
};

const struct http_status *http_status(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].status == status) return &statuses[i];
    }
    return &bad_request;
}

/* ---- the head of a request ---- */

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
    out->query = path;
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

/* ---- the server ---- */

enum { READ_BYTES = 16 * 1024, LINGER_MS = 1000, BACKLOG = 1024, HEAD_OUT_BYTES_MAX = 4096 };

enum connection_state {
    CONNECTION_FREE,
    CONNECTION_HEAD,
    CONNECTION_BODY,
    CONNECTION_READY,
    CONNECTION_OWED,
    CONNECTION_STREAM,
    CONNECTION_CLOSING,
    CONNECTION_LINGER,
    CONNECTION_GONE,
};

struct http_connection {
    enum connection_state state;
    uint64_t id;
    int fd;
    uint64_t begun_ms;
    uint64_t deadline_ms; /* 0: none */
    struct buf in, out;
    size_t sent;          /* of out */
    size_t head_bytes;
    struct http_head head;
    char headers[HTTP_HEADERS_BYTES_MAX]; /* of the answer, besides those that all have */
};

/* ---- the end of a connection ---- */

static void connection_free(struct http_connection *connection)
{
    if (connection->fd >= 0) close(connection->fd);
    buf_release(&connection->in);
    buf_release(&connection->out);
    *connection = (struct http_connection){ .fd = -1 };
}

/* The other side is gone, or as good as that. */
static void connection_lost(struct http_connection *connection)
{
    bool owed = connection->state == CONNECTION_OWED || connection->state == CONNECTION_STREAM;

    if (!owed) {
        connection_free(connection);
        return;
    }
    close(connection->fd);
    connection->fd = -1;
    connection->deadline_ms = 0;
    connection->state = CONNECTION_GONE;
}

/* ---- out ---- */

static void flush(struct http_connection *connection)
{
    struct str rest = str_skip(buf_str(&connection->out), connection->sent);

    while (rest.size > 0) {
        ssize_t put = fd_send(connection->fd, rest, false);

        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) return;
        if (put < 0) {
            connection_lost(connection);
            return;
        }
        connection->sent += (size_t)put;
        connection->deadline_ms = now_steady_ms() + HTTP_STALL_MS_MAX;
        rest = str_skip(rest, (size_t)put);
    }
    buf_clear(&connection->out);
    connection->sent = 0;
    if (connection->state == CONNECTION_STREAM) {
        size_t limit = connection->out.limit;

        buf_release(&connection->out); /* streams are many, and silent most of the time */
        buf_init(&connection->out, limit);
        connection->deadline_ms = 0;
    }
    if (connection->state != CONNECTION_CLOSING) return;
    shutdown(connection->fd, SHUT_WR);
    connection->state = CONNECTION_LINGER;
    connection->deadline_ms = now_steady_ms() + LINGER_MS;
}

/* What was sent makes room; the bound is on what a client has not taken. */
static void make_room(struct http_connection *connection)
{
    struct buf *out = &connection->out;

    if (connection->sent == 0 || connection->sent < out->size / 2) return;
    memmove(out->data, out->data + connection->sent, out->size - connection->sent);
    out->size -= connection->sent;
    connection->sent = 0;
}

static void queue(struct http_connection *connection, struct str bytes)
{
    make_room(connection);
    if (connection->out.size == 0) {
        connection->deadline_ms = now_steady_ms() + HTTP_STALL_MS_MAX;
    }
    (void)buf_add(&connection->out, bytes); /* an overflow is seen at the flush */
}

static void flush_or_lose(struct http_connection *connection)
{
    if (connection->out.overflow) connection_lost(connection);
    else flush(connection);
}

static bool has_header(const struct http_connection *connection, const char *name)
{
    size_t bytes = strlen(name);

    for (const char *at = connection->headers; *at; at = strchr(at, '\n') + 1) {
        if (strncmp(at, name, bytes) == 0 && at[bytes] == ':') return true;
    }
    return false;
}

/* The lines that begin an answer; bytes is NULL where none are said to follow. */
static void put_head(const struct http *http, struct http_connection *connection, int status,
                     const char *type, const size_t *bytes)
{
    const struct http_status *row = http_status(status);
    struct buf head;

    buf_init(&head, HEAD_OUT_BYTES_MAX);
    buf_printf(&head, "HTTP/1.1 %d %s\r\n%s", row->status, row->reason, connection->headers);
    if (status == 401) buf_text(&head, "WWW-Authenticate: Bearer\r\n");
    if (status == 405 && http->setup.methods) {
        buf_printf(&head, "Allow: %s\r\n", http->setup.methods);
    }
    if (type) buf_printf(&head, "Content-Type: %s\r\n", type);
    if (bytes) buf_printf(&head, "Content-Length: %zu\r\n", *bytes);
    if (!has_header(connection, "Cache-Control")) buf_text(&head, "Cache-Control: no-store\r\n");
    buf_printf(&head, "%sX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
               http->setup.headers ? http->setup.headers : "");
    assert(!head.overflow);
    queue(connection, buf_str(&head));
    buf_release(&head);
}

static void put_answer(const struct http *http, struct http_connection *connection, int status,
                       const char *type, struct str body)
{
    connection->state = CONNECTION_CLOSING;
    put_head(http, connection, status, type, status == 304 ? NULL : &body.size);
    if (!str_is(connection->head.method, "HEAD")) queue(connection, body);
    flush_or_lose(connection);
}

static void refuse(const struct http *http, struct http_connection *connection, int status)
{
    const char *type = "text/plain; charset=utf-8";
    struct buf text;

    buf_init(&text, HEAD_OUT_BYTES_MAX);
    if (http->setup.refuse) type = http->setup.refuse(http->setup.context, status, &text);
    else buf_printf(&text, "%s\n", http_status(status)->words);
    put_answer(http, connection, status, type, buf_str(&text));
    buf_release(&text);
}

/* ---- in ---- */

/* Reads what is there into in, within its limit; false when the connection is over. */
static bool take_bytes(struct http_connection *connection)
{
    for (;;) {
        size_t room = connection->in.limit - connection->in.size;
        ssize_t got;

        if (room == 0) return true;
        if (room > READ_BYTES) room = READ_BYTES;
        (void)buf_reserve(&connection->in, room);
        got = recv(connection->fd, connection->in.data + connection->in.size, room, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return true;
        if (got <= 0) return false;
        connection->in.size += (size_t)got;
        connection->in.data[connection->in.size] = '\0';
    }
}

/* Bytes of a client that should only listen are dropped. False when it has closed. */
static bool pass_over(struct http_connection *connection)
{
    char bytes[READ_BYTES];
    ssize_t got = recv(connection->fd, bytes, sizeof bytes, 0);

    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void take_body(struct http_connection *connection)
{
    struct str all = buf_str(&connection->in);

    if (all.size < connection->head_bytes + connection->head.body_bytes) return;
    /* The bytes may have moved since the head was read. */
    (void)http_head_read((struct str){ all.data, connection->head_bytes }, &connection->head);
    connection->state = CONNECTION_READY;
    connection->deadline_ms = 0;
}

static void take_head(const struct http *http, struct http_connection *connection)
{
    struct str all = buf_str(&connection->in);
    struct http_head *head = &connection->head;
    int status;

    connection->head_bytes = http_head_end(all);
    if (connection->head_bytes == 0) {
        if (all.size >= HTTP_HEAD_BYTES_MAX) refuse(http, connection, 431);
        return;
    }
    status = http_head_read((struct str){ all.data, connection->head_bytes }, head);
    if (status == 0) status = http->setup.admit(http->setup.context, head);
    if (status == 0 && head->body_bytes > http->setup.body_bytes_max) status = 413;
    if (status != 0) {
        refuse(http, connection, status);
        return;
    }
    connection->in.limit = connection->head_bytes + head->body_bytes;
    if (connection->in.size > connection->in.limit) connection->in.size = connection->in.limit;
    connection->state = CONNECTION_BODY;
    connection->deadline_ms = now_steady_ms() + HTTP_BODY_MS_MAX;
    if (head->wants_continue && connection->in.size < connection->in.limit) {
        queue(connection, STR("HTTP/1.1 100 Continue\r\n\r\n"));
        connection->deadline_ms = now_steady_ms() + HTTP_BODY_MS_MAX;
        flush_or_lose(connection);
    }
}

static void on_readable(const struct http *http, struct http_connection *connection)
{
    bool open;

    if (connection->state != CONNECTION_HEAD && connection->state != CONNECTION_BODY) {
        if (!pass_over(connection)) connection_lost(connection);
        return;
    }
    open = take_bytes(connection);
    if (connection->state == CONNECTION_HEAD) take_head(http, connection);
    if (open && connection->state == CONNECTION_BODY) open = take_bytes(connection);
    if (connection->state == CONNECTION_BODY) take_body(connection);
    if (!open && connection->state != CONNECTION_READY) connection_lost(connection);
}

static void on_deadline(const struct http *http, struct http_connection *connection)
{
    bool asking = connection->state == CONNECTION_HEAD || connection->state == CONNECTION_BODY;

    if (asking && connection->in.size > 0) refuse(http, connection, 408);
    else connection_lost(connection);
}

/* ---- connections ---- */

static struct http_connection *free_place(const struct http *http)
{
    for (uint32_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
        if (http->connections[i].state == CONNECTION_FREE) return &http->connections[i];
    }
    return NULL;
}

/* How soon a connection gives way where places are scarce: silent ones first, then those that have
 * their answer, then those in the middle of a head. 0: it does not, it was let in. */
static uint32_t gives_way(const struct http_connection *connection)
{
    switch (connection->state) {
    case CONNECTION_HEAD:
        return connection->in.size == 0 ? 3 : 1;
    case CONNECTION_CLOSING:
    case CONNECTION_LINGER:
        return 2;
    case CONNECTION_FREE:
    case CONNECTION_BODY:
    case CONNECTION_READY:
    case CONNECTION_OWED:
    case CONNECTION_STREAM:
    case CONNECTION_GONE:
        break;
    }
    return 0;
}

/* A place for one more: a free one, or that of a connection that gives way. NULL: there is none, or
 * not before *due_ms, where that is not 0. */
static struct http_connection *place_for_one(const struct http *http, uint64_t now_ms,
                                             uint64_t *due_ms)
{
    struct http_connection *place = free_place(http);

    *due_ms = 0;
    for (uint32_t i = 0; i < HTTP_CONNECTIONS_MAX && !(place && place->fd < 0); i++) {
        struct http_connection *other = &http->connections[i];
        uint64_t from_ms = other->begun_ms + (other->in.size == 0 ? HTTP_SILENT_MS_MAX
                                                                  : HTTP_SPEAKING_MS_MAX);

        if (gives_way(other) == 0) continue;
        if (from_ms > now_ms) {
            if (*due_ms == 0 || from_ms < *due_ms) *due_ms = from_ms;
        } else if (!place || gives_way(other) > gives_way(place) ||
                   (gives_way(other) == gives_way(place) && other->id < place->id)) {
            place = other;
        }
    }
    return place;
}

static void accept_all(struct http *http)
{
    uint64_t now_ms = now_steady_ms(), due_ms;
    struct http_connection *place;

    while ((place = place_for_one(http, now_ms, &due_ms))) {
        int fd = fd_accept(http->fd);

        if (fd < 0) return; /* no client waits, or no descriptor is free: later */
        connection_free(place);
        *place = (struct http_connection){
            .state = CONNECTION_HEAD, .fd = fd, .begun_ms = now_ms,
            .id = http->id_next++ * HTTP_CONNECTIONS_MAX + (uint64_t)(place - http->connections),
            .deadline_ms = now_ms + HTTP_HEAD_MS_MAX,
        };
        buf_init(&place->in, HTTP_HEAD_BYTES_MAX);
        buf_init(&place->out, HTTP_UNSENT_BYTES_MAX);
    }
}

static short wanted(const struct http_connection *connection)
{
    bool unsent = connection->sent < connection->out.size;

    if (connection->fd < 0 || connection->state == CONNECTION_READY) return 0;
    if (connection->state == CONNECTION_CLOSING) return POLLOUT;
    return (short)(POLLIN | (unsent ? POLLOUT : 0));
}

static int wait_for(const struct http *http, struct pollfd *polled, const int *wake_fds,
                    uint32_t count, int64_t timeout_ms)
{
    uint64_t now_ms = now_steady_ms(), due_ms;
    bool room = place_for_one(http, now_ms, &due_ms);

    for (uint32_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
        const struct http_connection *connection = &http->connections[i];
        short events = wanted(connection);
        int64_t left;

        polled[i] = (struct pollfd){ .fd = events ? connection->fd : -1, .events = events };
        if (connection->deadline_ms == 0) continue;
        left = connection->deadline_ms > now_ms ? (int64_t)(connection->deadline_ms - now_ms) : 0;
        if (timeout_ms < 0 || left < timeout_ms) timeout_ms = left;
    }
    if (!room && due_ms > now_ms && (timeout_ms < 0 || (int64_t)(due_ms - now_ms) < timeout_ms)) {
        timeout_ms = (int64_t)(due_ms - now_ms);
    }
    polled[HTTP_CONNECTIONS_MAX] = (struct pollfd){ .fd = room ? http->fd : -1, .events = POLLIN };
    for (uint32_t i = 0; i < count; i++) {
        polled[HTTP_CONNECTIONS_MAX + 1 + i] = (struct pollfd){ .fd = wake_fds[i],
                                                                .events = POLLIN };
    }
    return poll(polled, HTTP_CONNECTIONS_MAX + 1 + count,
                timeout_ms > 60000 ? 60000 : (int)timeout_ms);
}

static bool show_next(struct http *http, struct http_event *out)
{
    for (uint32_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
        struct http_connection *connection = &http->connections[i];

        if (connection->state == CONNECTION_READY) {
            connection->state = CONNECTION_OWED;
            *out = (struct http_event){
                .kind = HTTP_EVENT_REQUEST, .id = connection->id, .head = &connection->head,
                .body = str_skip(buf_str(&connection->in), connection->head_bytes),
            };
            return true;
        }
        if (connection->state == CONNECTION_GONE) {
            *out = (struct http_event){ .kind = HTTP_EVENT_GONE, .id = connection->id };
            connection_free(connection);
            return true;
        }
    }
    return false;
}

void http_next(struct http *http, const int *wake_fds, uint32_t count, int64_t timeout_ms,
               struct http_event *out)
{
    struct pollfd polled[HTTP_CONNECTIONS_MAX + 1 + HTTP_WAKES_MAX];
    uint64_t now_ms;

    assert(count <= HTTP_WAKES_MAX);
    *out = (struct http_event){ .kind = HTTP_EVENT_NONE };
    if (show_next(http, out)) return;
    if (wait_for(http, polled, wake_fds, count, timeout_ms) < 0) return;
    now_ms = now_steady_ms();
    for (uint32_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
        struct http_connection *connection = &http->connections[i];
        short happened = polled[i].fd >= 0 ? polled[i].revents : 0;

        if (happened & POLLOUT) flush(connection);
        if (connection->fd >= 0 && (happened & (POLLIN | POLLHUP | POLLERR))) {
            on_readable(http, connection);
        }
        if (connection->deadline_ms != 0 && connection->deadline_ms <= now_ms) {
            on_deadline(http, connection);
        }
    }
    if (polled[HTTP_CONNECTIONS_MAX].revents) accept_all(http);
    (void)show_next(http, out);
}

/* ---- answers ---- */

/* The place is a part of the id (accept_all). */
static struct http_connection *connection_find(const struct http *http, uint64_t id)
{
    struct http_connection *connection = &http->connections[id % HTTP_CONNECTIONS_MAX];
    bool owed = connection->state == CONNECTION_OWED || connection->state == CONNECTION_STREAM;

    return owed && connection->id == id ? connection : NULL;
}

void http_answer_header(struct http *http, uint64_t id, const char *name, const char *value)
{
    struct http_connection *connection = connection_find(http, id);

    size_t used = connection ? strlen(connection->headers) : 0;
    int bytes;

    if (!connection) return;
    bytes = snprintf(connection->headers + used, sizeof connection->headers - used,
                     "%s: %s\r\n", name, value);
    assert(bytes > 0 && used + (size_t)bytes < sizeof connection->headers);
}

void http_answer(struct http *http, uint64_t id, int status, const char *type, struct str body)
{
    struct http_connection *connection = connection_find(http, id);

    if (!connection) return;
    assert(connection->state == CONNECTION_OWED);
    if (status >= 400 && !type) refuse(http, connection, status);
    else put_answer(http, connection, status, type, body);
}

void http_message(struct str text, uint64_t number, struct buf *out)
{
    assert(!str_has(text, '\n')); /* it would be two */
    if (number > 0) buf_printf(out, "id: %" PRIu64 "\n", number);
    buf_text(out, text.size > 0 ? "event: message\ndata: " : ":");
    (void)buf_add(out, text);
    buf_text(out, "\n\n");
}

static void stream_begin(const struct http *http, struct http_connection *connection)
{
    connection->state = CONNECTION_STREAM;
    buf_release(&connection->in);
    buf_init(&connection->in, 0);
    connection->head = (struct http_head){ 0 };
    connection->out.limit = http->setup.stream_bytes_max ? http->setup.stream_bytes_max
                                                         : HTTP_UNSENT_BYTES_MAX;
    snprintf(connection->headers, sizeof connection->headers, "X-Accel-Buffering: no\r\n");
    put_head(http, connection, 200, "text/event-stream", NULL);
}

void http_stream(struct http *http, uint64_t id, struct str message)
{
    struct http_connection *connection = connection_find(http, id);

    if (!connection) return;
    if (connection->state == CONNECTION_OWED) stream_begin(http, connection);
    /* Most clients take it at once: then it is not copied. */
    if (connection->out.size == 0) {
        ssize_t put = fd_send(connection->fd, message, false);
        if (put > 0) message = str_skip(message, (size_t)put);
    }
    if (message.size == 0) return;
    queue(connection, message);
    flush_or_lose(connection);
}

bool http_is_stream(const struct http *http, uint64_t id)
{
    const struct http_connection *connection = connection_find(http, id);

    return connection && connection->state == CONNECTION_STREAM;
}

void http_stream_end(struct http *http, uint64_t id)
{
    struct http_connection *connection = connection_find(http, id);

    if (!connection) return;
    connection->state = CONNECTION_CLOSING;
    flush(connection);
}

/* ---- the server ---- */

static int listen_at(struct http *http, struct err *err)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(http->setup.port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    int on = 1;

    http->fd = fd_listener();
    if (http->fd < 0) return err_system(err, errno, "make a socket");
    (void)setsockopt(http->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(http->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        if (errno != EADDRINUSE) return err_system(err, errno, "listen on 127.0.0.1");
        return err_set(err, ERR_BUSY, "port %u of 127.0.0.1 is taken; choose another, or 0 for any "
                       "that is free", (unsigned)http->setup.port);
    }
    if (listen(http->fd, BACKLOG) != 0 ||
        getsockname(http->fd, (struct sockaddr *)&address, &bytes) != 0) {
        return err_system(err, errno, "listen on 127.0.0.1");
    }
    http->port = ntohs(address.sin_port);
    return 0;
}

int http_open(struct http *http, const struct http_setup *setup, struct err *err)
{
    int rc;

    *http = (struct http){ .setup = *setup, .fd = -1, .id_next = 1 };
    http->connections = mem_alloc(HTTP_CONNECTIONS_MAX * sizeof *http->connections);
    for (uint32_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) http->connections[i].fd = -1;
    rc = listen_at(http, err);
    if (rc != 0) http_close(http);
    return rc;
}

void http_close(struct http *http)
{
    for (uint32_t i = 0; http->connections && i < HTTP_CONNECTIONS_MAX; i++) {
        connection_free(&http->connections[i]);
    }
    free(http->connections);
    if (http->fd >= 0) close(http->fd);
    *http = (struct http){ .fd = -1 };
}
