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

#include "format/stream/reading.h"

struct telling {
    struct buf *out;
    bool open; /* the last line has no end yet */
};

/* One line of the stream. What is no event is told as it is; most events tell nothing. */
void telling_line(struct telling *telling, const struct stream_kind *kind, struct str line);
void telling_end(struct telling *telling); /* the last line gets its end */

/* For the kinds of streams: a text (piece: another may go on with the same line), a call of a
 * tool, trouble. */
void telling_text(struct telling *telling, struct str text, bool piece);
void telling_call(struct telling *telling, struct str tool, struct str about);
void telling_trouble(struct telling *telling, struct str message);

/* The member of a tool's input that says most about it: a path, a command, a pattern. */
struct str telling_about(yyjson_val *input);

#endif
