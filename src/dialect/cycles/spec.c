/* SPDX-License-Identifier: Apache-2.0
 *
 * spec.c - what a spec says about itself: its number, its title, its phases.
 *
 *     specs/042-login.md                          number 042
 *     # Login form                                title, and topic login-form
 *     | ID     | Behaviour            | Phase |
 *     | SC-001 | refuses an empty name | 1    |   criteria, with the phase that must meet them
 *
 * A row counts when its first cell is SC- and a number. Its phase stands in the column that a row
 * above it calls Phase, else in the last. A cell with several numbers names several phases.
 *
 * The spec is the user's file: names made of it are short, in one line and harmless. */
#include "dialect/cycles/cycles.h"

#include "base/byte.h"
#include "format/text/safe.h"

#include <string.h>

enum {
    TITLE_BYTES_MAX = 72,
    TOPIC_BYTES_MAX = 40,
    NUMBER_DIGITS = 3,
    NUMBER_DIGITS_MAX = 12,
    CELLS_MAX = 64,
};

struct spec cycles_spec(const struct settings *settings)
{
    return (struct spec){ .path = setting_value(settings, "spec"),
                          .text = settings_file(settings, "--spec") };
}

/* ---- the table of criteria ---- */

/* The cells of a row, without the blanks around them; how many there are. */
static uint32_t row_cells(struct str line, struct str cells[CELLS_MAX])
{
    uint32_t count = 0;
    size_t from = 1;

    if (!line.size || line.data[0] != '|') return 0;
    for (size_t i = 1; i <= line.size && count < CELLS_MAX; i++) {
        bool escaped = i < line.size && line.data[i - 1] == '\\';

        if (i < line.size && (line.data[i] != '|' || escaped)) continue;
        if (i == line.size && i == from) break; /* the row ended with its border */
        cells[count++] = str_trim((struct str){ line.data + from, i - from });
        from = i + 1;
    }
    return count;
}

/* SC-001, with marks of Markdown around it. */
static bool is_criterion(struct str cell)
{
    static const struct str prefix = STR("SC-");

    cell = text_skip(cell, "*_`[");
    return str_starts(cell, prefix) && cell.size > prefix.size &&
           byte_is_digit(cell.data[prefix.size]);
}

/* Cuts the next number out of *rest; false: there is none left. 0 where it is too large. */
static bool cut_number(struct str *rest, uint64_t *out)
{
    struct str digits;

    while (rest->size && !byte_is_digit(rest->data[0])) *rest = str_skip(*rest, 1);
    digits = (struct str){ rest->data, text_digits(*rest) };
    if (digits.size == 0) return false;
    *rest = str_skip(*rest, digits.size);
    if (!str_number(digits, out)) *out = 0;
    return true;
}

/* A walk over the rows that are criteria. */
struct rows {
    struct prose prose;
    uint32_t column; /* of the phase, from 1; 0: the last */
};

static bool is_phase_word(struct str cell)
{
    return word_is(text_bare(cell, "*_` ", "*_` "), "phase");
}

/* The next criterion: its row and the cell with its phase. */
static bool rows_next(struct rows *rows, struct str *row, struct str *phase)
{
    struct str cells[CELLS_MAX];
    enum prose_kind kind;

    while (prose_next(&rows->prose, row, &kind)) {
        uint32_t count = kind == PROSE_OWN ? row_cells(*row, cells) : 0;

        if (count == 0) {
            rows->column = 0; /* the table is over */
        } else if (is_criterion(cells[0])) {
            *phase = cells[rows->column && rows->column <= count ? rows->column - 1 : count - 1];
            return true;
        }
        for (uint32_t i = 0; i < count; i++) {
            if (is_phase_word(cells[i])) rows->column = i + 1;
        }
    }
    return false;
}

/* "## Phase 2: ...", in any case: a reader takes it for a phase, and hone does not. */
static bool is_phase_heading(struct str line)
{
    struct str title;

    if (prose_heading(line, &title) == 0 || !starts_with_word(title, "phase")) return false;
    title = str_trim(str_skip(title, strlen("phase")));
    return title.size > 0 && byte_is_digit(title.data[0]);
}

/* A spec that seems to have phases, and has none. */
static void phases_unread(const struct spec *spec, struct warnings *warnings)
{
    struct prose prose = { .rest = spec->text };
    enum prose_kind kind;
    uint32_t headings = 0;
    struct str line;

    while (prose_next(&prose, &line, &kind)) {
        headings += kind == PROSE_OWN && is_phase_heading(line);
    }
    if (headings < 2) return;
    warnings_add(warnings, "%s: its %u headings 'Phase N' are not read as phases, so all of it is "
                 "one: name the phases with --phases 1,2,3, or give its criteria a table with rows "
                 "SC-001 and a column Phase", spec->path ? spec->path : "spec",
                 (unsigned)headings);
}

uint32_t spec_phase_count(const struct spec *spec, uint32_t max, struct warnings *warnings)
{
    struct rows rows = { .prose = { .rest = spec->text } };
    uint32_t highest = 0;
    struct str row, cell;
    uint64_t number;

    while (rows_next(&rows, &row, &cell)) {
        while (cut_number(&cell, &number)) {
            if (number >= 1 && number <= max) {
                if (number > highest) highest = (uint32_t)number;
            } else {
                warnings_add(warnings, "%s: line %u: the phase of a criterion is a number from 1 "
                             "to %u; this row is left out", spec->path ? spec->path : "spec",
                             (unsigned)rows.prose.line, (unsigned)max);
            }
        }
    }
    if (highest == 0) phases_unread(spec, warnings);
    return highest;
}

uint32_t spec_criteria(const struct spec *spec, uint32_t phase, struct buf *out)
{
    struct rows rows = { .prose = { .rest = spec->text } };
    uint32_t count = 0;
    struct str row, cell;
    uint64_t number;

    while (rows_next(&rows, &row, &cell)) {
        bool of_phase = false;

        while (cut_number(&cell, &number)) of_phase = of_phase || number == phase;
        if (!of_phase) continue;
        buf_add(out, row);
        buf_byte(out, '\n');
        count++;
    }
    return count;
}

/* ---- its name ---- */

/* "042-login" of specs/042-login.md */
static struct str stem_of(const char *path)
{
    struct str rest = str_of(path), stem = { "", 0 };

    while (str_cut(&rest, '/', &stem)) {}
    for (size_t i = stem.size; i-- > 1;) {
        if (stem.data[i] == '.') return (struct str){ stem.data, i };
    }
    return stem;
}

const char *spec_number(const struct spec *spec, struct arena *arena)
{
    struct str stem = stem_of(spec->path), digits;

    while (stem.size && !byte_is_digit(stem.data[0])) stem = str_skip(stem, 1);
    digits = (struct str){ stem.data, text_digits(stem) };
    if (digits.size > NUMBER_DIGITS_MAX) digits.size = NUMBER_DIGITS_MAX;
    return arena_printf(arena, "%.*s%.*s",
                        digits.size < NUMBER_DIGITS ? NUMBER_DIGITS - (int)digits.size : 0, "000",
                        STR_ARG(digits));
}

/* The first heading; metadata in front of the text, between lines of ---, is none of it. */
static struct str first_heading(struct str text)
{
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    struct str line, heading;
    bool metadata = false;

    while (prose_next(&prose, &line, &kind)) {
        if (str_is(line, "---") && (prose.line == 1 || metadata)) {
            metadata = prose.line == 1;
        } else if (!metadata && kind == PROSE_OWN && prose_heading(line, &heading)) {
            heading = prose_title(heading);
            if (heading.size) return heading;
        }
    }
    return (struct str){ "", 0 };
}

static struct str first_line(const char *text)
{
    struct str rest = str_of(text), line = { "", 0 };

    while (str_cut(&rest, '\n', &line) && str_trim(line).size == 0) {}
    return str_trim(line);
}

const char *spec_title(const struct spec *spec, const char *task, struct arena *arena)
{
    struct str title = spec->path ? first_heading(spec->text) : first_line(task);
    const char *kept;

    if (title.size == 0 && spec->path) title = stem_of(spec->path);
    kept = safe_copy(arena, title, TITLE_BYTES_MAX);
    return *kept ? kept : "untitled";
}

const char *spec_topic(const struct spec *spec, const char *task, struct arena *arena)
{
    struct str from = spec->path ? stem_of(spec->path) : first_line(task);
    char topic[TOPIC_BYTES_MAX + 1] = "";
    size_t size = 0, word = 0; /* word: where the last whole word ends */

    for (size_t i = 0; i < from.size && size < TOPIC_BYTES_MAX; i++) {
        char byte = byte_small(from.data[i]);

        if (byte_is_small(byte) || byte_is_digit(byte)) {
            topic[size++] = byte;
        } else if (size && topic[size - 1] != '-') {
            word = size;
            topic[size++] = '-';
        }
    }
    if (size == TOPIC_BYTES_MAX && word) size = word;
    while (size && topic[size - 1] == '-') size--;
    if (size == 0) return "session";
    return arena_cstr(arena, (struct str){ topic, size });
}
