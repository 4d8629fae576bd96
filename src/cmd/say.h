/* SPDX-License-Identifier: Apache-2.0
 *
 * say.h - what verbs print: errors in one line, texts from outside made harmless. */
#ifndef HONE_CMD_SAY_H
#define HONE_CMD_SAY_H

#include "cmd/verb.h"
#include "format/json/json.h"

enum { SAY_BYTES_MAX = 256 << 20 };

/* "hone: ..." on standard error, in one harmless line; returns the code. */
int say_fail(enum exit_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an operating error, with its exit code. */
int say_err(const struct err *err);

/* To standard output, as it is. The caller has made it harmless. */
void say_out(const struct buf *text);

/* The same, and the text is released. */
void say_take(struct buf *text);

/* The same, written at once: for output that a reader follows. */
void say_now(const struct buf *text);

/* The error number of the first say_out() that could not write; 0: none. */
int say_problem(void);

/* The document to standard output: pretty, or as one line of its own. Frees it. */
void say_json(yyjson_mut_doc *doc, bool pretty);

/* Text from outside, in one harmless line of at most bytes_max (0: all). */
void add_safe(struct buf *out, const char *text, size_t bytes_max);

/* How wide lines to this descriptor may be: as COLUMNS or its terminal says; 80 elsewhere. Running
 * text is read best in 80 columns at most. */
uint32_t line_columns(int fd);
uint32_t text_columns(int fd);
/* Of a table on standard output: 0, any number, where that is no terminal. */
uint32_t table_columns(const struct call *call);

/* wrap_text(), and a line end. */
void add_wrapped(struct buf *out, const char *text, uint32_t at, uint32_t indent,
                 uint32_t columns_max);

#endif
