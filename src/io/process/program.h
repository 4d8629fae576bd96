/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - where programs are, and how many can run at once. */
#ifndef HONE_IO_PROCESS_PROGRAM_H
#define HONE_IO_PROCESS_PROGRAM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a program is on the PATH; a name with a slash in it is its path. NULL: there is none. */
const char *program_find(const char *name, struct arena *arena);
bool program_exists(const char *name);

/* A number that changes when another program is put at the path: size, times, inode. 0: none. */
uint64_t program_stamp(const char *path);

/* The path of the program that runs now. */
const char *program_self(void);

uint32_t processor_count(void); /* that this process may use; at least 1 */

#endif
