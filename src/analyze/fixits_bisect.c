/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits_bisect.c - the few bad ones among many, with few checks.
 *
 * A stretch that passes is good as a whole. One that fails is cut in two; a single one that fails
 * is bad. What is good stays, and each check is made on top of it: so in the end all that is good
 * was seen to pass together. k bad ones among n cost about 2 k log2(n) checks.
 *
 * 1. Where a stretch failed and its first half is all good, the second half is known to fail: it
 *    is cut without a check of its own. The last check that failed is then the one of this
 *    stretch, and what it said is what its bad one did. */
#include "analyze/fixits.h"

static bool all_good(const struct bisect *bisect, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!bisect->good[first + i]) return false;
    }
    return true;
}

static int search(const struct bisect *bisect, uint32_t first, uint32_t count, bool fails,
                  struct err *err)
{
    uint32_t half = count / 2;
    bool ok = false;
    int rc;

    if (!fails) {
        rc = bisect->passes(bisect->context, first, count, &ok, err);
        if (rc != 0) return rc;
    }
    if (ok) {
        for (uint32_t i = 0; i < count; i++) bisect->good[first + i] = true;
        return 0;
    }
    if (count == 1) {
        if (bisect->bad) bisect->bad(bisect->context, first);
        return 0;
    }
    rc = search(bisect, first, half, false, err);
    if (rc != 0) return rc;
    return search(bisect, first + half, count - half, all_good(bisect, first, half), err);
}

int fixits_bisect(const struct bisect *bisect, uint32_t count, struct err *err)
{
    return count ? search(bisect, 0, count, false, err) : 0;
}
