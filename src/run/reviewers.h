/* SPDX-License-Identifier: Apache-2.0
 *
 * reviewers.h - what the reviewers of a repository's runs are worth, by the ledgers of these runs.
 *
 * A reviewer is a role as one backend plays it. Every run is replayed: that costs what reading the
 * whole journal costs. */
#ifndef HONE_RUN_REVIEWERS_H
#define HONE_RUN_REVIEWERS_H

#include "core/measure.h"
#include "run/run.h"

struct reviewer {
    const char *role, *by;  /* by: the backend, "claude"; "" where it is not known */
    uint32_t calls;         /* attempts, those that failed among them */
    uint32_t looked;        /* reviews that counted */
    uint32_t found;         /* faults that it reported */
    uint32_t alone;         /* of these: no other reviewer did */
    uint32_t confirmed;     /* at least one other did */
    uint32_t accepted;      /* neither noted nor waived */
    uint32_t declined;      /* the fixer left it, with a reason */
    uint32_t fixed;         /* a later review found it no more */
    uint32_t regressed;     /* it was fixed, and came back */
    struct usage usage;     /* of its calls */
};

struct reviewers {
    struct arena arena;
    struct reviewer *items; /* those that found most first */
    uint32_t count, cap;
    uint32_t runs;          /* that were read */
    uint32_t unread;        /* that could not be: their settings are not this program's any more */
    struct measure measure;
    /* Of all agents of these runs, fixers and workers too: */
    uint64_t calls;         /* how often one was started */
    uint64_t active_ms;     /* how long the runs were at work */
    struct usage usage;     /* what they used, as far as they told */
};

/* Which runs count. */
struct reviewers_bounds {
    const char *since; /* YYYY-MM-DD, UTC: begun on that day or later; NULL: any */
    uint32_t runs_max; /* the newest so many; 0: all */
    const char *dialect; /* of this dialect, or loop of that name; NULL: of any */
};

/* reviewers_release() is due in any case. */
int reviewers_read(struct journal *journal, const struct reviewers_bounds *bounds,
                   struct reviewers *out, struct err *err);
void reviewers_release(struct reviewers *reviewers);

#endif
