/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.c - hone answer: records the user's answer to a run that waits, and goes on with the run
 * as hone resume does (drive/headless/headless.c). */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "drive/ask.h"
#include "drive/headless/headless.h"

static int handle(struct call *call)
{
    bool named = call->argument_count > 1;
    const char *word = call_argument(call, named ? 1 : 0);
    enum choice choice;

    if (!choice_parse(str_of(word), &choice)) {
        return say_fail(CODE_USAGE, "'%.60s' is no answer: continue, accept, restart or stop",
                        word);
    }
    return headless_run(&(struct headless_request){
        .version = HONE_VERSION, .start = call->cwd,
        .resume = named ? call_argument(call, 0) : "",
        .answer = &choice,
        .record_only = call_has(call, "record"),
        .json = call->json,
        .quiet = call->quiet,
        .color = call->color,
    });
}

const struct verb verb_answer = {
    .name = "answer",
    .summary = "answer the question of a run that waits, and go on with it",
    .text = {
        "A run ends with status 5 when it needs a decision: its bound is reached and findings "
        "remain, the same finding keeps coming back, or a fixer is stuck. 'hone status' shows the "
        "question. The answer is recorded, the run goes on in the foreground, and its exit status "
        "is that of the run. When you have removed what a run is stuck on, it goes on with "
        "'continue', as with 'hone resume'.",
    },
    .arguments = {
        ARGUMENT_RUN,
        { .name = "CHOICE",
          .help = "continue: one more round, then it asks again; accept (or proceed): take the "
                  "work as it is and go on; restart: begin a new iteration at the first phase; "
                  "stop: end the run",
          .words = "continue, accept, restart or stop" },
    },
    .options = {
        { .name = "record", .help = "only record the answer; 'hone resume' goes on later" },
    },
    .codes = {
        { CODE_DONE, "clean: the last gate that judged the work passed; or the answer is "
                     "recorded" },
        { CODE_FINDINGS, "findings remain" },
        { CODE_USAGE, "there is no such run, it asks nothing, or this cannot be chosen" },
        { CODE_FAILED, "an agent could not run or kept breaking its contract" },
        { CODE_BUDGET, "the budget is spent; 'hone resume --budget' goes on with more" },
        { CODE_WAITING, "the run waits for another answer" },
        { CODE_INTERRUPTED, "the run was interrupted" },
    },
    .examples = { "hone answer continue", "hone answer 7k2m accept" },
    .handle = handle,
};
