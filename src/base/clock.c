/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

const char *clock_iso(uint64_t ms, char out[CLOCK_ISO_BYTES])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    if (!gmtime_r(&seconds, &parts) || parts.tm_year > 8099) {
        snprintf(out, CLOCK_ISO_BYTES, "1970-01-01T00:00:00Z");
        return out;
    }
    strftime(out, CLOCK_ISO_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return out;
}

const char *clock_span(uint64_t ms, char out[CLOCK_SPAN_BYTES])
{
    uint64_t s = ms / 1000;

    if (ms < 1000) {
        snprintf(out, CLOCK_SPAN_BYTES, "%" PRIu64 " ms", ms);
    } else if (s < 60) {
        snprintf(out, CLOCK_SPAN_BYTES, "%" PRIu64 ".%" PRIu64 " s", s, ms % 1000 / 100);
    } else if (s < 3600) {
        snprintf(out, CLOCK_SPAN_BYTES, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
    } else {
        snprintf(out, CLOCK_SPAN_BYTES, "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s / 60 % 60);
    }
    return out;
}
