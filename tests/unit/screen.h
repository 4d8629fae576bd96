/* SPDX-License-Identifier: Apache-2.0
 *
 * screen.h - a small terminal to draw on: what a view's bytes make of it, also when its size
 * changes meanwhile. It knows what the view may use, and fails the test for anything else. */
#ifndef HONE_TESTS_SCREEN_H
#define HONE_TESTS_SCREEN_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCREEN_COLUMNS_MAX = 200, SCREEN_LINES_MAX = 2000 };

struct screen_line {
    uint32_t cells[SCREEN_COLUMNS_MAX]; /* 0: empty; UINT32_MAX: the right half of a wide one */
    bool folded;                        /* it goes on in the next line */
};

/* All lines there ever were; the last `rows` of them are the screen. */
struct screen {
    struct screen_line lines[SCREEN_LINES_MAX];
    uint32_t columns, rows;
    uint32_t top, used;    /* the first line of the screen; lines that exist */
    uint32_t line, column; /* the cursor; column == columns: the next character folds */
    bool folds;            /* folds lines anew when its width changes, as tmux and VTE do */
};

void screen_init(struct screen *screen, uint32_t columns, uint32_t rows, bool folds);
void screen_put(struct screen *screen, struct str bytes);
void screen_resize(struct screen *screen, uint32_t columns, uint32_t rows);
/* Every line there is, history included, without blanks at its end; none behind the cursor's. */
void screen_text(const struct screen *screen, struct buf *out);

#endif
