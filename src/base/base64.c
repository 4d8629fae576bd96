/* SPDX-License-Identifier: Apache-2.0
 *
 * base64.c - three bytes are four letters.
 *
 * 1. Each run of bytes has exactly one text: what base64_read() takes, base64_write() writes. */
#include "base/base64.h"

#include "base/byte.h"
#include "base/err.h"

enum { GROUP_BYTES = 3, GROUP_LETTERS = 4, NO_LETTER = 64 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_letters(size_t bytes)
{
    return (bytes + GROUP_BYTES - 1) / GROUP_BYTES * GROUP_LETTERS;
}

int base64_write(struct str bytes, struct buf *out)
{
    int rc = buf_reserve(out, base64_letters(bytes.size));

    if (rc != 0) return rc;
    for (size_t i = 0; i < bytes.size; i += GROUP_BYTES) {
        size_t left = bytes.size - i < GROUP_BYTES ? bytes.size - i : GROUP_BYTES;
        uint32_t bits = 0;
        char group[GROUP_LETTERS];

        for (size_t k = 0; k < GROUP_BYTES; k++) {
            bits = bits << 8 | (k < left ? (unsigned char)bytes.data[i + k] : 0u);
        }
        for (size_t k = 0; k < GROUP_LETTERS; k++) {
            group[k] = k <= left ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
        }
        (void)buf_add(out, (struct str){ group, sizeof group });
    }
    return 0;
}

static uint32_t letter_value(char letter)
{
    if (byte_is_capital(letter)) return (uint32_t)(letter - 'A');
    if (byte_is_small(letter)) return (uint32_t)(letter - 'a') + 26;
    if (byte_is_digit(letter)) return (uint32_t)(letter - '0') + 52;
    if (letter == '+') return 62;
    return letter == '/' ? 63 : NO_LETTER;
}

/* The bytes of one group; 0: it is none. padded: = may stand at its end. */
static size_t group_read(const char *letters, bool padded, char bytes[GROUP_BYTES])
{
    size_t count = GROUP_LETTERS;
    uint32_t bits = 0;

    while (padded && count > 2 && letters[count - 1] == '=') count--;
    for (size_t k = 0; k < GROUP_LETTERS; k++) {
        uint32_t value = k < count ? letter_value(letters[k]) : 0;

        if (value == NO_LETTER) return 0;
        bits = bits << 6 | value;
    }
    if (bits & ((UINT32_C(1) << 8 * (GROUP_LETTERS - count)) - 1)) return 0;
    for (size_t k = 0; k < count - 1; k++) bytes[k] = (char)(bits >> (16 - 8 * k) & 255);
    return count - 1;
}

/* How many = stand at its end, of the two that can. */
static size_t padding(struct str letters)
{
    size_t count = 0;

    while (count < 2 && count < letters.size && letters.data[letters.size - 1 - count] == '=') {
        count++;
    }
    return count;
}

int base64_read(struct str letters, struct buf *out)
{
    size_t before = out->size;
    int rc;

    if (letters.size % GROUP_LETTERS != 0) return ERR_FORMAT;
    rc = buf_reserve(out, letters.size / GROUP_LETTERS * GROUP_BYTES - padding(letters));
    if (rc != 0) return rc;
    for (size_t i = 0; i < letters.size; i += GROUP_LETTERS) {
        char bytes[GROUP_BYTES];
        size_t count = group_read(letters.data + i, i + GROUP_LETTERS == letters.size, bytes);

        if (count == 0) {
            out->size = before;
            if (out->data) out->data[before] = '\0';
            return ERR_FORMAT;
        }
        (void)buf_add(out, (struct str){ bytes, count });
    }
    return 0;
}
