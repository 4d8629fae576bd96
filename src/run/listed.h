/* SPDX-License-Identifier: Apache-2.0
 *
 * listed.h - a run replayed, and of what was found in it what was asked for: for the verbs and
 * tools that show findings or write them to files. */
#ifndef HONE_RUN_LISTED_H
#define HONE_RUN_LISTED_H

#include "format/report/forms.h"
#include "run/finding_filter.h"
#include "run/history.h"
#include "run/look.h"
#include "run/story.h"

/* Empty is a valid value. The engine points into it: it must stay where listed_read() found it. */
struct listed {
    struct arena arena;
    const struct look *look;
    const struct run *replay;
    const struct history *history; /* every attempt */
    struct run own;         /* of listed_read(): ... */
    struct history own_history; /* ... replayed here */
    struct waivers waivers;
    struct story story;     /* after listed_tell() */
    struct listing listing; /* after listed_choose() */
    uint32_t total;         /* findings that the run has, chosen or not */
    bool *waived;           /* of each of them, in the ledger's order; after listed_waive() */
};

/* Of a run that a caller has replayed and keeps. version: of hone, for what is written.
 * listed_release() is due. */
void listed_of(const struct look *look, const struct run *replay, const struct history *history,
               const char *version, struct listed *out);
/* The same, replayed here. listed_release() is due in any case. */
int listed_read(const struct look *look, const char *version, struct listed *out,
                struct err *err);

/* Tells the run, for forms that show more of it than its findings: listing.story. Trees are
 * compared. */
int listed_tell(const struct look *look, struct listed *listed, struct err *err);

/* From now on no finding is chosen that a person has decided to leave, also where that was after
 * the run. */
int listed_waive(struct listed *listed, const struct look *look, struct err *err);

/* Puts what fits the filter into the listing, in that order; what an earlier call put there is
 * forgotten. */
void listed_choose(struct listed *listed, const struct finding_filter *filter,
                   enum listing_order order);
/* The same as a form wants it: no more than it has room for, the worst, in its order, with what
 * mends them. */
void listed_choose_for(struct listed *listed, const struct finding_filter *filter,
                       const struct form *form);
void listed_release(struct listed *listed);

#endif
