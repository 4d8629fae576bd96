/* SPDX-License-Identifier: Apache-2.0
 *
 * telling.h - a coding agent's stream for a user who reads along: what the agent says, and a line
 * for each tool that it calls.
 *
 *     I look at the file first.
 *     > Read src/sum.c
 *     > Bash make test
 *     ! the service is overloaded
 *
 * Texts are the agent's own bytes: the caller makes them safe (format/text/safe.h). */
#ifndef HONE_FORMAT_STREAM_TELLING_H
#define HONE_FORMAT_STREAM_TELLING_H

#include "format/stream/item.h"

struct telling {
    struct buf *out;
    bool open; /* the last line has no end yet */
};

/* One line of the stream. What is no event is told as it is; most events tell nothing. */
void telling_line(struct telling *telling, const struct stream_kind *kind, struct str line);
void telling_end(struct telling *telling); /* the last line gets its end */

#endif
