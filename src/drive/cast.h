/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.h - who played a role, for those who look at a run. */
#ifndef HONE_DRIVE_CAST_H
#define HONE_DRIVE_CAST_H

#include "agent/agent.h"
#include "run/run.h"

/* The agent of an attempt; false where it was hone itself, or cannot be told any more. */
bool cast_find(const struct run *run, const struct action *action, struct arena *arena,
               struct agent *out);

#endif
