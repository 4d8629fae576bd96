/* SPDX-License-Identifier: Apache-2.0
 *
 * who.h - how a fleet's carrier is started, and who is there, asked without a run. */
#ifndef HONE_DRIVE_FLEET_WHO_H
#define HONE_DRIVE_FLEET_WHO_H

#include "base/arena.h"
#include "format/fleet/fleet_line.h"

/* The program of a carrier over NATS, beside hone's own or on the PATH; NULL: there is none. */
const char *fleet_link(struct arena *arena);

/* Whether it is the URL of a server: nats:// or tls://, a host, and no password. */
bool fleet_is_server(const char *url);

/* The command that is a fleet's carrier; NULL ends it. ERR_USAGE: no fleet is called so, or a
 * program is missing. */
int fleet_command(const char *url, struct arena *arena, const char *const **out, struct err *err);

/* What its carrier says of itself, and of workers and pools. Waits some seconds at most. */
int fleet_who(const char *url, const char *version, struct arena *arena, struct fleet_line *ready,
              struct fleet_line *workers, struct err *err);

#endif
