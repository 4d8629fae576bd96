/* SPDX-License-Identifier: Apache-2.0
 *
 * claude.c - backend claude[:MODEL]: Claude Code, once for each attempt, without a terminal.
 *
 * The prompt comes on standard input; what it does and says is a stream of events
 * (format/stream/claude_stream.c). Where the answer has a schema, the program holds the model to
 * it.
 *
 * 1. What the repository under review brings along is switched off: its settings (which could set
 *    hooks, permissions and where requests go), its memory files and its MCP servers. The
 *    repository is judged; it does not choose how.
 * 2. A reviewer reads and runs commands; a fixer also edits. Other tools are off. There is no user
 *    to ask for permission: what is not allowed here is refused.
 * 3. The program keeps nothing of the session: hone keeps the transcript.
 * 4. It writes partial messages while the model thinks, so that silence means that it hangs. */
#include "agent/backends.h"
#include "agent/env.h"

#include <inttypes.h>

enum { ARGS_MAX = 32, MICROS = 1000000 };

#define READER_TOOLS "Read,Glob,Grep,Bash"
#define WRITER_TOOLS READER_TOOLS ",Edit,Write"

/* Models that its tool Agent knows. It refuses any other name, which claude --model would take. */
static const char *const host_models[] = { "sonnet", "opus", "haiku", "fable", NULL };
static const char *const efforts[] = { "low", "medium", "high", "xhigh", "max", NULL };

static const char *const *claude_command(const struct agent *agent, const struct attempt *attempt,
                                         struct arena *arena)
{
    const char *tools = attempt->writes ? WRITER_TOOLS : READER_TOOLS;
    const char *const fixed[] = {
        "claude", "-p", "--output-format", "stream-json", "--verbose",
        "--include-partial-messages", "--no-session-persistence", "--strict-mcp-config",
        "--setting-sources", "user",
        "--settings", "{\"disableAllHooks\":true}",
        "--permission-mode", attempt->writes ? "acceptEdits" : "default",
        "--tools", tools, "--allowedTools", tools,
    };
    const char **argv = arena_alloc(arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    while (count < sizeof fixed / sizeof *fixed) {
        argv[count] = fixed[count];
        count++;
    }
    if (attempt->schema) {
        argv[count++] = "--json-schema";
        argv[count++] = attempt->schema;
    }
    if (agent->effort) {
        argv[count++] = "--effort";
        argv[count++] = agent->effort;
    }
    if (attempt->budget_micros > 0) {
        argv[count++] = "--max-budget-usd";
        argv[count++] = arena_printf(arena, "%" PRIu64 ".%06" PRIu64,
                                     attempt->budget_micros / MICROS,
                                     attempt->budget_micros % MICROS);
    }
    if (agent->argument[0]) {
        argv[count++] = "--model";
        argv[count++] = agent->argument;
    }
    return argv;
}

const struct backend backend_claude = {
    .name = "claude",
    .argument = "MODEL",
    .provider = "anthropic",
    .program = "claude",
    .install = "npm install --global @anthropic-ai/claude-code",
    .login = "claude auth login",
    .login_ask = (const char *const[]){ "auth", "status", NULL },
    .login_sure = true,
    .by_default = true,
    .may_cost = true,
    .tells_cost = true, .tells_tokens = true,
    .efforts = efforts,
    .host_models = host_models,
    .shell_env = (const char *const[]){ "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", NULL },
    .credentials = ENV_CLAUDE,
    .help = "Claude Code (claude -p), with MODEL where one is named; a reviewer reads and runs "
            "commands, a fixer also edits; settings, hooks and MCP servers of the repository are "
            "off",
    .stream = &claude_stream,
    .check = agent_check_program,
    .command = claude_command,
};
