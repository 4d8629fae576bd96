/* SPDX-License-Identifier: Apache-2.0
 *
 * bus.h - a connection to a NATS server as the one loop of this program sees it: what was heard is
 * told by bus_step(), and every question has exactly one answer.
 *
 * The library's own threads never touch the program's state: they put what came into a bounded
 * queue, and a byte into a pipe that the loop polls. */
#ifndef HONE_LINK_BUS_H
#define HONE_LINK_BUS_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

struct bus;

/* Where to connect to, and as whom. Paths and texts are borrowed while bus_open() runs. */
struct bus_target {
    const char *url;
    const char *ca;     /* a file: what signs the server's certificate; NULL: the system's */
    const char *seed;   /* a file with the seed of a user's key; NULL: none */
    const char *creds;  /* a credentials file (JWT and seed); NULL: none */
    const char *name;   /* as the server lists this connection */
    const char *user;   /* this user's name, where it has one; NULL else */
    const char *no_keys; /* the folder where keys would be, and is not; NULL: there are keys */
    const char *inbox;  /* the subject below which answers come: _INBOX_NAME of a user */
    bool plain;         /* without TLS, wherever the server is */
};

/* What came on a subject. Borrowed until the function that was told returns. */
struct bus_message {
    const char *subject;
    const char *reply; /* NULL: none is wanted */
    struct str data;
    void *native;       /* NULL: it was read from a stream, and headers has its headers ... */
    struct str headers; /* ... a NUL behind each line */
};

struct bus_header {
    const char *name, *value;
};

/* A header's value; NULL: it has none. */
const char *bus_header(const struct bus_message *message, const char *name);
/* A header that is a number; 0: it has none. */
uint64_t bus_header_number(const struct bus_message *message, const char *name);

/* What the owner of a bus is told beside. Each may be called from bus_step() only. */
struct bus_owner {
    void *owner;
    void (*on_away)(void *owner, const char *why); /* the server cannot be reached */
    void (*on_back)(void *owner);
    void (*on_missing)(void *owner);               /* a stream that was asked is not there */
    void (*on_trouble)(void *owner, const char *what); /* the server refused in silence */
    void (*on_closed)(void *owner, const char *why);   /* for good: a refused login */
};

enum answer_kind {
    ANSWER_YES,
    ANSWER_NO,   /* refused: code and why */
    ANSWER_NONE, /* what was asked for is not there */
    ANSWER_AWAY, /* no answer: whether it was done is not known */
    ANSWER_COUNT
};

/* Numbers of errors of JetStream (err_code). */
enum {
    JS_WRONG_LAST = 10071,   /* another revision is there than the one that was expected */
    JS_STORE_FAILED = 10077, /* full, or the subject's one message is there already: why says it */
    JS_NAME_IN_USE = 10058,  /* the stream is there, with other settings */
    JS_NO_CONSUMER = 10014,
    JS_NO_STREAM = 10059,
    JS_NO_MESSAGE = 10037,
};

struct answer {
    enum answer_kind kind;
    uint32_t code;
    const char *why;
    uint64_t seq;                      /* of what was stored, or read */
    bool duplicate;                    /* it had been stored before */
    yyjson_val *root;                  /* of an answer that is JSON; NULL else */
    const struct bus_message *message; /* NULL where there is no answer */
};

enum { BUS_KEY_BYTES = 256 };

/* on_answer is called exactly once, from bus_step(). */
struct question {
    const char *subject;
    struct str data;
    const struct bus_header *headers;
    uint32_t header_count;
    bool stored; /* the answer is a message of a stream, in JSON: message is that one */
    bool raw;    /* ... or a message of a stream as its sender wrote it */
    uint64_t patience_ms; /* asked again until so long after; 0: asked once. BUS_FOR_EVER */
    const char *key;   /* copied; given back with the answer, as tag is */
    uint64_t tag;
    void *owner;
    void (*on_answer)(void *owner, const char *key, uint64_t tag, const struct answer *answer);
};

#define BUS_FOR_EVER UINT64_MAX

/* Connects, once: ERR_FAILED where the server is not there, or does not let us in. */
int bus_open(struct bus **out, const struct bus_target *target, const struct bus_owner *owner,
             struct err *err);
/* All questions that have no answer yet are dropped. NULL is fine. */
void bus_close(struct bus *bus);

int bus_fd(const struct bus *bus); /* readable: call bus_step() */
void bus_step(struct bus *bus);
/* In how many milliseconds bus_step() has to be called at the latest; -1: when something came. */
int64_t bus_wait_ms(const struct bus *bus);

bool bus_is_there(const struct bus *bus);
const char *bus_name(const struct bus *bus);   /* "NATS 2.9.10 at box:4222" */
const char *bus_inbox(const struct bus *bus);  /* of this connection: no other has it */
uint64_t bus_payload_max(const struct bus *bus);
uint32_t bus_asked(const struct bus *bus);     /* questions without an answer */
uint64_t bus_asked_bytes(const struct bus *bus); /* ... and what they hold */

/* From now on what comes on a subject is told. */
int bus_listen(struct bus *bus, const char *subject,
               void (*on_message)(void *owner, const struct bus_message *message), void *owner,
               struct err *err);

/* Says something that has no answer. False: it did not go out. */
bool bus_say(struct bus *bus, const char *subject, const char *reply, struct str data,
             const struct bus_header *headers, uint32_t header_count);
void bus_ask(struct bus *bus, const struct question *question);

#endif
