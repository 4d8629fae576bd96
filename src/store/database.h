/* SPDX-License-Identifier: Apache-2.0
 *
 * database.h - one SQLite file, opened as we open them all, its errors in our words, and the
 * tables in it. For the files of this folder only. */
#ifndef HONE_STORE_DATABASE_H
#define HONE_STORE_DATABASE_H

#include "base/err.h"
#include "format/row.h"

#include <sqlite3.h>

/* {0} is a closed database. */
struct database {
    sqlite3 *handle;
    char *path;
    bool readonly;
};

/* Made where missing, with mode 0600; or to read only: ERR_MISSING where there is none. Neither
 * looks at what is in it, but a file that is no database is ERR_FORMAT. */
int database_open(struct database *db, const char *path, struct err *err);
/* The same, and no other process can open it until it is closed. Where another process has it open
 * already, it is opened as by database_open(). */
int database_open_alone(struct database *db, const char *path, struct err *err);
int database_open_readonly(struct database *db, const char *path, struct err *err);
void database_close(struct database *db);

/* What SQLite said last, as code and words, with what to do about it: rc is what it returned. */
int database_error(const struct database *db, int rc, struct err *err);

/* Puts which file it is in front of what err says; returns its code. */
int database_wrap(const struct database *db, struct err *err);

/* Statements without a result; and one that answers a number. */
int database_exec(struct database *db, const char *sql, struct err *err);
int database_number(struct database *db, const char *sql, sqlite3_int64 *out, struct err *err);

/* For a process that ends at once and is followed by others like it: commits do not wait for the
 * disk, and the log is not moved into the database when the last process closes it. A power cut
 * may take back what came last; nothing else can. */
int database_hurry(struct database *db, struct err *err);

/* Moves the write-ahead log into the database, as far as no other process holds it up, and empties
 * the log: the next process that opens the file reads less. This waits for the disk. */
void database_work_in(struct database *db);

/* Ends a transaction that is still open; keeps err as it is. */
void database_rollback(struct database *db);

/* ---- the tables: schema.c ---- */

/* Brings a database to the newest version, an empty one included. One that is opened to read only
 * stays of the version it has, and must not be empty: ERR_MISSING. A newer version or a database
 * of another program is ERR_FORMAT, and is not touched. */
int schema_prepare(struct database *db, struct err *err);

/* Puts a row, inside a transaction: one with the same key is replaced, as far as its cells go. A
 * table whose key SQLite makes takes a row only once: one that has all of its cells already stays
 * alone. ERR_USAGE for a table or a column that is not one of ours. */
int rows_put(struct database *db, const struct contract_row *row, struct err *err);

/* A run with everything that belongs to it, in all tables. */
int rows_remove(struct database *db, const char *run, struct err *err);

#endif
