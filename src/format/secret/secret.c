/* SPDX-License-Identifier: Apache-2.0
 *
 * secret.c - one walk over a text, from word to word.
 *
 * Rules look at three places only: where a word begins (secret_token.c), at a = or : and at a ://
 * (secret_value.c). Each looks at a bounded number of bytes, or at bytes the walk then jumps over.
 *
 * 1. Linear: no byte is looked at more often than a constant.
 * 2. Lines longer than LINE_BYTES_MAX were made by a program: in them only tokens count. */
#include "format/secret/secret_parts.h"

#include "base/byte.h"

#include <string.h>

enum { LINE_BYTES_MAX = 2000 };

bool secret_is_word_byte(char byte)
{
    return byte_is_alnum(byte) || byte == '_';
}

void secret_show(struct secret *secret, struct str text, struct str open, const char *stars)
{
    size_t room = SECRET_SHOWN_BYTES_MAX - 1 - strlen(stars);
    size_t size = 0;

    if (memmem(open.data, open.size, text.data + secret->begin, secret->end - secret->begin)) {
        open = STR("");
    }
    if (open.size > room) open.size = room;
    for (size_t i = 0; i < open.size; i++) {
        char byte = open.data[i];
        secret->shown[size++] = byte >= ' ' && byte < 0x7f ? byte : '?';
    }
    memcpy(secret->shown + size, stars, strlen(stars) + 1);
}

/* Lines up to the place, counted on from the last one. */
static void find_place(struct secret_walk *walk, struct secret *out)
{
    while (walk->line_begin < out->begin) {
        const char *from = walk->text.data + walk->line_begin;
        const char *end = memchr(from, '\n', out->begin - walk->line_begin);

        if (!end) break;
        walk->line_begin += (size_t)(end - from) + 1;
        walk->line_count++;
    }
    out->line = (uint32_t)walk->line_count + 1;
    out->column = (uint32_t)(out->begin - walk->line_begin) + 1;
}

/* Whether the line of `at` is one that a person could have written. */
static bool is_short_line(struct secret_walk *walk, size_t at)
{
    const char *end;

    if (at < walk->line_end) return !walk->long_line;
    end = memchr(walk->text.data + at, '\n', walk->text.size - at);
    walk->line_end = end ? (size_t)(end - walk->text.data) + 1 : walk->text.size;
    walk->long_line = walk->line_end - at > LINE_BYTES_MAX;
    return !walk->long_line;
}

static bool found_at(struct secret_walk *walk, size_t at, struct secret *out)
{
    struct str text = walk->text;

    switch (text.data[at]) {
    case '-':
        return secret_token(text, at, out);
    case ':':
        if (str_starts(str_skip(text, at), STR("://"))) {
            return is_short_line(walk, at) && secret_in_address(text, at, out);
        }
        return is_short_line(walk, at) && secret_assigned(text, at, out);
    case '=':
        return is_short_line(walk, at) && secret_assigned(text, at, out);
    default:
        return false;
    }
}

bool secret_next(struct secret_walk *walk, struct secret *out)
{
    struct str text = walk->text;
    size_t at = walk->at;

    *out = (struct secret){ 0 };
    while (at < text.size) {
        bool word = secret_is_word_byte(text.data[at]);

        if (word ? secret_token(text, at, out) : found_at(walk, at, out)) {
            walk->at = out->end;
            find_place(walk, out);
            return true;
        }
        at++;
        while (word && at < text.size && secret_is_word_byte(text.data[at])) at++;
    }
    walk->at = at;
    return false;
}
