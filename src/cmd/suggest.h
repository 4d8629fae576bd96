/* SPDX-License-Identifier: Apache-2.0
 *
 * suggest.h - which known word a mistyped one was probably meant to be. Pure. */
#ifndef HONE_CMD_SUGGEST_H
#define HONE_CMD_SUGGEST_H

#include "base/str.h"

struct suggest {
    struct str word;
    const char *best; /* NULL: nothing near */
    uint32_t distance;
};

void suggest_init(struct suggest *suggest, struct str word);

/* Offers a known word; borrowed. The first of equally near ones is kept. */
void suggest_offer(struct suggest *suggest, const char *candidate);

#endif
