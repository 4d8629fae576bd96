/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h - rows in columns that are as wide as what is in them, and fit the terminal. */
#ifndef HONE_CMD_TABLE_H
#define HONE_CMD_TABLE_H

#include "base/arena.h"

enum { TABLE_COLUMNS_MAX = 12 };

struct table_column {
    const char *title; /* NULL ends */
    bool right;        /* numbers stand at the right */
    uint32_t spare;    /* where there is no room, 1 is left out first, then 2; 0: never */
};

struct table {
    const struct table_column *columns;
    const char *const (*rows)[TABLE_COLUMNS_MAX];
    uint32_t count;
};

/* Titles and rows. Cells are harmless; NULL or empty is shown as "-". A line has at most so many
 * columns (0: any number): some columns are left out for that, and the last one is cut, to not less
 * than a word. */
void table_put(const struct table *table, uint32_t columns_max, struct buf *out);

#endif
