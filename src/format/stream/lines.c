/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c - lines out of a stream that arrives in pieces.
 *
 * A line that lies whole in one chunk is a view of the chunk: nothing is copied. Only a line that
 * was cut by the end of a chunk is put together in `part`.
 *
 * 1. part holds the beginning of one line, without a line end, of at most its limit.
 * 2. While skipping, part is empty: the line is known to be too long and was counted.
 * 3. The lines and the count depend on the bytes alone, not on where the chunks were cut. So the
 *    bound is on the bytes before "\n", a "\r" among them included. */
#include "format/stream/lines.h"

#include <assert.h>
#include <string.h>

void lines_init(struct lines *lines, size_t line_bytes_max)
{
    *lines = (struct lines){ 0 };
    buf_init(&lines->part, line_bytes_max);
}

void lines_release(struct lines *lines)
{
    buf_release(&lines->part);
}

static struct str without_return(struct str line)
{
    if (line.size && line.data[line.size - 1] == '\r') line.size--;
    return line;
}

/* Remembers more of an unfinished line; past the bound, that it is to be skipped. */
static void keep_piece(struct lines *lines, struct str piece)
{
    if (lines->skipping || piece.size == 0) return;
    if (buf_add(&lines->part, piece) == 0) return;
    lines->skipping = true;
    lines->skipped++;
    buf_clear(&lines->part);
}

/* Ends the unfinished line: false when it was too long. The bytes stay where they are until
 * something new is added, so the view is good until the next call. */
static bool line_take(struct lines *lines, struct str *line)
{
    bool whole = !lines->skipping;

    *line = without_return(buf_str(&lines->part));
    lines->part.size = 0;
    lines->skipping = false;
    return whole;
}

bool lines_next(struct lines *lines, struct str *chunk, struct str *line)
{
    assert(!lines->skipping || lines->part.size == 0); /* 2 */
    while (chunk->size) {
        const char *end = memchr(chunk->data, '\n', chunk->size);
        struct str piece = { chunk->data, end ? (size_t)(end - chunk->data) : chunk->size };
        bool fresh = lines->part.size == 0 && !lines->skipping;

        *chunk = str_skip(*chunk, piece.size + (end ? 1 : 0));
        if (end && fresh && piece.size <= lines->part.limit) {
            *line = without_return(piece);
            return true;
        }
        keep_piece(lines, piece);
        if (end && line_take(lines, line)) return true;
    }
    return false;
}

bool lines_last(struct lines *lines, struct str *line)
{
    bool any = lines->part.size > 0;

    return line_take(lines, line) && any;
}
