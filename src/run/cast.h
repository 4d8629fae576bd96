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

/* After that: the agent of an attempt; where hone itself plays, an agent without a command. */
const struct agent *agent_of(const struct run *run, const struct action *action);
bool is_builtin(const struct run *run, const struct action *action); /* hone itself plays it */
bool is_reviewer(const struct run *run, const struct action *action); /* an agent that only reads */

/* The agent of an attempt of a run that is only looked at; false where it was hone itself, or
 * cannot be told any more. */
bool cast_find(const struct run *run, const struct action *action, struct arena *arena,
               struct agent *out);

/* By role: the tool that reviews in it (gcc), where that is known; NULL for the others. */
const char *const *cast_tools(const struct run *run, struct arena *arena);

#endif
