/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver.h - one thing that is told to the outside: a request to an address, or a program of the
 * user's with facts at its standard input.
 *
 * Room: what leaves a run for others: spans for a collector, notifications for people. It is
 * carried by processes of their own, so that no run waits for a network or for a program. What is
 * told is said elsewhere: report/ and drive/ have the facts, format/observe/ the texts. */
#ifndef HONE_OBSERVE_DELIVER_H
#define HONE_OBSERVE_DELIVER_H

#include "base/arena.h"
#include "base/err.h"
#include "io/http/post.h"

enum deliver_kind { DELIVER_SPANS, DELIVER_WEBHOOK, DELIVER_COMMAND, DELIVER_KIND_COUNT };

/* Empty texts are NULL. */
struct delivery {
    enum deliver_kind kind;
    const char *url, *certificate; /* of spans and webhooks */
    const struct http_header *headers;
    uint32_t header_count;
    const char *secret_file, *secret_env; /* of a webhook: where the secret is that signs it */
    const char *const *argv; /* of a command; NULL ends */
    const char *cwd;         /* likewise */
    struct str body;         /* JSON */
    uint64_t timeout_ms;     /* of one request; of a command: then it is ended */
};

enum { DELIVER_TRIES_MAX = 4, DELIVER_MS_MAX = 30 * 1000, DELIVER_BYTES_MAX = 64 << 20 };

/* As the process reads it that carries it. */
void delivery_write(const struct delivery *delivery, struct buf *out);

/* The process that carries one: it reads what standard input has. The exit code is 0, or 1 with a
 * line on standard output that says what was in its way. */
int deliver_main(void);

#endif
