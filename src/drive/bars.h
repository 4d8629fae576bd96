/* SPDX-License-Identifier: Apache-2.0
 *
 * bars.h - programs that cannot play any more in this run: their agents are not started. */
#ifndef HONE_DRIVE_BARS_H
#define HONE_DRIVE_BARS_H

#include "agent/agent.h"
#include "core/event.h"

/* One program, or one SPEC, and how it fails. Texts live in the run's arena. */
struct bar {
    const char *of;      /* the backend's name, or a SPEC */
    uint32_t job;        /* that failed so */
    bool shut;           /* no more of it is started */
    enum failure failure;
    const char *problem;
};

struct bars {
    struct bar *items;
    uint32_t count, cap;
    const char **good;   /* SPECs that have answered */
    uint32_t good_count, good_cap;
    const struct agent **players; /* of a journal's jobs, the first at 0; NULL: hone itself */
    uint32_t player_count, player_cap;
};

void bars_release(struct bars *bars);

/* Takes note of how an attempt ended. True: from now on no agent of its program is started. */
bool bars_note(struct bars *bars, const struct agent *agent, uint32_t job,
               const struct result *result, struct arena *arena);
/* The same from a journal: who plays a job, and how it ended. */
void bars_cast(struct bars *bars, uint32_t job, const struct agent *agent);
void bars_again(struct bars *bars, uint32_t job, const struct result *result, struct arena *arena);
/* Before an event: where the user has said to go on, all may be started again. */
void bars_lift(struct bars *bars, enum event_kind kind);
/* Why an agent is not to be started; NULL: it is. */
const struct bar *bars_find(const struct bars *bars, const struct agent *agent);

#endif
