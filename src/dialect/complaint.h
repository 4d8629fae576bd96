/* SPDX-License-Identifier: Apache-2.0
 *
 * complaint.h - whether a text that says clean also complains. */
#ifndef HONE_DIALECT_COMPLAINT_H
#define HONE_DIALECT_COMPLAINT_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a line of prose names a fault: a word for one or for its severity, or an item of a list
 * with a place; and neither denies it nor says that it was looked for, is mended or is well. */
bool line_complains(struct str line);

/* The first of the writer's own lines that complains; 0: none does. */
uint32_t text_complains(struct str text);

#endif
