/* SPDX-License-Identifier: Apache-2.0
 *
 * claude.c - backend claude[:MODEL]: Claude Code, once for each attempt, without a terminal.
 *
 * The prompt comes on standard input, the answer is the text it prints; an exit status other than
 * 0 is a failure, as for any command. What the repository under review brings along (its hooks and
 * MCP servers) is switched off: it is what is judged, not who judges.
 *
 * A reviewer reads and runs commands; a fixer also edits. Nobody is there to be asked, so what is
 * not allowed here is refused. */
#include "agent/agent.h"

enum { ARGS_MAX = 24 };

static const char *const *claude_command(const struct agent *agent, const struct attempt *attempt,
                                         struct arena *arena)
{
    const char **argv = arena_alloc(arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    argv[count++] = "claude";
    argv[count++] = "-p";
    argv[count++] = "--output-format";
    argv[count++] = "text";
    argv[count++] = "--no-session-persistence";
    argv[count++] = "--strict-mcp-config";
    argv[count++] = "--settings";
    argv[count++] = "{\"disableAllHooks\":true}";
    argv[count++] = "--permission-mode";
    argv[count++] = attempt->writes ? "acceptEdits" : "default";
    argv[count++] = "--allowedTools";
    argv[count++] = attempt->writes ? "Read,Glob,Grep,Bash,Edit,Write" : "Read,Glob,Grep,Bash";
    if (agent->argument[0]) {
        argv[count++] = "--model";
        argv[count++] = agent->argument;
    }
    return argv;
}

const struct backend backend_claude = {
    .name = "claude",
    .argument = "MODEL",
    .program = "claude",
    .install = "npm install --global @anthropic-ai/claude-code",
    .by_default = true,
    .may_cost = true,
    .help = "Claude Code (claude -p), with MODEL where one is named; a reviewer reads and runs "
            "commands, a fixer also edits; hooks and MCP servers of the repository are off",
    .check = agent_check_program,
    .command = claude_command,
};
