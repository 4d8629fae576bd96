/* SPDX-License-Identifier: Apache-2.0
 *
 * width.c - columns of a terminal, by the numbers of characters.
 *
 * Two tables of ranges, in order. Wide: Unicode's East Asian wide and fullwidth characters, ranges
 * joined where what lies between is unassigned or shown wide by many. Combining: the marks that
 * every terminal knows how to put on the character before; rarer ones count as one column, which
 * is never too little.
 *
 * A presentation selector (U+FE0F) makes a narrow sign a wide picture: it counts as the second
 * column of that. */
#include "format/text/width.h"

#include "format/text/utf8.h"

#include <string.h>

enum { ROOM_LEAST = 8, /* of a line that is broken */
       MESSAGE_COLUMNS_MAX = 240 };

struct range {
    uint32_t first, last;
};

static const struct range wide[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
    { 0x23f0, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },   { 0x2630, 0x2637 },
    { 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x268a, 0x268f },   { 0x2693, 0x2693 },
    { 0x26a1, 0x26a1 },   { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },
    { 0x26ce, 0x26ce },   { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f5 },
    { 0x26fa, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },   { 0x2728, 0x2728 },
    { 0x274c, 0x274e },   { 0x2753, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },
    { 0x27bf, 0x27bf },   { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b55 },   { 0x2e80, 0x3029 },
    { 0x302e, 0x303e },   { 0x3040, 0x3098 },   { 0x309b, 0xa4cf },   { 0xa960, 0xa97c },
    { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6f },
    { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x16fe0, 0x18dff }, { 0x1aff0, 0x1b2ff },
    { 0x1d300, 0x1d376 }, { 0x1f000, 0x1faff }, { 0x20000, 0x3fffd },
};

static const struct range combining[] = {
    { 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x05bf, 0x05bf },
    { 0x05c1, 0x05c2 }, { 0x05c4, 0x05c5 }, { 0x05c7, 0x05c7 }, { 0x0610, 0x061a },
    { 0x064b, 0x065f }, { 0x0670, 0x0670 }, { 0x06d6, 0x06dc }, { 0x06df, 0x06e4 },
    { 0x06e7, 0x06e8 }, { 0x06ea, 0x06ed }, { 0x0900, 0x0902 }, { 0x093a, 0x093a },
    { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x094d, 0x094d }, { 0x0951, 0x0957 },
    { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1abd },
    { 0x1dc0, 0x1df9 }, { 0x20d0, 0x20f0 }, { 0x302a, 0x302d }, { 0x3099, 0x309a },
    { 0xfe00, 0xfe0e }, { 0xfe20, 0xfe2f },
};

static bool is_among(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last) return true;
    }
    return false;
}

uint32_t width_char(uint32_t code)
{
    if (code < 0x300) return 1;
    if (is_among(combining, sizeof combining / sizeof *combining, code)) return 0;
    return is_among(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

/* The next character or stray byte: its bytes and its columns. */
static size_t next_character(struct str text, uint32_t *columns)
{
    uint32_t code;
    size_t size = utf8_next(text, &code);

    *columns = size ? width_char(code) : 1;
    return size ? size : 1;
}

struct str width_cut(struct str text, uint32_t columns)
{
    uint32_t used = 0, more;
    size_t at = 0;

    while (at < text.size) {
        size_t size = next_character(str_skip(text, at), &more);
        if (used + more > columns) break;
        used += more;
        at += size;
    }
    return (struct str){ text.data, at };
}

uint32_t width_of(struct str text)
{
    uint32_t used = 0, more;

    while (text.size) {
        text = str_skip(text, next_character(text, &more));
        used += more;
    }
    return used;
}

static void begin_line(struct buf *out, uint32_t indent)
{
    buf_printf(out, "\n%*s", (int)indent, "");
}

/* A word of more columns than a line has: it begins one, behind so many blanks, and goes on in
 * others. Returns the column behind it. */
static uint32_t break_word(struct buf *out, struct str word, uint32_t indent, uint32_t room,
                           uint32_t blanks)
{
    for (;; blanks = 0) {
        struct str part = width_cut(word, blanks < room ? room - blanks : 1);

        if (part.size == 0 || part.size == word.size) break;
        buf_add(out, part);
        word = str_skip(word, part.size);
        begin_line(out, indent);
    }
    buf_add(out, word);
    return indent + width_of(word);
}

void wrap_text(struct buf *out, struct str text, const struct wrap *wrap)
{
    uint32_t at = wrap->at, indent = wrap->indent;
    uint32_t end = wrap->columns_max ? wrap->columns_max : UINT32_MAX;
    uint32_t room = end > indent + ROOM_LEAST ? end - indent : ROOM_LEAST;
    bool first = true;
    struct str word;

    while (str_cut(&text, ' ', &word)) {
        uint32_t columns = width_of(word);

        if (at > indent && at + !first + columns > end) {
            begin_line(out, indent);
            at = indent;
            first = true;
        }
        if (!first) buf_byte(out, ' ');
        if (columns > room && !wrap->whole_words) {
            at = break_word(out, word, indent, room, at > indent ? 0 : !first);
        } else {
            buf_add(out, word);
            at += columns + !first;
        }
        first = false;
    }
}

void ascii_text(struct buf *out, struct str text)
{
    while (text.size) {
        uint32_t code;
        size_t size = utf8_next(text, &code);

        if (size == 1) {
            buf_byte(out, text.data[0]);
        } else if (size > 1) {
            buf_printf(out, "\\u{%x}", (unsigned)code);
        } else {
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.data[0]);
        }
        text = str_skip(text, size ? size : 1);
    }
}

void message_lines(struct buf *out, struct str text, const char *indent)
{
    bool fits = width_of(text) <= MESSAGE_COLUMNS_MAX;

    while (text.size) {
        const char *end = fits ? NULL : memmem(text.data, text.size, "; ", 2);
        size_t size = end ? (size_t)(end - text.data) + 1 : text.size;

        buf_add(out, (struct str){ text.data, size });
        if (end) buf_printf(out, "\n%s", indent);
        text = str_skip(text, size + (end != NULL));
    }
}
