/* SPDX-License-Identifier: Apache-2.0
 *
 * take.h - flags of hone run that are no dialect's, put into the settings of a run. */
#ifndef HONE_CMD_TAKE_H
#define HONE_CMD_TAKE_H

#include "cmd/parse.h"
#include "settings/settings.h"

/* How long an agent may take, and what holds it. ERR_USAGE names the flag. */
int take_limits(const struct call *call, struct run_settings *settings, struct err *err);

/* What the run may use in all: --budget over what files say, and never more than HONE_BUDGET, which
 * is what a run leaves to an agent that starts another. */
int take_budget(struct call *call, struct run_settings *settings, struct err *err);

/* What is looked at, and what must hold after a repair. */
int take_scope(struct call *call, struct run_settings *settings, struct err *err);

#endif
