/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c - backend host: the agents of Claude Code or Codex play the roles, and hone runs in their
 * hooks (drive/hosted/hosted.h). hone starts nothing, and a run of this kind cannot go on outside
 * of its host. */
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
