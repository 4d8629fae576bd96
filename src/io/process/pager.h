/* SPDX-License-Identifier: Apache-2.0
 *
 * pager.h - a text shown by the user's pager, on the terminal that standard output is. */
#ifndef HONE_IO_PROCESS_PAGER_H
#define HONE_IO_PROCESS_PAGER_H

#include "base/str.h"

#include <stdbool.h>

/* HONE_PAGER, PAGER, or less where it is installed; "" and "cat" mean none. Shows the text and
 * waits until the user leaves it. False: there is no pager, or it could not be started, and
 * nothing was shown. */
bool pager_show(struct str text);

#endif
