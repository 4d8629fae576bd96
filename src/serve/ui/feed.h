/* SPDX-License-Identifier: Apache-2.0
 *
 * feed.h - news as messages: each is made once, kept for a while, and sent to all who listen.
 *
 * A message has a number, one more than that of the message before it. A client that comes back
 * says the last one it has, and gets those that followed, or, where they are not kept any more, the
 * word to ask for everything anew. Numbers begin where no earlier server's were, so that a message
 * of another server is never taken for one of ours. */
#ifndef HONE_SERVE_UI_FEED_H
#define HONE_SERVE_UI_FEED_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FEED_KEPT_MAX = 512,           /* messages, ... */
    FEED_KEPT_BYTES_MAX = 1 << 20, /* ... and what they take in all */
    FEED_CLIENTS_MAX = 288,        /* places are left for those who ask for something else */
    FEED_MESSAGE_BYTES_MAX = 256 * 1024,
};

struct feed {
    struct feed_message {
        char *text; /* as it is sent */
        size_t bytes;
    } kept[FEED_KEPT_MAX];  /* number n is at n % FEED_KEPT_MAX */
    uint64_t first, next;     /* numbers: the oldest that is kept, and the one that is made next */
    size_t bytes;             /* of those that are kept */
    uint64_t clients[FEED_CLIENTS_MAX]; /* requests that listen */
    uint32_t client_count;
};

/* now_ms: the wall clock. */
void feed_init(struct feed *feed, uint64_t now_ms);
void feed_release(struct feed *feed);

/* Keeps a message, one line: the text to send, good until the next one is made. */
struct str feed_make(struct feed *feed, struct str line);
/* Whether a client that has this message as its last one can be told what followed: false where
 * it must ask anew. "" has none and wants none. */
bool feed_follows(const struct feed *feed, struct str last, uint64_t *behind);
/* A message that is kept. */
struct str feed_kept(const struct feed *feed, uint64_t number);

/* False: there are too many. */
bool feed_join(struct feed *feed, uint64_t client);
void feed_leave(struct feed *feed, uint64_t client);

#endif
