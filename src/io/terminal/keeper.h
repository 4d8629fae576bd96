/* SPDX-License-Identifier: Apache-2.0
 *
 * keeper.h - a screen that takes the whole terminal, drawn by a process of its own, so that the
 * terminal is as it was however that process dies. */
#ifndef HONE_IO_TERMINAL_KEEPER_H
#define HONE_IO_TERMINAL_KEEPER_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct keeper_request {
    int (*draw)(void *context, struct err *err); /* 0, or why not */
    void *context;
    struct str leave;           /* the bytes that end the whole screen: main screen, cursor ... */
};

/* Standard input and output must be a terminal. Calls draw() in a child; returns in the parent when
 * that has ended, with the terminal as it was found. *asked: a signal asked for the end, and draw()
 * was told so. ERR_FAILED: a signal ended it. Else what draw() returned. */
int keeper_run(const struct keeper_request *request, bool *asked, struct err *err);

/* ---- for draw() ---- */

enum keeper_event {
    KEEPER_NONE,
    KEEPER_RESIZED,
    KEEPER_CONTINUED, /* after it was stopped */
    KEEPER_STOP,      /* Ctrl-Z: leave the screen, then keeper_rest() */
    KEEPER_END,       /* leave the screen and return; the keeper may have died */
};

int keeper_fd(void); /* readable when something happened */
enum keeper_event keeper_next(void);

/* Around the first byte and mode: from keeper_taking() on the keeper puts the terminal back when
 * this process ends or is stopped; after keeper_taken() it knows the modes that are ours. */
void keeper_taking(void);
void keeper_taken(void);
void keeper_left(void); /* the screen was left in order */
/* False where the keeper has put the terminal back while this process was stopped. */
bool keeper_has_taken(void);

/* False: the shell has put us into the background, or the keeper is gone and the shell is back:
 * nothing may be drawn. */
bool keeper_is_in_front(void);
/* Puts the terminal back where the screen could not be left in order: from the background. */
void keeper_put_back(void);
/* Stops this process and the keeper, until they are continued. */
void keeper_rest(void);

#endif
