/* SPDX-License-Identifier: Apache-2.0
 *
 * finding_filter.h - some of a run's findings: by state, rank, file and rule, by who reported them,
 * how many did, in which round, and what brought them. */
#ifndef HONE_RUN_FINDING_FILTER_H
#define HONE_RUN_FINDING_FILTER_H

#include "format/report/listing.h"
#include "run/run.h"

struct finding_filter {
    enum severity severity_min;
    bool states[FINDING_STATE_COUNT];
    struct str file, rule; /* patterns; empty: any */
    struct str text;       /* words that stand in what was said, in any case; empty: any */
    const char *role, *by; /* one that reported it, and a backend; NULL: any */
    uint64_t round;        /* 0: any */
    uint64_t votes_min;
    enum finding_cause { CAUSE_ANY, CAUSE_CHANGE, CAUSE_FIX, CAUSE_ROUND } cause;
    uint64_t cause_round;  /* of CAUSE_ROUND */
};

/* The same as the texts of options or of an MCP call; NULL where one is not given. */
struct finding_filter_words {
    const char *state; /* states, open or all, with commas between; NULL: all */
    const char *severity, *file, *rule, *role, *round;
    const char *by;    /* a backend */
    const char *cause; /* change, fix, or the round of a fix */
    const char *votes; /* so many at least */
    const char *text;
    const char *prefix; /* what stands before a name in messages: "--" */
};

/* Borrows the words. ERR_USAGE says which is wrong, and what there is. Whether the run has such a
 * role is not asked here. */
int finding_filter_read(const struct finding_filter_words *words, struct finding_filter *out,
                        struct err *err);

bool finding_filter_fits(const struct finding_filter *filter, const struct listing *listing,
                         const struct ledger_entry *entry);

#endif
