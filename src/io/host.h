/* SPDX-License-Identifier: Apache-2.0
 *
 * host.h - the machine we are on. */
#ifndef HONE_IO_HOST_H
#define HONE_IO_HOST_H

enum { HOST_NAME_BYTES = 256 };

/* Its name; empty where it has none. Returns out. */
const char *host_name(char out[HOST_NAME_BYTES]);

#endif
