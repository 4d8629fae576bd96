/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger_match.h - which of the findings that are known a review reports again. For the ledger and
 * its tests. */
#ifndef HONE_CORE_LEDGER_MATCH_H
#define HONE_CORE_LEDGER_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#define NO_ENTRY UINT32_MAX

/* What is compared of a finding. */
struct match_side {
    uint64_t fingerprint; /* of file and text */
    uint64_t evidence;    /* likewise; 0: there is none */
    uint32_t line;        /* 0: there is none */
    uint32_t index;       /* the caller's number for it; of what is reported, 0 to count - 1 */
    bool paired;          /* false at first */
};

struct match_sides {
    struct match_side *known, *reported; /* both are shuffled, and their items lost */
    uint32_t known_count, reported_count;
};

struct match {
    uint32_t entry;   /* the index of the known one that it is; NO_ENTRY: it is new ... */
    uint32_t ordinal; /* ... and this many have the same fingerprint before it */
};

/* out: a match for each that is reported, by its index. */
void ledger_match(const struct match_sides *sides, struct match *out);

#endif
