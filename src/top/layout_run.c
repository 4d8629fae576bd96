/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_run.c - one run: where it stands, who is at work, its rounds as bars that get shorter, and
 * what was found; and one attempt, as what it says.
 *
 * The list of attempts has the marked row; rounds and findings get the rows that it leaves, and go
 * where there are none. */
#include "top/layout.h"

#include "base/mem.h"
#include "format/text/safe.h"
#include "format/text/width.h"
#include "top/choose.h"
#include "top/roster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAR_COLUMNS = 22,
    ATTEMPTS_LEAST = 4, ROUNDS_WANTED = 6, FINDINGS_WANTED = 6, LANES_WANTED = 6,
    SECTION_LEAST = 3, /* a blank, a title and a row */
    ROUND_BAR_MAX = 40, ROUND_BAR_PART = 4, ROUND_NAME_MAX = 24,
    TEXT_BYTES_MAX = 1 << 20, LINE_SHOWN_MAX = 8192, /* of a line that was said */
};

/* ---- where it stands ---- */

static void put_question(struct sheet *sheet)
{
    const struct top_detail *detail = &sheet->model->detail;
    struct buf out;

    if (!detail->question) return;
    sheet_label(sheet, "question", STYLE_FOUND, detail->question);
    if (detail->choice_count == 0) return;
    buf_init(&out, 4096);
    for (uint32_t i = 0; i < detail->choice_count; i++) {
        buf_printf(&out, "%s%s", i > 0 ? ", " : "", detail->choices[i].word);
    }
    sheet_label(sheet, "a answers", STYLE_PLAIN, arena_take_cstr(sheet->arena, &out));
}

static void put_top(struct sheet *sheet)
{
    const struct top_detail *detail = &sheet->model->detail;
    const struct top_run *run = &detail->run;

    sheet_label(sheet, "task", STYLE_PLAIN, run->task);
    if (detail->problem) {
        sheet_label(sheet, "problem", STYLE_BAD, detail->problem);
        return;
    }
    sheet_label(sheet, "state", run->style, run->phase && run->standing == TOP_RUNNING
                ? arena_printf(sheet->arena, "%s, %s", run->state, run->phase) : detail->stands);
    put_question(sheet);
    if (sheet->rows < 12) return;
    sheet_label(sheet, "findings", run->left > 0 ? STYLE_FOUND : STYLE_PLAIN,
                arena_printf(sheet->arena, "found %" PRIu32 ", fixed %" PRIu32 ", left %" PRIu32,
                             run->found, run->fixed, run->left));
    sheet_label(sheet, "spent", STYLE_PLAIN, detail->spent);
    for (uint32_t i = 0; i < detail->limit_count; i++) {
        const struct top_limit *limit = &detail->limits[i];
        sheet_label(sheet, i == 0 ? "budget" : "", limit->used >= 900 ? STYLE_BAD : STYLE_PLAIN,
                    arena_printf(sheet->arena, "%s %s", sheet_bar(sheet, limit->used, BAR_COLUMNS),
                                 limit->words));
    }
}

/* ---- a section ---- */

static void put_section(struct sheet *sheet, const char *title, uint32_t shown, uint32_t count)
{
    sheet_blank(sheet);
    pen_open(sheet->pen);
    pen_blank(sheet->pen, 1);
    pen_put(sheet->pen, STYLE_BOLD, title);
    if (shown < count) {
        pen_put(sheet->pen, STYLE_DIM, arena_printf(sheet->arena, "  %" PRIu32 " of %" PRIu32,
                                                    shown, count));
    }
    pen_close(sheet->pen);
}

/* ---- attempts ---- */

enum { AT_NAME, AT_ROLE, AT_SPEC, AT_TASK, AT_PHASE, AT_ROUND, AT_STATE, AT_COLUMNS };

static const struct roster_column attempt_columns[AT_COLUMNS] = {
    [AT_NAME] = { .title = "ATTEMPT", .spare = 4 },
    [AT_ROLE] = { .title = "ROLE", .most = 24 },
    [AT_SPEC] = { .title = "AGENT", .spare = 3, .most = 28 },
    [AT_TASK] = { .title = "TASK", .spare = 5, .most = 20 },
    [AT_PHASE] = { .title = "PHASE", .spare = 2, .most = 14 },
    [AT_ROUND] = { .title = "ROUND", .right = true, .spare = 1 },
    [AT_STATE] = { .title = "STATE", .least = 44 },
};

static void attempt_cells(struct sheet *sheet, const struct top_attempt *attempt,
                          struct roster_cell *cells)
{
    const struct view_row *row = &attempt->row;
    bool live = row_is_live(row), brief = sheet->screen->columns < 40;
    struct buf words;

    buf_init(&words, 256);
    row_words(row, sheet->now_ms, brief, &words);
    for (uint32_t i = 0; i < AT_COLUMNS; i++) {
        cells[i] = (struct roster_cell){ "", live ? STYLE_PLAIN : STYLE_DIM };
    }
    cells[AT_NAME].text = attempt->name;
    cells[AT_ROLE].text = row->role;
    if (live) cells[AT_ROLE].style = STYLE_BOLD;
    cells[AT_SPEC] = (struct roster_cell){ row->spec, STYLE_DIM };
    cells[AT_TASK].text = attempt->task ? attempt->task : "";
    cells[AT_PHASE].text = attempt->phase;
    cells[AT_ROUND].text = row->round > 0 ? arena_printf(sheet->arena, "%" PRIu32, row->round) : "";
    cells[AT_STATE].style = row_styles[row->state];
    cells[AT_STATE].text = arena_take_cstr(sheet->arena, &words);
}

static void put_attempts(struct sheet *sheet, uint32_t rows)
{
    const struct top_detail *detail = &sheet->model->detail;
    struct top_list *list = &sheet->state->lists[TOP_RUN];
    uint32_t *which = arena_alloc(sheet->arena, (detail->attempt_count + 1) * sizeof *which);
    uint32_t count = top_attempts_shown(sheet->state, sheet->model, which);
    uint32_t titles = rows > 3 ? 1 : 0, shown = list_window(list, count, rows - titles);
    struct roster_cell (*cells)[ROSTER_COLUMNS_MAX] =
        arena_alloc(sheet->arena, (shown + 1) * sizeof *cells);
    struct roster roster = { .columns = attempt_columns, .column_count = AT_COLUMNS, .rows = cells,
                         .row_count = shown, .indented = true };

    sheet->state->page_rows = rows - titles;
    for (uint32_t i = 0; i < shown; i++) {
        attempt_cells(sheet, &detail->attempts[which[list->first + i]], cells[i]);
    }
    roster_fit(&roster, sheet->screen);
    if (count == 0) {
        sheet_line(sheet, STYLE_DIM, detail->attempt_count ? "no attempt fits; Esc shows all"
                                                           : "no agent was started yet");
        return;
    }
    if (titles) roster_titles(&roster, sheet->pen);
    for (uint32_t i = 0; i < shown; i++) {
        if (list->first + i == list->at) sheet->marked = sheet->pen->lines->count;
        roster_row(&roster, i, sheet->pen);
    }
}

/* ---- lanes ---- */

static void put_lanes(struct sheet *sheet, uint32_t rows)
{
    static const struct roster_column columns[] = {
        { .title = "LANE", .most = 40 }, { .title = "STATE", .most = 20 },
        { .title = "PHASE", .least = 6 },
    };
    const struct top_detail *detail = &sheet->model->detail;
    uint32_t shown = smaller(rows, detail->lane_count);
    struct roster_cell (*cells)[ROSTER_COLUMNS_MAX] =
        arena_alloc(sheet->arena, (shown + 1) * sizeof *cells);
    struct roster roster = { .columns = columns, .column_count = 3, .rows = cells,
                         .row_count = shown, .indented = true };

    for (uint32_t i = 0; i < shown; i++) {
        const struct top_lane *lane = &detail->lanes[i];
        cells[i][0] = (struct roster_cell){ lane->name, STYLE_PLAIN };
        cells[i][1] = (struct roster_cell){ lane->state, lane->style };
        cells[i][2] = (struct roster_cell){ lane->phase, STYLE_DIM };
    }
    put_section(sheet, "LANES", shown, detail->lane_count);
    roster_fit(&roster, sheet->screen);
    for (uint32_t i = 0; i < shown; i++) roster_row(&roster, i, sheet->pen);
}

/* ---- rounds ---- */

static const char *block_text(struct sheet *sheet, uint32_t columns, const char *block)
{
    struct buf out;

    buf_init(&out, columns * 4 + 1);
    for (uint32_t i = 0; i < columns; i++) buf_text(&out, block);
    return arena_take_cstr(sheet->arena, &out);
}

static const char *round_words(struct sheet *sheet, const struct top_round *round)
{
    char elapsed[PEN_ELAPSED_BYTES], found[PEN_PIECE_BYTES];

    if (!round->ended) {
        return sheet->model->detail.run.standing == TOP_RUNNING ? "at work" : "not ended";
    }
    snprintf(found, sizeof found, "%" PRIu32 " finding%s", round->found,
             round->found == 1 ? "" : "s");
    return arena_printf(sheet->arena, "%s%s (%s)", round->clean ? "clean" : found,
                        round->repaired ? ", repaired" : "",
                        elapsed_text(round->took_ms, elapsed));
}

/* The newest rounds, the oldest of them first: the bars tell how the findings burn down. */
static void put_rounds(struct sheet *sheet, uint32_t rows)
{
    const struct top_detail *detail = &sheet->model->detail;
    uint32_t shown = smaller(rows, detail->round_count), most = 1, name = 0;
    uint32_t room = smaller(ROUND_BAR_MAX, sheet->screen->columns / ROUND_BAR_PART);

    for (uint32_t i = 0; i < shown; i++) {
        const struct top_round *round = &detail->rounds[i];
        most = larger(most, round->found);
        name = larger(name, shown_columns(sheet->screen, round->phase));
    }
    put_section(sheet, "ROUNDS", shown, detail->round_count);
    for (uint32_t i = shown; i-- > 0;) {
        const struct top_round *round = &detail->rounds[i];
        uint32_t long_columns = (uint32_t)((uint64_t)round->found * room / most);

        if (round->found > 0 && long_columns == 0) long_columns = 1;
        pen_open(sheet->pen);
        pen_blank(sheet->pen, 1);
        pen_cell(sheet->pen, STYLE_PLAIN, round->phase, smaller(name, ROUND_NAME_MAX), 1);
        pen_cell(sheet->pen, STYLE_PLAIN, arena_printf(sheet->arena, "%3" PRIu32, round->round),
                 3, 2);
        pen_cell(sheet->pen, STYLE_FOUND,
                 block_text(sheet, long_columns, sheet->screen->utf8 ? "\xe2\x96\x88" : "#"),
                 room, 2);
        pen_put(sheet->pen, !round->ended ? STYLE_PLAIN : round->clean ? STYLE_GOOD : STYLE_FOUND,
                round_words(sheet, round));
        pen_close(sheet->pen);
    }
}

/* ---- findings ---- */

static const struct roster_column finding_columns[] = {
    { .title = "", .most = 8 }, { .title = "", .spare = 1, .most = 10 },
    { .title = "", .most = 36, .spare = 3 }, { .title = "", .spare = 2, .most = 20 },
    { .title = "", .least = 20 },
};

static void put_findings(struct sheet *sheet, uint32_t rows)
{
    const struct top_detail *detail = &sheet->model->detail;
    uint32_t shown = smaller(rows, detail->finding_count);
    struct roster_cell (*cells)[ROSTER_COLUMNS_MAX] =
        arena_alloc(sheet->arena, (shown + 1) * sizeof *cells);
    struct roster roster = { .columns = finding_columns, .column_count = 5, .rows = cells,
                         .row_count = shown, .indented = true };

    for (uint32_t i = 0; i < shown; i++) {
        const struct top_finding *finding = &detail->findings[i];
        cells[i][0] = (struct roster_cell){ finding->severity, finding->style };
        cells[i][1] = (struct roster_cell){ finding->state, STYLE_DIM };
        cells[i][2] = (struct roster_cell){ finding->place, STYLE_NAME };
        cells[i][3] = (struct roster_cell){ finding->role, STYLE_DIM };
        cells[i][4] = (struct roster_cell){ finding->text, STYLE_PLAIN };
    }
    put_section(sheet, "FINDINGS", shown, detail->finding_count);
    roster_fit(&roster, sheet->screen);
    for (uint32_t i = 0; i < shown; i++) roster_row(&roster, i, sheet->pen);
}

/* ---- the run ---- */

/* How the rows below the top are shared. */
struct shares {
    uint32_t left; /* not given yet */
    uint32_t attempts, lanes, rounds, findings;
};

/* Rows of a section, with its blank and its title: as many as it wants, while `kept` stay. */
static uint32_t share(struct shares *shares, uint32_t kept, uint32_t wanted)
{
    uint32_t rows = shares->left > kept ? shares->left - kept : 0;

    if (wanted == 0 || rows < SECTION_LEAST) return 0;
    rows = smaller(rows, wanted + 2);
    shares->left -= rows;
    return rows - 2;
}

static void share_more(struct shares *shares, uint32_t kept, uint32_t *section, uint32_t count)
{
    uint32_t more = shares->left > kept ? shares->left - kept : 0;

    if (*section == 0 || *section >= count) return;
    more = smaller(more, count - *section);
    *section += more;
    shares->left -= more;
}

static struct shares share_rows(const struct top_detail *detail, uint32_t rows)
{
    uint32_t all = detail->attempt_count + 1, live = 0, kept; /* a line of titles */
    struct shares shares = { .left = rows };

    for (uint32_t i = 0; i < detail->attempt_count; i++) {
        live += row_is_live(&detail->attempts[i].row);
    }
    kept = smaller(all, larger(ATTEMPTS_LEAST, smaller(live, rows / 2)) + 1);
    shares.rounds = share(&shares, kept, smaller(detail->round_count, ROUNDS_WANTED));
    shares.findings = share(&shares, kept, smaller(detail->finding_count, FINDINGS_WANTED));
    shares.lanes = share(&shares, kept, smaller(detail->lane_count, LANES_WANTED));
    share_more(&shares, all, &shares.findings, detail->finding_count);
    share_more(&shares, all, &shares.lanes, detail->lane_count);
    share_more(&shares, all, &shares.rounds, detail->round_count);
    shares.attempts = shares.left;
    return shares;
}

void sheet_run(struct sheet *sheet)
{
    const struct top_detail *detail = &sheet->model->detail;
    uint32_t first = sheet->pen->lines->count, used;
    struct shares shares;

    if (!detail->run.id) {
        sheet_line(sheet, STYLE_DIM, "this run is gone; Esc goes back");
        return;
    }
    put_top(sheet);
    used = sheet->pen->lines->count - first;
    if (used + SECTION_LEAST < sheet->rows) {
        sheet_blank(sheet);
        used++;
    }
    shares = share_rows(detail, sheet->rows > used ? sheet->rows - used : 0);
    if (shares.attempts > 0) put_attempts(sheet, shares.attempts);
    if (shares.lanes > 0) put_lanes(sheet, shares.lanes);
    if (shares.rounds > 0) put_rounds(sheet, shares.rounds);
    if (shares.findings > 0) put_findings(sheet, shares.findings);
}

/* ---- an attempt ---- */

/* A line of the screen: a part of what was said. */
struct piece {
    struct str text;
    enum style style;
};

struct pieces {
    struct piece *items;
    uint32_t count, cap;
};

/* What was said, made harmless and broken into lines of the screen. */
static void break_lines(struct sheet *sheet, struct pieces *pieces)
{
    const struct top_transcript *transcript = &sheet->model->transcript;
    uint32_t columns = sheet->screen->columns > 2 ? sheet->screen->columns - 1 : 1;
    struct buf safe;

    for (uint32_t i = 0; i < transcript->line_count; i++) {
        const struct top_text *line = &transcript->lines[i];
        struct str rest, part;

        if (!top_holds(sheet->state, line->text)) continue;
        buf_init(&safe, TEXT_BYTES_MAX);
        safe_text(&safe, line->text, true, LINE_SHOWN_MAX);
        rest = arena_take(sheet->arena, &safe);
        do {
            part = width_cut(rest, columns);
            if (part.size == 0) part.size = rest.size;
            rest = str_skip(rest, part.size);
            pieces->items = mem_grow(pieces->items, pieces->count, &pieces->cap,
                                     sizeof *pieces->items);
            pieces->items[pieces->count++] = (struct piece){ part, line->style };
        } while (rest.size > 0);
    }
}

static void put_transcript(struct sheet *sheet, uint32_t rows)
{
    struct top_list *list = &sheet->state->lists[TOP_ATTEMPT];
    struct pieces pieces = { 0 };
    uint32_t last;

    break_lines(sheet, &pieces);
    last = pieces.count > rows ? pieces.count - rows : 0;
    if (list->at >= last) sheet->state->ends[TOP_ATTEMPT] = true;
    if (sheet->state->ends[TOP_ATTEMPT]) list->at = last;
    sheet->state->page_rows = rows;
    for (uint32_t i = list->at; i < pieces.count && i < list->at + rows; i++) {
        sheet_line(sheet, pieces.items[i].style,
                   arena_cstr(sheet->arena, pieces.items[i].text));
    }
    if (pieces.count == 0) {
        sheet_line(sheet, STYLE_DIM, sheet->model->transcript.line_count > 0
                   ? "no line holds that; Esc shows all" : "it has said nothing yet");
    }
    free(pieces.items);
}

void sheet_attempt(struct sheet *sheet)
{
    const struct top_attempt *attempt = &sheet->model->transcript.attempt;
    char pieces[4][PEN_PIECE_BYTES] = { { 0 } };
    static const uint32_t spare[] = { 1, 2, 0, UINT32_MAX };
    struct buf words;

    if (!attempt->name) {
        sheet_line(sheet, STYLE_DIM, "this attempt is gone; Esc goes back");
        return;
    }
    buf_init(&words, 256);
    row_words(&attempt->row, sheet->now_ms, false, &words);
    snprintf(pieces[0], PEN_PIECE_BYTES, "%s", attempt->row.role);
    snprintf(pieces[1], PEN_PIECE_BYTES, "%s", attempt->row.spec);
    snprintf(pieces[2], PEN_PIECE_BYTES, "%s%s", phase_is_number(attempt->phase) ? "phase " : "",
             attempt->phase);
    snprintf(pieces[3], PEN_PIECE_BYTES, "%.90s", buf_cstr(&words));
    buf_release(&words);
    pen_open(sheet->pen);
    pen_blank(sheet->pen, 1);
    pen_pieces(sheet->pen, row_styles[attempt->row.state], pieces, 4, spare);
    pen_close(sheet->pen);
    if (attempt->problem && *attempt->problem) {
        sheet_label(sheet, "problem", STYLE_BAD, attempt->problem);
    }
    sheet_blank(sheet);
    put_transcript(sheet, sheet->rows - (attempt->problem && *attempt->problem ? 3 : 2));
}
