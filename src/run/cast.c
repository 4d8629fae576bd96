/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.c - who plays which role.
 *
 * The first of these that there is: --agent ROLE=SPEC; --agent '*=SPEC'; the SPEC that the
 * dialect's own configuration names; the one that hone.json names or hone chose; the dialect's
 * default.
 * A role that hone plays itself needs no agent. Copies that work side by side may be played by
 * another than the one that joins them; that is up to the dialect.
 *
 * Where a gate has a policy, its looks are taken in turn by the plan's eyes: the first is this
 * cast, each of the others plays the gate's reviewers by a SPEC of its own (settings.eyes). An
 * analyzer finds the same in each of them, and a role that the dialect leaves to one program
 * stays with that: these keep their own. */
#include "run/cast.h"

#include "settings/away.h"

#include <assert.h>

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
static int parse_spec(const struct run *run, const struct role *role, const char *spec,
                      struct arena *arena, struct agent *out, struct err *err)
{
    const char *model;
    int rc = agent_parse(spec, arena, out, err);

    if (rc != 0 || out->argument[0] || !run->dialect->model) return rc;
    model = run->dialect->model(&run->settings.options, out->backend->name, role->name, arena);
    if (!model) return 0;
    return agent_parse(arena_printf(arena, "%s:%s", out->backend->name, model), arena, out, err);
}

static int read_spec(const struct run *run, const struct role *role, uint32_t copy,
                     struct arena *arena, struct agent *out, struct err *err)
{
    const char *spec = spec_of(run, role, copy, arena);

    if (!spec) {
        return err_set(err, ERR_USAGE, "no agent for %s: name one with --agent '%s=SPEC', or one "
                       "for all with --agent '*=SPEC'", role->name, role->name);
    }
    return parse_spec(run, role, spec, arena, out, err);
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

/* Whether the eyes of a policy look through this role. */
static bool is_looked_through(const struct run *run, uint16_t role, const struct agent *own)
{
    const struct dialect_insisting *insisting = run->dialect->insisting;

    if (own->backend->answers_findings || own->backend->hosted) return false;
    if (insisting && insisting->no_stand_in(run->plan.roles[role].name)) return false;
    return plan_role_looks(&run->plan, role);
}

/* The agent that an eye behind the first sees with. The effort that was named for the role is told
 * where its program knows the word. */
static int read_eye(const struct run *run, const struct role *role, uint32_t eye,
                    struct arena *arena, struct agent *out, struct err *err)
{
    const char *spec = settings_eye(&run->settings, eye, arena);
    const char *effort = settings_effort(&run->settings, role->name);
    struct err none;
    int rc;

    if (!spec) return err_set(err, ERR_USAGE, "there is no eye %u", eye);
    rc = parse_spec(run, role, spec, arena, out, err);
    if (rc == 0 && effort) (void)agent_set_effort(out, effort, &none);
    return rc;
}

/* Whether it fits the role and, with there, whether it is installed. A run that only looks
 * takes any agent for a role that writes: such a role has no work there. */
static int check_agent(struct run *run, const struct role *role, bool there, struct agent *out,
                       struct err *err)
{
    int rc;

    if (role->writes && run->settings.no_fix) return 0;
    rc = check_fits(run, role, out, err);
    if (rc != 0 || !there) return rc;
    rc = away_check(&run->settings, role->name, out, err);
    if (rc == 0 || !out->backend->hosted) return rc;
    return err_set(err, rc, "%s, such as /hone:%s",
                   arena_cstr(&run->arena, str_of(err->text)), run->dialect->name);
}

/* One of the two that a role has: for the one that joins copies or is alone, and for the copies. */
static int cast_one(struct run *run, const struct role *role, uint32_t copy, bool there,
                    struct agent *out, struct err *err)
{
    int rc = read_agent(run, role, copy, &run->arena, out, err);

    return rc == 0 ? check_agent(run, role, there, out, err) : rc;
}

/* The eyes behind the first. */
static int cast_eyes(struct run *run, bool there, struct err *err)
{
    const struct plan *plan = &run->plan;
    uint32_t more = plan->eyes > 1 ? plan->eyes - 1 : 0;

    run->eyes = arena_alloc(&run->arena, (size_t)(more + 1) * plan->role_count *
                                             sizeof *run->eyes);
    for (uint32_t eye = 1; eye <= more; eye++) {
        for (uint16_t i = 1; i < plan->role_count; i++) {
            struct agent *agent = &run->eyes[(eye - 1) * plan->role_count + i];
            const struct role *role = &plan->roles[i];
            int rc;

            *agent = run->agents[i];
            if (role->builtin || !is_looked_through(run, i, &run->agents[i])) continue;
            rc = read_eye(run, role, eye, &run->arena, agent, err);
            if (rc == 0) rc = check_agent(run, role, there, agent, err);
            if (rc != 0) return err_wrap(err, "eyes");
        }
    }
    return 0;
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

    if (role->builtin ||
        read_agent(run, role, is_copy(&run->plan, action), arena, out, &none) != 0) return false;
    return action->eye == 0 || !is_looked_through(run, action->role, out) ||
           read_eye(run, role, action->eye, arena, out, &none) == 0;
}

struct cast_known {
    bool looked, found;
    struct agent agent;
};

bool cast_recall(struct cast_memory *memory, const struct run *run, const struct action *action,
                 struct arena *arena, struct agent *out)
{
    const struct plan *plan = &run->plan;
    size_t eyes = plan->eyes > 1 ? plan->eyes : 1;
    size_t at = ((size_t)action->eye * 2 + is_copy(plan, action)) * plan->role_count + action->role;
    struct cast_known *known;

    if (action->eye >= eyes) return cast_find(run, action, arena, out);
    if (!memory->known) {
        memory->known = arena_alloc(arena, eyes * 2 * plan->role_count * sizeof *memory->known);
    }
    known = &memory->known[at];
    if (!known->looked) {
        known->found = cast_find(run, action, arena, &known->agent);
        known->looked = true;
    }
    if (known->found) *out = known->agent;
    return known->found;
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
    return cast_eyes(run, there, err);
}

void cast_first(struct run *run)
{
    struct plan *plan = &run->plan;
    bool *first = arena_alloc(&run->arena, plan->role_count * sizeof *first);

    if (plan->eyes == 0) return;
    for (uint32_t i = 1; i < plan->role_count; i++) {
        const struct role *role = &plan->roles[i];
        struct agent agent;
        struct err none;

        if (role->builtin || role->writes) continue;
        if (read_spec(run, role, 0, &run->arena, &agent, &none) != 0) continue;
        first[i] = agent.backend->answers_findings;
    }
    plan_first(plan, first, &run->arena);
}

const struct agent *agent_of(const struct run *run, const struct action *action)
{
    static const struct backend hone = { .name = "hone" };
    static const struct agent builtin = { .backend = &hone, .argument = "", .spec = "hone" };

    if (is_builtin(run, action)) return &builtin;
    if (is_copy(&run->plan, action)) return &run->copies[action->role];
    if (action->eye == 0) return &run->agents[action->role];
    assert(action->eye < run->plan.eyes);
    return &run->eyes[(action->eye - 1) * run->plan.role_count + action->role];
}

bool is_builtin(const struct run *run, const struct action *action)
{
    return run->plan.roles[action->role].builtin;
}

bool only_reads(const struct run *run, const struct action *action)
{
    const struct role *role = &run->plan.roles[action->role];

    return !role->writes && !role->builtin;
}

bool is_reviewer(const struct run *run, const struct action *action)
{
    return only_reads(run, action) && action->purpose != FOR_PROOF;
}
