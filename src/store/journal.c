/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.c - runs and their events, in SQLite.
 *
 *     runs    one row per run: how it was asked for, when, and how it ended
 *     events  one row per event: its number in the run, and the event as JSON
 *
 * 1. Events of a run are numbered 1, 2, 3 ... without a gap, in the order they were put. The
 *    number is found by the statement that inserts, so that it is right also where another process
 *    has written.
 * 2. body is the whole truth of an event; kind and at_ms repeat it for queries by hand.
 * 3. Puts happen inside a transaction that began as IMMEDIATE: it waits for its turn once, at the
 *    beginning, and never in the middle.
 * 4. After any failure of a put or a commit there is no transaction any more.
 *
 * 5. What is read may have been written by another program: a run whose id or dialect is no name,
 *    or whose end we do not know, is an error, and times are those of a calendar.
 *
 * Statements are prepared when first used and kept with the handle.
 *
 * Not here: the tables themselves (schema.c), opening and the words of errors (database.c), what
 * an event looks like (format/json/event_json.c). */
#include "store/journal.h"

#include "base/byte.h"
#include "base/clock.h"
#include "base/mem.h"
#include "format/json/event_json.h"
#include "store/database.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_BYTES_MAX = 64 * 1024 * 1024, FOUND_MAX = 8, NAME_BYTES_MAX = 64 };



enum statement {
    BEGIN,
    COMMIT,
    PUT_RUN,
    TOUCH_RUN,
    PUT_EVENT,
    PUT_REASON,
    LIST_RUNS,
    FIND_NEWEST,
    FIND_PREFIX,
    GET_RUN,
    REPLAY,
    VERSION,
    CENSUS,
    HOLD,
    STATEMENT_COUNT
};

#define RUN_COLUMNS                                                                              \
    "SELECT id, dialect, task, workspace, settings, created_ms, updated_ms, reason,"             \
    " (SELECT coalesce(max(seq), 0) FROM events WHERE run_id = id) FROM runs "

static const char *const texts[STATEMENT_COUNT] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [PUT_RUN] = "INSERT INTO runs (id, dialect, task, workspace, settings, created_ms, updated_ms,"
                " reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [TOUCH_RUN] = "UPDATE runs SET updated_ms = max(updated_ms, ?2) WHERE id = ?1",
    [PUT_EVENT] = "INSERT INTO events (run_id, seq, at_ms, kind, body) VALUES (?1,"
                  " (SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run_id = ?1), ?2, ?3, ?4)",
    [PUT_REASON] = "UPDATE runs SET reason = ?2 WHERE id = ?1",
    [LIST_RUNS] = RUN_COLUMNS "ORDER BY created_ms DESC, id DESC",
    [FIND_NEWEST] = RUN_COLUMNS "WHERE ?1 IS NULL OR workspace = ?1"
                                " ORDER BY created_ms DESC, id DESC LIMIT 1",
    /* Not LIKE: a prefix may hold its wildcards. An exact id comes first. */
    [FIND_PREFIX] = RUN_COLUMNS "WHERE substr(id, 1, length(?1)) = ?1"
                                " ORDER BY id = ?1 DESC, created_ms DESC, id DESC",
    [GET_RUN] = RUN_COLUMNS "WHERE id = ?1",
    [REPLAY] = "SELECT seq, body FROM events WHERE run_id = ?1 AND seq > ?2 ORDER BY seq",
    [VERSION] = "PRAGMA data_version",
    /* Ids of rows grow, and how many there are tells of one that was taken out. */
    [CENSUS] = "SELECT (SELECT coalesce(max(rowid), 0) FROM runs) * 1000003 + count(*) FROM runs",
    [HOLD] = "BEGIN",
};

struct journal {
    struct database db;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct buf body; /* of the event that is being put */
    bool loose;      /* commits do not wait for the disk at the moment */
    bool hurried;    /* nor will they later */
};

/* ---- statements ---- */

static int prepare(struct journal *journal, enum statement which, sqlite3_stmt **out,
                   struct err *err)
{
    sqlite3_stmt **kept = &journal->statements[which];

    *out = NULL;
    if (!*kept) {
        int rc = sqlite3_prepare_v3(journal->db.handle, texts[which], -1,
                                    SQLITE_PREPARE_PERSISTENT, kept, NULL);
        if (rc != SQLITE_OK) return database_error(&journal->db, rc, err);
    }
    assert(!sqlite3_stmt_busy(*kept)); /* else a visitor calls the function that visits it */
    *out = *kept;
    return 0;
}

/* Bytes that live until the statement was stepped and reset; NULL binds NULL. */
static void bind_text(sqlite3_stmt *statement, int column, const char *text, size_t bytes)
{
    int rc = sqlite3_bind_text64(statement, column, text, bytes, SQLITE_STATIC, SQLITE_UTF8);

    assert(rc == SQLITE_OK);
}

static void bind_cstr(sqlite3_stmt *statement, int column, const char *text)
{
    bind_text(statement, column, text, text ? strlen(text) : 0);
}

static void bind_number(sqlite3_stmt *statement, int column, uint64_t number)
{
    int rc = sqlite3_bind_int64(statement, column, (sqlite3_int64)number);

    assert(rc == SQLITE_OK);
}

static void finish(sqlite3_stmt *statement)
{
    /* The reset returns the error of the last step again. */
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
}

/* Runs a statement that returns no row: 0, or the error. */
static int perform(struct journal *journal, sqlite3_stmt *statement, struct err *err)
{
    int rc = sqlite3_step(statement);

    rc = rc == SQLITE_DONE ? 0 : database_error(&journal->db, rc, err);
    finish(statement);
    return rc;
}

/* ---- opening ---- */

static int journal_new(struct journal **out, const char *path, struct err *err,
                       int (*open)(struct database *db, const char *path, struct err *err))
{
    struct journal *journal = mem_alloc(sizeof *journal);
    int rc;

    *out = NULL;
    buf_init(&journal->body, EVENT_BYTES_MAX);
    rc = open(&journal->db, path, err);
    if (rc == 0) rc = schema_prepare(&journal->db, err);
    if (rc == 0) *out = journal;
    else journal_close(journal);
    return rc;
}

int journal_open(struct journal **out, const char *path, struct err *err)
{
    return journal_new(out, path, err, database_open);
}

int journal_open_alone(struct journal **out, const char *path, struct err *err)
{
    return journal_new(out, path, err, database_open_alone);
}

int journal_open_readonly(struct journal **out, const char *path, struct err *err)
{
    return journal_new(out, path, err, database_open_readonly);
}

void journal_close(struct journal *journal)
{
    if (!journal) return;
    for (int i = 0; i < STATEMENT_COUNT; i++) (void)sqlite3_finalize(journal->statements[i]);
    database_close(&journal->db);
    buf_release(&journal->body);
    free(journal);
}

/* ---- writing ---- */

int journal_hurry(struct journal *journal, struct err *err)
{
    journal->hurried = true;
    return database_hurry(&journal->db, err);
}

void journal_work_in(struct journal *journal)
{
    database_work_in(&journal->db);
}

static bool is_in_transaction(const struct journal *journal)
{
    return !sqlite3_get_autocommit(journal->db.handle);
}

static int begin(struct journal *journal, bool loose, struct err *err)
{
    sqlite3_stmt *statement;
    int rc = 0;

    assert(!journal->db.readonly && !is_in_transaction(journal));
    if (journal->loose != loose && !journal->hurried) {
        rc = database_exec(&journal->db, loose ? "PRAGMA synchronous = NORMAL"
                                               : "PRAGMA synchronous = FULL", err);
        if (rc != 0) return rc;
        journal->loose = loose;
    }
    rc = prepare(journal, BEGIN, &statement, err);
    return rc != 0 ? rc : perform(journal, statement, err);
}

int journal_begin(struct journal *journal, struct err *err)
{
    return begin(journal, false, err);
}

int journal_begin_loose(struct journal *journal, struct err *err)
{
    return begin(journal, true, err);
}

/* Prepares a statement of a transaction, which a failure ends. */
static int prepare_put(struct journal *journal, enum statement which, sqlite3_stmt **out,
                       struct err *err)
{
    int rc;

    assert(is_in_transaction(journal));
    rc = prepare(journal, which, out, err);
    if (rc != 0) database_rollback(&journal->db);
    return rc;
}

/* Performs a put; a failure ends the transaction. */
static int statement_put(struct journal *journal, sqlite3_stmt *statement, struct err *err)
{
    int rc = perform(journal, statement, err);

    if (rc != 0) database_rollback(&journal->db);
    return rc;
}

/* A put that must change the row of this run. */
static int put_to_run(struct journal *journal, sqlite3_stmt *statement, const char *run,
                      struct err *err)
{
    int rc = statement_put(journal, statement, err);

    if (rc != 0 || sqlite3_changes(journal->db.handle) == 1) return rc;
    database_rollback(&journal->db);
    err_set(err, ERR_MISSING, "there is no run %s", run);
    return database_wrap(&journal->db, err);
}

int journal_put_run(struct journal *journal, const struct journal_run *run, struct err *err)
{
    sqlite3_stmt *statement;
    int rc = prepare_put(journal, PUT_RUN, &statement, err);

    if (rc != 0) return rc;
    bind_cstr(statement, 1, run->id);
    bind_cstr(statement, 2, run->dialect);
    bind_cstr(statement, 3, run->task ? run->task : "");
    bind_cstr(statement, 4, run->workspace);
    bind_cstr(statement, 5, run->settings);
    bind_number(statement, 6, run->created_ms);
    bind_number(statement, 7, run->updated_ms);
    bind_cstr(statement, 8, run->reason == REASON_NONE ? NULL : reason_word(run->reason));
    return statement_put(journal, statement, err);
}

int journal_put_event(struct journal *journal, const char *run, const struct event *event,
                      struct err *err)
{
    sqlite3_stmt *touch, *insert;
    int rc = prepare_put(journal, TOUCH_RUN, &touch, err);

    if (rc == 0) rc = prepare_put(journal, PUT_EVENT, &insert, err);
    if (rc != 0) return rc;
    buf_clear(&journal->body);
    event_write(event, &journal->body);
    if (journal->body.overflow) {
        err_set(err, ERR_LIMIT, "run %s: an event is over %d MB", run,
                EVENT_BYTES_MAX / 1024 / 1024);
        database_rollback(&journal->db);
        return database_wrap(&journal->db, err);
    }
    bind_cstr(touch, 1, run);
    bind_number(touch, 2, event->now_ms);
    rc = put_to_run(journal, touch, run, err);
    if (rc != 0) return rc;
    bind_cstr(insert, 1, run);
    bind_number(insert, 2, event->now_ms);
    bind_cstr(insert, 3, event_word(event->kind));
    bind_text(insert, 4, buf_cstr(&journal->body), journal->body.size);
    return statement_put(journal, insert, err);
}

int journal_put_reason(struct journal *journal, const char *run, enum reason reason,
                       struct err *err)
{
    sqlite3_stmt *statement;
    int rc = prepare_put(journal, PUT_REASON, &statement, err);

    if (rc != 0) return rc;
    bind_cstr(statement, 1, run);
    bind_cstr(statement, 2, reason == REASON_NONE ? NULL : reason_word(reason));
    return put_to_run(journal, statement, run, err);
}

int journal_put_row(struct journal *journal, const struct contract_row *row, struct err *err)
{
    int rc;

    assert(is_in_transaction(journal));
    rc = rows_put(&journal->db, row, err);
    if (rc != 0) database_rollback(&journal->db);
    return rc;
}

int journal_remove_run(struct journal *journal, const char *run, struct err *err)
{
    int rc;

    assert(is_in_transaction(journal));
    rc = rows_remove(&journal->db, run, err);
    if (rc != 0) database_rollback(&journal->db);
    return rc;
}

void journal_shrink(struct journal *journal)
{
    struct err none;

    (void)database_exec(&journal->db, "VACUUM", &none);
}

int journal_commit(struct journal *journal, struct err *err)
{
    sqlite3_stmt *statement;
    int rc = prepare_put(journal, COMMIT, &statement, err);

    return rc == 0 ? statement_put(journal, statement, err) : rc;
}

/* ---- reading ---- */

static struct str column_str(sqlite3_stmt *statement, int column)
{
    /* The text must be asked for first: only then does SQLite count the bytes of the text. */
    const unsigned char *text = sqlite3_column_text(statement, column);

    return (struct str){ (const char *)text,
                         text ? (size_t)sqlite3_column_bytes(statement, column) : 0 };
}

/* Ids and dialects are names: of letters, digits and dashes. They are parts of paths and are shown
 * as they are. */
static bool is_name(struct str text)
{
    if (text.size == 0 || text.size > NAME_BYTES_MAX || text.data[0] == '.') return false;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (!byte_is_alnum(byte) && byte != '-' && byte != '_' && byte != '.') return false;
    }
    return true;
}

/* A time that a person could have lived to see. */
static uint64_t column_time(sqlite3_stmt *row, int column)
{
    sqlite3_int64 ms = sqlite3_column_int64(row, column);

    return ms < 0 ? 0 : (uint64_t)ms > CLOCK_MS_MAX ? CLOCK_MS_MAX : (uint64_t)ms;
}

static int read_run(struct journal *journal, sqlite3_stmt *row, struct arena *arena,
                    struct journal_run *out, struct err *err)
{
    struct str reason = column_str(row, 7);

    *out = (struct journal_run){
        .id = arena_cstr(arena, column_str(row, 0)),
        .dialect = arena_cstr(arena, column_str(row, 1)),
        .task = arena_cstr(arena, column_str(row, 2)),
        .workspace = arena_cstr(arena, column_str(row, 3)),
        .settings = arena_cstr(arena, column_str(row, 4)),
        .created_ms = column_time(row, 5),
        .updated_ms = column_time(row, 6),
        .reason = REASON_NONE,
        .event_count = (uint64_t)sqlite3_column_int64(row, 8),
    };
    if (!is_name(column_str(row, 0)) || !is_name(column_str(row, 1))) {
        err_set(err, ERR_FORMAT, "it has a run whose id or dialect is no name: hone did not write "
                "it; move the file away, the next run makes a new one");
        return database_wrap(&journal->db, err);
    }
    if (!reason.data || reason_from_word(reason, &out->reason)) return 0;
    err_set(err, ERR_FORMAT, "run %s: its end has a reason we do not know; move the file away, "
            "the next run makes a new one", out->id);
    return database_wrap(&journal->db, err);
}

/* Steps over the rows of a statement that selects runs. */
static int each_run(struct journal *journal, sqlite3_stmt *statement, struct arena *arena,
                    bool (*visit)(void *context, const struct journal_run *run), void *context,
                    struct err *err)
{
    struct journal_run run;
    int rc;

    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        rc = read_run(journal, statement, arena, &run, err);
        if (rc != 0) goto out;
        if (!visit(context, &run)) goto out;
    }
    rc = rc == SQLITE_DONE ? 0 : database_error(&journal->db, rc, err);

out:
    finish(statement);
    return rc;
}

int journal_runs(struct journal *journal, struct arena *arena,
                 bool (*visit)(void *context, const struct journal_run *run), void *context,
                 struct err *err)
{
    sqlite3_stmt *statement;
    int rc = prepare(journal, LIST_RUNS, &statement, err);

    return rc != 0 ? rc : each_run(journal, statement, arena, visit, context, err);
}

/* The runs that a prefix fits: the first one, and the ids of some for a message. */
struct found {
    const char *prefix;
    struct journal_run first;
    uint32_t count;
    const char *ids[FOUND_MAX];
};

static bool on_found(void *context, const struct journal_run *run)
{
    struct found *found = context;

    if (found->count == 0) found->first = *run;
    if (found->count < FOUND_MAX) found->ids[found->count] = run->id;
    found->count++;
    return found->count <= FOUND_MAX && strcmp(run->id, found->prefix) != 0;
}

static int report_several(const struct found *found, struct err *err)
{
    struct buf ids;
    int rc;

    buf_init(&ids, ERR_TEXT_BYTES);
    for (uint32_t i = 0; i < found->count && i < FOUND_MAX; i++) {
        buf_printf(&ids, "%s%s", i ? ", " : "", found->ids[i]);
    }
    if (found->count > FOUND_MAX) buf_text(&ids, " and more");
    rc = err_set(err, ERR_USAGE, "%.60s fits several runs: %s; give more of the id", found->prefix,
                 buf_cstr(&ids));
    buf_release(&ids);
    return rc;
}

int journal_find(struct journal *journal, const char *prefix, const char *workspace,
                 struct arena *arena, struct journal_run *out, struct err *err)
{
    struct found found = { .prefix = prefix };
    bool newest = prefix[0] == '\0';
    sqlite3_stmt *statement;
    int rc = prepare(journal, newest ? FIND_NEWEST : FIND_PREFIX, &statement, err);

    if (rc != 0) return rc;
    bind_cstr(statement, 1, newest ? workspace : prefix);
    rc = each_run(journal, statement, arena, on_found, &found, err);
    if (rc != 0) return rc;
    if (found.count == 0 && newest) {
        err_set(err, ERR_MISSING, "there is no run yet%s%s", workspace ? " in " : "",
                workspace ? workspace : "");
        return database_wrap(&journal->db, err);
    }
    if (found.count == 0) {
        err_set(err, ERR_MISSING, "there is no run %s", prefix);
        return database_wrap(&journal->db, err);
    }
    if (found.count > 1 && strcmp(found.first.id, prefix) != 0) return report_several(&found, err);
    *out = found.first;
    return 0;
}

int journal_get(struct journal *journal, const char *id, struct arena *arena,
                struct journal_run *out, struct err *err)
{
    struct found found = { .prefix = id };
    sqlite3_stmt *statement;
    int rc = prepare(journal, GET_RUN, &statement, err);

    if (rc != 0) return rc;
    bind_cstr(statement, 1, id);
    rc = each_run(journal, statement, arena, on_found, &found, err);
    if (rc != 0) return rc;
    if (found.count == 0) {
        err_set(err, ERR_MISSING, "there is no run %s", id);
        return database_wrap(&journal->db, err);
    }
    *out = found.first;
    return 0;
}

/* The one number that a statement answers. */
static int read_number(struct journal *journal, enum statement which, uint64_t *out,
                       struct err *err)
{
    sqlite3_stmt *statement;
    int rc = prepare(journal, which, &statement, err);

    if (rc != 0) return rc;
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) *out = (uint64_t)sqlite3_column_int64(statement, 0);
    rc = rc == SQLITE_ROW ? 0 : database_error(&journal->db, rc, err);
    finish(statement);
    return rc;
}

int journal_version(struct journal *journal, uint64_t *out, struct err *err)
{
    return read_number(journal, VERSION, out, err);
}

int journal_census(struct journal *journal, uint64_t *out, struct err *err)
{
    return read_number(journal, CENSUS, out, err);
}

int journal_hold(struct journal *journal, struct err *err)
{
    sqlite3_stmt *statement;
    int rc;

    assert(!is_in_transaction(journal));
    rc = prepare(journal, HOLD, &statement, err);
    return rc != 0 ? rc : perform(journal, statement, err);
}

void journal_let_go(struct journal *journal)
{
    database_rollback(&journal->db);
}

int journal_replay(struct journal *journal, const char *run, uint64_t behind,
                   bool (*visit)(void *context, uint64_t sequence, const struct event *event),
                   void *context, struct err *err)
{
    struct arena arena = { 0 };
    sqlite3_stmt *statement;
    int rc = prepare(journal, REPLAY, &statement, err);

    if (rc != 0) return rc;
    bind_cstr(statement, 1, run);
    bind_number(statement, 2, behind);
    for (uint64_t sequence = behind + 1; (rc = sqlite3_step(statement)) == SQLITE_ROW; sequence++) {
        struct event event;
        bool more;

        if ((uint64_t)sqlite3_column_int64(statement, 0) != sequence) {
            err_set(err, ERR_FORMAT, "run %s: event %" PRIu64 " is missing", run, sequence);
            rc = database_wrap(&journal->db, err);
            goto out;
        }
        rc = event_read(column_str(statement, 1), &arena, &event, err);
        if (rc != 0) {
            err_wrap(err, "run %s: event %" PRIu64, run, sequence);
            rc = database_wrap(&journal->db, err);
            goto out;
        }
        more = visit(context, sequence, &event);
        arena_release(&arena);
        if (!more) goto out;
    }
    rc = rc == SQLITE_DONE ? 0 : database_error(&journal->db, rc, err);

out:
    finish(statement);
    arena_release(&arena);
    return rc;
}
