/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.c - who plays which role.
 *
 * The first of these that there is: --agent ROLE=SPEC; --agent '*=SPEC'; the SPEC that the
 * dialect's own configuration names; the one that hone.json names or hone chose; the dialect's
 * default.
 * A role that hone plays itself needs no agent. Copies that work side by side may be played by
 * another than the one that joins them; that is up to the dialect. */
#include "run/cast.h"

/* An analyzer cannot repair, and a fixer of fix-its cannot review. */
static int check_fits(const struct run *run, const struct role *role, const struct agent *agent,
                      struct err *err)
{
    if (role->writes && agent->backend->cannot_repair) {
        return err_set(err, ERR_USAGE, "%s cannot play %s, which changes files: name "
                       "another with --agent '%s=SPEC', such as fixits", agent->spec, role->name,
                       role->name);
    }
    if (!role->writes && agent->backend->cannot_review) {
        return err_set(err, ERR_USAGE, "%s cannot play %s, which reviews: name another "
                       "with --agent '%s=SPEC', such as analyzer:gcc", agent->spec, role->name,
                       role->name);
    }
    if (agent->backend->answers_findings && !run->dialect->found) {
        return err_set(err, ERR_USAGE, "%s cannot play in %s: its reviewers must be "
                       "models or commands", agent->spec, run->dialect->name);
    }
    return 0;
}

static const char *spec_of(const struct run *run, const struct role *role, uint32_t copy,
                           struct arena *arena)
{
    const char *spec = settings_spec(&run->settings, run->dialect, role->name, copy, arena);

    if (spec || !run->dialect->casting) return spec;
    return run->dialect->casting->agent_default(&run->settings.options, role->name, copy, arena);
}

/* With the model that the dialect names for it, where its SPEC names none. */
static int read_spec(const struct run *run, const struct role *role, uint32_t copy,
                      struct arena *arena, struct agent *out, struct err *err)
{
    const char *spec = spec_of(run, role, copy, arena);
    const char *model;
    int rc;

    if (!spec) {
        return err_set(err, ERR_USAGE, "no agent for %s: name one with --agent '%s=SPEC', or one "
                       "for all with --agent '*=SPEC'", role->name, role->name);
    }
    rc = agent_parse(spec, arena, out, err);
    if (rc != 0 || out->argument[0] || !run->dialect->model) return rc;
    model = run->dialect->model(&run->settings.options, out->backend->name, role->name, arena);
    if (!model) return 0;
    return agent_parse(arena_printf(arena, "%s:%s", out->backend->name, model), arena, out, err);
}

/* What was named, or what goes with the SPEC that the dialect names: with no other agent. */
static const char *effort_of(const struct run *run, const struct role *role, uint32_t copy,
                             struct arena *arena)
{
    const char *effort = settings_effort(&run->settings, settings_key(&run->settings, role->name,
                                                                      copy, arena));

    if (effort) return effort;
    return settings_own_effort(&run->settings, run->dialect, role->name, copy, arena);
}

static int read_agent(const struct run *run, const struct role *role, uint32_t copy,
                      struct arena *arena, struct agent *out, struct err *err)
{
    const char *effort = effort_of(run, role, copy, arena);
    int rc = read_spec(run, role, copy, arena, out, err);

    if (rc != 0 || !effort) return rc;
    rc = agent_set_effort(out, effort, err);
    return rc == 0 ? 0 : err_wrap(err, "the effort of %s", role->name);
}

/* One of the two that a role has: for the one that joins copies or is alone, and for the copies. */
static int cast_one(struct run *run, const struct role *role, uint32_t copy, bool there,
                    struct agent *out, struct err *err)
{
    int rc = read_agent(run, role, copy, &run->arena, out, err);

    if (rc == 0) rc = check_fits(run, role, out, err);
    if (rc != 0 || !there || !out->backend->check) return rc;
    rc = out->backend->check(out, err);
    if (rc == 0 || !out->backend->hosted) return rc;
    return err_set(err, rc, "%s, such as /hone:%s",
                   arena_cstr(&run->arena, str_of(err->text)), run->dialect->name);
}

static bool is_copy(const struct plan *plan, const struct action *action)
{
    return action->purpose == FOR_WORK && plan->phases[action->phase].work.copies > 1;
}

bool cast_find(const struct run *run, const struct action *action, struct arena *arena,
               struct agent *out)
{
    const struct role *role = &run->plan.roles[action->role];
    struct err none;

    return !role->builtin &&
           read_agent(run, role, is_copy(&run->plan, action), arena, out, &none) == 0;
}

/* A gate whose every reviewer looks at nothing would judge nothing: such a run does not begin. */
static int check_gate(const struct run *run, const struct phase *phase, struct err *err)
{
    for (uint32_t i = 0; i < phase->gate.reviewer_count; i++) {
        uint16_t role = phase->gate.reviewers[i];
        if (run->plan.roles[role].builtin || !agent_is_idle(&run->agents[role])) return 0;
    }
    if (phase->gate.reviewer_count == 0) return 0;
    return err_set(err, ERR_USAGE, "no reviewer would look at anything in phase %s: all of them "
                   "are analyzer:none; name one that looks with --agent '%s=SPEC'", phase->name,
                   run->plan.roles[phase->gate.reviewers[0]].name);
}

int cast_agents(struct run *run, bool there, struct err *err)
{
    const struct plan *plan = &run->plan;

    run->agents = arena_alloc(&run->arena, plan->role_count * sizeof *run->agents);
    run->copies = arena_alloc(&run->arena, plan->role_count * sizeof *run->copies);
    for (uint32_t i = 1; i < plan->role_count; i++) {
        const struct role *role = &plan->roles[i];
        int rc = 0;

        if (role->builtin) continue;
        rc = cast_one(run, role, 0, there, &run->agents[i], err);
        if (rc == 0) rc = cast_one(run, role, 1, there, &run->copies[i], err);
        if (rc != 0) return rc;
    }
    for (uint32_t i = 0; there && i < plan->phase_count; i++) {
        int rc = check_gate(run, &plan->phases[i], err);
        if (rc != 0) return rc;
    }
    return 0;
}

const struct agent *agent_of(const struct run *run, const struct action *action)
{
    static const struct backend hone = { .name = "hone" };
    static const struct agent builtin = { .backend = &hone, .argument = "", .spec = "hone" };

    if (is_builtin(run, action)) return &builtin;
    if (is_copy(&run->plan, action)) return &run->copies[action->role];
    return &run->agents[action->role];
}

bool is_builtin(const struct run *run, const struct action *action)
{
    return run->plan.roles[action->role].builtin;
}

bool is_reviewer(const struct run *run, const struct action *action)
{
    const struct role *role = &run->plan.roles[action->role];

    return !role->writes && !role->builtin;
}

const char *const *cast_tools(const struct run *run, struct arena *arena)
{
    const struct plan *plan = &run->plan;
    const char **tools = arena_alloc(arena, (plan->role_count + 1) * sizeof *tools);

    for (uint32_t i = 1; i < plan->role_count; i++) {
        struct agent agent;
        struct err none;

        if (plan->roles[i].builtin) continue;
        if (read_agent(run, &plan->roles[i], 0, arena, &agent, &none) != 0) continue;
        if (agent.backend->answers_findings && agent.backend->closed) tools[i] = agent.argument;
    }
    return tools;
}
