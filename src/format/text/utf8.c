/* SPDX-License-Identifier: Apache-2.0 */
#include "format/text/utf8.h"

#include <string.h>

/* By the number of bytes: the bits that mark the first byte, and the smallest number that may
 * be written so long. */
static const struct {
    unsigned char mark, mask;
    uint32_t first;
} forms[] = {
    [2] = { 0xc0, 0xe0, 0x80 },
    [3] = { 0xe0, 0xf0, 0x800 },
    [4] = { 0xf0, 0xf8, 0x10000 },
};

size_t utf8_next(struct str s, uint32_t *code)
{
    const unsigned char *byte = (const unsigned char *)s.data;
    uint32_t value;
    size_t size = 2;

    if (s.size == 0) return 0;
    if (byte[0] < 0x80) {
        *code = byte[0];
        return 1;
    }
    while (size <= 4 && (byte[0] & forms[size].mask) != forms[size].mark) size++;
    if (size > 4 || size > s.size) return 0;
    value = byte[0] & (unsigned char)~forms[size].mask;
    for (size_t i = 1; i < size; i++) {
        if ((byte[i] & 0xc0) != 0x80) return 0;
        value = value << 6 | (byte[i] & 0x3f);
    }
    if (value < forms[size].first || value > 0x10ffff) return 0;
    if (value >= 0xd800 && value <= 0xdfff) return 0;
    *code = value;
    return size;
}

size_t utf8_prefix(struct str s)
{
    size_t at = 0;

    while (at < s.size) {
        uint32_t code;
        uint64_t word;
        size_t size;

        /* Most text is ASCII: eight bytes at once, as long as none has its highest bit set. */
        while (s.size - at >= sizeof word) {
            memcpy(&word, s.data + at, sizeof word);
            if (word & 0x8080808080808080u) break;
            at += sizeof word;
        }
        size = utf8_next(str_skip(s, at), &code);
        if (size == 0) break;
        at += size;
    }
    return at;
}
