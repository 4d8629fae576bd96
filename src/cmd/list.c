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
#include "format/report/listing.h"
#include "run/finding_filter.h"
#include "run/look.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS_CELLS = 6, COMMIT_SHOWN = 7, TASK_SHOWN_MAX = 60, PATH_SHOWN_MAX = 100 };

/* What the events of a run say of it. */
struct sums {
    bool known; /* its settings are those of this program, and its events can be read */
    uint32_t found, fixed, left;
    uint64_t cost_micros, took_ms;
    const char *scope; /* "since 1a2b3c4", "everything", or "" */
};

struct row {
    struct journal_run run;
    bool alive;
    struct sums sums;
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

static const char *scope_text(const struct run_settings *settings, struct arena *arena)
{
    if (settings->since && *settings->since) {
        return arena_printf(arena, "since %.*s", COMMIT_SHOWN, settings->since);
    }
    return settings->scope_given ? "everything" : "";
}

/* A run that cannot be read any more is listed all the same. */
static struct sums sums_of(struct look *look, const struct journal_run *run)
{
    struct run replay = { 0 };
    struct sums sums = { 0 };
    struct err none;

    if (run_load(&replay, run, &none) == 0 &&
        run_replay(&replay, look->journal, NULL, NULL, &none) == 0) {
        struct listing_counts counts = ledger_faults(&replay.engine.ledger);

        sums = (struct sums){
            .known = true,
            .found = counts.total,
            .fixed = counts.states[FINDING_FIXED],
            .left = counts.open_count,
            .cost_micros = replay.engine.usage.cost_micros,
            .took_ms = replay.engine.active_ms,
            .scope = scope_text(&replay.settings, &look->arena),
        };
    }
    run_release(&replay);
    return sums;
}

static void sums_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct sums *sums)
{
    if (!sums->known) return;
    yyjson_mut_obj_add_uint(doc, object, "found", sums->found);
    yyjson_mut_obj_add_uint(doc, object, "fixed", sums->fixed);
    yyjson_mut_obj_add_uint(doc, object, "left", sums->left);
    if (sums->cost_micros) {
        yyjson_mut_obj_add_real(doc, object, "cost", (double)sums->cost_micros / 1e6);
    } else {
        yyjson_mut_obj_add_null(doc, object, "cost"); /* no agent reported one */
    }
    yyjson_mut_obj_add_uint(doc, object, "took_ms", sums->took_ms);
    json_add(doc, object, "scope", sums->scope);
}

static void show_json(const struct rows *rows)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *runs;

    runs = yyjson_mut_obj_add_arr(doc, root, "runs");
    for (uint32_t i = 0; i < rows->count; i++) {
        yyjson_mut_val *run = yyjson_mut_arr_add_obj(doc, runs);
        look_describe(doc, run, &rows->items[i].run, rows->items[i].alive);
        sums_json(doc, run, &rows->items[i].sums);
    }
    say_json(doc, true);
}

static const struct table_column columns[] = {
    { .title = "RUN" }, { .title = "DIALECT", .spare = 5 }, { .title = "STATE" },
    { .title = "FOUND", .right = true, .spare = 6 },
    { .title = "FIXED", .right = true, .spare = 7 },
    { .title = "LEFT", .right = true }, { .title = "COST", .right = true, .spare = 3 },
    { .title = "TOOK", .right = true, .spare = 4 }, { .title = "SCOPE", .spare = 2 },
    { .title = "STARTED (UTC)", .spare = 1 }, { .title = "TASK" }, { .title = NULL },
};

static void sums_cells(const struct sums *sums, struct arena *arena, const char **cells)
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
                                                          rows->count * sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = rows->count };
    struct buf out;

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct journal_run *run = &rows->items[i].run;
        char iso[CLOCK_ISO_BYTES];

        cells[i][0] = run->id;
        cells[i][1] = run->dialect;
        cells[i][2] = standing_word(run, rows->items[i].alive);
        sums_cells(&rows->items[i].sums, &look->arena, &cells[i][3]);
        cells[i][3 + SUMS_CELLS] = arena_cstr(&look->arena,
                                              str_of(clock_iso(run->created_ms, iso)));
        cells[i][4 + SUMS_CELLS] = task_text(look, run, &look->arena);
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
        if (rc == 0) rows.items[i].sums = sums_of(&look, &rows.items[i].run);
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
        "or how it ended ('hone help ends' explains the words); what it found, fixed and left, "
        "what its agents reported to have cost, how long it was at work, and what it looked at.",
    },
    .codes = {
        { CODE_DONE, "they were listed; there may be none" },
        { CODE_USAGE, "there is no repository here" },
    },
    .examples = { "hone list", "hone list --json" },
    .handle = handle,
};
