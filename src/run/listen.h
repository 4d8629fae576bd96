/* SPDX-License-Identifier: Apache-2.0
 *
 * listen.h - what an attempt writes, line by line, while it writes it.
 *
 * It only reads: two files that grow. The run does not know of it. A line is told when it is whole,
 * with secrets masked; a stream of events can be told as what the agent says and does. */
#ifndef HONE_RUN_LISTEN_H
#define HONE_RUN_LISTEN_H

#include "agent/agent.h"
#include "base/err.h"

struct listen;

/* The two files. */
enum { LISTEN_OUT, LISTEN_ERR, LISTEN_FILES };

/* A line of one of them: without its line end, and not yet harmless. Or, of a stream that is told,
 * the text that it tells: pieces of lines, which end where the text says so. */
typedef void listen_visit(void *context, uint32_t file, struct str text);

struct listen_request {
    const char *folder;               /* of the attempt; borrowed */
    const struct stream_kind *stream; /* NULL: standard output is told as it comes */
    uint64_t tail_bytes;              /* no more than so much of what is there already; 0: all */
    listen_visit *visit;
    void *context;
};

/* The files need not be there yet. */
struct listen *listen_new(const struct listen_request *request);
void listen_free(struct listen *listen); /* NULL is accepted */

/* Whether its supervisor has left its status: the attempt is over. To be asked before the last
 * listen_more(), so that its last words are told. */
bool listen_is_over(const struct listen *listen);

/* Tells what is new, until `wanted` (NULL: always) says no. */
int listen_more(struct listen *listen, bool (*wanted)(void), struct err *err);
/* Tells the last lines, which have no line end. */
void listen_last(struct listen *listen);

#endif
