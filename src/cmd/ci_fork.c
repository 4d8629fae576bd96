/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_fork.c - the change of a stranger, judged where credentials are.
 *
 * 1. Every variable that may hold a credential is taken out of hone's own environment before
 *    anything starts: so nothing that hone starts can have it. A token that the checkout keeps
 *    stands in a file that every program can read: hone can only say so.
 * 2. Analyzers alone judge. A model cannot work without a login, and reads what the stranger wrote
 *    while it has one; a command may be a script that the change wrote.
 *
 * Not here: how a fork is known (format/pipeline.c), that no branch of its clone is its base
 * (settings/parting.c). */
#include "cmd/ci_fork.h"

#include "agent/env.h"
#include "cmd/say.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/process/host.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BACKENDS_MAX = 64 };

/* ---- credentials ---- */

uint32_t ci_drop_credentials(struct arena *arena)
{
    const char *const *environment = host_environment();
    const char **names;
    uint32_t count = 0;

    while (environment[count]) count++;
    names = arena_alloc(arena, (count + (size_t)1) * sizeof *names);
    count = 0;
    for (; *environment; environment++) {
        struct str value = str_of(*environment), name;

        if (!str_cut(&value, '=', &name) || !env_is_secret(name, value, file_exists)) continue;
        names[count++] = arena_cstr(arena, name);
    }
    for (uint32_t i = 0; i < count; i++) unsetenv(names[i]);
    return count;
}

/* Whether the checkout keeps what it was fetched with in the repository's configuration, or in a
 * file that this includes: as a header, or in an address. */
static bool keeps_token(const struct repo *repo, struct arena *arena)
{
    static const char keys[] = "^http\\..*\\.extraheader$|^remote\\..*url$|^url\\..*insteadof$";
    static const char *const args[] = { "config", "--local", "--includes", "--get-regexp", keys,
                                        NULL };
    struct err none;
    struct str rest = str_of(repo_ask(repo, args, arena, &none)), line;

    while (str_cut(&rest, '\n', &line)) {
        if (str_starts(line, STR("http."))) return true;
        if (env_is_secret(STR("url"), line, file_exists)) return true;
    }
    return false;
}

void ci_say_fork(const struct repo *repo, const struct pipeline *pipeline, uint32_t withheld,
                 struct arena *arena)
{
    say_fail(CODE_DONE, "this change is a fork's (%s): analyzers alone judge it, nothing is "
             "repaired, and nothing that hone starts has a credential (%" PRIu32 " variable%s "
             "withheld)", pipeline->why_fork, withheld, withheld == 1 ? " is" : "s are");
    if (!keeps_token(repo, arena)) return;
    say_fail(CODE_DONE, "the configuration of this checkout holds a token, which every program "
             "here can read: %s", pipeline->service == PIPELINE_GITLAB
                 ? "set FF_GIT_URLS_WITHOUT_TOKENS: \"true\" for the job"
                 : "give actions/checkout 'persist-credentials: false'");
}

/* ---- tools ---- */

/* An analyzer, or the fixer that makes what analyzers propose: what runs no command, and asks no
 * service. */
static bool is_tool(const struct backend *backend)
{
    return backend->closed || (!backend->program && !backend->credentials &&
                               !backend->argument_needed && !backend->hosted);
}

const struct backend *const *ci_tools(struct arena *arena)
{
    const struct backend **list = arena_alloc(arena, BACKENDS_MAX * sizeof(void *));
    uint32_t count = 0;

    for (uint32_t i = 0; backends[i] && count + 1 < BACKENDS_MAX; i++) {
        if (is_tool(backends[i])) list[count++] = backends[i];
    }
    return list;
}

static bool is_tool_spec(const char *spec, struct arena *arena)
{
    struct agent agent;
    struct err none;

    return agent_parse(spec, arena, &agent, &none) == 0 && is_tool(agent.backend);
}

void ci_keep_tools(struct run_request *request, bool fork, bool quiet, struct arena *arena)
{
    struct run_settings *settings = &request->settings;
    struct agent_setting *kept = arena_alloc(arena, (settings->agent_count + (size_t)1) *
                                                            sizeof *kept);
    uint32_t count = 0;

    for (uint32_t i = 0; i < settings->agent_count; i++) {
        if (is_tool_spec(settings->agents[i].spec, arena)) kept[count++] = settings->agents[i];
    }
    if (count < settings->agent_count && !quiet) {
        say_fail(CODE_DONE, "agents that are no analyzers were named, and are left out");
    }
    settings->agents = kept;
    settings->agent_count = count;
    settings->eyes = "";
    if (!fork) return;
    settings->pass = settings->write = settings->change = "";
    settings->sandbox_off = false;
}

/* A role's file names an agent, too. */
int ci_check_tools(const struct run_request *request, struct arena *arena, struct err *err)
{
    const struct plan *plan = &request->plan;

    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *name = plan->roles[i].name, *spec;

        if (!role_is_played(plan, i)) continue;
        spec = settings_spec(&request->settings, request->dialect, name, 0, arena);
        if (!spec || is_tool_spec(spec, arena)) continue;
        return err_set(err, ERR_USAGE, "%s is played by %.60s, as its file says, and only "
                       "analyzers may judge here: leave it out by --reviewers", name, spec);
    }
    return 0;
}
