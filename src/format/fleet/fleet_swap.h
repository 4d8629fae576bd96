/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_swap.h - paths of one machine in a text, replaced by those of another: as they are, and as
 * JSON spells them. A prompt names the driver's paths, an answer the worker's. */
#ifndef HONE_FORMAT_FLEET_FLEET_SWAP_H
#define HONE_FORMAT_FLEET_FLEET_SWAP_H

#include "base/buf.h"
#include "base/str.h"

/* Absolute paths without a slash at the end. Of two that fit at one place the longer one counts. */
struct fleet_swap {
    struct str from, to;
};

enum { FLEET_SWAPS_MAX = 8 };

/* Appends text with each `from` replaced that is a whole path or the folder of one: behind it
 * stands nothing that could go on in the same name. Where it is spelled as in a JSON string (\/, \"
 * and so on), the other is spelled so, too. ERR_LIMIT: out->overflow. */
int fleet_swap_write(struct str text, const struct fleet_swap *swaps, uint32_t count,
                     struct buf *out);

#endif
