/* SPDX-License-Identifier: Apache-2.0
 *
 * quote.h - text from outside inside a prompt: shown, marked as data, unable to pass for ours. What
 * quotes are is said once in each prompt, before the first of them (prompts/common/_quotes.md).
 *
 * The fence is a word that hone makes up when it starts, so that the writer of the text could not
 * know it. Where it occurs in the text all the same, it is altered: only hone can close a quote. */
#ifndef HONE_DIALECT_QUOTE_H
#define HONE_DIALECT_QUOTE_H

#include "base/buf.h"
#include "base/str.h"

/* The two lines around a quote. */
void quote_open(struct buf *out, const char *fence);
void quote_close(struct buf *out, const char *fence);

/* Adds text for a place inside a quote: control and hidden characters shown by their numbers, lines
 * behind the first begun with indent, no final line end, at most about bytes_max bytes with a
 * note where it was cut. */
void quote_text(struct buf *out, const char *fence, struct str text, const char *indent,
                size_t bytes_max);

/* The same for one line: line ends become blanks. */
void quote_line(struct buf *out, const char *fence, struct str text, size_t bytes_max);

/* A whole quote, from line to line. */
void quote_block(struct buf *out, const char *fence, struct str text, size_t bytes_max);

/* A path of ours outside of a quote, in backticks. */
void quote_path(struct buf *out, const char *fence, const char *path);

/* A whole quote with a name in each line; where there are too many, a line behind it says so. */
void quote_names(struct buf *out, const char *fence, const struct str *names, uint32_t count);

#endif
