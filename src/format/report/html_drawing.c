/* SPDX-License-Identifier: Apache-2.0
 *
 * html_drawing.c - the two drawings of the HTML report, as SVG inside the page.
 *
 * Widths are in percent of the page and heights in the size of its letters: a drawing is as wide as
 * there is room, on a telephone and on a wall, and its letters are as large as those around it.
 * What a drawing shows stands in a table beside it as well; who cannot see it reads that, and its
 * description says so. No colour means anything that a pattern or a word does not say.
 *
 * The timeline: for each lane its rounds, and below them a row for each agent with a bar for each
 * of its attempts. A time in which no agent was at work for long is drawn short, with a mark.
 *
 *     rounds        [--- R1 ---][--- R2 ---]
 *     critic        ====          ====
 *     review-fixer      ~====
 *
 * What is drawn is bounded (ROWS_MAX, BARS_MAX); the rest is in the tables: the page says so. */
#include "format/report/html_page.h"

#include "base/clock.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 120, BARS_MAX = 4000, ROUNDS_MAX = 120, ROUNDS_LABELLED_MAX = 24,
    ROW_HIGH = 34, LANE_HIGH = 40, LANE_GAP = 12, LANE_TEXT_MAX = 40, GAP_MIN_MS = 60 * 1000,
    CHART_HIGH = 200, CHART_TOP = 24, CHART_BOTTOM = 26,
};

/* Heights are counted in twelfths of a letter's size. */
static double em(double twelfths)
{
    return twelfths / 12;
}

/* ---- time to place ---- */

/* A stretch of time with agents at work, or a gap that is drawn short. */
struct stretch {
    uint64_t from_ms, to_ms;
    double from, to; /* percent */
    bool gap;
};

struct scale {
    struct stretch *items;
    uint32_t count, cap;
};

struct span {
    uint64_t from_ms, to_ms;
};

static int compare_spans(const void *one, const void *other)
{
    const struct span *a = one, *b = other;

    return (a->from_ms > b->from_ms) - (a->from_ms < b->from_ms);
}

static uint64_t end_of(const struct story *story, const struct story_attempt *attempt)
{
    uint64_t end = attempt->ended_ms ? attempt->ended_ms : story->updated_ms;

    return end > attempt->started_ms ? end : attempt->started_ms;
}

static void scale_add(struct scale *scale, uint64_t from_ms, uint64_t to_ms, bool gap)
{
    scale->items = mem_grow(scale->items, scale->count, &scale->cap, sizeof *scale->items);
    scale->items[scale->count++] = (struct stretch){ .from_ms = from_ms, .to_ms = to_ms,
                                                     .gap = gap };
}

/* When agents were at work, one stretch after the other; and the gaps between. */
static void scale_stretches(const struct story *story, struct scale *scale)
{
    struct span *spans = mem_alloc((story->attempt_count + 1) * sizeof *spans);
    uint64_t busy = 0, end;

    for (uint32_t i = 0; i < story->attempt_count; i++) {
        spans[i] = (struct span){ story->attempts[i].started_ms, end_of(story,
                                                                        &story->attempts[i]) };
        busy += spans[i].to_ms - spans[i].from_ms;
    }
    qsort(spans, story->attempt_count, sizeof *spans, compare_spans);
    scale_add(scale, spans[0].from_ms, spans[0].to_ms, false);
    for (uint32_t i = 1; i < story->attempt_count; i++) {
        struct stretch *last = &scale->items[scale->count - 1];

        end = last->to_ms;
        if (spans[i].from_ms > end + GAP_MIN_MS && spans[i].from_ms - end > busy / 20) {
            scale_add(scale, end, spans[i].from_ms, true);
            scale_add(scale, spans[i].from_ms, spans[i].to_ms, false);
        } else if (spans[i].to_ms > end) {
            last->to_ms = spans[i].to_ms;
        }
    }
    free(spans);
}

/* A gap is as wide as a thirtieth of all work. */
static void scale_make(const struct story *story, struct scale *scale)
{
    double all = 0, at = 0, gap;
    uint32_t gaps = 0;

    scale_stretches(story, scale);
    for (uint32_t i = 0; i < scale->count; i++) {
        const struct stretch *one = &scale->items[i];

        gaps += one->gap;
        if (!one->gap) all += (double)(one->to_ms - one->from_ms) + 1;
    }
    gap = all / 30;
    all += gap * gaps;
    for (uint32_t i = 0; i < scale->count; i++) {
        struct stretch *one = &scale->items[i];
        double wide = one->gap ? gap : (double)(one->to_ms - one->from_ms) + 1;

        one->from = at / all * 100;
        at += wide;
        one->to = at / all * 100;
    }
}

static double scale_at(const struct scale *scale, uint64_t ms)
{
    for (uint32_t i = 0; i < scale->count; i++) {
        const struct stretch *one = &scale->items[i];
        double share;

        if (ms > one->to_ms) continue;
        if (ms <= one->from_ms) return one->from;
        share = (double)(ms - one->from_ms) / (double)(one->to_ms - one->from_ms);
        return one->from + share * (one->to - one->from);
    }
    return 100;
}

/* ---- rows ---- */

/* One agent of one lane. */
struct row {
    uint32_t lane;
    const char *role, *by;
};

struct timeline {
    struct html_page *page;
    struct scale scale;
    struct row rows[ROWS_MAX];
    uint32_t row_count;
    bool cut;
};

static bool is_row(const struct row *row, const struct story_attempt *attempt)
{
    return row->lane == attempt->lane && strcmp(row->role, attempt->role) == 0 &&
           strcmp(row->by, attempt->by) == 0;
}

static void add_row(struct timeline *line, const struct story_attempt *attempt)
{
    for (uint32_t i = 0; i < line->row_count; i++) {
        if (is_row(&line->rows[i], attempt)) return;
    }
    if (line->row_count == ROWS_MAX) {
        line->cut = true;
        return;
    }
    line->rows[line->row_count++] = (struct row){ attempt->lane, attempt->role, attempt->by };
}

static void find_rows(struct timeline *line)
{
    const struct story *story = line->page->story;

    for (uint32_t lane = 0; lane < story->lane_count && !line->cut; lane++) {
        for (uint32_t i = 0; i < story->attempt_count; i++) {
            if (story->attempts[i].lane == lane) add_row(line, &story->attempts[i]);
        }
    }
}

/* How a bar looks: by its verdict, or by what it was for. */
static const char *bar_class(const struct story_attempt *attempt)
{
    if (attempt->ended_ms == 0) return "b-open";
    switch (attempt->verdict) {
    case VERDICT_CLEAN: return attempt->judges ? "b-clean" : "b-done";
    case VERDICT_FINDINGS: return "b-found";
    case VERDICT_INVALID:
    case VERDICT_FAILED: return "b-bad";
    case VERDICT_NOT_PLAYED:
    case VERDICT_COUNT: break;
    }
    return "b-none";
}

static void put_bar(struct timeline *line, const struct story_attempt *attempt, uint32_t y)
{
    struct html_page *page = line->page;
    const char *class = bar_class(attempt);
    double asked = scale_at(&line->scale, attempt->asked_ms);
    double from = scale_at(&line->scale, attempt->started_ms);
    double to = scale_at(&line->scale, end_of(page->story, attempt));
    double wide = to - from > 0.4 ? to - from : 0.4;

    if (from > 99.6) from = 99.6;
    if (from - asked > 0.2) {
        html_printf(page, "<rect class=\"b-wait\" x=\"%.2f%%\" y=\"%.2fem\" width=\"%.2f%%\" "
                    "height=\".17em\"/>", asked, em(y + 22), from - asked);
    }
    html_printf(page, "<g><title>");
    html_who(page, attempt->role, str_of(attempt->by));
    html_printf(page, ", attempt %" PRIu32 "-%" PRIu32 ": ", attempt->job, attempt->attempt);
    html_verdict(page, attempt);
    if (attempt->ended_ms) {
        html_raw(page, ", ");
        html_span(page, attempt->started_ms, attempt->ended_ms);
    }
    html_printf(page, "</title><rect class=\"%s\" x=\"%.2f%%\" y=\"%.2fem\" width=\"%.2f%%\" "
                "height=\"1em\" rx=\"2\"/>", class, from, em(y + 17), wide);
    if (strcmp(class, "b-bad") == 0 || strcmp(class, "b-found") == 0) {
        html_printf(page, "<rect fill=\"url(#%s)\" x=\"%.2f%%\" y=\"%.2fem\" width=\"%.2f%%\" "
                    "height=\"1em\" rx=\"2\"/>", class[2] == 'b' ? "p-bad" : "p-found", from,
                    em(y + 17), wide);
    }
    html_raw(page, "</g>\n");
}

/* A lane's own line: its name, and its rounds. */
static void put_lane(struct timeline *line, uint32_t lane, uint32_t y)
{
    struct html_page *page = line->page;
    const struct story *story = page->story;

    html_printf(page, "<text class=\"lane\" x=\"0\" y=\"%.2fem\">", em(y + 13));
    if (story->lane_count > 1) {
        html_raw(page, lane ? "lane " : "");
        html_put(page, str_of(story->lanes[lane].name), 60);
        html_raw(page, lane ? "" : " lane");
        if (lane && story->lanes[lane].task.size > 0) {
            html_raw(page, ": ");
            html_put(page, story->lanes[lane].task, LANE_TEXT_MAX);
        }
    } else {
        html_raw(page, "rounds");
    }
    html_raw(page, "</text>\n");
    for (uint32_t i = 0; i < story->round_count; i++) {
        const struct story_round *round = &story->rounds[i];
        uint64_t end = round->repaired_ms > round->ended_ms ? round->repaired_ms : round->ended_ms;
        double from = scale_at(&line->scale, round->started_ms);
        double to = scale_at(&line->scale, end ? end : story->updated_ms);

        if (round->lane != lane) continue;
        if (to - from < 0.4) to = from + 0.4;
        html_printf(page, "<g><title>");
        html_round(page, i);
        html_printf(page, "</title><rect class=\"round\" x=\"%.2f%%\" y=\"%.2fem\" "
                    "width=\"%.2f%%\" height=\"1.33em\" rx=\"2\"/>", from, em(y + 19), to - from);
        if (to - from > 7) {
            html_printf(page, "<text class=\"tick\" x=\"%.2f%%\" y=\"%.2fem\" "
                        "text-anchor=\"middle\">%" PRIu32 "</text>", (from + to) / 2, em(y + 31),
                        round->number);
        }
        html_raw(page, "</g>\n");
    }
}

static void put_gaps(struct timeline *line, uint32_t height)
{
    struct html_page *page = line->page;
    char span[CLOCK_SPAN_BYTES];

    for (uint32_t i = 0; i < line->scale.count; i++) {
        const struct stretch *one = &line->scale.items[i];

        if (!one->gap) continue;
        html_printf(page, "<g><title>no agent was at work for %s</title><rect fill=\"url(#p-gap)\" "
                    "x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%.2fem\"/></g>\n",
                    clock_span(one->to_ms - one->from_ms, span), one->from, one->to - one->from,
                    em(height));
    }
}

/* What bars of each kind look like; drawn once, used by both drawings. */
static void put_patterns(struct html_page *page)
{
    html_raw(page,
        "<defs>"
        "<pattern id=\"p-bad\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
        "<path class=\"p-line\" d=\"M0 0L5 5M5 0L0 5\"/></pattern>"
        "<pattern id=\"p-found\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
        "<path class=\"p-line\" d=\"M0 5L5 0\"/></pattern>"
        "<pattern id=\"p-gap\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
        "<path class=\"p-gap\" d=\"M0 6L6 0\"/></pattern>"
        "</defs>\n");
}

static void put_key(struct html_page *page, const char *class, const char *pattern,
                    const char *words)
{
    html_printf(page, "<li><svg width=\"22\" height=\"12\" aria-hidden=\"true\"><rect class=\"%s\" "
                "x=\"1\" y=\"1\" width=\"20\" height=\"10\" rx=\"2\"/>", class);
    if (pattern) {
        html_printf(page, "<rect fill=\"url(#%s)\" x=\"1\" y=\"1\" width=\"20\" height=\"10\"/>",
                    pattern);
    }
    html_printf(page, "</svg> %s</li>\n", words);
}

static void put_timeline_keys(struct html_page *page)
{
    html_raw(page, "<ul class=\"keys\">\n");
    put_key(page, "b-clean", NULL, "reviewed: clean");
    put_key(page, "b-found", "p-found", "reviewed: findings");
    put_key(page, "b-done", NULL, "worked or fixed");
    put_key(page, "b-bad", "p-bad", "failed, or broke its contract");
    put_key(page, "b-open", NULL, "not ended");
    put_key(page, "b-wait", NULL, "waited");
    html_raw(page, "</ul>\n");
}

static uint32_t timeline_height(const struct timeline *line)
{
    uint32_t height = 4;

    for (uint32_t i = 0; i < line->row_count; i++) {
        if (i > 0 && line->rows[i].lane != line->rows[i - 1].lane) height += LANE_GAP;
        if (i == 0 || line->rows[i].lane != line->rows[i - 1].lane) height += LANE_HIGH;
        height += ROW_HIGH;
    }
    return height;
}

static void put_rows(struct timeline *line)
{
    struct html_page *page = line->page;
    const struct story *story = page->story;
    uint32_t y = 0, bars = 0;

    for (uint32_t i = 0; i < line->row_count; i++) {
        const struct row *row = &line->rows[i];

        if (i == 0 || row->lane != line->rows[i - 1].lane) {
            if (i > 0) y += LANE_GAP;
            put_lane(line, row->lane, y);
            y += LANE_HIGH;
        }
        html_printf(page, "<text x=\"0\" y=\"%.2fem\">", em(y + 12));
        html_who(page, row->role, str_of(row->by));
        html_printf(page, "</text><rect class=\"track\" x=\"0\" y=\"%.2fem\" width=\"100%%\" "
                    "height=\"1em\" rx=\"2\"/>\n", em(y + 17));
        for (uint32_t k = 0; k < story->attempt_count; k++) {
            if (!is_row(row, &story->attempts[k])) continue;
            if (bars++ < BARS_MAX) put_bar(line, &story->attempts[k], y);
            else line->cut = true;
        }
        y += ROW_HIGH;
    }
}

void html_timeline(struct html_page *page)
{
    const struct story *story = page->story;
    struct timeline *line;
    uint32_t height;

    if (story->attempt_count == 0) return;
    line = mem_alloc(sizeof *line);
    line->page = page;
    scale_make(story, &line->scale);
    find_rows(line);
    height = timeline_height(line);
    html_raw(page, "<figure>\n<figcaption id=\"timeline\">Who was at work when, from ");
    html_time(page, line->scale.items[0].from_ms);
    html_raw(page, " on</figcaption>\n");
    html_printf(page, "<svg class=\"drawing\" width=\"100%%\" height=\"%.2fem\" role=\"img\" "
                "aria-labelledby=\"timeline timeline-text\">\n<desc id=\"timeline-text\">A row for "
                "each agent with a bar for each of its attempts; the tables Rounds and Attempts on "
                "this page say the same.</desc>\n", em(height));
    put_patterns(page);
    put_gaps(line, height);
    put_rows(line);
    html_raw(page, "</svg>\n");
    put_timeline_keys(page);
    if (line->cut) {
        html_raw(page, "<p class=\"note\">Not all attempts fit into the drawing: the table of "
                       "attempts has more.</p>\n");
    }
    html_raw(page, "</figure>\n");
    free(line->scale.items);
    free(line);
}

/* ---- what was open ---- */

static uint32_t top_of(const struct story *story, uint32_t first)
{
    uint32_t top = 1;

    for (uint32_t i = first; i < story->round_count; i++) {
        const struct story_round *round = &story->rounds[story->by_end[i]];
        uint32_t open = round->open_change + round->open_fix;
        if (round->counted && open > top) top = open;
    }
    return top;
}

static void put_grid(struct html_page *page, uint32_t top)
{
    uint32_t marks[] = { 0, top / 2, top };

    for (uint32_t i = 0; i < 3; i++) {
        double y = CHART_HIGH - CHART_BOTTOM -
                   (double)(CHART_HIGH - CHART_TOP - CHART_BOTTOM) * marks[i] / top;

        if (i == 1 && (top < 4 || top % 2)) continue;
        html_printf(page, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.2fem\" y2=\"%.2fem\"/>"
                    "<text class=\"tick\" x=\"0\" y=\"%.2fem\">%" PRIu32 "</text>\n", em(y), em(y),
                    em(y - 4), marks[i]);
    }
}

static void put_part(struct html_page *page, const char *class, double x, double wide, double y,
                     double high)
{
    if (high <= 0) return;
    html_printf(page, "<rect class=\"%s\" x=\"%.2f%%\" y=\"%.2fem\" width=\"%.2f%%\" "
                "height=\"%.2fem\"/>", class, x, em(y), wide, em(high));
}

/* The column of a round: the so manieth that ended. */
static void put_column(struct html_page *page, uint32_t at, uint32_t first, uint32_t top)
{
    const struct story *story = page->story;
    const struct story_round *round = &story->rounds[story->by_end[at]];
    double step = 94.0 / (story->round_count - first), wide = step * 0.62;
    double x = 6 + step * (at - first) + (step - wide) / 2;
    double unit = (double)(CHART_HIGH - CHART_TOP - CHART_BOTTOM) / top;
    double base = CHART_HIGH - CHART_BOTTOM;
    uint32_t open = round->open_change + round->open_fix;

    if (wide > 7) {
        x += (wide - 7) / 2;
        wide = 7;
    }
    html_raw(page, "<g><title>after ");
    html_round(page, story->by_end[at]);
    html_printf(page, ": %" PRIu32 " open, %" PRIu32 " of them by the change, %" PRIu32 " by a "
                "fix</title>", open, round->open_change, round->open_fix);
    put_part(page, "c-change", x, wide, base - unit * round->open_change,
             unit * round->open_change);
    put_part(page, "c-fix", x, wide, base - unit * open, unit * round->open_fix);
    if (round->open_fix > 0) {
        html_printf(page, "<rect fill=\"url(#p-found)\" x=\"%.2f%%\" y=\"%.2fem\" width=\"%.2f%%\" "
                    "height=\"%.2fem\"/>", x, em(base - unit * open), wide,
                    em(unit * round->open_fix));
    }
    if (open == 0) put_part(page, "c-none", x, wide, base - 3, 3);
    if (story->round_count - first <= ROUNDS_LABELLED_MAX) {
        html_printf(page, "<text class=\"value\" x=\"%.2f%%\" y=\"%.2fem\" "
                    "text-anchor=\"middle\">%" PRIu32 "</text><text class=\"tick\" x=\"%.2f%%\" "
                    "y=\"%.2fem\" text-anchor=\"middle\">%" PRIu32 "</text>", x + wide / 2,
                    em(base - unit * open - 5), open, x + wide / 2, em(CHART_HIGH - 8), at + 1);
    }
    html_raw(page, "</g>\n");
}

void html_burn_down(struct html_page *page)
{
    const struct story *story = page->story;
    uint32_t first = story->round_count > ROUNDS_MAX ? story->round_count - ROUNDS_MAX : 0;
    uint32_t top = top_of(story, first);

    if (!story->rounds[story->by_end[first]].counted) return; /* no round has ended */
    html_raw(page, "<figure>\n<figcaption id=\"open\">What was open after each round</figcaption>"
                   "\n");
    html_printf(page, "<svg class=\"drawing\" width=\"100%%\" height=\"%.2fem\" role=\"img\" "
                "aria-labelledby=\"open open-text\">\n<desc id=\"open-text\">A column for each "
                "round, as high as the number of findings that were open after it; the table "
                "Rounds on this page says the same.</desc>\n", em(CHART_HIGH));
    put_grid(page, top);
    for (uint32_t i = first; i < story->round_count; i++) {
        if (story->rounds[story->by_end[i]].counted) put_column(page, i, first, top);
    }
    html_raw(page, "</svg>\n<ul class=\"keys\">\n");
    put_key(page, "c-change", NULL, "brought by the change");
    put_key(page, "c-fix", "p-found", "brought by a fix");
    html_raw(page, "</ul>\n");
    if (first > 0) {
        html_printf(page, "<p class=\"note\">The drawing has the last %d rounds of %" PRIu32
                    ".</p>\n", ROUNDS_MAX, story->round_count);
    }
    html_raw(page, "</figure>\n");
}
