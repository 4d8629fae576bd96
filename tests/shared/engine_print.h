/* SPDX-License-Identifier: Apache-2.0
 *
 * engine_print.h - the engine's whole state as text. */
#ifndef HONE_TESTS_SHARED_ENGINE_PRINT_H
#define HONE_TESTS_SHARED_ENGINE_PRINT_H

#include "core/engine.h"

/* The whole state as text, for tests: two engines that print the same are the same. */
void engine_print(const struct engine *engine, struct buf *out);

/* Likewise, without what attempts that were lost leave behind: two runs of which one has lost more
 * attempts than the other print the same if they are the same otherwise. */
void engine_print_fate(const struct engine *engine, struct buf *out);

#endif
