/* SPDX-License-Identifier: Apache-2.0
 *
 * gemini.c - backend gemini[:MODEL]: Gemini CLI, once for each attempt, without a terminal.
 *
 * The prompt comes on standard input; what it does and says is a stream of events
 * (format/stream/gemini_stream.c). A reviewer has the tools that read, and a shell; a fixer has
 * all.
 *
 * Gemini CLI works only in a folder that it was told to trust, so it is told. MCP servers are off:
 * only one with a name that no server has is allowed. */
#include "agent/backends.h"
#include "agent/env.h"

enum { ARGS_MAX = 16 };

static const char *const *gemini_command(const struct agent *agent, const struct attempt *attempt,
                                         struct arena *arena)
{
    const char **argv = arena_alloc(arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    argv[count++] = "gemini";
    argv[count++] = "--output-format";
    argv[count++] = "stream-json";
    argv[count++] = "--skip-trust";
    argv[count++] = "--allowed-mcp-server-names";
    argv[count++] = "hone-allows-none";
    if (attempt->writes) {
        argv[count++] = "--approval-mode";
        argv[count++] = "yolo";
    } else {
        argv[count++] = "--allowed-tools";
        argv[count++] = "run_shell_command";
    }
    if (agent->argument[0]) {
        argv[count++] = "--model";
        argv[count++] = agent->argument;
    }
    return argv;
}

const struct backend backend_gemini = {
    .name = "gemini",
    .argument = "MODEL",
    .provider = "gcp.gemini",
    .program = "gemini",
    .install = "npm install --global @google/gemini-cli",
    .login = "gemini",
    .login_env = (const char *const[]){ "GEMINI_API_KEY", "GOOGLE_API_KEY",
                                        "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA",
                                        NULL },
    .login_files = (const char *const[]){ ".gemini/oauth_creds.json",
                                          ".gemini/gemini-credentials.json", NULL },
    .may_cost = true,
    .tells_tokens = true,
    .credentials = ENV_GEMINI,
    .shell_env = (const char *const[]){ "GEMINI_CLI", NULL },
    .help = "Gemini CLI, with MODEL where one is named; a reviewer reads and runs commands, a "
            "fixer also edits; MCP servers are off",
    .stream = &gemini_stream,
    .check = agent_check_program,
    .command = gemini_command,
};
