/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.h - a second engine in the same state, and a number for the state. */
#ifndef HONE_TESTS_SIM_COPY_H
#define HONE_TESTS_SIM_COPY_H

#include "core/engine.h"

/* Only for engines that were fed with events of moves.h. The history of rounds is not copied:
 * nothing follows from it. */
void engine_copy(struct engine *to, const struct engine *from);

/* The same for engines whose futures are the same. Left out is what world_hash() leaves out, and
 * texts and history. */
uint64_t engine_hash(const struct engine *engine, uint64_t hash);

#endif
