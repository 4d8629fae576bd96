/* SPDX-License-Identifier: Apache-2.0
 *
 * keys.h - single keys of a person at the terminal, while a run goes on.
 *
 * The terminal hands out lines, and shows what is typed. While keys are open it does neither; all
 * else is as it was: Ctrl-C, Ctrl-Z and Ctrl-S do what they do. It is as it was before when keys are
 * closed, while hone is stopped or in the background, and when hone has died (keys_rescue). */
#ifndef HONE_IO_TERMINAL_KEYS_H
#define HONE_IO_TERMINAL_KEYS_H

#include "base/buf.h"

/* Standard input and standard error must be terminals. One per process. False: there are none. */
bool keys_open(void);
void keys_close(void); /* accepts those that are not open */

/* To be called now and then: takes the terminal when hone comes to the foreground. The descriptor
 * to wait for; -1: none now. */
int keys_fd(void);

/* Appends what was typed; never waits. */
void keys_take(struct buf *out);

/* For a process that outlives hone and still has the terminal at its standard error: puts it back
 * where it still is as hone left it. Another program may have it by then. */
void keys_rescue(void);

#endif
