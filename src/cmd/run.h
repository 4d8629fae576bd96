/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - what a command line of hone run comes to: for hone run, and for prompts in a host that
 * ask for the same. */
#ifndef HONE_CMD_RUN_H
#define HONE_CMD_RUN_H

#include "cmd/own.h"
#include "cmd/parse.h"

#include "core/plan.h"
#include "settings/settings.h"

struct run_request {
    const struct dialect *dialect;
    const char *task;
    struct hone_own own;          /* what files say: flags are put over it */
    struct run_settings settings;
    struct plan plan;
};

/* Reads everything but the agents of roles that no SPEC was named for. call->cwd must be set.
 * The caller calls run_request_release(), also after a failure. */
int run_take(struct call *call, struct run_request *request, struct err *err);
void run_request_release(struct run_request *request);

/* Whether hone run has an option of this name (which may go on with "=VALUE") for the dialect;
 * *wants: it has an argument. */
bool run_knows_option(const struct dialect *dialect, struct str name, bool *wants);

#endif
