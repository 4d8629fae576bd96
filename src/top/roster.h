/* SPDX-License-Identifier: Apache-2.0
 *
 * roster.h - a table on a screen: as many of its columns as there is room for. Pure. */
#ifndef HONE_TOP_ROSTER_H
#define HONE_TOP_ROSTER_H

#include "view/pen.h"

enum { ROSTER_COLUMNS_MAX = 12 };

struct roster_column {
    const char *title;
    bool right;      /* its texts stand at its right */
    uint32_t spare;  /* where there is no room the columns go by this, 1 first; 0: it stays */
    uint32_t most;   /* columns that it may take; 0: any number */
    uint32_t least;  /* of the last one, which takes what is left: else a column goes */
};

struct roster_cell {
    const char *text;
    enum style style;
};

struct roster {
    const struct roster_column *columns;
    uint32_t column_count;
    const struct roster_cell (*rows)[ROSTER_COLUMNS_MAX];
    uint32_t row_count;
    bool indented; /* a blank stands in front */

    uint32_t gap, width[ROSTER_COLUMNS_MAX]; /* of roster_fit(); width 0: it is not shown */
};

void roster_fit(struct roster *roster, const struct view_screen *screen);
void roster_titles(const struct roster *roster, struct pen *pen); /* a line */
void roster_row(const struct roster *roster, uint32_t row, struct pen *pen);

#endif
