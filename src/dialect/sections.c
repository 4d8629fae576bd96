/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.c - a Markdown text cut at its `## ` headings, and texts made fit to stand between them.
 *
 * Which lines are headings is prose.c's word. Two walks at the most, both linear.
 *
 * 1. Preamble and sections are views of the text, without gap or overlap.
 * 2. A text that markdown_normal() made, put into a section, leaves nothing open and has no
 *    heading that would begin a section.
 *
 * Not here: what a section means (dialect/session/file.c). */
#include "dialect/sections.h"

#include "dialect/answer.h"
#include "dialect/prose.h"

#include <assert.h>
#include <string.h>

enum { SECTION_LEVEL = 2, LEVEL_MAX = 6 };

/* ---- reading ---- */

/* All that was passed over since the last heading belongs to it. */
static void close_section(struct sections *out, const char *begin, const char *end)
{
    struct section *last = out->count ? &out->items[out->count - 1] : NULL;

    if (!last) {
        out->preamble = (struct str){ begin, (size_t)(end - begin) };
        return;
    }
    last->body_bytes = (uint32_t)((size_t)(end - last->text.data) - last->text.size);
    last->text.size = (size_t)(end - last->text.data);
}

struct reader {
    struct str text;
    struct arena *arena;
    struct sections *out;
};

/* line: without indentation; from, to: the whole of it, with its line end. */
static void take_line(struct reader *reader, struct str line, const char *from, const char *to,
                      uint32_t number)
{
    struct sections *out = reader->out;
    struct str title;

    if (prose_heading(line, &title) != SECTION_LEVEL) return;
    close_section(out, reader->text.data, from);
    out->items = arena_grow(reader->arena, out->items, out->count, &out->cap, sizeof *out->items);
    out->items[out->count++] = (struct section){
        .title = prose_title(title),
        .text = { from, (size_t)(to - from) },
        .line = number,
    };
}

/* Behind a fence that nothing closes a line counts as it stands. */
static void read_plainly(struct reader *reader, uint32_t after)
{
    struct str rest = reader->text, line;
    uint32_t number = 0;

    for (;;) {
        const char *from = rest.data;

        if (!str_cut(&rest, '\n', &line)) break;
        if (++number <= after) continue;
        take_line(reader, line, from, rest.data, number);
    }
}

void sections_read(struct str text, struct arena *arena, struct sections *out)
{
    struct reader reader = { .text = text, .arena = arena, .out = out };
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    struct str line;

    assert(text.size <= UINT32_MAX);
    *out = (struct sections){ .preamble = text };
    for (;;) {
        const char *from = prose.rest.data;

        if (!prose_next(&prose, &line, &kind)) break;
        /* A byte order mark stays in front: in the middle of a file it would hide a heading. */
        if (from == text.data && str_starts(text, STR("\xef\xbb\xbf"))) from += 3;
        if (kind == PROSE_OWN) take_line(&reader, line, from, prose.rest.data, prose.line);
    }
    if (prose_is_open(&prose)) {
        out->open_line = prose.open_line;
        read_plainly(&reader, prose.open_line);
    }
    if (out->count) close_section(out, text.data, text.data + text.size);
}

/* ---- texts ---- */

struct str markdown_trim(struct str text)
{
    struct str rest = text, line;

    while (str_cut(&rest, '\n', &line) && str_trim(line).size == 0) text = rest;
    return text_bare(text, "", " \t\r\n");
}

uint32_t markdown_level(struct str text)
{
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    uint32_t least = 0;
    struct str line, title;

    while (prose_next(&prose, &line, &kind)) {
        uint32_t level = kind == PROSE_OWN ? prose_heading(line, &title) : 0;

        if (level && (!least || level < least)) least = level;
    }
    return least;
}

void markdown_shift(struct str text, int by, struct buf *out)
{
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    struct str line, title;

    for (;;) {
        const char *from = prose.rest.data;
        const char *heading;
        uint32_t level;

        if (!prose_next(&prose, &line, &kind)) return;
        level = kind == PROSE_OWN ? prose_heading(line, &title) : 0;
        heading = level ? line.data : from;
        buf_add(out, (struct str){ from, (size_t)(heading - from) });
        for (int i = 0; i < by && level && level < LEVEL_MAX; i++, level++) buf_byte(out, '#');
        for (int i = 0; i > by && level > 1; i--, level--) heading++;
        buf_add(out, (struct str){ heading, (size_t)(prose.rest.data - heading) });
    }
}

/* What stands for the character at the front of rest; NULL: it stands for itself. */
static const char *plain_of(struct str rest, size_t *bytes)
{
    static const struct str line_end = STR("\r\n"), mark = STR("\xef\xbb\xbf");
    unsigned char byte = (unsigned char)rest.data[0];

    *bytes = 1;
    if (byte == '\n' || byte == '\t') return NULL;
    if (byte == '\r') return str_starts(rest, line_end) ? "" : "\n";
    if (byte < ' ' || byte == 0x7f) return "\xef\xbf\xbd";
    if (!str_starts(rest, mark)) return NULL;
    *bytes = mark.size;
    return "";
}

/* Valid UTF-8, one kind of line end, no other control characters, no byte order mark. */
static void add_plain(struct str text, struct buf *out)
{
    struct arena arena = { 0 };
    struct str rest = answer_mended(text, &arena);
    size_t from = 0;

    for (size_t i = 0; i < rest.size;) {
        size_t bytes;
        const char *plain = plain_of(str_skip(rest, i), &bytes);

        if (plain) {
            buf_add(out, (struct str){ rest.data + from, i - from });
            buf_text(out, plain);
            from = i + bytes;
        }
        i += bytes;
    }
    buf_add(out, str_skip(rest, from));
    arena_release(&arena);
}

void markdown_close(struct str text, struct buf *out)
{
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    struct str line;

    while (prose_next(&prose, &line, &kind)) {}
    if (!prose_is_open(&prose)) return;
    if (!str_ends(text, STR("\n"))) buf_byte(out, '\n');
    for (size_t i = 0; prose.fence && i < prose.fence_size; i++) buf_byte(out, prose.fence);
    if (prose.until) buf_text(out, prose.until);
}

void markdown_normal(struct str text, uint32_t level, struct buf *out)
{
    struct buf plain, shifted;
    uint32_t least;
    size_t before = out->size;

    buf_init(&plain, SIZE_MAX / 2);
    buf_init(&shifted, SIZE_MAX / 2);
    add_plain(text, &plain);
    least = markdown_level(buf_str(&plain));
    markdown_shift(buf_str(&plain), least && least < level ? (int)(level - least) : 0, &shifted);
    buf_add(out, markdown_trim(buf_str(&shifted)));
    markdown_close(str_skip(buf_str(out), before), out);
    buf_release(&shifted);
    buf_release(&plain);
}
