/* SPDX-License-Identifier: Apache-2.0
 *
 * across.h - findings followed over the runs of a repository. */
#ifndef HONE_RUN_ACROSS_H
#define HONE_RUN_ACROSS_H

#include "run/finding_filter.h"
#include "run/look.h"

/* A finding as one run left it. */
struct sighting {
    uint32_t run; /* its number */
    enum finding_state state;
    uint32_t line;
    const char *id;
};

struct trace {
    struct finding finding; /* as it was told last */
    struct sighting *seen;  /* oldest first */
    uint32_t count, cap;
};

/* One following. {0} is empty. */
struct across {
    struct arena arena;
    struct journal_run *runs; /* oldest first */
    uint32_t run_count, run_cap;
    uint32_t left_out;        /* runs that are older than those */
    uint32_t unread;          /* runs that this program cannot read */
    struct trace *traces;
    uint32_t count, cap;
    uint32_t unfollowed;      /* findings beyond what is followed */
    uint64_t took_ms;
};

/* Of the filter states, severity and file count, for what each finding was when it was seen last;
 * id: of one finding, or the beginning of it; NULL: all. ERR_USAGE: no run has such a one.
 * across_release() is due in any case. */
int across_read(struct journal *journal, const struct finding_filter *filter, const char *id,
                struct across *out, struct err *err);
void across_release(struct across *across);

/* Where it was seen last. */
const struct sighting *trace_last(const struct trace *trace);

#endif
