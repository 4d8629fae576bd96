/* SPDX-License-Identifier: Apache-2.0
 *
 * top.c - hone top: the runs of some repositories on the whole terminal. */
#include "top/top.h"

#include "base/path.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"

static int handle(struct call *call)
{
    uint32_t count = call->argument_count > 0 ? call->argument_count : 1;
    const char **folders = arena_alloc(&call->arena, count * sizeof *folders);
    struct top_request request = { .folders = folders, .folder_count = count,
                                   .read_only = call_has(call, "read-only"),
                                   .color = call->out_color };
    struct err err;
    bool asked;

    folders[0] = call->cwd;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        folders[i] = path_joined(call->cwd, str_of(call->arguments[i]), &call->arena);
    }
    if (call->json) {
        return say_fail(CODE_USAGE, "hone top draws on a terminal; 'hone status --json' and 'hone "
                        "list --json' tell a program the same");
    }
    if (top_show(&request, &asked, &err) != 0) return say_err(&err);
    return asked ? CODE_INTERRUPTED : CODE_DONE;
}

const struct verb verb_top = {
    .name = "top",
    .summary = "show runs on the whole terminal, while they happen",
    .text = {
        "Shows the runs of this repository, or of those that are named, at work first: where each "
        "stands, what it found, fixed and left, what it cost and how much of its budget is used. "
        "Enter opens a run: its agents at work, rounds, findings and its question; Enter again "
        "an attempt, with what it says while it says it.",
        "Keys: arrows, j and k, PgUp and PgDn move, Enter opens, Esc goes back, / shows only what "
        "holds a word, f filters, ? lists all keys, q quits. s stops, r resumes and a answers a "
        "run, each by the verb of that name and after a question; with --read-only they do "
        "nothing.",
        "It follows the journal and changes nothing in it: runs go on when it ends. However it "
        "ends, the terminal is left as it was; only where both of its processes are killed in the "
        "same instant, 'reset' is needed.",
        "It needs a terminal that the system knows (TERM) at standard input and output. Elsewhere "
        "'hone status', 'hone list' and their --json tell the same.",
    },
    .arguments = {
        { .name = "DIR", .many = true, .optional = true,
          .help = "a folder of each repository that is shown; this one by default" },
    },
    .options = {
        { .name = "read-only", .help = "only look: nothing is stopped, resumed or answered" },
    },
    .codes = {
        { CODE_DONE, "it was quit" },
        { CODE_USAGE, "this is no terminal that can show it, or there is no repository" },
        { CODE_FAILED, "what draws was ended by a signal" },
        { CODE_INTERRUPTED, "it was told to end: Ctrl-C, or a signal" },
    },
    .examples = { "hone top", "hone top ~/one ~/two", "hone top --read-only" },
    .handle = handle,
};
