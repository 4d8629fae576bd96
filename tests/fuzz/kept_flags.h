/* SPDX-License-Identifier: Apache-2.0
 *
 * kept_flags.h - what must hold for every unit that was read out of a stranger's build. */
#ifndef HONE_TESTS_KEPT_FLAGS_H
#define HONE_TESTS_KEPT_FLAGS_H

#include "format/source/build_units.h"

/* Flags are harmless, files are there by name, folders are absolute when they were below "/w". */
void expect_harmless(const struct build_units *units);

#endif
