/* SPDX-License-Identifier: Apache-2.0
 *
 * listed.h - a run replayed, and of what was found in it what was asked for: for the verbs and tools
 * that show findings or write them to files. */
#ifndef HONE_RUN_LISTED_H
#define HONE_RUN_LISTED_H

#include "format/report/forms.h"
#include "run/finding_filter.h"
#include "run/history.h"
#include "run/look.h"

/* Empty is a valid value. The engine points into it: it must stay where listed_read() found it. */
struct listed {
    struct arena arena;
    struct run replay;
    struct history history; /* every attempt */
    struct waivers waivers;
    struct listing listing; /* after listed_choose() */
    uint32_t total;         /* findings that the run has, chosen or not */
    bool *waived;           /* of each of them, in the ledger's order; after listed_waive() */
};

/* Replays the run that was looked up. version: of hone, for what is written. listed_release() is
 * due in any case. */
int listed_read(const struct look *look, const char *version, struct listed *out,
                struct err *err);

/* From now on no finding is chosen that a person has decided to leave, also where that was after
 * the run. */
int listed_waive(struct listed *listed, const struct look *look, struct err *err);

/* Puts what fits the filter into the listing, in that order; what an earlier call put there is
 * forgotten. */
void listed_choose(struct listed *listed, const struct finding_filter *filter,
                   enum listing_order order);
void listed_release(struct listed *listed);

#endif
