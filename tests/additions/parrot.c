/* SPDX-License-Identifier: Apache-2.0
 *
 * parrot.c - a backend for tests/e2e/additions.sh: it says its argument. */
#include "agent/backends.h"

static int parrot_play(const struct agent *agent, const struct attempt *attempt,
                       struct buf *answer, int *exit_code, struct err *err)
{
    (void)attempt;
    (void)err;
    buf_text(answer, agent->argument);
    *exit_code = 0;
    return 0;
}

const struct backend backend_parrot = {
    .name = "parrot",
    .argument = "WORDS",
    .argument_needed = true,
    .help = "says its words again",
    .play = parrot_play,
};
