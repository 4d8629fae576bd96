/* SPDX-License-Identifier: Apache-2.0
 *
 * target.h - the system that sources are compiled for: the one that hone runs on. target_linux.c;
 * another system fills it in its own way. Private to analyze/. */
#ifndef HONE_ANALYZE_TARGET_H
#define HONE_ANALYZE_TARGET_H

#include "base/arena.h"

/* What its compilers define, for tools that are none: options, NULL ends. */
extern const char *const target_macros[];

/* The folders that every compiler looks for headers in, in this order; NULL ends. */
const char *const *target_folders(struct arena *arena);

#endif
