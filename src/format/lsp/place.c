/* SPDX-License-Identifier: Apache-2.0 */
#include "format/lsp/place.h"

#include "base/mem.h"
#include "format/text/utf8.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[ENCODING_COUNT] = {
    [ENCODING_UTF8] = "utf-8", [ENCODING_UTF16] = "utf-16", [ENCODING_UTF32] = "utf-32",
};

const char *encoding_word(enum encoding encoding)
{
    return words[encoding];
}

bool encoding_from_word(struct str word, enum encoding *out)
{
    for (uint32_t i = 0; i < ENCODING_COUNT; i++) {
        if (!str_is(word, words[i])) continue;
        *out = (enum encoding)i;
        return true;
    }
    return false;
}

/* ---- lines ---- */

static bool ends_line(char byte)
{
    return byte == '\n' || byte == '\r';
}

static void add_start(struct line_starts *starts, size_t offset)
{
    starts->items = mem_grow(starts->items, starts->count, &starts->cap, sizeof *starts->items);
    starts->items[starts->count++] = offset;
}

void line_starts_read(struct line_starts *starts, struct str text)
{
    starts->count = 0;
    add_start(starts, 0);
    for (size_t i = 0; i < text.size; i++) {
        if (!ends_line(text.data[i])) continue;
        if (text.data[i] == '\r' && i + 1 < text.size && text.data[i + 1] == '\n') i++;
        add_start(starts, i + 1);
    }
}

void line_starts_release(struct line_starts *starts)
{
    free(starts->items);
    *starts = (struct line_starts){ 0 };
}

static size_t line_start(const struct line_starts *starts, uint32_t line)
{
    return starts->count == 0 ? 0 : starts->items[line];
}

/* The line that an offset is in. */
static uint32_t line_at(const struct line_starts *starts, size_t offset)
{
    uint32_t from = 0, to = starts->count;

    while (to > from + 1) {
        uint32_t middle = from + (to - from) / 2;
        if (starts->items[middle] <= offset) from = middle;
        else to = middle;
    }
    return from;
}

/* ---- characters ---- */

/* The next character of a text that is not empty: its bytes, and how many units it counts. */
static size_t next_units(struct str text, enum encoding encoding, uint32_t *units)
{
    uint32_t code = 0;
    size_t bytes = utf8_next(text, &code);

    if (bytes == 0) {
        *units = 1;
        return 1;
    }
    switch (encoding) {
    case ENCODING_UTF8: *units = (uint32_t)bytes; break;
    case ENCODING_UTF16: *units = code > 0xffff ? 2 : 1; break;
    case ENCODING_UTF32:
    case ENCODING_COUNT: *units = 1; break;
    }
    return bytes;
}

struct place place_at(struct str text, const struct line_starts *starts, size_t offset,
                      enum encoding encoding)
{
    uint32_t line = line_at(starts, offset < text.size ? offset : text.size);
    struct place place = { .line = line };
    size_t at = line_start(starts, line);

    while (at < offset && at < text.size && !ends_line(text.data[at])) {
        uint32_t units;
        at += next_units(str_skip(text, at), encoding, &units);
        if (at > offset) break; /* inside of it: its beginning */
        place.character += units;
    }
    return place;
}

size_t place_offset(struct str text, const struct line_starts *starts, struct place place,
                    enum encoding encoding)
{
    uint32_t passed = 0;
    size_t at;

    if (starts->count == 0 || place.line >= starts->count) return text.size;
    at = line_start(starts, place.line);
    while (passed < place.character && at < text.size && !ends_line(text.data[at])) {
        uint32_t units;
        size_t bytes = next_units(str_skip(text, at), encoding, &units);
        if (units > place.character - passed) break;
        passed += units;
        at += bytes;
    }
    return at;
}

/* ---- as hone counts ---- */

bool offset_of_line(struct str text, uint32_t line, uint32_t column, size_t *out)
{
    const char *at, *end, *stop;
    size_t length;

    if (line == 0 || !text.data) return false;
    at = text.data;
    end = at + text.size;
    for (uint32_t i = 1; i < line; i++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        if (!feed || feed + 1 == end) return false;
        at = feed + 1;
    }
    stop = memchr(at, '\n', (size_t)(end - at));
    length = (size_t)((stop ? stop : end) - at);
    if (column == 0) column = 1;
    *out = (size_t)(at - text.data) + (column - 1 < length ? column - 1 : length);
    return true;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

struct str content_around(struct str text, size_t offset)
{
    size_t from = offset < text.size ? offset : text.size, to = from;

    while (from > 0 && !ends_line(text.data[from - 1])) from--;
    while (to < text.size && !ends_line(text.data[to])) to++;
    if (from == 0 && str_starts(text, STR("\xef\xbb\xbf"))) from = 3; /* a mark of UTF-8 */
    while (from < to && is_blank(text.data[from])) from++;
    while (to > from && is_blank(text.data[to - 1])) to--;
    return (struct str){ text.data + from, to - from };
}
