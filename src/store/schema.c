/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c - the tables of the journal, by version.
 *
 * PRAGMA user_version counts the steps that were taken: a new database takes all of them, an older
 * one the rest. To change the tables, add a step; never change one that was released.
 *
 * 1. All steps of one opening are one transaction: a database is of one version, or of the other.
 * 2. The version is read again inside it: another process may have been faster. And it is never
 *    read but in a transaction: half of what another process writes meanwhile would mislead.
 * 3. A database that is not ours is not written to. Ours have our application_id; an empty one
 *    (no version, no id, no table) becomes ours. */
#include "store/schema.h"

#include "base/buf.h"

#include <stddef.h>

/* "hone", for file(1) and for ourselves. */
enum { APPLICATION_ID = 0x686f6e65 };

enum { MODE_TRIES = 500, MODE_PAUSE_MS = 10 };

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

    /* For the loops dialect. loop_reviews and review_issues are a contract with other tools. */
    "CREATE TABLE loops ("
    "    id TEXT PRIMARY KEY,"
    "    run_id TEXT NOT NULL,"
    "    task_ids TEXT NOT NULL,"
    "    group_name TEXT,"
    "    status TEXT NOT NULL,"
    "    phase TEXT NOT NULL,"
    "    iteration INTEGER NOT NULL DEFAULT 0,"
    "    max_iterations INTEGER NOT NULL,"
    "    review_interval INTEGER,"
    "    last_review_at INTEGER NOT NULL DEFAULT 0,"
    "    review_status TEXT NOT NULL DEFAULT 'pending',"
    "    last_review_id TEXT,"
    "    revision_attempts INTEGER NOT NULL DEFAULT 0,"
    "    worktree_path TEXT,"
    "    FOREIGN KEY (run_id) REFERENCES runs(id)"
    ");"
    "CREATE TABLE tasks ("
    "    run_id TEXT NOT NULL,"
    "    id TEXT NOT NULL,"
    "    position INTEGER NOT NULL,"
    "    title TEXT NOT NULL,"
    "    description TEXT NOT NULL,"
    "    group_name TEXT,"
    "    depends_on TEXT NOT NULL,"
    "    status TEXT NOT NULL,"
    "    loop_id TEXT,"
    "    PRIMARY KEY (run_id, id),"
    "    FOREIGN KEY (run_id) REFERENCES runs(id)"
    ");"
    "CREATE TABLE loop_reviews ("
    "  id TEXT PRIMARY KEY,"
    "  run_id TEXT NOT NULL,"
    "  loop_id TEXT NOT NULL,"
    "  task_id TEXT,"
    "  passed INTEGER NOT NULL,"
    "  interpreted_intent TEXT,"
    "  intent_satisfied INTEGER,"
    "  reviewed_at TEXT NOT NULL,"
    "  cost_usd REAL DEFAULT 0,"
    "  FOREIGN KEY (run_id) REFERENCES runs(id),"
    "  FOREIGN KEY (loop_id) REFERENCES loops(id)"
    ");"
    "CREATE TABLE review_issues ("
    "    id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "    run_id TEXT NOT NULL,"
    "    task_id TEXT,"
    "    file TEXT NOT NULL,"
    "    line INTEGER,"
    "    type TEXT NOT NULL,"
    "    description TEXT NOT NULL,"
    "    suggestion TEXT NOT NULL,"
    "    created_at TEXT NOT NULL,"
    "    loop_id TEXT,"
    "    loop_review_id TEXT,"
    "    FOREIGN KEY (run_id) REFERENCES runs(id)"
    ");"
    "CREATE INDEX loops_by_run ON loops (run_id);"
    "CREATE INDEX loop_reviews_by_loop ON loop_reviews (loop_id);"
    "CREATE INDEX loop_reviews_by_run ON loop_reviews (run_id);"
    "CREATE INDEX review_issues_by_run ON review_issues (run_id, loop_review_id);",
};

/* Who only reads needs runs and events, as the first step made them. */
enum { VERSION = sizeof steps / sizeof *steps, VERSION_READ = 1 };

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
    if (*version > VERSION) {
        err_set(err, ERR_FORMAT, "it has version %lld and this hone knows only up to %d; use the "
                "hone that wrote it, or a newer one", (long long)*version, (int)VERSION);
        return database_wrap(db, err);
    }
    return 0;
}

static int migrate(struct database *db, struct err *err)
{
    sqlite3_int64 version = 0;
    struct buf mark;
    int rc = database_exec(db, "BEGIN IMMEDIATE", err);

    if (rc != 0) return rc;
    buf_init(&mark, 128);
    rc = read_version(db, &version, err);
    for (; rc == 0 && version < VERSION; version++) rc = database_exec(db, steps[version], err);
    if (rc == 0) {
        buf_printf(&mark, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                   (int)VERSION);
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
    if (rc != 0 || version == VERSION) return rc;
    return migrate(db, err);
}
