/* SPDX-License-Identifier: Apache-2.0
 *
 * beat.h - a line that is written into a pipe now and then, also while this process is busy with
 * something else: so that the other end knows that it lives. One per process. */
#ifndef HONE_IO_PROCESS_BEAT_H
#define HONE_IO_PROCESS_BEAT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on, each every_ms. fd does not wait; text ends its line, is short (PIPE_BUF) and lives
 * on. Nothing is written before beat_leave(). */
void beat_start(int fd, const char *text, uint64_t every_ms);
void beat_stop(void);

/* Between these two the caller writes to the pipe itself. whole: what it has written ends a line,
 * so that another may follow. */
void beat_enter(void);
void beat_leave(bool whole);

#endif
