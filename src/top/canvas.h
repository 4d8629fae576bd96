/* SPDX-License-Identifier: Apache-2.0
 *
 * canvas.h - lines on the whole terminal, and the keys that a person presses there.
 *
 * canvas.c and canvas_check.c are the only files that know ncurses. */
#ifndef HONE_TOP_CANVAS_H
#define HONE_TOP_CANVAS_H

#include "base/err.h"
#include "view/pen.h"

enum top_key_kind {
    TOP_KEY_NONE,
    TOP_KEY_TEXT, /* a character */
    TOP_KEY_UP, TOP_KEY_DOWN, TOP_KEY_LEFT, TOP_KEY_RIGHT,
    TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME, TOP_KEY_END,
    TOP_KEY_ENTER, TOP_KEY_ESCAPE, TOP_KEY_ERASE, /* the character before the cursor */
};

enum { TOP_KEY_TEXT_BYTES = 8 };

struct top_key {
    enum top_key_kind kind;
    char text[TOP_KEY_TEXT_BYTES]; /* UTF-8 */
};

/* Whether the terminal at standard input and output can show it: ERR_USAGE says why not. *leave:
 * the bytes that end a whole screen there; they live as long as the process. Writes nothing. */
int canvas_check(struct str *leave, struct err *err);

/* What this terminal is told by that name of terminfo's; NULL where it has no such thing. */
const char *canvas_capability(const char *name);

/* Takes the terminal. color: unless it has none. */
int canvas_open(bool color, struct err *err);
/* Leaves it in order; canvas_again() takes it once more. */
void canvas_leave(void);
void canvas_again(void);
void canvas_close(void);

struct view_screen canvas_screen(void);
void canvas_resized(void);

/* What is to stand there: line by line, those marked turned around. */
void canvas_draw(const struct view_lines *lines, uint32_t marked);

/* The next key; TOP_KEY_NONE: there is none for now. */
struct top_key canvas_key(void);

/* Whether there is no terminal any more: its window was closed, its line was cut. */
bool canvas_is_gone(void);

#endif
