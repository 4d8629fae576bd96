/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.h - hone's standard input and output, where another program writes and reads: bytes in
 * with a time limit, bytes out whole. */
#ifndef HONE_IO_FILE_STREAM_H
#define HONE_IO_FILE_STREAM_H

#include "base/arena.h"
#include "base/str.h"

enum { STREAM_NOTHING = -1, STREAM_END = 0 };

/* What comes in next, at most bytes of it, waiting timeout_ms for it (-1: for ever): how much came;
 * STREAM_END at the end or after an error; STREAM_NOTHING when the time is over. */
long stream_read(char *out, size_t bytes, int64_t timeout_ms);

/* Writes all of it, waiting as long as it takes; false when the reader has closed its end. */
bool stream_write(struct str bytes);

/* The files below a folder (a real path) that are our standard output and error, as paths from
 * there; NULL ends. They change while we say something. */
const char *const *stream_files(const char *folder, struct arena *arena);

/* From now on what goes to standard error goes where standard output goes, in one order. */
void stream_join(void);

/* From now on standard input has nothing in it: no person can be asked. */
void stream_unattended(void);

#endif
