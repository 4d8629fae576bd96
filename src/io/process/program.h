/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - where programs are, and how many can run at once. */
#ifndef HONE_IO_PROCESS_PROGRAM_H
#define HONE_IO_PROCESS_PROGRAM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a program is on the PATH; a name with a slash in it is its path. NULL: there is none. A
 * name is looked for once: what is put on the PATH later, by an agent above all, is never taken. */
const char *program_path(const char *name); /* lives as long as the process */
const char *program_find(const char *name, struct arena *arena);
bool program_exists(const char *name);

/* Looks for all of these now; NULL ends. Before the first agent begins. */
void programs_settle(const char *const *names);

/* A number that changes when another program is put at the path: size, times, inode. 0: none. */
uint64_t program_stamp(const char *path);

/* This process becomes that program, which ends when the parent does, however that ends. Only
 * returns where it cannot: an errno value. argv ends in NULL. */
int program_become(long parent, const char *const *argv);

/* The path of the program that runs now. */
const char *program_self(void);

/* The C library that it runs with: "glibc 2.36", "musl". */
const char *program_libc(void);

uint32_t processor_count(void); /* that this process may use; at least 1 */

#endif
