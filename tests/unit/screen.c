/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include "format/text/utf8.h"
#include "format/text/width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void screen_init(struct screen *screen, uint32_t columns, uint32_t rows, bool folds)
{
    memset(screen, 0, sizeof *screen);
    screen->columns = columns;
    screen->rows = rows;
    screen->folds = folds;
    screen->used = 1;
}

static void line_down(struct screen *screen)
{
    assert_true(screen->line + 1 < SCREEN_LINES_MAX);
    screen->line++;
    if (screen->line >= screen->used) screen->used = screen->line + 1;
    if (screen->line >= screen->top + screen->rows) screen->top++;
}

static void put_char(struct screen *screen, uint32_t code)
{
    uint32_t width = width_char(code);
    struct screen_line *line;

    if (width == 0) return;
    if (screen->column + width > screen->columns) {
        screen->lines[screen->line].folded = true;
        line_down(screen);
        screen->column = 0;
    }
    line = &screen->lines[screen->line];
    line->cells[screen->column++] = code;
    if (width == 2) line->cells[screen->column++] = UINT32_MAX;
}

static void erase(struct screen *screen, uint32_t from)
{
    struct screen_line *line = &screen->lines[screen->line];

    for (uint32_t i = from; i < SCREEN_COLUMNS_MAX; i++) line->cells[i] = 0;
    if (from == 0) line->folded = false; /* as tmux has it: only an empty line forgets */
}

/* A sequence behind "ESC ["; how many bytes it has. */
static size_t put_sequence(struct screen *screen, struct str rest)
{
    uint32_t number = 0;
    bool given = false;
    size_t at = 0;

    while (at < rest.size && rest.data[at] >= '0' && rest.data[at] <= '9') {
        number = number * 10 + (uint32_t)(rest.data[at++] - '0');
        given = true;
    }
    assert_true(at < rest.size);
    if (screen->column == screen->columns) screen->column--;
    switch (rest.data[at]) {
    case 'A':
        if (!given) number = 1;
        screen->line = screen->line - screen->top > number ? screen->line - number : screen->top;
        break;
    case 'B':
        for (number = given ? number : 1; number > 0; number--) {
            if (screen->line + 1 < screen->top + screen->rows) line_down(screen);
        }
        break;
    case 'K':
        assert_true(number == 0 || number == 2);
        erase(screen, number == 2 ? 0 : screen->column);
        break;
    case 'm':
        break;
    default:
        fail_msg("the view uses ESC [ ... %c", rest.data[at]);
    }
    return at + 1;
}

void screen_put(struct screen *screen, struct str bytes)
{
    while (bytes.size) {
        uint32_t code;
        size_t size = utf8_next(bytes, &code);

        assert_true(size > 0);
        if (code == '\r') {
            screen->column = 0;
        } else if (code == '\n') {
            line_down(screen);
        } else if (code == 0x1b) {
            assert_true(bytes.size > 1 && bytes.data[1] == '[');
            size = 2 + put_sequence(screen, str_skip(bytes, 2));
        } else {
            assert_true(code >= 0x20 && code != 0x7f);
            put_char(screen, code);
        }
        bytes = str_skip(bytes, size);
    }
}

static uint32_t line_length(const struct screen_line *line)
{
    uint32_t length = SCREEN_COLUMNS_MAX;

    while (length > 0 && line->cells[length - 1] == 0) length--;
    return length;
}

/* The same text on a screen of another width, the cursor at the same character. */
static void fold_anew(struct screen *screen, uint32_t columns)
{
    struct screen *next = malloc(sizeof *next);
    uint32_t line = 0, column = 0;

    screen_init(next, columns, SCREEN_LINES_MAX, true);
    for (uint32_t i = 0; i < screen->used; i++) {
        const struct screen_line *from = &screen->lines[i];
        uint32_t length = line_length(from);
        if (from->folded && length < screen->columns) length = screen->columns - 1;
        for (uint32_t k = 0; k < length || (i == screen->line && k <= screen->column); k++) {
            if (i == screen->line && k == screen->column) {
                line = next->line;
                column = next->column;
            }
            if (k >= length || from->cells[k] == UINT32_MAX) continue;
            put_char(next, from->cells[k] ? from->cells[k] : ' ');
        }
        if (from->folded || i + 1 == screen->used) continue;
        line_down(next);
        next->column = 0;
    }
    next->line = line;
    next->column = column;
    next->rows = screen->rows;
    *screen = *next;
    free(next);
}

void screen_resize(struct screen *screen, uint32_t columns, uint32_t rows)
{
    if (screen->folds && columns != screen->columns) fold_anew(screen, columns);
    for (uint32_t i = screen->top; i < screen->used && !screen->folds; i++) {
        for (uint32_t k = columns; k < SCREEN_COLUMNS_MAX; k++) screen->lines[i].cells[k] = 0;
    }
    screen->columns = columns;
    screen->rows = rows;
    if (screen->column > columns) screen->column = columns;
    screen->top = screen->used > rows ? screen->used - rows : 0;
    if (screen->line < screen->top) screen->line = screen->top;
}

static void put_utf8(struct buf *out, uint32_t code)
{
    if (code < 0x80) {
        buf_byte(out, (char)code);
    } else if (code < 0x800) {
        buf_byte(out, (char)(0xc0 | code >> 6));
        buf_byte(out, (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        buf_byte(out, (char)(0xe0 | code >> 12));
        buf_byte(out, (char)(0x80 | (code >> 6 & 0x3f)));
        buf_byte(out, (char)(0x80 | (code & 0x3f)));
    } else {
        buf_byte(out, '?');
    }
}

void screen_text(const struct screen *screen, struct buf *out)
{
    uint32_t last = screen->used;

    while (last > screen->line && line_length(&screen->lines[last - 1]) == 0) last--;
    for (uint32_t i = 0; i < last; i++) {
        const struct screen_line *line = &screen->lines[i];
        uint32_t length = line_length(line);
        for (uint32_t k = 0; k < length; k++) {
            if (line->cells[k] == UINT32_MAX) continue;
            put_utf8(out, line->cells[k] ? line->cells[k] : ' ');
        }
        if (!line->folded) buf_byte(out, '\n');
    }
}
