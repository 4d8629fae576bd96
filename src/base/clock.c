/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t days_in_year(uint32_t year)
{
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return leap ? 366 : 365;
}

static uint32_t days_in_month(uint32_t year, uint32_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return month == 2 && days_in_year(year) == 366 ? 29 : days[month - 1];
}

/* Not by gmtime(), which reads the files of a time zone first. */
const char *clock_iso(uint64_t ms, char out[CLOCK_ISO_BYTES])
{
    enum { DAY_S = 24 * 60 * 60 };
    uint64_t s = ms / 1000;
    uint32_t year = 1970, month = 1, day, in_day;

    if (ms > CLOCK_MS_MAX) s = 0;
    day = (uint32_t)(s / DAY_S);
    in_day = (uint32_t)(s % DAY_S);
    for (; day >= days_in_year(year); year++) day -= days_in_year(year);
    for (; day >= days_in_month(year, month); month++) day -= days_in_month(year, month);
    snprintf(out, CLOCK_ISO_BYTES, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month, day + 1,
             in_day / 3600, in_day / 60 % 60, in_day % 60);
    return out;
}

/* The number that so many digits at a place are; UINT32_MAX: they are none. */
static uint32_t digits_at(struct str text, size_t at, size_t count)
{
    uint64_t number;

    return str_number((struct str){ text.data + at, count }, &number) ? (uint32_t)number
                                                                       : UINT32_MAX;
}

bool clock_iso_read(struct str text, uint64_t *ms)
{
    static const char form[] = "....-..-..T..:..:..";
    uint32_t hour, minute, second, year, milli = 0, scale = 100;
    size_t at = sizeof form - 1;
    uint64_t days = 0;

    if (text.size <= at || !clock_is_day((struct str){ text.data, CLOCK_DAY_BYTES - 1 })) {
        return false;
    }
    for (size_t i = 0; i < at; i++) if (form[i] != '.' && text.data[i] != form[i]) return false;
    year = digits_at(text, 0, 4);
    hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
    if (year < 1970 || hour > 23 || minute > 59 || second > 60) return false;
    if (text.data[at] == '.') {
        while (++at < text.size && text.data[at] >= '0' && text.data[at] <= '9') {
            milli += (uint32_t)(text.data[at] - '0') * scale;
            scale /= 10;
        }
    }
    if (at + 1 != text.size || text.data[at] != 'Z') return false;
    for (uint32_t y = 1970; y < year; y++) days += days_in_year(y);
    for (uint32_t m = 1; m < digits_at(text, 5, 2); m++) days += days_in_month(year, m);
    days += digits_at(text, 8, 2) - 1;
    *ms = ((days * 24 + hour) * 60 + minute) * UINT64_C(60000) + second * UINT64_C(1000) + milli;
    return true;
}

const char *clock_day(uint64_t ms, char out[CLOCK_DAY_BYTES])
{
    char iso[CLOCK_ISO_BYTES];

    memcpy(out, clock_iso(ms, iso), CLOCK_DAY_BYTES - 1);
    out[CLOCK_DAY_BYTES - 1] = '\0';
    return out;
}

bool clock_is_day(struct str text)
{
    uint64_t year, month, day;

    if (text.size != CLOCK_DAY_BYTES - 1 || text.data[4] != '-' || text.data[7] != '-') {
        return false;
    }
    if (!str_number((struct str){ text.data, 4 }, &year) ||
        !str_number((struct str){ text.data + 5, 2 }, &month) ||
        !str_number((struct str){ text.data + 8, 2 }, &day)) {
        return false;
    }
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days_in_month((uint32_t)year, (uint32_t)month);
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
