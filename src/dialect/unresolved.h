/* SPDX-License-Identifier: Apache-2.0
 *
 * unresolved.h - what the last repair left unresolved, for the prompts that follow it. */
#ifndef HONE_DIALECT_UNRESOLVED_H
#define HONE_DIALECT_UNRESOLVED_H

#include "base/buf.h"
#include "core/engine.h"

enum { UNRESOLVED_BYTES_MAX = 64 * 1024 }; /* of the list, with the lines around it */

/* The findings of the lane's last review that its last repair left unresolved, and why: a quote
 * with a line each. Adds nothing where there are none. */
void list_unresolved(struct buf *out, const char *fence, const struct lane *lane);

#endif
