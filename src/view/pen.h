/* SPDX-License-Identifier: Apache-2.0
 *
 * pen.h - lines for a screen, written by a pen that knows how many columns are left.
 *
 * Pure. Texts of agents and files are made harmless on the way: the only escape sequences in a line
 * are the pen's own styles, and there are none without color. */
#ifndef HONE_VIEW_PEN_H
#define HONE_VIEW_PEN_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_FOUND, STYLE_BAD, STYLE_NAME,
             STYLE_COUNT };

/* What switches a style on; "" for STYLE_PLAIN. STYLE_OFF ends every style. */
extern const char *const style_codes[STYLE_COUNT];
#define STYLE_OFF "\x1b[0m"

enum { PEN_PIECE_BYTES = 96, PEN_ELAPSED_BYTES = 32 };

struct view_screen {
    uint32_t columns, rows;
    bool color;
    bool utf8; /* it can show more than ASCII */
};

struct view_line {
    size_t at, size;
    uint32_t columns;
};

/* {0} is empty. */
struct view_lines {
    struct buf text; /* all lines, one behind the other */
    struct view_line *item;
    uint32_t count, cap;
};

void view_lines_clear(struct view_lines *lines); /* before the first line */
void view_lines_release(struct view_lines *lines);

struct pen {
    const struct view_screen *screen;
    struct view_lines *lines;
    uint32_t width; /* columns of a line */
    uint32_t left;  /* of this one */
};

void pen_open(struct pen *pen);
void pen_close(struct pen *pen);

/* As much of the text as there is room for; a cut is marked. */
void pen_put(struct pen *pen, enum style style, const char *text);
void pen_blank(struct pen *pen, uint32_t columns);
/* A text in a column of a table, and the gap behind it. */
void pen_cell(struct pen *pen, enum style style, const char *text, uint32_t columns, uint32_t gap);

/* Some pieces with separators between, the first one in that style; empty ones are left out. Those
 * in `spare` (UINT32_MAX ends) go, in that order, when there is no room. */
void pen_pieces(struct pen *pen, enum style style, char pieces[][PEN_PIECE_BYTES], uint32_t count,
                const uint32_t *spare);

/* How many columns a text takes on this screen. */
uint32_t shown_columns(const struct view_screen *screen, const char *text);

/* "0:07", "12:05", "1:02:03"; returns out. */
const char *elapsed_text(uint64_t ms, char out[PEN_ELAPSED_BYTES]);
uint64_t since_ms(uint64_t then_ms, uint64_t now_ms); /* 0 where then is yet to come */

uint32_t smaller(uint32_t a, uint32_t b);
uint32_t larger(uint32_t a, uint32_t b);

#endif
