/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c - columns of text.
 *
 * 1. Widths count characters, not bytes.
 * 2. The last column is not padded. Where it would get fewer than LAST_MIN characters of a longer
 *    text, another column is left out. */
#include "cmd/table.h"

#include "format/text/width.h"

#include <assert.h>

enum { GAP = 2, LAST_MIN = 16 };

static const struct str dots = STR("...");

struct grid {
    const struct table *table;
    uint32_t count;
    uint32_t width[TABLE_COLUMNS_MAX]; /* 0: left out */
};

static struct str cell_of(const struct grid *grid, uint32_t row, uint32_t column)
{
    const char *cell = row == 0 ? grid->table->columns[column].title
                                : grid->table->rows[row - 1][column];

    return str_of(cell && *cell ? cell : "-");
}

static void grid_measure(struct grid *grid)
{
    while (grid->table->columns[grid->count].title) grid->count++;
    assert(grid->count > 0 && grid->count <= TABLE_COLUMNS_MAX);
    for (uint32_t row = 0; row <= grid->table->count; row++) {
        for (uint32_t i = 0; i < grid->count; i++) {
            uint32_t width = width_of(cell_of(grid, row, i));
            if (width > grid->width[i]) grid->width[i] = width;
        }
    }
}

static uint32_t last_of(const struct grid *grid)
{
    uint32_t last = grid->count - 1;

    while (last > 0 && grid->width[last] == 0) last--;
    return last;
}

/* What stands in front of the last column. */
static uint32_t width_before(const struct grid *grid, uint32_t last)
{
    uint32_t width = 0;

    for (uint32_t i = 0; i < last; i++) width += grid->width[i] ? grid->width[i] + GAP : 0;
    return width;
}

/* Leaves out the column that can be spared first; false where none can. */
static bool spare_one(struct grid *grid)
{
    uint32_t found = grid->count;

    for (uint32_t i = 0; i < grid->count; i++) {
        uint32_t spare = grid->table->columns[i].spare;
        if (spare == 0 || grid->width[i] == 0) continue;
        if (found == grid->count || spare < grid->table->columns[found].spare) found = i;
    }
    if (found == grid->count) return false;
    grid->width[found] = 0;
    return true;
}

static void grid_fit(struct grid *grid, uint32_t columns_max)
{
    for (;;) {
        uint32_t last = last_of(grid), before = width_before(grid, last);
        uint32_t least = grid->width[last] < LAST_MIN ? grid->width[last] : LAST_MIN;

        if (before + least <= columns_max || !spare_one(grid)) {
            uint32_t room = columns_max > before + least ? columns_max - before : least;
            if (grid->width[last] > room) grid->width[last] = room;
            return;
        }
    }
}

static void put_cell(const struct grid *grid, uint32_t row, uint32_t column, struct buf *out)
{
    struct str text = cell_of(grid, row, column);
    uint32_t width = width_of(text), room = grid->width[column];
    bool last = column == last_of(grid), cut = width > room;
    int pad = cut ? 0 : (int)(room - width);

    if (grid->table->columns[column].right) buf_printf(out, "%*s", pad, "");
    buf_add(out, cut ? width_cut(text, room - (uint32_t)dots.size) : text);
    if (cut) buf_add(out, dots);
    if (!grid->table->columns[column].right && !last) buf_printf(out, "%*s", pad, "");
    buf_text(out, last ? "\n" : "  ");
}

void table_put(const struct table *table, uint32_t columns_max, struct buf *out)
{
    struct grid grid = { .table = table };

    grid_measure(&grid);
    if (columns_max > 0) grid_fit(&grid, columns_max);
    for (uint32_t row = 0; row <= table->count; row++) {
        for (uint32_t i = 0; i < grid.count; i++) {
            if (grid.width[i] > 0) put_cell(&grid, row, i, out);
        }
    }
}
