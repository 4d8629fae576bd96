/* SPDX-License-Identifier: Apache-2.0
 *
 * pen.c - lines for a screen, column by column.
 *
 * 1. No line takes more columns than the pen's width, as width.h counts them.
 * 2. Every text is written through safe_text(), and on a screen that shows ASCII alone through
 *    ascii_text(): all escape sequences are styles, and there are none without color. */
#include "view/pen.h"

#include "base/mem.h"
#include "format/text/safe.h"
#include "format/text/width.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TEXT_BYTES_MAX = 1 << 20,
    SHOWN_BYTES_MAX = 1024, /* of one foreign text; more would not fit any screen */
};

const char *const style_codes[STYLE_COUNT] = {
    [STYLE_PLAIN] = "",
    [STYLE_BOLD] = "\x1b[1m",
    [STYLE_DIM] = "\x1b[2m",
    [STYLE_GOOD] = "\x1b[32m",
    [STYLE_FOUND] = "\x1b[33m",
    [STYLE_BAD] = "\x1b[31m",
    [STYLE_NAME] = "\x1b[36m",
};

void view_lines_clear(struct view_lines *lines)
{
    lines->text.limit = TEXT_BYTES_MAX;
    buf_clear(&lines->text);
    lines->count = 0;
}

void view_lines_release(struct view_lines *lines)
{
    buf_release(&lines->text);
    free(lines->item);
    *lines = (struct view_lines){ .count = 0 };
}

/* ---- the pen ---- */

uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void pen_open(struct pen *pen)
{
    struct view_lines *lines = pen->lines;

    lines->item = mem_grow(lines->item, lines->count, &lines->cap, sizeof *lines->item);
    lines->item[lines->count] = (struct view_line){ .at = lines->text.size };
    pen->left = pen->width;
}

void pen_close(struct pen *pen)
{
    struct view_lines *lines = pen->lines;

    lines->item[lines->count].size = lines->text.size - lines->item[lines->count].at;
    lines->item[lines->count].columns = pen->width - pen->left;
    lines->count++;
}

/* The text as this screen can show it. */
static void put_shown(struct buf *out, const struct view_screen *screen, struct str text)
{
    struct buf safe;

    if (screen->utf8) {
        safe_text(out, text, true, SHOWN_BYTES_MAX);
        return;
    }
    buf_init(&safe, TEXT_BYTES_MAX);
    safe_text(&safe, text, true, SHOWN_BYTES_MAX);
    ascii_text(out, buf_str(&safe));
    buf_release(&safe);
}

/* At most so many columns of the text; a cut is marked. Returns how many it took. */
static uint32_t pen_fit(struct pen *pen, enum style style, const char *text, uint32_t columns)
{
    struct buf *out = &pen->lines->text;
    const char *mark = pen->screen->utf8 ? "\xe2\x80\xa6" : "...";
    uint32_t mark_columns = pen->screen->utf8 ? 1 : 3, used;
    bool colored = pen->screen->color && style != STYLE_PLAIN;
    struct buf shown;
    struct str part;

    if (columns > pen->left) columns = pen->left;
    buf_init(&shown, TEXT_BYTES_MAX);
    put_shown(&shown, pen->screen, str_of(text));
    part = width_cut(buf_str(&shown), columns);
    if (part.size == shown.size) {
        mark = "";
        mark_columns = 0;
    } else if (columns > mark_columns) {
        part = width_cut(part, columns - mark_columns);
    } else {
        mark = "";
        mark_columns = 0;
    }
    if (colored) buf_text(out, style_codes[style]);
    buf_add(out, part);
    buf_text(out, mark);
    if (colored) buf_text(out, STYLE_OFF);
    used = width_of(part) + mark_columns;
    assert(used <= pen->left);
    pen->left -= used;
    buf_release(&shown);
    return used;
}

void pen_put(struct pen *pen, enum style style, const char *text)
{
    (void)pen_fit(pen, style, text, pen->left);
}

void pen_blank(struct pen *pen, uint32_t columns)
{
    for (; columns > 0 && pen->left > 0; columns--, pen->left--) buf_byte(&pen->lines->text, ' ');
}

void pen_cell(struct pen *pen, enum style style, const char *text, uint32_t columns,
                     uint32_t gap)
{
    uint32_t used = pen_fit(pen, style, text, columns);

    pen_blank(pen, columns - used + gap);
}

uint32_t shown_columns(const struct view_screen *screen, const char *text)
{
    struct buf shown;
    uint32_t columns;

    buf_init(&shown, TEXT_BYTES_MAX);
    put_shown(&shown, screen, str_of(text));
    columns = width_of(buf_str(&shown));
    buf_release(&shown);
    return columns;
}

const char *elapsed_text(uint64_t ms, char out[PEN_ELAPSED_BYTES])
{
    uint64_t s = ms / 1000;

    if (s < 3600) {
        snprintf(out, PEN_ELAPSED_BYTES, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
    } else {
        snprintf(out, PEN_ELAPSED_BYTES, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                 s / 60 % 60, s % 60);
    }
    return out;
}

uint64_t since_ms(uint64_t then_ms, uint64_t now_ms)
{
    return now_ms > then_ms ? now_ms - then_ms : 0;
}

static const char *separator(const struct view_screen *screen)
{
    return screen->utf8 ? " \xc2\xb7 " : " - ";
}

void pen_pieces(struct pen *pen, enum style style, char pieces[][PEN_PIECE_BYTES],
                       uint32_t count, const uint32_t *spare)
{
    const char *between = separator(pen->screen);
    bool first = true;

    for (;; spare++) {
        uint32_t columns = 0, shown = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!pieces[i][0]) continue;
            columns += shown_columns(pen->screen, pieces[i]);
            shown++;
        }
        if (shown == 0 || columns + 3 * (shown - 1) <= pen->left) break;
        if (*spare == UINT32_MAX) break;
        pieces[*spare][0] = '\0';
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!pieces[i][0]) continue;
        if (!first) pen_put(pen, STYLE_DIM, between);
        pen_put(pen, first ? style : STYLE_PLAIN, pieces[i]);
        first = false;
    }
}
