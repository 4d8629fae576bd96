/* SPDX-License-Identifier: Apache-2.0
 *
 * transcript.h - what is kept of an attempt: prompt, output and answer, without secrets, and no
 * more of each than somebody could want to read. */
#ifndef HONE_DRIVE_TRANSCRIPT_H
#define HONE_DRIVE_TRANSCRIPT_H

#include "base/err.h"
#include "format/mask.h"

#include <stdint.h>

enum { TRANSCRIPT_BYTES_MAX = 64 << 20 }; /* of one file */

/* The names of all such files; NULL ends. */
extern const char *const transcript_names[];

/* The line in place of what was left out begins so. */
#define TRANSCRIPT_CUT "[hone left out "

/* When the attempt in this folder has ended: masks and shortens its files. One that needs neither
 * is only read. Any number of times. */
int transcript_settle(const char *dir, const struct mask *mask, struct err *err);

#endif
