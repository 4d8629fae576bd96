/* SPDX-License-Identifier: Apache-2.0
 *
 * byte.h - what kind of byte it is (letter, digit, ...), in ASCII, in any locale. Bytes of other
 * characters are of no kind. */
#ifndef HONE_BASE_BYTE_H
#define HONE_BASE_BYTE_H

#include <stdbool.h>

static inline bool byte_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static inline bool byte_is_small(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static inline bool byte_is_capital(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static inline bool byte_is_letter(char byte)
{
    return byte_is_small((char)(byte | ('a' - 'A')));
}

static inline bool byte_is_alnum(char byte) /* a letter or a digit */
{
    return byte_is_letter(byte) || byte_is_digit(byte);
}

static inline bool byte_is_hex(char byte) /* a digit of base 16, small or capital */
{
    return byte_is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

static inline char byte_small(char byte) /* a capital's small letter; all others as they are */
{
    return byte_is_capital(byte) ? (char)(byte - 'A' + 'a') : byte;
}

#endif
