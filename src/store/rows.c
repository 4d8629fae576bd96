/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c - rows of the tables that dialects keep beside the journal.
 *
 * The journal is the truth and these tables are made of it, for other tools to read: whatever a
 * run knows can be put again at any time, and changes nothing then.
 *
 * 1. Names of tables and columns are those that a dialect describes (dialect.h, tables) and no
 *    others; values are bound, never written into a statement.
 * 2. A row that is put twice is there once.
 * 3. A row stands behind what it refers to: foreign keys are on. */
#include "store/rows.h"

#include "base/buf.h"
#include "dialect/dialect.h"

#include <assert.h>
#include <string.h>

enum { SQL_BYTES_MAX = 8192, COLUMNS_MAX = 16 };

static const struct contract_table *table_find(const char *name)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct contract_table *table = dialects[i]->tables;
        for (; table && table->name; table++) {
            if (strcmp(table->name, name) == 0) return table;
        }
    }
    return NULL;
}

static bool has_column(const struct contract_table *table, const char *name)
{
    for (uint32_t i = 0; table->columns[i]; i++) {
        if (strcmp(table->columns[i], name) == 0) return true;
    }
    return false;
}

/* What is wrong with the names of a row, or NULL. */
static const char *row_problem(const struct contract_table *table, const struct contract_row *row)
{
    if (row->count == 0 || row->count >= COLUMNS_MAX) return "it has no cells, or too many";
    for (uint32_t i = 0; i < row->count; i++) {
        if (!has_column(table, row->cells[i].column)) return "it has a column that is not ours";
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(row->cells[i].column, row->cells[k].column) == 0) {
                return "it has a column twice";
            }
        }
    }
    for (uint32_t i = 0; i < table->key_count; i++) {
        if (i >= row->count || strcmp(row->cells[i].column, table->columns[i]) != 0) {
            return "its key does not stand in front";
        }
    }
    return NULL;
}

/* ?1 is the first cell, and so on. */
static void add_insert(struct buf *sql, const struct contract_row *row, bool select)
{
    buf_printf(sql, "INSERT INTO %s (", row->table);
    for (uint32_t i = 0; i < row->count; i++) {
        buf_printf(sql, "%s%s", i ? ", " : "", row->cells[i].column);
    }
    buf_text(sql, select ? ") SELECT " : ") VALUES (");
    for (uint32_t i = 0; i < row->count; i++) buf_printf(sql, "%s?%u", i ? ", " : "", i + 1);
}

static void add_upsert(struct buf *sql, const struct contract_table *table,
                       const struct contract_row *row)
{
    add_insert(sql, row, false);
    buf_text(sql, ") ON CONFLICT (");
    for (uint32_t i = 0; i < table->key_count; i++) {
        buf_printf(sql, "%s%s", i ? ", " : "", table->columns[i]);
    }
    buf_text(sql, row->count > table->key_count ? ") DO UPDATE SET " : ") DO NOTHING");
    for (uint32_t i = table->key_count; i < row->count; i++) {
        buf_printf(sql, "%s%s = excluded.%s", i > table->key_count ? ", " : "",
                   row->cells[i].column, row->cells[i].column);
    }
}

static void add_once(struct buf *sql, const struct contract_row *row)
{
    add_insert(sql, row, true);
    buf_printf(sql, " WHERE NOT EXISTS (SELECT 1 FROM %s WHERE ", row->table);
    for (uint32_t i = 0; i < row->count; i++) {
        buf_printf(sql, "%s%s IS ?%u", i ? " AND " : "", row->cells[i].column, i + 1);
    }
    buf_byte(sql, ')');
}

static void bind_cell(sqlite3_stmt *statement, int column, const struct contract_cell *cell)
{
    int rc = SQLITE_OK;

    switch (cell->kind) {
    case CELL_NULL:
        rc = sqlite3_bind_null(statement, column);
        break;
    case CELL_INTEGER:
        rc = sqlite3_bind_int64(statement, column, cell->integer);
        break;
    case CELL_REAL:
        rc = sqlite3_bind_double(statement, column, cell->real);
        break;
    case CELL_TEXT:
        rc = sqlite3_bind_text64(statement, column, cell->text.data ? cell->text.data : "",
                                 cell->text.size, SQLITE_STATIC, SQLITE_UTF8);
        break;
    }
    assert(rc == SQLITE_OK);
}

int rows_put(struct database *db, const struct contract_row *row, struct err *err)
{
    const struct contract_table *table = table_find(row->table);
    const char *problem = table ? row_problem(table, row) : "there is no such table";
    sqlite3_stmt *statement = NULL;
    struct buf sql;
    int rc;

    if (problem) {
        err_set(err, ERR_USAGE, "a row of %s: %s", row->table, problem);
        return database_wrap(db, err);
    }
    buf_init(&sql, SQL_BYTES_MAX);
    if (table->key_count > 0) add_upsert(&sql, table, row);
    else add_once(&sql, row);
    assert(!sql.overflow);
    rc = sqlite3_prepare_v2(db->handle, buf_cstr(&sql), -1, &statement, NULL);
    if (rc == SQLITE_OK) {
        for (uint32_t i = 0; i < row->count; i++) {
            bind_cell(statement, (int)i + 1, &row->cells[i]);
        }
        rc = sqlite3_step(statement);
    }
    rc = rc == SQLITE_DONE ? 0 : database_error(db, rc, err);
    sqlite3_finalize(statement);
    buf_release(&sql);
    return rc;
}
