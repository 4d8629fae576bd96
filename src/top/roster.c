/* SPDX-License-Identifier: Apache-2.0
 *
 * roster.c - which columns of a table fit, and its lines.
 *
 * First the gaps shrink, then columns go, the least wanted first. The last column takes what is
 * left, and is cut at the edge. */
#include "top/roster.h"

#include <assert.h>

enum { GAP = 2, INDENT = 1 };

/* Columns that are taken without the last; and the least that the last wants. */
static uint32_t taken(const struct roster *roster)
{
    uint32_t last = roster->column_count - 1, sum = roster->indented ? INDENT : 0;

    for (uint32_t i = 0; i < roster->column_count; i++) {
        uint32_t width = roster->width[i];
        if (width == 0) continue;
        if (i == last && width > roster->columns[i].least) width = roster->columns[i].least;
        sum += width + (i == last ? 0 : roster->gap);
    }
    return sum;
}

/* The column that goes next; false: all that are left stay. */
static bool spare_one(struct roster *roster)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < roster->column_count; i++) {
        uint32_t spare = roster->columns[i].spare;
        if (roster->width[i] == 0 || spare == 0) continue;
        if (best == UINT32_MAX || spare < roster->columns[best].spare) best = i;
    }
    if (best == UINT32_MAX) return false;
    roster->width[best] = 0;
    return true;
}

void roster_fit(struct roster *roster, const struct view_screen *screen)
{
    assert(roster->column_count <= ROSTER_COLUMNS_MAX);
    for (uint32_t i = 0; i < roster->column_count; i++) {
        const struct roster_column *column = &roster->columns[i];
        uint32_t width = 0;

        for (uint32_t k = 0; k < roster->row_count; k++) {
            width = larger(width, shown_columns(screen, roster->rows[k][i].text));
        }
        if (width > 0) width = larger(width, shown_columns(screen, column->title));
        roster->width[i] = column->most ? smaller(width, column->most) : width;
    }
    roster->gap = GAP;
    if (taken(roster) > screen->columns) roster->gap = 1;
    while (taken(roster) > screen->columns && spare_one(roster)) {}
    roster->gap = GAP;
    if (taken(roster) > screen->columns) roster->gap = 1;
}

static void put_cell(const struct roster *roster, uint32_t column, struct roster_cell cell,
                     struct pen *pen)
{
    bool last = column + 1 == roster->column_count;
    uint32_t width = last ? pen->left : roster->width[column], shown;

    if (roster->width[column] == 0) return;
    if (roster->columns[column].right && !last) {
        shown = smaller(shown_columns(pen->screen, cell.text), width);
        pen_blank(pen, width - shown);
        width = shown;
    }
    if (last) pen_put(pen, cell.style, cell.text);
    else pen_cell(pen, cell.style, cell.text, width, roster->gap);
}

void roster_titles(const struct roster *roster, struct pen *pen)
{
    pen_open(pen);
    if (roster->indented) pen_blank(pen, INDENT);
    for (uint32_t i = 0; i < roster->column_count; i++) {
        put_cell(roster, i, (struct roster_cell){ roster->columns[i].title, STYLE_DIM }, pen);
    }
    pen_close(pen);
}

void roster_row(const struct roster *roster, uint32_t row, struct pen *pen)
{
    pen_open(pen);
    if (roster->indented) pen_blank(pen, INDENT);
    for (uint32_t i = 0; i < roster->column_count; i++) {
        put_cell(roster, i, roster->rows[row][i], pen);
    }
    pen_close(pen);
}
