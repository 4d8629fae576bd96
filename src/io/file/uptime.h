/* SPDX-License-Identifier: Apache-2.0
 *
 * uptime.h - a clock that is not set. */
#ifndef HONE_IO_FILE_UPTIME_H
#define HONE_IO_FILE_UPTIME_H

#include <stdint.h>

/* Milliseconds for which the machine runs, its sleep included. */
uint64_t uptime_ms(void);
/* A number for this run of the machine: the uptimes of two processes can be compared where it is
 * the same. 0: not known. */
uint64_t uptime_boot(void);

#endif
