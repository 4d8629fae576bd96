/* SPDX-License-Identifier: Apache-2.0
 *
 * codex.c - backend codex[:MODEL]: the Codex command line, once for each attempt.
 *
 * The prompt comes on standard input; what it does and says is a stream of events
 * (format/stream/codex_stream.c). A schema is passed on to the service; the program does not check
 * what comes back, the dialect does. Codex has a sandbox of its own, which is given the role's
 * rights: read only, or the workspace. It keeps nothing of the session.
 *
 * An invalid answer is asked for again in a new session. Resuming the old one would save a part of
 * what is sent, which the service has cached anyway; but it needs a session kept on disk beside
 * hone's own record, reports the tokens of all its turns at once, and fails where its file is gone.
 *
 * How often Codex tries a request again is limited: without that it would wait for a lost network
 * until hone's own limit of the attempt. */
#include "agent/backends.h"
#include "agent/env.h"

enum { ARGS_MAX = 32 };

static const char *const *codex_command(const struct agent *agent, const struct attempt *attempt,
                                        struct arena *arena)
{
    const char *const fixed[] = {
        "codex", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--color", "never",
        "--sandbox", attempt->writes ? "workspace-write" : "read-only",
        "-c", "features.unbounded_connection_retries=false",
    };
    const char **argv = arena_alloc(arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    while (count < sizeof fixed / sizeof *fixed) {
        argv[count] = fixed[count];
        count++;
    }
    if (attempt->schema_file) {
        argv[count++] = "--output-schema";
        argv[count++] = attempt->schema_file;
    }
    if (agent->effort) {
        argv[count++] = "-c";
        argv[count++] = arena_printf(arena, "model_reasoning_effort=%s", agent->effort);
    }
    if (agent->argument[0]) {
        argv[count++] = "--model";
        argv[count++] = agent->argument;
    }
    argv[count++] = "-";
    return argv;
}

const struct backend backend_codex = {
    .name = "codex",
    .argument = "MODEL",
    .provider = "openai",
    .program = "codex",
    .install = "npm install --global @openai/codex",
    .login = "codex login",
    .login_ask = (const char *const[]){ "login", "status", NULL },
    .login_env = (const char *const[]){ "CODEX_API_KEY", NULL },
    .by_default = true,
    .may_cost = true,
    .tells_tokens = true,
    .efforts = agent_efforts,
    .shell_env = (const char *const[]){ "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
                                        "CODEX_THREAD_ID", "CODEX_CI", NULL },
    .credentials = ENV_CODEX,
    .help = "Codex (codex exec), with MODEL where one is named, in its own sandbox: read only for "
            "a reviewer, the workspace for a fixer",
    .stream = &codex_stream,
    .check = agent_check_program,
    .command = codex_command,
};
