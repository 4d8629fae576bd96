/* SPDX-License-Identifier: Apache-2.0
 *
 * row.h - tables in the journal's database and rows of them, for dialects whose files are tables.
 *
 * Data only: a dialect describes its tables and makes rows; store/ makes the tables and writes the
 * rows. */
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

/* A table; what was released once stays as it is. */
struct contract_table {
    const char *name;
    uint32_t version;           /* of the database that has it first: a newer one has it too */
    const char *create;         /* its statement */
    const char *indexes;        /* statements that come when all tables of the version are there */
    uint32_t key_count;         /* its key is its first columns; 0: SQLite makes one */
    const char *const *columns; /* that a row may have; NULL ends */
};

struct contract_row {
    const char *table;
    const struct contract_cell *cells; /* the first is the key: a row with it is replaced */
    uint32_t count;
};

#endif
