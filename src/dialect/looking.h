/* SPDX-License-Identifier: Apache-2.0
 *
 * looking.h - what a reviewer is told where its gate has a policy. */
#ifndef HONE_DIALECT_LOOKING_H
#define HONE_DIALECT_LOOKING_H

#include "dialect/dialect.h"

enum { LOOKING_BYTES_MAX = 512 * 1024 }; /* of all that is told */

/* A part for the prompt of a review: that it is a recheck, of what; or what is known already.
 * Nothing where the gate has no policy, and for any other purpose. shows_diff: the prompt shows
 * what the repair changed by itself. */
void looking_write(struct buf *out, const struct run_view *run, const struct action *action,
                   bool shows_diff);

#endif
