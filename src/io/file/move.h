/* SPDX-License-Identifier: Apache-2.0
 *
 * move.h - a file or a whole folder from one folder to another, also across file systems. */
#ifndef HONE_IO_FILE_MOVE_H
#define HONE_IO_FILE_MOVE_H

#include "base/err.h"

/* What stands at from_fd/name stands at to_fd/name afterwards, or, where that is taken, at name.1,
 * name.2 ...: nothing there is overwritten. Links are moved, not followed. Across file systems
 * permissions are kept, times and owners are not, and what is neither file, link nor folder is only
 * removed. On failure nothing that was not copied is gone. */
int move_between(int from_fd, int to_fd, const char *name, struct err *err);

#endif
