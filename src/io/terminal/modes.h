/* SPDX-License-Identifier: Apache-2.0
 *
 * modes.h - a terminal's modes as they were found, and put back. */
#ifndef HONE_IO_TERMINAL_MODES_H
#define HONE_IO_TERMINAL_MODES_H

#include <stdbool.h>
#include <termios.h>

struct modes {
    struct termios found, ours;
};

/* Whether this process may change the modes of its terminal without being stopped for it. */
bool modes_may_set(void);

/* Puts back what was found where the terminal is still as we made it: another program may have it
 * by now. Only calls what a signal handler may. */
void modes_put_back(const struct modes *modes, int fd);

#endif
