/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox.h - a view of the machine in which some folders cannot be written.
 *
 * By bubblewrap, where it is installed and the kernel lets it work; asked once per process by
 * running it, which can be begun early and go on beside other things. Everything else stays as
 * the user has it: agents need their own state folders. */
#ifndef HONE_IO_SANDBOX_H
#define HONE_IO_SANDBOX_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

/* Begins to find out; the answer is asked for later. Not needed, only quicker. */
void sandbox_ask(void);

/* NULL when it works here; else why not, in words. */
const char *sandbox_problem(void);

/* argv with the sandbox in front: read_only folders cannot be written, writable ones inside them
 * can. Both end with NULL. */
const char *const *sandbox_wrap(struct arena *arena, const char *const *argv,
                                const char *const *read_only, const char *const *writable);

#endif
