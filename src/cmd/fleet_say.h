/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_say.h - what `hone fleet show` says. */
#ifndef HONE_CMD_FLEET_SAY_H
#define HONE_CMD_FLEET_SAY_H

#include "cmd/verb.h"
#include "format/fleet/fleet_line.h"

/* A text of another machine, short, without what a terminal obeys. */
const char *fleet_harmless(struct str text, struct arena *arena);

/* ready and workers: what the carrier of a fleet said. The exit code. */
int fleet_say(struct call *call, const char *url, const struct fleet_line *ready,
              const struct fleet_line *workers);

#endif
