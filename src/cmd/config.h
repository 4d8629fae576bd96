/* SPDX-License-Identifier: Apache-2.0
 *
 * config.h - a dialect's effective settings, for the verbs that show and change them. */
#ifndef HONE_CMD_CONFIG_H
#define HONE_CMD_CONFIG_H

#include "cmd/parse.h"
#include "dialect/dialect.h"
#include "format/json/json.h"

/* What holds in a workspace now. {0} is empty. */
struct config_view {
    struct arena arena;
    const char *workspace;
    struct settings settings; /* with the files that are there */
    struct warnings warnings; /* what is wrong with them */
    struct config_list list;
};

/* A dialect that has configuration files. ERR_USAGE says which there are. */
int config_dialect(const char *name, const struct dialect **out, struct err *err);

/* Reads the dialect's files for the workspace of call->cwd. Close it, also after a failure. */
int config_open(struct config_view *view, const struct call *call, const struct dialect *dialect,
                struct err *err);
void config_close(struct config_view *view);

/* The warnings, on standard error. */
void config_warn(const struct config_view *view);

/* `hone config show`: of one dialect, or (NULL) of all. The exit code. */
int config_show(const struct call *call, const struct dialect *dialect);

#endif
