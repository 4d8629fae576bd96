/* SPDX-License-Identifier: Apache-2.0
 *
 * line.h - a person at standard input, asked for a line at a time. */
#ifndef HONE_IO_FILE_LINE_H
#define HONE_IO_FILE_LINE_H

#include "base/buf.h"

/* Whether a user is there to ask: standard input and standard error are terminals. */
bool line_can_ask(void);

/* The next line, without its end, appended to out. False at the end of input, or when interrupt_fd
 * (-1: none) can be read first. */
bool line_read(struct buf *out, int interrupt_fd);

/* Asks a question that ends with "[y/N] " on standard error; whether the answer is yes. */
bool line_agrees(const char *question);

#endif
