/* SPDX-License-Identifier: Apache-2.0
 *
 * terminal.h - the terminal at standard error, for a view that is drawn again and again.
 *
 * No mode of it is changed here (keys.h does, for a person's keys). Writing never waits: what the
 * terminal does not take (it is held by Ctrl-S, its line is slow) is kept and sent later, or lost;
 * it is never an error of the run.
 *
 * Room: the terminal as a screen. */
#ifndef HONE_IO_TERMINAL_TERMINAL_H
#define HONE_IO_TERMINAL_TERMINAL_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { TERMINAL_OUT_FD = 1, TERMINAL_ERR_FD = 2 };

struct terminal {
    int fd;          /* -1: not open */
    bool own;        /* fd is a description of our own, one that does not block */
    bool utf8;       /* it shows more than ASCII, by what LC_ALL, LC_CTYPE or LANG say */
    struct buf unsent;
};

enum terminal_event { TERMINAL_RESIZED = 1, TERMINAL_CONTINUED = 2 };

struct terminal_size {
    uint32_t columns, rows; /* 80 and 24 where it does not say */
};

/* Whether fd is a terminal on which a cursor can be moved: TERM is set, and is not "dumb". */
bool terminal_can_move(int fd);

/* Standard error. One per process: it listens to SIGWINCH and SIGCONT until it is closed. */
void terminal_open(struct terminal *terminal);
/* Waits a moment for what is unsent; the rest is lost. Accepts one not open. */
void terminal_close(struct terminal *terminal);

/* What happened since the last call: bits of enum terminal_event. */
uint32_t terminal_take(void);
struct terminal_size terminal_size(const struct terminal *terminal);
/* False while the shell has put us into the background: the screen is not ours then. */
bool terminal_is_ours(const struct terminal *terminal);

/* Sends bytes, or keeps them behind those that wait already. */
void terminal_write(struct terminal *terminal, struct str bytes);
/* Tries again; true when nothing waits. */
bool terminal_flush(struct terminal *terminal);

#endif
