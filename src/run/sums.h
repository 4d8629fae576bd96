/* SPDX-License-Identifier: Apache-2.0
 *
 * sums.h - what the events of a run come to: its line in a table of runs. A caller that keeps the
 * engine replayed gets it without reading the journal; it holds as long as no event was added. */
#ifndef HONE_RUN_SUMS_H
#define HONE_RUN_SUMS_H

#include "run/history.h"
#include "run/look.h"

struct run_sums {
    bool known;         /* its settings are those of this program, and its events can be read */
    uint32_t found, fixed, left, noted, waived;
    uint32_t open[SEVERITY_COUNT]; /* of those that are left */
    uint32_t rounds;
    uint64_t calls, tokens;
    uint64_t cost_micros; /* 0: no agent reported one */
    uint64_t took_ms;
    bool asks;          /* it waits for an answer */
    const char *scope;  /* "since 1a2b3c4", "everything", or "" */
    const char *branch, *commit; /* at the first review of the main lane; "" where not known */
    const char *const *agents; /* the backends that were asked, sorted */
    uint32_t agent_count;
};

/* A run of a table. */
struct run_row {
    struct journal_run run;
    bool alive;
    struct run_sums sums;
};

/* Of a run that is replayed to its end, with its history. The texts live in arena. */
void sums_of(const struct repo *repo, const struct run *replay, const struct history *history,
             struct arena *arena, struct run_sums *out);
/* The same of a run that is not replayed yet: a run that cannot be read is not known. */
void sums_read(struct look *look, const struct journal_run *run, struct run_sums *out);

/* How a run stands, for an eye that looks for what wants something: running, waiting (for an
 * answer), crashed, ended. */
const char *row_standing(const struct run_row *row);

#endif
