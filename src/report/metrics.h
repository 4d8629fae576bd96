/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics.h - a repository's runs as Prometheus metrics: `hone status --format prometheus`. */
#ifndef HONE_REPORT_METRICS_H
#define HONE_REPORT_METRICS_H

#include "report/status.h"

/* A run of the journal, and how it stands. */
struct metrics_run {
    const char *dialect;
    const char *state; /* run_state_word() */
};

/* What is told. */
struct metrics {
    const char *version;
    const char *workspace;        /* a label of every series: files of several scrapes are joined */
    const struct metrics_run *runs; /* all of the repository */
    uint32_t run_count;
    const struct status *status;  /* of the run that is looked at; NULL: there is none yet */
};

/* "running", "crashed", or the reason's own word: one of a fixed list, for the label of a state. */
const char *run_state_word(enum standing standing, enum reason reason);

void metrics_write(const struct metrics *metrics, struct buf *out);

#endif
