/* SPDX-License-Identifier: Apache-2.0
 *
 * resume.c - hone resume: goes on with a run that was stopped, failed or died. The work is done in
 * drive/headless/headless.c. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "drive/headless/headless.h"
#include "format/text/budget_text.h"

static int handle(struct call *call)
{
    const char *prefix = call_argument(call, 0), *budget = call_value(call, "budget");
    struct budget any = { 0 };
    struct err err;

    if (budget && budget_read(str_of(budget), &any, &err) != 0) {
        err_wrap(&err, "--budget");
        return say_err(&err);
    }
    return headless_run(&(struct headless_request){
        .version = HONE_VERSION, .start = call->cwd,
        .resume = prefix ? prefix : "",
        .budget = budget,
        .fleet = call_value(call, "fleet"),
        .trust = call_has(call, "trust"),
        .json = call->json,
        .quiet = call->quiet,
        .color = call->color,
    });
}

const struct verb verb_resume = {
    .name = "resume",
    .summary = "go on with a run that was interrupted",
    .text = {
        "Continues a run where it was when it was stopped, when it failed or when it died: agents "
        "that had finished are not started again, agents that were at work are. The run keeps "
        "its task, its options and its agents. It goes on in the foreground and ends with the "
        "exit status of the run.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "budget", .argument = "LIMITS",
          .help = "new limits of the whole run, counting what it has used: usd=10,calls=80; limits "
                  "that are not named stay, and none in place of a number lifts one" },
        { .name = "fleet", .argument = "URL",
          .help = "where agents play from now on, as 'hone run --fleet' takes it; local for this "
                  "machine. What they did elsewhere and was not fetched yet is lost then" },
        { .name = "trust",
          .help = "go on with a run that another user began, or you on another machine: it starts "
                  "the agents that it names" },
    },
    .codes = {
        { CODE_DONE, "clean: the last gate that judged the work passed" },
        { CODE_FINDINGS, "findings remain" },
        { CODE_USAGE, "there is no such run, or another run works in this workspace" },
        { CODE_FAILED, "an agent could not run or kept breaking its contract" },
        { CODE_BUDGET, "the budget is spent" },
        { CODE_WAITING, "the run waits for an answer" },
        { CODE_INTERRUPTED, "the run was interrupted" },
    },
    .examples = { "hone resume", "hone resume 7k2m",
                                       "hone resume --budget usd=10" },
    .handle = handle,
};
