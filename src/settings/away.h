/* SPDX-License-Identifier: Apache-2.0
 *
 * away.h - who plays on other machines, as the settings of a run say it. */
#ifndef HONE_SETTINGS_AWAY_H
#define HONE_SETTINGS_AWAY_H

#include "agent/agent.h"
#include "settings/settings.h"

/* The pool that fleet.pools names for a role, a lane or "*"; empty: it names none. */
struct str away_pool(const struct run_settings *settings, const char *name);

/* Whether agents of the backend always play where the run is: a host has them, or they keep files
 * beside the work tree (a cache, a list of edits that may be taken back). */
bool away_never(const struct backend *backend);

/* Whether the agent can play the role ("*": any): its program is installed, its file is there.
 * Where that role plays on other machines, a worker looks, and nothing is asked for here. */
int away_check(const struct run_settings *settings, const char *role, const struct agent *agent,
               struct err *err);

#endif
