/* SPDX-License-Identifier: Apache-2.0
 *
 * away.c - who plays on other machines, as the settings of a run say it.
 *
 * fleet.pools has a line for a role, a lane or "*", with its pool or `local`; the first that names
 * it counts. A lane is not known yet when agents are checked: an agent that a lane keeps here and
 * that is not installed fails when it is to start. */
#include "settings/away.h"

#include <string.h>

static bool is_named(const struct run_settings *settings)
{
    return settings->fleet && *settings->fleet && strcmp(settings->fleet, "local") != 0;
}

struct str away_pool(const struct run_settings *settings, const char *name)
{
    struct str rest = str_of(settings->fleet_pools), line, left;

    while (str_cut(&rest, '\n', &line)) {
        if (str_cut(&line, '=', &left) && str_is(left, name)) return line;
    }
    return STR("");
}

bool away_never(const struct backend *backend)
{
    return backend->hosted || backend->undo || backend->wants_cache;
}

static bool plays_away(const struct run_settings *settings, const char *role)
{
    struct str pool = away_pool(settings, role);

    if (pool.size == 0) pool = away_pool(settings, "*");
    return is_named(settings) && !str_is(pool, "local");
}

int away_check(const struct run_settings *settings, const char *role, const struct agent *agent,
               struct err *err)
{
    if (!agent->backend->check) return 0;
    if (!away_never(agent->backend) && plays_away(settings, role)) return 0;
    return agent->backend->check(agent, err);
}
