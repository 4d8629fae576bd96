/* SPDX-License-Identifier: Apache-2.0
 *
 * duration.h - how long, as people write it: 90s, 15m, 2h, or seconds without a unit. Pure. */
#ifndef HONE_BASE_DURATION_H
#define HONE_BASE_DURATION_H

#include "base/str.h"

/* False for anything else, and for more than a year: that is a slip. 0 is a duration. */
bool duration_read(struct str text, uint64_t *ms);

/* The same backwards, in the largest unit that fits: 2h, 90s; what is no whole number of seconds
 * is rounded down. Returns out. */
enum { DURATION_BYTES = 32 };
const char *duration_text(uint64_t ms, char out[DURATION_BYTES]);

#endif
