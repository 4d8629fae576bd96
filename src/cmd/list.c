/* SPDX-License-Identifier: Apache-2.0
 *
 * list.c - hone list: the runs of this repository's journal, the newest first, as a table or as
 * JSON. The lock of a run's workspace says whether the run is alive. */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/verbs.h"
#include "run/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_SHOWN_MAX = 60, PATH_SHOWN_MAX = 100 };

struct row {
    struct journal_run run;
    bool alive;
};

struct rows {
    struct row *items;
    uint32_t count, cap;
};

/* Runs are collected first: no other query may run during the walk. */
static bool collect(void *context, const struct journal_run *run)
{
    struct rows *rows = context;

    rows->items = mem_grow(rows->items, rows->count, &rows->cap, sizeof *rows->items);
    rows->items[rows->count++] = (struct row){ .run = *run };
    return true;
}

static void show_json(const struct rows *rows)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *runs;

    runs = yyjson_mut_obj_add_arr(doc, root, "runs");
    for (uint32_t i = 0; i < rows->count; i++) {
        yyjson_mut_val *run = yyjson_mut_arr_add_obj(doc, runs);
        look_describe(doc, run, &rows->items[i].run, rows->items[i].alive);
    }
    say_json(doc, true);
}

static const struct table_column columns[] = {
    { .title = "RUN" }, { .title = "DIALECT", .spare = 2 }, { .title = "STATE" },
    { .title = "STARTED (UTC)", .spare = 1 }, { .title = "TASK" }, { .title = NULL },
};

static const char *task_text(const struct look *look, const struct journal_run *run,
                             struct arena *arena)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    add_safe(&out, run->task, TASK_SHOWN_MAX);
    if (strcmp(run->workspace, look->repo.workspace) != 0) {
        buf_text(&out, "  (in ");
        add_safe(&out, run->workspace, PATH_SHOWN_MAX);
        buf_byte(&out, ')');
    }
    return arena_take_cstr(arena, &out);
}

static void show_text(struct look *look, const struct rows *rows, uint32_t columns_max)
{
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(&look->arena,
                                                          rows->count * sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = rows->count };
    struct buf out;

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct journal_run *run = &rows->items[i].run;
        char iso[CLOCK_ISO_BYTES];

        cells[i][0] = run->id;
        cells[i][1] = run->dialect;
        cells[i][2] = standing_word(run, rows->items[i].alive);
        cells[i][3] = arena_cstr(&look->arena, str_of(clock_iso(run->created_ms, iso)));
        cells[i][4] = task_text(look, run, &look->arena);
    }
    buf_init(&out, SAY_BYTES_MAX);
    table_put(&table, columns_max, &out);
    say_take(&out);
}

static int handle(struct call *call)
{
    struct rows rows = { 0 };
    struct look look;
    struct err err;
    int rc, code = CODE_DONE;

    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = journal_runs(look.journal, &look.arena, collect, &rows, &err);
    for (uint32_t i = 0; rc == 0 && i < rows.count; i++) {
        rc = look_alive(&look, &rows.items[i].run, &rows.items[i].alive, &err);
    }
    if (rc != 0 && !(rc == ERR_MISSING && look_is_empty(&look))) {
        code = say_err(&err);
    } else if (call->json) {
        show_json(&rows);
    } else if (rows.count == 0) {
        puts("no runs in this repository yet");
    } else {
        show_text(&look, &rows, table_columns(call));
    }
    free(rows.items);
    look_close(&look);
    return code;
}

const struct verb verb_list = {
    .name = "list",
    .summary = "list the runs of this repository",
    .text = {
        "Lists all runs of the repository, the newest first, with what has become of them: "
        "running, crashed (no process works on it and it has no end: 'hone resume' continues it), "
        "or the reason of its end.",
    },
    .codes = {
        { CODE_DONE, "they were listed; there may be none" },
        { CODE_USAGE, "there is no repository here" },
    },
    .examples = { "hone list", "hone list --json" },
    .handle = handle,
};
