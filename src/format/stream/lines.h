/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.h - lines out of a stream that arrives in pieces. Pure, resumable and bounded.
 *
 * A line longer than the bound is passed over and counted, and reading goes on behind it: one
 * mad line must not end a stream. */
#ifndef HONE_FORMAT_STREAM_LINES_H
#define HONE_FORMAT_STREAM_LINES_H

#include "base/buf.h"

struct lines {
    struct buf part;        /* the beginning of a line whose end has not come yet */
    bool skipping;          /* inside a line that is too long */
    uint64_t skipped;       /* lines that were too long */
};

void lines_init(struct lines *lines, size_t line_bytes_max);
void lines_release(struct lines *lines);

/* Cuts the next whole line off *chunk: true and *line, valid until the next call. False when
 * *chunk is used up; the rest is remembered. Lines come without their line end; "\r" before it
 * is cut too. Feed chunk after chunk in the same way. */
bool lines_next(struct lines *lines, struct str *chunk, struct str *line);

/* At the end of the stream: the last line, if it had no line end. */
bool lines_last(struct lines *lines, struct str *line);

#endif
