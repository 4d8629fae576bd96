/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/err.h"
#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *buf, size_t limit)
{
    *buf = (struct buf){ .limit = limit };
}

void buf_release(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){ .limit = buf->limit };
}

void buf_clear(struct buf *buf)
{
    buf->size = 0;
    buf->overflow = false;
    if (buf->data) buf->data[0] = '\0';
}

int buf_reserve(struct buf *buf, size_t bytes)
{
    size_t wanted;

    if (bytes > buf->limit || buf->size > buf->limit - bytes) {
        buf->overflow = true;
        return ERR_LIMIT;
    }
    wanted = buf->size + bytes + 1;
    assert(wanted < SIZE_MAX / 2); /* no machine has so much: doubling cannot wrap */
    if (wanted > buf->cap) {
        size_t cap = buf->cap ? buf->cap : 64;
        while (cap < wanted) cap *= 2;
        buf->data = mem_resize(buf->data, cap);
        buf->cap = cap;
        buf->data[buf->size] = '\0'; /* buf_cstr() is a text, also where nothing is added */
    }
    return 0;
}

int buf_add(struct buf *buf, struct str piece)
{
    int rc = buf_reserve(buf, piece.size);

    if (rc != 0) return rc;
    if (piece.size) memcpy(buf->data + buf->size, piece.data, piece.size);
    buf->size += piece.size;
    buf->data[buf->size] = '\0';
    return 0;
}

int buf_text(struct buf *buf, const char *text)
{
    return buf_add(buf, str_of(text));
}

int buf_byte(struct buf *buf, char byte)
{
    return buf_add(buf, (struct str){ &byte, 1 });
}

int buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    int bytes;
    int rc;

    va_start(args, format);
    bytes = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(bytes >= 0);
    rc = buf_reserve(buf, (size_t)bytes);
    if (rc != 0) return rc;
    va_start(args, format);
    vsnprintf(buf->data + buf->size, (size_t)bytes + 1, format, args);
    va_end(args);
    buf->size += (size_t)bytes;
    return 0;
}

struct str buf_str(const struct buf *buf)
{
    return (struct str){ buf->data ? buf->data : "", buf->size };
}

const char *buf_cstr(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}
