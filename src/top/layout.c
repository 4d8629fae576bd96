/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c - the frame of a screen, and its list of runs.
 *
 *     hone top · ~/src/parser · 2 at work, 1 waiting                        all runs · 1-3 of 3
 *      RUN       DIALECT  STATE    PHASE   ROUND   FOUND  FIXED  LEFT  COST   TIME  BUDGET  TASK
 *      k3x9abcd  review   running  review  2 of 5      9      7     2  $0.42  3:12  [##  ]  ...
 *
 *     Enter opens · s stops · r resumes · / finds · f filters · ? helps · q quits
 *
 * 1. As many lines as the screen has rows: header, page, and one line of keys, a question or what
 *    came of the last act.
 * 2. No line is wider than the screen (view/pen.c); colors say nothing that a word does not.
 * 3. The marked row is always among those that are shown. */
#include "top/layout.h"

#include "base/mem.h"
#include "format/text/progress.h"
#include "top/choose.h"
#include "top/roster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_LEAST = 4,   /* lower: no line of keys, but for a question */
    BAR_COLUMNS = 10,
    LABEL_COLUMNS = 10, LABEL_COLUMNS_LEAST = 50, /* narrower screens have no labels */
};

/* ---- pieces ---- */

void sheet_blank(struct sheet *sheet)
{
    pen_open(sheet->pen);
    pen_close(sheet->pen);
}

void sheet_line(struct sheet *sheet, enum style style, const char *text)
{
    pen_open(sheet->pen);
    pen_blank(sheet->pen, 1);
    pen_put(sheet->pen, style, text);
    pen_close(sheet->pen);
}

void sheet_label(struct sheet *sheet, const char *label, enum style style, const char *text)
{
    pen_open(sheet->pen);
    pen_blank(sheet->pen, 1);
    if (sheet->screen->columns >= LABEL_COLUMNS_LEAST) {
        pen_cell(sheet->pen, STYLE_DIM, label, LABEL_COLUMNS, 1);
    }
    pen_put(sheet->pen, style, text);
    pen_close(sheet->pen);
}

const char *sheet_bar(struct sheet *sheet, uint32_t thousandths, uint32_t columns)
{
    struct progress progress = { .count = 1 };
    struct buf out;

    progress.parts[0].done = thousandths > 1000 ? 1000 : thousandths;
    progress.parts[0].total = 1000;
    buf_init(&out, columns + 1);
    progress_bar(&progress, columns, &out);
    return arena_take_cstr(sheet->arena, &out);
}

static const char *sheet_money(struct sheet *sheet, uint64_t micros)
{
    if (micros == 0) return "";
    return arena_printf(sheet->arena, "$%" PRIu64 ".%02" PRIu64, micros / 1000000,
                        micros % 1000000 / 10000);
}

uint32_t list_window(struct top_list *list, uint32_t count, uint32_t rows)
{
    if (rows == 0 || count == 0) {
        list->first = 0;
        return 0;
    }
    if (list->at >= count) list->at = count - 1;
    if (list->first > list->at) list->first = list->at;
    if (list->at - list->first >= rows) list->first = list->at - rows + 1;
    if (count <= rows) list->first = 0;
    else if (list->first > count - rows) list->first = count - rows;
    return smaller(rows, count - list->first);
}

/* ---- the header ---- */

enum { HEAD_NAME, HEAD_WHERE, HEAD_WHAT, HEAD_MORE, HEAD_LIST, HEAD_COUNT };

static void counts_text(const struct top_model *model, char out[PEN_PIECE_BYTES])
{
    static const char *const words[TOP_STANDING_COUNT] = { "at work", "waiting", "crashed",
                                                           "ended" };
    uint32_t counts[TOP_STANDING_COUNT] = { 0 };
    size_t used = 0;

    for (uint32_t i = 0; i < model->run_count; i++) counts[model->runs[i].standing]++;
    out[0] = '\0';
    for (uint32_t i = 0; i < TOP_STANDING_COUNT && used < PEN_PIECE_BYTES; i++) {
        if (counts[i] == 0) continue;
        used += (size_t)snprintf(out + used, PEN_PIECE_BYTES - used, "%s%" PRIu32 " %s",
                                 used ? ", " : "", counts[i], words[i]);
    }
}

static void run_text(const struct sheet *sheet, char pieces[][PEN_PIECE_BYTES])
{
    const struct top_run *run = &sheet->model->detail.run;
    char elapsed[PEN_ELAPSED_BYTES];

    snprintf(pieces[HEAD_WHERE], PEN_PIECE_BYTES, "%s", run->dialect);
    snprintf(pieces[HEAD_WHAT], PEN_PIECE_BYTES, "run %s", run->id);
    if (sheet->state->page == TOP_ATTEMPT) {
        snprintf(pieces[HEAD_MORE], PEN_PIECE_BYTES, "attempt %s", sheet->state->attempt);
    } else if (run->round > 0 && run->round_max >= run->round) {
        snprintf(pieces[HEAD_MORE], PEN_PIECE_BYTES, "%s · round %" PRIu32 " of %" PRIu32,
                 run->state, run->round, run->round_max);
    } else {
        snprintf(pieces[HEAD_MORE], PEN_PIECE_BYTES, "%s", run->state);
    }
    snprintf(pieces[HEAD_LIST], PEN_PIECE_BYTES, "%s", elapsed_text(run->took_ms, elapsed));
}

static void put_header(struct sheet *sheet)
{
    static const uint32_t spare[] = { HEAD_WHERE, HEAD_NAME, HEAD_LIST, HEAD_MORE, UINT32_MAX };
    char pieces[HEAD_COUNT][PEN_PIECE_BYTES] = { { 0 } };
    const struct top_state *state = sheet->state;

    snprintf(pieces[HEAD_NAME], PEN_PIECE_BYTES, "hone top");
    if (state->page == TOP_RUNS) {
        snprintf(pieces[HEAD_WHERE], PEN_PIECE_BYTES, "%s", sheet->model->where);
        counts_text(sheet->model, pieces[HEAD_WHAT]);
        if (state->filter != TOP_ALL) {
            snprintf(pieces[HEAD_MORE], PEN_PIECE_BYTES, "only %s",
                     top_filter_word(state->filter));
        }
    } else if (sheet->model->detail.run.id) {
        run_text(sheet, pieces);
    }
    if (state->word[state->page][0] && state->prompt != TOP_SEARCH) {
        snprintf(pieces[HEAD_LIST], PEN_PIECE_BYTES, "only '%.60s'", state->word[state->page]);
    }
    pen_open(sheet->pen);
    pen_pieces(sheet->pen, STYLE_BOLD, pieces, HEAD_COUNT, spare);
    pen_close(sheet->pen);
}

/* ---- the last line ---- */

struct key_help {
    const char *key, *does;
    uint32_t pages;   /* bits */
    enum top_act act; /* shown only where that can be done */
};

enum { ON_RUNS = 1 << TOP_RUNS, ON_RUN = 1 << TOP_RUN, ON_ATTEMPT = 1 << TOP_ATTEMPT,
       ON_ALL = ON_RUNS | ON_RUN | ON_ATTEMPT };

/* The first of them stay where there is no room. */
static const struct key_help keys[] = {
    { "q", "quits", ON_ALL, TOP_NO_ACT },
    { "?", "helps", ON_ALL, TOP_NO_ACT },
    { "Enter", "opens", ON_RUNS | ON_RUN, TOP_NO_ACT },
    { "Esc", "goes back", ON_RUN | ON_ATTEMPT, TOP_NO_ACT },
    { "a", "answers", ON_RUN, TOP_ANSWER },
    { "s", "stops", ON_RUNS | ON_RUN, TOP_STOP },
    { "r", "resumes", ON_RUNS | ON_RUN, TOP_RESUME },
    { "/", "finds", ON_ALL, TOP_NO_ACT },
    { "f", "filters", ON_RUNS, TOP_NO_ACT },
    { "G", "follows", ON_ATTEMPT, TOP_NO_ACT },
};

static void put_keys(struct sheet *sheet)
{
    bool first = true;
    const char *why;

    pen_open(sheet->pen);
    pen_blank(sheet->pen, 1);
    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct key_help *key = &keys[i];
        uint32_t columns = (uint32_t)(strlen(key->key) + strlen(key->does) + 1);

        if (!(key->pages & (1u << sheet->state->page))) continue;
        if (key->act != TOP_NO_ACT &&
            !top_may(sheet->state, sheet->model, key->act, &why)) continue;
        if (columns + (first ? 0 : 2) > sheet->pen->left) break;
        if (!first) pen_blank(sheet->pen, 2);
        pen_put(sheet->pen, STYLE_BOLD, key->key);
        pen_blank(sheet->pen, 1);
        pen_put(sheet->pen, STYLE_DIM, key->does);
        first = false;
    }
    pen_close(sheet->pen);
}

static void put_choices(struct sheet *sheet)
{
    const struct top_detail *detail = &sheet->model->detail;

    pen_open(sheet->pen);
    pen_put(sheet->pen, STYLE_FOUND, " answer:");
    for (uint32_t i = 0; i < detail->choice_count; i++) {
        char key[2] = { detail->choices[i].word[0] };

        pen_blank(sheet->pen, 2);
        pen_put(sheet->pen, STYLE_BOLD, key);
        pen_blank(sheet->pen, 1);
        pen_put(sheet->pen, STYLE_PLAIN, detail->choices[i].word);
    }
    pen_close(sheet->pen);
}

/* The question before an act. */
static const char *confirm_text(struct sheet *sheet)
{
    const struct top_run *run = top_chosen(sheet->state, sheet->model);
    const struct top_detail *detail = &sheet->model->detail;
    const char *id = run ? run->id : "";

    switch (sheet->state->act) {
    case TOP_STOP:
        return arena_printf(sheet->arena, "stop run %s? y yes, any other key no", id);
    case TOP_RESUME:
        return arena_printf(sheet->arena, "resume run %s? y yes, any other key no", id);
    case TOP_ANSWER:
        if (sheet->state->choice >= detail->choice_count) break;
        return arena_printf(sheet->arena, "answer '%s' to run %s? y yes, any other key no",
                            detail->choices[sheet->state->choice].word, id);
    case TOP_NO_ACT:
        break;
    }
    return "";
}

static void put_footer(struct sheet *sheet)
{
    const struct top_state *state = sheet->state;

    switch (state->prompt) {
    case TOP_SEARCH:
        pen_open(sheet->pen);
        pen_put(sheet->pen, STYLE_BOLD, " / ");
        pen_put(sheet->pen, STYLE_PLAIN, state->word[state->page]);
        pen_put(sheet->pen, STYLE_BOLD, "_");
        pen_close(sheet->pen);
        return;
    case TOP_CHOOSE:
        put_choices(sheet);
        return;
    case TOP_CONFIRM:
        sheet_line(sheet, STYLE_FOUND, confirm_text(sheet));
        return;
    case TOP_NO_PROMPT:
        break;
    }
    if (state->said[0]) sheet_line(sheet, state->said_bad ? STYLE_FOUND : STYLE_GOOD, state->said);
    else put_keys(sheet);
}

/* ---- the runs ---- */

enum { RUN_FOLDER, RUN_ID, RUN_DIALECT, RUN_STATE, RUN_PHASE, RUN_ROUND, RUN_FIXED, RUN_LEFT,
       RUN_COST, RUN_TIME, RUN_BUDGET, RUN_TASK, RUN_COLUMNS };

static const struct roster_column run_columns[RUN_COLUMNS] = {
    [RUN_FOLDER] = { .title = "REPOSITORY", .spare = 3, .most = 20 },
    [RUN_ID] = { .title = "RUN", .most = 12 },
    [RUN_DIALECT] = { .title = "DIALECT", .spare = 2, .most = 14 },
    [RUN_STATE] = { .title = "STATE", .most = 14 },
    [RUN_PHASE] = { .title = "PHASE", .spare = 4, .most = 14 },
    [RUN_ROUND] = { .title = "ROUND", .right = true, .spare = 8 },
    [RUN_FIXED] = { .title = "FOUND/FIXED", .right = true, .spare = 5 },
    [RUN_LEFT] = { .title = "LEFT", .right = true, .spare = 9 },
    [RUN_COST] = { .title = "COST", .right = true, .spare = 7 },
    [RUN_TIME] = { .title = "TIME", .right = true, .spare = 6 },
    [RUN_BUDGET] = { .title = "BUDGET", .spare = 1 },
    [RUN_TASK] = { .title = "TASK", .spare = 10, .least = 12 },
};

static void sums_cells(struct sheet *sheet, const struct top_run *run, struct roster_cell *cells)
{
    struct arena *arena = sheet->arena;
    char elapsed[PEN_ELAPSED_BYTES];

    if (run->round > 0) {
        cells[RUN_ROUND].text = run->round_max >= run->round
            ? arena_printf(arena, "%" PRIu32 " of %" PRIu32, run->round, run->round_max)
            : arena_printf(arena, "%" PRIu32, run->round);
    }
    cells[RUN_FIXED].text = arena_printf(arena, "%" PRIu32 "/%" PRIu32, run->found, run->fixed);
    cells[RUN_LEFT].text = arena_printf(arena, "%" PRIu32, run->left);
    cells[RUN_LEFT].style = run->left > 0 ? STYLE_FOUND : STYLE_PLAIN;
    cells[RUN_COST].text = sheet_money(sheet, run->cost_micros);
    cells[RUN_TIME].text = arena_cstr(arena, str_of(elapsed_text(run->took_ms, elapsed)));
    if (run->has_budget) {
        cells[RUN_BUDGET].text =
            arena_printf(arena, "%s %3" PRIu32 "%%", sheet_bar(sheet, run->budget, BAR_COLUMNS),
                         run->budget / 10);
        cells[RUN_BUDGET].style = run->budget >= 900 ? STYLE_BAD : STYLE_PLAIN;
    }
}

static void run_cells(struct sheet *sheet, const struct top_run *run, struct roster_cell *cells)
{
    for (uint32_t i = 0; i < RUN_COLUMNS; i++) cells[i] = (struct roster_cell){ "", STYLE_PLAIN };
    cells[RUN_FOLDER].text = run->folder ? run->folder : "";
    cells[RUN_ID] = (struct roster_cell){ run->id, STYLE_NAME };
    cells[RUN_DIALECT].text = run->dialect;
    cells[RUN_STATE] = (struct roster_cell){ run->state, run->style };
    cells[RUN_PHASE].text = run->phase ? run->phase : "";
    cells[RUN_TASK].text = run->task;
    if (run->known) sums_cells(sheet, run, cells);
}

static void sheet_runs(struct sheet *sheet)
{
    struct top_list *list = &sheet->state->lists[TOP_RUNS];
    uint32_t *which = arena_alloc(sheet->arena, (sheet->model->run_count + 1) * sizeof *which);
    uint32_t count = top_runs_shown(sheet->state, sheet->model, which);
    uint32_t titles = sheet->rows > 2 ? 1 : 0;
    uint32_t shown = list_window(list, count, sheet->rows - titles);
    struct roster_cell (*cells)[ROSTER_COLUMNS_MAX] =
        arena_alloc(sheet->arena, (shown + 1) * sizeof *cells);
    struct roster roster = { .columns = run_columns, .column_count = RUN_COLUMNS, .rows = cells,
                         .row_count = shown, .indented = true };

    sheet->state->page_rows = sheet->rows - titles;
    if (count == 0) {
        sheet_blank(sheet);
        sheet_line(sheet, STYLE_DIM, sheet->model->run_count > 0 ? "no run fits; Esc shows all"
                   : "no runs here yet: 'hone run' starts one, and it is shown here");
        return;
    }
    for (uint32_t i = 0; i < shown; i++) {
        run_cells(sheet, &sheet->model->runs[which[list->first + i]], cells[i]);
    }
    roster_fit(&roster, sheet->screen);
    if (titles) roster_titles(&roster, sheet->pen);
    for (uint32_t i = 0; i < shown; i++) {
        if (list->first + i == list->at) sheet->marked = sheet->pen->lines->count;
        roster_row(&roster, i, sheet->pen);
    }
}

/* ---- help ---- */

static void sheet_help(struct sheet *sheet)
{
    static const struct key_help more[] = {
        { "up down j k", "mark another row", 0, TOP_NO_ACT },
        { "PgUp PgDn", "by a screen", 0, TOP_NO_ACT },
        { "g G Home End", "to the first, to the last", 0, TOP_NO_ACT },
        { "Enter", "opens what is marked: a run, then an attempt", 0, TOP_NO_ACT },
        { "Esc", "goes back; ends a search", 0, TOP_NO_ACT },
        { "/", "shows only what holds a word", 0, TOP_NO_ACT },
        { "f", "runs at work, waiting, with findings left, all", 0, TOP_NO_ACT },
        { "s", "stops the run, as 'hone stop'", 0, TOP_STOP },
        { "r", "resumes it, as 'hone resume'", 0, TOP_RESUME },
        { "a", "answers its question, as 'hone answer'", 0, TOP_ANSWER },
        { "q Ctrl-C", "quits; no run changes by that", 0, TOP_NO_ACT },
    };

    sheet_blank(sheet);
    for (uint32_t i = 0; i < sizeof more / sizeof *more && i + 1 < sheet->rows; i++) {
        pen_open(sheet->pen);
        pen_blank(sheet->pen, 1);
        pen_cell(sheet->pen, STYLE_BOLD, more[i].key, 12, 2);
        pen_put(sheet->pen, STYLE_PLAIN, more[i].does);
        if (more[i].act != TOP_NO_ACT && sheet->model->read_only) {
            pen_put(sheet->pen, STYLE_DIM, " (not with --read-only)");
        }
        pen_close(sheet->pen);
    }
}

/* ---- the whole ---- */

static void put_page(struct sheet *sheet)
{
    if (sheet->state->help) {
        sheet_help(sheet);
        return;
    }
    switch (sheet->state->page) {
    case TOP_RUNS:
        sheet_runs(sheet);
        return;
    case TOP_RUN:
        sheet_run(sheet);
        return;
    case TOP_ATTEMPT:
        sheet_attempt(sheet);
        return;
    case TOP_PAGE_COUNT:
        break;
    }
}

uint32_t top_draw(const struct top_model *model, struct top_state *state,
                  const struct view_screen *screen, uint64_t now_ms, struct view_lines *out)
{
    struct pen pen = { .screen = screen, .lines = out, .width = screen->columns };
    struct arena arena = { 0 };
    uint32_t rows = screen->rows;
    bool asks = state->prompt != TOP_NO_PROMPT && rows > 1;
    uint32_t footer = rows >= ROWS_LEAST || asks ? 1 : 0;
    struct sheet sheet = { .model = model, .state = state, .screen = screen, .pen = &pen,
                           .arena = &arena, .now_ms = now_ms, .marked = UINT32_MAX };

    view_lines_clear(out);
    if (rows > 0) put_header(&sheet);
    if (rows > 1 + footer) {
        sheet.rows = rows - 1 - footer;
        put_page(&sheet);
    }
    if (out->count + footer > rows) out->count = rows - footer;
    while (out->count + footer < rows) sheet_blank(&sheet);
    if (footer) put_footer(&sheet);
    arena_release(&arena);
    return state->help ? UINT32_MAX : sheet.marked;
}
