/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.h - what is known and what was chosen as lines for a screen. Pure. */
#ifndef HONE_TOP_LAYOUT_H
#define HONE_TOP_LAYOUT_H

#include "base/arena.h"
#include "top/model.h"

/* Exactly screen->rows lines, none wider than the screen. Returns the one that is marked;
 * UINT32_MAX: none. Notes in the state which part of a list is shown. */
uint32_t top_draw(const struct top_model *model, struct top_state *state,
                  const struct view_screen *screen, uint64_t now_ms, struct view_lines *out);

/* ---- for its own files ---- */

/* A screen that is being drawn. */
struct sheet {
    const struct top_model *model;
    struct top_state *state;
    const struct view_screen *screen;
    struct pen *pen;
    struct arena *arena; /* until it is drawn */
    uint64_t now_ms;
    uint32_t rows;       /* of the page, without header and footer */
    uint32_t marked;     /* the line; UINT32_MAX: none yet */
};

/* The rows of a list that are shown: from list->first on, so many; the marked one is among them. */
uint32_t list_window(struct top_list *list, uint32_t count, uint32_t rows);

void sheet_blank(struct sheet *sheet);
void sheet_line(struct sheet *sheet, enum style style, const char *text);
/* "budget     the words" */
void sheet_label(struct sheet *sheet, const char *label, enum style style, const char *text);
/* "[####      ]" of so many columns. */
const char *sheet_bar(struct sheet *sheet, uint32_t thousandths, uint32_t columns);

void sheet_run(struct sheet *sheet);
void sheet_attempt(struct sheet *sheet);

#endif
