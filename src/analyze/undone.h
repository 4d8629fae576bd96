/* SPDX-License-Identifier: Apache-2.0
 *
 * undone.h - what was taken back of a fixer's edits. */
#ifndef HONE_ANALYZE_UNDONE_H
#define HONE_ANALYZE_UNDONE_H

#include "base/buf.h"

#include <stdint.h>

struct undone {
    uint32_t restored;   /* files that have their old bytes again */
    struct buf left;     /* names of some that another process has changed since: left alone */
    uint32_t left_count; /* of all of those */
};

#endif
