/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h - milliseconds since 1970 as text. Reading the clock is io's affair, not ours. */
#ifndef HONE_BASE_CLOCK_H
#define HONE_BASE_CLOCK_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLOCK_ISO_BYTES = 32, CLOCK_DAY_BYTES = 11, CLOCK_SPAN_BYTES = 32 };

#define CLOCK_MS_MAX UINT64_C(253402300799999) /* the end of the year 9999 */

/* 2026-11-15T08:40:00Z, in UTC; beyond the year 9999 it is the year 1970. Returns out. */
const char *clock_iso(uint64_t ms, char out[CLOCK_ISO_BYTES]);

/* A time in UTC as ISO 8601 has it, with any digits behind the second; false: it is none. */
bool clock_iso_read(struct str text, uint64_t *ms);

/* Its day: 2026-11-15. Days are compared as texts. Returns out. */
const char *clock_day(uint64_t ms, char out[CLOCK_DAY_BYTES]);
/* Whether the text is a day of the calendar, written so. */
bool clock_is_day(struct str text);

/* A duration for people: 340 ms, 2.4 s, 3 min 05 s, 2 h 07 min; returns out. */
const char *clock_span(uint64_t ms, char out[CLOCK_SPAN_BYTES]);

#endif
