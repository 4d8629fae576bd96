/* SPDX-License-Identifier: Apache-2.0
 *
 * list.c - hone list: the runs of this repository's journal, the newest first, as a table or as
 * JSON. The lock of a run's workspace says whether the run is alive; its events, replayed,
 * say what it found and what it cost. */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/verbs.h"
#include "document/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS_CELLS = 6, TASK_SHOWN_MAX = 60, PATH_SHOWN_MAX = 100 };

struct rows {
    struct run_row *items;
    uint32_t count, cap;
    const struct run_row **shown; /* what is to be shown of them; for JSON all */
    uint32_t shown_count;
};

/* Runs are collected first: no other query may run during the walk. */
static bool collect(void *context, const struct journal_run *run)
{
    struct rows *rows = context;

    rows->items = mem_grow(rows->items, rows->count, &rows->cap, sizeof *rows->items);
    rows->items[rows->count++] = (struct run_row){ .run = *run };
    return true;
}

static const struct table_column columns[] = {
    { .title = "RUN" }, { .title = "DIALECT", .spare = 5 }, { .title = "STATE" },
    { .title = "FOUND", .right = true, .spare = 6 },
    { .title = "FIXED", .right = true, .spare = 7 },
    { .title = "LEFT", .right = true }, { .title = "COST", .right = true, .spare = 3 },
    { .title = "TOOK", .right = true, .spare = 4 }, { .title = "SCOPE", .spare = 2 },
    { .title = "STARTED (UTC)", .spare = 1 }, { .title = "TASK" }, { .title = NULL },
};

static void sums_cells(const struct run_sums *sums, struct arena *arena, const char **cells)
{
    char span[CLOCK_SPAN_BYTES];

    for (uint32_t i = 0; i < SUMS_CELLS; i++) cells[i] = "-";
    if (!sums->known) return;
    cells[0] = arena_printf(arena, "%" PRIu32, sums->found);
    cells[1] = arena_printf(arena, "%" PRIu32, sums->fixed);
    cells[2] = arena_printf(arena, "%" PRIu32, sums->left);
    if (sums->cost_micros) {
        cells[3] = arena_printf(arena, "$%" PRIu64 ".%02" PRIu64, sums->cost_micros / 1000000,
                                sums->cost_micros % 1000000 / 10000);
    }
    cells[4] = arena_cstr(arena, str_of(clock_span(sums->took_ms, span)));
    if (*sums->scope) cells[5] = sums->scope;
}

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
                                                          rows->shown_count * sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = rows->shown_count };
    struct buf out;

    for (uint32_t i = 0; i < rows->shown_count; i++) {
        const struct journal_run *run = &rows->shown[i]->run;
        char iso[CLOCK_ISO_BYTES];

        cells[i][0] = run->id;
        cells[i][1] = run->dialect;
        cells[i][2] = standing_word(run, rows->shown[i]->alive);
        sums_cells(&rows->shown[i]->sums, &look->arena, &cells[i][3]);
        cells[i][3 + SUMS_CELLS] = arena_cstr(&look->arena,
                                              str_of(clock_iso(run->created_ms, iso)));
        cells[i][4 + SUMS_CELLS] = task_text(look, run, &look->arena);
    }
    buf_init(&out, SAY_BYTES_MAX);
    table_put(&table, columns_max, &out);
    say_take(&out);
}

/* What is shown, in the order of the rows. */
static void choose(struct rows *rows, const struct runs_query *query, struct arena *arena)
{
    uint32_t fitting = 0;

    rows->shown = arena_alloc(arena, (rows->count + (size_t)1) * sizeof(void *));
    for (uint32_t i = 0; i < rows->count; i++) {
        if (query && !row_fits(&rows->items[i], query)) continue;
        if (query && !slice_takes(&query->slice, fitting++)) continue;
        rows->shown[rows->shown_count++] = &rows->items[i];
    }
}

static int read_query(const struct call *call, struct runs_query *out, struct err *err)
{
    *out = (struct runs_query){
        .state = call_value(call, "state"), .dialect = call_value(call, "dialect"),
        .branch = call_value(call, "branch"), .agent = call_value(call, "agent"),
    };
    if (call_slice(call, &out->slice.from, &out->slice.count, err) != 0) return (int)err->code;
    return runs_query_check(out, "--", err);
}

static int handle(struct call *call)
{
    struct rows rows = { 0 };
    struct runs_query query;
    struct look look = { 0 };
    struct err err;
    int rc, code = CODE_DONE;

    if (read_query(call, &query, &err) != 0) return say_err(&err);
    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = journal_runs(look.journal, &look.arena, collect, &rows, &err);
    for (uint32_t i = 0; rc == 0 && i < rows.count; i++) {
        rc = look_alive(&look, &rows.items[i].run, &rows.items[i].alive, &err);
        if (rc == 0) sums_read(&look, &rows.items[i].run, &rows.items[i].sums);
    }
    choose(&rows, call->json ? NULL : &query, &look.arena);
    if (rc != 0 && !(rc == ERR_MISSING && look_is_empty(&look))) {
        code = say_err(&err);
    } else if (call->json) {
        yyjson_mut_doc *doc = json_new();

        document_runs(rows.shown, rows.shown_count, &query, NULL, NULL, doc, json_object(doc));
        say_json(doc, true);
    } else if (rows.count == 0) {
        puts("no runs in this repository yet");
    } else if (rows.shown_count == 0) {
        puts("no run of this repository is what you asked for; 'hone list' shows all");
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
        "or how it ended ('hone help ends' explains the words); what it found, fixed and left, "
        "what its agents reported to have cost, how long it was at work, and what it looked at.",
        "Options choose some of them; each takes several words with commas between.",
    },
    .options = {
        { .name = "state", .argument = "STATE",
          .help = "running, waiting (for an answer), crashed, ended, or the reason of an end, such "
                  "as clean or bound",
          .words = "running, waiting, crashed or ended" },
        { .name = "dialect", .argument = "DIALECT", .help = "only runs of this dialect or loop" },
        { .name = "branch", .argument = "BRANCH",
          .help = "only runs that began on this branch, as far as the trees they looked at are "
                  "kept" },
        { .name = "agent", .argument = "BACKEND",
          .help = "only runs that asked this backend, such as claude" },
        OPTIONS_SLICE("runs"),
    },
    .codes = {
        { CODE_DONE, "they were listed; there may be none" },
        { CODE_USAGE, "there is no repository here, or an option is wrong" },
    },
    .examples = { "hone list", "hone list --state waiting,crashed", "hone list --json" },
    .handle = handle,
};
