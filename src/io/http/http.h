/* SPDX-License-Identifier: Apache-2.0
 *
 * http.h - a small HTTP/1.1 server on 127.0.0.1: one request per connection, an answer or a stream
 * of events for it. No thread; everything is bounded.
 *
 * Where all places are taken and a client waits, a connection that was not let in yet gives way:
 * first those that are silent, of these the oldest.
 *
 * A head is shown to admit() before a byte of its body is read: a client that is refused takes no
 * memory but that of the head.
 *
 * Room: a small HTTP server on loopback. */
#ifndef HONE_IO_HTTP_HTTP_H
#define HONE_IO_HTTP_HTTP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the head of a request: pure ---- */

/* HTTP/1.1, read strictly. What two readers could take in two ways is refused: bare line ends,
 * blanks before a colon, folded lines, control characters, a length that is said twice, a body
 * without a length. */

enum {
    HTTP_HEAD_BYTES_MAX = 16 * 1024,
    HTTP_HEADERS_MAX = 64,
};

struct http_header {
    struct str name, value; /* the value without blanks around it */
};

/* Everything is borrowed from the bytes that were read. */
struct http_head {
    struct str method, path; /* the path without what follows "?" ... */
    struct str query;        /* ... and that; empty where there is none */
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

/* A header's value by its name, in any case; data NULL where it is not there. Of several the
 * first. */
struct str http_header(const struct http_head *head, const char *name);

/* Whether there are several of that name. */
bool http_header_twice(const struct http_head *head, const char *name);

/* Whether HOST[:PORT] names this machine: localhost, 127.0.0.1, [::1]. */
bool http_host_is_local(struct str host);
/* Whether an Origin does: http or https, and such a host. "null" does not. */
bool http_origin_is_local(struct str origin);

/* ---- statuses ---- */

struct http_status {
    int status;
    const char *reason;
    const char *words; /* what a refusal is told to mean */
};

/* One that we do not know is 400. */
const struct http_status *http_status(int status);

/* ---- the server ---- */

enum {
    HTTP_CONNECTIONS_MAX = 320,
    HTTP_HEADERS_BYTES_MAX = 512,  /* of an answer, those that it has of its own */
    HTTP_WAKES_MAX = 4,
    HTTP_HEAD_MS_MAX = 10 * 1000,  /* from the connection to the end of the head */
    HTTP_SILENT_MS_MAX = 50,       /* the same where another client waits: of a silent one */
    HTTP_SPEAKING_MS_MAX = 200,    /* and of one that did */
    HTTP_BODY_MS_MAX = 30 * 1000,  /* and from there to the end of the body */
    HTTP_STALL_MS_MAX = 30 * 1000, /* that a client may take nothing of what it is sent */
    HTTP_UNSENT_BYTES_MAX = 32 << 20,
};

struct http_setup {
    uint16_t port; /* 0: any that is free */
    size_t body_bytes_max;
    /* 0 to let it in, or the status to refuse it with. */
    int (*admit)(void *context, const struct http_head *head);
    /* Writes what a client that is refused with this status reads, and says of which type it is.
     * May be NULL: the words of the status. */
    const char *(*refuse)(void *context, int status, struct buf *out);
    const char *headers;  /* of every answer, each with its line end; may be NULL */
    const char *methods;  /* that 405 names */
    size_t stream_bytes_max; /* that a client of a stream may not have taken: one that lets more
                                pile up is lost. 0: HTTP_UNSENT_BYTES_MAX */
    void *context;
};

struct http_connection;

struct http {
    struct http_setup setup;
    uint16_t port; /* where it listens */
    int fd;        /* -1: not open */
    uint64_t id_next;
    struct http_connection *connections;
};

enum http_event_kind {
    HTTP_EVENT_NONE,
    HTTP_EVENT_REQUEST, /* an answer is due */
    HTTP_EVENT_GONE,    /* the client is gone: nothing is due any more */
};

struct http_event {
    enum http_event_kind kind;
    uint64_t id; /* of the request; never the same twice */
    const struct http_head *head; /* as the next, borrowed until the request is answered */
    struct str body;
};

/* ERR_BUSY: the port is taken. */
int http_open(struct http *http, const struct http_setup *setup, struct err *err);
void http_close(struct http *http); /* accepts one that is not open */

/* What happened, waiting for it at most timeout_ms (-1: for ever), or until one of the descriptors
 * to wake by can be read (at most HTTP_WAKES_MAX; -1: none; count of them). May answer
 * HTTP_EVENT_NONE early: ask again. */
void http_next(struct http *http, const int *wake_fds, uint32_t count, int64_t timeout_ms,
               struct http_event *out);

/* A header of the answer that follows, in place of the one that every answer has. Without line
 * ends; all of them within HTTP_HEADERS_BYTES_MAX. */
void http_answer_header(struct http *http, uint64_t id, const char *name, const char *value);

/* The answer to a request, whole; type NULL: there is no body. An id that is gone is ignored, as
 * below. */
void http_answer(struct http *http, uint64_t id, int status, const char *type, struct str body);

/* A message as a stream carries it: it is made once, and sent to all who listen. number: by which a
 * client that comes back says what it has; 0: none. An empty one only shows that we are there. */
void http_message(struct str text, uint64_t number, struct buf *out);

/* Such a message, to a request whose answer is a stream from the first on. The head and the body of
 * the request are not good any more. And the stream's end. */
bool http_is_stream(const struct http *http, uint64_t id);
void http_stream(struct http *http, uint64_t id, struct str message);
void http_stream_end(struct http *http, uint64_t id);

#endif
