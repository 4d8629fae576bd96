/* SPDX-License-Identifier: Apache-2.0
 *
 * tables.c - the tables of the loops dialect. loop_reviews and review_issues are a contract with
 * other tools.
 *
 * Not here: their rows (record.c), and writing them (store/). */
#include "dialect/loops/loops.h"

#include <stddef.h>

static const char *const loops_columns[] = {
    "id", "run_id", "task_ids", "group_name", "status", "phase", "iteration", "max_iterations",
    "review_interval", "last_review_at", "review_status", "last_review_id", "revision_attempts",
    "worktree_path", NULL,
};

static const char *const tasks_columns[] = {
    "run_id", "id", "position", "title", "description", "group_name", "depends_on", "status",
    "loop_id", NULL,
};

static const char *const loop_reviews_columns[] = {
    "id", "run_id", "loop_id", "task_id", "passed", "interpreted_intent", "intent_satisfied",
    "reviewed_at", "cost_usd", NULL,
};

static const char *const review_issues_columns[] = {
    "run_id", "task_id", "file", "line", "type", "description", "suggestion", "created_at",
    "loop_id", "loop_review_id", NULL,
};

const struct contract_table loops_tables[] = {
    {
        .name = "loops",
        .version = 2,
        .create =
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
          ");",
        .indexes =
          "CREATE INDEX loops_by_run ON loops (run_id);",
        .key_count = 1,
        .columns = loops_columns,
    },
    {
        .name = "tasks",
        .version = 2,
        .create =
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
          ");",
        .key_count = 2,
        .columns = tasks_columns,
    },
    {
        .name = "loop_reviews",
        .version = 2,
        .create =
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
          ");",
        .indexes =
          "CREATE INDEX loop_reviews_by_loop ON loop_reviews (loop_id);"
          "CREATE INDEX loop_reviews_by_run ON loop_reviews (run_id);",
        .key_count = 1,
        .columns = loop_reviews_columns,
    },
    {
        .name = "review_issues",
        .version = 2,
        .create =
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
          ");",
        .indexes =
          "CREATE INDEX review_issues_by_run ON review_issues (run_id, loop_review_id);",
        .key_count = 0,
        .columns = review_issues_columns,
    },
    { .name = NULL },
};
