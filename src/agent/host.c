/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c - backend host: the roles are played by the agents of Claude Code or Codex, in whose
 * hooks hone runs (drive/hosted/hosted.h). Nothing is started here, and nothing can be elsewhere.
 * */
#include "agent/backends.h"

static int host_check(const struct agent *agent, struct err *err)
{
    (void)agent;
    return err_set(err, ERR_USAGE, "the agents of this run are those of Claude Code or Codex: go "
                   "on there with the command that began it");
}

const struct backend backend_host = {
    .name = "host",
    .argument = "MODEL",
    .hosted = true,
    .may_cost = true,
    .help = "the agents of Claude Code or Codex, in runs that are begun there; never in hone run",
    .check = host_check,
};
