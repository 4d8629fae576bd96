/* SPDX-License-Identifier: Apache-2.0
 *
 * rules.h - rules of different tools that stand for one fault. */
#ifndef HONE_FORMAT_REPORT_RULES_H
#define HONE_FORMAT_REPORT_RULES_H

#include "base/str.h"

#include <stdbool.h>

/* "-Wunused-variable", "clang-diagnostic-unused-variable" and "unusedVariable" are equal. What has
 * no name is equal to nothing. */
bool rules_are_equal(struct str a, struct str b);

#endif
