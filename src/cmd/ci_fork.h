/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_fork.h - what the change of a fork must not have: credentials, and reviewers that are more
 * than tools. For hone ci; its hooks of git and --no-models have the second, too. */
#ifndef HONE_CMD_CI_FORK_H
#define HONE_CMD_CI_FORK_H

#include "cmd/run.h"
#include "format/pipeline.h"
#include "io/git/repo.h"

/* Takes every variable that may hold a credential out of our environment; how many. Before anything
 * starts. */
uint32_t ci_drop_credentials(struct arena *arena);
/* Says that it is a fork's change and what follows, and where the checkout keeps a token. */
void ci_say_fork(const struct repo *repo, const struct pipeline *pipeline, uint32_t withheld,
                 struct arena *arena);

/* The backends that such a change may be judged by: what runs no command, and asks no service.
 * NULL ends. */
const struct backend *const *ci_tools(struct arena *arena);
/* Leaves out the agents that were named and are none of these. fork: as well as what only others
 * need. */
void ci_keep_tools(struct run_request *request, bool fork, bool quiet, struct arena *arena);
/* ERR_USAGE: a role has found another way to an agent that is none of these. */
int ci_check_tools(const struct run_request *request, struct arena *arena, struct err *err);

#endif
