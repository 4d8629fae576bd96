/* SPDX-License-Identifier: Apache-2.0
 *
 * locate_span.c - a tool's lines and columns as bytes of a text.
 *
 * 1. A span lies within its text, and its beginning is not behind its end.
 * 2. Lines end with "\n"; a "\r" before it belongs to the line for those who count columns, and
 *    to the line end for a place that means the whole line.
 * 3. The first column of the line behind the last one is the end of the text, also where no line
 *    end is there. */
#include "analyze/locate.h"

#include "format/text/utf8.h"

#include <assert.h>

void text_lines_init(struct text_lines *lines, struct str text, struct arena *arena)
{
    uint32_t count = 1;

    assert(text.size <= UINT32_MAX);
    for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
    *lines = (struct text_lines){ .text = text, .count = count };
    lines->starts = arena_alloc(arena, count * sizeof *lines->starts);
    count = 1;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\n') lines->starts[count++] = (uint32_t)i + 1;
    }
}

/* Up to its "\n" or the end of the text. */
static struct str line_with_return(const struct text_lines *lines, uint32_t line)
{
    size_t start = lines->starts[line - 1];
    size_t end = line < lines->count ? lines->starts[line] - 1 : lines->text.size;

    return (struct str){ lines->text.data + start, end - start };
}

struct str text_line(const struct text_lines *lines, uint32_t line)
{
    struct str text;

    assert(line > 0 && line <= lines->count);
    text = line_with_return(lines, line);
    if (str_ends(text, STR("\r"))) text.size--;
    return text;
}

/* How many units the first character has, and how many bytes. */
static uint32_t next_units(struct str text, enum column_unit unit, size_t *bytes)
{
    uint32_t code;

    if (unit == COLUMN_BYTES) {
        *bytes = 1;
        return 1;
    }
    *bytes = utf8_next(text, &code);
    if (*bytes == 0) {
        *bytes = 1;
        return 1;
    }
    return unit == COLUMN_UTF16 && code >= 0x10000 ? 2 : 1;
}

static bool column_find(struct str line, uint32_t column, enum column_unit unit, size_t *out)
{
    uint32_t left = column - 1;
    size_t at = 0;

    if (unit == COLUMN_BYTES) {
        *out = left;
        return left <= line.size;
    }
    while (left > 0 && at < line.size) {
        size_t bytes;
        uint32_t units = next_units(str_skip(line, at), unit, &bytes);

        if (units > left) return false;
        left -= units;
        at += bytes;
    }
    *out = at;
    return left == 0;
}

static bool is_behind_last(const struct text_lines *lines, uint32_t line, uint32_t column)
{
    return line == lines->count + 1 && column == 1 && lines->text.size > 0 &&
           !str_ends(lines->text, STR("\n"));
}

static bool offset_find(const struct text_lines *lines, uint32_t line, uint32_t column,
                        enum column_unit unit, size_t *out)
{
    size_t at;

    if (is_behind_last(lines, line, column)) {
        *out = lines->text.size;
        return true;
    }
    if (line > lines->count) return false;
    if (!column_find(line_with_return(lines, line), column, unit, &at)) return false;
    *out = lines->starts[line - 1] + at;
    return true;
}

static bool line_end_find(const struct text_lines *lines, uint32_t line, size_t *out)
{
    if (line > lines->count) return false;
    *out = lines->starts[line - 1] + text_line(lines, line).size;
    return true;
}

static bool bounds_find(const struct text_lines *lines, const struct place *place, size_t *start,
                        size_t *end)
{
    uint32_t end_line = place->end_line ? place->end_line : place->line;

    if (place->by_offset) {
        *start = (size_t)place->offset;
        *end = (size_t)place->end_offset;
        return place->offset <= lines->text.size && place->end_offset <= lines->text.size;
    }
    if (place->line == 0) return false;
    if (!offset_find(lines, place->line, place->column ? place->column : 1, place->unit, start)) {
        return false;
    }
    if (place->column && !place->end_line && !place->end_column) {
        *end = *start;
        return true;
    }
    if (place->end_column == 0) return line_end_find(lines, end_line, end);
    return offset_find(lines, end_line, place->end_column, place->unit, end);
}

/* The line that an offset is in. */
static uint32_t line_of(const struct text_lines *lines, size_t offset)
{
    uint32_t low = 0, high = lines->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (lines->starts[middle] <= offset) low = middle;
        else high = middle;
    }
    return low + 1;
}

bool span_find(const struct text_lines *lines, const struct place *place, struct span *out)
{
    size_t start, end;

    if (!bounds_find(lines, place, &start, &end) || end < start) return false;
    *out = (struct span){ .start = start, .end = end };
    out->line = line_of(lines, start);
    out->column = (uint32_t)(start - lines->starts[out->line - 1]) + 1;
    out->end_line = line_of(lines, end);
    out->end_column = (uint32_t)(end - lines->starts[out->end_line - 1]) + 1;
    assert(out->end <= lines->text.size);
    return true;
}
