/* SPDX-License-Identifier: Apache-2.0
 *
 * database.c - opening a SQLite file, and its errors in our words.
 *
 * 1. The file is private from its first moment: it is made with mode 0600 before SQLite sees it,
 *    and SQLite gives its write-ahead log the same mode.
 * 2. What is in the file is not trusted: no triggers, no views, no functions called by a schema,
 *    no writing to the tables SQLite keeps for itself.
 * 3. SQLite is handed regular files alone, which stand there themselves.
 * 4. A name is always handed over as a URI with everything escaped, so that a folder called
 *    "file:x?mode=memory" is only a folder.
 *
 * To read a database with a write-ahead log, SQLite needs its -shm file, or makes it. Where there
 * is none and the folder may not be written, the database cannot change while hone reads it, so it
 * is opened as immutable. SQLite then ignores the log: where the log is not empty, hone gives an
 * error rather than show an old state as the newest.
 *
 * Not here: what the tables are (schema.c), what is in them (journal.c). */
#include "store/database.h"

#include "base/buf.h"
#include "base/byte.h"
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 5000, URI_BYTES_MAX = 3 * 4096 + 64 };

/* ---- errors ---- */

/* By SQLite's primary code: which of our errors it is, and what the person can do. */
static const struct {
    int primary;
    enum err_code code;
    const char *advice;
} kinds[] = {
    { .primary = SQLITE_FULL, .code = ERR_SYSTEM, .advice = "make room on the disk" },
    { .primary = SQLITE_READONLY, .code = ERR_SYSTEM,
      .advice = "make the file and its folder writable for you" },
    { .primary = SQLITE_CANTOPEN, .code = ERR_SYSTEM,
      .advice = "check that you may read and write it and its folder" },
    { .primary = SQLITE_PERM, .code = ERR_SYSTEM,
      .advice = "make the file and its folder writable for you" },
    { .primary = SQLITE_IOERR, .code = ERR_SYSTEM, .advice = "check the disk" },
    { .primary = SQLITE_BUSY, .code = ERR_BUSY,
      .advice = "another process keeps writing to it; try again when that has ended" },
    { .primary = SQLITE_NOTADB, .code = ERR_FORMAT,
      .advice = "move it away, the next run makes a new one" },
    { .primary = SQLITE_CORRUPT, .code = ERR_FORMAT,
      .advice = "move it away, the next run makes a new one" },
    { .primary = SQLITE_ERROR, .code = ERR_FORMAT,
      .advice = "it is not as we left it: move it away, the next run makes a new one" },
    { .primary = SQLITE_CONSTRAINT, .code = ERR_USAGE },
    { .primary = SQLITE_TOOBIG, .code = ERR_LIMIT },
};

int database_error(const struct database *db, int rc, struct err *err)
{
    int errno_value = db->handle ? sqlite3_system_errno(db->handle) : 0;
    bool same = db->handle && sqlite3_extended_errcode(db->handle) == rc;
    const char *words = same ? sqlite3_errmsg(db->handle) : sqlite3_errstr(rc);
    const char *advice = NULL;
    enum err_code code = ERR_SYSTEM;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].primary != (rc & 0xff)) continue;
        code = kinds[i].code;
        advice = kinds[i].advice;
    }
    if (errno_value == ENOSPC || errno_value == EDQUOT) advice = "make room on the disk";
    /* The system's reason is of use only where it was the system that refused. */
    if (code != ERR_SYSTEM || (rc & 0xff) == SQLITE_FULL) errno_value = 0;
    err_set(err, code, "%s%s%s%s%s%s", words, errno_value ? " (" : "",
            errno_value ? strerror(errno_value) : "", errno_value ? ")" : "",
            advice ? "; " : "", advice ? advice : "");
    return database_wrap(db, err);
}

int database_wrap(const struct database *db, struct err *err)
{
    return err_wrap(err, "journal %s", db->path);
}

/* ---- statements ---- */

int database_exec(struct database *db, const char *sql, struct err *err)
{
    int rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? 0 : database_error(db, rc, err);
}

int database_number(struct database *db, const char *sql, sqlite3_int64 *out, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
        *out = sqlite3_column_int64(statement, 0);
        rc = 0;
    } else {
        assert(rc != SQLITE_OK && rc != SQLITE_DONE);
        rc = database_error(db, rc, err);
    }
    sqlite3_finalize(statement);
    return rc;
}

void database_rollback(struct database *db)
{
    /* Some failures have rolled back by themselves. What a rollback itself could say does not
     * matter: without a commit nothing of the transaction lasts. */
    if (!sqlite3_get_autocommit(db->handle)) {
        (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    }
}

/* ---- opening ---- */

static void make_uri(struct buf *uri, const char *path, const char *query)
{
    /* An empty host, or SQLite would take the beginning of //a/b for one. */
    buf_text(uri, path[0] == '/' ? "file://" : "file:");
    for (const char *at = path; *at; at++) {
        bool plain = byte_is_alnum(*at) || *at == '/' || *at == '.' || *at == '-' ||
                     *at == '_';

        if (plain) buf_byte(uri, *at);
        else buf_printf(uri, "%%%02x", (unsigned)(unsigned char)*at);
    }
    buf_text(uri, query);
}

static int configure(struct database *db, struct err *err)
{
    static const struct {
        int option, value;
    } settings[] = {
        { .option = SQLITE_DBCONFIG_DEFENSIVE, .value = 1 },
        { .option = SQLITE_DBCONFIG_TRUSTED_SCHEMA, .value = 0 },
        { .option = SQLITE_DBCONFIG_ENABLE_TRIGGER, .value = 0 },
        { .option = SQLITE_DBCONFIG_ENABLE_VIEW, .value = 0 },
        { .option = SQLITE_DBCONFIG_DQS_DML, .value = 0 },
        { .option = SQLITE_DBCONFIG_DQS_DDL, .value = 0 },
        { .option = SQLITE_DBCONFIG_ENABLE_FKEY, .value = 1 },
    };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        int rc = sqlite3_db_config(db->handle, settings[i].option, settings[i].value, NULL);
        if (rc != SQLITE_OK) return database_error(db, rc, err);
    }
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    return 0;
}

/* Locks the file for this process alone: then SQLite needs no memory to share with others. False at
 * once where another process has it open. */
static bool read_alone(struct database *db)
{
    struct err none;
    sqlite3_int64 ignored;
    bool alone;

    sqlite3_busy_timeout(db->handle, 0);
    alone = database_exec(db, "PRAGMA locking_mode = EXCLUSIVE", &none) == 0 &&
            database_number(db, "PRAGMA schema_version", &ignored, &none) == 0;
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    if (!alone) (void)database_exec(db, "PRAGMA locking_mode = NORMAL", &none);
    return alone;
}

/* SQLite waits for ever at a pipe, and goes where a link leads. */
static int check_files(const struct database *db, struct err *err)
{
    static const char *const tails[] = { "", "-wal", "-shm", "-journal" };
    struct buf name;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof tails / sizeof *tails; i++) {
        struct stat info;

        buf_init(&name, URI_BYTES_MAX);
        buf_printf(&name, "%s%s", db->path, tails[i]);
        if (lstat(buf_cstr(&name), &info) == 0 && !S_ISREG(info.st_mode)) {
            rc = err_set(err, ERR_FORMAT, "%s is a link, a pipe or a folder; move it away, the "
                         "next run makes a new one", buf_cstr(&name));
        }
        buf_release(&name);
    }
    return rc == 0 ? 0 : database_wrap(db, err);
}

/* SQLite opens lazily: the first read shows whether the file can be used at all. */
static int handle_open(struct database *db, const char *query, int flags, bool alone,
                       struct err *err)
{
    sqlite3_int64 ignored;
    struct buf uri;
    int rc = check_files(db, err);

    if (rc != 0) return rc;
    buf_init(&uri, URI_BYTES_MAX);
    make_uri(&uri, db->path, query);
    if (uri.overflow) {
        err_set(err, ERR_LIMIT, "the path is too long");
        rc = database_wrap(db, err);
        goto out;
    }
    rc = sqlite3_open_v2(buf_cstr(&uri), &db->handle,
                         flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                         NULL);
    if (rc != SQLITE_OK) {
        rc = database_error(db, rc, err);
        goto out;
    }
    rc = configure(db, err);
    if (rc == 0 && !(alone && read_alone(db))) {
        rc = database_number(db, "PRAGMA schema_version", &ignored, err);
    }
    if (rc == 0) rc = database_exec(db, "PRAGMA synchronous = FULL", err);

out:
    buf_release(&uri);
    return rc;
}

int database_hurry(struct database *db, struct err *err)
{
    /* Every process that opens the file reads the log. The commit that makes the log longer than
     * this moves it into the database. */
    enum { LOG_PAGES_MAX = 100 };
    int keep = 1;
    int rc = sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);

    if (rc == SQLITE_OK) {
        rc = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
    }
    if (rc == SQLITE_OK) rc = sqlite3_wal_autocheckpoint(db->handle, LOG_PAGES_MAX);
    if (rc != SQLITE_OK) return database_error(db, rc, err);
    return database_exec(db, "PRAGMA synchronous = NORMAL", err);
}

void database_work_in(struct database *db)
{
    /* Emptied: a process that opens it later could not know how much of it was worked in. */
    sqlite3_busy_timeout(db->handle, 0);
    (void)sqlite3_wal_checkpoint_v2(db->handle, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
}

static void handle_close(struct database *db)
{
    int rc = sqlite3_close(db->handle);

    assert(rc == SQLITE_OK); /* else a statement was not finalized */
    db->handle = NULL;
}

void database_close(struct database *db)
{
    handle_close(db);
    free(db->path);
    *db = (struct database){ 0 };
}

/* The folder of path; free() it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash) return mem_copy(".", 1);
    return mem_copy(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Makes the file where there is none, and its name durable. Never opens one that is there:
 * closing it again would drop the locks that this process holds on it by another handle. */
static int create_file(const struct database *db, struct err *err)
{
    int fd = open(db->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    char *folder;

    if (fd < 0 && errno == EEXIST) return 0;
    if (fd < 0) return err_system(err, errno, "journal %s: cannot be made", db->path);
    close(fd);
    folder = folder_of(db->path);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    /* Some file systems cannot sync a folder: a failure is ignored. */
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    return 0;
}

static int open_to_write(struct database *db, const char *path, bool alone, struct err *err)
{
    int rc;

    *db = (struct database){ .path = mem_copy(path, strlen(path)) };
    rc = create_file(db, err);
    if (rc == 0) rc = handle_open(db, "", SQLITE_OPEN_READWRITE, alone, err);
    if (rc != 0) goto fail;
    /* SQLite falls back to reading where it may not write. */
    if (sqlite3_db_readonly(db->handle, "main")) {
        rc = database_error(db, SQLITE_READONLY, err);
        goto fail;
    }
    return 0;

fail:
    database_close(db);
    return rc;
}

int database_open(struct database *db, const char *path, struct err *err)
{
    return open_to_write(db, path, false, err);
}

int database_open_alone(struct database *db, const char *path, struct err *err)
{
    return open_to_write(db, path, true, err);
}

static bool is_folder_writable(const char *path)
{
    char *folder = folder_of(path);
    bool writable = access(folder, W_OK | X_OK) == 0;

    free(folder);
    return writable;
}

static bool has_log(const char *path)
{
    struct buf name;
    struct stat info;
    bool found;

    buf_init(&name, URI_BYTES_MAX);
    buf_printf(&name, "%s-wal", path);
    found = stat(buf_cstr(&name), &info) == 0 && info.st_size > 0;
    buf_release(&name);
    return found;
}

/* Another process died in the middle of a write, and SQLite may not mend that for a reader: it is
 * opened to write for once, which mends it, and then only read. */
static int open_mended(struct database *db, struct err *err)
{
    int rc;

    handle_close(db);
    rc = handle_open(db, "", SQLITE_OPEN_READWRITE, false, err);
    return rc == 0 ? database_exec(db, "PRAGMA query_only = ON", err) : rc;
}

int database_open_readonly(struct database *db, const char *path, struct err *err)
{
    int rc;

    *db = (struct database){ .path = mem_copy(path, strlen(path)), .readonly = true };
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        err_set(err, ERR_MISSING, "there is none");
        rc = database_wrap(db, err);
        goto fail;
    }
    rc = handle_open(db, "", SQLITE_OPEN_READONLY, false, err);
    if (rc != 0 && (sqlite3_extended_errcode(db->handle) & 0xff) == SQLITE_READONLY &&
        is_folder_writable(path)) {
        rc = open_mended(db, err);
    }
    if (rc == ERR_SYSTEM && access(path, R_OK) == 0 && !is_folder_writable(path)) {
        if (has_log(path)) {
            err_set(err, ERR_SYSTEM, "its newest part is in %s-wal, which cannot be read in a "
                    "folder that may not be written; copy the folder and look there", path);
            rc = database_wrap(db, err);
            goto fail;
        }
        handle_close(db);
        rc = handle_open(db, "?immutable=1", SQLITE_OPEN_READONLY, false, err);
    }
    if (rc != 0) goto fail;
    return 0;

fail:
    database_close(db);
    return rc;
}
