/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/byte.h"

#include <string.h>

struct str str_of(const char *text)
{
    return text ? (struct str){ text, strlen(text) } : (struct str){ "", 0 };
}

bool str_eq(struct str a, struct str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool str_is(struct str a, const char *text)
{
    return str_eq(a, str_of(text));
}

int str_compare(struct str a, struct str b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.data, b.data, shared) : 0;

    if (order != 0) return order;
    return (a.size > b.size) - (a.size < b.size);
}

int str_order(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.size >= prefix.size && str_eq((struct str){ s.data, prefix.size }, prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.size >= suffix.size && str_eq(str_skip(s, s.size - suffix.size), suffix);
}

bool str_has(struct str s, char byte)
{
    return s.size && memchr(s.data, byte, s.size) != NULL;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

struct str str_trim(struct str s)
{
    while (s.size && is_blank(s.data[0])) s = str_skip(s, 1);
    while (s.size && is_blank(s.data[s.size - 1])) s.size--;
    return s;
}

struct str str_skip(struct str s, size_t bytes)
{
    if (bytes > s.size) bytes = s.size;
    return s.data ? (struct str){ s.data + bytes, s.size - bytes } : s;
}

static bool goes_on(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

struct str str_head(struct str s, size_t bytes_max)
{
    size_t size = bytes_max;

    if (s.size <= bytes_max) return s;
    while (size > 0 && goes_on(s.data[size])) size--;
    return (struct str){ s.data, size };
}

struct str str_tail(struct str s, size_t bytes_max)
{
    if (s.size <= bytes_max) return s;
    s = str_skip(s, s.size - bytes_max);
    while (s.size > 0 && goes_on(s.data[0])) s = str_skip(s, 1);
    return s;
}

bool str_cut(struct str *rest, char byte, struct str *piece)
{
    const char *end;

    if (rest->size == 0) return false;
    end = memchr(rest->data, byte, rest->size);
    *piece = (struct str){ rest->data, end ? (size_t)(end - rest->data) : rest->size };
    *rest = str_skip(*rest, piece->size + (end ? 1 : 0));
    return true;
}

struct str str_last_line(struct str s)
{
    struct str line, last = { "", 0 };

    while (str_cut(&s, '\n', &line)) {
        if (str_trim(line).size > 0) last = str_trim(line);
    }
    return last;
}

bool str_number(struct str s, uint64_t *out)
{
    uint64_t value = 0;

    if (s.size == 0 || s.size > 20) return false;
    for (size_t i = 0; i < s.size; i++) {
        uint64_t digit = (uint64_t)(s.data[i] - '0');

        if (!byte_is_digit(s.data[i]) || value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool str_hash(struct str s, uint64_t *out)
{
    uint64_t value = 0;

    if (s.size != 16) return false;
    for (size_t i = 0; i < s.size; i++) {
        char byte = s.data[i];
        bool digit = byte_is_digit(byte);

        if (!digit && (byte < 'a' || byte > 'f')) return false;
        value = value << 4 | (uint64_t)(digit ? byte - '0' : byte - 'a' + 10);
    }
    *out = value;
    return true;
}

uint32_t str_distance(struct str a, struct str b)
{
    enum { WORD_BYTES_MAX = 64 };
    uint32_t rows[3][WORD_BYTES_MAX + 1]; /* of the letter before the last, the last and this one */

    if (a.size > WORD_BYTES_MAX || b.size > WORD_BYTES_MAX) return UINT32_MAX;
    for (uint32_t j = 0; j <= b.size; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        const uint32_t *last = rows[(i - 1) % 3];
        uint32_t *row = rows[i % 3];

        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b.size; j++) {
            uint32_t best = last[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            bool swapped = i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                           a.data[i - 2] == b.data[j - 1];

            if (last[j] + 1 < best) best = last[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (swapped && rows[(i - 2) % 3][j - 2] + 1 < best) best = rows[(i - 2) % 3][j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.size % 3][b.size];
}
