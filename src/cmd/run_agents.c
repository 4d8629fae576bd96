/* SPDX-License-Identifier: Apache-2.0
 *
 * run_agents.c - flags of hone run that are about roles: who plays one, and how hard its model
 * thinks. Both name a role of the plan, or "*" for all that are not named. */
#include "cmd/run.h"

#include "cmd/suggest.h"

#include "agent/agent.h"
#include "settings/choose.h"

#include <string.h>

static int check_role(const struct run_request *request, const char *role, struct err *err)
{
    const struct plan *plan = &request->plan;
    struct suggest suggest;

    if (strcmp(role, "*") == 0) return 0;
    suggest_init(&suggest, str_of(role));
    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!role_is_played(plan, i)) continue;
        if (strcmp(role, plan->roles[i].name) == 0) return 0;
        suggest_offer(&suggest, plan->roles[i].name);
    }
    if (suggest.best) return suggest_refuse(&suggest, "role", "", err);
    return err_set(err, ERR_USAGE, "unknown role '%.60s'; %s has %s, and '*' for all others",
                   role, request->dialect->name, suggest.offered);
}

static int take_agent(struct call *call, const struct run_request *request, const char *value,
                      struct agent_setting *out, struct err *err)
{
    struct str spec = str_of(value), role;
    struct agent agent;
    int rc;

    if (agent_parse(value, &call->arena, &agent, err) == 0) {
        return err_set(err, ERR_USAGE, "--agent wants ROLE=SPEC; for all roles that is --agent "
                       "'*=%.60s'", value);
    }
    if (!str_has(spec, '=') || value[0] == '=') {
        return err_set(err, ERR_USAGE, "--agent wants ROLE=SPEC such as '*=cmd:COMMAND', not "
                       "'%.60s'", value);
    }
    (void)str_cut(&spec, '=', &role);
    out->role = arena_cstr(&call->arena, role);
    rc = check_role(request, out->role, err);
    if (rc == 0) rc = agent_parse(arena_cstr(&call->arena, spec), &call->arena, &agent, err);
    if (rc != 0) return err_wrap(err, "--agent");
    agent = agent_absolute(&agent, call->cwd, &call->arena);
    out->spec = agent.spec;
    if (agent.backend->check) rc = agent.backend->check(&agent, err);
    if (rc != 0) return err_wrap(err, "--agent %s", out->role);
    return 0;
}

/* ---- efforts ---- */

static int check_effort(const char *effort, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(effort));
    for (uint32_t i = 0; agent_efforts[i]; i++) {
        if (strcmp(effort, agent_efforts[i]) == 0) return 0;
        suggest_offer(&suggest, agent_efforts[i]);
    }
    return suggest_refuse(&suggest, "effort", "there are", err);
}

static int take_effort(struct call *call, const struct run_request *request, const char *value,
                       struct effort_setting *out, struct err *err)
{
    struct str effort = str_of(value), role;
    int rc;

    if (!str_has(effort, '=') || value[0] == '=') {
        return err_set(err, ERR_USAGE, "--agent-effort wants ROLE=EFFORT such as '*=high', not "
                       "'%.60s'", value);
    }
    (void)str_cut(&effort, '=', &role);
    out->role = arena_cstr(&call->arena, role);
    out->effort = arena_cstr(&call->arena, effort);
    rc = check_role(request, out->role, err);
    if (rc == 0) rc = check_effort(out->effort, err);
    return rc == 0 ? 0 : err_wrap(err, "--agent-effort");
}

/* ---- both ---- */

int run_take_roles(struct call *call, struct run_request *request, struct err *err)
{
    size_t most = (size_t)call->given_count + 1;
    struct agent_setting *agents = arena_alloc(&call->arena, most * sizeof *agents);
    struct effort_setting *efforts = arena_alloc(&call->arena, most * sizeof *efforts);
    struct run_settings *settings = &request->settings;
    int rc = 0;

    settings->agents = agents;
    settings->efforts = efforts;
    settings->agent_count = settings->effort_count = 0;
    for (uint32_t i = 0; rc == 0 && i < call->given_count; i++) {
        const struct given *given = &call->given[i];

        if (given->of_dialect) continue;
        if (strcmp(given->name, "agent") == 0) {
            rc = take_agent(call, request, given->value, &agents[settings->agent_count++], err);
        } else if (strcmp(given->name, "agent-effort") == 0) {
            rc = take_effort(call, request, given->value, &efforts[settings->effort_count++], err);
        }
    }
    return rc;
}
