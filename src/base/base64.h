/* SPDX-License-Identifier: Apache-2.0
 *
 * base64.h - bytes as letters of RFC 4648: the alphabet with + and /, padded with =. */
#ifndef HONE_BASE_BASE64_H
#define HONE_BASE_BASE64_H

#include "base/buf.h"

/* How many letters so many bytes are. */
size_t base64_letters(size_t bytes);

/* Appends the letters; 0 or ERR_LIMIT with out unchanged. */
int base64_write(struct str bytes, struct buf *out);

/* Appends the bytes. ERR_FORMAT where letters are anything but what base64_write() writes (blanks,
 * missing padding, bits behind the last byte that are not 0), ERR_LIMIT; out is then unchanged. */
int base64_read(struct str letters, struct buf *out);

#endif
