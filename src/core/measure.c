/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.c - how much a look misses, measured in place of policy.c's guess.
 *
 *   first look:  found F, missed H
 *   second look: finds a share Q of H, so L = Q * H    -->    H = L / Q, missed share = H / (F + H)
 *
 * What both looks missed is in no ledger, so Q cannot be counted. It was measured elsewhere: a
 * reviewer that looks again finds 0.12 to 0.16 of what it missed, another vendor's 0.29. What two,
 * three and four looks miss is less by the same steps as in policy.c's guess.
 *
 * It is used once MEASURED_RUNS_MIN runs looked twice and MEASURED_FOUND_MIN grave findings were
 * accepted in them. With 30 the standard error of a share is at most 0.09, which is less than
 * what a second look changes (0.36 to 0.25); with fewer runs one odd change would decide. */
#include "core/measure.h"

enum {
    MEASURED_RUNS_MIN = 10, MEASURED_FOUND_MIN = 30,
    AGAIN_SAME = 140, AGAIN_OTHER = 290, /* Q, in thousandths */
    MISSED_LEAST = 50, MISSED_MOST = 800, /* beyond these the counts are an accident */
};

bool measure_missed(const struct measure *measure, uint32_t out[MEASURE_LOOKS])
{
    uint64_t found = (uint64_t)measure->first + measure->later_same + measure->later_other;
    uint64_t hidden = 1000 * (uint64_t)measure->later_same / AGAIN_SAME +
                      1000 * (uint64_t)measure->later_other / AGAIN_OTHER;
    uint64_t share;

    if (measure->runs < MEASURED_RUNS_MIN || found < MEASURED_FOUND_MIN) return false;
    share = 1000 * hidden / (measure->first + hidden);
    if (share < MISSED_LEAST) share = MISSED_LEAST;
    if (share > MISSED_MOST) share = MISSED_MOST;
    for (uint32_t i = 0; i < MEASURE_LOOKS; i++) {
        out[i] = (uint32_t)(share * policy_missed(i + 1) / policy_missed(1));
    }
    return true;
}
