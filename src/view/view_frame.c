/* SPDX-License-Identifier: Apache-2.0
 *
 * view_frame.c - the block put in the place of the one before, and how often.
 *
 *     ... lines that stay, and scroll away
 *     a line of the block
 *     a line of the block
 *     _  the cursor, at the left of an empty line
 *
 * 1. Nothing is asked of the terminal but: cursor up and down, erase a line, colours. No mode is
 *    changed by what is drawn, so nothing of it must be undone when hone is killed.
 * 2. Rows are erased one by one. Erasing to the end of the screen from its first cell would make
 *    some terminals keep the block in their history.
 * 3. On a screen that became narrower, lines may have been folded (tmux, VTE) or cut off (xterm).
 *    Folded is assumed: a part of an old block that stays on the screen is worse than a lost line
 *    above it.
 * 4. A screen that became lower pushes the block's first rows above its top, where no program
 *    reaches them. They come back when it grows, right above the block, and go then.
 * 5. Two redraws are VIEW_REDRAW_MS apart. After a resize nothing is written until the screen has
 *    had the same size for a while: while the user drags the window, the terminal's size may be
 *    newer than the one that hone knows, and hone would erase the wrong rows. */
#include "view/view_render.h"

#include <assert.h>
#include <inttypes.h>

enum { SETTLE_MS = 300 };

/* ---- bytes ---- */

static void cursor_up(struct buf *out, uint32_t rows)
{
    if (rows) buf_printf(out, "\x1b[%" PRIu32 "A", rows);
}

/* Erases rows downwards and comes back; the screen is not scrolled. */
static void erase_rows(struct buf *out, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) buf_text(out, "\x1b[2K\x1b[B");
    cursor_up(out, rows);
}

/* How many rows above the cursor the block may take now; and with it what a screen that grew has
 * brought back of those that were pushed out. */
static uint32_t frame_rows(struct view_frame *frame, const struct view_screen *screen)
{
    uint32_t grown = screen->rows > frame->screen_rows ? screen->rows - frame->screen_rows : 0;
    uint32_t rows = 0;

    assert(screen->columns > 0 && screen->rows > 0);
    for (uint32_t i = 0; i < frame->count; i++) {
        uint32_t columns = frame->columns[i] ? frame->columns[i] : 1;
        rows += (columns - 1) / screen->columns + 1;
    }
    if (frame->count == 0) frame->lost = 0;
    if (rows >= screen->rows) {
        frame->lost += rows - (screen->rows - 1);
        return screen->rows - 1;
    }
    if (grown > frame->lost) grown = frame->lost;
    if (grown > screen->rows - 1 - rows) grown = screen->rows - 1 - rows;
    frame->lost -= grown;
    return rows + grown;
}

/* To the first row of the block; what was typed at the cursor goes. */
static uint32_t go_back(struct view_frame *frame, const struct view_screen *screen,
                        struct buf *out)
{
    uint32_t rows = frame_rows(frame, screen);

    buf_text(out, "\r\x1b[K");
    cursor_up(out, rows);
    return rows;
}

void frame_erase(struct view_frame *frame, const struct view_screen *screen, struct buf *out)
{
    if (frame->count == 0) return;
    erase_rows(out, go_back(frame, screen, out));
    frame->count = 0;
}

void frame_draw(struct view_frame *frame, const struct view_screen *screen, struct str above,
                const struct view_lines *lines, struct buf *out)
{
    uint32_t old = go_back(frame, screen, out);

    assert(lines->count <= VIEW_LINES_MAX);
    if (above.size) frame->lost = 0; /* other lines stand between them and the block now */
    if (above.size || old != frame->count) {
        erase_rows(out, old); /* what is written may take other rows than what stood there */
        old = 0;
    }
    buf_add(out, above);
    for (uint32_t i = 0; i < lines->count; i++) {
        buf_add(out, (struct str){ lines->text.data + lines->item[i].at, lines->item[i].size });
        buf_text(out, "\x1b[K\r\n");
        frame->columns[i] = lines->item[i].columns;
    }
    if (old > lines->count) erase_rows(out, old - lines->count);
    frame->count = lines->count;
    frame->screen_rows = screen->rows;
}

/* ---- pace ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t due_at(const struct view_pace *pace)
{
    uint64_t earliest = later(pace->free_ms, pace->settled_ms);

    return pace->dirty ? earliest : later(pace->tick_ms, earliest);
}

bool pace_is_due(const struct view_pace *pace, uint64_t now_ms)
{
    return now_ms >= due_at(pace);
}

uint64_t pace_due_in(const struct view_pace *pace, uint64_t now_ms)
{
    uint64_t at = due_at(pace);

    return at > now_ms ? at - now_ms : 0;
}

void pace_resized(struct view_pace *pace, uint64_t now_ms)
{
    pace->dirty = true;
    pace->settled_ms = now_ms + SETTLE_MS;
}

void pace_drawn(struct view_pace *pace, uint64_t now_ms, uint64_t left_ms)
{
    pace->dirty = false;
    pace->free_ms = now_ms + VIEW_REDRAW_MS;
    pace->tick_ms = now_ms + left_ms;
}
