/* SPDX-License-Identifier: Apache-2.0
 *
 * canvas.c - the terminal by ncurses: lines out, keys in, and the way there and back.
 *
 * ncurses knows terminals and sends what has changed. What stands where is decided before: lines
 * come with their columns counted by width.h, and each piece is put at the column that this says,
 * so that a C library that counts otherwise shifts nothing. What that library does not know at all
 * becomes a question mark of the same width.
 *
 * 1. The keeper is told before the first byte and mode, and after the last (io/terminal/keeper.h).
 * 2. In the background nothing is written but what ends the screen.
 * 3. The locale is asked for characters alone. Where it is not one of UTF-8, lines are ASCII.
 * 4. Without color, or where NO_COLOR says so, bold and dim remain. No mouse is asked for.
 * 5. ncurses's own handlers never run: the signals that it listens to have a handler already, are
 *    blocked, and are read. */
#include "top/canvas.h"

#include "format/text/utf8.h"
#include "format/text/width.h"
#include "io/terminal/keeper.h"
#include "io/terminal/terminal.h"

#define NCURSES_WIDECHAR 1 /* musl's headers do not say that there are wide characters */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { ESCAPE_MS = 25, PIECE_MAX = 256 };

static SCREEN *terminal;
static bool utf8;
static attr_t styles[STYLE_COUNT];

/* ---- there and back ---- */

static void choose_styles(bool color)
{
    static const short colors[STYLE_COUNT] = {
        [STYLE_GOOD] = COLOR_GREEN, [STYLE_FOUND] = COLOR_YELLOW, [STYLE_BAD] = COLOR_RED,
        [STYLE_NAME] = COLOR_CYAN,
    };

    styles[STYLE_BOLD] = styles[STYLE_FOUND] = styles[STYLE_BAD] = A_BOLD;
    styles[STYLE_DIM] = A_DIM;
    if (!color || !has_colors() || start_color() != OK) return;
    (void)use_default_colors();
    for (int i = 0; i < STYLE_COUNT; i++) {
        if (colors[i] == 0) continue;
        init_pair((short)i, colors[i], -1);
        styles[i] = (attr_t)COLOR_PAIR(i);
    }
}

int canvas_open(bool color, struct err *err)
{
    utf8 = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    keeper_taking();
    use_env(TRUE);
    use_tioctl(TRUE);
    terminal = newterm(NULL, stdout, stdin);
    if (!terminal) {
        keeper_put_back();
        return err_set(err, ERR_SYSTEM, "the terminal cannot be used");
    }
    set_escdelay(ESCAPE_MS);
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)typeahead(-1);
    (void)curs_set(0);
    choose_styles(color);
    (void)refresh();
    keeper_taken();
    return 0;
}

void canvas_leave(void)
{
    if (!keeper_has_taken()) return;
    if (!keeper_is_in_front()) {
        keeper_put_back();
        return;
    }
    (void)endwin();
    keeper_left();
}

static void send(const char *name)
{
    const char *text = canvas_capability(name);

    if (text) (void)putp(text);
}

void canvas_again(void)
{
    if (!keeper_has_taken()) {
        keeper_taking();
        if (!isendwin()) { /* it was the keeper who left */
            (void)reset_prog_mode();
            send("smcup");
            send("smkx");
            send("civis");
        }
    }
    canvas_resized();
    (void)clearok(curscr, TRUE);
    (void)refresh();
    keeper_taken();
}

void canvas_close(void)
{
    if (!terminal) return;
    canvas_leave();
    delscreen(terminal);
    terminal = NULL;
}

/* ---- lines ---- */

struct view_screen canvas_screen(void)
{
    return (struct view_screen){ .columns = (uint32_t)COLS, .rows = (uint32_t)LINES,
                                 .color = true, .utf8 = utf8 };
}

void canvas_resized(void)
{
    struct terminal_size size = terminal_size(&(struct terminal){ .fd = STDOUT_FILENO });

    if ((int)size.rows != LINES || (int)size.columns != COLS) {
        (void)resizeterm((int)size.rows, (int)size.columns);
    }
}

/* Some characters that stand side by side. */
struct run_of {
    wchar_t text[PIECE_MAX];
    int count, row, column; /* where the first one stands */
    attr_t style;
};

static void put_run(struct run_of *run, int column)
{
    if (run->count > 0) {
        (void)attrset(run->style);
        (void)mvaddnwstr(run->row, run->column, run->text, run->count);
    }
    run->count = 0;
    run->column = column;
}

/* A style that a line switches on or off: its bytes; 0: none begins here. */
static size_t style_at(struct str text, enum style *style)
{
    *style = STYLE_PLAIN;
    if (str_starts(text, STR(STYLE_OFF))) return sizeof STYLE_OFF - 1;
    for (int i = STYLE_PLAIN + 1; i < STYLE_COUNT; i++) {
        if (!str_starts(text, str_of(style_codes[i]))) continue;
        *style = (enum style)i;
        return strlen(style_codes[i]);
    }
    return 0;
}

/* A character, in the columns that width.h says it takes. */
static void put_character(struct run_of *run, uint32_t code, int *column)
{
    int width = (int)width_char(code), known = wcwidth((wchar_t)code);
    bool strange = known < 0 || known > width;

    if (run->count == PIECE_MAX) put_run(run, *column);
    run->text[run->count++] = strange ? L'?' : (wchar_t)code;
    *column += width;
    if (strange || known < width) put_run(run, *column);
}

static void put_line(int row, struct str text, bool marked)
{
    struct run_of run = { .row = row, .style = marked ? A_REVERSE : A_NORMAL };
    int column = 0;

    while (text.size > 0) {
        enum style style;
        uint32_t code = 0;
        size_t bytes = text.data[0] == '\x1b' ? style_at(text, &style) : 0;

        if (bytes > 0) {
            put_run(&run, column);
            run.style = marked ? A_REVERSE | (styles[style] & A_BOLD) : styles[style];
        } else {
            bytes = utf8_next(text, &code);
            put_character(&run, bytes > 0 ? code : '?', &column);
        }
        text = str_skip(text, bytes > 0 ? bytes : 1);
    }
    put_run(&run, column);
    (void)attrset(A_NORMAL);
    if (marked && column < COLS) (void)mvhline(row, column, ' ' | A_REVERSE, COLS - column);
}

void canvas_draw(const struct view_lines *lines_shown, uint32_t marked)
{
    if (!keeper_is_in_front()) return;
    (void)erase();
    for (uint32_t i = 0; i < lines_shown->count && (int)i < LINES; i++) {
        const struct view_line *line = &lines_shown->item[i];
        put_line((int)i, (struct str){ lines_shown->text.data + line->at, line->size },
                 i == marked);
    }
    (void)refresh();
}

/* ---- keys ---- */

bool canvas_is_gone(void)
{
    struct pollfd polled = { .fd = STDIN_FILENO, .events = POLLIN };

    return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

static enum top_key_kind kind_of(wint_t code)
{
    switch (code) {
    case KEY_UP:
        return TOP_KEY_UP;
    case KEY_DOWN:
        return TOP_KEY_DOWN;
    case KEY_LEFT:
        return TOP_KEY_LEFT;
    case KEY_RIGHT:
        return TOP_KEY_RIGHT;
    case KEY_PPAGE:
        return TOP_KEY_PAGE_UP;
    case KEY_NPAGE:
        return TOP_KEY_PAGE_DOWN;
    case KEY_HOME:
        return TOP_KEY_HOME;
    case KEY_END:
        return TOP_KEY_END;
    case KEY_ENTER:
        return TOP_KEY_ENTER;
    case KEY_BACKSPACE:
    case KEY_DC:
        return TOP_KEY_ERASE;
    }
    return TOP_KEY_NONE;
}

static struct top_key text_key(wint_t code)
{
    struct top_key key = { .kind = TOP_KEY_TEXT };

    if (code == '\r' || code == '\n') key.kind = TOP_KEY_ENTER;
    else if (code == 0x1b) key.kind = TOP_KEY_ESCAPE;
    else if (code == '\b' || code == 0x7f) key.kind = TOP_KEY_ERASE;
    else if (code < 0x20) key.kind = TOP_KEY_NONE;
    else if (code < 0x80) key.text[0] = (char)code;
    else if (utf8) {
        mbstate_t state = { 0 };
        size_t bytes = wcrtomb(key.text, (wchar_t)code, &state);
        if (bytes == (size_t)-1) key.kind = TOP_KEY_NONE;
        else key.text[bytes] = '\0';
    } else {
        key.kind = TOP_KEY_NONE;
    }
    return key;
}

struct top_key canvas_key(void)
{
    struct top_key key = { .kind = TOP_KEY_NONE };
    bool gone = canvas_is_gone();
    wint_t code;
    int rc;

    while (!gone && key.kind == TOP_KEY_NONE) {
        rc = get_wch(&code);
        if (rc == ERR) break;
        if (rc == KEY_CODE_YES) key.kind = kind_of(code);
        else key = text_key(code);
    }
    return key;
}
