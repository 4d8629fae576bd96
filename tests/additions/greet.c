/* SPDX-License-Identifier: Apache-2.0
 *
 * greet.c - a verb for tests/e2e/additions.sh. */
#include "cmd/parse.h"
#include "cmd/verbs.h"

#include <stdio.h>

static int handle(struct call *call)
{
    const char *who = call_argument(call, 0);

    printf("hello, %s\n", who ? who : "you");
    return CODE_DONE;
}

const struct verb verb_greet = {
    .name = "greet",
    .summary = "say hello",
    .text = { "Says hello to a person." },
    .arguments = {
        { .name = "WHO", .optional = true, .help = "the person; you by default" },
    },
    .codes = { { CODE_DONE, "it was said" } },
    .examples = { "hone greet Ann" },
    .handle = handle,
};
