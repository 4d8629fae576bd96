/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.h - the worker's end of a carrier: `hone-link work`. */
#ifndef HONE_LINK_WORKER_H
#define HONE_LINK_WORKER_H

#include "link/bus.h"

/* Serves until the worker is gone. The exit code. */
int worker_serve(const struct bus_target *target);

#endif
