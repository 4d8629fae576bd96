/* SPDX-License-Identifier: Apache-2.0
 *
 * run_agents.c - flags of hone run that are about roles: who plays one, and how hard its model
 * thinks. Both name a role of the plan, or "*" for all that are not named. */
#include "cmd/run.h"

#include "cmd/suggest.h"

#include "agent/agent.h"
#include "drive/choose.h"

#include <string.h>

static int check_role(const struct run_request *request, const char *role, struct err *err)
{
    const struct plan *plan = &request->plan;
    struct suggest suggest;
    struct buf list;
    int rc;

    if (strcmp(role, "*") == 0) return 0;
    suggest_init(&suggest, str_of(role));
    buf_init(&list, 2048);
    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!role_is_played(plan, i)) continue;
        if (strcmp(role, plan->roles[i].name) == 0) goto found;
        suggest_offer(&suggest, plan->roles[i].name);
        buf_printf(&list, "%s%s", list.size ? ", " : "", plan->roles[i].name);
    }
    if (suggest.best) {
        rc = err_set(err, ERR_USAGE, "unknown role '%.60s'; did you mean '%s'?", role,
                     suggest.best);
    } else {
        rc = err_set(err, ERR_USAGE, "unknown role '%.60s'; %s has %s, and '*' for all others",
                     role, request->dialect->name, buf_cstr(&list));
    }
    buf_release(&list);
    return rc;

found:
    buf_release(&list);
    return 0;
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

int run_take_agents(struct call *call, struct run_request *request, struct err *err)
{
    struct agent_setting *agents;
    uint32_t count = 0;

    agents = arena_alloc(&call->arena, (call->given_count + 1) * sizeof *agents);
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        int rc;
        if (given->of_dialect || strcmp(given->name, "agent") != 0) continue;
        rc = take_agent(call, request, given->value, &agents[count++], err);
        if (rc != 0) return rc;
    }
    request->settings.agents = agents;
    request->settings.agent_count = count;
    return 0;
}

/* ---- efforts ---- */

static int check_effort(const char *effort, struct err *err)
{
    struct suggest suggest;
    struct buf list;
    int rc;

    suggest_init(&suggest, str_of(effort));
    for (uint32_t i = 0; agent_efforts[i]; i++) {
        if (strcmp(effort, agent_efforts[i]) == 0) return 0;
        suggest_offer(&suggest, agent_efforts[i]);
    }
    if (suggest.best) {
        return err_set(err, ERR_USAGE, "unknown effort '%.60s'; did you mean '%s'?", effort,
                       suggest.best);
    }
    buf_init(&list, 512);
    for (uint32_t i = 0; agent_efforts[i]; i++) {
        buf_printf(&list, "%s%s", i ? ", " : "", agent_efforts[i]);
    }
    rc = err_set(err, ERR_USAGE, "unknown effort '%.60s'; there are: %s", effort,
                 buf_cstr(&list));
    buf_release(&list);
    return rc;
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

int run_take_efforts(struct call *call, struct run_request *request, struct err *err)
{
    struct effort_setting *efforts;
    uint32_t count = 0;

    efforts = arena_alloc(&call->arena, (call->given_count + 1) * sizeof *efforts);
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        int rc;
        if (given->of_dialect || strcmp(given->name, "agent-effort") != 0) continue;
        rc = take_effort(call, request, given->value, &efforts[count++], err);
        if (rc != 0) return rc;
    }
    request->settings.efforts = efforts;
    request->settings.effort_count = count;
    return 0;
}
