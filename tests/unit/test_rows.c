/* SPDX-License-Identifier: Apache-2.0
 *
 * test_rows.c - rows of dialects' tables: put, put again, refused; and databases that were made
 * before there were such tables. */
#include "journal_ground.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct err err;

static struct contract_cell text_cell(const char *column, const char *text)
{
    return (struct contract_cell){ .column = column, .kind = CELL_TEXT, .text = str_of(text) };
}

static struct contract_cell number_cell(const char *column, int64_t number)
{
    return (struct contract_cell){ .column = column, .kind = CELL_INTEGER, .integer = number };
}

static struct contract_cell null_cell(const char *column)
{
    return (struct contract_cell){ .column = column, .kind = CELL_NULL };
}

static struct journal *open_with_run(const char *id)
{
    struct journal_run run = { .id = id, .dialect = "loops", .task = "t", .workspace = "/w",
                               .settings = "{}" };
    struct journal *journal = open_journal();

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &run, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    return journal;
}

static int put(struct journal *journal, const char *table, const struct contract_cell *cells,
               uint32_t count)
{
    struct contract_row row = { table, cells, count };
    int rc;

    assert_int_equal(journal_begin(journal, &err), 0);
    rc = journal_put_row(journal, &row, &err);
    return rc != 0 ? rc : journal_commit(journal, &err);
}

static int put_loop(struct journal *journal, const char *run, const char *id, int64_t iteration)
{
    const struct contract_cell cells[] = {
        text_cell("id", id), text_cell("run_id", run), text_cell("task_ids", "[\"a\"]"),
        text_cell("status", "running"), text_cell("phase", "build"),
        number_cell("iteration", iteration), number_cell("max_iterations", 50),
    };

    return put(journal, "loops", cells, COUNT(cells));
}

static int put_review(struct journal *journal, const char *id, const char *loop, int64_t passed)
{
    const struct contract_cell cells[] = {
        text_cell("id", id), text_cell("run_id", "r"), text_cell("loop_id", loop),
        null_cell("task_id"), number_cell("passed", passed),
        text_cell("reviewed_at", "2026-01-02T03:04:05.006Z"),
        { .column = "cost_usd", .kind = CELL_REAL, .real = 0.25 },
    };

    return put(journal, "loop_reviews", cells, COUNT(cells));
}

static int put_issue(struct journal *journal, const char *review, const char *text)
{
    struct contract_cell cells[] = {
        text_cell("run_id", "r"), null_cell("task_id"), text_cell("file", "a.c"),
        number_cell("line", 3), text_cell("type", "dead-code"), text_cell("description", text),
        text_cell("suggestion", ""), text_cell("created_at", "2026-01-02T03:04:05Z"),
        null_cell("loop_id"), review ? text_cell("loop_review_id", review)
                                     : null_cell("loop_review_id"),
    };

    return put(journal, "review_issues", cells, COUNT(cells));
}

#define ROWS_TEST(name) TEST_WITH(name, journal_ground_open, journal_ground_close)

ROWS_TEST(a_row_with_the_same_key_is_replaced)
{
    struct journal *journal = open_with_run("r");

    assert_int_equal(put_loop(journal, "r", "r-1", 1), 0);
    assert_int_equal(put_loop(journal, "r", "r-2", 1), 0);
    assert_int_equal(put_loop(journal, "r", "r-1", 2), 0);
    journal_close(journal);
    assert_string_equal(sql_says("SELECT id || ' ' || iteration FROM loops ORDER BY id"),
                        "r-1 2,r-2 1");
}

ROWS_TEST(a_key_of_two_columns_is_both_of_them)
{
    struct journal *journal = open_with_run("r");
    struct contract_cell cells[] = {
        text_cell("run_id", "r"), text_cell("id", "a"), number_cell("position", 1),
        text_cell("title", "one"), text_cell("description", ""), text_cell("depends_on", "[]"),
        text_cell("status", "pending"),
    };

    journal_close(journal);
    journal = open_with_run("s");
    assert_int_equal(put(journal, "tasks", cells, COUNT(cells)), 0);
    cells[3] = text_cell("title", "two");
    assert_int_equal(put(journal, "tasks", cells, COUNT(cells)), 0);
    cells[0] = text_cell("run_id", "s");
    assert_int_equal(put(journal, "tasks", cells, COUNT(cells)), 0);
    cells[1] = text_cell("id", "b");
    assert_int_equal(put(journal, "tasks", cells, COUNT(cells)), 0);
    journal_close(journal);
    assert_string_equal(sql_says("SELECT run_id || id || title FROM tasks ORDER BY run_id, id"),
                        "ratwo,satwo,sbtwo");
}

ROWS_TEST(a_review_needs_its_run_and_its_loop)
{
    struct journal *journal = open_with_run("r");

    assert_int_equal(put_loop(journal, "nobody", "x-1", 1), ERR_USAGE);
    assert_int_equal(put_review(journal, "r-1-4-1", "r-1", 1), ERR_USAGE);
    assert_int_equal(put_loop(journal, "r", "r-1", 1), 0);
    assert_int_equal(put_review(journal, "r-1-4-1", "r-1", 0), 0);
    assert_int_equal(put_review(journal, "r-1-5-1", "r-1", 1), 0);
    journal_close(journal);
    assert_string_equal(sql_says("SELECT id || passed || coalesce(task_id, '-') || cost_usd "
                                 "FROM loop_reviews ORDER BY id"), "r-1-4-10-0.25,r-1-5-11-0.25");
}

ROWS_TEST(an_issue_that_is_put_again_is_there_once)
{
    struct journal *journal = open_with_run("r");

    for (int i = 0; i < 3; i++) {
        assert_int_equal(put_issue(journal, "r-1-4-1", "one"), 0);
        assert_int_equal(put_issue(journal, "r-1-4-1", "two"), 0);
        assert_int_equal(put_issue(journal, "r-1-5-1", "one"), 0);
        assert_int_equal(put_issue(journal, NULL, "one"), 0);
    }
    journal_close(journal);
    assert_string_equal(sql_says("SELECT id || coalesce(loop_review_id, '-') || description "
                                 "FROM review_issues ORDER BY id"),
                        "1r-1-4-1one,2r-1-4-1two,3r-1-5-1one,4-one");
}

ROWS_TEST(names_that_are_not_ours_are_refused_and_nothing_is_kept)
{
    static const char *const odd[] = { "runs", "events", "sqlite_schema", "Loops", "",
                                       "loops (id) VALUES (1); DROP TABLE runs; --" };
    struct journal *journal = open_with_run("r");
    const struct contract_cell strange[] = { text_cell("id", "r-1"), text_cell("rowid", "1") };
    const struct contract_cell twice[] = { text_cell("id", "r-1"), text_cell("id", "r-2") };
    const struct contract_cell behind[] = { text_cell("run_id", "r"), text_cell("id", "r-1") };

    for (size_t i = 0; i < COUNT(odd); i++) {
        assert_int_equal(put(journal, odd[i], behind, 2), ERR_USAGE);
    }
    assert_int_equal(put(journal, "loops", strange, 2), ERR_USAGE);
    assert_int_equal(put(journal, "loops", twice, 2), ERR_USAGE);
    assert_int_equal(put(journal, "loops", behind, 2), ERR_USAGE);
    assert_int_equal(put(journal, "loops", NULL, 0), ERR_USAGE);
    assert_string_equal(sql_says("SELECT count(*) FROM loops"), "0");
    assert_string_equal(sql_says("SELECT id FROM runs"), "r");
    assert_int_equal(put_loop(journal, "r", "r-1", 1), 0);
    journal_close(journal);
}

ROWS_TEST(a_refused_row_takes_its_transaction_with_it)
{
    struct journal *journal = open_with_run("r");
    const struct contract_cell cells[] = {
        text_cell("id", "r-1"), text_cell("run_id", "r"), text_cell("task_ids", "[]"),
        text_cell("status", "running"), text_cell("phase", "build"),
        number_cell("max_iterations", 1),
    };
    struct contract_row good = { "loops", cells, COUNT(cells) }, bad = { "runs", cells, 1 };

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_row(journal, &good, &err), 0);
    assert_int_equal(journal_put_row(journal, &bad, &err), ERR_USAGE);
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    journal_close(journal);
    assert_string_equal(sql_says("SELECT count(*) FROM loops"), "0");
}

ROWS_TEST(texts_are_kept_byte_for_byte)
{
    struct journal *journal = open_with_run("r");

    assert_int_equal(put_issue(journal, NULL, "'); DROP TABLE runs; --\n\x1b[31m \xc3\xa9"), 0);
    journal_close(journal);
    assert_string_equal(sql_says("SELECT description FROM review_issues"),
                        "'); DROP TABLE runs; --\n\x1b[31m \xc3\xa9");
}

/* ---- databases of the first version ---- */

static const char version_one[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE runs (id TEXT NOT NULL PRIMARY KEY, dialect TEXT NOT NULL, task TEXT NOT NULL,"
    " workspace TEXT NOT NULL, settings TEXT NOT NULL, created_ms INTEGER NOT NULL,"
    " updated_ms INTEGER NOT NULL, reason TEXT) STRICT;"
    "CREATE TABLE events (run_id TEXT NOT NULL REFERENCES runs (id), seq INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,"
    " PRIMARY KEY (run_id, seq)) STRICT, WITHOUT ROWID;"
    "INSERT INTO runs VALUES ('old', 'review', 't', '/w', '{}', 1, 2, 'clean');"
    "INSERT INTO events VALUES ('old', 1, 1, 'start', '{\"kind\":\"start\",\"now_ms\":1}');"
    "PRAGMA application_id = 0x686f6e65;"
    "PRAGMA user_version = 1";

ROWS_TEST(an_older_database_gets_the_tables_and_keeps_its_runs)
{
    struct journal *journal;

    sql_by_hand(version_one);
    journal = open_with_run("r");
    assert_int_equal(put_loop(journal, "r", "r-1", 1), 0);
    assert_int_equal(put_loop(journal, "old", "old-1", 1), 0);
    journal_close(journal);
    assert_string_equal(sql_says("SELECT id FROM runs ORDER BY id"), "old,r");
    assert_string_equal(sql_says("SELECT count(*) FROM events"), "1");
    assert_string_equal(sql_says("PRAGMA user_version"), "2");
    assert_string_equal(sql_says("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT "
                                 "LIKE 'sqlite%' ORDER BY name"),
                        "events,loop_reviews,loops,review_issues,runs,tasks");
}

ROWS_TEST(an_older_database_can_be_read_and_stays_as_it_is)
{
    struct arena arena = { 0 };
    struct journal_run run;
    struct journal *journal;

    sql_by_hand(version_one);
    assert_int_equal(journal_open_readonly(&journal, journal_path, &err), 0);
    assert_int_equal(journal_find(journal, "", NULL, &arena, &run, &err), 0);
    assert_string_equal(run.id, "old");
    assert_int_equal(run.event_count, 1);
    journal_close(journal);
    arena_release(&arena);
    assert_string_equal(sql_says("PRAGMA user_version"), "1");
}

ROWS_TEST(the_contract_tables_have_the_columns_they_are_known_by)
{
    journal_close(open_with_run("r"));
    assert_string_equal(
        sql_says("SELECT name || ' ' || type || CASE \"notnull\" WHEN 1 THEN ' not null' "
                 "ELSE '' END || coalesce(' ' || dflt_value, '') "
                 "FROM pragma_table_info('loop_reviews')"),
        "id TEXT,run_id TEXT not null,loop_id TEXT not null,task_id TEXT,passed INTEGER not null,"
        "interpreted_intent TEXT,intent_satisfied INTEGER,reviewed_at TEXT not null,"
        "cost_usd REAL 0");
    assert_string_equal(
        sql_says("SELECT \"table\" || ' ' || \"from\" FROM pragma_foreign_key_list('loop_reviews')"
                 " ORDER BY 1"), "loops loop_id,runs run_id");
    assert_string_equal(sql_says("SELECT name FROM pragma_table_info('review_issues')"),
                        "id,run_id,task_id,file,line,type,description,suggestion,created_at,"
                        "loop_id,loop_review_id");
    assert_string_equal(sql_says("SELECT \"notnull\" FROM pragma_table_info('review_issues')"
                                 " WHERE name IN ('task_id', 'loop_id', 'loop_review_id')"),
                        "0,0,0");
}
