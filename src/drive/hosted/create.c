/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c - a run that begins in a host: which agent plays which role, and everything that a
 * headless run does at its beginning as well.
 *
 *   for the role the command, hone.json or the dialect's configuration names     played by
 *   no agent                                                                     the host
 *   the host's own program, with no model or one that the host's agents have     the host
 *   the host's own program, with another model, or for a role that no agent of
 *   the host has                                                                 hone starts it
 *   another program, installed                                                   hone starts it
 *   another program, not installed                                               the host
 *
 * 1. hone starts such agents when a turn ends (take.c).
 * 2. If the command names the missing program, or the dialect wants no stand-in for the role, the
 *    run does not begin.
 * 3. Where a gate has a policy, those that play look in every round: a host has one kind of agent.
 * 4. Copies that work side by side are cast apart from the agent that joins them. */
#include "drive/hosted/parts.h"

#include "agent/agent.h"
#include "dialect/role_file.h"
#include "drive/continue.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "settings/config.h"
#include "settings/hone_keys.h"

#include <stdlib.h>
#include <string.h>

/* ---- which agents the host has ---- */

static bool is_own(const struct dialect *dialect, const char *role)
{
    struct arena arena = { 0 };
    /* In a loop of one's own any agent of the plugin may play. */
    const char *const *names = hone_roles(dialect_find(str_of(dialect->name)), &arena);
    bool own = dialect->role_file != NULL;

    for (; own && *names; names++) own = strcmp(*names, role) != 0;
    arena_release(&arena);
    return own;
}

bool hosted_is_own(const struct drive *drive, const char *role)
{
    return is_own(drive->run.dialect, role);
}

/* Claude Code has hone's agents by the plugin, and those of the user's roles by files. Codex has
 * all of them by files, which a plugin cannot bring; where its home is not known, they may be
 * there. */
static bool host_has(struct hosted *hosted, const struct dialect *dialect, const char *role)
{
    const char *workspace = hosted->drive.run.repo.workspace;
    const char *config = getenv("CLAUDE_CONFIG_DIR"), *home = host_home();
    struct str path = hosted->in->transcript_path;
    const char *at = path.size ? memmem(path.data, path.size, "/sessions/", 10) : NULL;
    struct arena *arena = &hosted->arena;

    if (hosted->in->host == HOOK_CODEX) {
        return !at || file_exists(arena_printf(arena, "%.*s/agents/hone-%s.toml",
                                               (int)(at - path.data), path.data, role)) ||
               file_exists(arena_printf(arena, "%s/.codex/agents/hone-%s.toml", workspace, role));
    }
    if (!config || config[0] != '/') config = home ? arena_printf(arena, "%s/.claude", home) : "";
    return !is_own(dialect, role) ||
           file_exists(arena_printf(arena, "%s/.claude/agents/%s.md", workspace, role)) ||
           file_exists(arena_printf(arena, "%s/agents/%s.md", config, role));
}

/* ---- who plays ---- */

/* Whether the host's own agents can be asked for this model. */
static bool has_host_model(const struct backend *backend, const char *model)
{
    if (!backend->host_models) return true;
    for (const char *const *known = backend->host_models; *known; known++) {
        if (strcmp(*known, model) == 0) return true;
    }
    return false;
}

/* Roles that were given to the program that hosts us are played by the host itself. */
static const char *hosted_spec(struct hosted *hosted, const struct dialect *dialect,
                               const struct run_settings *settings, const char *role,
                               uint32_t copy)
{
    static const char *const programs[HOOK_HOST_COUNT] = { "claude", "codex" };
    const struct dialect_insisting *insisting = dialect->insisting;
    struct arena *arena = &hosted->arena;
    const char *spec = settings_spec(settings, dialect, role, copy, arena);
    /* Where one of these is missing, that is said: the host is no stand-in. */
    bool strict = settings_agent(settings, role) ||
                  (insisting && insisting->no_stand_in(role));
    struct agent agent;
    struct err none;

    if (!spec && insisting) {
        spec = insisting->hosted_agent(&settings->options, programs[hosted->in->host], role, arena);
    }
    if (!spec && dialect->casting) {
        spec = dialect->casting->agent_default(&settings->options, role, copy, arena);
    }
    if (!spec || agent_parse(spec, arena, &agent, &none) != 0) return "host";
    if (strcmp(agent.backend->name, programs[hosted->in->host]) != 0) {
        bool there = strict || !agent.backend->check || agent.backend->check(&agent, &none) == 0;
        return there ? spec : "host";
    }
    if (is_own(dialect, role) && !host_has(hosted, dialect, role)) return spec;
    if (!*agent.argument) return "host";
    return has_host_model(agent.backend, agent.argument) ?
           arena_printf(arena, "host:%s", agent.argument) : spec;
}

/* Room for all that a cast names: of each role, and of its copies. */
struct casting {
    struct hosted *hosted;
    const struct dialect *dialect;
    const struct run_settings *known;
    struct agent_setting *agents;
    struct effort_setting *efforts;
    uint32_t agent_count, effort_count;
};

/* The agent of a role, under this name; and its effort, where hone starts the agent itself. */
static void cast_role(struct casting *casting, const char *name, const char *role, uint32_t copy)
{
    struct arena *arena = &casting->hosted->arena;
    const struct run_settings *known = casting->known;
    const char *effort = settings_effort(known, role);
    const char *spec = hosted_spec(casting->hosted, casting->dialect, known, role, copy);

    casting->agents[casting->agent_count++] = (struct agent_setting){ .role = name, .spec = spec };
    if (str_starts(str_of(spec), STR("host"))) return;
    if (!effort) effort = settings_own_effort(known, casting->dialect, role, copy, arena);
    if (!effort) return;
    casting->efforts[casting->effort_count++] = (struct effort_setting){ name, effort };
}

static bool has_copies(const struct plan *plan, uint32_t role)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].work.role == role && plan->phases[i].work.copies > 1) return true;
    }
    return false;
}

/* Settings that name an agent for every role, so that no later step has to choose one. */
static int cast_host(struct hosted *hosted, const struct dialect *dialect,
                     const struct run_settings *settings, struct run_settings *out)
{
    struct arena *arena = &hosted->arena;
    struct run_settings known = *settings;
    struct casting casting = { .hosted = hosted, .dialect = dialect, .known = &known };
    struct plan plan;
    int rc;

    config_load(dialect, hosted->drive.run.repo.workspace, &known.options, arena);
    rc = settings_plan(&known, dialect, arena, &plan, &hosted->drive.err);
    if (rc != 0) return rc;
    casting.agents = arena_alloc(arena, 2 * plan.role_count * sizeof *casting.agents);
    casting.efforts = arena_alloc(arena, (known.effort_count + 2 * plan.role_count) *
                                         sizeof *casting.efforts);
    for (uint32_t i = 0; i < known.effort_count; i++) {
        casting.efforts[casting.effort_count++] = known.efforts[i];
    }
    for (uint32_t i = 1; i < plan.role_count; i++) {
        const char *role = plan.roles[i].name;

        if (plan.roles[i].builtin) continue;
        cast_role(&casting, role, role, 0);
        if (!has_copies(&plan, i)) continue;
        cast_role(&casting, arena_printf(arena, "%s copies", role), role, 1);
    }
    *out = *settings;
    out->agents = casting.agents;
    out->agent_count = casting.agent_count;
    out->efforts = casting.efforts;
    out->effort_count = casting.effort_count;
    out->eyes = ""; /* the host's agents are the only ones */
    return 0;
}

/* Of several runs that begin at the same instant one does. If hone is set up twice in a host, the
 * host calls it twice: then the session's run is there already, and *again is set. */
static int begin_alone(struct hosted *hosted, bool *again)
{
    struct drive *drive = &hosted->drive;
    struct host_search search = { .workspace = drive->run.repo.workspace };
    struct host_notes notes;
    const char *other;
    struct err none;

    search.but_session = arena_cstr(&hosted->arena, hosted->in->session_id);
    if (host_notes_read(&notes, drive->run.repo.hone_dir, hosted->in->session_id, &none) == 0) {
        *again = notes.state == HOST_RUNNING;
        host_notes_release(&notes);
    }
    other = host_run_at_work(drive->run.repo.hone_dir, &search, &hosted->arena);
    if (!other && !*again) return 0;
    return err_set(&drive->err, ERR_BUSY, "another session has a run (%s) at work in this folder: "
                   "end it there, or stop it with 'hone stop'", other ? other : "this one");
}

static bool is_there(const struct agent *agent, struct err *err)
{
    return agent->backend->hosted || !agent->backend->check ||
           agent->backend->check(agent, err) == 0;
}

/* Whether the programs are there that hone is to start itself. */
static int check_programs(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const struct dialect_insisting *insisting = drive->run.dialect->insisting;

    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const struct role *role = &drive->run.plan.roles[i];
        const char *ways = insisting ? insisting->no_stand_in(role->name) : NULL;
        struct err err;

        if (role->builtin) continue;
        if (is_there(&drive->run.agents[i], &err) && is_there(&drive->run.copies[i], &err)) {
            continue;
        }
        return err_set(&drive->err, ERR_USAGE, "no agent for %s: %s%s%s", role->name, err.text,
                       ways ? "; " : "", ways ? ways : "");
    }
    return 0;
}

/* How the host gets an agent for a role of the user's: by a file of that name, where there is
 * one. */
static const char *ways_to(struct hosted *hosted, const char *role)
{
    const struct run *run = &hosted->drive.run;
    const struct role_file *file = run->dialect->role_file(&run->settings.options, role,
                                                           &hosted->arena);
    bool codex = hosted->in->host == HOOK_CODEX;

    if (file && strcmp(file->name, role) == 0) {
        return arena_printf(&hosted->arena, "'hone roles install %s%s' makes one; then start %s "
                            "anew", role, codex ? " --codex" : "", codex ? "Codex" : "Claude Code");
    }
    return arena_printf(&hosted->arena, "name a program that plays it ('--agent %s=%s', or "
                        "'agent: %s' in the loop), or call it by a name that hone's agents have",
                        role, codex ? "codex" : "claude", codex ? "codex" : "claude");
}

/* Where a role has no agent in the host, all that follows would fail. */
static int check_agents(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;

    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const char *role = drive->run.plan.roles[i].name;
        const struct agent *agent = &drive->run.agents[i];

        if (drive->run.plan.roles[i].builtin || !agent->backend || !agent->backend->hosted ||
            host_has(hosted, drive->run.dialect, role)) continue;
        return err_set(&drive->err, ERR_USAGE, "%s%s: %s",
                       hosted->in->host == HOOK_CODEX ? "Codex has no agent hone-"
                                                      : "Claude Code has no agent ", role,
                       hosted_is_own(drive, role) ? ways_to(hosted, role)
                       : "'hone install codex' puts hone's agents there; then start Codex anew");
    }
    return 0;
}

/* ---- the way it is opened ---- */

/* What create_know() needs beside what is asked. */
struct creating {
    struct hosted *hosted;
    bool again; /* the session's run is there already: the refusal is not said */
};

static struct creating *creating_of(const struct opening *opening)
{
    return opening->context;
}

static int create_find(struct drive *drive, struct opening *opening)
{
    struct hosted *hosted = creating_of(opening)->hosted;
    const char *start = opening->asked.start;
    int rc;

    repo_release(&drive->run.repo);
    rc = repo_open(&drive->run.repo, *start ? start : ".", true, &drive->err);
    hosted->found = rc == 0;
    if (rc != 0) return rc;
    hosted_notes(hosted, opening->asked.dialect);
    hosted_dress(hosted);
    return 0;
}

static int create_know(struct drive *drive, struct opening *opening)
{
    struct run_asked asked = opening->asked;
    struct run_settings cast;
    int rc = cast_host(creating_of(opening)->hosted, asked.dialect, asked.settings, &cast);

    asked.settings = &cast;
    return rc == 0 ? run_pin(drive, &asked, &opening->past) : rc;
}

static int create_cast(struct drive *drive, struct opening *opening)
{
    struct hosted *hosted = creating_of(opening)->hosted;
    int rc = cast_agents(&drive->run, false, &drive->err);

    if (rc == 0) rc = check_programs(hosted);
    return rc == 0 ? check_agents(hosted) : rc;
}

static int create_lock(struct drive *drive, struct opening *opening)
{
    struct creating *creating = creating_of(opening);
    int rc = workspace_lock(drive, drive->run.row.id, HOOK_WAIT_MS);

    if (rc == 0) rc = begin_alone(creating->hosted, &creating->again);
    return rc == 0 ? claim_lock_file(drive) : rc;
}

static int create_equip(struct drive *drive, struct opening *opening)
{
    struct hosted *hosted = creating_of(opening)->hosted;
    int rc = hosted_journal(hosted);

    if (rc != 0) return rc;
    return scratch_folder(arena_printf(&hosted->arena, "%s/runs", drive->run.repo.hone_dir),
                          drive->run.row.id, &drive->err);
}

static int create_go_on(struct drive *drive, struct opening *opening)
{
    struct host_notes *notes = &creating_of(opening)->hosted->notes;

    notes->run = arena_cstr(&notes->arena, str_of(drive->run.row.id));
    return opening_begin_new(drive, opening);
}

static const struct opening_way hosted_new = {
    .known_first = true, .find = create_find, .know = create_know, .cast = create_cast,
    .lock = create_lock, .equip = create_equip, .catch_up = opening_nothing,
    .own = opening_own_new, .go_on = create_go_on,
};

int hosted_create(struct hosted *hosted, const struct dialect *dialect, const char *task,
                  const struct run_settings *settings)
{
    struct creating creating = { .hosted = hosted };
    struct opening opening = {
        .way = &hosted_new, .context = &creating,
        .asked = { .start = arena_cstr(&hosted->arena, hosted->in->cwd), .dialect = dialect,
                   .task = task, .settings = settings },
    };
    int rc = run_open(&hosted->drive, &opening);

    if (rc == 0) hosted->bound = hosted->opened = true;
    else if (!creating.again) hosted->err = hosted->drive.err;
    return rc;
}
