/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "base/clock.h"
#include "base/mem.h"
#include "drive/look.h"

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

/* Collected first: looking a run up again may not disturb the walk. */
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
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    yyjson_mut_val *runs;

    yyjson_mut_doc_set_root(doc, root);
    runs = yyjson_mut_obj_add_arr(doc, root, "runs");
    for (uint32_t i = 0; i < rows->count; i++) {
        yyjson_mut_val *run = yyjson_mut_arr_add_obj(doc, runs);
        look_describe(doc, run, &rows->items[i].run, rows->items[i].alive);
    }
    say_json(doc, true);
}

static void show_text(const struct look *look, const struct rows *rows)
{
    char iso[CLOCK_ISO_BYTES];
    struct buf out;
    int width = 3;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < rows->count; i++) {
        int bytes = (int)strlen(rows->items[i].run.id);
        if (bytes > width) width = bytes;
    }
    buf_printf(&out, "%-*s  %-8s  %-11s  %-20s  %s\n", width, "RUN", "DIALECT", "STATE",
               "STARTED (UTC)", "TASK");
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct journal_run *run = &rows->items[i].run;
        buf_printf(&out, "%-*s  %-8s  %-11s  %-20s  ", width, run->id, run->dialect,
                   standing_word(run, rows->items[i].alive), clock_iso(run->created_ms, iso));
        add_safe(&out, run->task, TASK_SHOWN_MAX);
        if (strcmp(run->workspace, look->repo.workspace) != 0) {
            buf_text(&out, "  (in ");
            add_safe(&out, run->workspace, PATH_SHOWN_MAX);
            buf_byte(&out, ')');
        }
        buf_byte(&out, '\n');
    }
    say_out(&out);
    buf_release(&out);
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
        show_text(&look, &rows);
    }
    free(rows.items);
    look_close(&look);
    return code;
}

const struct verb verb_list = {
    .name = "list",
    .summary = "list the runs of this repository",
    .text = (const char *const[]){
        "Lists all runs of the repository, the newest first, with what has become of them: "
        "running, crashed (nobody works on it and it has no end: 'hone resume' continues it), or "
        "the reason of its end.",
        NULL,
    },
    .codes = (const struct code_help[]){
        { CODE_DONE, "they were listed; there may be none" },
        { CODE_USAGE, "there is no repository here" },
        { .help = NULL },
    },
    .examples = (const char *const[]){ "hone list", "hone list --json", NULL },
    .handle = handle,
};
