/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.h - how much a look misses, by what the ledgers of earlier runs say. */
#ifndef HONE_CORE_MEASURE_H
#define HONE_CORE_MEASURE_H

#include "core/plan.h"

/* Counts over runs in which a gate has looked at the whole change twice or more; of what is grave,
 * was accepted, and came with the change and not with a repair. */
struct measure {
    uint32_t runs;
    uint32_t first;       /* findings of first looks */
    uint32_t later_same;  /* those that the second look was first to report, by the same eyes ... */
    uint32_t later_other; /* ... and by others */
};

/* out: what one, two, three, four looks miss, in thousandths. False: too little is known. */
bool measure_missed(const struct measure *measure, uint32_t out[MEASURE_LOOKS]);

#endif
