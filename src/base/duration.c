/* SPDX-License-Identifier: Apache-2.0 */
#include "base/duration.h"

#include <inttypes.h>
#include <stdio.h>

bool duration_read(struct str text, uint64_t *ms)
{
    static const struct {
        const char *unit;
        uint64_t ms;
    } units[] = { { "s", 1000 }, { "m", 60 * 1000 }, { "h", 3600 * 1000 }, { "", 1000 } };
    const uint64_t ms_max = (uint64_t)10000 * 3600 * 1000;
    uint64_t count;

    for (uint32_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct str unit = str_of(units[i].unit);

        if (!str_ends(text, unit)) continue;
        if (!str_number((struct str){ text.data, text.size - unit.size }, &count)) return false;
        if (count > ms_max / units[i].ms) return false;
        *ms = count * units[i].ms;
        return true;
    }
    return false;
}

const char *duration_text(uint64_t ms, char out[DURATION_BYTES])
{
    uint64_t s = ms / 1000;

    if (s > 0 && s % 3600 == 0) {
        snprintf(out, DURATION_BYTES, "%" PRIu64 "h", s / 3600);
    } else if (s > 0 && s % 60 == 0) {
        snprintf(out, DURATION_BYTES, "%" PRIu64 "m", s / 60);
    } else {
        snprintf(out, DURATION_BYTES, "%" PRIu64 "s", s);
    }
    return out;
}
