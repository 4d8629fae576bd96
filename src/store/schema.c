/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c - the tables of the journal, by version, and rows of those that dialects keep beside it.
 *
 * PRAGMA user_version counts the steps that were taken: a new database takes all of them, an older
 * one the rest. A step makes hone's own new tables of that version, and the tables of dialects that
 * name the version (format/row.h). To change tables, add a step; never change a released one.
 *
 * 1. All steps of one opening are one transaction: after a kill a database has the old version or
 *    the new one.
 * 2. The version is read again inside the transaction: another process may have been faster. It is
 *    always read in a transaction: outside of one, half of another process's steps could be seen.
 * 3. A database that is not ours is not written to. Ours have our application_id; an empty one
 *    (no version, no id, no table) becomes ours.
 *
 * Rows: the journal is the truth, and the tables of dialects are made of it for other tools to
 * read. The rows of a run can be put again at any time; that changes nothing.
 *
 * 4. Names of tables and columns are those that a dialect describes (dialect.h, tables) and no
 *    others; values are bound, never written into a statement.
 * 5. A row that is put twice is there once.
 * 6. A row stands behind what it refers to: foreign keys are on. */
#include "store/database.h"

#include "dialect/dialect.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* "hone", for file(1) and for ourselves. */
enum { APPLICATION_ID = 0x686f6e65 };

enum { MODE_TRIES = 500, MODE_PAUSE_MS = 10 };

/* The steps of hone's own tables; those of dialects say their version themselves. */
static const char *const steps[] = {
    "CREATE TABLE runs ("
    "    id TEXT NOT NULL PRIMARY KEY,"
    "    dialect TEXT NOT NULL,"
    "    task TEXT NOT NULL,"
    "    workspace TEXT NOT NULL,"
    "    settings TEXT NOT NULL,"
    "    created_ms INTEGER NOT NULL,"
    "    updated_ms INTEGER NOT NULL,"
    "    reason TEXT"
    ") STRICT;"
    "CREATE TABLE events ("
    "    run_id TEXT NOT NULL REFERENCES runs (id),"
    "    seq INTEGER NOT NULL,"
    "    at_ms INTEGER NOT NULL,"
    "    kind TEXT NOT NULL,"
    "    body TEXT NOT NULL,"
    "    PRIMARY KEY (run_id, seq)"
    ") STRICT, WITHOUT ROWID;",
};

/* A reader needs runs and events only, as the first step made them. */
enum { STEPS = sizeof steps / sizeof *steps, VERSION_READ = 1 };

/* The newest version that this program knows. */
static uint32_t version_newest(void)
{
    uint32_t newest = STEPS;

    for (uint32_t i = 0; dialects[i]; i++) {
        const struct contract_table *table = dialects[i]->tables;
        for (; table && table->name; table++) {
            if (table->version > newest) newest = table->version;
        }
    }
    return newest;
}

/* The tables of dialects that come with a version; or their indexes. */
static int make_tables(struct database *db, uint32_t version, bool indexes, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && dialects[i]; i++) {
        const struct contract_table *table = dialects[i]->tables;
        for (; rc == 0 && table && table->name; table++) {
            const char *sql = indexes ? table->indexes : table->create;
            if (sql && table->version == version) rc = database_exec(db, sql, err);
        }
    }
    return rc;
}

static int take_step(struct database *db, uint32_t version, struct err *err)
{
    int rc = version <= STEPS ? database_exec(db, steps[version - 1], err) : 0;

    if (rc == 0) rc = make_tables(db, version, false, err);
    if (rc == 0) rc = make_tables(db, version, true, err);
    return rc;
}

/* Inside a transaction: the version of a database that is ours or empty. */
static int read_version(struct database *db, sqlite3_int64 *version, struct err *err)
{
    sqlite3_int64 id = 0;
    sqlite3_int64 objects = 0;
    int rc = database_number(db, "PRAGMA user_version", version, err);

    if (rc == 0) rc = database_number(db, "PRAGMA application_id", &id, err);
    if (rc == 0) rc = database_number(db, "SELECT count(*) FROM sqlite_schema", &objects, err);
    if (rc != 0) return rc;
    if (*version == 0 && id == 0 && objects == 0) return 0;
    if (*version <= 0 || id != APPLICATION_ID) {
        err_set(err, ERR_FORMAT, "this is the database of another program; move it away");
        return database_wrap(db, err);
    }
    if (*version > version_newest()) {
        err_set(err, ERR_FORMAT, "it has version %lld and this hone knows only up to %u; use the "
                "hone that wrote it, or a newer one", (long long)*version,
                (unsigned)version_newest());
        return database_wrap(db, err);
    }
    return 0;
}

static int migrate(struct database *db, struct err *err)
{
    const uint32_t newest = version_newest();
    sqlite3_int64 version = 0;
    struct buf mark;
    int rc = database_exec(db, "BEGIN IMMEDIATE", err);

    if (rc != 0) return rc;
    buf_init(&mark, 128);
    rc = read_version(db, &version, err);
    for (; rc == 0 && version < newest; version++) rc = take_step(db, (uint32_t)version + 1, err);
    if (rc == 0) {
        buf_printf(&mark, "PRAGMA application_id = %d; PRAGMA user_version = %u", APPLICATION_ID,
                   (unsigned)newest);
        rc = database_exec(db, buf_cstr(&mark), err);
    }
    if (rc == 0) rc = database_exec(db, "COMMIT", err);
    if (rc != 0) database_rollback(db);
    buf_release(&mark);
    return rc;
}

/* To change the mode SQLite does not wait for another process (two could wait for each other for
 * ever): processes that make the file at the same time have to try again. On a file
 * system that cannot share memory the mode stays as it is: readers then wait for the writer, and
 * nothing else changes. */
static int use_log(struct database *db, struct err *err)
{
    int rc;

    for (int tries = 0; tries < MODE_TRIES; tries++) {
        rc = database_exec(db, "PRAGMA journal_mode = WAL", err);
        if (rc != ERR_BUSY) break;
        (void)sqlite3_sleep(MODE_PAUSE_MS);
    }
    return rc;
}

int schema_prepare(struct database *db, struct err *err)
{
    sqlite3_int64 version = 0;
    int rc = database_exec(db, "BEGIN", err);

    if (rc != 0) return rc;
    rc = read_version(db, &version, err);
    database_rollback(db);
    if (rc != 0) return rc;
    if (db->readonly && version >= VERSION_READ) return 0;
    if (db->readonly && version == 0) {
        err_set(err, ERR_MISSING, "it is empty");
        return database_wrap(db, err);
    }
    rc = use_log(db, err);
    if (rc != 0 || version == version_newest()) return rc;
    return migrate(db, err);
}

/* ---- rows ---- */

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
        for (uint32_t i = 0; i < row->count; i++) bind_cell(statement, (int)i + 1, &row->cells[i]);
        rc = sqlite3_step(statement);
    }
    rc = rc == SQLITE_DONE ? 0 : database_error(db, rc, err);
    sqlite3_finalize(statement);
    buf_release(&sql);
    return rc;
}

/* ---- a run's rows ---- */

static int table_remove(struct database *db, const char *table, const char *column,
                        const char *run, struct err *err)
{
    char *sql = sqlite3_mprintf("DELETE FROM \"%w\" WHERE \"%w\" = %Q", table, column, run);
    int rc;

    if (!sql) abort();
    rc = database_exec(db, sql, err);
    sqlite3_free(sql);
    return rc;
}

/* Later tables refer to earlier ones, and all of them to the run. */
int rows_remove(struct database *db, const char *run, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && dialects[i]; i++) {
        const struct contract_table *tables = dialects[i]->tables;
        uint32_t count = 0;

        while (tables && tables[count].name) count++;
        while (rc == 0 && count-- > 0) {
            if (!has_column(&tables[count], "run_id")) continue;
            rc = table_remove(db, tables[count].name, "run_id", run, err);
        }
    }
    if (rc == 0) rc = table_remove(db, "events", "run_id", run, err);
    return rc == 0 ? table_remove(db, "runs", "id", run, err) : rc;
}
