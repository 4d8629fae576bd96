/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h - rows of the tables that dialects keep beside the journal. journal_put_row() is the
 * door; a dialect describes its tables (format/row.h), schema.c makes them. */
#ifndef HONE_STORE_ROWS_H
#define HONE_STORE_ROWS_H

#include "base/err.h"
#include "format/row.h"
#include "store/database.h"

/* Puts a row, inside a transaction: one with the same key is replaced, as far as its cells go. A
 * table whose key SQLite makes takes a row only once: one that has all of its cells already stays
 * alone. ERR_USAGE for a table or a column that is not one of ours. */
int rows_put(struct database *db, const struct contract_row *row, struct err *err);

#endif
