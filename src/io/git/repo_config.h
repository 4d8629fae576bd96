/* SPDX-License-Identifier: Apache-2.0
 *
 * repo_config.h - programs that a repository's own configuration would have git run. */
#ifndef HONE_IO_GIT_REPO_CONFIG_H
#define HONE_IO_GIT_REPO_CONFIG_H

#include "io/git/repo.h"

/* Fills repo->quiet and repo->quieted: filters and merge drivers that this repository's own
 * configuration, or a submodule's, names, and that the user's does not name just so. Its other
 * fields are set. Costs the reading of a file where there are none. */
int repo_config_quiet(struct repo *repo, struct err *err);

#endif
