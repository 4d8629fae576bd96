/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.c - who plays which role.
 *
 * In this order: --agent ROLE=SPEC, --agent '*=SPEC', what the dialect's own configuration names,
 * what was chosen where nobody was named.
 * A role that hone plays itself needs nobody. Copies that work side by side may be played by
 * another than the one that joins them; that is up to the dialect. */
#include "drive/drive.h"

#include <string.h>

/* An analyzer cannot repair, and a fixer of fix-its cannot review. */
static int check_fits(struct drive *drive, const struct role *role, const struct agent *agent)
{
    if (role->writes && agent->backend->cannot_repair) {
        return err_set(&drive->err, ERR_USAGE, "%s cannot play %s, which changes files: name "
                       "another with --agent '%s=SPEC', such as fixits", agent->spec, role->name,
                       role->name);
    }
    if (!role->writes && agent->backend->cannot_review) {
        return err_set(&drive->err, ERR_USAGE, "%s cannot play %s, which reviews: name another "
                       "with --agent '%s=SPEC', such as analyzer:gcc", agent->spec, role->name,
                       role->name);
    }
    if (agent->backend->answers_findings && !drive->run.dialect->found) {
        return err_set(&drive->err, ERR_USAGE, "%s cannot play in %s: its reviewers must be "
                       "models or commands", agent->spec, drive->run.dialect->name);
    }
    return 0;
}

static const char *spec_of(struct drive *drive, const struct role *role, uint32_t copy)
{
    const struct run_settings *settings = &drive->run.settings;
    const char *spec = settings_agent(settings, role->name);

    if (!spec && drive->run.dialect->agent) {
        spec = drive->run.dialect->agent(&settings->options, role->name, copy, &drive->arena);
    }
    return spec ? spec : settings_chosen(settings, role->name);
}

static int cast(struct drive *drive, const struct role *role, uint32_t copy, struct agent *out)
{
    const char *spec = spec_of(drive, role, copy);
    int rc;

    if (!spec) {
        return err_set(&drive->err, ERR_USAGE, "no agent for %s: name one with --agent '%s=SPEC', "
                       "or one for all with --agent '*=SPEC'", role->name, role->name);
    }
    rc = agent_parse(spec, &drive->arena, out, &drive->err);
    if (rc == 0 && !out->argument[0] && drive->run.dialect->model) {
        const char *model = drive->run.dialect->model(&drive->run.settings.options,
                                                      out->backend->name, role->name,
                                                      &drive->arena);
        if (model) {
            spec = arena_printf(&drive->arena, "%s:%s", out->backend->name, model);
            rc = agent_parse(spec, &drive->arena, out, &drive->err);
        }
    }
    if (rc == 0) rc = check_fits(drive, role, out);
    if (rc == 0 && out->backend->check && !drive->counted) {
        rc = out->backend->check(out, &drive->err);
    }
    return rc;
}

int cast_agents(struct drive *drive)
{
    const struct plan *plan = &drive->run.plan;

    drive->agents = arena_alloc(&drive->arena, plan->role_count * sizeof *drive->agents);
    drive->copies = arena_alloc(&drive->arena, plan->role_count * sizeof *drive->copies);
    for (uint32_t i = 1; i < plan->role_count; i++) {
        const struct role *role = &plan->roles[i];
        int rc = 0;

        if (role->builtin) continue;
        rc = cast(drive, role, 0, &drive->agents[i]);
        if (rc == 0) rc = cast(drive, role, 1, &drive->copies[i]);
        if (rc != 0) return rc;
    }
    return 0;
}

const struct agent *agent_of(const struct drive *drive, const struct action *action)
{
    static const struct backend hone = { .name = "hone" };
    static const struct agent builtin = { .backend = &hone, .argument = "", .spec = "hone" };
    const struct work *work = &drive->run.plan.phases[action->phase].work;

    if (is_builtin(drive, action)) return &builtin;
    if (action->purpose == FOR_WORK && work->copies > 1) return &drive->copies[action->role];
    return &drive->agents[action->role];
}
