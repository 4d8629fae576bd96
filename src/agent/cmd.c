/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd.c - backend cmd:COMMAND: any program, by `sh -c`.
 *
 * COMMAND is the user's own text and is handed to the shell as it is; nothing of a run (task,
 * prompt, answer) is ever put into it. What an attempt is about comes in the environment and on
 * standard input. */
#include "agent/backends.h"
#include "agent/env.h"

static int cmd_check(const struct agent *agent, struct err *err)
{
    if (str_trim(str_of(agent->argument)).size > 0) return 0;
    return err_set(err, ERR_USAGE, "agent '%s' has no command: write cmd:COMMAND", agent->spec);
}

static const char *const *cmd_command(const struct agent *agent, const struct attempt *attempt,
                                      struct arena *arena)
{
    const char **argv = arena_alloc(arena, 4 * sizeof *argv);

    (void)attempt;
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = agent->argument;
    return argv;
}

const struct backend backend_cmd = {
    .name = "cmd",
    .argument = "COMMAND",
    .argument_needed = true,
    .may_cost = true,
    .may_nest = true,
    .credentials = ENV_MODELS,
    .help = "any program, run by sh -c in the workspace: the prompt comes on standard input, the "
            "answer is the file $HONE_OUTPUT if it was written, else standard output; exit "
            "status 0 means answered, anything else that the agent failed",
    .check = cmd_check,
    .command = cmd_command,
};
