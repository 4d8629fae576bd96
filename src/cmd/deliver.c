/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver.c - hone deliver: carries one notification, or one batch of spans, to where it goes.
 *
 * The help does not list this verb: hone starts it itself, in the background of a run, with what it
 * carries at its standard input (observe/deliver.h). */
#include "cmd/parse.h"

#include "cmd/verbs.h"
#include "observe/deliver.h"

static int handle(struct call *call)
{
    (void)call;
    return deliver_main();
}

const struct verb verb_deliver = {
    .name = "deliver",
    .summary = "carry a notification or spans to where they go",
    .text = { "Started by hone, with what it carries at its standard input." },
    .handle = handle,
};
