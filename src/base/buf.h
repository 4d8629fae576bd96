/* SPDX-License-Identifier: Apache-2.0
 *
 * buf.h - bytes that grow, up to a bound set once.
 *
 * Adding past the bound changes nothing and is remembered: a writer may add many pieces and ask
 * once at the end (buf->overflow), or look at each return value. */
#ifndef HONE_BASE_BUF_H
#define HONE_BASE_BUF_H

#include "base/str.h"

#include <stdbool.h>

struct buf {
    char *data; /* NUL behind the last byte once anything was added */
    size_t size, cap, limit;
    bool overflow; /* something did not fit; stays set until buf_clear */
};

void buf_init(struct buf *buf, size_t limit);
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf); /* empty again, memory kept */

/* 0, or ERR_LIMIT with the buffer unchanged. */
int buf_add(struct buf *buf, struct str piece);
int buf_text(struct buf *buf, const char *text);
int buf_byte(struct buf *buf, char byte);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for at least `bytes` more at buf->data + buf->size, or ERR_LIMIT; for readers. */
int buf_reserve(struct buf *buf, size_t bytes);

struct str buf_str(const struct buf *buf);
const char *buf_cstr(const struct buf *buf); /* "" when empty */

#endif
