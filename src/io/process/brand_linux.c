/* SPDX-License-Identifier: Apache-2.0
 *
 * brand_linux.c - whose a process is, by limits that it cannot take off.
 *
 * A process can leave its session, its group and its parent, and empty its environment. What it
 * inherits for good are its hard limits: it may lower them, and never raise them. Two limits that
 * programs have no use for are its brand. From attempt to attempt one falls and the other rises:
 *
 *   attempt             1        2        3   ...
 *   RLIMIT_LOCKS      top - 1  top - 2  top - 3      (the kernel has forgotten what it meant)
 *   RLIMIT_RTTIME     low + 1  low + 2  low + 3      (of real-time processes; more than a year)
 *
 * 1. To look like another attempt's, one of the two would have to be raised.
 * 2. In a run inside of a run top and low are lower than everything outside: an inner brand is no
 *    outer one.
 * 3. Where the limits are too low to leave room there is no brand, and orphans are told apart by
 *    session, group and environment (orphan.c).
 *
 * Root may raise what it likes, here as everywhere. */
#include "io/process/supervise.h"

#include <sys/resource.h>

enum { NUMBERS = 1 << 20 };

static const rlim_t most = (rlim_t)1 << 60, least = (rlim_t)1 << 45;

/* The hard limit as a number with room below it; 0: there is none. */
static rlim_t room(const struct rlimit *limit)
{
    if (limit->rlim_max == RLIM_INFINITY || limit->rlim_max > most) return most;
    return limit->rlim_max > least ? limit->rlim_max : 0;
}

bool brand_make(uint32_t number, struct brand *out)
{
    struct rlimit locks, time;

    *out = (struct brand){ 0 };
    if (getrlimit(RLIMIT_LOCKS, &locks) != 0 || getrlimit(RLIMIT_RTTIME, &time) != 0) return false;
    if (room(&locks) == 0 || room(&time) == 0) return false;
    number = number % (NUMBERS - 1) + 1;
    out->falling = room(&locks) - number;
    out->rising = room(&time) - NUMBERS + number;
    return true;
}

bool brand_is_worn(void)
{
    struct rlimit locks, time;

    if (getrlimit(RLIMIT_LOCKS, &locks) != 0 || getrlimit(RLIMIT_RTTIME, &time) != 0) return false;
    return locks.rlim_max > least && locks.rlim_max < most && time.rlim_max > least &&
           time.rlim_max < most;
}

static void wear(int resource, rlim_t hard)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0) return;
    limit.rlim_max = hard;
    if (limit.rlim_cur > hard) limit.rlim_cur = hard;
    (void)setrlimit(resource, &limit);
}

void brand_wear(const struct brand *brand)
{
    if (brand->falling == 0) return;
    wear(RLIMIT_LOCKS, brand->falling);
    wear(RLIMIT_RTTIME, brand->rising);
}

bool brand_read(pid_t pid, struct brand *out)
{
    struct rlimit locks, time;

    if (prlimit(pid, RLIMIT_LOCKS, NULL, &locks) != 0) return false;
    if (prlimit(pid, RLIMIT_RTTIME, NULL, &time) != 0) return false;
    *out = (struct brand){ .falling = locks.rlim_max, .rising = time.rlim_max };
    return true;
}

bool brand_same(const struct brand *a, const struct brand *b)
{
    return a->falling == b->falling && a->rising == b->rising;
}
