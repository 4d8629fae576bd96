/* SPDX-License-Identifier: Apache-2.0
 *
 * init.h - a server's configuration with TLS and a key for each user: `hone-link init`. */
#ifndef HONE_LINK_INIT_H
#define HONE_LINK_INIT_H

#include <stdint.h>

struct init {
    const char *folder;
    const char *server;         /* HOST[:PORT] as clients name it; NULL: localhost */
    const char *const *workers; /* NAME or NAME=POOL,... */
    const char *const *drivers;
    uint32_t worker_count, driver_count;
};

/* Makes what is not there, and adds users. The exit code. */
int init_make(const struct init *init);

#endif
