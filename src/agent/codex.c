/* SPDX-License-Identifier: Apache-2.0
 *
 * codex.c - backend codex[:MODEL]: the Codex command line, once for each attempt.
 *
 * The prompt comes on standard input; the last message of the turn is left in HONE_OUTPUT, and only
 * where the turn was completed; an exit status other than 0 is a failure, as for any command.
 * Codex has a sandbox of its own, which is given the role's rights: read only, or the workspace. */
#include "agent/agent.h"

enum { ARGS_MAX = 16 };

static const char *const *codex_command(const struct agent *agent, const struct attempt *attempt,
                                        struct arena *arena)
{
    const char **argv = arena_alloc(arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    argv[count++] = "codex";
    argv[count++] = "exec";
    argv[count++] = "--skip-git-repo-check";
    argv[count++] = "--ephemeral";
    argv[count++] = "--color";
    argv[count++] = "never";
    argv[count++] = "--sandbox";
    argv[count++] = attempt->writes ? "workspace-write" : "read-only";
    argv[count++] = "--output-last-message";
    argv[count++] = attempt->output;
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
    .program = "codex",
    .install = "npm install --global @openai/codex",
    .by_default = true,
    .may_cost = true,
    .help = "Codex (codex exec), with MODEL where one is named, in its own sandbox: read only for "
            "a reviewer, the workspace for a fixer",
    .check = agent_check_program,
    .command = codex_command,
};
