/* SPDX-License-Identifier: Apache-2.0
 *
 * row.h - a row of a table in the journal's database, for dialects whose files are tables.
 *
 * Data only: a dialect makes rows, store/schema.c writes them. */
#ifndef HONE_FORMAT_ROW_H
#define HONE_FORMAT_ROW_H

#include "base/str.h"

#include <stdint.h>

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT };

struct contract_cell {
    const char *column;
    enum cell_kind kind;
    int64_t integer;
    double real;
    struct str text;
};

struct contract_row {
    const char *table;
    const struct contract_cell *cells; /* the first is the key: a row with it is replaced */
    uint32_t count;
};

#endif
