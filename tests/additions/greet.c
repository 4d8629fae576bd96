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
    .text = (const char *const[]){ "Says hello to a person.", NULL },
    .arguments = (const struct argument[]){
        { .name = "WHO", .optional = true, .help = "the person; you where nothing is said" },
        { .name = NULL },
    },
    .codes = (const struct code_help[]){ { CODE_DONE, "it was said" }, { .help = NULL } },
    .examples = (const char *const[]){ "hone greet Ann", NULL },
    .handle = handle,
};
