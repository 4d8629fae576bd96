/* SPDX-License-Identifier: Apache-2.0
 *
 * status.h - where a run stands, on standard output: for hone status, and for hone replay, which
 * shows where it stood. */
#ifndef HONE_CMD_STATUS_H
#define HONE_CMD_STATUS_H

#include "cmd/verb.h"
#include "report/status.h"

void status_say(const struct status *status, const struct call *call);

#endif
