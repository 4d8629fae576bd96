/* SPDX-License-Identifier: Apache-2.0 */
#include "journal_ground.h"

#include "ground.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <sqlite3.h>

char journal_folder[GROUND_PATH_BYTES], journal_path[JOURNAL_PATH_BYTES];

int journal_ground_open(void **state)
{
    const struct ground *ground;

    if (ground_open(state) != 0) return -1;
    ground = *state;
    (void)snprintf(journal_folder, sizeof journal_folder, "%s", ground->work);
    (void)snprintf(journal_path, sizeof journal_path, "%s/journal.db", journal_folder);
    return 0;
}

int journal_ground_close(void **state)
{
    (void)chmod(journal_folder, 0700);
    return ground_close(state);
}

struct journal *open_journal(void)
{
    struct journal *journal;
    struct err err;

    if (journal_open(&journal, journal_path, &err) != 0) fail_msg("%s", err.text);
    return journal;
}

static sqlite3 *open_by_hand(void)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(journal_path, &db), SQLITE_OK);
    return db;
}

void sql_by_hand(const char *sql)
{
    sqlite3 *db = open_by_hand();

    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

const char *sql_says(const char *sql)
{
    static char text[4096];
    sqlite3 *db = open_by_hand();
    sqlite3_stmt *statement;

    text[0] = '\0';
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const unsigned char *cell = sqlite3_column_text(statement, 0);
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "",
                       cell ? (const char *)cell : "NULL");
    }
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return text;
}
