/* SPDX-License-Identifier: Apache-2.0
 *
 * view_render.c - a run as a few lines: which agents run, how long, what they found.
 *
 *     review · run k3x9abcd · round 2 of 5 · 0:07
 *       critic                 analyzer:gcc         running 0:03  [####      ] 12 of 30 files
 *       pedant                 analyzer:clang-tidy  2 findings (1.2 s)
 *       found 9 · fixed 7 · left 2
 *
 * A line is written with a pen that knows how many columns are left. What does not fit is left
 * out by rank: the agents' names, then how long they took, then the ends of words.
 *
 * 1. No line takes more than columns - 1 columns, as width.h counts them.
 * 2. Texts of agents and files are written through safe_text() only: all escape sequences are
 *    hone's, and there are none without color.
 * 3. There are fewer lines than rows, so that the cursor has one. */
#include "view/view_render.h"

#include "base/clock.h"
#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    NAME_BYTES = 256,
    ROLE_COLUMNS_MAX = 24,
    SPEC_COLUMNS_MIN = 12, SPEC_COLUMNS_MAX = 40,
    COLUMNS_LEAST = 8,       /* narrower: nothing at all */
    COLUMNS_MOST = 80,       /* wider is not used: a screen cut in half needs no folding then */
    INDENT = 2, GAP = 2, BAR_COLUMNS = 12,
};

const enum style row_styles[ROW_STATE_COUNT] = {
    [ROW_RUNNING] = STYLE_PLAIN,
    [ROW_WAITING] = STYLE_FOUND,
    [ROW_CLEAN] = STYLE_GOOD,
    [ROW_DONE] = STYLE_GOOD,
    [ROW_FINDINGS] = STYLE_FOUND,
    [ROW_INVALID] = STYLE_BAD,
    [ROW_FAILED] = STYLE_BAD,
    [ROW_STOPPED] = STYLE_DIM,
    [ROW_NOT_PLAYED] = STYLE_DIM,
};

/* Columns of a line: never the last one, where terminals differ about what follows. */
static uint32_t room(const struct view_screen *screen)
{
    return smaller(screen->columns, COLUMNS_MOST) - 1;
}

/* ---- the header ---- */

static void render_header(const struct view_model *model, uint64_t now_ms, struct pen *pen)
{
    enum { DIALECT, RUN, PHASE, ROUND, TASKS, STAGE, TIME, COUNT };
    static const uint32_t spare[] = { RUN, PHASE, DIALECT, STAGE, ROUND, TASKS, UINT32_MAX };
    char pieces[COUNT][PEN_PIECE_BYTES] = { { 0 } };

    snprintf(pieces[DIALECT], PEN_PIECE_BYTES, "%s", model->dialect ? model->dialect : "");
    if (model->run) snprintf(pieces[RUN], PEN_PIECE_BYTES, "run %s", model->run);
    if (model->phase) {
        snprintf(pieces[PHASE], PEN_PIECE_BYTES, "%s%s",
                 phase_is_number(model->phase) ? "phase " : "", model->phase);
    }
    if (model->round && model->round_max >= model->round) {
        snprintf(pieces[ROUND], PEN_PIECE_BYTES, "round %" PRIu32 " of %" PRIu32, model->round,
                 model->round_max);
    } else if (model->round) {
        snprintf(pieces[ROUND], PEN_PIECE_BYTES, "round %" PRIu32, model->round);
    }
    if (model->tasks) {
        snprintf(pieces[TASKS], PEN_PIECE_BYTES, "%" PRIu32 " of %" PRIu32 " merged",
                 model->merged, model->tasks);
    }
    if (model->stage) snprintf(pieces[STAGE], PEN_PIECE_BYTES, "%s", model->stage);
    elapsed_text(since_ms(model->started_ms, now_ms), pieces[TIME]);
    pen_open(pen);
    pen_pieces(pen, STYLE_BOLD, pieces, COUNT, spare);
    pen_close(pen);
}

/* ---- the table ---- */

/* How the table's columns are set on this screen. */
struct layout {
    uint32_t indent, gap;
    uint32_t role, spec; /* columns; spec 0: not shown */
    bool brief;          /* states without their times */
};

/* "  [####      ] 12 of 93 files"; "  12%" where there is little room. */
static void put_progress(struct buf *out, const struct progress *progress, bool brief)
{
    buf_text(out, "  ");
    if (brief) {
        buf_printf(out, "%" PRIu64 "%%",
                   progress->parts[0].done * 100 / progress->parts[0].total);
        return;
    }
    progress_bar(progress, BAR_COLUMNS, out);
    buf_byte(out, ' ');
    progress_words(progress, out);
}

void row_words(const struct view_row *row, uint64_t now_ms, bool brief, struct buf *out)
{
    char elapsed[PEN_ELAPSED_BYTES], span[CLOCK_SPAN_BYTES];

    switch (row->state) {
    case ROW_RUNNING:
        buf_printf(out, "%s%s", brief ? "" : "running ",
                   elapsed_text(since_ms(row->started_ms, now_ms), elapsed));
        if (row->attempt > 1 && !brief) buf_printf(out, ", try %" PRIu32, row->attempt);
        if (row->progress.count > 0) put_progress(out, &row->progress, brief);
        return;
    case ROW_WAITING:
        if (!brief) buf_printf(out, "waits for %s ", row->waits_for);
        buf_text(out, elapsed_text(since_ms(now_ms, row->until_ms), elapsed));
        return;
    case ROW_CLEAN:
        buf_text(out, "clean");
        break;
    case ROW_DONE:
        buf_text(out, "done");
        break;
    case ROW_FINDINGS:
        buf_printf(out, "%" PRIu32 " finding%s", row->finding_count,
                   row->finding_count == 1 ? "" : "s");
        break;
    case ROW_INVALID:
        buf_text(out, "invalid");
        break;
    case ROW_FAILED:
        buf_text(out, "failed");
        break;
    case ROW_STOPPED:
        buf_text(out, "stopped");
        break;
    case ROW_NOT_PLAYED:
        buf_text(out, "not played");
        return;
    case ROW_STATE_COUNT:
        break;
    }
    if (!brief && row->took_ms) buf_printf(out, " (%s)", clock_span(row->took_ms, span));
}

/* "critic", or "login builder" where it works on one task among many. */
static const char *row_name(const struct view_row *row, char out[NAME_BYTES])
{
    if (!row->task) return row->role;
    snprintf(out, NAME_BYTES, "%s %s", row->task, row->role);
    return out;
}

/* The widest state among all rows. */
static uint32_t state_columns(const struct view_model *model, uint64_t now_ms, bool brief)
{
    uint32_t columns = 0;
    struct buf text;

    buf_init(&text, PEN_PIECE_BYTES);
    for (uint32_t i = 0; i < model->row_count; i++) {
        buf_clear(&text);
        row_words(&model->rows[i], now_ms, brief, &text);
        columns = larger(columns, (uint32_t)text.size);
    }
    buf_release(&text);
    return columns;
}

static struct layout lay_out(const struct view_model *model, const struct view_screen *screen,
                             uint64_t now_ms)
{
    struct layout layout = { .indent = INDENT, .gap = GAP };
    uint32_t max = room(screen), spec = 0, used;
    char name[NAME_BYTES];

    for (uint32_t i = 0; i < model->row_count; i++) {
        const struct view_row *row = &model->rows[i];
        layout.role = larger(layout.role, shown_columns(screen, row_name(row, name)));
        spec = larger(spec, shown_columns(screen, row->spec));
    }
    layout.role = smaller(layout.role, ROLE_COLUMNS_MAX);
    spec = smaller(spec, SPEC_COLUMNS_MAX);
    used = INDENT + layout.role + GAP + state_columns(model, now_ms, false);
    if (used + GAP + smaller(spec, SPEC_COLUMNS_MIN) <= max) {
        layout.spec = smaller(spec, max - used - GAP);
    } else if (used > max) {
        used = INDENT + 1 + state_columns(model, now_ms, true);
        layout.brief = true;
        layout.gap = 1;
        layout.role = used < max ? smaller(layout.role, max - used) : 0;
    }
    return layout;
}

static void render_row(const struct view_row *row, const struct layout *layout, uint64_t now_ms,
                       struct pen *pen)
{
    char name[NAME_BYTES];
    struct buf state;

    assert(row->state < ROW_STATE_COUNT);
    buf_init(&state, PEN_PIECE_BYTES);
    row_words(row, now_ms, layout->brief, &state);
    pen_open(pen);
    pen_blank(pen, layout->indent);
    if (layout->role) pen_cell(pen, STYLE_PLAIN, row_name(row, name), layout->role, layout->gap);
    if (layout->spec) pen_cell(pen, STYLE_DIM, row->spec, layout->spec, layout->gap);
    pen_put(pen, row_styles[row->state], buf_cstr(&state));
    pen_close(pen);
    buf_release(&state);
}

/* Whether a is to be shown rather than b, which stands below it. */
static bool is_before(const struct view_row *a, const struct view_row *b)
{
    bool a_runs = row_is_live(a), b_runs = row_is_live(b);

    if (a_runs != b_runs) return a_runs;
    return a_runs && a->started_ms <= b->started_ms; /* of those that ended, the newest */
}

/* Picks `count` rows. */
static void pick(const struct view_model *model, bool *shown, uint32_t count)
{
    for (; count > 0; count--) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < model->row_count; i++) {
            if (shown[i]) continue;
            if (best == UINT32_MAX || !is_before(&model->rows[best], &model->rows[i])) best = i;
        }
        assert(best != UINT32_MAX);
        shown[best] = true;
    }
}

static void render_rest(const struct view_model *model, const bool *shown, struct pen *pen)
{
    uint32_t hidden = 0, running = 0, waiting = 0;
    char text[PEN_PIECE_BYTES], waits[PEN_PIECE_BYTES] = "";

    for (uint32_t i = 0; i < model->row_count; i++) {
        if (shown[i]) continue;
        hidden++;
        running += model->rows[i].state == ROW_RUNNING;
        waiting += model->rows[i].state == ROW_WAITING;
    }
    if (hidden == 0) return;
    if (waiting > 0) snprintf(waits, sizeof waits, ", %" PRIu32 " waiting", waiting);
    if (hidden == model->row_count) {
        snprintf(text, sizeof text, "%" PRIu32 " agents, %" PRIu32 " running%.40s", hidden,
                 running, waits);
    } else if (running > 0) {
        snprintf(text, sizeof text, "and %" PRIu32 " more, %" PRIu32 " running%.40s", hidden,
                 running, waits);
    } else {
        snprintf(text, sizeof text, "and %" PRIu32 " more%.40s", hidden, waits);
    }
    pen_open(pen);
    pen_blank(pen, INDENT);
    pen_put(pen, STYLE_DIM, text);
    pen_close(pen);
}

static void render_table(const struct view_model *model, uint64_t now_ms, uint32_t lines_max,
                         struct pen *pen)
{
    bool *shown = mem_alloc((model->row_count + 1) * sizeof *shown);
    struct layout layout = lay_out(model, pen->screen, now_ms);

    pick(model, shown, model->row_count <= lines_max ? model->row_count : lines_max - 1);
    for (uint32_t i = 0; i < model->row_count; i++) {
        if (shown[i]) render_row(&model->rows[i], &layout, now_ms, pen);
    }
    render_rest(model, shown, pen);
    free(shown);
}

static void render_totals(const struct view_model *model, struct pen *pen)
{
    static const uint32_t spare[] = { 0, UINT32_MAX };
    char pieces[3][PEN_PIECE_BYTES];

    snprintf(pieces[0], PEN_PIECE_BYTES, "found %" PRIu32, model->found);
    snprintf(pieces[1], PEN_PIECE_BYTES, "fixed %" PRIu32, model->fixed);
    snprintf(pieces[2], PEN_PIECE_BYTES, "left %" PRIu32, model->left);
    pen_open(pen);
    pen_blank(pen, INDENT);
    pen_pieces(pen, STYLE_PLAIN, pieces, 3, spare);
    pen_close(pen);
}

/* The end of what was typed: as much as the line has room for, and a column for the cursor. */
static void put_typed(const struct view_model *model, struct pen *pen)
{
    const char *text = buf_cstr(&model->word);

    while (*text && shown_columns(pen->screen, text) + 1 > pen->left) {
        text++;
        while (((unsigned char)*text & 0xc0) == 0x80) text++;
    }
    pen_put(pen, STYLE_PLAIN, text);
}

/* What a person can do at the keyboard; and of a run that is held, what was typed so far. */
static void render_keys(const struct view_model *model, uint32_t lines, struct pen *pen)
{
    char text[PEN_PIECE_BYTES];

    if (!model->held) {
        pen_open(pen);
        pen_blank(pen, INDENT);
        pen_put(pen, STYLE_DIM, "p pauses");
        pen_close(pen);
        return;
    }
    if (lines > 1) {
        if (model->finishing == 0) {
            snprintf(text, sizeof text, "paused: no agent starts");
        } else {
            snprintf(text, sizeof text, "paused: %" PRIu32 " agent%s finish%s, none starts",
                     model->finishing, model->finishing == 1 ? "" : "s",
                     model->finishing == 1 ? "es" : "");
        }
        pen_open(pen);
        pen_blank(pen, INDENT);
        pen_put(pen, STYLE_FOUND, text);
        pen_put(pen, STYLE_DIM, "; a word to the next, Enter goes on");
        pen_close(pen);
    }
    pen_open(pen);
    pen_blank(pen, INDENT);
    pen_put(pen, STYLE_BOLD, "> ");
    put_typed(model, pen);
    pen_put(pen, STYLE_PLAIN, "_");
    pen_close(pen);
}

void view_render(const struct view_model *model, const struct view_screen *screen,
                 uint64_t now_ms, struct view_lines *out)
{
    struct pen pen = { .screen = screen, .lines = out, .width = room(screen) };
    uint32_t lines_max = smaller(screen->rows ? screen->rows - 1 : 0, VIEW_LINES_MAX);
    bool totals = model->found > 0;
    uint32_t keys = !model->keys ? 0 : model->held ? 2 : 1;

    view_lines_clear(out);
    if (lines_max == 0 || screen->columns < COLUMNS_LEAST) return;
    render_header(model, now_ms, &pen);
    if (lines_max < 2 || screen->columns < VIEW_COLUMNS_MIN) return;
    lines_max--;
    if (lines_max < keys + 2) keys = model->held ? 1 : 0; /* what is typed is always shown */
    if (keys > 0 && lines_max == 1) {
        render_keys(model, keys, &pen);
        return;
    }
    lines_max -= keys;
    if (lines_max < 3 && model->row_count > 0) totals = false;
    if (totals) lines_max--;
    if (model->row_count > 0) render_table(model, now_ms, lines_max, &pen);
    if (totals) render_totals(model, &pen);
    if (keys > 0) render_keys(model, keys, &pen);
}
