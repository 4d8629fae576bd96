/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c - the tables of the journal, by version.
 *
 * PRAGMA user_version counts the steps that were taken: a new database takes all of them, an older
 * one the rest. A step makes what is new of hone's own tables, and the tables of dialects that name
 * its version (format/row.h). To change tables, add a step; never change one that was released.
 *
 * 1. All steps of one opening are one transaction: a database is of one version, or of the other.
 * 2. The version is read again inside it: another process may have been faster. And it is never
 *    read but in a transaction: half of what another process writes meanwhile would mislead.
 * 3. A database that is not ours is not written to. Ours have our application_id; an empty one
 *    (no version, no id, no table) becomes ours. */
#include "store/schema.h"

#include "base/buf.h"
#include "dialect/dialect.h"

#include <stddef.h>

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

/* Who only reads needs runs and events, as the first step made them. */
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

/* SQLite does not wait for its turn to change the mode (two that wait for each other would never
 * get it), so that processes which make the file at the same time have to try again. On a file
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
