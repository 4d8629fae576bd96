/* SPDX-License-Identifier: Apache-2.0
 *
 * uptime_linux.c - how long the machine runs, its sleep included. */
#include "io/file/uptime.h"

#include <assert.h>
#include <time.h>

uint64_t uptime_ms(void)
{
    struct timespec now;
    int rc = clock_gettime(CLOCK_BOOTTIME, &now);

    assert(rc == 0);
    (void)rc;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
