/* SPDX-License-Identifier: Apache-2.0
 *
 * finding_filter.h - some of a run's findings, by state, rank, file, rule, role and round. */
#ifndef HONE_RUN_FINDING_FILTER_H
#define HONE_RUN_FINDING_FILTER_H

#include "format/report/listing.h"
#include "run/run.h"

struct finding_filter {
    enum severity severity_min;
    bool states[FINDING_STATE_COUNT];
    struct str file, rule; /* patterns; empty: any */
    const char *role;      /* NULL: any */
    uint64_t round;        /* 0: any */
};

/* The same as the texts of options or of an MCP call; NULL where one is not given. */
struct finding_filter_words {
    const char *state; /* open, noted, fixed or all; NULL: all */
    const char *severity, *file, *rule, *role, *round;
    const char *prefix; /* what stands before a name in messages: "--" */
};

/* Borrows the words. ERR_USAGE says which is wrong, and what there is. Whether the run has such a
 * role is not asked here. */
int finding_filter_read(const struct finding_filter_words *words, struct finding_filter *out,
                        struct err *err);

bool finding_filter_fits(const struct finding_filter *filter, const struct listing *listing,
                         const struct ledger_entry *entry);

/* A run_visit that does nothing but note; context is the ledger. */
bool ledger_visit(void *context, const struct run *replay, uint64_t sequence,
                  const struct event *event, const struct actions *actions);

#endif
