/* SPDX-License-Identifier: Apache-2.0
 *
 * safe.c - text from outside made harmless for a terminal.
 *
 * The text is walked in pieces: a run of plain ASCII, one other character, or one byte that is no
 * character. Each is copied or shown by its number; "\r\n" is a line end like "\n". What comes out
 * is valid UTF-8 and passes through unchanged when it is made safe once more.
 *
 * Where there is a bound, `fit` is the last end of a piece behind which "..." still has room; when
 * the bound is passed, the output is cut back to it. */
#include "format/text/safe.h"

#include "format/text/utf8.h"

/* Characters that show nothing or change how others are shown, in order. Presentation selectors
 * (U+FE0E, U+FE0F) are let through: they stand behind half of all signs that agents like. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    { 0x80, 0x9f },       /* C1 */
    { 0xad, 0xad },       /* soft hyphen */
    { 0x34f, 0x34f },     /* combining grapheme joiner */
    { 0x61c, 0x61c },     /* Arabic letter mark */
    { 0x115f, 0x1160 },   /* Hangul fillers */
    { 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
    { 0x180b, 0x180f },   /* Mongolian selectors, vowel separator */
    { 0x200b, 0x200f },   /* zero-width space and joiners, direction marks */
    { 0x2028, 0x202e },   /* line and paragraph separators, embeddings, overrides */
    { 0x2060, 0x206f },   /* word joiner, invisible operators, isolates */
    { 0x3164, 0x3164 },   /* Hangul filler */
    { 0xfe00, 0xfe0d },   /* variation selectors */
    { 0xfeff, 0xfeff },   /* byte order mark */
    { 0xffa0, 0xffa0 },   /* halfwidth Hangul filler */
    { 0xfff0, 0xfffb },   /* unassigned, annotations */
    { 0x1bca0, 0x1bca3 }, /* shorthand format controls */
    { 0x1d173, 0x1d17a }, /* musical format controls */
    { 0xe0000, 0xe0fff }, /* tags, more variation selectors */
};

static bool is_hidden(uint32_t code)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && code >= hidden[i].first; i++) {
        if (code <= hidden[i].last) return true;
    }
    return false;
}

/* The bytes at the front of text that can be shown as they are: a run of printable ASCII, or one
 * character beyond it. */
static struct str plain_prefix(struct str text)
{
    uint32_t code;
    size_t size = 0;

    while (size < text.size && text.data[size] >= 0x20 && text.data[size] < 0x7f) size++;
    if (size == 0) {
        size = utf8_next(text, &code);
        if (size == 1 || (size > 1 && is_hidden(code))) size = 0;
    }
    return (struct str){ text.data, size };
}

/* Appends what stands for the front of text, which is not plain; returns how many bytes of text
 * that was. */
static size_t show_piece(struct buf *out, struct str text, bool one_line)
{
    uint32_t code = 0;
    size_t size = utf8_next(text, &code);

    if (size > 1) {
        buf_printf(out, "\\u{%x}", (unsigned)code);
        return size;
    }
    if (text.data[0] == '\t') {
        buf_byte(out, one_line ? ' ' : '\t');
        return 1;
    }
    if (text.data[0] == '\n' || str_starts(text, STR("\r\n"))) {
        buf_byte(out, one_line ? ' ' : '\n');
        return text.data[0] == '\n' ? 1 : 2;
    }
    buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.data[0]);
    return 1;
}

void safe_text(struct buf *out, struct str text, bool one_line, size_t bytes_max)
{
    static const struct str dots = STR("...");
    size_t start = out->size;
    size_t room = bytes_max > dots.size ? bytes_max - dots.size : 0;
    size_t fit = 0; /* behind start, like room and used */

    while (text.size) {
        size_t used = out->size - start;
        struct str piece = plain_prefix(text);
        size_t taken = piece.size;

        if (taken == 0) {
            taken = show_piece(out, text, one_line);
        } else {
            /* A run of single bytes may be cut anywhere; more than the bound is never needed. */
            if (bytes_max && piece.size > bytes_max) piece.size = bytes_max + 1;
            if (piece.data[0] >= 0x20 && used < room) {
                fit = used + piece.size < room ? used + piece.size : room;
            }
            buf_add(out, piece);
        }
        if (out->size == start + used) return; /* the buffer is full, and says so */
        text = str_skip(text, taken);
        used = out->size - start;
        if (used <= room) fit = used;
        if (bytes_max && used > bytes_max) {
            out->size = start + fit;
            buf_add(out, (struct str){ dots.data, bytes_max < dots.size ? bytes_max : dots.size });
            return;
        }
    }
}

const char *safe_copy(struct arena *arena, struct str text, size_t bytes_max)
{
    const char *copy;
    struct buf out;

    buf_init(&out, 2 * bytes_max + 16); /* a piece is added before it is cut */
    safe_text(&out, text, true, bytes_max);
    copy = arena_cstr(arena, buf_str(&out));
    buf_release(&out);
    return copy;
}
