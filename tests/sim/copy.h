/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.h - a second engine in the same state, and a number for the state. */
#ifndef HONE_TESTS_SIM_COPY_H
#define HONE_TESTS_SIM_COPY_H

#include "world.h"

/* Only for engines that were fed with events of moves.h. Of the history only the last round of
 * each lane is copied: nothing follows from the others. */
void engine_copy(struct engine *to, const struct engine *from);

/* Likewise a world. It must be released. */
void world_copy(struct world *to, const struct world *from);

/* The same for engines, and for worlds, whose futures are the same. */
uint64_t engine_hash(const struct engine *engine, uint64_t hash);
uint64_t world_hash(const struct world *world, uint64_t hash);

#endif
