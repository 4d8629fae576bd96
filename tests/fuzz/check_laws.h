/* SPDX-License-Identifier: Apache-2.0
 *
 * check_laws.h - what holds for `hone check` with any bytes: each problem is a line of
 * UTF-8 that a terminal can be shown. */
#ifndef HONE_TESTS_CHECK_LAWS_H
#define HONE_TESTS_CHECK_LAWS_H

#include "dialect/check.h"

/* Whether the check of this kind finds no fault. */
bool check_laws(const char *kind, struct str text);

#endif
