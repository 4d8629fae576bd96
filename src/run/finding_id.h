/* SPDX-License-Identifier: Apache-2.0
 *
 * finding_id.h - how a person names a finding of a run: by its fingerprint, and behind that
 * "-N" for the Nth other one with the same. */
#ifndef HONE_RUN_FINDING_ID_H
#define HONE_RUN_FINDING_ID_H

#include "base/err.h"
#include "format/report/listing.h"

/* A whole name (listing_id()) as people are shown it. Returns out. */
const char *finding_id_short(struct str id, char out[LISTING_ID_BYTES]);

/* The one that the word names, or is the beginning of the name of. ERR_USAGE where there is none or
 * more than one; run is the name of theirs, for the message. */
int finding_find(const struct ledger *ledger, const char *word, const char *run,
                 const struct ledger_entry **out, struct err *err);

/* One of several names, by a word of a person's: a name as a whole before one that the word is the
 * beginning of, and of those one without a number before the others with the same fingerprint. */
struct finding_choice {
    struct str word;
    uint32_t count; /* 1: one is chosen; 2: several names fit alike */
    uint32_t rank;  /* from here on its own */
    char found[LISTING_ID_BYTES];
};
/* To be told of each; whether this is the best so far, and the first of its kind. A name that is
 * told twice counts once: in two lanes or phases it is one finding. */
bool finding_choose(struct finding_choice *choice, struct str id);

/* Whether the word names this name, or is the beginning of it: "5c3f", "5c3f0a1b-2". */
bool finding_id_fits(struct str id, struct str word);

#endif
