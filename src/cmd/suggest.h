/* SPDX-License-Identifier: Apache-2.0
 *
 * suggest.h - which known word a mistyped one was probably meant to be. Pure. */
#ifndef HONE_CMD_SUGGEST_H
#define HONE_CMD_SUGGEST_H

#include "base/err.h"
#include "base/str.h"

struct suggest {
    struct str word;
    const char *best; /* NULL: nothing near */
    uint32_t distance;
    char offered[512]; /* all of them, "a, b, c"; cut where they are many */
    size_t offered_bytes;
};

void suggest_init(struct suggest *suggest, struct str word);

/* Offers a known word; borrowed. The first of equally near ones is kept. */
void suggest_offer(struct suggest *suggest, const char *candidate);

/* ERR_USAGE: "unknown WHAT 'WORD'; did you mean 'BEST'?", or with the words that there are behind
 * lead ("there is"). */
int suggest_refuse(const struct suggest *suggest, const char *what, const char *lead,
                   struct err *err);

#endif
