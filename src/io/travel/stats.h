/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.h - what an index of ours says of times and sizes, corrected.
 *
 * For io/travel's own files. */
#ifndef HONE_IO_TRAVEL_STATS_H
#define HONE_IO_TRAVEL_STATS_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct stats {
    const char *index;     /* absolute; as snapshot_read() writes one */
    const char *workspace;
    size_t oid_bytes;      /* of a binary id */
};

/* git shall read, or write again, each file that another hand may have touched: whose times, to the
 * nanosecond, inode, size or way to it are not as when git wrote it. */
int stats_distrust(const struct stats *stats, struct err *err);

/* git shall take these files (sorted) for unchanged as they are now. Their times go back by some
 * seconds, since git looks again at what is as new as its index. */
int stats_trust(const struct stats *stats, const struct str *paths, uint32_t count,
                struct err *err);

#endif
