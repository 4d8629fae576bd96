/* SPDX-License-Identifier: Apache-2.0
 *
 * agent.c - hone agent: the agents that hone itself plays, as processes of their own.
 *
 * The help does not list this verb: hone starts it itself, under its own supervisor, with the
 * environment of an attempt. A user can start it by hand with the same environment. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "agent/acp.h"
#include "agent/own/own.h"
#include "analyze/analyzer.h"
#include "cmd/verbs.h"
#include "dialect/dialect.h"
#include "io/process/program.h"

#include <string.h>

/* Those that look at files of the project. -1: it is none of them. */
static int handle_looking(const char *kind, const char *argument)
{
    bool tool = strcmp(kind, "sarif") == 0 || strcmp(kind, "rdjson") == 0;
    struct arena arena = { 0 };
    const char *const *own = dialect_folders("/", &arena);
    int rc = -1;

    if (strcmp(kind, "analyzer") == 0 && argument) rc = analyzer_main(argument, NULL, own);
    else if (tool && argument) rc = analyzer_main(kind, argument, own);
    else if (strcmp(kind, "fixits") == 0 && !argument) rc = fixits_main(own);
    else if (strcmp(kind, "scan") == 0 && !argument) rc = scan_main(own);
    arena_release(&arena);
    return rc;
}

/* beside PID -- PROGRAM ...: a program that ends with the process that started us. */
static int handle_beside(const struct call *call)
{
    struct arena arena = { 0 };
    const char **argv = arena_alloc(&arena, (call->argument_count + 1) * sizeof *argv);
    uint64_t parent = 0;
    int rc;

    if (call->argument_count < 3 || !str_number(str_of(call->arguments[1]), &parent)) {
        arena_release(&arena);
        return say_fail(CODE_USAGE, "agent beside: it is PID -- PROGRAM");
    }
    for (uint32_t i = 2; i < call->argument_count; i++) argv[i - 2] = call->arguments[i];
    rc = program_become((long)parent, argv);
    arena_release(&arena);
    return say_fail(CODE_FAILED, "%s: %s", call->arguments[2], strerror(rc));
}

static int handle(struct call *call)
{
    const char *kind = call_argument(call, 0);
    const char *argument = call_argument(call, 1);
    int rc = handle_looking(kind, argument);

    if (rc >= 0) return rc;
    if (strcmp(kind, "beside") == 0) return handle_beside(call);
    if (strcmp(kind, "acp") == 0 && argument) return acp_main(argument, false, HONE_VERSION);
    if (strcmp(kind, "acp-writes") == 0 && argument) return acp_main(argument, true, HONE_VERSION);
    if (strcmp(kind, "acp-look") == 0 && argument) return acp_look_main(argument, HONE_VERSION);
    if (strcmp(kind, "commit") == 0 && argument) return commit_main(argument);
    if (strcmp(kind, "integrate") == 0 && argument) return integrate_main(argument);
    if (strcmp(kind, "worktree") == 0 && argument) return worktree_main(argument);
    return say_fail(CODE_USAGE, "agent: there are: analyzer NAME, sarif COMMAND, rdjson "
                    "COMMAND, fixits, acp COMMAND and acp-writes COMMAND");
}

const struct verb verb_agent = {
    .name = "agent",
    .summary = "play an agent of hone's own",
    .text = {
        "Started by hone, with the environment of an attempt. By hand it needs HONE_WORKSPACE and "
        "HONE_OUTPUT, both absolute; HONE_SINCE, HONE_EXCLUDE, HONE_ANALYZERS and HONE_CACHE of an "
        "analyzer, "
        "HONE_FINDINGS of fixits.",
    },
    .arguments = {
        { .name = "KIND", .help = "analyzer, sarif, rdjson, fixits, acp or acp-writes" },
        { .name = "ARGUMENT", .optional = true, .many = true, .help = "what the kind wants" },
    },
    .handle = handle,
};
