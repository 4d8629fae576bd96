/* SPDX-License-Identifier: Apache-2.0
 *
 * route.c - which attempts play on other machines, and in which pool.
 *
 * The first line of fleet.pools that names the role, else the lane, else "*". Nothing said: the
 * pool "default". What hone plays itself, agents of a host, proofs and merges play here always; so
 * do programs that keep something beside the work tree (a cache, a list of edits to be undone). */
#include "drive/fleet/parts.h"

#include "run/cast.h"
#include "run/site.h"
#include "settings/away.h"
#include "settings/hone_keys.h"

static struct str pool_of(const struct drive *drive, const struct action *action)
{
    const struct run_settings *settings = &drive->run.settings;
    const struct site *site = site_find(&drive->run, action->lane);
    struct str pool = away_pool(settings, drive->run.plan.roles[action->role].name);

    if (pool.size == 0 && site) pool = away_pool(settings, site->about.name);
    if (pool.size == 0 && site && site->about.task_id) {
        pool = away_pool(settings, site->about.task_id);
    }
    if (pool.size == 0) pool = away_pool(settings, "*");
    return pool.size > 0 ? pool : STR("default");
}

static bool is_homebound(const struct fleet *fleet, uint16_t role)
{
    for (uint32_t i = 0; i < fleet->homebound_count; i++) {
        if (fleet->homebound[i] == role) return true;
    }
    return false;
}

static bool is_role(const struct plan *plan, const char *const *known, struct str name)
{
    for (uint32_t i = 0; known[i]; i++) {
        if (str_is(name, known[i])) return true;
    }
    for (uint32_t i = 1; i < plan->role_count; i++) {
        if (str_is(name, plan->roles[i].name)) return true;
    }
    return false;
}

/* A line of fleet.pools that says nothing here or in any loop: a slip, most likely. The names of
 * tasks' lanes are not known before they begin. NULL: there is none. */
static const char *pools_slip(struct fleet *fleet, const struct drive *drive)
{
    const struct plan *plan = &drive->run.plan;
    struct str rest = str_of(drive->run.settings.fleet_pools), line, who;
    const char *const *known;

    if (fleet->pools_looked || rest.size == 0 || plan->lane_max > 0) return NULL;
    fleet->pools_looked = true;
    known = hone_roles(NULL, &fleet->arena);
    while (str_cut(&rest, '\n', &line)) {
        if (!str_cut(&line, '=', &who) || str_is(who, "*") || str_is(who, "main")) continue;
        if (is_role(plan, known, who)) continue;
        return arena_printf(&fleet->arena, "fleet.pools: '%s' is neither a role of this run nor one"
                            " of its lanes, so its line has no effect",
                            arena_cstr(&fleet->arena, who));
    }
    return NULL;
}

const char *route_pool(struct fleet *fleet, const struct drive *drive,
                       const struct live *live, const char **why)
{
    const struct action *action = &live->action;
    const struct backend *backend;
    struct arena *arena = &fleet->arena;
    struct str pool;

    *why = NULL;
    if (is_builtin(&drive->run, action) || is_homebound(fleet, action->role)) return NULL;
    if (action->purpose == FOR_PROOF || action->purpose == FOR_INTEGRATE) return NULL;
    backend = agent_of(&drive->run, action)->backend;
    if (backend->hosted) return NULL;
    if (!drive->run.repo.is_git) {
        *why = "this is no git repository, so its files cannot travel: agents play here";
        return NULL;
    }
    if (away_never(backend)) {
        *why = arena_printf(arena, "%s keeps files beside the work tree, so it plays here",
                            backend->name);
        return NULL;
    }
    pool = pool_of(drive, action);
    if (str_is(pool, "local")) return NULL;
    if (fleet_name_is(pool)) {
        *why = pools_slip(fleet, drive);
        return arena_cstr(arena, pool);
    }
    *why = arena_printf(arena, "fleet.pools: '%.60s' is no name of a pool, so what it is for plays "
                        "here", arena_cstr(arena, pool));
    return NULL;
}
