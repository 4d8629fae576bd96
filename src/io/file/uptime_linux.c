/* SPDX-License-Identifier: Apache-2.0
 *
 * uptime_linux.c - how long the machine runs, its sleep included. */
#include "io/file/uptime.h"

#include "base/hash.h"
#include "io/file/file.h"

#include <assert.h>
#include <time.h>

enum { BOOT_BYTES_MAX = 64 };

uint64_t uptime_ms(void)
{
    struct timespec now;
    int rc = clock_gettime(CLOCK_BOOTTIME, &now);

    assert(rc == 0);
    (void)rc;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t uptime_boot(void)
{
    uint64_t boot = 0;
    struct err none;
    struct buf id;

    buf_init(&id, BOOT_BYTES_MAX);
    if (file_read("/proc/sys/kernel/random/boot_id", &id, &none) == 0 && id.size > 0) {
        boot = hash_text(HASH_START, buf_str(&id));
    }
    buf_release(&id);
    return boot;
}
