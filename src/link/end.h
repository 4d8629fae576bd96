/* SPDX-License-Identifier: Apache-2.0
 *
 * end.h - what both ends of a carrier have: the lines, the server, and blobs that are brought from
 * it to the lines. */
#ifndef HONE_LINK_END_H
#define HONE_LINK_END_H

#include "link/blobs.h"
#include "link/loop.h"

struct end {
    struct loop_end lines; /* its owner is that of all the others, too */
    bool waits;            /* for a server that does not answer yet */
    /* All is there, and stays until end_serve() returns. */
    int (*on_open)(void *owner, struct loop *loop, struct bus *bus, struct blobs *blobs,
                   struct err *err);
    void (*on_away)(void *owner, const char *why);
    void (*on_back)(void *owner);
    /* NULL where it is nothing to this end: a stream is not there; a blob is waited for. */
    void (*on_missing)(void *owner);
    void (*on_need)(void *owner, const char *place, const char *id);
    /* The server refused this in silence. True: this end has told of it. */
    bool (*on_trouble)(void *owner, const char *what);
};

/* Serves until the lines are over. The exit code; END_FOR_GOOD: another start is of no use. */
enum { END_FOR_GOOD = 2 };
int end_serve(const struct end *end, const struct bus_target *target);

/* False: the hello is of another version of lines, and this end stops. */
bool end_greets(struct loop *loop, const struct fleet_line *hello);

#endif
