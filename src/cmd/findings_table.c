/* SPDX-License-Identifier: Apache-2.0
 *
 * findings_table.c - findings for people.
 *
 *     severity  where           rule      finding                          rounds  state
 *     high      src/sum.c:12    -Wformat  format '%d' expects an int ...   1-2     open
 *
 * 1. The finding's words get what the others leave. Where that is too little the rounds are left
 *    out, then the rule, then the state.
 * 2. A path is cut in front, since its end says more; everything else behind.
 * 3. Widths are those of characters, not of bytes. Colours and links are no part of them. */
#include "cmd/findings.h"

#include "format/json/finding_json.h"
#include "format/report/uri.h"
#include "format/text/safe.h"
#include "format/text/utf8.h"
#include "format/text/width.h"

#include <inttypes.h>

enum { GAP = 2, CELL_BYTES_MAX = 4096, TEXT_SHOWN_MAX = 1000 };

enum cell { CELL_SEVERITY, CELL_WHERE, CELL_RULE, CELL_WORDS, CELL_ROUNDS, CELL_STATE, CELL_COUNT };

static const char *const titles[CELL_COUNT] = {
    [CELL_SEVERITY] = "severity", [CELL_WHERE] = "where",   [CELL_RULE] = "rule",
    [CELL_WORDS] = "finding",     [CELL_ROUNDS] = "rounds", [CELL_STATE] = "state",
};

static const char *const colors[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "\033[36m",
    [SEVERITY_MEDIUM] = "\033[33m",
    [SEVERITY_HIGH] = "\033[1;31m",
};

static const char dim[] = "\033[2m", green[] = "\033[32m", plain[] = "\033[0m";

struct grid {
    uint32_t width[CELL_COUNT]; /* 0: left out */
};

static void add_where(struct buf *out, const struct finding *finding)
{
    safe_text(out, finding->file, true, CELL_BYTES_MAX / 2);
    if (finding->file.size > 0 && finding->line > 0) buf_printf(out, ":%" PRIu32, finding->line);
    if (finding->file.size == 0) buf_byte(out, '-');
}

static void add_cell(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry, enum cell cell)
{
    const struct finding *finding = &entry->finding;

    switch (cell) {
    case CELL_SEVERITY:
        buf_text(out, severity_word(finding->severity));
        break;
    case CELL_WHERE:
        add_where(out, finding);
        break;
    case CELL_RULE:
        safe_text(out, finding->kind.size > 0 ? finding->kind
                                              : str_of(listing_role(listing, entry)),
                  true, TEXT_SHOWN_MAX);
        break;
    case CELL_WORDS:
        safe_text(out, str_trim(finding->text), true, TEXT_SHOWN_MAX);
        break;
    case CELL_ROUNDS:
        buf_printf(out, "%" PRIu32, entry->round_first);
        if (entry->round_last != entry->round_first) {
            buf_printf(out, "-%" PRIu32, entry->round_last);
        }
        break;
    case CELL_STATE:
        buf_text(out, finding_state_word(entry->state));
        break;
    case CELL_COUNT:
        break;
    }
}

/* ---- widths ---- */

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* How wide each column would like to be. */
static void grid_measure(struct grid *grid, const struct listing *listing)
{
    struct buf cell;

    buf_init(&cell, CELL_BYTES_MAX);
    for (uint32_t k = 0; k < CELL_COUNT; k++) grid->width[k] = width_of(str_of(titles[k]));
    for (uint32_t i = 0; i < listing->count; i++) {
        for (uint32_t k = 0; k < CELL_COUNT; k++) {
            uint32_t width;

            buf_clear(&cell);
            add_cell(&cell, listing, listing->items[i], (enum cell)k);
            width = width_of(buf_str(&cell));
            if (width > grid->width[k]) grid->width[k] = width;
        }
    }
    buf_release(&cell);
}

/* What all columns but the words take. */
static uint32_t grid_others(const struct grid *grid)
{
    uint32_t width = 0;

    for (uint32_t k = 0; k < CELL_COUNT; k++) {
        if (k == CELL_WORDS || grid->width[k] == 0) continue;
        width += grid->width[k] + GAP;
    }
    return width;
}

static void grid_fit(struct grid *grid, uint32_t columns)
{
    static const struct {
        enum cell cell;
        uint32_t words_min; /* it is left out where the words have less */
    } dispensable[] = { { CELL_ROUNDS, 30 }, { CELL_RULE, 24 }, { CELL_STATE, 20 } };

    grid->width[CELL_WHERE] = smaller(grid->width[CELL_WHERE], columns / 3);
    grid->width[CELL_RULE] = smaller(grid->width[CELL_RULE], columns / 5);
    for (uint32_t i = 0; i < sizeof dispensable / sizeof *dispensable; i++) {
        uint32_t wanted = smaller(grid->width[CELL_WORDS], dispensable[i].words_min);
        if (grid_others(grid) + wanted <= columns) break;
        grid->width[dispensable[i].cell] = 0;
    }
    if (grid_others(grid) + grid->width[CELL_WORDS] > columns) {
        uint32_t others = grid_others(grid);
        grid->width[CELL_WORDS] = columns > others + 8 ? columns - others : 8;
    }
}

/* ---- rows ---- */

/* The end of text that takes at most so many columns. */
static struct str cut_front(struct str text, uint32_t columns)
{
    uint32_t width = width_of(text);

    while (text.size > 0 && width > columns) {
        uint32_t code = 0;
        size_t size = utf8_next(text, &code);
        uint32_t taken = size > 0 ? width_char(code) : 1;

        width -= taken < width ? taken : width;
        text = str_skip(text, size > 0 ? size : 1);
    }
    return text;
}

/* Returns the width of what it added. */
static uint32_t add_cut(struct buf *out, struct str text, uint32_t columns, bool front)
{
    struct str dots = STR("...");
    struct str part;

    if (width_of(text) <= columns) {
        buf_add(out, text);
        return width_of(text);
    }
    if (columns <= dots.size) return 0;
    part = front ? cut_front(text, columns - (uint32_t)dots.size)
                 : width_cut(text, columns - (uint32_t)dots.size);
    buf_add(out, front ? dots : part);
    buf_add(out, front ? part : dots);
    return width_of(part) + (uint32_t)dots.size;
}

static const char *cell_color(const struct ledger_entry *entry, enum cell cell)
{
    bool fixed = entry->state == FINDING_FIXED;

    if (cell == CELL_SEVERITY) return fixed ? dim : colors[entry->finding.severity];
    if (cell == CELL_STATE) return fixed ? green : NULL;
    return fixed ? dim : NULL;
}

static bool open_link(const struct findings_table *table, const struct ledger_entry *entry,
                      struct buf *out)
{
    struct buf address;
    bool below;

    buf_init(&address, CELL_BYTES_MAX);
    below = uri_below(&address, entry->finding.file) && !address.overflow;
    if (below) buf_printf(out, "\033]8;;%s%s\033\\", table->links, buf_cstr(&address));
    buf_release(&address);
    return below;
}

static void add_row(const struct findings_table *table, const struct grid *grid,
                    const struct ledger_entry *entry, struct buf *out)
{
    uint32_t pad = 0;
    struct buf cell;

    buf_init(&cell, CELL_BYTES_MAX);
    for (uint32_t k = 0; k < CELL_COUNT; k++) {
        const char *color = table->color ? cell_color(entry, (enum cell)k) : NULL;
        bool linked = false;
        uint32_t width;

        if (grid->width[k] == 0) continue;
        for (; pad > 0; pad--) buf_byte(out, ' ');
        buf_clear(&cell);
        add_cell(&cell, table->listing, entry, (enum cell)k);
        if (color) buf_text(out, color);
        if (k == CELL_WHERE && table->links) linked = open_link(table, entry, out);
        width = add_cut(out, buf_str(&cell), grid->width[k], k == CELL_WHERE);
        if (linked) buf_text(out, "\033]8;;\033\\");
        if (color) buf_text(out, plain);
        pad = grid->width[k] - width + GAP;
    }
    buf_byte(out, '\n');
    buf_release(&cell);
}

static void add_titles(const struct findings_table *table, const struct grid *grid,
                       struct buf *out)
{
    uint32_t pad = 0;

    if (table->color) buf_text(out, dim);
    for (uint32_t k = 0; k < CELL_COUNT; k++) {
        if (grid->width[k] == 0) continue;
        for (; pad > 0; pad--) buf_byte(out, ' ');
        pad = grid->width[k] + GAP - add_cut(out, str_of(titles[k]), grid->width[k], false);
    }
    if (table->color) buf_text(out, plain);
    buf_byte(out, '\n');
}

void findings_table(const struct findings_table *table, struct buf *out)
{
    struct grid grid;

    if (table->listing->count == 0) return;
    grid_measure(&grid, table->listing);
    grid_fit(&grid, table->columns);
    add_titles(table, &grid, out);
    for (uint32_t i = 0; i < table->listing->count; i++) {
        add_row(table, &grid, table->listing->items[i], out);
    }
}

/* ---- lines ---- */

void findings_lines(const struct listing *listing, struct buf *out)
{
    static const char *const words[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = "note",
        [SEVERITY_MEDIUM] = "warning",
        [SEVERITY_HIGH] = "error",
    };

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];
        const struct finding *finding = &entry->finding;

        if (finding->file.size > 0) {
            if (finding->file.data[0] == ':') buf_text(out, "./"); /* "::" is a command in CI */
            safe_text(out, finding->file, true, 0);
            buf_printf(out, ":%" PRIu32 ":", finding->line);
            if (finding->line > 0 && finding->column > 0) {
                buf_printf(out, "%" PRIu32 ":", finding->column);
            }
        } else {
            buf_text(out, "hone:");
        }
        if (entry->state == FINDING_OPEN) buf_printf(out, " %s: ", words[finding->severity]);
        else buf_printf(out, " note: %s: ", finding_state_word(entry->state));
        safe_text(out, str_trim(finding->text), true, 0);
        buf_text(out, " [");
        safe_text(out, finding->kind.size > 0 ? finding->kind
                                              : str_of(listing_role(listing, entry)), true, 0);
        buf_text(out, "]\n");
    }
}
