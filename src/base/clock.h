/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h - milliseconds since 1970 as text. Reading the clock is io's affair, not ours. */
#ifndef HONE_BASE_CLOCK_H
#define HONE_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { CLOCK_ISO_BYTES = 32, CLOCK_SPAN_BYTES = 32 };

#define CLOCK_MS_MAX UINT64_C(253402300799999) /* the end of the year 9999 */

/* 2026-11-15T08:40:00Z, in UTC; beyond the year 9999 it is the year 1970. Returns out. */
const char *clock_iso(uint64_t ms, char out[CLOCK_ISO_BYTES]);

/* A duration for people: 340 ms, 2.4 s, 3 min 05 s, 2 h 07 min; returns out. */
const char *clock_span(uint64_t ms, char out[CLOCK_SPAN_BYTES]);

#endif
