/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.h - who plays which role of a run. */
#ifndef HONE_RUN_CAST_H
#define HONE_RUN_CAST_H

#include "agent/agent.h"
#include "run/run.h"

/* An agent for every role of the plan. ERR_USAGE says which agent does not fit its role and, with
 * there, which one is not installed. */
int cast_agents(struct run *run, bool there, struct err *err);

/* Before the first event: the analyzers among the reviewers look first where a gate has a policy.
 * It goes by the settings alone, so that a run means the same wherever it is looked at. */
void cast_first(struct run *run);

/* After that: the agent of an attempt; where hone itself plays, an agent without a command. */
const struct agent *agent_of(const struct run *run, const struct action *action);
bool is_builtin(const struct run *run, const struct action *action); /* hone itself plays it */
bool only_reads(const struct run *run, const struct action *action); /* an agent; it cannot write */
bool is_reviewer(const struct run *run, const struct action *action); /* it does so to review */

/* The agent of an attempt of a run that is only looked at; false where it was hone itself, or
 * cannot be told any more. */
bool cast_find(const struct run *run, const struct action *action, struct arena *arena,
               struct agent *out);

/* The same for many attempts of a run: each place in the plan is looked up once. A loop file would
 * be read anew for each attempt, and a run can have thousands. {0} is empty; lives in arena. */
struct cast_known;
struct cast_memory {
    struct cast_known *known;
};
bool cast_recall(struct cast_memory *memory, const struct run *run, const struct action *action,
                 struct arena *arena, struct agent *out);

#endif
