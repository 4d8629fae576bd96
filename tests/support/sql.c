/* SPDX-License-Identifier: Apache-2.0
 *
 * sql.c - for stories: performs statements on a SQLite database, and prints the first column of
 * what they answer. Usage: sql FILE STATEMENTS */
#include <sqlite3.h>
#include <stdio.h>

static int print_first(void *unused, int count, char **values, char **names)
{
    (void)unused;
    (void)names;
    if (count > 0) printf("%s\n", values[0] ? values[0] : "");
    return 0;
}

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    int code = 1;

    if (argc == 3 && sqlite3_open(argv[1], &db) == SQLITE_OK) {
        code = sqlite3_exec(db, argv[2], print_first, NULL, NULL) != SQLITE_OK;
        if (code) fprintf(stderr, "sql: %s\n", sqlite3_errmsg(db));
    }
    sqlite3_close(db);
    return code;
}
