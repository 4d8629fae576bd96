/* SPDX-License-Identifier: Apache-2.0
 *
 * status.h - where a run stands, as `hone status`, `hone show` and the MCP server show it. */
#ifndef HONE_REPORT_STATUS_H
#define HONE_REPORT_STATUS_H

#include "core/finding.h"
#include "format/text/progress.h"
#include "run/place.h"
#include "run/history.h"
#include "run/look.h"

/* A run that was looked up, and replayed into a history. */
struct status {
    const struct look *look;
    const struct run *replay;
    const struct history *history;
    uint64_t now_ms;
};

/* The findings of a lane's last review that was completed. */
void status_findings(const struct lane *lane, uint32_t counts[SEVERITY_COUNT]);

/* The dialect's own name for what a lane does now. */
const char *status_phase(const struct plan *plan, const struct lane *lane);

/* Whether a job's attempt begins only when its service can serve: result says why and when. */
bool status_waits(const struct job *job, uint64_t now_ms);

/* How many rounds its phase may take; 0: as many as it takes. */
uint32_t status_round_max(const struct plan *plan, const struct lane *lane);

/* Whether the run's plan fans into lanes. */
bool status_has_lanes(const struct status *status);
/* The lanes of a run whose plan fans, as its dialect tells them; none of any other. Everything
 * lives in arena. */
void status_lanes(const struct status *status, struct arena *arena, struct lanes_status *out);

/* Time that has gone by since the last event of a run that is at work. */
uint64_t status_more_ms(const struct status *status);

/* How far a running attempt says that it is: false where it says nothing. */
/* Who of a fleet plays a job's newest attempt, or that it waits. */
void status_played(const struct status *status, const struct job *job, struct arena *arena,
                   struct played *out);

bool status_progress(const struct repo *repo, const char *run, const struct job *job,
                     struct progress *out);

#endif
