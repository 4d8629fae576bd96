/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c - a run that begins in a host: who plays what, and everything that a headless run
 * does at its beginning as well.
 *
 * A role is the host's unless somebody else was named for it: by the command, by hone.json or by
 * the dialect's own configuration. Whoever is named as the very program that hosts us is the host.
 * All others, as far as they are installed, are started by hone itself when a turn ends
 * (take.c). One that the command names, or that the dialect wants no stand-in for, and that
 * is not installed: the run does not begin. */
#include "drive/hosted/parts.h"

#include "agent/agent.h"
#include "io/file/scratch.h"
#include "settings/config.h"

#include <string.h>

/* Roles that were given to the program that hosts us are played by the host itself. */
static const char *hosted_spec(struct hosted *hosted, const struct dialect *dialect,
                               const struct run_settings *settings, const char *role)
{
    static const char *const programs[HOOK_HOST_COUNT] = { "claude", "codex" };
    struct arena *arena = &hosted->arena;
    const char *spec = settings_spec(settings, dialect, role, 0, arena);
    /* Where one of these is missing, that is said: the host is no stand-in. */
    bool strict = settings_agent(settings, role) ||
                  (dialect->no_stand_in && dialect->no_stand_in(role));
    struct agent agent;
    struct err none;

    if (!spec && dialect->hosted_agent) {
        spec = dialect->hosted_agent(&settings->options, programs[hosted->in->host], role, arena);
    }
    if (!spec && dialect->agent_default) {
        spec = dialect->agent_default(&settings->options, role, 0, arena);
    }
    if (!spec || agent_parse(spec, arena, &agent, &none) != 0) return "host";
    if (strcmp(agent.backend->name, programs[hosted->in->host]) != 0) {
        bool there = strict || !agent.backend->check || agent.backend->check(&agent, &none) == 0;
        return there ? spec : "host";
    }
    return *agent.argument ? arena_printf(arena, "host:%s", agent.argument) : "host";
}

/* Who plays what, in so many words: settings with nobody left to choose. */
static int cast_host(struct hosted *hosted, const struct dialect *dialect,
                     const struct run_settings *settings, struct run_settings *out)
{
    struct run_settings known = *settings;
    struct agent_setting *agents;
    struct plan plan;
    int rc;

    config_load(dialect, hosted->drive.repo.workspace, &known.options, &hosted->arena);
    rc = dialect->plan(&known.options, &hosted->arena, &plan, &hosted->drive.err);
    if (rc != 0) return rc;
    *out = *settings;
    agents = arena_alloc(&hosted->arena, plan.role_count * sizeof *agents);
    out->agents = agents;
    out->agent_count = 0;
    for (uint32_t i = 1; i < plan.role_count; i++) {
        if (plan.roles[i].builtin) continue;
        agents[out->agent_count++] = (struct agent_setting){
            .role = plan.roles[i].name,
            .spec = hosted_spec(hosted, dialect, &known, plan.roles[i].name),
        };
    }
    return 0;
}

/* Of several that begin at the same instant one does. A host that knows hone twice calls it twice:
 * then the session's run is there already, and *again is set. */
static int begin_alone(struct hosted *hosted, bool *again)
{
    struct drive *drive = &hosted->drive;
    struct host_search search = { .workspace = drive->repo.workspace };
    struct host_notes notes;
    const char *other;
    struct err none;

    search.but_session = arena_cstr(&hosted->arena, hosted->in->session_id);
    if (host_notes_read(&notes, drive->repo.hone_dir, hosted->in->session_id, &none) == 0) {
        *again = notes.state == HOST_RUNNING;
        host_notes_release(&notes);
    }
    other = host_run_at_work(drive->repo.hone_dir, &search, &hosted->arena);
    if (!other && !*again) return 0;
    return err_set(&drive->err, ERR_BUSY, "another session has a run (%s) at work in this folder: "
                   "end it there, or stop it with 'hone stop'", other ? other : "this one");
}

/* Whether the programs are there that hone is to start itself. */
static int check_programs(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const struct dialect *dialect = drive->run.dialect;

    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const struct role *role = &drive->run.plan.roles[i];
        const struct agent *agent = &drive->agents[i];
        const char *ways = dialect->no_stand_in ? dialect->no_stand_in(role->name) : NULL;
        struct err err;

        if (role->builtin || agent->backend->hosted || !agent->backend->check) continue;
        if (agent->backend->check(agent, &err) == 0) continue;
        return err_set(&drive->err, ERR_USAGE, "no agent for %s: %s%s%s", role->name, err.text,
                       ways ? "; " : "", ways ? ways : "");
    }
    return 0;
}

/* Codex knows an agent by a file of its own, which a plugin cannot bring. Where its home is known
 * and that file is missing, all that follows would fail. */
static int check_agents(struct hosted *hosted)
{
    const struct drive *drive = &hosted->drive;
    struct str path = hosted->in->transcript_path;
    const char *at = path.size ? memmem(path.data, path.size, "/sessions/", 10) : NULL;
    struct arena *arena = &hosted->arena;

    if (hosted->in->host != HOOK_CODEX || !at) return 0;
    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const struct role *role = &drive->run.plan.roles[i];
        const struct agent *agent = &drive->agents[i];

        if (role->builtin || !agent->backend || !agent->backend->hosted) continue;
        if (file_exists(arena_printf(arena, "%.*s/agents/hone-%s.toml", (int)(at - path.data),
                                     path.data, role->name)) ||
            file_exists(arena_printf(arena, "%s/.codex/agents/hone-%s.toml",
                                     drive->repo.workspace, role->name))) {
            continue;
        }
        return err_set(&hosted->drive.err, ERR_USAGE, "Codex has no agent hone-%s: 'hone install "
                       "codex' puts hone's agents there; then start Codex anew", role->name);
    }
    return 0;
}

int hosted_create(struct hosted *hosted, const struct dialect *dialect, const char *task,
                  const struct run_settings *settings)
{
    struct drive *drive = &hosted->drive;
    struct run_settings cast;
    struct headless_request request = { .dialect = dialect, .task = task, .settings = &cast };
    struct restored past = { 0 };
    bool again = false;
    int rc;

    request.start = arena_cstr(&hosted->arena, hosted->in->cwd);
    repo_release(&drive->repo);
    rc = repo_open(&drive->repo, *request.start ? request.start : ".", true, &drive->err);
    hosted->found = rc == 0;
    if (rc != 0) goto out;
    hosted_notes(hosted, dialect);
    hosted_dress(hosted);
    rc = cast_host(hosted, dialect, settings, &cast);
    if (rc == 0) rc = run_init(drive, &request, &past);
    if (rc == 0) run_private(drive);
    if (rc == 0) rc = cast_agents(drive, false);
    if (rc == 0) rc = check_programs(hosted);
    if (rc == 0) rc = check_agents(hosted);
    if (rc == 0) rc = run_lock(drive, drive->run.row.id);
    if (rc == 0) rc = begin_alone(hosted, &again);
    if (rc == 0) rc = claim_lock_file(drive);
    if (rc == 0) rc = hosted_journal(hosted);
    if (rc == 0) {
        rc = scratch_folder(arena_printf(&hosted->arena, "%s/runs", drive->repo.hone_dir),
                            drive->run.row.id, &drive->err);
    }
    if (rc == 0) rc = run_trail(drive);
    if (rc == 0 && dialect->commits) rc = commit_begin(drive);
    if (rc != 0) goto out;
    hosted->notes.run = arena_cstr(&hosted->notes.arena, str_of(drive->run.row.id));
    rc = past.count > 0 ? continue_run(drive, &past) : run_start(drive);
    hosted->bound = hosted->opened = rc == 0;

out:
    arena_release(&past.arena);
    if (rc != 0 && !again) hosted->err = drive->err;
    return rc;
}
